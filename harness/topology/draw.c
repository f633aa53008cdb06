// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc/cpukinds.h>

#include "topology/cluster_xml.h"
#include "topology/draw.h"

static unsigned inside(hwloc_topology_t t, hwloc_obj_t obj, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_inside_cpuset_by_type(t, obj->cpuset, type);

	return n > 0 ? (unsigned)n : 0;
}

void topology_shape(hwloc_topology_t t, struct strbuf *out)
{
	hwloc_obj_t first = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0), obj = NULL;
	bool even = true;

	if (!first)
		first = hwloc_get_root_obj(t);
	while ((obj = hwloc_get_next_obj_by_type(t, first->type, obj)))
		even &= inside(t, obj, HWLOC_OBJ_CORE) == inside(t, first, HWLOC_OBJ_CORE) &&
			inside(t, obj, HWLOC_OBJ_PU) == inside(t, first, HWLOC_OBJ_PU);
	if (even) {
		strbuf_addf(out, "%d x %uC/%uT", hwloc_get_nbobjs_by_type(t, first->type),
			    inside(t, first, HWLOC_OBJ_CORE), inside(t, first, HWLOC_OBJ_PU));
		return;
	}
	for (obj = first; obj; obj = hwloc_get_next_obj_by_type(t, first->type, obj))
		strbuf_addf(out, "%s%uC/%uT", obj == first ? "" : " + ",
			    inside(t, obj, HWLOC_OBJ_CORE), inside(t, obj, HWLOC_OBJ_PU));
}

static void add_cpus(hwloc_const_bitmap_t cpus, struct strbuf *out)
{
	char *list;

	hwloc_bitmap_list_asprintf(&list, cpus);
	strbuf_addf(out, "CPU%s %s", hwloc_bitmap_weight(cpus) == 1 ? "" : "s", list);
	free(list);
}

static void add_name(hwloc_obj_t obj, struct strbuf *out)
{
	char type[64];

	hwloc_obj_type_snprintf(type, sizeof(type), obj, 0);
	strbuf_addstr(out, obj->type == HWLOC_OBJ_GROUP && obj->subtype ? obj->subtype : type);
	if (obj->type != HWLOC_OBJ_MACHINE)
		strbuf_addf(out, " %u", obj->logical_index);
}

/* Nothing below but cores and what a core has for itself. */
static bool holds_cores(hwloc_topology_t t, hwloc_obj_t obj)
{
	const hwloc_obj_t c = obj->first_child;

	return !c || c->type == HWLOC_OBJ_CORE || c->type == HWLOC_OBJ_PU ||
	       c->type == HWLOC_OBJ_L1CACHE ||
	       (c->type == HWLOC_OBJ_L2CACHE && inside(t, c, HWLOC_OBJ_CORE) <= 1);
}

/* Where all CPUs below are of one kind, and the kinds differ in capacity. */
static void add_capacity(hwloc_topology_t t, hwloc_obj_t obj, struct strbuf *out)
{
	int kind = hwloc_cpukinds_get_by_cpuset(t, obj->cpuset, 0);
	struct hwloc_info_s *infos;
	unsigned count;

	if (kind < 0 || hwloc_cpukinds_get_info(t, (unsigned)kind, NULL, NULL, &count, &infos, 0))
		return;
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(infos[i].name, CAPACITY_INFO))
			strbuf_addf(out, ", capacity %s", infos[i].value);
}

static void add_cores(hwloc_topology_t t, hwloc_obj_t obj, struct strbuf *out)
{
	unsigned cores = inside(t, obj, HWLOC_OBJ_CORE), threads = inside(t, obj, HWLOC_OBJ_PU);

	if (cores && threads % cores == 0)
		strbuf_addf(out, ": %u core%s x %u thread%s", cores, cores == 1 ? "" : "s",
			    threads / cores, threads == cores ? "" : "s");
	else
		strbuf_addf(out, ": %u cores, %u threads", cores, threads);
}

static void draw(hwloc_topology_t t, hwloc_obj_t obj, unsigned depth, struct strbuf *out)
{
	bool last = holds_cores(t, obj);

	strbuf_addf(out, "%*s", (int)(2 * depth), "");
	add_name(obj, out);
	for (hwloc_obj_t node = obj->memory_first_child; node; node = node->next_sibling) {
		strbuf_addstr(out, ", ");
		add_name(node, out);
	}
	strbuf_addstr(out, "  ");
	add_cpus(obj->cpuset, out);
	if (last) {
		add_cores(t, obj, out);
		add_capacity(t, obj, out);
	}
	strbuf_addch(out, '\n');
	for (hwloc_obj_t c = obj->first_child; c && !last; c = c->next_sibling)
		draw(t, c, depth + 1, out);
}

void topology_draw(hwloc_topology_t t, struct strbuf *out)
{
	draw(t, hwloc_get_root_obj(t), 0, out);
}
