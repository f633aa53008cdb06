/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_TOPOLOGY_H
#define SCHEDBENCH_TOPOLOGY_TOPOLOGY_H

#include "config/config.h"
#include "util/error.h"
#include "util/strlist.h"

/* A PC without interrupt remapping addresses 255 CPUs, and QEMU's TCG stops there too. */
#define TOPOLOGY_QEMU_CPUS_MAX 255

/*
 * The arguments that make QEMU build the machine's topology: -smp, -m and, for several NUMA
 * nodes, a memory backend and the CPUs of each node. QEMU numbers CPUs package by package, so that
 * nodes are consecutive ranges; memory is split evenly, the first node gets what is left over.
 * A topology that cannot be built is an ERROR_USAGE: a zero, too many CPUs, nodes that split a
 * core or a die, or do not spread evenly over the packages.
 */
int topology_qemu_args(struct strlist *args, const struct machine *m, struct error *err);

#endif
