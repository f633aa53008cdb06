// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/schedstat.h"

#define CPU_NUMBERS  9 /* on a mainline kernel, versions 15 to 17 */
#define SIS_NUMBERS  19 /* with all that configs/kernels/patches/sis-schedstat-*.patch add */
#define TYPES	     3
#define TYPE_NUMBERS 11 /* of one idle type, version 17; 8 before */

/*
 * Numbers of a cpu line, counted from 0. The patches of 2020 append four, six or eight of the SIS
 * numbers and call that versions 16 to 18. Ours append ten, and leave the version to the domain
 * lines.
 */
enum {
	CPU_SCHEDULE = 2,
	CPU_GOIDLE = 3,
	CPU_TTWU = 4,
	CPU_TTWU_LOCAL = 5,
	CPU_RUN_TIME = 6,
	CPU_RUN_DELAY = 7,
	CPU_TIMESLICES = 8,
	SIS_SEARCH = 9,
	SIS_DOMAIN_SEARCH = 10,
	SIS_SCANNED = 11,
	SIS_FAILED = 12,
	SIS_RECENT_HIT = 13,
	SIS_RECENT_MISS = 14,
	SIS_CORE_SEARCH = 15,
	SIS_CORE_MISS = 16,
	SIS_ABORTED = 17,
	SIS_FAST_HIT = 18,
};

enum idle_type { BUSY, IDLE, NEWIDLE };

/* Where a version keeps the counters of load_balance() in a domain line. */
struct domain_layout {
	int version;
	unsigned per_type; /* numbers of one idle type */
	unsigned gained; /* place of lb_gained within a type; lb_count is 0, lb_failed 2 */
	enum idle_type order[TYPES];
	bool named; /* the domain's name stands before its CPU mask */
};

static const struct domain_layout layouts[] = {
	{15, 8, 4, {IDLE, BUSY, NEWIDLE}, false},
	{16, 8, 4, {BUSY, IDLE, NEWIDLE}, false},
	{17, 11, 7, {BUSY, IDLE, NEWIDLE}, true},
};

/* One snapshot, summed over its CPUs. */
struct snapshot {
	int version;
	unsigned cpus;
	unsigned cpu_numbers;
	uint64_t cpu[SIS_NUMBERS];
	uint64_t balance[TYPES][3]; /* lb_count, lb_failed, lb_gained */
};

static int parse_number(const char **p, uint64_t *out)
{
	char *end;

	while (**p == ' ')
		(*p)++;
	if (!isdigit((unsigned char)**p))
		return -1;
	errno = 0;
	*out = strtoull(*p, &end, 10);
	if (errno || (*end && *end != ' ' && *end != '\n'))
		return -1;
	*p = end;
	return 0;
}

static int parse_cpu(const char *line, struct snapshot *s, struct error *err)
{
	const char *p = line + strcspn(line, " \n");
	uint64_t value;
	unsigned n = 0;

	while (n < SIS_NUMBERS && !parse_number(&p, &value))
		s->cpu[n++] += value;
	if (n < CPU_NUMBERS)
		return error_set(err, ERROR_FAILED,
				 "schedstat: cpu line with %u numbers (at least %d are known)", n,
				 CPU_NUMBERS);
	if (s->cpus && n != s->cpu_numbers)
		return error_set(err, ERROR_FAILED, "schedstat: cpu lines of different length");
	s->cpu_numbers = n;
	s->cpus++;
	return 0;
}

static const struct domain_layout *layout_of(int version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

/* With the SIS patches of 2020 the version is theirs, not that of the domain lines. */
static bool knows_domains(const struct snapshot *s)
{
	return layout_of(s->version) &&
	       (s->cpu_numbers == CPU_NUMBERS || s->cpu_numbers == SIS_NUMBERS);
}

/* Skip "domainN", with version 17 its name, and the CPU mask. */
static const char *skip_words(const char *line, unsigned words)
{
	while (words--) {
		line += strcspn(line, " \n");
		line += strspn(line, " ");
	}
	return line;
}

static int parse_domain(const char *line, struct snapshot *s, struct error *err)
{
	const struct domain_layout *l = layout_of(s->version);
	uint64_t n[TYPES * TYPE_NUMBERS];
	const char *p;

	if (!knows_domains(s))
		return 0;
	p = skip_words(line, l->named ? 3 : 2);
	for (unsigned i = 0; i < TYPES * l->per_type; i++)
		if (parse_number(&p, &n[i]))
			return error_set(err, ERROR_FAILED,
					 "schedstat: domain line of version %d with %u numbers",
					 s->version, i);
	for (unsigned t = 0; t < TYPES; t++) {
		s->balance[l->order[t]][0] += n[t * l->per_type];
		s->balance[l->order[t]][1] += n[t * l->per_type + 2];
		s->balance[l->order[t]][2] += n[t * l->per_type + l->gained];
	}
	return 0;
}

static int parse(const char *text, struct snapshot *s, struct error *err)
{
	memset(s, 0, sizeof(*s));
	if (sscanf(text, "version %d", &s->version) != 1)
		return error_set(err, ERROR_FAILED, "schedstat: no version line");
	if (s->version < 15 || s->version > 18)
		return error_set(err, ERROR_FAILED,
				 "schedstat: version %d is not known (15 to 18 are)", s->version);
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "cpu", 3) && parse_cpu(line, s, err))
			return -1;
		if (!strncmp(line, "domain", 6) && parse_domain(line, s, err))
			return -1;
	}
	if (!s->cpus)
		return error_set(err, ERROR_FAILED, "schedstat: no cpu line");
	return 0;
}

static void add(struct schedstat_delta *d, const char *name, double value)
{
	d->counters[d->count++] = (struct schedstat_counter){name, value};
}

