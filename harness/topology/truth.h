/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_TRUTH_H
#define SCHEDBENCH_TOPOLOGY_TRUTH_H

#include <hwloc.h>

#include "util/error.h"

/*
 * Whether the machine that booted is the one that was asked for: packages, NUMA nodes, last-level
 * caches, cores and CPUs of @expected, and for uneven CPUs their capacities, against the guest's
 * own view, hwloc's @xml. A difference is ERROR_FAILED and shows both.
 */
int truth_topology(hwloc_topology_t expected, const char *xml, struct error *err);

/* The same for the spans of every CPU's sched domains; @schedstat is the text of /proc/schedstat. */
int truth_domains(hwloc_topology_t expected, const char *schedstat, struct error *err);

#endif
