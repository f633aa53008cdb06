// SPDX-License-Identifier: GPL-2.0-or-later
#include <hwloc.h>
#include <stdlib.h>

#include "topology/cluster_xml.h"

static void add_sets(hwloc_const_bitmap_t cpus, struct strbuf *out)
{
	char *set;

	hwloc_bitmap_asprintf(&set, cpus);
	strbuf_addf(out,
		    " cpuset=\"%s\" complete_cpuset=\"%s\" nodeset=\"0x1\" "
		    "complete_nodeset=\"0x1\"",
		    set, set);
	free(set);
}

static void open_object(const char *type, unsigned number, hwloc_const_bitmap_t cpus,
			struct strbuf *out)
{
	strbuf_addf(out, "<object type=\"%s\" os_index=\"%u\" gp_index=\"%zu\"", type, number,
		    out->len);
	add_sets(cpus, out);
}

static void add_core(unsigned cpu, struct strbuf *out)
{
	hwloc_bitmap_t one = hwloc_bitmap_alloc();

	hwloc_bitmap_only(one, cpu);
	open_object("Core", cpu, one, out);
	strbuf_addstr(out, ">");
	open_object("PU", cpu, one, out);
	strbuf_addstr(out, "/></object>\n");
	hwloc_bitmap_free(one);
}

static void add_cores(hwloc_const_bitmap_t cpus, struct strbuf *out)
{
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, cpus) add_core((unsigned)cpu, out);
	hwloc_bitmap_foreach_end();
}

static void open_cache(unsigned number, hwloc_const_bitmap_t cpus, struct strbuf *out)
{
	open_object("L2Cache", number, cpus, out);
	strbuf_addstr(out, " cache_size=\"2097152\" depth=\"2\" cache_linesize=\"64\" "
			   "cache_associativity=\"16\" cache_type=\"0\">\n");
}

/* With a cache of their own, or as a group below the shared one. */
static void add_cluster(const struct machine *m, unsigned number, hwloc_const_bitmap_t cpus,
			struct strbuf *out)
{
	if (m->shared_cache) {
		open_object("Group", number, cpus, out);
		strbuf_addstr(out, " kind=\"1002\" subkind=\"0\" subtype=\"Cluster\">\n");
	} else {
		open_cache(number, cpus, out);
	}
	add_cores(cpus, out);
	strbuf_addstr(out, "</object>\n");
}

/* In the order of their first CPUs, which hwloc wants. */
static void add_clusters(const struct machine *m, hwloc_const_bitmap_t all, struct strbuf *out)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	if (m->shared_cache)
		open_cache(0, all, out);
	for (unsigned cpu = 0; cpu < machine_cpus(m); cpu++) {
		unsigned i = machine_cluster_of(m, cpu);

		hwloc_bitmap_list_sscanf(cpus, m->clusters[i].cpus);
		if (hwloc_bitmap_first(cpus) == (int)cpu)
			add_cluster(m, i, cpus, out);
	}
	if (m->shared_cache)
		strbuf_addstr(out, "</object>\n");
	hwloc_bitmap_free(cpus);
}

static void add_kinds(const struct machine *m, struct strbuf *out)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	for (unsigned i = 0; i < m->clusters_count; i++) {
		char *set;

		hwloc_bitmap_list_sscanf(cpus, m->clusters[i].cpus);
		hwloc_bitmap_asprintf(&set, cpus);
		strbuf_addf(out,
			    "<cpukind cpuset=\"%s\"><info name=\"" CAPACITY_INFO
			    "\" value=\"%u\"/></cpukind>\n",
			    set, m->clusters[i].capacity);
		free(set);
	}
	hwloc_bitmap_free(cpus);
}

void cluster_xml(const struct machine *m, struct strbuf *out)
{
	hwloc_bitmap_t all = hwloc_bitmap_alloc();
	char *set;

	hwloc_bitmap_set_range(all, 0, (int)machine_cpus(m) - 1);
	hwloc_bitmap_asprintf(&set, all);
	strbuf_addstr(out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n");
	open_object("Machine", 0, all, out);
	strbuf_addf(out, " allowed_cpuset=\"%s\" allowed_nodeset=\"0x1\">\n", set);
	open_object("NUMANode", 0, all, out);
	strbuf_addf(out, " local_memory=\"%llu\"/>\n", (unsigned long long)m->memory_mb << 20);
	open_object("Package", 0, all, out);
	strbuf_addstr(out, ">\n");
	add_clusters(m, all, out);
	strbuf_addstr(out, "</object>\n</object>\n");
	add_kinds(m, out);
	strbuf_addstr(out, "</topology>\n");
	free(set);
	hwloc_bitmap_free(all);
}
