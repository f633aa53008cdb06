// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/report.h"
#include "util/xalloc.h"

/* Two samples with exactly this mean and coefficient of variation, in two boots. */
static void fill(struct result *r, size_t kase, size_t variant, double mean, double cv)
{
	for (int i = 0; i < 2; i++) {
		struct result_sample s = {
			.value = mean * (1 + (i ? 1 : -1) * cv / 100 / sqrt(2)),
			.boot = i + 1,
		};

		result_cell_add(result_cell(r, kase, variant), &s);
	}
}

static struct result *make(const char *workload, enum better better, const char *const *cases,
			   size_t n, const char *second)
{
	struct result *r = result_new(2, n);

	r->workload = xstrdup(workload);
	r->better = better;
	r->statistic = xstrdup("amean");
	r->variants[0] = xstrdup("base");
	r->variants[1] = xstrdup(second);
	for (size_t i = 0; i < n; i++)
		r->cases[i] = xstrdup(cases[i]);
	return r;
}

static char *print(struct result *r, const char *style)
{
	struct error err = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	const struct report_options opt = REPORT_OPTIONS_INIT;

	if (report_style_find(style, &err)->print(r, &opt, &out, &err))
		fail_msg("%s", err.msg);
	result_free(r);
	return strbuf_detach(&out);
}

/* Rows of the mail of 2023-09-14 by K Prateek Nayak, made from their own numbers. */
static void amd_hackbench_is_that_of_the_mail(void **state)
{
	static const char *const cases[] = {"1", "16"};
	struct result *r = make("hackbench", BETTER_LOWER, cases, 2, "SIS_CACHE");
	char *text;

	(void)state;
	fill(r, 0, 0, 2, 1.89);
	fill(r, 0, 1, 2 * 1.1028, 2.03);
	fill(r, 1, 0, 3, 3.44);
	fill(r, 1, 1, 3 * 0.9024, 1.04);
	text = print(r, "amd");
	assert_string_equal(text,
			    "==================================================================\n"
			    "Test          : hackbench\n"
			    "Units         : Normalized time in seconds\n"
			    "Interpretation: Lower is better\n"
			    "Statistic     : AMean\n"
			    "==================================================================\n"
			    "Case:          base[pct imp](CV)     SIS_CACHE[pct imp](CV)\n"
			    " 1-groups     1.00 [ -0.00]( 1.89)     1.10 [-10.28]( 2.03)\n"
			    "16-groups     1.00 [ -0.00]( 3.44)     0.90 [  9.76]( 1.04)\n");
	free(text);
}

static void amd_netperf_and_tbench_rows_are_those_of_the_mail(void **state)
{
	static const char *const cases[] = {"1", "16", "128"}, *const clients[] = {"1", "1024"};
	struct result *r = make("netperf", BETTER_HIGHER, cases, 3, "SIS_CACHE");
	char *text;

	(void)state;
	fill(r, 0, 0, 9, 0.46);
	fill(r, 0, 1, 9 * 0.9945, 0.49);
	fill(r, 1, 0, 9, 0.70);
	fill(r, 1, 1, 9 * 0.982, 1.04);
	fill(r, 2, 0, 9, 1.72);
	fill(r, 2, 1, 9 * 1.0322, 1.99);
	text = print(r, "amd");
	assert_non_null(strstr(text,
			       "\nClients:          base[pct imp](CV)     SIS_CACHE[pct imp](CV)\n"
			       " 1-clients     1.00 [  0.00]( 0.46)     0.99 [ -0.55]( 0.49)\n"
			       "16-clients     1.00 [  0.00]( 0.70)     0.98 [ -1.80]( 1.04)\n"
			       "128-clients    1.00 [  0.00]( 1.72)     1.03 [  3.22]( 1.99)\n"));
	free(text);
	r = make("tbench", BETTER_HIGHER, clients, 2, "SIS_CACHE");
	fill(r, 0, 0, 500, 0.18);
	fill(r, 0, 1, 500 * 0.9839, 0.27);
	fill(r, 1, 0, 9000, 0.29);
	fill(r, 1, 1, 9000 * 0.993, 0.16);
	text = print(r, "amd");
	assert_non_null(strstr(text, "\n    1     1.00 [  0.00]( 0.18)     0.98 [ -1.61]( 0.27)\n"
				     " 1024     1.00 [  0.00]( 0.29)     0.99 [ -0.70]( 0.16)\n"));
	free(text);
}

