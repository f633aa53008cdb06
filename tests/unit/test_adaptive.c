// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "run/adaptive.h"
#include "util/file.h"
#include "util/xalloc.h"

/*
 * The means of eight boots a side: 9 and 11 in turn. Their variance is 8/7, t(0.975) at 14 degrees
 * of freedom is 2.144787 (tables), so half the interval is 2.144787 x sqrt(2 x 8/7 / 8) = 1.1464:
 * 11.46 % of the baseline's 10.
 */
static const double turns[] = {9, 11, 9, 11, 9, 11, 9, 11};

struct fixture {
	char *dir, *run_id;
	struct store *store;
	struct experiment *e;
	struct plan plan;
	struct strbuf why;
	bool more;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	char template[] = "/tmp/schedbench-adaptive-XXXXXX";

	f->dir = xstrdup(mkdtemp(template));
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;

	store_close(f->store);
	plan_release(&f->plan);
	experiment_free(f->e);
	strbuf_release(&f->why);
	remove_tree(f->dir, &err);
	free(f->dir);
	free(f->run_id);
	free(f);
	return 0;
}

/* An experiment of two variants on the cases groups=1 and groups=2, with a run in a new store. */
static void begin(struct fixture *f, const char *keys)
{
	static const struct store_new_variant variants[] = {{"base", "running", "", "", "{}"},
							    {"new", "running", "", "", "{}"}};
	struct store_new_run run = {.experiment = "n",
				    .title = "n",
				    .text = "name: n\n",
				    .machine = "host",
				    .description = "host",
				    .program_version = "0",
				    .workload_sha256 = "aa",
				    .boots = 2,
				    .repetitions = 2,
				    .variants = variants,
				    .variants_count = 2};
	char *text = xasprintf("name: n\nmachine: host\nvariants: [{name: base, kernel: running}, "
			       "{name: new, kernel: running}]\nworkload: hackbench\nsweep: "
			       "{groups: [1, 2]}\nboots: 2\nrepetitions: 2\nwarmup: 1\n%s",
			       keys);
	char *path = path_join(f->dir, "s.db");
	struct error err = ERROR_INIT;

	f->why = (struct strbuf)STRBUF_INIT;
	if (experiment_parse(&f->e, text, "text", &err) ||
	    store_open(&f->store, path, STORE_WRITE, &err) ||
	    store_run_create(f->store, &run, &f->run_id, &err) || store_bulk_begin(f->store, &err))
		fail_msg("%s", err.msg);
	plan_init(&f->plan, f->e, 1);
	free(path);
	free(text);
}

static void add(struct fixture *f, int64_t boot, const char *kase, unsigned repetition,
		double value)
{
	const struct store_value values[] = {{"time", "s", "lower", value},
					     {"rate", "1/s", "higher", 1000 * value * value}};
	struct store_repetition rep = {.kase = kase,
				       .repetition = repetition,
				       .warmup = repetition == 0,
				       .status = "ok",
				       .values = values,
				       .values_count = 2};
	struct error err = ERROR_INIT;

	if (store_repetition_add(f->store, boot, &rep, &err))
		fail_msg("%s", err.msg);
}

/* A boot whose two samples of a case have the mean @mean; its warm-up is far away. */
static void add_boot(struct fixture *f, const char *variant, unsigned number, double mean_1,
		     double mean_2)
{
	const double means[] = {mean_1, mean_2};
	struct error err = ERROR_INIT;
	int64_t boot;

	if (store_boot_begin(f->store, f->run_id, variant, number, &boot, &err))
		fail_msg("%s", err.msg);
	for (unsigned k = 0; k < 2; k++) {
		add(f, boot, f->plan.cases[k].key, 0, 1e6 * number);
		add(f, boot, f->plan.cases[k].key, 1, means[k] - 4);
		add(f, boot, f->plan.cases[k].key, 2, means[k] + 4);
	}
}

