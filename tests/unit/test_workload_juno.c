// SPDX-License-Identifier: GPL-2.0-or-later
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "../../workloads/juno.h"

static char root[] = "/tmp/schedbench-juno-XXXXXX";
static struct juno_plan plan;
static struct cpumask all;
static struct error err;

/* Juno-r2: big 1 and 2, little 0 and 3 to 5. */
static int make_juno(void **state)
{
	char path[200];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/cpu", root);
	mkdir(path, 0700);
	for (int cpu = 0; cpu < 6; cpu++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/cpu/cpu%d", root, cpu);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%s/cpu/cpu%d/cpu_capacity", root, cpu);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(cpu == 1 || cpu == 2 ? "1024\n" : "383\n", f);
		fclose(f);
	}
	return cpumask_parse("cpus", "0-5", &all, &err);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_juno(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static int make_plan(int64_t tasks, const char *pin, const char *work, int model, const char *speed)
{
	struct juno p = {.tasks = tasks,
			 .pin = pin,
			 .work = work,
			 .model = model,
			 .speed = speed,
			 .rate = 1000000000};

	return juno_plan(&p, &all, root, &plan, &err);
}

static void the_automatic_layout_is_that_of_the_mail(void **state)
{
	const int want[] = {1, 0, 1, 2, 3, 4};

	(void)state;
	assert_int_equal(make_plan(0, "auto", "10s@1024", JUNO_LOOPS, NULL), 0);
	assert_int_equal(plan.tasks, 6);
	assert_memory_equal(plan.pins, want, sizeof(want));
	assert_int_equal(cpumask_count(&plan.spare), 1);
	assert_true(cpumask_has(&plan.spare, 5));
	assert_int_equal(plan.steps, 10000000000);
	juno_plan_release(&plan);
}

static void a_list_of_pins_is_followed(void **state)
{
	const int want[] = {0, 1, 1, 2, 3, 4};

	(void)state;
	assert_int_equal(make_plan(6, "0,1,1,2,3,4", "10s@1024", JUNO_LOOPS, NULL), 0);
	assert_memory_equal(plan.pins, want, sizeof(want));
	juno_plan_release(&plan);
	assert_int_equal(make_plan(0, "2", "1", JUNO_LOOPS, NULL), 0);
	assert_int_equal(cpumask_count(&plan.spare), 5);
	juno_plan_release(&plan);
}

static void work_is_scaled_to_capacity_1024(void **state)
{
	(void)state;
	assert_int_equal(make_plan(0, "0", "10s@512", JUNO_LOOPS, NULL), 0);
	assert_int_equal(plan.work_ns, 5000000000);
	assert_int_equal(plan.steps, 5000000000);
	juno_plan_release(&plan);
}

static void speeds_come_from_the_list_or_from_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(make_plan(0, "auto", "1s", JUNO_CPUTIME, NULL), 0);
	assert_int_equal(plan.speeds[0], 383);
	assert_int_equal(plan.speeds[2], 1024);
	juno_plan_release(&plan);
	assert_int_equal(make_plan(0, "auto", "1s", JUNO_CPUTIME, "485,1024,1024,485"), 0);
	assert_int_equal(plan.speeds[0], 485);
	assert_int_equal(plan.speeds[1], 1024);
	assert_int_equal(plan.speeds[5], 485);
	juno_plan_release(&plan);
}

static void layouts_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		int64_t tasks;
		const char *pin, *work;
		int model;
		const char *speed;
	} bad[] = {
		{6, "0,1", "1s", JUNO_LOOPS, NULL},	{0, "0,6", "1s", JUNO_LOOPS, NULL},
		{0, "0,x", "1s", JUNO_LOOPS, NULL},	{0, "", "1s", JUNO_LOOPS, NULL},
		{4, "auto", "1s", JUNO_LOOPS, NULL},	{0, "0", "1x", JUNO_LOOPS, NULL},
		{0, "0", "1s@0", JUNO_LOOPS, NULL},	{0, "0", "1s", JUNO_LOOPS, "1024"},
		{0, "0", "1s", JUNO_CPUTIME, "1024,0"}, {0, "0", "1s@", JUNO_LOOPS, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(make_plan(bad[i].tasks, bad[i].pin, bad[i].work, bad[i].model,
					   bad[i].speed),
				 -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		juno_plan_release(&plan);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_automatic_layout_is_that_of_the_mail),
		cmocka_unit_test(a_list_of_pins_is_followed),
		cmocka_unit_test(work_is_scaled_to_capacity_1024),
		cmocka_unit_test(speeds_come_from_the_list_or_from_the_kernel),
		cmocka_unit_test(layouts_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, make_juno, remove_juno);
}
