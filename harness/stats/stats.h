/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_STATS_STATS_H
#define SCHEDBENCH_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Descriptive statistics and the comparison of two variants. Pure functions: no I/O, no state, no
 * allocation but for sorted copies. Wherever a value is not defined (no sample, one sample for a
 * spread, a sample <= 0 for a harmonic or geometric mean, NaN among the samples) the result is NaN,
 * never 0. @x need not be sorted unless a comment says so; units are those of the samples.
 */

/* Sum(x) / n, accumulated with Neumaier's compensation (ZAMM 54, 1974). */
double stats_amean(const double *x, size_t n);

/* n / Sum(1/x); NaN if any x <= 0. */
double stats_hmean(const double *x, size_t n);

/* exp(Sum(ln x) / n); NaN if any x <= 0. */
double stats_gmean(const double *x, size_t n);

double stats_min(const double *x, size_t n);
double stats_max(const double *x, size_t n);

/* Middle element, or the mean of the two middle ones: the 0.5 quantile below. */
double stats_median(const double *x, size_t n);

/*
 * Quantile @p in 0..1 of samples sorted ascending: linear interpolation between order statistics
 * at rank 1 + p(n-1): type 7 of Hyndman and Fan, The American Statistician 50 (1996), the default
 * of R.
 */
double stats_quantile_sorted(const double *sorted, size_t n, double p);

/* Sort ascending, NaN last. */
void stats_sort(double *x, size_t n);

/* Square root of Sum((x - amean)^2) / (n - 1); two passes. NaN for n < 2. */
double stats_stddev(const double *x, size_t n);

/*
 * Spread that belongs to the harmonic mean m: m^2 * sqrt(Sum((1/x - 1/m)^2) / n), the first-order
 * (delta method) standard deviation of x seen from 1/x; population form, as mmtests defines it.
 */
double stats_hstddev(const double *x, size_t n);

/* 100 * stddev / amean, in percent. NaN for n < 2 and for a mean of 0. */
double stats_coeffvar(const double *x, size_t n);

/*
 * Mean of the best @percent of the samples, at least one: c = max(1, floor(n * percent / 100));
 * best is lowest or highest. The mean is harmonic with @harmonic, else arithmetic.
 */
double stats_best_mean(const double *x, size_t n, unsigned percent, bool higher_is_better,
		       bool harmonic);

/* The means by which a table can compare. */
enum stats_mean { STATS_AMEAN, STATS_HMEAN, STATS_GMEAN, STATS_MEDIAN };
double stats_mean(enum stats_mean kind, const double *x, size_t n);
/* false: there is no mean of that name ("amean", "hmean", "gmean", "median"). */
bool stats_mean_by_name(const char *name, enum stats_mean *kind);

/* Half width of the 1 - @alpha interval of a mean: t(1 - alpha/2; n-1) * s / sqrt(n). */
double stats_mean_interval(double stddev, size_t n, double alpha);

/* What a comparison of two sets of independent units says. */
enum stats_verdict {
	STATS_TOO_FEW, /* fewer than two units on a side: nothing can be said */
	STATS_NO_CHANGE, /* p >= alpha: not shown to differ, which is not "the same" */
	STATS_CHANGE,
};

struct stats_test {
	enum stats_verdict verdict;
	double difference; /* mean(b) - mean(a) */
	double error; /* standard error of the difference */
	double df;
	double p; /* two-sided; NaN when there are too few units */
	double half; /* half width of the 1 - alpha interval of the difference */
};

/*
 * Difference of two means of independent units by the statistic of Welch (Biometrika 34, 1947),
 * t = (mb - ma) / sqrt(sa^2/na + sb^2/nb).
 *
 * Degrees of freedom are those of Welch and Satterthwaite, except with as many units on each side
 * and variances that an F test at 5 % does not tell apart: there t is Student's, with
 * na + nb - 2. With three units on a side, the usual number of boots, Welch's alone would raise
 * 3.5 % false alarms for a nominal 5 and so give away power.
 *
 * Both variances 0: constants that differ are a change (p = 0, half = 0), equal ones are not.
 */
struct stats_test stats_compare(const double *a, size_t na, const double *b, size_t nb,
				double alpha);

/*
 * Smallest difference of two means that the test finds with probability @power, in units of
 * @stddev, with @n units on each side: (t(1 - alpha/2) + t(power)) * stddev * sqrt(2/n) with 2n - 2
 * degrees of freedom, the usual approximation of the noncentral t. NaN for n < 2.
 */
double stats_detectable(double stddev, size_t n, double alpha, double power);

/* The plain forms, for tests and simulations. p values, two-sided; NaN when not defined. */
double stats_welch_p(const double *a, size_t na, const double *b, size_t nb);
double stats_mann_whitney_p(const double *a, size_t na, const double *b, size_t nb);

/* Two-sided p of Student's t; the quantile of it at 1 - alpha/2. */
double stats_t_p(double t, double df);
double stats_t_quantile(double alpha, double df);

/*
 * Holm's step-down adjustment (Scandinavian Journal of Statistics 6, 1979) and that of Benjamini
 * and Hochberg (JRSS B 57, 1995): p values in place; NaN are left alone and not counted.
 */
void stats_adjust_holm(double *p, size_t n);
void stats_adjust_bh(double *p, size_t n);

#endif
