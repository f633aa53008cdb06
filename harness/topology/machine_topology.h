/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_MACHINE_TOPOLOGY_H
#define SCHEDBENCH_TOPOLOGY_MACHINE_TOPOLOGY_H

#include <hwloc.h>

#include "config/config.h"
#include "util/error.h"

/*
 * The topology as hwloc knows it: of an emulated machine what its profile says (scaled, if
 * machine_scale() did that), so that placement can be planned without booting it; of this host what
 * is here. The caller destroys it.
 */
int machine_topology(hwloc_topology_t *out, const struct machine *m, struct error *err);

#endif