/* Both variants alike: case 1 with the means @turns, case 2 with a hundredth of their spread. */
static void add_blocks(struct fixture *f, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		double calm = 10 + (turns[i] - 10) / 100;

		add_boot(f, "base", i + 1, turns[i], calm);
		add_boot(f, "new", i + 1, turns[i], calm);
	}
}

static const char *decide(struct fixture *f, unsigned blocks)
{
	struct error err = ERROR_INIT;

	strbuf_reset(&f->why);
	if (adaptive_decide(f->store, f->run_id, &f->plan, blocks, &f->more, &f->why, &err))
		fail_msg("%s", err.msg);
	return f->why.buf;
}

static void test_wide_goes_on_and_names_the_widest(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 10%\nmax_boots: 20\n");
	add_blocks(f, 8);
	assert_string_equal(decide(f, 8),
			    "one more block after 8 boots: new at groups=1 is known to +/- 11 %, "
			    "10 % is asked for");
	assert_true(f->more);
}

static void test_narrow_stops(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 12%\nmax_boots: 20\n");
	add_blocks(f, 8);
	assert_string_equal(decide(f, 8), "precise enough after 8 boots: every interval is within "
					  "+/- 12 %");
	assert_false(f->more);
}

static void test_several_rows_are_counted(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 0.1%\nmax_boots: 20\n");
	add_blocks(f, 8);
	assert_non_null(strstr(decide(f, 8), "new at groups=1 is known to +/- 11 %, 0.1 % is asked "
					     "for (and 1 more)"));
	assert_true(f->more);
}

/* 9, 11, 9 a side: variance 4/3, t(0.975) at 4 degrees 2.776445: 2.6177 of 9.6667 is 27 %. */
static void test_few_boots_do_not_stop(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 50%\nmax_boots: 20\n");
	add_blocks(f, 3);
	assert_string_equal(decide(f, 3),
			    "one more block after 3 boots: new at groups=1 is known to +/- 27 %, "
			    "50 % is asked for (and 1 more); fewer than 8 boots decide nothing");
	assert_true(f->more);
}

static void test_max_boots_ends(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 10%\nmax_boots: 8\n");
	add_blocks(f, 8);
	assert_string_equal(decide(f, 8),
			    "max_boots reached after 8 boots: new at groups=1 is known to +/- 11 "
			    "%, 10 % is asked for");
	assert_false(f->more);
}

/* Of four blocks one boot of each variant failed: what there is may still be narrow. */
static void test_failed_boots_do_not_hide_precision(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 50%\nmax_boots: 4\n");
	add_blocks(f, 3);
	assert_string_equal(decide(f, 4), "precise enough after 4 boots: every interval is within "
					  "+/- 50 %");
	assert_false(f->more);
}

static void test_no_interval_is_said(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 1%\nmax_boots: 4\n");
	add_blocks(f, 1);
	assert_non_null(strstr(decide(f, 1), "new at groups=1 has no interval (two boots"));
	assert_null(strstr(f->why.buf, "nan"));
	assert_true(f->more);
}

/* rate goes with the square of the time: it spreads about twice as much, 1.1464 x 2 / 10. */
static void test_the_metric_that_is_compared(void **state)
{
	struct fixture *f = *state;

	begin(f, "precision: 12%\nmax_boots: 20\nmetric: rate\n");
	add_blocks(f, 8);
	assert_non_null(strstr(decide(f, 8), "new at groups=1 is known to +/- 20 %"));
	assert_true(f->more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_wide_goes_on_and_names_the_widest, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_narrow_stops, setup, teardown),
		cmocka_unit_test_setup_teardown(test_several_rows_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_few_boots_do_not_stop, setup, teardown),
		cmocka_unit_test_setup_teardown(test_max_boots_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failed_boots_do_not_hide_precision, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_no_interval_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_metric_that_is_compared, setup, teardown),
	};

	return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
