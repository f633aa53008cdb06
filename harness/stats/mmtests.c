// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/mmtests.h"
#include "stats/stats.h"
#include "util/xalloc.h"

/* Perl's ** is libm's pow(); gcc would turn pow(x, 2.0) into x * x, which rounds differently. */
static const volatile double two = 2.0, four = 4.0;

static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : NAN;
}

static double harmonic_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > 0))
			return NAN;
		sum += 1 / x[i];
	}
	return n ? n / sum : NAN;
}

static double stddev_of(const double *x, size_t n, double mean)
{
	double sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += pow(x[i] - mean, two);
	return sqrt(sum / (n - 1));
}

static double harmonic_stddev_of(const double *x, size_t n, double mean)
{
	double sum = 0;

	if (n < 2 || isnan(mean))
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += pow(1 / x[i] - 1 / mean, two);
	return sqrt(sum * pow(mean, four) / n);
}

/*
 * A number as R prints it with 7 digits: fixed notation unless scientific is narrower, so that
 * large numbers keep all digits before the point.
 */
static double as_r_prints(double x)
{
	char text[64];
	int exponent, digits, places, fixed, scientific;

	if (x == 0 || !isfinite(x))
		return x;
	snprintf(text, sizeof(text), "%.6e", x);
	exponent = atoi(strchr(text, 'e') + 1);
	digits = 7;
	for (const char *d = strchr(text, 'e') - 1; digits > 1 && *d == '0'; d--)
		digits--;
	places = digits - exponent - 1 > 0 ? digits - exponent - 1 : 0;
	fixed = (exponent > 0 ? exponent + 1 : 1) + (places ? places + 1 : 0);
	scientific = (digits > 1 ? digits + 1 : 1) + (abs(exponent) >= 100 ? 5 : 4);
	if (fixed <= scientific)
		snprintf(text, sizeof(text), "%.*f", places, x);
	else
		snprintf(text, sizeof(text), "%.*e", digits - 1, x);
	return strtod(text, NULL);
}

/* Half width of the band: the 97.5 % quantile of a normal distribution with that deviation. */
static double band_of(double stddev)
{
	char text[64];

	snprintf(text, sizeof(text), "%.15g", stddev);
	return as_r_prints(strtod(text, NULL) * 1.959963984540054);
}

bool mmtests_init(struct mmtests_samples *s, const double *x, size_t n, bool higher, bool legacy)
{
	double *v = xreallocarray(NULL, n ? n : 1, sizeof(*v));

	if (n)
		memcpy(v, x, n * sizeof(*v));
	stats_sort(v, n);
	for (size_t i = 0; higher && i < n / 2; i++) {
		double swap = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = swap;
	}
	*s = (struct mmtests_samples){.best_first = v, .n = n, .higher = higher, .legacy = legacy};
	s->amean = mean_of(v, n);
	s->mean = higher ? harmonic_of(v, n) : mean_of(v, n);
	if (higher && !legacy)
		s->stddev = harmonic_stddev_of(v, n, s->mean);
	else
		s->stddev = stddev_of(v, n, s->amean);
	s->has_band = !isnan(s->mean) && !isnan(s->stddev);
	if (s->has_band) {
		double half = band_of(s->stddev);

		s->low = s->mean - half;
		s->high = s->mean + half;
	}
	return !higher || !n || v[0] > 0;
}

void mmtests_release(struct mmtests_samples *s)
{
	free(s->best_first);
	s->best_first = NULL;
}

double mmtests_min(const struct mmtests_samples *s)
{
	if (!s->n)
		return NAN;
	return s->higher ? s->best_first[s->n - 1] : s->best_first[0];
}

double mmtests_max(const struct mmtests_samples *s)
{
	if (!s->n)
		return NAN;
	return s->higher ? s->best_first[0] : s->best_first[s->n - 1];
}

static size_t best_count(size_t n, unsigned percent)
{
	size_t count = n * percent / 100;

	return count < 1 ? 1 : count;
}

double mmtests_best_mean(const struct mmtests_samples *s, unsigned percent)
{
	if (!s->n)
		return NAN;
	return (s->higher ? harmonic_of : mean_of)(s->best_first, best_count(s->n, percent));
}

double mmtests_percentile(const struct mmtests_samples *s, unsigned percent)
{
	return s->n ? s->best_first[best_count(s->n, percent) - 1] : NAN;
}

double mmtests_coeffvar(const struct mmtests_samples *s)
{
	double stddev = isnan(s->stddev) ? 0 : s->stddev;
	double mean = s->legacy ? s->amean : s->mean;

	return isnan(mean) || mean == 0 ? 0 : stddev * 100 / mean;
}

double mmtests_change(double value, double base, bool higher)
{
	if (value == base)
		return 0;
	if (higher) {
		if (value == 0)
			return 0;
		return base == 0 || isnan(base) ? 100 : value * 100 / base - 100;
	}
	if (value == 0)
		return 100;
	return base == 0 ? -99 : 100 - value * 100 / base;
}

double mmtests_band_distance(const struct mmtests_samples *base, const struct mmtests_samples *s)
{
	double b = base->mean, v = s->mean, sum;

	if (b < v)
		sum = base->high - b + v - s->low;
	else
		sum = b - base->low + s->high - v;
	return sum == 0 ? b - v : (b - v) / sum;
}

bool mmtests_legacy_differs(const struct mmtests_samples *base, const struct mmtests_samples *s)
{
	double variance;

	if (base->n < 2 || s->n < 2 || isnan(base->mean) || isnan(s->mean))
		return false;
	variance = pow(base->stddev, two) / base->n + pow(s->stddev, two) / s->n;
	if (variance == 0)
		return base->mean != s->mean;
	return stats_t_p((base->mean - s->mean) / sqrt(variance), base->n + s->n - 2.0) < 0.10;
}

double mmtests_legacy_distance(const struct mmtests_samples *s, const struct mmtests_samples *base)
{
	double spread = sqrt((pow(s->stddev, two) + pow(base->stddev, two)) / 2);

	return spread == 0 ? s->mean - base->mean : (s->mean - base->mean) / spread;
}