static void amd_other_blocks_are_those_of_the_mail(void **state)
{
	static const char *const one[] = {"workloada"}, *const pins[] = {"1 CCD"};
	static const char *const unix_cases[] = {"dhry2reg-1"};
	struct result *r = make("ycsb-mongodb", BETTER_HIGHER, one, 1, "SIS_CACHE");
	char *text;

	(void)state;
	fill(r, 0, 0, 309589.33, 1.41);
	fill(r, 0, 1, 304931.33, 1.29);
	text = print(r, "amd");
	assert_non_null(strstr(text, "\nbase            : 309589.33 (var: 1.41%) \n"
				     "SIS_CACHE       : 304931.33 (var: 1.29%) [diff: -1.50%]\n"));
	free(text);
	r = make("DeathStarBench", BETTER_HIGHER, pins, 1, "SIS_CACHE");
	r->case_label = xstrdup("pin");
	fill(r, 0, 0, 100, 1);
	fill(r, 0, 1, 99.18, 1);
	text = print(r, "amd");
	assert_non_null(strstr(text, "\nPinning         base     SIS_CACHE\n"
				     "1 CCD           100%      99.18% [%diff: -0.82%]\n"));
	free(text);
	r = make("unixbench", BETTER_HIGHER, unix_cases, 1, "SIS_CACHE");
	fill(r, 0, 0, 41248390.97, 1);
	fill(r, 0, 1, 41485503.82, 1);
	text = print(r, "amd");
	assert_non_null(strstr(text,
			       "\nMetric\t\tvariant                      base\t\t     SIS_CACHE\n"
			       "Amean     unixbench-dhry2reg-1            41248390.97 (   0.00%)"
			       "    41485503.82 (   0.57%)\n"));
	free(text);
}

static void summary_puts_the_worst_first_in_words(void **state)
{
	static const char *const cases[] = {"1", "2", "4", "8"};
	struct result *r = make("hackbench", BETTER_LOWER, cases, 4, "patched");
	static const char *const order[] = {"failed", "regression", "no change", "improvement"};
	char *text, *at;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		fill(r, i, 0, 10, 0.1);
	fill(r, 0, 1, 9, 0.1);
	fill(r, 1, 1, 10.001, 0.1);
	fill(r, 2, 1, 12, 0.1);
	result_cell(r, 3, 1)->failed = 2;
	text = print(r, "summary");
	at = text;
	for (size_t i = 0; i < 4; i++) {
		at = strstr(at, order[i]);
		assert_non_null(at);
	}
	free(text);
}

static void lkp_shows_raw_changes_and_failures(void **state)
{
	static const char *const cases[] = {"1", "2"};
	struct result *r = make("hackbench", BETTER_HIGHER, cases, 2, "patched");
	char *text;

	(void)state;
	r->metric = xstrdup("throughput");
	fill(r, 0, 0, 123456.7, 3.2);
	fill(r, 0, 1, 115555.5, 1);
	fill(r, 1, 0, 10, 1);
	result_cell(r, 1, 1)->failed = 2;
	text = print(r, "lkp");
	assert_non_null(strstr(text, "    123456 \302\261  3%      -6.4%     115555        "
				     "hackbench.throughput/1\n"));
	assert_non_null(
		strstr(text, "          0:2          100%           2:2     hackbench.fail/2\n"));
	free(text);
}

static void markdown_and_html_escape_what_they_are_given(void **state)
{
	static const char *const cases[] = {"1|<b>"};
	char *text;
	struct result *r;

	(void)state;
	r = make("hackbench", BETTER_LOWER, cases, 1, "x<script>");
	fill(r, 0, 0, 1, 1);
	fill(r, 0, 1, 2, 1);
	text = print(r, "markdown");
	assert_non_null(strstr(text, "| 1\\|\\<b> | 1.000 | 1.00% | 2 x 1 |"));
	assert_non_null(strstr(text, "**-100.00%**"));
	free(text);
	r = make("hackbench", BETTER_LOWER, cases, 1, "x<script>");
	fill(r, 0, 0, 1, 1);
	fill(r, 0, 1, 2, 1);
	text = print(r, "html");
	assert_null(strstr(text, "<script"));
	assert_non_null(strstr(text, "class=\"worse\">* -100.00%"));
	assert_non_null(strstr(text, "<svg"));
	assert_non_null(strstr(text, "</html>"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amd_hackbench_is_that_of_the_mail),
		cmocka_unit_test(amd_netperf_and_tbench_rows_are_those_of_the_mail),
		cmocka_unit_test(amd_other_blocks_are_those_of_the_mail),
		cmocka_unit_test(summary_puts_the_worst_first_in_words),
		cmocka_unit_test(lkp_shows_raw_changes_and_failures),
		cmocka_unit_test(markdown_and_html_escape_what_they_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
