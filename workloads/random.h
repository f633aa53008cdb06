/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014): small, seeded by any number, the same everywhere. */
struct random {
	uint64_t state;
};

uint64_t random_next(struct random *r);
double random_real(struct random *r); /* [0, 1) */
double random_normal(struct random *r); /* mean 0, deviation 1 (Box and Muller 1958) */
double random_exponential(struct random *r); /* mean 1 */

/* A seed that differs each time. */
uint64_t random_seed(void);

#endif
