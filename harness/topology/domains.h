/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_DOMAINS_H
#define SCHEDBENCH_TOPOLOGY_DOMAINS_H

#include <hwloc.h>

#define DOMAINS_MAX 16

/* One level of sched domains of one CPU, from the smallest span to the largest. */
struct sched_domain {
	const char *name; /* as kernels since 6.7 call it: SMT, MC, PKG, NUMA */
	hwloc_bitmap_t span;
};

/*
 * The sched domains that Linux builds for @cpu on this topology (kernel/sched/topology.c): hardware
 * threads of the core, CPUs of the last-level cache, CPUs of the NUMA node, and then for each
 * distance between nodes those within it; a level that spans no more than the one below it is left
 * out. Without distances in the topology all other nodes are equally far. Returns how many.
 */
unsigned sched_domains(hwloc_topology_t t, unsigned cpu, struct sched_domain out[DOMAINS_MAX]);
void sched_domains_release(struct sched_domain *domains, unsigned count);

#endif
