// SPDX-License-Identifier: GPL-2.0-or-later
/* Right values: figures made up here, printed in the styles that people use; changes by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "published/published.h"
#include "util/xalloc.h"

#define HEADER "From: a@example.org\nSubject: x\n\n"

static struct mailbox box;
static struct tables tables;

static void read_text(const char *body)
{
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	strbuf_addf(&sb, HEADER "%s", body);
	if (mailbox_parse(&box, "test", sb.buf, sb.len, &err))
		fail_msg("%s", err.msg);
	tables_read(&tables, &box, 1);
	strbuf_release(&sb);
}

static int forget(void **state)
{
	(void)state;
	tables_release(&tables);
	mailbox_release(&box);
	return 0;
}

static void none(const char *body)
{
	read_text(body);
	assert_int_equal(tables.count, 0);
	forget(NULL);
}

static const struct table *only(enum table_style style, unsigned rows, unsigned columns)
{
	assert_int_equal(tables.count, 1);
	assert_int_equal(tables.items[0].style, style);
	assert_int_equal(tables.items[0].rows_count, rows);
	assert_int_equal(tables.items[0].columns_count, columns);
	return &tables.items[0];
}

static void cell(const struct row *r, unsigned i, const char *text, double change, bool significant)
{
	assert_string_equal(r->cells[i].text, text);
	if (isnan(change))
		assert_true(!r->cells[i].has_change || isnan(r->cells[i].change));
	else
		assert_float_equal(r->cells[i].change, change, 1e-9);
	assert_int_equal(r->cells[i].significant, significant);
}

static void mmtests(void **state)
{
	const struct table *t;

	(void)state;
	read_text("With hackbench:\n\n"
		  "                     6.1-rc1                6.1-rc1\n"
		  "                     vanilla                patched\n"
		  "Amean     1        2.0000 (   0.00%)      1.5000 *  25.00%*\n"
		  "Amean     16       4.0000 (   0.00%)      4.2000 (  -5.00%)\n"
		  "Stddev    1        0.1000 (   0.00%)         NaN (    NaN%)\n");
	t = only(STYLE_MMTESTS, 3, 2);
	assert_string_equal(t->test, "hackbench");
	assert_string_equal(t->columns[0], "6.1-rc1-vanilla");
	assert_string_equal(t->columns[1], "6.1-rc1-patched");
	assert_int_equal(t->direction, DIRECTION_LOWER);
	assert_string_equal(t->rows[0].statistic, "Amean");
	assert_string_equal(t->rows[1].name, "16");
	assert_int_equal(t->rows[1].line, 9);
	cell(&t->rows[0], 1, "1.5000", 25, true);
	cell(&t->rows[1], 1, "4.2000", -5, false);
	cell(&t->rows[2], 1, "NaN", NAN, false);
	for (unsigned i = 0; i < 3; i++)
		assert_false(t->rows[i].flagged);
}

/* Three kernels, no heading; one printed change is wrong, and one value is missing. */
static void flags(void **state)
{
	const struct table *t;

	(void)state;
	read_text("Hmean 1 100.00 (   0.00%) 110.00 (  10.00%) 121.00 *  21.00%*\n"
		  "Hmean 2 200.00 (   0.00%) 190.00 (   5.00%) 202.00 (   1.00%)\n"
		  "Hmean 4 400.00 (   0.00%)   0.00 (   0.00%) 404.00 (   1.00%)\n"
		  "Hmean 8   3.00 (   0.00%)   3.01 (   0.51%)   2.99 (  -0.50%)\n");
	t = only(STYLE_MMTESTS, 4, 3);
	assert_false(t->named);
	assert_int_equal(t->direction, DIRECTION_HIGHER);
	assert_false(t->rows[0].flagged);
	assert_true(t->rows[1].flagged && t->rows[1].cells[1].flagged &&
		    !t->rows[1].cells[2].flagged);
	assert_float_equal(t->rows[1].cells[1].recomputed, -5, 1e-9);
	assert_true(t->rows[2].cells[1].flagged);
	/* 3.01 / 3.00 may be anything from 1.0000 to 1.0067. */
	assert_false(t->rows[3].flagged);
}

