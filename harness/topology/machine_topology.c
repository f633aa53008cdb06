// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>

#include "config/scale.h"
#include "topology/machine_topology.h"
#include "util/strbuf.h"

/* In the language of hwloc's synthetic topologies. A die holds one last-level cache. */
static void describe(const struct topology *t, struct strbuf *out)
{
	unsigned cores = t->cores;

	if (t->nodes <= t->packages) {
		if (t->nodes > 1)
			strbuf_addf(out, "numa:%u ", t->nodes);
		strbuf_addf(out, "pack:%u ", t->packages / t->nodes);
	} else {
		strbuf_addf(out, "pack:%u ", t->packages);
	}
	if (t->nodes > t->packages && t->nodes / t->packages <= t->dies) {
		unsigned each = t->nodes / t->packages;

		strbuf_addf(out, "numa:%u ", each);
		if (t->dies > 1)
			strbuf_addf(out, "die:%u ", t->dies / each);
		strbuf_addstr(out, "l3:1 ");
	} else {
		if (t->dies > 1)
			strbuf_addf(out, "die:%u ", t->dies);
		strbuf_addstr(out, "l3:1 ");
		if (t->nodes > t->packages) {
			unsigned each = t->nodes / t->packages / t->dies;

			strbuf_addf(out, "numa:%u ", each);
			cores /= each;
		}
	}
	strbuf_addf(out, "core:%u pu:%u", cores, t->threads);
}

int machine_topology(hwloc_topology_t *out, const struct machine *m, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	if (m->type == MACHINE_QEMU && !topology_nodes_fit(&m->topology))
		return error_set(err, ERROR_USAGE,
				 "machine '%s': %u NUMA nodes do not spread evenly over its "
				 "packages, dies and cores",
				 m->name, m->topology.nodes);
	if (hwloc_topology_init(out))
		return error_sys(err, errno, "cannot prepare a topology");
	if (m->type == MACHINE_QEMU) {
		describe(&m->topology, &text);
		ret = hwloc_topology_set_synthetic(*out, text.buf);
	} else {
		ret = hwloc_topology_set_io_types_filter(*out, HWLOC_TYPE_FILTER_KEEP_NONE);
	}
	strbuf_release(&text);
	if (ret || hwloc_topology_load(*out)) {
		error_sys(err, errno, "cannot build the topology of machine '%s'", m->name);
		hwloc_topology_destroy(*out);
		return -1;
	}
	return 0;
}
