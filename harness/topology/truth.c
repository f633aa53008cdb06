// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <hwloc/cpukinds.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cluster_xml.h"
#include "topology/domains.h"
#include "topology/truth.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

static const hwloc_obj_type_t compared[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE,
					    HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE, HWLOC_OBJ_PU};

static void list_objects(hwloc_topology_t t, hwloc_obj_type_t type, struct strbuf *out)
{
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_type(t, type, obj))) {
		char *list;

		hwloc_bitmap_list_asprintf(&list, obj->cpuset);
		strbuf_addf(out, "%s%s", out->len ? " " : "", list);
		free(list);
	}
}

static int compare_type(hwloc_topology_t want, hwloc_topology_t have, hwloc_obj_type_t type,
			struct error *err)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	int ret = 0;

	list_objects(want, type, &a);
	list_objects(have, type, &b);
	if (strcmp(a.buf, b.buf))
		ret = error_set(err, ERROR_FAILED,
				"the guest's topology is not the profile's: CPUs of each %s are "
				"%.300s instead of %.300s",
				hwloc_obj_type_string(type), b.len ? b.buf : "none",
				a.len ? a.buf : "none");
	strbuf_release(&a);
	strbuf_release(&b);
	return ret;
}

/* "1024" of each CPU, in the order of their numbers; "" for one whose capacity is not told. */
static void list_capacities(hwloc_topology_t t, struct strbuf *out)
{
	hwloc_bitmap_t one = hwloc_bitmap_alloc();
	int cpu;

	hwloc_bitmap_foreach_begin(cpu, hwloc_topology_get_topology_cpuset(t))
	{
		struct hwloc_info_s *infos = NULL;
		unsigned count = 0;
		int kind;

		hwloc_bitmap_only(one, (unsigned)cpu);
		kind = hwloc_cpukinds_get_by_cpuset(t, one, 0);
		if (kind >= 0)
			hwloc_cpukinds_get_info(t, (unsigned)kind, NULL, NULL, &count, &infos, 0);
		strbuf_addstr(out, out->len ? " " : "");
		for (unsigned i = 0; i < count; i++)
			if (!strcmp(infos[i].name, CAPACITY_INFO))
				strbuf_addstr(out, infos[i].value);
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(one);
}

/* A guest that tells none has CPUs of one capacity. */
static int compare_capacities(hwloc_topology_t want, hwloc_topology_t have, struct error *err)
{
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	int ret = 0;

	list_capacities(want, &a);
	list_capacities(have, &b);
	if (hwloc_cpukinds_get_nr(want, 0) > 1 && strcmp(a.buf, b.buf))
		ret = error_set(err, ERROR_FAILED,
				"the guest's CPUs are not the profile's: capacities are '%.300s' "
				"instead of '%.300s'",
				b.buf, a.buf);
	strbuf_release(&a);
	strbuf_release(&b);
	return ret;
}

int truth_topology(hwloc_topology_t expected, const char *xml, struct error *err)
{
	hwloc_topology_t guest;
	int ret = 0;

	if (hwloc_topology_init(&guest))
		return error_set(err, ERROR_FAILED, "cannot prepare a topology");
	if (hwloc_topology_set_xmlbuffer(guest, xml, (int)strlen(xml) + 1) ||
	    hwloc_topology_load(guest)) {
		hwloc_topology_destroy(guest);
		return error_set(err, ERROR_FAILED, "the guest's topology cannot be read");
	}
	for (size_t i = 0; !ret && i < sizeof(compared) / sizeof(compared[0]); i++)
		ret = compare_type(expected, guest, compared[i], err);
	/* Synthetic topologies leave the second level out. */
	if (!ret && hwloc_get_nbobjs_by_type(expected, HWLOC_OBJ_L2CACHE) > 0)
		ret = compare_type(expected, guest, HWLOC_OBJ_L2CACHE, err);
	if (!ret)
		ret = compare_capacities(expected, guest, err);
	hwloc_topology_destroy(guest);
	return ret;
}

/* The mask of a domain line. */
static bool read_span(const char *line, hwloc_bitmap_t span)
{
	char digits[2048];
	size_t n = 0;

	line += strcspn(line, " ");
	line += strspn(line, " ");
	/* Version 17 puts the domain's name first. */
	if (isupper((unsigned char)*line)) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	for (; isxdigit((unsigned char)*line) || *line == ','; line++) {
		if (*line == ',')
			continue;
		if (n + 1 == sizeof(digits))
			return false;
		digits[n++] = *line;
	}
	digits[n] = '\0';
	return n && *line == ' ' && !hwloc_bitmap_taskset_sscanf(span, digits);
}

/* The spans that the lines of one CPU name, and those expected, as text. */
static int compare_cpu(hwloc_topology_t expected, unsigned cpu, const char *lines,
		       struct error *err)
{
	struct sched_domain domains[DOMAINS_MAX];
	unsigned count = sched_domains(expected, cpu, domains);
	struct strbuf want = STRBUF_INIT, have = STRBUF_INIT;
	hwloc_bitmap_t span = hwloc_bitmap_alloc();
	char *list;
	int ret = 0;

	for (unsigned i = 0; i < count; i++) {
		hwloc_bitmap_list_asprintf(&list, domains[i].span);
		strbuf_addf(&want, " %s(%s)", domains[i].name, list);
		free(list);
	}
	for (unsigned i = 0; !strncmp(lines, "domain", 6); i++) {
		if (read_span(lines, span)) {
			hwloc_bitmap_list_asprintf(&list, span);
			strbuf_addf(&have, " %s(%s)",
				    i < count && hwloc_bitmap_isequal(span, domains[i].span)
					    ? domains[i].name
					    : "domain",
				    list);
			free(list);
		}
		lines += strcspn(lines, "\n");
		lines += *lines == '\n';
	}
	if (strcmp(want.buf, have.buf))
		ret = error_set(err, ERROR_FAILED,
				"the guest's sched domains are not the profile's: CPU %u "
				"has%.300s instead of%.300s",
				cpu, have.len ? have.buf : " none", want.len ? want.buf : " none");
	sched_domains_release(domains, count);
	hwloc_bitmap_free(span);
	strbuf_release(&want);
	strbuf_release(&have);
	return ret;
}

int truth_domains(hwloc_topology_t expected, const char *schedstat, struct error *err)
{
	for (const char *p = schedstat; *p;) {
		const char *next = p + strcspn(p, "\n");
		unsigned long cpu;
		char *end;

		next += *next == '\n';
		if (!strncmp(p, "cpu", 3) && isdigit((unsigned char)p[3])) {
			cpu = strtoul(p + 3, &end, 10);
			if (*end == ' ' && compare_cpu(expected, (unsigned)cpu, next, err))
				return -1;
		}
		p = next;
	}
	return 0;
}
