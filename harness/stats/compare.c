// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "util/xalloc.h"

double stats_t_p(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	return 2 * gsl_cdf_tdist_Q(fabs(t), df);
}

double stats_t_quantile(double alpha, double df)
{
	return gsl_cdf_tdist_Qinv(alpha / 2, df);
}

double stats_mean_interval(double stddev, size_t n, double alpha)
{
	if (n < 2)
		return NAN;
	return stats_t_quantile(alpha, n - 1) * stddev / sqrt(n);
}

double stats_detectable(double stddev, size_t n, double alpha, double power)
{
	double df = 2.0 * n - 2;

	if (n < 2)
		return NAN;
	return (stats_t_quantile(alpha, df) + gsl_cdf_tdist_Pinv(power, df)) * stddev *
	       sqrt(2.0 / n);
}

static double satterthwaite(double va, size_t na, double vb, size_t nb)
{
	double sum = va + vb;

	return sum * sum / (va * va / (na - 1) + vb * vb / (nb - 1));
}

/* F test of equal variances with n units on each side, two-sided at 5 %. */
static bool variances_alike(double va, double vb, size_t n)
{
	double high = va > vb ? va : vb, low = va > vb ? vb : va;

	return low > 0 && gsl_cdf_fdist_Q(high / low, n - 1, n - 1) > 0.025;
}

struct stats_test stats_compare(const double *a, size_t na, const double *b, size_t nb,
				double alpha)
{
	struct stats_test t = {STATS_TOO_FEW, NAN, NAN, NAN, NAN, NAN};
	double va, vb;

	t.difference = stats_amean(b, nb) - stats_amean(a, na);
	if (na < 2 || nb < 2 || isnan(t.difference))
		return t;
	va = pow(stats_stddev(a, na), 2) / na;
	vb = pow(stats_stddev(b, nb), 2) / nb;
	t.error = sqrt(va + vb);
	if (t.error == 0) {
		t.p = t.difference == 0;
		t.half = 0;
	} else {
		t.df = na == nb && variances_alike(va, vb, na) ? 2.0 * na - 2
							       : satterthwaite(va, na, vb, nb);
		t.p = stats_t_p(t.difference / t.error, t.df);
		t.half = stats_t_quantile(alpha, t.df) * t.error;
	}
	if (isnan(t.p))
		return t;
	t.verdict = t.p < alpha ? STATS_CHANGE : STATS_NO_CHANGE;
	return t;
}

double stats_welch_p(const double *a, size_t na, const double *b, size_t nb)
{
	double va, vb, difference = stats_amean(b, nb) - stats_amean(a, na);

	if (na < 2 || nb < 2)
		return NAN;
	va = pow(stats_stddev(a, na), 2) / na;
	vb = pow(stats_stddev(b, nb), 2) / nb;
	if (va + vb == 0)
		return difference == 0;
	return stats_t_p(difference / sqrt(va + vb), satterthwaite(va, na, vb, nb));
}

/*
 * Number of ways that each value of U can come about without ties: coefficients of the Gaussian
 * binomial (na+nb choose na), by the recurrence f(m,n,u) = f(m-1,n,u-n) + f(m,n-1,u) of Mann and
 * Whitney, Annals of Mathematical Statistics 18 (1947), in its product form.
 */
static double *u_counts(size_t na, size_t nb)
{
	size_t top = na * nb;
	double *count = xcalloc(top + 1, sizeof(*count));

	count[0] = 1;
	for (size_t i = 1; i <= na; i++) {
		for (size_t u = top; u >= nb + i; u--)
			count[u] -= count[u - nb - i];
		for (size_t u = i; u <= top; u++)
			count[u] += count[u - i];
	}
	return count;
}

static double u_exact_p(double u, size_t na, size_t nb)
{
	double *count = u_counts(na, nb), total = 0, tail = 0;
	double low = u < na * nb - u ? u : na * nb - u;

	for (size_t i = 0; i <= na * nb; i++) {
		total += count[i];
		if (i <= low)
			tail += count[i];
	}
	free(count);
	return fmin(1, 2 * tail / total);
}

/* Normal approximation with correction for ties and continuity. */
static double u_normal_p(double u, size_t na, size_t nb, double tie_sum)
{
	double n = na + nb, mean = na * (double)nb / 2;
	double variance = na * (double)nb / 12 * (n + 1 - tie_sum / (n * (n - 1)));
	double distance = fmax(0, fabs(u - mean) - 0.5);

	if (variance <= 0)
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)));
}

/* Exact up to 50 units without ties, as R does, else by the normal approximation. */
double stats_mann_whitney_p(const double *a, size_t na, const double *b, size_t nb)
{
	double u = 0, tie_sum = 0, *all;
	size_t n = na + nb;

	if (!na || !nb)
		return NAN;
	all = xreallocarray(NULL, n, sizeof(*all));
	for (size_t i = 0; i < n; i++)
		all[i] = i < na ? a[i] : b[i - na];
	stats_sort(all, n);
	for (size_t i = 0, run; i < n; i += run) {
		for (run = 1; i + run < n && all[i + run] == all[i];)
			run++;
		tie_sum += pow(run, 3) - run;
	}
	free(all);
	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	if (tie_sum == 0 && n <= 50)
		return u_exact_p(u, na, nb);
	return u_normal_p(u, na, nb, tie_sum);
}

static int by_value(const void *x, const void *y)
{
	double a = **(double *const *)x, b = **(double *const *)y;

	return (a > b) - (a < b);
}

/* Pointers to the p values that are numbers, ascending. */
static double **ordered(double *p, size_t n, size_t *count)
{
	double **order = xreallocarray(NULL, n ? n : 1, sizeof(*order));

	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[(*count)++] = &p[i];
	if (*count)
		qsort(order, *count, sizeof(*order), by_value);
	return order;
}

void stats_adjust_holm(double *p, size_t n)
{
	size_t count;
	double **order = ordered(p, n, &count), highest = 0;

	for (size_t i = 0; i < count; i++) {
		highest = fmax(highest, fmin(1, *order[i] * (count - i)));
		*order[i] = highest;
	}
	free(order);
}

void stats_adjust_bh(double *p, size_t n)
{
	size_t count;
	double **order = ordered(p, n, &count), lowest = 1;

	for (size_t i = count; i-- > 0;) {
		lowest = fmin(lowest, *order[i] * count / (i + 1));
		*order[i] = lowest;
	}
	free(order);
}
