/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_LOCATION_H
#define SCHEDBENCH_TOPOLOGY_LOCATION_H

#include <hwloc.h>

#include "util/error.h"

/*
 * The CPUs (OS numbers) that a location in the language of hwloc-calc(1) names, logical indexes:
 *
 *	package:0			every CPU of the first package
 *	l3:0-3.core:0-3.pu:0		first threads of four cores in each of four caches
 *	numanode:1 ~core:0		terms separated by blanks: added, with ~ taken out, with x
 *only what both have, with ^ what one of them has core:odd, core:2-, pu:14:4	even, odd, all, from
 *2 on, 4 from 14 on (wrapping around) all, root, 0xff			everything, a mask
 *
 * "ccd" is the last-level cache, "0-3,8" a list of CPUs. Unlike hwloc-calc, which prints what is
 * left, an object that is not there and an empty result are errors (ERROR_USAGE).
 */
int location_cpus(hwloc_topology_t topology, const char *text, hwloc_bitmap_t cpus,
		  struct error *err);

#endif
