// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <sys/random.h>
#include <unistd.h>

#include "outcome.h"
#include "random.h"

uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

double random_real(struct random *r)
{
	return (double)(random_next(r) >> 11) / 9007199254740992.0;
}

double random_normal(struct random *r)
{
	double radius = sqrt(-2 * log(1 - random_real(r)));

	return radius * cos(2 * M_PI * random_real(r));
}

double random_exponential(struct random *r)
{
	return -log(1 - random_real(r));
}

uint64_t random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = now_ns() ^ (uint64_t)getpid() << 32;
	return seed;
}
