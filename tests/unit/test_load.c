// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "report/load.h"
#include "util/file.h"
#include "util/xalloc.h"

struct fixture {
	char *dir;
	struct store *store;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	char template[] = "/tmp/schedbench-load-XXXXXX";
	struct error err = ERROR_INIT;
	char *path;

	f->dir = xstrdup(mkdtemp(template));
	path = path_join(f->dir, "s.db");
	assert_int_equal(store_open(&f->store, path, STORE_WRITE, &err), 0);
	free(path);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;

	store_close(f->store);
	remove_tree(f->dir, &err);
	free(f->dir);
	free(f);
	return 0;
}

static const struct store_new_variant variants[] = {
	{"a", "running", "6.1.0", "", "{}"},
	{"b", "running", "6.12.0", "", "{}"},
};

/* What distinguishes a run of these tests; NULL: as in all others. */
struct run_spec {
	const char *workload, *machine, *build, *accel, *state;
};

/* A run of two variants, two boots and two repetitions; the caller frees its id. */
static char *new_run(struct fixture *f, struct run_spec spec)
{
	char *text =
		xasprintf("name: n\nmachine: host\nvariants: [{name: a, kernel: running}, "
			  "{name: b, kernel: running}]\nboots: 2\nrepetitions: 2\nworkload: "
			  "%s\n",
			  spec.workload ? spec.workload : "hackbench\nsweep: {groups: [1, 2]}");
	const struct store_new_run run = {.experiment = "n",
					  .title = "Title",
					  .text = text,
					  .machine = "host",
					  .description = spec.machine ? spec.machine : "2 CPUs",
					  .program_version = "0",
					  .workload_sha256 = spec.build ? spec.build : "aa",
					  .seed = 1,
					  .boots = 2,
					  .repetitions = 2,
					  .variants = variants,
					  .variants_count = 2};
	struct error err = ERROR_INIT;
	char *id;

	if (store_run_create(f->store, &run, &id, &err) ||
	    store_run_set_accel(f->store, id, spec.accel ? spec.accel : "host", "a note", &err) ||
	    store_run_set_state(f->store, id, spec.state ? spec.state : "done", &err))
		fail_msg("%s", err.msg);
	free(text);
	return id;
}

static int64_t new_boot(struct fixture *f, const char *run, const char *variant, unsigned number)
{
	struct error err = ERROR_INIT;
	int64_t boot;

	assert_int_equal(store_boot_begin(f->store, run, variant, number, &boot, &err), 0);
	return boot;
}

/* One repetition that yields @time, or with @status not "ok" fails. */
static void add(struct fixture *f, int64_t boot, const char *kase, unsigned repetition,
		const char *status, double time)
{
	const struct store_value values[] = {{"time", "s", "lower", time},
					     {"rate", "ops/s", "higher", 1 / time}};
	bool ok = !strcmp(status, "ok");
	const struct store_repetition rep = {.kase = kase,
					     .repetition = repetition,
					     .status = status,
					     .reason = ok ? NULL : "because",
					     .values = values,
					     .values_count = ok ? 2 : 0};
	struct error err = ERROR_INIT;

	if (store_repetition_add(f->store, boot, &rep, &err))
		fail_msg("%s", err.msg);
}

static struct result *load(struct fixture *f, const char *a, const char *b, const char *metric)
{
	const char *runs[] = {a, b};
	const struct load_options opt = {.metric = metric};
	struct error err = ERROR_INIT;
	struct result *r;

	if (result_load(&r, f->store, runs, b ? 2 : 1, &opt, &err))
		fail_msg("%s", err.msg);
	return r;
}

static void test_samples_arrive_where_they_belong(void **state)
{
	struct fixture *f = *state;
	char *id = new_run(f, (struct run_spec){0});
	int64_t a1 = new_boot(f, id, "a", 1), b1 = new_boot(f, id, "b", 1);
	int64_t a2 = new_boot(f, id, "a", 2);
	const struct result_cell *cell;
	struct result *r;

	add(f, a1, "groups=2", 1, "ok", 3);
	add(f, a1, "groups=2", 0, "ok", 4);
	add(f, b1, "groups=1", 0, "ok", 5);
	add(f, a2, "groups=2", 0, "ok", 6);
	r = load(f, id, NULL, NULL);
	assert_int_equal(r->variants_count, 2);
	assert_int_equal(r->cases_count, 2);
	assert_string_equal(r->variants[1], "b");
	assert_string_equal(r->cases[1], "2");
	assert_string_equal(r->case_label, "groups");
	assert_float_equal(r->case_numbers[1], 2, 0);
	assert_string_equal(r->metric, "time");
	assert_string_equal(r->unit, "s");
	assert_int_equal(r->better, BETTER_LOWER);
	assert_string_equal(r->statistic, "amean");
	assert_null(r->warning);
	cell = result_cell(r, 1, 0);
	assert_int_equal(cell->count, 3);
	assert_int_equal(cell->planned, 4);
	/* In the order measured, each under its boot. */
	assert_float_equal(cell->samples[0].value, 3, 0);
	assert_float_equal(cell->samples[1].value, 4, 0);
	assert_int_equal(cell->samples[0].boot, cell->samples[1].boot);
	assert_float_equal(cell->samples[2].value, 6, 0);
	assert_int_not_equal(cell->samples[2].boot, cell->samples[0].boot);
	assert_int_equal(result_cell(r, 0, 1)->count, 1);
	/* Nothing measured is an empty cell, never a number. */
	assert_int_equal(result_cell(r, 0, 0)->count, 0);
	assert_int_equal(result_cell(r, 1, 1)->count, 0);
	result_free(r);
	free(id);
}

