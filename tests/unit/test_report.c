// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/analysis.h"
#include "report/number.h"
#include "report/report.h"
#include "util/xalloc.h"

/* Two variants, two cases, 3 boots of 2: the second variant is 10 % faster in the first case. */
static struct result *example(void)
{
	struct result *r = result_new(2, 2);

	r->title = xstrdup("hackbench, process, pipes");
	r->workload = xstrdup("hackbench");
	r->metric = xstrdup("time");
	r->unit = xstrdup("s");
	r->case_label = xstrdup("groups");
	r->statistic = xstrdup("amean");
	r->boots = 3;
	r->repetitions = 2;
	r->variants[0] = xstrdup("baseline");
	r->variants[1] = xstrdup("a-variant-with-a-name-longer-than-its-column");
	r->cases[0] = xstrdup("1");
	r->cases[1] = xstrdup("16");
	for (size_t c = 0; c < 2; c++)
		for (size_t v = 0; v < 2; v++)
			for (unsigned i = 0; i < 6; i++) {
				double base = c == 0 && v == 1 ? 0.9 : 1.0;
				struct result_sample s = {
					.value = base + 0.001 * (i % 3) - 0.001,
					.boot = i / 2 + 1,
					.repetition = i % 2 + 1,
				};

				result_cell_add(result_cell(r, c, v), &s);
				result_cell(r, c, v)->planned = 6;
			}
	return r;
}

static char *print(const struct result *r, const char *style, const struct report_options *opt)
{
	struct error err = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	const struct report_style *s = report_style_find(style, &err);

	assert_non_null(s);
	if (s->print(r, opt, &out, &err))
		fail_msg("%s", err.msg);
	return strbuf_detach(&out);
}

static void empty_cell(struct result_cell *cell)
{
	free(cell->samples);
	cell->samples = NULL;
	cell->count = 0;
}

static void table_states_unit_direction_count_and_rule(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	char *text = print(r, "table", &opt);

	(void)state;
	assert_non_null(strstr(text, "hackbench time (s), lower is better"));
	assert_non_null(strstr(text, "n = 3 boots x 2 repetitions"));
	assert_non_null(strstr(text, "a-variant-with-a-name-longer-than-its-column\n"));
	assert_non_null(strstr(text, "1.0000 (   0.00%)"));
	assert_non_null(strstr(text, "0.9000 *  10.00%*"));
	assert_non_null(
		strstr(text, "positive is better; *x%*: p < 0.05, Welch's t test on boot means"));
	free(text);
	result_free(r);
}

static void table_names_cells_without_a_number(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	struct result_cell *failed = result_cell(r, 0, 1), *cut = result_cell(r, 1, 1);
	char *text;

	(void)state;
	empty_cell(failed);
	failed->failed = 2;
	failed->why = xstrdup("panic in init");
	empty_cell(cut);
	cut->timeout = 1;
	text = print(r, "table", &opt);
	assert_non_null(strstr(text, " failed\n"));
	assert_non_null(strstr(text, " timeout\n"));
	assert_non_null(strstr(text, "0 of 6 samples, 2 failed (panic in init)"));
	assert_non_null(strstr(text, "1 cut off by the timeout"));
	assert_null(strstr(text, "nan"));
	free(text);
	result_free(r);
}

static void one_boot_says_that_boots_are_not_covered(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	char *text;

	(void)state;
	for (size_t c = 0; c < 4; c++)
		for (size_t i = 0; i < r->cells[c].count; i++)
			r->cells[c].samples[i].boot = 1;
	text = print(r, "table", &opt);
	assert_non_null(strstr(text, "boot-to-boot variance is not covered"));
	free(text);
	result_free(r);
}

static void one_sample_has_no_test(void **state)
{
	struct report_options opt = {.intervals = true};
	struct result *r = example();
	struct cell_change c;
	char *text;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		r->cells[i].count = 1;
	cell_compare(r, 0, 1, &opt, &c);
	assert_int_equal(c.test.verdict, STATS_TOO_FEW);
	assert_false(c.marked);
	text = print(r, "table", &opt);
	assert_non_null(strstr(text, "need >= 2"));
	free(text);
	result_free(r);
}

/* The boots are the units: 2 x 3 boots that differ by less than they scatter are no change, though
 * the pooled samples would be "significant". */
static void repetitions_do_not_count_as_boots(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	static const double means[2][3] = {{1.00, 1.02, 0.98}, {1.03, 1.00, 1.02}};
	struct cell_change c;

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		empty_cell(result_cell(r, 0, v));
		for (unsigned i = 0; i < 60; i++) {
			struct result_sample s = {.value = means[v][i / 20], .boot = i / 20};

			result_cell_add(result_cell(r, 0, v), &s);
		}
	}
	cell_compare(r, 0, 1, &opt, &c);
	assert_int_equal(c.unit, UNIT_BOOT);
	assert_int_equal(c.units[0], 3);
	assert_int_equal(c.test.verdict, STATS_NO_CHANGE);
	assert_true(c.low < 0 && c.high > 0);
	result_free(r);
}

