// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <hwloc.h>
#include <hwloc/distances.h>
#include <stdlib.h>

#include "config/scale.h"
#include "topology/cluster_xml.h"
#include "topology/draw.h"
#include "topology/machine_topology.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

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

/* MiB that a guest needs: 512 and 32 for each CPU are enough for every workload at its smallest. */
static unsigned memory_for(const struct topology *t)
{
	unsigned mb = 512 + 32 * t->packages * t->dies * t->cores * t->threads;

	return (mb + 255) / 256 * 256;
}

/* How many of @type there are in each of @per; 0: not the same number in all of them. */
static unsigned count_each(hwloc_topology_t t, hwloc_obj_type_t per, hwloc_obj_type_t type)
{
	int all = hwloc_get_nbobjs_by_type(t, type), groups = hwloc_get_nbobjs_by_type(t, per);
	hwloc_obj_t obj = NULL;

	if (all <= 0 || groups <= 0 || all % groups)
		return 0;
	while ((obj = hwloc_get_next_obj_by_type(t, per, obj)))
		if (hwloc_get_nbobjs_inside_cpuset_by_type(t, obj->cpuset, type) != all / groups)
			return 0;
	return (unsigned)(all / groups);
}

int machine_profile_text(hwloc_topology_t t, struct strbuf *out, struct error *err)
{
	struct topology p = {.dies = 1};
	struct strbuf shape = STRBUF_INIT;
	unsigned cores;

	p.packages = (unsigned)hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE);
	p.nodes = (unsigned)hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE);
	p.threads = count_each(t, HWLOC_OBJ_CORE, HWLOC_OBJ_PU);
	cores = count_each(t, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE);
	/* A guest has one last-level cache in each die. */
	if (hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_L3CACHE) > 0)
		p.dies = count_each(t, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE);
	p.cores = p.dies ? cores / p.dies : 0;
	topology_shape(t, &shape);
	if (!p.threads || !p.cores || p.cores * p.dies != cores || !topology_nodes_fit(&p)) {
		error_set(err, ERROR_USAGE,
			  "a guest cannot have this topology (%s): its packages, caches or nodes "
			  "differ in size",
			  shape.buf);
		strbuf_release(&shape);
		return -1;
	}
	strbuf_addf(out,
		    "title: %s, %u NUMA node%s\ntype: qemu\ntopology: {packages: %u, dies: %u, "
		    "cores: %u, threads: %u, nodes: %u}\nmemory: %uM\n",
		    shape.buf, p.nodes, p.nodes == 1 ? "" : "s", p.packages, p.dies, p.cores,
		    p.threads, p.nodes, memory_for(&p));
	strbuf_release(&shape);
	return 0;
}

/* Of an emulated machine, for who asks how far its nodes are. */
static int add_distances(hwloc_topology_t t, const struct topology *p)
{
	hwloc_uint64_t *values = xreallocarray(NULL, (size_t)p->nodes * p->nodes, sizeof(*values));
	hwloc_obj_t *nodes = xreallocarray(NULL, p->nodes, sizeof(*nodes));
	hwloc_distances_add_handle_t handle;
	int ret = -1;

	for (unsigned i = 0; i < p->nodes; i++) {
		nodes[i] = hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i);
		for (unsigned j = 0; j < p->nodes; j++)
			values[i * p->nodes + j] = topology_distance(p, i, j);
	}
	handle = hwloc_distances_add_create(
		t, "NUMALatency",
		HWLOC_DISTANCES_KIND_FROM_USER | HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
	if (handle && !hwloc_distances_add_values(t, handle, p->nodes, nodes, values, 0))
		ret = hwloc_distances_add_commit(t, handle, 0);
	free(values);
	free(nodes);
	return ret;
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
	if (m->clusters) {
		cluster_xml(m, &text);
		ret = hwloc_topology_set_xmlbuffer(*out, text.buf, (int)text.len + 1);
	} else if (m->type == MACHINE_QEMU) {
		describe(&m->topology, &text);
		ret = hwloc_topology_set_synthetic(*out, text.buf);
	} else {
		ret = hwloc_topology_set_io_types_filter(*out, HWLOC_TYPE_FILTER_KEEP_NONE);
	}
	strbuf_release(&text);
	if (ret || hwloc_topology_load(*out) ||
	    (m->type == MACHINE_QEMU && m->topology.nodes > 1 &&
	     add_distances(*out, &m->topology))) {
		error_sys(err, errno, "cannot build the topology of machine '%s'", m->name);
		hwloc_topology_destroy(*out);
		return -1;
	}
	return 0;
}
