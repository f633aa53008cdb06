/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MONITOR_SCHEDSTAT_H
#define SCHEDBENCH_MONITOR_SCHEDSTAT_H

#include "util/error.h"

/*
 * /proc/schedstat before and after a repetition. Field layouts are those of
 * Documentation/scheduler/sched-stats.rst of the kernel for versions 15, 16 and 17. A kernel with
 * SIS statistics, ours (nineteen numbers a CPU) or those of 2020 (versions 16 to 18, up to
 * seventeen), adds select_idle_sibling's counters, with the names and formulas of the 2020-03 mail.
 */
#define SCHEDSTAT_FILE	 "/proc/schedstat"
#define SCHEDSTAT_SYSCTL "kernel.sched_schedstats"

struct schedstat_counter {
	const char *name;
	double value; /* after - before, summed over the CPUs; times in seconds; shares in percent */
};

/* The most that one difference yields. */
#define SCHEDSTAT_MAX 64

struct schedstat_delta {
	int version;
	unsigned cpus;
	int has_sis; /* 0: the kernel has no SIS statistics, and none are listed */
	struct schedstat_counter counters[SCHEDSTAT_MAX];
	unsigned count;
	unsigned counts; /* the first ones, which can be added up; rates of them follow */
};

/*
 * Difference of two texts of SCHEDSTAT_FILE. An unknown version, a changed set of CPUs, a line
 * with too few numbers or a counter that went backwards is an error: nothing is ever filled up
 * with zeros.
 */
int schedstat_diff(const char *before, const char *after, struct schedstat_delta *out,
		   struct error *err);

/*
 * The rates that follow from counts, found by their names: SIS search efficiency and the like, in
 * percent. A rate of nothing is left out: no search is not a perfect search. @out has room for
 * SCHEDSTAT_RATES; returns how many there are.
 */
#define SCHEDSTAT_RATES 8
unsigned schedstat_rates(const struct schedstat_counter *counts, unsigned n,
			 struct schedstat_counter *out);

#endif
