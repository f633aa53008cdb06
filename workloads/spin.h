/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_SPIN_H
#define WORKLOADS_SPIN_H

#include <stdint.h>

/* @n steps of a chain of dependent instructions that no compiler can shorten; about 1 ns each. */
static inline void spin_steps(uint64_t n)
{
	uint64_t x = n;

	while (n--) {
		x = x * 5 + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

/* CPU time of the calling thread in ns. */
uint64_t spin_cpu_ns(void);

/* Time that a thread (0: the caller) has waited for a CPU, in ns; 0 if the kernel does not say. */
uint64_t spin_wait_ns(int tid);

#endif
