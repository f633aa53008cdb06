/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_JUNO_H
#define WORKLOADS_JUNO_H

#include <stdint.h>

#include "workload.h"

enum juno_model { JUNO_LOOPS, JUNO_CPUTIME };
enum juno_pass { JUNO_SPIN, JUNO_WFI };

struct juno {
	int64_t tasks, free_after_ns, rate; /* steps per second at capacity 1024 */
	const char *pin, *work, *speed;
	int model, pass; /* enum juno_model, enum juno_pass */
	bool calibrate;
};

/* The layout of a run, understood and checked. */
struct juno_plan {
	int tasks;
	int *pins; /* CPU of each task */
	struct cpumask allowed, spare; /* CPUs of the run; those that no task is pinned to */
	int64_t *speeds; /* by CPU number: 1024 for the fastest; JUNO_CPUTIME only */
	uint64_t work_ns; /* of a CPU of capacity 1024 */
	uint64_t steps; /* JUNO_LOOPS: of each task */
};

/* Of CPU @cpu below @sys, as the kernel says; 1024 if it does not. */
int64_t juno_capacity(const char *sys, int cpu);

/*
 * Understand pins ("auto" or a list with one CPU for each task), work ("10s@1024") and speeds.
 * Automatic: as many tasks as CPUs, the last of the slowest CPUs is left out, the first of the
 * fastest has two. ERROR_USAGE: CPUs that may not be used, or numbers that do not fit together.
 */
int juno_plan(const struct juno *p, const struct cpumask *allowed, const char *sys,
	      struct juno_plan *plan, struct error *err);
void juno_plan_release(struct juno_plan *plan);

#endif
