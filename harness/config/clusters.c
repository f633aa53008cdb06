// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "config/clusters.h"
#include "config/values.h"

/* Of a kernel's own scale, SCHED_CAPACITY_SCALE. */
enum { CAPACITY_MAX = 1024, CPUS_MAX = 255 };

bool cluster_has(const struct cpu_cluster *c, unsigned cpu)
{
	const char *p = c->cpus;

	for (;;) {
		char *end;
		unsigned long from = strtoul(p, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (cpu >= from && cpu <= to)
			return true;
		if (*end != ',')
			return false;
		p = end + 1;
	}
}

unsigned machine_cluster_of(const struct machine *m, unsigned cpu)
{
	unsigned i = 0;

	while (i < m->clusters_count && !cluster_has(&m->clusters[i], cpu))
		i++;
	return i;
}

static int check_cluster(const struct document *doc, const struct node *n,
			 const struct cpu_cluster *c, unsigned *highest, struct error *err)
{
	struct error reason = ERROR_INIT;

	if (is_location(c->cpus) || parse_cpu_list(c->cpus, highest, &reason))
		return document_error(
			doc, n, err, "'%.60s' is not a list of CPUs (write 1-2 or 0,3-5)", c->cpus);
	if (c->capacity < 1 || c->capacity > CAPACITY_MAX)
		return document_error(doc, n, err, "'capacity' must be 1 to %d, not %u",
				      CAPACITY_MAX, c->capacity);
	return 0;
}

static int check_coverage(const struct document *doc, const struct node *list,
			  const struct machine *m, unsigned cpus, struct error *err)
{
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		unsigned owners = 0;

		for (unsigned i = 0; i < m->clusters_count; i++)
			owners += cluster_has(&m->clusters[i], cpu);
		if (owners != 1)
			return document_error(doc, list, err,
					      "CPU %u is in %u clusters (each of 0 to %u has to be "
					      "in one)",
					      cpu, owners, cpus - 1);
	}
	return 0;
}

static int check_clusters(const struct document *doc, struct machine *m, struct error *err)
{
	const struct node *list = node_get(doc->root, "clusters");
	unsigned last = 0, best = 0;

	for (unsigned i = 0; i < m->clusters_count; i++) {
		unsigned highest;

		if (check_cluster(doc, list->items[i], &m->clusters[i], &highest, err))
			return -1;
		last = highest > last ? highest : last;
		best = m->clusters[i].capacity > best ? m->clusters[i].capacity : best;
	}
	if (last >= CPUS_MAX)
		return document_error(doc, list, err, "%u CPUs are too many (at most %d)", last + 1,
				      CPUS_MAX);
	if (best != CAPACITY_MAX)
		return document_error(doc, list, err,
				      "the largest capacity is %u and has to be %d, that of the "
				      "fastest CPUs",
				      best, CAPACITY_MAX);
	m->topology = (struct topology){
		.packages = 1, .dies = 1, .cores = last + 1, .threads = 1, .nodes = 1};
	return check_coverage(doc, list, m, last + 1, err);
}

int clusters_check(const struct document *doc, struct machine *m, struct error *err)
{
	const struct node *list = node_get(doc->root, "clusters");
	const struct node *topology = node_get(doc->root, "topology");
	const struct node *shared = node_get(doc->root, "shared_cache");

	if (m->time == TIME_VIRTUAL && m->accel == ACCEL_KVM)
		return document_error(doc, node_get(doc->root, "time"), err,
				      "virtual time needs an emulated CPU (leave 'accel' out)");
	if (m->arch != ARCH_ARM64) {
		const struct node *n = list ? list : shared;

		return n ? document_error(doc, n, err, "'%s' needs 'arch: arm64'", n->key) : 0;
	}
	if (topology)
		return document_error(doc, topology, err,
				      "a machine of arch arm64 has 'clusters', no 'topology'");
	if (!list)
		return document_error(doc, doc->root, err,
				      "key 'clusters' is missing (such as [{cpus: 0-3, capacity: "
				      "1024}])");
	if (m->accel == ACCEL_KVM)
		return document_error(doc, node_get(doc->root, "accel"), err,
				      "machines of arch arm64 are emulated (leave 'accel' out)");
	return check_clusters(doc, m, err);
}

void clusters_free(struct machine *m)
{
	for (unsigned i = 0; i < m->clusters_count; i++)
		free(m->clusters[i].cpus);
	free(m->clusters);
}