static void geometric_mean_is_over_matched_rows(void **state)
{
	struct result *r = example();
	size_t matched;

	(void)state;
	empty_cell(result_cell(r, 1, 1));
	assert_true(fabs(result_ratio_gmean(r, 1, &matched) - 0.9) < 1e-12);
	assert_int_equal(matched, 1);
	result_free(r);
}

static void json_stays_json_whatever_the_numbers(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	json_t *j, *cell;
	json_error_t error;
	char *text;

	(void)state;
	result_cell(r, 0, 0)->samples[0].value = NAN;
	result_cell(r, 0, 0)->samples[1].value = INFINITY;
	r->title[0] = '\xff';
	empty_cell(result_cell(r, 1, 1));
	text = print(r, "json", &opt);
	j = json_loads(text, 0, &error);
	assert_non_null(j);
	cell = json_array_get(
		json_object_get(json_array_get(json_object_get(j, "cases"), 0), "cells"), 0);
	assert_true(json_is_null(json_object_get(cell, "mean")));
	assert_int_equal(json_array_size(json_object_get(cell, "samples")), 6);
	json_decref(j);
	free(text);
	result_free(r);
}

static void csv_quotes_and_keeps_every_digit(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	char *text, *line;

	(void)state;
	free(r->variants[0]);
	r->variants[0] = xstrdup("a,\"b\"");
	result_cell(r, 0, 0)->samples[0].value = 0.1 + 0.2;
	text = print(r, "csv", &opt);
	line = strchr(text, '\n') + 1;
	assert_non_null(strstr(line, ",\"a,\"\"b\"\"\",,1,1,1,0,0.30000000000000004\n"));
	free(text);
	result_free(r);
}

static void numbers_for_machines_read_back_the_same(void **state)
{
	static const double values[] = {0,	 -0.0,	0.3,   0.1 + 0.2, 1e-12,     -1.5,
					-0.25,	 1e12,	1e300, 123.456,	  1e9 - 0.5, 5e-324,
					2.0 / 3, -1e-6, 42,    1000000,	  0.000001};
	static const int64_t integers[] = {0, -1, 7, INT64_MAX, INT64_MIN};
	struct strbuf text = STRBUF_INIT;
	char want[32];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		strbuf_reset(&text);
		number_add(&text, values[i]);
		assert_true(strtod(text.buf, NULL) == values[i]);
	}
	for (size_t i = 0; i < 5; i++) {
		strbuf_reset(&text);
		number_add_integer(&text, integers[i]);
		snprintf(want, sizeof(want), "%lld", (long long)integers[i]);
		assert_string_equal(text.buf, want);
	}
	strbuf_release(&text);
}

static void mmtests_cuts_names_only_for_its_own_bytes(void **state)
{
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = example();
	char *text = print(r, "mmtests", &opt);

	(void)state;
	assert_null(strstr(text, "baselin "));
	assert_non_null(strstr(text, " baseline"));
	free(text);
	opt.significance = SIGNIFICANCE_MMTESTS;
	text = print(r, "mmtests", &opt);
	assert_non_null(strstr(text, " baselin "));
	free(text);
	result_free(r);
}

static void mmtests_html_marks_cells_by_colour(void **state)
{
	struct report_options opt = {.significance = SIGNIFICANCE_MMTESTS, .html = true};
	struct result *r = example();
	char *text = print(r, "mmtests", &opt);

	(void)state;
	assert_true(strstr(text, "<table class=\"resultsTable\">\n<tr><th colspan=\"2\" > ") ==
		    text);
	assert_non_null(strstr(text,
			       "<tr><td >Amean    </td><td > time-1 </td><td >            1.0000"
			       "</td><td > (   0.00%)</td><td >            0.9000</td>"
			       "<td bgcolor=\"#A0FFA0\"> (  10.00%)</td></tr>\n"));
	assert_null(strchr(text, '*'));
	free(text);
	/* What is undefined prints as 0 in a page, and as blanks in text. */
	opt.significance_rows = true;
	text = print(r, "mmtests", &opt);
	assert_non_null(strstr(text, "</td><td>              0.00</td></tr>\n</table>\n"));
	free(text);
	opt.significance_rows = false;
	opt.ratio = true;
	text = print(r, "mmtests", &opt);
	assert_non_null(strstr(text, "<tr><td >Gmean</td><td > Lower  </td><td >            1.0000"
				     "</td><td > (0.00%)</td><td > (+0.00s)</td><td >"));
	free(text);
	result_free(r);
}

