// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/aa.h"
#include "util/xalloc.h"

/* Boots with means m, and two samples at m - d and m + d each. */
static void fill(struct result *r, size_t variant, const double *m, unsigned boots, double d)
{
	for (unsigned b = 0; b < boots; b++)
		for (unsigned i = 0; i < 2; i++)
			result_cell_add(result_cell(r, 0, variant),
					&(struct result_sample){.value = m[b] + (i ? d : -d),
								.boot = variant * 100 + b,
								.repetition = i});
}

static struct result *make(void)
{
	struct result *r = result_new(2, 1);

	r->statistic = xstrdup("amean");
	r->better = BETTER_LOWER;
	return r;
}

/* Means 9, 10, 11 on both sides: sd 1, so 10 % of 10; samples at +/- 0.5 of their boot's mean: the
 * pooled variance within is 12 x 0.25 / 6 = 0.5. With n = 3 and 4 degrees of freedom t is 2.776445
 * (97.5 %) and 0.940965 (80 %), from tables. */
static void test_closed_form(void **state)
{
	static const double means[] = {9, 10, 11};
	struct result *r = make();
	struct aa_summary s;
	struct aa_row row;

	(void)state;
	fill(r, 0, means, 3, 0.5);
	fill(r, 1, means, 3, 0.5);
	aa_analyse(r, &row, &s);
	assert_float_equal(row.between, 10, 1e-9);
	assert_float_equal(row.within, 100 * sqrt(0.5) / 10, 1e-9);
	assert_float_equal(row.change, 0, 1e-9);
	assert_float_equal(row.detectable, 10 * (2.776445 + 0.940965) * sqrt(2.0 / 3), 1e-4);
	assert_true(row.tested);
	assert_false(row.flagged);
	assert_int_equal(s.tested, 1);
	assert_int_equal(s.flagged, 0);
	/* Clopper and Pearson for 0 of 1: 1 - 0.025. */
	assert_float_equal(s.rate, 0, 0);
	assert_float_equal(s.low, 0, 0);
	assert_float_equal(s.high, 97.5, 1e-6);
	/* Chi-square at 4 degrees of freedom: 11.143287 (97.5 %) and 0.484419 (2.5 %), tables. */
	assert_float_equal(s.spread_low, sqrt(4 / 11.143287), 1e-6);
	assert_float_equal(s.spread_high, sqrt(4 / 0.484419), 1e-5);
	result_free(r);
}

static void test_false_alarm(void **state)
{
	static const double a[] = {10, 10.01, 9.99}, b[] = {11, 11.01, 10.99};
	struct result *r = make();
	struct aa_summary s;
	struct aa_row row;

	(void)state;
	fill(r, 0, a, 3, 0);
	fill(r, 1, b, 3, 0);
	aa_analyse(r, &row, &s);
	assert_true(row.flagged);
	assert_int_equal(s.flagged, 1);
	assert_float_equal(s.rate, 100, 0);
	assert_float_equal(s.p, 0.05, 1e-9);
	result_free(r);
}

static void test_one_boot_says_nothing(void **state)
{
	static const double a[] = {10}, b[] = {20};
	struct result *r = make();
	struct aa_summary s;
	struct aa_row row;

	(void)state;
	fill(r, 0, a, 1, 0.1);
	fill(r, 1, b, 1, 0.1);
	aa_analyse(r, &row, &s);
	assert_false(row.tested);
	assert_false(row.flagged);
	assert_true(isnan(row.between));
	assert_true(isnan(row.detectable));
	assert_int_equal(s.tested, 0);
	assert_true(isnan(s.rate));
	assert_true(isnan(s.spread_high));
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_form),
		cmocka_unit_test(test_false_alarm),
		cmocka_unit_test(test_one_boot_says_nothing),
	};

	return cmocka_run_group_tests_name("aa", tests, NULL, NULL);
}
