// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "stats/adaptive.h"
#include "stats/mmtests.h"
#include "stats/stats.h"

#define N(x) (sizeof(x) / sizeof(*(x)))

static void assert_near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fmax(1e-300, fabs(want))))
		fail_msg("%.17g is not %.17g", got, want);
}

static const double two_four_eight[] = {2, 4, 8};

static void means_equal_closed_forms(void **state)
{
	(void)state;
	assert_near(stats_amean(two_four_eight, 3), 14.0 / 3, 1e-15);
	assert_near(stats_hmean(two_four_eight, 3), 24.0 / 7, 1e-15);
	assert_near(stats_gmean(two_four_eight, 3), 4, 1e-15);
	assert_true(stats_median(two_four_eight, 3) == 4);
	assert_true(stats_median((double[]){8, 1, 4, 2}, 4) == 3);
	assert_true(stats_min(two_four_eight, 3) == 2);
	assert_true(stats_max(two_four_eight, 3) == 8);
}

static void spreads_equal_closed_forms_and_gsl(void **state)
{
	static const double x[] = {10.2, 9.7, 11.3, 10.9, 10.0, 9.1};
	double h = 24.0 / 7, sum = 0;

	(void)state;
	assert_near(stats_stddev(x, N(x)), gsl_stats_sd(x, 1, N(x)), 1e-13);
	assert_near(stats_stddev((double[]){1, 2, 3, 4}, 4), sqrt(5.0 / 3), 1e-15);
	assert_near(stats_coeffvar((double[]){1, 2, 3, 4}, 4), 100 * sqrt(5.0 / 3) / 2.5, 1e-15);
	for (int i = 0; i < 3; i++)
		sum += pow(1 / two_four_eight[i] - 1 / h, 2);
	assert_near(stats_hstddev(two_four_eight, 3), sqrt(sum * pow(h, 4) / 3), 1e-14);
}

/* Values of R: quantile(c(1,3,4,8,20), c(.1,.25,.5,.9)). */
static void quantiles_are_those_of_type_7(void **state)
{
	static const double x[] = {1, 3, 4, 8, 20};

	(void)state;
	assert_near(stats_quantile_sorted(x, 5, 0.10), 1.8, 1e-14);
	assert_near(stats_quantile_sorted(x, 5, 0.25), 3, 1e-14);
	assert_near(stats_quantile_sorted(x, 5, 0.50), 4, 1e-14);
	assert_near(stats_quantile_sorted(x, 5, 0.90), 15.2, 1e-14);
	assert_true(stats_quantile_sorted(x, 5, 1) == 20);
}

static void best_means_drop_the_worst(void **state)
{
	static const double x[] = {5, 1, 2, 4, 3};

	(void)state;
	assert_true(stats_best_mean(x, 5, 95, false, false) == 2.5);
	assert_true(stats_best_mean(x, 5, 95, true, false) == 3.5);
	assert_true(stats_best_mean(x, 5, 1, false, false) == 1);
	assert_near(stats_best_mean(two_four_eight, 3, 70, true, true), 16.0 / 3, 1e-15);
}

static void what_is_not_defined_is_nan(void **state)
{
	static const double zero[] = {0, 1}, poison[] = {1, NAN, 2}, one[] = {7};

	(void)state;
	assert_true(isnan(stats_amean(NULL, 0)));
	assert_true(isnan(stats_median(NULL, 0)));
	assert_true(isnan(stats_hmean(zero, 2)));
	assert_true(isnan(stats_gmean(zero, 2)));
	assert_true(isnan(stats_amean(poison, 3)));
	assert_true(isnan(stats_median(poison, 3)));
	assert_true(isnan(stats_min(poison, 3)));
	assert_true(isnan(stats_stddev(one, 1)));
	assert_true(isnan(stats_coeffvar((double[]){-1, 1}, 2)));
	assert_true(stats_amean(one, 1) == 7 && stats_median(one, 1) == 7);
}

static void tiny_and_huge_values_keep_their_digits(void **state)
{
	static const double scales[] = {1e-12, 1e12};
	static const double x[] = {1.01, 1.02, 1.03};

	(void)state;
	for (size_t s = 0; s < N(scales); s++) {
		double y[3];

		for (int i = 0; i < 3; i++)
			y[i] = x[i] * scales[s];
		assert_near(stats_amean(y, 3), 1.02 * scales[s], 1e-15);
		assert_near(stats_stddev(y, 3), 0.01 * scales[s], 1e-12);
		assert_near(stats_coeffvar(y, 3), 100 * 0.01 / 1.02, 1e-12);
	}
}

