// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <time.h>

#include "spin.h"
#include "sysfile.h"

uint64_t spin_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t spin_wait_ns(int tid)
{
	unsigned long long ran, waited;
	char path[64] = "/proc/thread-self/schedstat", text[128];

	if (tid)
		snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	if (sysfile_read(path, text, sizeof(text)) || sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return 0;
	return waited;
}
