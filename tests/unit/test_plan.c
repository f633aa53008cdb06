// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run/plan.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

static struct experiment *parse(const char *more)
{
	char *text =
		xasprintf("name: n\nmachine: host\nvariants: [{name: a, kernel: running}, {name: "
			  "b, kernel: running}, {name: c, kernel: running}]\n%s",
			  more);
	struct experiment *e;
	struct error err = ERROR_INIT;

	if (experiment_parse(&e, text, "text", &err))
		fail_msg("%s", err.msg);
	free(text);
	return e;
}

static const char three_cases[] = "workload: {name: hackbench, params: {pipe: true, threads: "
				  "false, loops: 7}}\nsweep: {groups: [1, 2, 4]}\nboots: 4\n"
				  "repetitions: 3\nwarmup: 1\n";

static void test_blocks_hold_every_variant_once(void **state)
{
	struct experiment *e = parse(three_cases);
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 42);
	assert_int_equal(plan.boots_count, 12);
	for (unsigned block = 0; block < 4; block++) {
		unsigned seen = 0;

		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(plan.boots[3 * block + i].number, block + 1);
			seen |= 1u << plan.boots[3 * block + i].variant;
		}
		assert_int_equal(seen, 7);
	}
	plan_release(&plan);
	experiment_free(e);
}

static void test_every_repetition_once(void **state)
{
	struct experiment *e = parse(three_cases);
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 42);
	assert_int_equal(plan.items_per_boot, 12);
	for (unsigned b = 0; b < plan.boots_count; b++) {
		struct plan_item *items = plan_items(&plan, &plan.boots[b]);
		unsigned seen[3][4] = {{0}};

		for (unsigned i = 0; i < 12; i++) {
			seen[items[i].kase][items[i].repetition]++;
			assert_int_equal(items[i].warmup, items[i].repetition == 0);
			/* All warm-up comes before anything that counts. */
			assert_int_equal(items[i].warmup, i < 3);
		}
		for (unsigned k = 0; k < 3; k++)
			for (unsigned r = 0; r < 4; r++)
				assert_int_equal(seen[k][r], 1);
		free(items);
	}
	plan_release(&plan);
	experiment_free(e);
}

/* The orders of all boots and cases as one text. */
static char *orders(const struct experiment *e, uint64_t seed)
{
	struct strbuf sb = STRBUF_INIT;
	struct plan plan;

	plan_init(&plan, e, seed);
	for (unsigned b = 0; b < plan.boots_count; b++) {
		struct plan_item *items = plan_items(&plan, &plan.boots[b]);

		strbuf_addf(&sb, "\n%u:", plan.boots[b].variant);
		for (unsigned i = 0; i < plan.items_per_boot; i++)
			strbuf_addf(&sb, " %u", items[i].kase);
		free(items);
	}
	plan_release(&plan);
	return strbuf_detach(&sb);
}

static void test_the_seed_decides(void **state)
{
	struct experiment *e = parse(three_cases);
	char *one = orders(e, 1), *again = orders(e, 1), *other = orders(e, 2);

	(void)state;
	assert_string_equal(one, again);
	assert_string_not_equal(one, other);
	free(one);
	free(again);
	free(other);
	experiment_free(e);
}

/* Each of the six orders of three variants has to come about as often: chi-squared with five
 * degrees of freedom, 20.5 being its 99.9th percentile. */
static void test_orders_are_fair(void **state)
{
	struct experiment *e = parse("workload: hackbench\nboots: 6000\n");
	unsigned count[6] = {0};
	double chi2 = 0;
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 7);
	for (unsigned b = 0; b < 6000; b++) {
		const struct plan_boot *p = &plan.boots[3 * b];

		count[p[0].variant * 2 + (p[1].variant > p[2].variant)]++;
	}
	for (unsigned i = 0; i < 6; i++)
		chi2 += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000.0;
	assert_true(chi2 < 20.5);
	plan_release(&plan);
	experiment_free(e);
}

/* Two random orders of five cases are alike once in 120: of sixty boots hardly any may repeat the
 * first one's order, and hardly any its own from round to round. */
static void test_order_differs_between_boots(void **state)
{
	struct experiment *e = parse("workload: hackbench\nsweep: {groups: [1, 2, 3, 4, 5]}\n"
				     "boots: 20\nrepetitions: 2\n");
	unsigned alike = 0, rounds_alike = 0;
	struct plan_item *first = NULL;
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 3);
	for (unsigned b = 0; b < plan.boots_count; b++) {
		struct plan_item *items = plan_items(&plan, &plan.boots[b]);
		unsigned same = 0, rounds_same = 0;

		for (unsigned i = 0; i < 5; i++) {
			same += first && items[i].kase == first[i].kase;
			rounds_same += items[i].kase == items[5 + i].kase;
		}
		alike += same == 5;
		rounds_alike += rounds_same == 5;
		if (!first)
			first = items;
		else
			free(items);
	}
	assert_true(alike <= 3);
	assert_true(rounds_alike <= 3);
	free(first);
	plan_release(&plan);
	experiment_free(e);
}

