/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_SCALE_H
#define SCHEDBENCH_CONFIG_SCALE_H

#include <stdbool.h>

#include "config/config.h"

/*
 * Can the NUMA nodes be spread evenly: over the packages, the dies of a package or the cores of a
 * die? A node never holds a part of a core.
 */
bool topology_nodes_fit(const struct topology *t);

/* Between two nodes, by the firmware's measure: 10 is local. */
unsigned topology_distance(const struct topology *t, unsigned a, unsigned b);

#endif