static void mmtests_prints_what_decided_and_bare_values(void **state)
{
	struct report_options opt = {.significance = SIGNIFICANCE_MMTESTS,
				     .significance_rows = true};
	struct result *r = example();
	struct error err = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	char *text = print(r, "mmtests", &opt);

	(void)state;
	/* 0.1 apart, both with stddev sqrt(4e-6/5): 0.1 / (2 * 1.959964 * 8.944272e-4) = 28.52 */
	assert_non_null(strstr(text, "Significant time-1             0.0000 (   0.00%)            "
				     "1.0000 (  28.52%)                  \n"));
	free(text);
	opt.significance_rows = false;
	opt.no_compare = true;
	text = print(r, "mmtests", &opt);
	assert_non_null(strstr(text, "\nAmean     time-1             1.0000            0.9000\n"));
	free(text);
	opt.ratio = true;
	assert_int_equal(report_style_find("mmtests", &err)->print(r, &opt, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	strbuf_release(&out);
	result_free(r);
}

/* Three cases whose p differ, against Holm's and Benjamini and Hochberg's formulas by hand. */
static void adjustment_is_over_all_rows_of_the_table(void **state)
{
	static const double shifts[] = {0.05, 0.02, 0.0};
	struct report_options opt = REPORT_OPTIONS_INIT;
	struct result *r = result_new(2, 3);
	struct cell_change c[3], adjusted;
	double *holm, *bh, p[3];

	(void)state;
	for (size_t kase = 0; kase < 3; kase++)
		for (size_t v = 0; v < 2; v++)
			for (unsigned i = 0; i < 5; i++) {
				struct result_sample s = {
					.value = 1 + v * shifts[kase] + 0.01 * (i * 7 % 5),
					.boot = i + 1,
				};

				result_cell_add(result_cell(r, kase, v), &s);
			}
	for (size_t i = 0; i < 3; i++) {
		cell_compare(r, i, 1, &opt, &c[i]);
		p[i] = c[i].test.p;
		assert_true(c[i].adjusted_p == p[i]);
	}
	assert_true(p[0] < p[1] && p[1] < p[2]);
	assert_true(c[0].marked && !c[2].marked);

	assert_null(result_adjust(r, &opt));
	opt.adjust = ADJUST_BH;
	bh = result_adjust(r, &opt);
	opt.adjust = ADJUST_HOLM;
	opt.adjusted = holm = result_adjust(r, &opt);
	for (size_t i = 0; i < 3; i++)
		assert_true(isnan(holm[2 * i]) && isnan(bh[2 * i]));
	assert_true(fabs(holm[1] - fmin(1, 3 * p[0])) < 1e-15);
	assert_true(fabs(holm[3] - fmin(1, 2 * p[1])) < 1e-15);
	assert_true(fabs(bh[1] - fmin(3 * p[0], fmin(1.5 * p[1], p[2]))) < 1e-15);
	assert_true(fabs(bh[5] - p[2]) < 1e-15);

	/* The mark, the verdict and the words follow the adjusted p. */
	opt.alpha = 2 * p[0];
	cell_compare(r, 0, 1, &opt, &adjusted);
	assert_false(adjusted.marked);
	assert_int_equal(adjusted.test.verdict, STATS_NO_CHANGE);
	assert_true(fabs(adjusted.adjusted_p - 3 * p[0]) < 1e-15);
	opt.adjusted = NULL;
	cell_compare(r, 0, 1, &opt, &adjusted);
	assert_true(adjusted.marked);
	free(holm);
	free(bh);
	result_free(r);
}

static void styles_are_listed_by_name(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 1; report_style_at(i); i++)
		assert_true(strcmp(report_style_at(i - 1)->name, report_style_at(i)->name) < 0);
	assert_null(report_style_find("nope", &err));
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "mmtests"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_states_unit_direction_count_and_rule),
		cmocka_unit_test(table_names_cells_without_a_number),
		cmocka_unit_test(one_boot_says_that_boots_are_not_covered),
		cmocka_unit_test(one_sample_has_no_test),
		cmocka_unit_test(repetitions_do_not_count_as_boots),
		cmocka_unit_test(geometric_mean_is_over_matched_rows),
		cmocka_unit_test(json_stays_json_whatever_the_numbers),
		cmocka_unit_test(csv_quotes_and_keeps_every_digit),
		cmocka_unit_test(numbers_for_machines_read_back_the_same),
		cmocka_unit_test(mmtests_cuts_names_only_for_its_own_bytes),
		cmocka_unit_test(mmtests_html_marks_cells_by_colour),
		cmocka_unit_test(mmtests_prints_what_decided_and_bare_values),
		cmocka_unit_test(adjustment_is_over_all_rows_of_the_table),
		cmocka_unit_test(styles_are_listed_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
