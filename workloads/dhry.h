/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_DHRY_H
#define WORKLOADS_DHRY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A loop of integer arithmetic, record copies, string comparisons, array accesses, calls and
 * branches, in about the proportions of systems programs: the kind of load that Dhrystone is, but
 * not Dhrystone, and its rate is not comparable with Dhrystone's. Compilers cannot fold it: every
 * step passes through values that they must not know.
 */
struct dhry {
	uint64_t state[8]; /* carried from one iteration to the next */
};

void dhry_init(struct dhry *d);

/* @n iterations; returns a digest of all of them. */
uint64_t dhry_loop(struct dhry *d, uint64_t n);

/*
 * Whether the loop takes as long as the work in it must: an iteration is compared with a chain of
 * ten multiplications, each of which waits for the one before.
 */
bool dhry_is_whole(void);

#endif
