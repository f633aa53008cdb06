// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "number.h"
#include "place.h"
#include "sysfile.h"

static const char *const bind_names[] = {"none", "spread", "pack", NULL};

const struct option_spec place_option_table[] = {
	{.name = "cpus",
	 .type = OPTION_STRING,
	 .offset = offsetof(struct place_options, cpus),
	 .help = "run on these CPUs only, a list like 0-3,7 (default: those the caller may use)"},
	{.name = "membind",
	 .type = OPTION_STRING,
	 .offset = offsetof(struct place_options, membind),
	 .help = "take memory from these nodes only, a list like 0,1 (default: the caller's "
		 "policy)"},
	{.name = "bind",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct place_options, bind),
	 .preset = "none",
	 .choices = bind_names,
	 .help = "bind each worker to one CPU: far from each other, close together, or not at all"},
	OPTION_END,
};

/* Where a CPU sits; smaller numbers of one level are the same unit. */
struct spot {
	int cpu, node, llc, core;
	int llc_rank, core_rank, smt_rank; /* position within the unit above */
};

static int first_of_list(const char *path, int fallback)
{
	struct cpumask mask;
	struct error ignored;
	char text[4096];

	if (sysfile_read(path, text, sizeof(text)) || cpumask_parse(path, text, &mask, &ignored))
		return fallback;
	return cpumask_first(&mask);
}

/*
 * The folder of the cache of the highest level that @cpu has, "" if there is none. Not "index3":
 * there are machines whose last level is the second.
 */
static const char *llc_folder(const char *sys, int cpu, char *path, size_t size)
{
	int best = -1;
	int64_t best_level = 0;

	for (int i = 0; i < 16; i++) {
		int64_t level;

		snprintf(path, size, "%s/cpu/cpu%d/cache/index%d/level", sys, cpu, i);
		if (sysfile_number(path, &level))
			break;
		if (level >= best_level) {
			best_level = level;
			best = i;
		}
	}
	path[0] = 0;
	if (best >= 0)
		snprintf(path, size, "%s/cpu/cpu%d/cache/index%d", sys, cpu, best);
	return path;
}

/* The first CPU that shares the last-level cache, or else the package, with @cpu. */
static int llc_of(const char *sys, int cpu)
{
	char folder[512], path[600];

	if (llc_folder(sys, cpu, folder, sizeof(folder))[0])
		snprintf(path, sizeof(path), "%s/shared_cpu_list", folder);
	else
		snprintf(path, sizeof(path), "%s/cpu/cpu%d/topology/core_siblings_list", sys, cpu);
	return first_of_list(path, cpu);
}

int64_t place_cache_bytes(const char *sys, const struct cpumask *mask)
{
	char folder[512], path[600], text[64];
	struct cpumask counted = {{0}};
	int64_t sum = 0, size;
	struct error ignored;

	for (int cpu = cpumask_first(mask); cpu >= 0; cpu = cpumask_next(mask, cpu)) {
		int llc = llc_of(sys, cpu);

		snprintf(path, sizeof(path), "%s/size",
			 llc_folder(sys, cpu, folder, sizeof(folder)));
		if (cpumask_has(&counted, llc))
			continue;
		cpumask_add(&counted, llc);
		if (!folder[0] || sysfile_read(path, text, sizeof(text)) ||
		    number_size(path, text, 1, INT64_MAX, &size, &ignored))
			return 0;
		sum += size;
	}
	return sum;
}

static int node_of(const char *sys, int cpu)
{
	char path[512];

	for (int node = 0; node < 1024; node++) {
		snprintf(path, sizeof(path), "%s/cpu/cpu%d/node%d", sys, cpu, node);
		if (!access(path, F_OK))
			return node;
	}
	return 0;
}

static int compare_pack(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->llc != y->llc)
		return x->llc < y->llc ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int compare_spread(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->smt_rank != y->smt_rank)
		return x->smt_rank < y->smt_rank ? -1 : 1;
	if (x->core_rank != y->core_rank)
		return x->core_rank < y->core_rank ? -1 : 1;
	if (x->llc_rank != y->llc_rank)
		return x->llc_rank < y->llc_rank ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* @spots is sorted for packing: number the units within the unit above them. */
static void rank_spots(struct spot *spots, int n)
{
	for (int i = 1; i < n; i++) {
		struct spot *s = &spots[i];
		const struct spot *before = &spots[i - 1];

		if (s->node != before->node)
			continue;
		s->llc_rank = before->llc_rank + (s->llc != before->llc);
		if (s->llc != before->llc)
			continue;
		s->core_rank = before->core_rank + (s->core != before->core);
		if (s->core == before->core)
			s->smt_rank = before->smt_rank + 1;
	}
}

/* The CPUs of @mask, sorted for packing and ranked; NULL if there is no memory. */
static struct spot *survey(const char *sys, const struct cpumask *mask, int n)
{
	struct spot *spots = calloc((size_t)n, sizeof(*spots));
	char path[512];
	int i = 0;

	for (int cpu = cpumask_first(mask); spots && cpu >= 0; cpu = cpumask_next(mask, cpu)) {
		snprintf(path, sizeof(path), "%s/cpu/cpu%d/topology/thread_siblings_list", sys,
			 cpu);
		spots[i++] = (struct spot){.cpu = cpu,
					   .node = node_of(sys, cpu),
					   .llc = llc_of(sys, cpu),
					   .core = first_of_list(path, cpu)};
	}
	if (spots) {
		qsort(spots, (size_t)n, sizeof(*spots), compare_pack);
		rank_spots(spots, n);
	}
	return spots;
}

