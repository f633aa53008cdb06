// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulates A/A and A/B experiments and prints how often each rule marks a row: for A/A the rate of
 * false alarms, for A/B the power. Fixed seed; the argument is the number of trials.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/adaptive.h"
#include "stats/mmtests.h"
#include "stats/stats.h"

enum { MAX_BOOTS = 40, MAX_SAMPLES = 400, TRIALS = 20000 };

/* Percentages are relative to a mean of 100. */
struct scenario {
	const char *name;
	size_t boots, repetitions;
	double boot_sd, run_sd;
	double drift; /* over the whole experiment */
	double outliers, outlier_size; /* share of the samples, and how much slower they are */
	double effect;
	double wider; /* the boots of B spread so many times as wide; 0: as those of A */
	bool sequential; /* all boots of A, then all of B; else randomised blocks */
};

static const struct scenario scenarios[] = {
	{"A/A 3 boots x 3", 3, 3, 1, 0.5, 0, 0, 0, 0, 0, false},
	{"A/A 3 boots x 5, boots alike", 3, 5, 0, 1, 0, 0, 0, 0, 0, false},
	{"A/A 5 boots x 5", 5, 5, 1, 1, 0, 0, 0, 0, 0, false},
	{"A/A 10 boots x 1", 10, 1, 1, 0.5, 0, 0, 0, 0, 0, false},
	{"A/A 20 boots x 5", 20, 5, 1, 0.5, 0, 0, 0, 0, 0, false},
	{"A/A 3 x 5, drift 1 %", 3, 5, 1, 0.5, 1, 0, 0, 0, 0, false},
	{"A/A 10 x 3, drift 1 %", 10, 3, 1, 0.5, 1, 0, 0, 0, 0, false},
	{"A/A 3 x 5, 1 % of runs +5 %", 3, 5, 1, 0.5, 0, 0.01, 5, 0, 0, false},
	{"A/A 10 x 3, 1 % of runs +5 %", 10, 3, 1, 0.5, 0, 0.01, 5, 0, 0, false},
	{"A/A one boot x 5", 1, 5, 1, 0.5, 0, 0, 0, 0, 0, false},
	{"A/A one boot x 10", 1, 10, 1, 0.5, 0, 0, 0, 0, 0, false},
	{"A/A 3 x 5, drift 3 %, A then B", 3, 5, 1, 0.5, 3, 0, 0, 0, 0, true},
	{"same mean, 3 x 5, B 2 x as wide", 3, 5, 1, 0.5, 0, 0, 0, 0, 2, false},
	{"same mean, 3 x 5, B 4 x as wide", 3, 5, 1, 0.5, 0, 0, 0, 0, 4, false},
	{"same mean, 10 x 3, B 4 x as wide", 10, 3, 1, 0.5, 0, 0, 0, 0, 4, false},
	{"+2 % 3 boots x 5, cv 1 %", 3, 5, 0.5, 1, 0, 0, 0, 2, 0, false},
	{"+2 % 5 boots x 1, cv 1 %", 5, 1, 0, 1, 0, 0, 0, 2, 0, false},
	{"+2 % 10 boots x 1, cv 1 %", 10, 1, 0, 1, 0, 0, 0, 2, 0, false},
	{"+2 % 20 boots x 1, cv 1 %", 20, 1, 0, 1, 0, 0, 0, 2, 0, false},
	{"+2 % 40 boots x 1, cv 1 %", 40, 1, 0, 1, 0, 0, 0, 2, 0, false},
	{"+5 % 10 boots x 1, cv 3 %", 10, 1, 0, 3, 0, 0, 0, 5, 0, false},
};

