// SPDX-License-Identifier: GPL-2.0-or-later
#include <hwloc.h>
#include <hwloc/distances.h>
#include <stdint.h>

#include "topology/domains.h"

struct list {
	struct sched_domain *domains;
	unsigned count;
};

/* A level without anything new degenerates. */
static void add(struct list *l, const char *name, hwloc_const_bitmap_t span)
{
	hwloc_const_bitmap_t below = l->count ? l->domains[l->count - 1].span : NULL;

	if (l->count == DOMAINS_MAX || hwloc_bitmap_weight(span) <= 1 ||
	    (below && hwloc_bitmap_isincluded(span, below)))
		return;
	l->domains[l->count++] = (struct sched_domain){name, hwloc_bitmap_dup(span)};
}

static hwloc_obj_t last_level_cache(hwloc_obj_t pu)
{
	hwloc_obj_t cache = NULL;

	for (hwloc_obj_t o = pu->parent; o; o = o->parent)
		if (hwloc_obj_type_is_cache(o->type) && !hwloc_obj_type_is_icache(o->type))
			cache = o;
	return cache;
}

static hwloc_obj_t node_of(hwloc_topology_t t, unsigned cpu)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, node)))
		if (hwloc_bitmap_isset(node->cpuset, cpu))
			return node;
	return NULL;
}

/* The next larger distance from @node than @than; 0: none. */
static uint64_t next_distance(const struct hwloc_distances_s *d, unsigned from, uint64_t than)
{
	uint64_t least = 0;

	for (unsigned i = 0; i < d->nbobjs; i++) {
		uint64_t value = d->values[from * d->nbobjs + i];

		if (value > than && (!least || value < least))
			least = value;
	}
	return least;
}

static void add_by_distance(struct list *l, const struct hwloc_distances_s *d, unsigned from)
{
	hwloc_bitmap_t span = hwloc_bitmap_alloc();
	uint64_t limit = d->values[from * d->nbobjs + from];

	while ((limit = next_distance(d, from, limit))) {
		hwloc_bitmap_zero(span);
		for (unsigned i = 0; i < d->nbobjs; i++)
			if (d->values[from * d->nbobjs + i] <= limit)
				hwloc_bitmap_or(span, span, d->objs[i]->cpuset);
		add(l, "NUMA", span);
	}
	hwloc_bitmap_free(span);
}

static void add_numa(hwloc_topology_t t, struct list *l, hwloc_obj_t node)
{
	struct hwloc_distances_s *d;
	unsigned count = 1, from = 0;

	if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &count, &d,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) ||
	    !count) {
		add(l, "NUMA", hwloc_get_root_obj(t)->cpuset);
		return;
	}
	while (from < d->nbobjs && d->objs[from] != node)
		from++;
	if (from < d->nbobjs)
		add_by_distance(l, d, from);
	hwloc_distances_release(t, d);
}

unsigned sched_domains(hwloc_topology_t t, unsigned cpu, struct sched_domain out[DOMAINS_MAX])
{
	struct list l = {out, 0};
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(t, cpu), core, cache, node;

	if (!pu)
		return 0;
	core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, pu);
	cache = last_level_cache(pu);
	node = node_of(t, cpu);
	if (core)
		add(&l, "SMT", core->cpuset);
	if (cache)
		add(&l, "MC", cache->cpuset);
	if (node) {
		add(&l, "PKG", node->cpuset);
		add_numa(t, &l, node);
	}
	return l.count;
}

void sched_domains_release(struct sched_domain *domains, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		hwloc_bitmap_free(domains[i].span);
}