static void test_failures_and_warmup_have_no_number(void **state)
{
	struct fixture *f = *state;
	char *id = new_run(f, (struct run_spec){0});
	int64_t boot = new_boot(f, id, "a", 1);
	const struct store_value value = {"time", "s", "lower", 1000};
	const struct store_repetition warm = {.kase = "groups=1",
					      .repetition = 7,
					      .warmup = true,
					      .status = "ok",
					      .values = &value,
					      .values_count = 1};
	struct error err = ERROR_INIT;
	const struct result_cell *cell;
	struct result *r;

	assert_int_equal(store_repetition_add(f->store, boot, &warm, &err), 0);
	add(f, boot, "groups=1", 0, "failed", 1);
	add(f, boot, "groups=1", 1, "ok", 2);
	add(f, boot, "groups=2", 0, "timeout", 1);
	add(f, boot, "groups=2", 1, "failed", 1);
	r = load(f, id, NULL, NULL);
	cell = result_cell(r, 0, 0);
	assert_int_equal(cell->count, 1);
	assert_float_equal(cell->samples[0].value, 2, 0);
	assert_int_equal(cell->failed, 1);
	assert_int_equal(cell->timeout, 0);
	assert_string_equal(cell->why, "because");
	cell = result_cell(r, 1, 0);
	assert_int_equal(cell->count, 0);
	assert_int_equal(cell->failed, 1);
	assert_int_equal(cell->timeout, 1);
	result_free(r);
	free(id);
}

static void test_another_metric(void **state)
{
	struct fixture *f = *state;
	char *id = new_run(f, (struct run_spec){0});
	const struct load_options nonsense = {.metric = "nonsense"};
	const char *runs[] = {id};
	struct error err = ERROR_INIT;
	struct result *r;

	add(f, new_boot(f, id, "a", 1), "groups=1", 0, "ok", 4);
	r = load(f, id, NULL, "rate");
	assert_string_equal(r->unit, "ops/s");
	assert_int_equal(r->better, BETTER_HIGHER);
	assert_string_equal(r->statistic, "hmean");
	assert_float_equal(result_cell(r, 0, 0)->samples[0].value, 0.25, 0);
	result_free(r);
	assert_int_equal(result_load(&r, f->store, runs, 1, &nonsense, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "(it has time, rate)"));
	free(id);
}

static void test_one_metric_in_two_units_is_refused(void **state)
{
	struct fixture *f = *state;
	char *id = new_run(f, (struct run_spec){0});
	const struct store_value value = {"time", "ms", "lower", 1000};
	const struct store_repetition rep = {
		.kase = "groups=2", .status = "ok", .values = &value, .values_count = 1};
	const struct load_options none = {0};
	const char *runs[] = {id};
	int64_t boot = new_boot(f, id, "a", 1);
	struct error err = ERROR_INIT;
	struct result *r;

	add(f, boot, "groups=1", 0, "ok", 1);
	assert_int_equal(store_repetition_add(f->store, boot, &rep, &err), 0);
	assert_int_equal(result_load(&r, f->store, runs, 1, &none, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "different units"));
	free(id);
}

static void test_two_runs_side_by_side(void **state)
{
	struct fixture *f = *state;
	char *one = new_run(
		f, (struct run_spec){.workload = "{name: hackbench, params: {loops: 7, pipe: "
						 "true}}\nsweep: {groups: [1, 2]}"});
	/* The same parameters in another order are the same. */
	char *two = new_run(
		f, (struct run_spec){.workload = "{name: hackbench, params: {pipe: true, loops: "
						 "7}}\nsweep: {groups: [1, 2]}"});
	char *name = xasprintf("b@%s", two);
	struct result *r;

	add(f, new_boot(f, one, "a", 1), "groups=1", 0, "ok", 1);
	add(f, new_boot(f, two, "b", 1), "groups=1", 0, "ok", 2);
	r = load(f, one, two, NULL);
	assert_int_equal(r->variants_count, 4);
	assert_string_equal(r->variants[3], name);
	assert_float_equal(result_cell(r, 0, 0)->samples[0].value, 1, 0);
	assert_float_equal(result_cell(r, 0, 3)->samples[0].value, 2, 0);
	assert_int_equal(result_cell(r, 0, 1)->count, 0);
	assert_int_equal(result_cell(r, 0, 2)->count, 0);
	result_free(r);
	free(name);
	free(one);
	free(two);
}