/* splitmix64 by Steele, Lea and Flood (OOPSLA 2014). */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static double uniform(uint64_t *state)
{
	return ((double)(next(state) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller (1958). */
static double normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(uniform(state)));

	return radius * cos(2 * M_PI * uniform(state));
}

struct side {
	double samples[MAX_SAMPLES], boots[MAX_BOOTS];
	size_t n, boot_count;
};

static void measure_boot(const struct scenario *s, struct side *side, double position, bool patched,
			 uint64_t *state)
{
	double boot_sd = s->boot_sd * (patched && s->wider > 0 ? s->wider : 1);
	double mean = (100 + (patched ? s->effect : 0)) * (1 + boot_sd / 100 * normal(state));

	mean *= 1 + s->drift / 100 * position;
	for (size_t i = 0; i < s->repetitions; i++) {
		double x = mean * (1 + s->run_sd / 100 * normal(state));

		if (s->outliers > 0 && uniform(state) < s->outliers)
			x *= 1 + s->outlier_size / 100;
		side->samples[side->n++] = x;
	}
	side->boots[side->boot_count++] =
		stats_amean(side->samples + side->n - s->repetitions, s->repetitions);
}

static void experiment(const struct scenario *s, struct side sides[2], uint64_t *state)
{
	double slots = 2.0 * (double)s->boots;

	for (int v = 0; v < 2; v++)
		sides[v].n = sides[v].boot_count = 0;
	for (size_t slot = 0; slot < 2 * s->boots; slot += 2) {
		int first = s->sequential ? 0 : (int)(next(state) & 1);

		for (int k = 0; k < 2; k++) {
			int v = first ^ k;
			double at = s->sequential ? (double)(slot / 2) + v * (double)s->boots
						  : (double)(slot + k);

			measure_boot(s, &sides[v], at / slots, v == 1, state);
		}
	}
}

static bool rule_own(const struct side *a, const struct side *b)
{
	if (a->boot_count < 2)
		return stats_compare(a->samples, a->n, b->samples, b->n, 0.05).p < 0.05;
	return stats_compare(a->boots, a->boot_count, b->boots, b->boot_count, 0.05).p < 0.05;
}

static bool rule_welch(const struct side *a, const struct side *b)
{
	return stats_welch_p(a->samples, a->n, b->samples, b->n) < 0.05;
}

static bool rule_mann_whitney(const struct side *a, const struct side *b)
{
	return stats_mann_whitney_p(a->samples, a->n, b->samples, b->n) < 0.05;
}

static bool mmtests(const struct side *a, const struct side *b, bool legacy)
{
	struct mmtests_samples base, s;
	bool marked;

	mmtests_init(&base, a->samples, a->n, false, legacy);
	mmtests_init(&s, b->samples, b->n, false, legacy);
	marked = legacy ? mmtests_legacy_differs(&base, &s)
			: fabs(mmtests_band_distance(&base, &s)) > 1;
	mmtests_release(&base);
	mmtests_release(&s);
	return marked;
}

static bool rule_mmtests(const struct side *a, const struct side *b)
{
	return mmtests(a, b, false);
}

static bool rule_legacy(const struct side *a, const struct side *b)
{
	return mmtests(a, b, true);
}

/* The ranges must be clear of the other's middle, and the middles 1 % apart. */
static bool rule_lkp(const struct side *a, const struct side *b)
{
	double x[MAX_SAMPLES], y[MAX_SAMPLES], mx, my;

	memcpy(x, a->samples, a->n * sizeof(*x));
	memcpy(y, b->samples, b->n * sizeof(*y));
	stats_sort(x, a->n);
	stats_sort(y, b->n);
	mx = x[a->n / 2];
	my = y[b->n / 2];
	if (fmax(mx, my) / fmin(mx, my) <= 1.01)
		return false;
	return (y[0] > mx && my > x[a->n - 1]) || (x[0] > my && mx > y[b->n - 1]);
}

static const struct {
	const char *name;
	bool (*rule)(const struct side *a, const struct side *b);
} rules[] = {
	{"own", rule_own},	   {"welch", rule_welch},   {"mwu", rule_mann_whitney},
	{"mmtests", rule_mmtests}, {"legacy", rule_legacy}, {"lkp", rule_lkp},
};

enum { RULES = sizeof(rules) / sizeof(*rules) };

static void run_scenario(const struct scenario *s, unsigned trials)
{
	unsigned marks[RULES] = {0};
	struct side sides[2];
	uint64_t state = 20240601;

	for (unsigned t = 0; t < trials; t++) {
		experiment(s, sides, &state);
		for (size_t k = 0; k < RULES; k++)
			marks[k] += rules[k].rule(&sides[0], &sides[1]);
	}
	printf("%-32s", s->name);
	for (size_t k = 0; k < RULES; k++)
		printf("%8.2f", 100.0 * marks[k] / trials);
	printf("\n");
}

/* The stopping rule, or the same without its least number of boots. */
static void adaptive(const struct scenario *s, bool guarded, struct side sides[2], uint64_t *state)
{
	const double *a = sides[0].boots, *b = sides[1].boots;

	for (int v = 0; v < 2; v++)
		sides[v].n = sides[v].boot_count = 0;
	for (size_t n = 1; n <= MAX_BOOTS; n++) {
		for (int v = 0; v < 2; v++)
			measure_boot(s, &sides[v], 0, v == 1, state);
		if (guarded &&
		    stats_stop(a, n, b, n, 0.01, 0.05, MAX_BOOTS, NULL) >= STATS_STOP_PRECISE)
			return;
		if (!guarded && n >= 3 && stats_relative_half(a, n, b, n, 0.05) <= 0.01)
			return;
	}
}

static void run_adaptive(const char *name, double boot_sd, double effect, bool guarded,
			 unsigned trials)
{
	const struct scenario s = {name, 3, 3, boot_sd, 0.7, 0, 0, 0, effect, 0, false};
	unsigned marks = 0;
	struct side sides[2];
	uint64_t state = 20240602;
	double boots = 0;

	for (unsigned t = 0; t < trials; t++) {
		adaptive(&s, guarded, sides, &state);
		boots += (double)sides[0].boot_count;
		marks += rule_own(&sides[0], &sides[1]);
	}
	printf("%-44s%8.2f   mean boots %.1f\n", name, 100.0 * marks / trials, boots / trials);
}

int main(int argc, char **argv)
{
	unsigned trials = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : TRIALS;

	if (!trials) {
		fprintf(stderr, "usage: bench-stats [TRIALS]\n");
		return 2;
	}
	printf("rows marked in percent, %u trials\n%-32s", trials, "");
	for (size_t k = 0; k < RULES; k++)
		printf("%8s", rules[k].name);
	printf("\n");
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		run_scenario(&scenarios[i], trials);
	printf("\nprecision: 1 %%, at most %d boots, own rule\n", MAX_BOOTS);
	run_adaptive("A/A, boot sd 0.4 %", 0.4, 0, true, trials);
	run_adaptive("A/A, boot sd 0.8 %", 0.8, 0, true, trials);
	run_adaptive("A/A, boot sd 1.2 %", 1.2, 0, true, trials);
	run_adaptive("A/A, boot sd 0.8 %, stopping from 3 boots on", 0.8, 0, false, trials);
	run_adaptive("+2 %, boot sd 0.8 %", 0.8, 2, true, trials);
	return fflush(stdout) ? 3 : 0;
}
