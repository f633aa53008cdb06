/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_DEVICE_TREE_H
#define SCHEDBENCH_TARGET_DEVICE_TREE_H

#include "config/config.h"
#include "util/error.h"
#include "util/strbuf.h"

/*
 * Write the clusters of @m into @dtb, a flattened device tree whose CPUs are /cpus/cpu@0 and on:
 * capacity-dmips-mhz of each CPU, a cluster of /cpus/cpu-map and a cache of the second level for
 * each cluster (one for all with shared_cache). Bindings: Documentation/devicetree/bindings of
 * Linux, cpu/cpu-capacity.txt and cpu/cpu-topology.txt. ERROR_FAILED where a CPU is missing.
 */
int device_tree_edit(struct strbuf *dtb, const struct machine *m, struct error *err);

/*
 * The device tree that QEMU would give to a guest of @m, with its clusters, in a new file below
 * /tmp. The caller removes and frees *@path.
 */
int device_tree_make(char **path, const struct machine *m, struct error *err);

#endif