static void wrapped_and_quoted(void **state)
{
	const struct table *t;

	(void)state;
	read_text("> > Hmean     1        500.00 (   0.00%)\n"
		  "> > 505.00 *   1.00%*\n"
		  "> > Hmean     2        900.00 (   0.00%)      891.00 *\n"
		  "> > -1.00%*\n"
		  "> > Hmean     4       1000.00 (   0.00%)     1000.00 (   0.00%)\n");
	t = only(STYLE_MMTESTS, 3, 2);
	assert_int_equal(t->places[0].quoted, 2);
	cell(&t->rows[0], 1, "505.00", 1, true);
	cell(&t->rows[1], 1, "891.00", -1, true);
	assert_int_equal(t->rows[2].line, 8);
	/* Values keep the line that they are on. */
	assert_int_equal(t->rows[0].cells[0].line, 4);
	assert_int_equal(t->rows[0].cells[1].line, 5);
	assert_int_equal(t->rows[1].cells[1].line, 6);
	assert_string_equal(t->rows[1].name, "2");
}

/* An archive that keeps one blank of many; changes whose digits are cut off. */
static void narrow(void **state)
{
	const struct table *t;

	(void)state;
	read_text("we see\n\n5.10.0-rc6 5.10.0-rc6\nschedstat idle\nHmean 1 500.00 ( 0.00%) 505.00 "
		  "* 1.00%*\n");
	t = only(STYLE_MMTESTS, 1, 2);
	assert_string_equal(t->columns[1], "5.10.0-rc6-idle");
	forget(NULL);
	read_text("we see\nHmean 1 500.00 ( 0.00%) 505.00 * 1.00%*\n");
	assert_false(only(STYLE_MMTESTS, 1, 2)->named);
	forget(NULL);
	read_text("1-groups: 3.92 (0.00 pct)   4.05 (-3.31 pct)\n2-groups: 3.00 (0.00 pct)   3.01 "
		  "(-0.99 pct)\n");
	t = only(STYLE_MMTESTS, 2, 2);
	assert_string_equal(t->rows[0].name, "1-groups");
	assert_int_equal(t->direction, DIRECTION_LOWER);
	assert_false(t->rows[0].flagged);
	assert_true(t->rows[1].flagged);
}

static void copies(void **state)
{
	const struct table *t;

	(void)state;
	read_text("Hmean 1 100.00 (   0.00%) 110.00 (  10.00%)\n"
		  "Hmean 2 200.00 (   0.00%) 220.00 (  10.00%)\n"
		  "\ntext\n\n"
		  "> Hmean 1 100.00 (   0.00%) 110.00 (  10.00%)\n"
		  "> Hmean 2 200.00 (   0.00%) 220.00 (  10.00%)\n"
		  "\nonly this one:\n\n"
		  "| Hmean 2 200.00 (   0.00%) 220.00 (  10.00%)\n"
		  "\nnot this one:\n\n"
		  "Hmean 2 200.00 (   0.00%) 230.00 (  15.00%)\n");
	assert_int_equal(tables.count, 2);
	t = &tables.items[0];
	assert_int_equal(t->rows_count, 2);
	assert_int_equal(t->places_count, 3);
	assert_int_equal(t->places[0].line, 4);
	assert_int_equal(t->places[1].line, 9);
	assert_int_equal(t->places[2].line, 14);
	assert_int_equal(tables.items[1].places_count, 1);
}

static void amd(void **state)
{
	const struct table *t;

	(void)state;
	read_text("====================\nTest          : stream-10\nUnits         : Normalized "
		  "Bandwidth, MB/s\n"
		  "Interpretation: Higher is better\nStatistic     : HMean\n====================\n"
		  "Test:\t base[pct imp](CV)\tnew one[pct imp](CV)\n"
		  " Copy     1.00 [  0.00]( 4.32)\t0.90 [ -9.82](10.72)  *\n"
		  "Scale     1.00 [  0.00]( 5.21)\t1.01 [  0.59]( 1.83)\n"
		  "Triad     1.00 [  0.00](45.21)\t1.01 [-12.47]( 1.83)  ^\n"
		  "\nThat was it.\n\n"
		  "1-groups     2.00 [  0.00]( 5.21)\t1.00 [ 50.00]( 1.83)\n");
	assert_int_equal(tables.count, 2);
	t = &tables.items[0];
	assert_int_equal(t->style, STYLE_AMD);
	assert_int_equal(t->rows_count, 3);
	assert_string_equal(t->test, "stream-10");
	assert_string_equal(t->unit, "Normalized Bandwidth, MB/s");
	assert_string_equal(t->statistic, "HMean");
	assert_int_equal(t->direction, DIRECTION_HIGHER);
	assert_string_equal(t->columns[0], "base");
	assert_string_equal(t->rows[0].name, "Copy");
	assert_string_equal(t->rows[0].mark, "*");
	cell(&t->rows[0], 1, "0.90", -9.82, false);
	assert_float_equal(t->rows[0].cells[1].cv, 10.72, 1e-9);
	assert_false(t->rows[0].flagged || t->rows[1].flagged);
	assert_true(t->rows[2].flagged);
	/* The fields were of the block above. */
	assert_string_equal(tables.items[1].test, "");
	assert_int_equal(tables.items[1].rows[0].rule, CHANGE_SAVED);
}

