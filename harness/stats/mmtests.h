/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_STATS_MMTESTS_H
#define SCHEDBENCH_STATS_MMTESTS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What mmtests computes, to the last bit, so that its tables can be printed byte for byte. Where it
 * differs from stats.h (order of summation, no interpolation, the interval of single samples that
 * it calls an interval of the mean) the difference is theirs. "Legacy" is its form of June 2024,
 * the one behind the tables of the mailing lists.
 */
struct mmtests_samples {
	double *best_first; /* sorted: ascending if lower is better, else descending */
	size_t n;
	bool higher, legacy;
	double mean; /* Amean, or Hmean with @higher */
	double amean;
	double stddev; /* n-1 around Amean; Hmean's own with @higher; legacy: always the former */
	bool has_band;
	double low, high; /* mean -/+ 1.96 stddev */
};

/* Copies @x. A best sample <= 0 has no harmonic mean at all: false, and @s holds NaN. */
bool mmtests_init(struct mmtests_samples *s, const double *x, size_t n, bool higher, bool legacy);
void mmtests_release(struct mmtests_samples *s);

/* Statistics that need no more than the samples; NaN for none. */
double mmtests_min(const struct mmtests_samples *s);
double mmtests_max(const struct mmtests_samples *s);
double mmtests_best_mean(const struct mmtests_samples *s, unsigned percent);
double mmtests_percentile(const struct mmtests_samples *s, unsigned percent);
double mmtests_coeffvar(const struct mmtests_samples *s); /* 0 where it is not defined */

/* Percentage with its sign rule: positive is better. @value against @base. */
double mmtests_change(double value, double base, bool higher);

/*
 * Distance of two means in units of their bands, (base - new) / (sum of the half widths that face
 * each other); more than 1 either way: the bands do not overlap and the cell is marked. Bounds that
 * are absent count as 0, and a sum of 0 gives the difference itself.
 */
double mmtests_band_distance(const struct mmtests_samples *base, const struct mmtests_samples *s);

/* Pooled-df t test at 10 %; equal means with a standard error of 0 do not differ. */
bool mmtests_legacy_differs(const struct mmtests_samples *base, const struct mmtests_samples *s);

/* The third number of a ratio table in the legacy form: Cohen's d with the root mean square. */
double mmtests_legacy_distance(const struct mmtests_samples *s, const struct mmtests_samples *base);

#endif
