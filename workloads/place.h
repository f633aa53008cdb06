/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_PLACE_H
#define WORKLOADS_PLACE_H

#include "cpumask.h"
#include "error.h"
#include "option.h"

enum bind { BIND_NONE, BIND_SPREAD, BIND_PACK };

/* The options of place.c, common to all generators. */
struct place_options {
	const char *cpus; /* NULL: what the caller's mask allows */
	const char *membind; /* NULL: leave the memory policy alone */
	int bind; /* enum bind */
};

extern const struct option_spec place_option_table[];

/* Where a run takes place. */
struct place {
	struct cpumask allowed; /* of the whole run, read back from the kernel */
	int online_cpus;
	enum bind bind;
	int norder;
	int *order; /* the CPUs of @allowed in the order in which workers are bound to them */
	char cgroup[256]; /* of the cpu controller, as in /proc/self/cgroup */
};

/*
 * Apply the options to the calling process and describe the result. What cannot be applied wholly
 * is refused (ERROR_USAGE). place_release() frees it.
 */
int place_init(struct place *place, const struct place_options *opt, struct error *err);
void place_release(struct place *place);

/* Bind the calling thread as worker @index; does nothing for BIND_NONE. */
int place_bind_worker(const struct place *place, unsigned index, struct error *err);

/*
 * The order of binding of the CPUs in @mask, from the topology below @sys (normally /sys/devices/
 * system). Spread: over nodes first, then last-level caches, cores, hardware threads; pack: the
 * hardware threads of a core first. @order has room for all of them.
 */
int place_order(const char *sys, const struct cpumask *mask, enum bind bind, int *order,
		struct error *err);

/* How far apart two tasks are. */
enum pair {
	PAIR_FREE, /* the scheduler's business */
	PAIR_CPU, /* one CPU */
	PAIR_SMT, /* hardware threads of one core */
	PAIR_LLC, /* cores of one last-level cache */
	PAIR_NODE, /* last-level caches of one node */
	PAIR_FAR, /* nodes */
};

/* The first two CPUs of @mask that are so far apart (not PAIR_FREE); ERROR_USAGE: there are none. */
int place_pair(const char *sys, const struct cpumask *mask, enum pair pair, int cpus[2],
	       struct error *err);

/*
 * The bytes of all last-level caches that CPUs of @mask use, each counted once; 0 if the kernel
 * does not say.
 */
int64_t place_cache_bytes(const char *sys, const struct cpumask *mask);

#endif