/* What differs, and whether --force gets over it. */
static void test_unlike_runs_are_refused(void **state)
{
	static const struct {
		struct run_spec spec;
		const char *says;
		bool forced;
	} unlike[] = {
		{{.workload = "tbench\nsweep: {groups: [1, 2]}"}, "different workloads", false},
		{{.workload = "hackbench\nsweep: {groups: [1, 2, 4]}"}, "different", false},
		{{.workload = "hackbench\nsweep: {groups: [1, 4]}"}, "different cases", false},
		{{.workload = "{name: hackbench, params: {loops: 7}}\nsweep: {groups: [1, 2]}"},
		 "'--loops=7'",
		 false},
		{{.workload = "hackbench\nsweep: {groups: [1, 2]}\npin: 0"}, "'0'", false},
		{{.machine = "80 CPUs"}, "different machines", false},
		{{.accel = "tcg"}, "different machines", false},
		{{.build = "bb"}, "--force", true},
	};
	struct fixture *f = *state;
	char *first = new_run(f, (struct run_spec){0});

	for (size_t i = 0; i < sizeof(unlike) / sizeof(unlike[0]); i++) {
		char *second = new_run(f, unlike[i].spec);
		const char *runs[] = {first, second};
		struct load_options opt = {0};
		struct error err = ERROR_INIT;
		struct result *r;

		if (!result_load(&r, f->store, runs, 2, &opt, &err))
			fail_msg("unlike runs %zu are compared", i);
		assert_int_equal(err.kind, ERROR_USAGE);
		if (!strstr(err.msg, unlike[i].says))
			fail_msg("'%s' does not say %s", err.msg, unlike[i].says);
		opt.force = true;
		if (result_load(&r, f->store, runs, 2, &opt, &err)) {
			assert_false(unlike[i].forced);
		} else {
			assert_true(unlike[i].forced);
			assert_non_null(strstr(r->warning, "different builds"));
			result_free(r);
		}
		free(second);
	}
	free(first);
}

static void test_warnings(void **state)
{
	struct fixture *f = *state;
	char *id = new_run(f, (struct run_spec){.accel = "tcg", .state = "interrupted"});
	char *unfinished = xasprintf("run %s is interrupted", id);
	struct result *r = load(f, id, NULL, NULL);

	assert_non_null(strstr(r->warning, "a note"));
	assert_non_null(strstr(r->warning, unfinished));
	result_free(r);
	free(unfinished);
	free(id);
}

static void add_counted(struct fixture *f, int64_t boot, const char *kase, unsigned repetition,
			const char *name, double value)
{
	const struct store_value time = {"time", "s", "lower", 1};
	const struct store_counter counter = {name, value};
	const struct store_repetition rep = {.kase = kase,
					     .repetition = repetition,
					     .status = "ok",
					     .values = &time,
					     .values_count = 1,
					     .counters = &counter,
					     .counters_count = 1};
	struct error err = ERROR_INIT;

	if (store_repetition_add(f->store, boot, &rep, &err))
		fail_msg("%s", err.msg);
}

/* The mean of the repetitions, summed over the cases; what a kernel does not have is no zero. */
static void test_counters(void **state)
{
	struct fixture *f = *state;
	char *id = new_run(f, (struct run_spec){0});
	int64_t a = new_boot(f, id, "a", 1), b = new_boot(f, id, "b", 1);
	struct result *r;

	add_counted(f, a, "groups=1", 0, "made up", 10);
	add_counted(f, a, "groups=1", 1, "made up", 20);
	add_counted(f, a, "groups=2", 0, "made up", 100);
	add_counted(f, b, "groups=1", 0, "invented", 3);
	r = load(f, id, NULL, NULL);
	assert_int_equal(r->counters_count, 2);
	assert_string_equal(r->counters[0].name, "made up");
	assert_float_equal(r->counters[0].values[0], 115, 0);
	assert_true(isnan(r->counters[0].values[1]));
	assert_string_equal(r->counters[1].name, "invented");
	assert_true(isnan(r->counters[1].values[0]));
	assert_float_equal(r->counters[1].values[1], 3, 0);
	/* Of each boot; the second one lacks a case and is no pass of the sweep. */
	assert_int_equal(r->counters[0].boots_count[0], 1);
	assert_float_equal(r->counters[0].boots[0][0], 115, 0);
	assert_int_equal(r->counters[1].boots_count[1], 0);
	result_free(r);
	free(id);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_samples_arrive_where_they_belong),
		TEST(test_failures_and_warmup_have_no_number),
		TEST(test_another_metric),
		TEST(test_one_metric_in_two_units_is_refused),
		TEST(test_two_runs_side_by_side),
		TEST(test_unlike_runs_are_refused),
		TEST(test_warnings),
		TEST(test_counters),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
