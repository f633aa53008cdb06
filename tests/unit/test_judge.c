// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "published/judge.h"
#include "util/xalloc.h"

static void verdicts_follow_the_interval(void **state)
{
	static const struct {
		double published, low, high;
		enum verdict verdict;
	} cases[] = {
		/* published within the interval, at its edge, exceeded */
		{10, 5, 12, VERDICT_REPRODUCED},       {10, 5, 10, VERDICT_REPRODUCED},
		{10, 15, 20, VERDICT_REPRODUCED},      {-10, -12, -5, VERDICT_REPRODUCED},
		{-10, -20, -15, VERDICT_REPRODUCED},   {10, 2, 6, VERDICT_SAME_DIRECTION},
		{-10, -6, -2, VERDICT_SAME_DIRECTION}, {10, -6, -2, VERDICT_OPPOSITE},
		{-10, 2, 6, VERDICT_OPPOSITE},	       {10, -0.5, 0.9, VERDICT_NO_EFFECT},
		{10, 0.2, 0.9, VERDICT_NO_EFFECT},     {10, -1, 1, VERDICT_NO_EFFECT},
		{10, -3, 20, VERDICT_INCONCLUSIVE},    {10, -3, 0.5, VERDICT_INCONCLUSIVE},
		{10, NAN, NAN, VERDICT_INCONCLUSIVE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (verdict_of(cases[i].published, cases[i].low, cases[i].high, 1) !=
		    cases[i].verdict)
			fail_msg("case %zu: %s", i,
				 verdict_name(verdict_of(cases[i].published, cases[i].low,
							 cases[i].high, 1)));
}

static struct row make_row(const char *name, const char *statistic, double base, double value)
{
	static struct cell cells[64][2];
	static unsigned made;
	struct row row = {.statistic = (char *)statistic,
			  .name = (char *)name,
			  .group = (char *)"",
			  .mark = (char *)"",
			  .unit = (char *)""};

	row.cells = cells[made++ % 64];
	row.cells[0] = (struct cell){.value = base};
	row.cells[1] = (struct cell){.value = value};
	return row;
}

/* The figures of rows as published, in their different rules of sign. */
static void improvement_has_one_sign_for_all_styles(void **state)
{
	struct table lower = {
		.style = STYLE_VARIANCE, .direction = DIRECTION_LOWER, .columns_count = 2};
	struct table higher = {
		.style = STYLE_VARIANCE, .direction = DIRECTION_HIGHER, .columns_count = 2};
	struct table unknown = {.columns_count = 2};
	struct row row = make_row("265", "Amean", 32.9783, 29.5240);

	(void)state;
	/* 100 (1 - 29.5240 / 32.9783) */
	assert_true(fabs(row_improvement(&lower, &row, 1) - 10.4745) < 1e-3);
	row.cells[1].has_change = true;
	row.cells[1].change = 10.47;
	row.rule = CHANGE_SAVED;
	assert_true(row_improvement(&lower, &row, 1) == 10.47);
	/* "[diff: -6.7%]" of a time: relative, and better. */
	row.cells[1].change = -10.47;
	row.rule = CHANGE_RELATIVE;
	assert_true(row_improvement(&lower, &row, 1) == 10.47);
	/* A normalised throughput: 1.00 against 0.90 with more digits in the change. */
	row = make_row("8-groups", "", 1.00, 0.90);
	row.cells[1].has_change = true;
	row.cells[1].change = -10.28;
	assert_true(row_improvement(&higher, &row, 1) == -10.28);
	row = make_row("x", "", 1.00, 1.00);
	row.cells[1].has_change = true;
	row.cells[1].change = -0.2;
	row.rule = CHANGE_RELATIVE;
	assert_true(row_improvement(&higher, &row, 1) == -0.2);
	assert_true(row_improvement(&lower, &row, 1) == 0.2);
	unknown.style = STYLE_AMD;
	/* Normalised values that round to the same: what is printed says more. */
	row.cells[1].change = -0.1;
	row.rule = CHANGE_UNKNOWN;
	higher.style = lower.style = STYLE_AMD;
	assert_true(row_improvement(&higher, &row, 1) == -0.1);
	assert_true(row_improvement(&lower, &row, 1) == -0.1);
	/* Without a direction there is no better. */
	assert_true(isnan(row_improvement(&unknown, &row, 1)));
	row = make_row("x", "", NAN, 1);
	assert_true(isnan(row_improvement(&higher, &row, 1)));
}

/* groups 1 and 8, five boots; the patched kernel takes 0.8 of the time at 8 groups. */
static struct result *measured(void)
{
	struct result *r = result_new(2, 2);

	r->cases[0] = xstrdup("1");
	r->cases[1] = xstrdup("8");
	r->case_numbers = xcalloc(2, sizeof(*r->case_numbers));
	r->case_numbers[0] = 1;
	r->case_numbers[1] = 8;
	r->variants[0] = xstrdup("base");
	r->variants[1] = xstrdup("patched");
	for (size_t c = 0; c < 2; c++)
		for (size_t v = 0; v < 2; v++)
			for (unsigned b = 1; b <= 5; b++) {
				struct result_sample s = {
					.value = (c && v ? 0.8 : 1.0) + 0.001 * (b % 3), .boot = b};

				result_cell_add(result_cell(r, c, v), &s);
			}
	return r;
}

static void rows_meet_cases_by_name_or_number(void **state)
{
	struct row rows[] = {
		make_row("1-groups", "Amean", 1.000, 1.001), make_row("8-groups", "Amean", 1, 0.85),
		make_row("8-groups", "Stddev", 1, 2),	     make_row("16-groups", "Amean", 1, 0.5),
		make_row("8-groups", "Amean", 1, 1.5),
	};
	struct table t = {.direction = DIRECTION_LOWER,
			  .columns_count = 2,
			  .rows = rows,
			  .rows_count = sizeof(rows) / sizeof(rows[0])};
	struct result *r = measured();
	struct error err = ERROR_INIT;
	struct judgement j;

	(void)state;
	assert_int_equal(judge_table(&j, &t, r, 1, &err), 0);
	assert_int_equal(j.count, 4); /* the Stddev states no mean */
	assert_int_equal(j.rows[0].verdict, VERDICT_NO_EFFECT);
	assert_false(j.rows[0].claimed);
	assert_int_equal(j.rows[1].verdict, VERDICT_REPRODUCED);
	assert_true(fabs(j.rows[1].change.percent - 20) < 0.1);
	assert_int_equal(j.rows[2].verdict, VERDICT_NOT_MEASURED);
	assert_int_equal(j.rows[3].verdict, VERDICT_OPPOSITE);
	assert_int_equal(j.claimed, 3);
	assert_int_equal(j.verdicts[VERDICT_REPRODUCED], 1);
	assert_false(judgement_holds(&j));
	judgement_release(&j);

	t.rows_count = 4;
	assert_int_equal(judge_table(&j, &t, r, 1, &err), 0);
	assert_true(judgement_holds(&j));
	judgement_release(&j);

	t.rows = rows + 3;
	t.rows_count = 1;
	assert_int_equal(judge_table(&j, &t, r, 1, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	result_free(r);
}

/* Search efficiency as published, 4.81 -> 21.08; boots of a guest that show more. */
static void counters_are_judged_by_their_boots(void **state)
{
	static double base[] = {2.40, 2.41, 2.42}, patched[] = {19.5, 19.7, 19.9};
	double values[] = {2.41, 19.7}, *boots[] = {base, patched};
	size_t counts[] = {3, 3};
	struct result_counter counter = {(char *)"SIS Search Efficiency", values, boots, counts};
	struct row rows[] = {make_row("SIS Search Efficiency", "Ops", 4.81, 21.08),
			     make_row("SIS Scanned", "Ops", 100, 50)};
	struct table t = {.style = STYLE_OPS, .columns_count = 2, .rows = rows, .rows_count = 2};
	struct result *r = measured();
	struct error err = ERROR_INIT;
	struct judgement j;

	(void)state;
	r->counters = &counter;
	r->counters_count = 1;
	assert_int_equal(judge_table(&j, &t, r, 1, &err), 0);
	assert_true(fabs(j.rows[0].published - 100 * (21.08 / 4.81 - 1)) < 1e-9);
	assert_true(fabs(j.rows[0].change.percent - 100 * (19.7 / 2.41 - 1)) < 1e-9);
	assert_int_equal(j.rows[0].verdict, VERDICT_REPRODUCED);
	assert_int_equal(j.rows[1].verdict, VERDICT_NOT_MEASURED);
	assert_int_equal(j.claimed, 2);
	judgement_release(&j);
	/* One boot has no interval. */
	counts[0] = counts[1] = 1;
	assert_int_equal(judge_table(&j, &t, r, 1, &err), 0);
	assert_int_equal(j.rows[0].verdict, VERDICT_INCONCLUSIVE);
	judgement_release(&j);
	r->counters = NULL;
	r->counters_count = 0;
	result_free(r);
}

static void cases_of_several_axes_are_found_by_their_values(void **state)
{
	struct row rows[] = {make_row("unixbench-pipe-512", "Hmean", 1, 2),
			     make_row("unixbench-dhry2reg-1", "Hmean", 1, 2),
			     make_row("unixbench-spawn-1", "Hmean", 1, 2)};
	struct table t = {
		.direction = DIRECTION_HIGHER, .columns_count = 2, .rows = rows, .rows_count = 3};
	struct result *r = measured();
	struct error err = ERROR_INIT;
	struct judgement j;

	(void)state;
	free(r->cases[0]);
	free(r->cases[1]);
	r->cases[0] = xstrdup("test=dhry2reg,copies=1");
	r->cases[1] = xstrdup("test=pipe,copies=512");
	assert_int_equal(judge_table(&j, &t, r, 1, &err), 0);
	assert_int_equal(j.rows[0].kase, 1);
	assert_int_equal(j.rows[1].kase, 0);
	assert_int_equal(j.rows[2].kase, -1);
	judgement_release(&j);
	result_free(r);
}

/* What has no number is never reproduced. */
static void failed_cells_are_not_measured(void **state)
{
	struct row row = make_row("8", "Amean", 1, 0.8);
	struct row other = make_row("1", "Amean", 1, 0.8);
	struct row rows[] = {row, other};
	struct table t = {
		.direction = DIRECTION_LOWER, .columns_count = 2, .rows = rows, .rows_count = 2};
	struct result *r = measured();
	struct error err = ERROR_INIT;
	struct judgement j;

	(void)state;
	result_cell(r, 1, 1)->count = 0;
	assert_int_equal(judge_table(&j, &t, r, 1, &err), 0);
	assert_int_equal(j.rows[0].verdict, VERDICT_NOT_MEASURED);
	assert_true(isnan(j.rows[0].value));
	assert_false(judgement_holds(&j));
	judgement_release(&j);
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_follow_the_interval),
		cmocka_unit_test(improvement_has_one_sign_for_all_styles),
		cmocka_unit_test(rows_meet_cases_by_name_or_number),
		cmocka_unit_test(failed_cells_are_not_measured),
		cmocka_unit_test(cases_of_several_axes_are_found_by_their_values),
		cmocka_unit_test(counters_are_judged_by_their_boots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