static void other_styles(void **state)
{
	const struct table *t;

	(void)state;
	read_text("tbench results (node 0):\n            baseline                     patched\n"
		  "  1:        300.0000        330.0000 (   10.00%)\n128:       6000.0000       "
		  "5940.0000 (   -1.00%)\n");
	t = only(STYLE_COLON, 2, 2);
	assert_string_equal(t->columns[1], "patched");
	assert_string_equal(t->rows[1].name, "128");
	cell(&t->rows[0], 0, "300.0000", NAN, false);
	assert_false(t->rows[0].flagged || t->rows[1].flagged);
	forget(NULL);

	read_text("netperf\n=======\ncase            \tload    \tbaseline(std%)\tcompare%( std%)\n"
		  "TCP_RR          \t56-threads\t 1.00 (  2.56)\t -0.25 (  3.27)\n"
		  "TCP_RR          \t112-threads\t 1.00 ( 72.26)\t+69.47 (  2.18)\n");
	t = only(STYLE_INTEL, 2, 2);
	assert_string_equal(t->test, "netperf");
	assert_string_equal(t->columns[0], "baseline");
	assert_string_equal(t->columns[1], "compare");
	assert_string_equal(t->rows[1].name, "TCP_RR 112-threads");
	cell(&t->rows[1], 1, "", 69.47, false);
	assert_float_equal(t->rows[1].cells[0].cv, 72.26, 1e-9);
	forget(NULL);

	read_text("Ops SIS Domain Scanned     2000.00       500.00\nOps SIS Search Efficiency     "
		  "4.81        21.08\n");
	t = only(STYLE_OPS, 2, 2);
	assert_string_equal(t->rows[0].name, "SIS Domain Scanned");
	assert_string_equal(t->rows[0].statistic, "Ops");
	cell(&t->rows[1], 1, "21.08", NAN, false);
	forget(NULL);

	read_text("base            : 3000.00 (var: 1.41%) \npatched         : 2955.00 (var: 1.29%) "
		  "[diff: -1.50%]\n");
	t = only(STYLE_VARIANCE, 1, 2);
	assert_string_equal(t->columns[1], "patched");
	cell(&t->rows[0], 1, "2955.00", -1.5, false);
	assert_float_equal(t->rows[0].cells[0].cv, 1.41, 1e-9);
	assert_int_equal(t->rows[0].cells[1].line, 5);
	assert_false(t->rows[0].flagged);
	forget(NULL);

	read_text("Pinning         base     new\n1 CCD           100%      99.18% [%diff: -0.82%]\n"
		  "2 CCD           100%      90.00% [%diff: -1.00%]\n");
	t = only(STYLE_PERCENT, 2, 2);
	assert_string_equal(t->columns[1], "new");
	assert_string_equal(t->rows[1].name, "2 CCD");
	cell(&t->rows[0], 1, "99.18", -0.82, false);
	assert_false(t->rows[0].flagged);
	assert_true(t->rows[1].flagged);
}

