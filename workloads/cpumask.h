/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_CPUMASK_H
#define WORKLOADS_CPUMASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "error.h"

/* A set of CPUs or of memory nodes; as many as the kernel can be configured for. */
enum { CPUMASK_BITS = 8192, CPUMASK_WORD = 8 * sizeof(unsigned long) };

struct cpumask {
	unsigned long words[CPUMASK_BITS / CPUMASK_WORD];
};

static inline bool cpumask_has(const struct cpumask *m, int cpu)
{
	return m->words[cpu / CPUMASK_WORD] >> (cpu % CPUMASK_WORD) & 1;
}

static inline void cpumask_add(struct cpumask *m, int cpu)
{
	m->words[cpu / CPUMASK_WORD] |= 1UL << (cpu % CPUMASK_WORD);
}

/* A list as in /sys: "0-3,7". @name is what messages call it. */
int cpumask_parse(const char *name, const char *text, struct cpumask *mask, struct error *err);

/* The list again, without blanks; cut to @size. Returns @buf. */
char *cpumask_format(const struct cpumask *mask, char *buf, size_t size);

int cpumask_count(const struct cpumask *mask);
bool cpumask_equal(const struct cpumask *a, const struct cpumask *b);
bool cpumask_subset(const struct cpumask *part, const struct cpumask *whole);
int cpumask_first(const struct cpumask *mask); /* -1: empty */
int cpumask_next(const struct cpumask *mask, int cpu); /* after @cpu; -1: none */

/* What thread @tid (0: the caller) may run on. */
int cpumask_get_affinity(pid_t tid, struct cpumask *mask, struct error *err);

/*
 * Bind the calling thread and read the mask back: the kernel drops CPUs that are offline or outside
 * the cpuset without a word; here that is an error (ERROR_USAGE).
 */
int cpumask_set_affinity(const struct cpumask *mask, struct error *err);

#endif
