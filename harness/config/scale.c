// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config/config.h"
#include "config/scale.h"
#include "config/values.h"
#include "util/xalloc.h"

enum { TCG_MAX_CPUS = 255 }; /* of QEMU 7.2, which refuses 256 */

static unsigned topology_cpus(const struct topology *t)
{
	return t->packages * t->dies * t->cores * t->threads;
}

unsigned machine_cpus(const struct machine *m)
{
	return m->type == MACHINE_HOST ? sysconf(_SC_NPROCESSORS_ONLN)
				       : topology_cpus(&m->topology);
}

bool topology_nodes_fit(const struct topology *t)
{
	unsigned per_package;

	if (t->nodes <= t->packages)
		return t->packages % t->nodes == 0;
	if (t->nodes % t->packages)
		return false;
	per_package = t->nodes / t->packages;
	if (per_package <= t->dies)
		return t->dies % per_package == 0;
	return per_package % t->dies == 0 && t->cores % (per_package / t->dies) == 0;
}

unsigned topology_distance(const struct topology *t, unsigned a, unsigned b)
{
	unsigned each = t->nodes > t->packages ? t->nodes / t->packages : 1;

	if (a == b)
		return 10;
	return a / each == b / each ? t->near : t->far;
}

/* Arrange @cores per package with as many of the dies kept as possible. */
static bool arrange(const struct topology *full, unsigned cores, struct topology *out)
{
	for (unsigned dies = full->dies; dies; dies--) {
		if (cores % dies || cores / dies > full->cores)
			continue;
		*out = *full;
		out->dies = dies;
		out->cores = cores / dies;
		if (topology_nodes_fit(out))
			return true;
	}
	return false;
}

static unsigned gcd(unsigned a, unsigned b)
{
	return b ? gcd(b, a % b) : a;
}

struct fraction {
	unsigned num, den;
};

static struct fraction fraction_of(const struct topology *full, unsigned cores)
{
	unsigned all = full->dies * full->cores;
	unsigned g = gcd(cores, all);

	return (struct fraction){cores / g, all / g};
}

static struct fraction smallest_scale(const struct topology *full)
{
	struct topology t;
	unsigned cores = 1;

	while (cores < full->dies * full->cores && !arrange(full, cores, &t))
		cores++;
	return fraction_of(full, cores);
}

/* 0/1: even the smallest has too many CPUs. */
static struct fraction largest_scale(const struct topology *full, unsigned max_cpus)
{
	for (unsigned cores = full->dies * full->cores; cores; cores--) {
		struct topology t;

		if (arrange(full, cores, &t) && topology_cpus(&t) <= max_cpus)
			return fraction_of(full, cores);
	}
	return (struct fraction){0, 1};
}

int machine_check_tcg(const struct machine *m, struct error *err)
{
	struct fraction f;

	if (m->type != MACHINE_QEMU || machine_cpus(m) <= TCG_MAX_CPUS)
		return 0;
	f = largest_scale(&m->full, TCG_MAX_CPUS);
	if (!f.num)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' has %u CPUs and TCG carries at most %d, whatever "
				 "the scale (use KVM or fewer packages)",
				 m->name, machine_cpus(m), TCG_MAX_CPUS);
	return error_set(err, ERROR_USAGE,
			 "machine '%s' has %u CPUs and TCG carries at most %d (the largest scale "
			 "that fits is %u/%u)",
			 m->name, machine_cpus(m), TCG_MAX_CPUS, f.num, f.den);
}

static int cannot_scale(const struct machine *m, const char *scale, struct error *err)
{
	struct fraction f = smallest_scale(&m->full);

	return error_set(err, ERROR_USAGE,
			 "scale '%s' leaves no whole topology of machine '%s' with its %u die%s of "
			 "%u cores in each of %u package%s and %u node%s (the smallest that fits "
			 "is %u/%u)",
			 scale, m->name, m->full.dies, m->full.dies == 1 ? "" : "s", m->full.cores,
			 m->full.packages, m->full.packages == 1 ? "" : "s", m->full.nodes,
			 m->full.nodes == 1 ? "" : "s", f.num, f.den);
}

int machine_scale(struct machine *m, const char *scale, struct error *err)
{
	unsigned num, den, cores;

	if (parse_scale(scale, &num, &den, err))
		return -1;
	if (m->type == MACHINE_HOST)
		return num == den ? 0
				  : error_set(err, ERROR_USAGE,
					      "scale '%s' needs an emulated machine, '%s' is real "
					      "(leave it out)",
					      scale, m->name);
	if (m->clusters)
		return num == den ? 0
				  : error_set(err, ERROR_USAGE,
					      "scale '%s': machine '%s' has clusters, which are "
					      "written out (leave it out)",
					      scale, m->name);
	cores = m->full.dies * m->full.cores;
	/* A 32 bit product: at most 4096 cores times 65536. */
	if (cores * num % den || !arrange(&m->full, cores * num / den, &m->topology))
		return cannot_scale(m, scale, err);
	free(m->scale);
	m->scale = xstrdup(scale);
	return m->accel == ACCEL_TCG ? machine_check_tcg(m, err) : 0;
}
