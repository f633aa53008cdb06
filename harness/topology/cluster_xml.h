/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_CLUSTER_XML_H
#define SCHEDBENCH_TOPOLOGY_CLUSTER_XML_H

#include "config/config.h"
#include "util/strbuf.h"

/* The capacity of a CPU, as hwloc names what it reads from Linux. */
#define CAPACITY_INFO "LinuxCapacity"

/*
 * A machine of clusters in hwloc's XML (its synthetic descriptions know no uneven ones): one
 * package and NUMA node, a second-level cache for each cluster or for all, a core for each CPU.
 */
void cluster_xml(const struct machine *m, struct strbuf *out);

#endif