static void lkp(void **state)
{
	const struct table *t;

	(void)state;
	read_text(
		"0123456789abcdef 23456789abcdef01\n---------------- ---------------------------\n"
		"         %stddev     %change         %stddev\n             \\          |        "
		"        \\\n"
		"   4000000 \xb1  2%     -10.0%    3600000 \xc2\xb1  3%  vmstat.system.cs\n"
		"     10000           +19.0%      11900        x.ops_per_sec\n");
	t = only(STYLE_LKP, 2, 2);
	assert_string_equal(t->columns[1], "23456789abcdef01");
	assert_string_equal(t->rows[0].name, "vmstat.system.cs");
	cell(&t->rows[0], 1, "3600000", -10, false);
	assert_float_equal(t->rows[0].cells[0].cv, 2, 1e-9);
	assert_float_equal(t->rows[0].cells[1].cv, 3, 1e-9);
	assert_false(t->rows[0].flagged || t->rows[1].flagged);
	forget(NULL);

	read_text("  1.20e+08 \xc4\x85  3%     -10.0%   1.08e+08        x.bytes\n"
		  "      1.20            +1.2        2.40 \xc2\xb1  3%  "
		  "perf-profile.calltrace.a.b\n");
	t = only(STYLE_LKP, 2, 2);
	assert_float_equal(t->rows[0].cells[0].value, 1.2e8, 1);
	assert_float_equal(t->rows[0].cells[0].cv, 3, 1e-9);
	assert_true(t->rows[1].cells[1].absolute && !t->rows[0].cells[1].absolute);
	assert_float_equal(t->rows[1].cells[1].recomputed, 1.2, 1e-9);
	assert_false(t->rows[0].flagged || t->rows[1].flagged);
	forget(NULL);

	read_text("kernel test robot noticed a -6.4% regression of hackbench.throughput on:\n");
	t = only(STYLE_LKP_LIST, 1, 1);
	assert_string_equal(t->rows[0].name, "hackbench.throughput");
	assert_string_equal(t->rows[0].mark, "regression");
	assert_float_equal(t->rows[0].cells[0].change, -6.4, 1e-9);
	forget(NULL);

	read_text("> | testcase: change | a: a.ops   -19.0% regression\n> | testcase: change | b: "
		  "b.ops  100.2% improvement |\n");
	t = only(STYLE_LKP_LIST, 2, 1);
	assert_string_equal(t->rows[1].name, "b: b.ops");
	assert_float_equal(t->rows[0].cells[0].change, -19, 1e-9);
	assert_float_equal(t->rows[1].cells[0].change, 100.2, 1e-9);
}

/* Spreads beside the values, as SUSE and Linaro print them; values in parentheses, as IBM does. */
static void spreads(void **state)
{
	const struct table *t;

	(void)state;
	read_text("                  5.2 vanilla (BASELINE)   5.2 turbo\n"
		  "Hmean  1       100.00 +- 0.31% (        )    250.00 +- 0.66% ( 150.00%)\n"
		  "Hmean  2       200.00 +- 0.62% (        )    190.00 +- 0.51% (   5.00%)\n");
	t = only(STYLE_DEVIATION, 2, 2);
	assert_string_equal(t->columns[0], "5.2 vanilla (BASELINE)");
	assert_string_equal(t->columns[1], "5.2 turbo");
	cell(&t->rows[0], 0, "100.00", NAN, false);
	cell(&t->rows[0], 1, "250.00", 150, false);
	assert_float_equal(t->rows[0].cells[1].cv, 0.66, 1e-9);
	assert_true(t->rows[1].flagged);
	forget(NULL);
	read_text("grp  mainline             patch\n1    1.500(+/- 9.72 %)    1.200(+/- 9.21 %)  "
		  "(+20.00%)\n"
		  "4    2.000(+/- 6.86 %)    2.100(+/- 4.01 %)  -5.0 %\n");
	t = only(STYLE_DEVIATION, 2, 2);
	assert_string_equal(t->columns[0], "mainline");
	assert_int_equal(t->direction, DIRECTION_LOWER);
	cell(&t->rows[1], 1, "2.100", -5, false);
	assert_false(t->rows[0].flagged || t->rows[1].flagged);
	forget(NULL);
	read_text("                       6.9-rc2     with patch\nProcess 10 groups  :   0.70,     "
		  "  0.71(-1.43)\n"
		  "Process 20 groups  :   1.50,       1.35(10.00)\n");
	t = only(STYLE_BARE, 2, 2);
	assert_string_equal(t->columns[1], "with patch");
	assert_string_equal(t->rows[0].name, "Process 10 groups");
	cell(&t->rows[0], 1, "0.71", -1.43, false);
	forget(NULL);
	/* No change follows from these: it is how much they vary. */
	read_text("run a: 10.20(13.56)  10.40(2.00)\nrun b: 20.20(3.00)  30.40(4.00)\n");
	t = only(STYLE_BARE, 2, 2);
	cell(&t->rows[0], 1, "10.40", NAN, false);
	assert_float_equal(t->rows[0].cells[0].cv, 13.56, 1e-9);
	forget(NULL);
	read_text("Wakeup Latencies percentiles (usec) runtime 30 (s)\n\t  50.0th: 12         (345 "
		  "samples)\n"
		  "\t* 99.0th: 74880      (54 samples)\n");
	t = only(STYLE_SCHBENCH, 2, 1);
	assert_string_equal(t->test, "schbench");
	assert_string_equal(t->unit, "usec");
	assert_string_equal(t->rows[1].name, "99.0th");
	assert_float_equal(t->rows[1].cells[0].value, 74880, 0);
	assert_int_equal(t->direction, DIRECTION_LOWER);
}