static void test_sequential(void **state)
{
	struct experiment *e = parse("workload: hackbench\nsweep: {groups: [1, 2]}\nboots: 2\n"
				     "repetitions: 2\norder: sequential\n");
	char *order = orders(e, 9);

	(void)state;
	assert_string_equal(order, "\n0: 0 0 1 1\n0: 0 0 1 1\n1: 0 0 1 1\n1: 0 0 1 1\n2: 0 0 1 1\n"
				   "2: 0 0 1 1");
	free(order);
	experiment_free(e);
}

static void test_cases(void **state)
{
	struct experiment *e =
		parse("workload: {name: hackbench, params: {pipe: true, threads: false, "
		      "loops: 7}}\nsweep: {groups: [1, 2], pin: [all, 0]}\n");
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 1);
	assert_int_equal(plan.cases_count, 4);
	assert_string_equal(plan.cases[0].key, "groups=1,pin=all");
	assert_string_equal(plan.cases[3].key, "groups=2,pin=0");
	assert_null(plan.cases[2].cpus);
	assert_string_equal(plan.cases[3].cpus, "0");
	assert_int_equal(plan_find_case(&plan, "groups=2,pin=all"), 2);
	assert_int_equal(plan_find_case(&plan, "groups=3"), -1);
	assert_int_equal(plan.cases[3].argv.count, 6);
	assert_string_equal(plan.cases[3].argv.items[1], "hackbench");
	assert_string_equal(plan.cases[3].argv.items[3], "--pipe");
	assert_string_equal(plan.cases[3].argv.items[4], "--loops=7");
	assert_string_equal(plan.cases[3].argv.items[5], "--groups=2");
	plan_release(&plan);
	experiment_free(e);
}

/* 2 x 3 x 2: the last axis turns fastest, every combination is there once, under its own key. */
static void test_axes_multiply(void **state)
{
	struct experiment *e = parse("workload: hackbench\nsweep: {groups: [1, 2], loops: [7, 8, "
				     "9], pipe: [true, false]}\n");
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 1);
	assert_int_equal(plan.cases_count, 12);
	for (unsigned i = 0; i < 12; i++) {
		char *key = xasprintf("groups=%u,loops=%u,pipe=%s", i / 6 + 1, i / 2 % 3 + 7,
				      i % 2 ? "false" : "true");
		char *groups = xasprintf("--groups=%u", i / 6 + 1);

		assert_string_equal(plan.cases[i].key, key);
		assert_int_equal(plan_find_case(&plan, key), i);
		assert_true(strlist_has(&plan.cases[i].argv, groups));
		assert_int_equal(strlist_has(&plan.cases[i].argv, "--pipe"), i % 2 == 0);
		free(groups);
		free(key);
	}
	plan_release(&plan);
	experiment_free(e);
}

/* A resumed run and one that stops early do the boots that they have in common in one order. */
static void test_more_blocks_leave_the_first_ones(void **state)
{
	struct experiment *few = parse("workload: hackbench\nboots: 3\n");
	struct experiment *many =
		parse("workload: hackbench\nboots: 3\nprecision: 1%\nmax_boots: 7\n");
	struct plan a, b;

	(void)state;
	plan_init(&a, few, 11);
	plan_init(&b, many, 11);
	assert_int_equal(a.boots_count, 9);
	assert_int_equal(b.boots_count, 21);
	for (unsigned i = 0; i < 9; i++) {
		assert_int_equal(a.boots[i].variant, b.boots[i].variant);
		assert_int_equal(a.boots[i].number, b.boots[i].number);
	}
	plan_release(&a);
	plan_release(&b);
	experiment_free(few);
	experiment_free(many);
}

static void test_a_flag_called_pin_is_the_generator_s(void **state)
{
	struct experiment *e = parse("workload: {name: juno, params: {pin: \"0,1,1\"}}\npin: 0\n");
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 1);
	assert_string_equal(plan.cases[0].cpus, "0");
	assert_string_equal(plan.cases[0].argv.items[3], "--pin=0,1,1");
	plan_release(&plan);
	experiment_free(e);
}

static void test_no_sweep(void **state)
{
	struct experiment *e = parse("workload: stream\n");
	struct plan plan;

	(void)state;
	plan_init(&plan, e, 1);
	assert_int_equal(plan.cases_count, 1);
	assert_string_equal(plan.cases[0].key, "default");
	plan_release(&plan);
	experiment_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_hold_every_variant_once),
		cmocka_unit_test(test_every_repetition_once),
		cmocka_unit_test(test_the_seed_decides),
		cmocka_unit_test(test_orders_are_fair),
		cmocka_unit_test(test_order_differs_between_boots),
		cmocka_unit_test(test_sequential),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_axes_multiply),
		cmocka_unit_test(test_more_blocks_leave_the_first_ones),
		cmocka_unit_test(test_a_flag_called_pin_is_the_generator_s),
		cmocka_unit_test(test_no_sweep),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
