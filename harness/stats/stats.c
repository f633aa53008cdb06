// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "util/xalloc.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof(*x), ascending);
}

struct sum {
	double sum, lost;
};

static void sum_add(struct sum *s, double x)
{
	double t = s->sum + x;

	if (fabs(s->sum) >= fabs(x))
		s->lost += (s->sum - t) + x;
	else
		s->lost += (x - t) + s->sum;
	s->sum = t;
}

/* The compensation of an infinite sum is NaN: leave it out there. */
static double sum_get(const struct sum *s)
{
	return isfinite(s->sum) ? s->sum + s->lost : s->sum;
}

double stats_amean(const double *x, size_t n)
{
	struct sum s = {0, 0};

	for (size_t i = 0; i < n; i++)
		sum_add(&s, x[i]);
	return n ? sum_get(&s) / n : NAN;
}

double stats_hmean(const double *x, size_t n)
{
	struct sum s = {0, 0};

	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > 0))
			return NAN;
		sum_add(&s, 1 / x[i]);
	}
	return n ? n / sum_get(&s) : NAN;
}

double stats_gmean(const double *x, size_t n)
{
	struct sum s = {0, 0};

	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > 0))
			return NAN;
		sum_add(&s, log(x[i]));
	}
	return n ? exp(sum_get(&s) / n) : NAN;
}

static double extreme(const double *x, size_t n, double sign)
{
	double best = NAN;

	for (size_t i = 0; i < n; i++) {
		if (isnan(x[i]))
			return NAN;
		if (i == 0 || sign * x[i] > sign * best)
			best = x[i];
	}
	return best;
}

double stats_min(const double *x, size_t n)
{
	return extreme(x, n, -1);
}

double stats_max(const double *x, size_t n)
{
	return extreme(x, n, 1);
}

double stats_quantile_sorted(const double *sorted, size_t n, double p)
{
	double rank, below;
	size_t i;

	if (!n || isnan(sorted[n - 1]) || !(p >= 0 && p <= 1))
		return NAN;
	rank = p * (n - 1);
	below = floor(rank);
	i = (size_t)below;
	if (rank == below)
		return sorted[i];
	return sorted[i] + (rank - below) * (sorted[i + 1] - sorted[i]);
}

static double *sorted_copy(const double *x, size_t n)
{
	double *copy = xreallocarray(NULL, n ? n : 1, sizeof(*copy));

	if (n)
		memcpy(copy, x, n * sizeof(*copy));
	stats_sort(copy, n);
	return copy;
}

double stats_median(const double *x, size_t n)
{
	double *sorted = sorted_copy(x, n);
	double median = stats_quantile_sorted(sorted, n, 0.5);

	free(sorted);
	return median;
}

double stats_stddev(const double *x, size_t n)
{
	double mean = stats_amean(x, n);
	struct sum s = {0, 0};

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum_add(&s, (x[i] - mean) * (x[i] - mean));
	return sqrt(sum_get(&s) / (n - 1));
}

double stats_hstddev(const double *x, size_t n)
{
	double mean = stats_hmean(x, n);
	struct sum s = {0, 0};

	if (n < 2 || isnan(mean))
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum_add(&s, (1 / x[i] - 1 / mean) * (1 / x[i] - 1 / mean));
	return mean * mean * sqrt(sum_get(&s) / n);
}

double stats_coeffvar(const double *x, size_t n)
{
	double mean = stats_amean(x, n);

	return mean != 0 ? 100 * stats_stddev(x, n) / mean : NAN;
}

double stats_best_mean(const double *x, size_t n, unsigned percent, bool higher_is_better,
		       bool harmonic)
{
	double *sorted, mean;
	size_t count = n * percent / 100;

	if (!n)
		return NAN;
	if (count < 1)
		count = 1;
	if (count > n)
		count = n;
	sorted = sorted_copy(x, n);
	mean = (harmonic ? stats_hmean
			 : stats_amean)(higher_is_better ? sorted + (n - count) : sorted, count);
	free(sorted);
	return mean;
}

double stats_mean(enum stats_mean kind, const double *x, size_t n)
{
	switch (kind) {
	case STATS_AMEAN:
		return stats_amean(x, n);
	case STATS_HMEAN:
		return stats_hmean(x, n);
	case STATS_GMEAN:
		return stats_gmean(x, n);
	case STATS_MEDIAN:
		return stats_median(x, n);
	}
	return NAN;
}

bool stats_mean_by_name(const char *name, enum stats_mean *kind)
{
	static const char *const names[] = {"amean", "hmean", "gmean", "median"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			*kind = (enum stats_mean)i;
			return true;
		}
	return false;
}