int place_order(const char *sys, const struct cpumask *mask, enum bind bind, int *order,
		struct error *err)
{
	int n = cpumask_count(mask);
	struct spot *spots = survey(sys, mask, n);

	if (!spots)
		return error_sys(err, ENOMEM, "cannot list %d CPUs", n);
	if (bind == BIND_SPREAD)
		qsort(spots, (size_t)n, sizeof(*spots), compare_spread);
	for (int i = 0; i < n; i++)
		order[i] = spots[i].cpu;
	free(spots);
	return 0;
}

static enum pair distance(const struct spot *a, const struct spot *b)
{
	if (a->node != b->node)
		return PAIR_FAR;
	if (a->llc != b->llc)
		return PAIR_NODE;
	if (a->core != b->core)
		return PAIR_LLC;
	return a->cpu != b->cpu ? PAIR_SMT : PAIR_CPU;
}

int place_pair(const char *sys, const struct cpumask *mask, enum pair pair, int cpus[2],
	       struct error *err)
{
	static const char *const what[] = {
		[PAIR_FREE] = "any CPUs",
		[PAIR_CPU] = "any CPU",
		[PAIR_SMT] = "two hardware threads of a core",
		[PAIR_LLC] = "two cores of a last-level cache",
		[PAIR_NODE] = "two last-level caches of a node",
		[PAIR_FAR] = "two nodes",
	};
	int n = cpumask_count(mask);
	struct spot *spots = survey(sys, mask, n);
	bool found = false;

	if (!spots)
		return error_sys(err, ENOMEM, "cannot list %d CPUs", n);
	for (int i = 0; i < n && !found; i++) {
		for (int j = i; j < n && !found; j++) {
			found = distance(&spots[i], &spots[j]) == pair;
			cpus[0] = spots[i].cpu;
			cpus[1] = spots[j].cpu;
		}
	}
	free(spots);
	if (!found)
		return error_set(err, ERROR_USAGE, "there are not %s among the CPUs", what[pair]);
	return 0;
}

static int set_cpus(struct place *place, const char *list, struct error *err)
{
	if (!list)
		return cpumask_get_affinity(0, &place->allowed, err);
	if (cpumask_parse("--cpus", list, &place->allowed, err))
		return -1;
	return cpumask_set_affinity(&place->allowed, err);
}

static int set_memory(const char *list, struct error *err)
{
	struct cpumask asked, got = {{0}};
	int mode = -1;

	if (!list)
		return 0;
	if (cpumask_parse("--membind", list, &asked, err))
		return -1;
	if (syscall(SYS_set_mempolicy, MPOL_BIND, asked.words, CPUMASK_BITS)) {
		if (errno == ENOSYS || errno == EINVAL)
			return error_set(err, ERROR_USAGE,
					 "--membind: memory cannot be taken from '%s'"
					 " (%s)",
					 list,
					 errno == ENOSYS
						 ? "the kernel has no memory policies"
						 : "no such node with memory inside the cpuset");
		return error_sys(err, errno, "--membind");
	}
	if (syscall(SYS_get_mempolicy, &mode, got.words, CPUMASK_BITS, NULL, 0UL))
		return error_sys(err, errno, "--membind: cannot read the policy back");
	if (mode != MPOL_BIND || !cpumask_equal(&asked, &got))
		return error_set(err, ERROR_USAGE,
				 "--membind: only a part of '%s' has memory inside the cpuset",
				 list);
	return 0;
}

/* The line of the unified hierarchy, or of the cpu controller where version 1 has it. */
static void read_cgroup(char *buf, size_t size)
{
	char line[512];
	FILE *f = fopen("/proc/self/cgroup", "re");

	buf[0] = 0;
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;
		bool v1 = path && (strstr(names, ":cpu:") == names ||
				   strstr(names, ":cpu,") == names || strstr(names, ",cpu:"));

		if (!path || (!v1 && (names[1] != ':' || buf[0])))
			continue;
		snprintf(buf, size, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
	}
	fclose(f);
}

int place_init(struct place *place, const struct place_options *opt, struct error *err)
{
	memset(place, 0, sizeof(*place));
	if (set_cpus(place, opt->cpus, err) || set_memory(opt->membind, err))
		return -1;
	place->online_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	place->bind = (enum bind)opt->bind;
	read_cgroup(place->cgroup, sizeof(place->cgroup));
	place->norder = cpumask_count(&place->allowed);
	place->order = calloc((size_t)place->norder, sizeof(int));
	if (!place->order)
		return error_sys(err, ENOMEM, "cannot list the CPUs");
	return place_order("/sys/devices/system", &place->allowed, place->bind, place->order, err);
}

void place_release(struct place *place)
{
	free(place->order);
	place->order = NULL;
}

int place_bind_worker(const struct place *place, unsigned index, struct error *err)
{
	struct cpumask mask = {{0}};

	if (place->bind == BIND_NONE)
		return 0;
	cpumask_add(&mask, place->order[index % (unsigned)place->norder]);
	return cpumask_set_affinity(&mask, err);
}