static void add_cpu(struct schedstat_delta *d, const double *n)
{
	add(d, "TTWU Count", n[CPU_TTWU]);
	add(d, "TTWU Local", n[CPU_TTWU_LOCAL]);
	add(d, "Schedule Count", n[CPU_SCHEDULE]);
	add(d, "Schedule Idle", n[CPU_GOIDLE]);
	add(d, "Run Time sec", n[CPU_RUN_TIME] / 1e9);
	add(d, "Run Delay sec", n[CPU_RUN_DELAY] / 1e9);
	add(d, "Timeslices", n[CPU_TIMESLICES]);
}

static void add_sis(struct schedstat_delta *d, const double *n, unsigned numbers)
{
	add(d, "SIS Search", n[SIS_SEARCH]);
	add(d, "SIS Domain Search", n[SIS_DOMAIN_SEARCH]);
	add(d, "SIS Scanned", n[SIS_SCANNED]);
	add(d, "SIS Domain Scanned", n[SIS_SCANNED] - (n[SIS_SEARCH] - n[SIS_DOMAIN_SEARCH]));
	add(d, "SIS Failures", n[SIS_FAILED]);
	if (numbers > SIS_CORE_MISS) {
		add(d, "SIS Core Search", n[SIS_CORE_SEARCH]);
		add(d, "SIS Core Hit", n[SIS_CORE_SEARCH] - n[SIS_CORE_MISS]);
		add(d, "SIS Core Miss", n[SIS_CORE_MISS]);
	}
	if (numbers > SIS_RECENT_MISS) {
		add(d, "SIS Recent Used Hit", n[SIS_RECENT_HIT]);
		add(d, "SIS Recent Used Miss", n[SIS_RECENT_MISS]);
		add(d, "SIS Recent Attempts", n[SIS_RECENT_HIT] + n[SIS_RECENT_MISS]);
	}
	if (numbers > SIS_FAST_HIT) {
		add(d, "SIS Aborted", n[SIS_ABORTED]);
		add(d, "SIS Fast Hit", n[SIS_FAST_HIT]);
	}
}

static double find_or(const struct schedstat_counter *counts, unsigned n, const char *name,
		      double otherwise)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(counts[i].name, name))
			return counts[i].value;
	return otherwise;
}

static double find(const struct schedstat_counter *counts, unsigned n, const char *name)
{
	return find_or(counts, n, name, 0);
}

static void add_rate(struct schedstat_counter *out, unsigned *n, const char *name, double part,
		     double whole)
{
	if (whole > 0)
		out[(*n)++] = (struct schedstat_counter){name, 100.0 * part / whole};
}

unsigned schedstat_rates(const struct schedstat_counter *counts, unsigned n,
			 struct schedstat_counter *out)
{
	double search = find(counts, n, "SIS Search");
	double domain = find(counts, n, "SIS Domain Search");
	unsigned rates = 0;

	add_rate(out, &rates, "SIS Search Efficiency", search, find(counts, n, "SIS Scanned"));
	add_rate(out, &rates, "SIS Domain Search Eff", domain,
		 find(counts, n, "SIS Domain Scanned"));
	/* A search that was refused is neither of the domain nor a success. */
	add_rate(out, &rates, "SIS Fast Success Rate",
		 find_or(counts, n, "SIS Fast Hit", search - domain), search);
	add_rate(out, &rates, "SIS Success Rate", search - find(counts, n, "SIS Failures"), search);
	add_rate(out, &rates, "SIS Recent Success Rate", find(counts, n, "SIS Recent Used Hit"),
		 find(counts, n, "SIS Recent Attempts"));
	return rates;
}

static void add_balance(struct schedstat_delta *d, const struct snapshot *b,
			const struct snapshot *a)
{
	static const char *const names[TYPES][3] = {
		[BUSY] = {"LB Busy Count", "LB Busy Failed", "LB Busy Gained"},
		[IDLE] = {"LB Idle Count", "LB Idle Failed", "LB Idle Gained"},
		[NEWIDLE] = {"LB Newidle Count", "LB Newidle Failed", "LB Newidle Gained"},
	};

	for (unsigned t = 0; t < TYPES; t++)
		for (unsigned i = 0; i < 3; i++)
			add(d, names[t][i], (double)(a->balance[t][i] - b->balance[t][i]));
}

int schedstat_diff(const char *before, const char *after, struct schedstat_delta *out,
		   struct error *err)
{
	struct snapshot b, a;
	double n[SIS_NUMBERS] = {0};

	memset(out, 0, sizeof(*out));
	if (parse(before, &b, err) || parse(after, &a, err))
		return -1;
	if (a.version != b.version || a.cpus != b.cpus || a.cpu_numbers != b.cpu_numbers)
		return error_set(err, ERROR_FAILED,
				 "schedstat: %u CPUs before and %u after cannot be compared",
				 b.cpus, a.cpus);
	for (unsigned i = 0; i < a.cpu_numbers; i++) {
		if (a.cpu[i] < b.cpu[i])
			return error_set(err, ERROR_FAILED, "schedstat: a counter went backwards");
		n[i] = (double)(a.cpu[i] - b.cpu[i]);
	}
	out->version = a.version;
	out->cpus = a.cpus;
	out->has_sis = a.cpu_numbers > SIS_FAILED;
	add_cpu(out, n);
	if (out->has_sis)
		add_sis(out, n, a.cpu_numbers);
	if (knows_domains(&a))
		add_balance(out, &b, &a);
	out->counts = out->count;
	out->count += schedstat_rates(out->counters, out->counts, &out->counters[out->count]);
	return 0;
}
