// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdint.h>

#include "config/scale.h"
#include "topology/topology.h"

#define QEMU_DISTANCE 20

static unsigned count_cpus(const struct topology *t)
{
	return t->packages * t->dies * t->cores * t->threads;
}

static int check_counts(const struct machine *m, struct error *err)
{
	const struct topology *t = &m->topology;
	unsigned long long cpus = t->packages;

	if (!t->packages || !t->dies || !t->cores || !t->threads || !t->nodes)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' needs at least one of packages, dies, cores, "
				 "threads and nodes",
				 m->name);
	/* Step by step, so that four large numbers cannot wrap around to a small product. */
	cpus = cpus * t->dies > UINT32_MAX ? UINT32_MAX : cpus * t->dies;
	cpus = cpus * t->cores > UINT32_MAX ? UINT32_MAX : cpus * t->cores;
	cpus *= t->threads;
	if (cpus > TOPOLOGY_QEMU_CPUS_MAX)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' has %llu CPUs, and QEMU guests have at most %d "
				 "(use fewer cores or threads)",
				 m->name, cpus, TOPOLOGY_QEMU_CPUS_MAX);
	return 0;
}

static int check_nodes(const struct machine *m, struct error *err)
{
	if (!topology_nodes_fit(&m->topology))
		return error_set(err, ERROR_USAGE,
				 "machine '%s': %u NUMA nodes do not spread evenly over %u "
				 "packages of %u dies and %u cores",
				 m->name, m->topology.nodes, m->topology.packages, m->topology.dies,
				 m->topology.dies * m->topology.cores);
	if (m->memory_mb < m->topology.nodes)
		return error_set(err, ERROR_USAGE, "machine '%s' has too little memory (%u MiB)",
				 m->name, m->memory_mb);
	return 0;
}

static void add_node(struct strlist *args, const struct machine *m, unsigned node)
{
	unsigned nodes = m->topology.nodes;
	unsigned cpus = count_cpus(&m->topology) / nodes;
	unsigned mb = m->memory_mb / nodes + (node == 0 ? m->memory_mb % nodes : 0);

	strlist_add(args, "-object");
	strlist_addf(args, "memory-backend-ram,id=m%u,size=%uM", node, mb);
	strlist_add(args, "-numa");
	strlist_addf(args, "node,nodeid=%u,cpus=%u-%u,memdev=m%u", node, node * cpus,
		     (node + 1) * cpus - 1, node);
}

/* All of them, or none where they are what QEMU takes anyhow. */
static void add_distances(struct strlist *args, const struct topology *t)
{
	if (t->near == QEMU_DISTANCE && t->far == QEMU_DISTANCE)
		return;
	for (unsigned i = 0; i < t->nodes; i++)
		for (unsigned j = 0; j < t->nodes; j++) {
			if (i == j)
				continue;
			strlist_add(args, "-numa");
			strlist_addf(args, "dist,src=%u,dst=%u,val=%u", i, j,
				     topology_distance(t, i, j));
		}
}

int topology_qemu_args(struct strlist *args, const struct machine *m, struct error *err)
{
	const struct topology *t = &m->topology;

	if (check_counts(m, err) || check_nodes(m, err))
		return -1;
	strlist_add(args, "-smp");
	/* Machines without dies refuse even one. */
	if (m->clusters)
		strlist_addf(args, "%u", count_cpus(t));
	else
		strlist_addf(args, "%u,sockets=%u,dies=%u,cores=%u,threads=%u", count_cpus(t),
			     t->packages, t->dies, t->cores, t->threads);
	strlist_add(args, "-m");
	strlist_addf(args, "%uM", m->memory_mb);
	if (t->nodes == 1)
		return 0;
	for (unsigned i = 0; i < t->nodes; i++)
		add_node(args, m, i);
	add_distances(args, t);
	return 0;
}