static void a_million_samples_add_up_exactly(void **state)
{
	size_t n = 1000000;
	double *x = malloc(n * sizeof(*x));

	(void)state;
	for (size_t i = 0; i < n; i++)
		x[i] = 0.1;
	assert_near(stats_amean(x, n), 0.1, 1e-16);
	assert_near(stats_hmean(x, n), 0.1, 1e-15);
	for (size_t i = 0; i < n; i++)
		x[i] = i + 1;
	assert_true(stats_amean(x, n) == 500000.5);
	assert_near(stats_stddev(x, n), sqrt(n * (n + 1.0) / 12), 1e-14);
	free(x);
}

/*
 * Student's sleep data (Biometrika 6, 1908). R's t.test() gives for it, in its manual's example:
 * t = -1.8608, df = 17.776, p-value = 0.07939.
 */
static const double sleep1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double sleep2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void welch_equals_the_published_value(void **state)
{
	struct stats_test t = stats_compare(sleep1, 10, sleep2, 10, 0.05);

	(void)state;
	assert_near(stats_welch_p(sleep1, 10, sleep2, 10), 0.07939, 1e-4);
	assert_near(t.difference / t.error, 1.8608, 5e-5);
	/* Student's p of the same data: 0.07919, interval -0.203874 to 3.363874 around 1.58. */
	assert_near(t.p, 0.07919, 5e-4);
	assert_true(t.df == 18);
	assert_near(t.half, 3.363874 - 1.58, 1e-5);
	assert_int_equal(t.verdict, STATS_NO_CHANGE);
}

static void unlike_variances_give_welch_his_own_degrees(void **state)
{
	static const double quiet[] = {10, 10.001, 9.999, 10.0005}, loud[] = {11, 9, 14, 12};
	struct stats_test t = stats_compare(quiet, 4, loud, 4, 0.05);

	(void)state;
	assert_true(t.df > 2.9 && t.df < 3.1);
	assert_near(t.p, stats_welch_p(quiet, 4, loud, 4), 1e-12);
}

/* Exact tails by counting: 3 against 3 separated, 2/20; 4 against 4, 2/70. */
static void mann_whitney_counts_exactly(void **state)
{
	static const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};

	(void)state;
	assert_near(stats_mann_whitney_p(low, 3, high, 3), 0.1, 1e-14);
	assert_near(stats_mann_whitney_p(low, 4, high, 4), 2.0 / 70, 1e-14);
	assert_near(stats_mann_whitney_p(high, 4, low, 4), 2.0 / 70, 1e-14);
	assert_true(stats_mann_whitney_p((double[]){1, 1}, 2, (double[]){1, 1}, 2) == 1);
}

static void constants_that_differ_are_a_change(void **state)
{
	static const double a[] = {115, 115, 115}, b[] = {78.8, 78.8, 78.8};
	struct stats_test t = stats_compare(a, 3, b, 3, 0.05);

	(void)state;
	assert_int_equal(t.verdict, STATS_CHANGE);
	assert_true(t.p == 0);
	assert_int_equal(stats_compare(a, 3, a, 3, 0.05).verdict, STATS_NO_CHANGE);
	assert_int_equal(stats_compare(a, 1, b, 3, 0.05).verdict, STATS_TOO_FEW);
	assert_true(isnan(stats_compare(a, 1, b, 3, 0.05).p));
}

/* Worked by hand from the definitions. */
static void adjustments_follow_their_definitions(void **state)
{
	double holm[] = {0.01, 0.04, NAN, 0.03, 0.005}, bh[] = {0.01, 0.04, NAN, 0.03, 0.005};

	(void)state;
	stats_adjust_holm(holm, 5);
	assert_near(holm[0], 0.03, 1e-14);
	assert_near(holm[1], 0.06, 1e-14);
	assert_true(isnan(holm[2]));
	assert_near(holm[3], 0.06, 1e-14);
	assert_near(holm[4], 0.02, 1e-14);
	stats_adjust_bh(bh, 5);
	assert_near(bh[0], 0.02, 1e-14);
	assert_near(bh[1], 0.04, 1e-14);
	assert_near(bh[3], 0.04, 1e-14);
	assert_near(bh[4], 0.02, 1e-14);
}

