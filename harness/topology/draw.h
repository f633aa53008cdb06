/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TOPOLOGY_DRAW_H
#define SCHEDBENCH_TOPOLOGY_DRAW_H

#include <hwloc.h>

#include "util/strbuf.h"

/* "2 x 20C/40T" as mails write it: packages, cores and threads of each; uneven ones one by one. */
void topology_shape(hwloc_topology_t t, struct strbuf *out);

/* The tree down to the objects that hold cores, a line each with its CPUs. */
void topology_draw(hwloc_topology_t t, struct strbuf *out);

#endif