static void probes(void **state)
{
	const struct table *t;

	(void)state;
	read_text("> 6.9\n> -----------\n> idle system:\n> 449 probe:f_L37\n> 1,377 probe:f_L55   "
		  "\t<<-- more\n"
		  "> load -l 51     << 51% load\n> 88K probe:f_L37\n>\n> +patch\n> -----\n> idle "
		  "system:\n> 5M sched:sched_switch\n");
	assert_int_equal(tables.count, 2);
	t = &tables.items[0];
	assert_int_equal(t->style, STYLE_COUNTS);
	assert_string_equal(t->columns[0], "6.9");
	assert_int_equal(t->rows_count, 3);
	assert_string_equal(t->rows[0].group, "idle system");
	assert_string_equal(t->rows[2].group, "51% load");
	assert_string_equal(t->rows[2].name, "probe:f_L37");
	assert_float_equal(t->rows[1].cells[0].value, 1377, 0);
	assert_float_equal(t->rows[2].cells[0].value, 88000, 0);
	assert_float_equal(t->rows[2].cells[0].step, 1000, 0);
	assert_string_equal(tables.items[1].columns[0], "+patch");
	assert_float_equal(tables.items[1].rows[0].cells[0].value, 5e6, 0);
}

static void prose(void **state)
{
	const struct table *t;

	(void)state;
	read_text("Before patch: ~19.3s\nAfter patch: ~18s (-6.7%)\n");
	t = only(STYLE_PROSE, 1, 2);
	assert_string_equal(t->columns[0], "Before patch");
	cell(&t->rows[0], 0, "19.3", NAN, false);
	cell(&t->rows[0], 1, "18", -6.7, false);
	assert_true(t->rows[0].cells[0].approximate);
	assert_string_equal(t->rows[0].unit, "s");
	assert_int_equal(t->direction, DIRECTION_LOWER);
	assert_float_equal(t->rows[0].cells[1].recomputed, 100 * (18 / 19.3 - 1), 1e-9);
	assert_false(t->rows[0].flagged);
	forget(NULL);

	read_text("However, the \"Hit Rate\" went from 6.0% to 9.0%\nof all. On this machine, "
		  "latency drops from\n25 us to 20 us there.\n");
	assert_int_equal(tables.count, 2);
	assert_string_equal(tables.items[0].rows[0].name, "Hit Rate");
	cell(&tables.items[0].rows[0], 1, "9.0", NAN, false);
	assert_string_equal(tables.items[1].rows[0].name, "latency");
	assert_string_equal(tables.items[1].rows[0].unit, "us");
}

/* What looks like figures and is none. */
static void no_tables(void **state)
{
	(void)state;
	none("The scan takes 5 us (12%) of the time, from 1 to 4 CPUs, before v6.1 and after.\n");
	none("static const int x[] = { 1, 2, 3 }; /* 50% (of 100%) */\n\tif (a[1] (2)) return 100 "
	     "* b / c;\n"
	     "\tcase 1: x = 50; y = f(100 (1%));\n");
	none(" kernel/sched/fair.c | 11 +++++++++--\n 1 file changed, 9 insertions(+), 2 "
	     "deletions(-)\n");
	none("diff --git a/d.txt b/d.txt\n--- a/d.txt\n+++ b/d.txt\n@@ -1,3 +1,3 @@\n"
	     " Hmean     1        500.00 (   0.00%)      505.00 *   1.00%*\n"
	     "-Hmean     2        500.00 (   0.00%)      505.00 *   1.00%*\n"
	     "+Hmean     2        500.00 (   0.00%)      510.00 *   2.00%*\n"
	     " Hmean     4        500.00 (   0.00%)      505.00 *   1.00%*\n");
	none("Signed-off-by: A <a@example.org>\n# 12 files\n1. one\n2. two (50%)\n10:30:00 load "
	     "5%\n");
	none("Before: the cat\nAfter: the dog\nBefore patch: 5 of them failed\nAfter patch: 4 "
	     "did\n");
	none("Ops NAME\nOps\nHmean\nHmean 1\n(0.00%)\n* 1%*\n[0.00](1.0)\n");
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mmtests),	    TEST(flags),  TEST(wrapped_and_quoted),
		TEST(narrow),	    TEST(copies), TEST(amd),
		TEST(other_styles), TEST(lkp),	  TEST(spreads),
		TEST(probes),	    TEST(prose),  TEST(no_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
