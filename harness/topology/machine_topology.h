/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_MACHINE_TOPOLOGY_H
#define SCHEDBENCH_TOPOLOGY_MACHINE_TOPOLOGY_H

#include <hwloc.h>

#include "config/config.h"
#include "util/error.h"
#include "util/strbuf.h"

/*
 * The topology as hwloc knows it: of an emulated machine what its profile says (scaled, if
 * machine_scale() did that), so that placement can be planned without booting it; of this host what
 * is here. The caller destroys it.
 */
int machine_topology(hwloc_topology_t *out, const struct machine *m, struct error *err);

/*
 * A machine file whose guest has the topology @t. ERROR_USAGE where a guest cannot have it:
 * packages or nodes that differ in size.
 */
int machine_profile_text(hwloc_topology_t t, struct strbuf *out, struct error *err);

#endif