/* The published quantile: t(0.975; 4) = 2.776445. */
static void the_interval_of_a_mean_uses_student(void **state)
{
	(void)state;
	assert_near(stats_mean_interval(2, 5, 0.05), 2.776445 * 2 / sqrt(5), 1e-6);
	assert_true(isnan(stats_mean_interval(2, 1, 0.05)));
}

/* Cohen, Statistical Power Analysis (1988), and G*Power: d = 1.325 for 10 a side at 80 %. */
static void the_detectable_effect_is_that_of_power_tables(void **state)
{
	(void)state;
	assert_near(stats_detectable(1, 10, 0.05, 0.8), 1.325, 1e-3);
	assert_near(stats_detectable(2, 17, 0.05, 0.8), 2 * 0.9908, 1e-3);
	assert_true(isnan(stats_detectable(1, 1, 0.05, 0.8)));
}

static void mmtests_percentages_follow_its_special_cases(void **state)
{
	(void)state;
	assert_true(mmtests_change(0, 5, false) == 100);
	assert_true(mmtests_change(5, 0, false) == -99);
	assert_true(mmtests_change(0, 5, true) == 0);
	assert_true(mmtests_change(5, 0, true) == 100);
	assert_true(mmtests_change(5, NAN, true) == 100);
	assert_true(isnan(mmtests_change(5, NAN, false)));
	assert_near(mmtests_change(110, 100, true), 10, 1e-12);
	assert_near(mmtests_change(110, 100, false), -10, 1e-12);
}

static void mmtests_percentiles_count_from_the_best(void **state)
{
	static const double x[] = {3, 1, 2, 5, 4};
	struct mmtests_samples s;

	(void)state;
	assert_true(mmtests_init(&s, x, 5, true, false));
	assert_true(mmtests_percentile(&s, 95) == 2);
	assert_true(mmtests_percentile(&s, 10) == 5);
	mmtests_release(&s);
	assert_false(mmtests_init(&s, (double[]){0, 0}, 2, true, false));
	assert_true(isnan(s.mean));
	mmtests_release(&s);
}

static void the_stopping_rule_waits_for_eight_boots_and_ends_at_the_maximum(void **state)
{
	double a[12], b[12], half;

	(void)state;
	for (int i = 0; i < 12; i++) {
		a[i] = 100 + 0.1 * (i % 2);
		b[i] = 100 + 5 * (i % 2);
	}
	assert_int_equal(stats_stop(a, 3, a, 3, 0.01, 0.05, 20, &half), STATS_GO_FEW);
	assert_true(half > 0 && half < 0.01);
	assert_int_equal(stats_stop(a, 8, a, 8, 0.01, 0.05, 20, NULL), STATS_STOP_PRECISE);
	assert_int_equal(stats_stop(a, 8, b, 8, 0.01, 0.05, 20, NULL), STATS_GO_WIDE);
	assert_int_equal(stats_stop(a, 12, b, 12, 0.01, 0.05, 12, NULL), STATS_STOP_MAX);
	assert_int_equal(stats_stop(a, 4, b, 4, 0.01, 0.05, 4, NULL), STATS_STOP_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_equal_closed_forms),
		cmocka_unit_test(spreads_equal_closed_forms_and_gsl),
		cmocka_unit_test(quantiles_are_those_of_type_7),
		cmocka_unit_test(best_means_drop_the_worst),
		cmocka_unit_test(what_is_not_defined_is_nan),
		cmocka_unit_test(tiny_and_huge_values_keep_their_digits),
		cmocka_unit_test(a_million_samples_add_up_exactly),
		cmocka_unit_test(welch_equals_the_published_value),
		cmocka_unit_test(unlike_variances_give_welch_his_own_degrees),
		cmocka_unit_test(mann_whitney_counts_exactly),
		cmocka_unit_test(constants_that_differ_are_a_change),
		cmocka_unit_test(adjustments_follow_their_definitions),
		cmocka_unit_test(the_interval_of_a_mean_uses_student),
		cmocka_unit_test(the_stopping_rule_waits_for_eight_boots_and_ends_at_the_maximum),
		cmocka_unit_test(the_detectable_effect_is_that_of_power_tables),
		cmocka_unit_test(mmtests_percentages_follow_its_special_cases),
		cmocka_unit_test(mmtests_percentiles_count_from_the_best),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
