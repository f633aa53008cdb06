// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "monitor/schedstat.h"

static double value(const struct schedstat_delta *d, const char *name)
{
	for (unsigned i = 0; i < d->count; i++)
		if (!strcmp(d->counters[i].name, name))
			return d->counters[i].value;
	return NAN;
}

static const char zero15[] =
	"version 15\ntimestamp 1\n"
	"cpu0 0 0 0 0 0 0 0 0 0\n"
	"domain0 ff 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
	"0 0 0\n"
	"cpu1 0 0 0 0 0 0 0 0 0\n";

/* Version 15 lists idle, busy, newly idle; documentation of the kernel, sched-stats. */
static void test_version_15(void **state)
{
	const char *after =
		"version 15\ntimestamp 2\n"
		"cpu0 0 0 10 4 7 3 2000000000 500000000 9\n"
		"domain0 ff 1 2 3 4 5 6 7 8 9 20 30 40 50 60 70 80 90 200 300 400 500 600 "
		"700 800 900 0 0 0 0 0 0 0 0 0 0 0\n"
		"cpu1 0 0 1 1 1 1 1000000000 0 1\n";
	struct schedstat_delta d;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(schedstat_diff(zero15, after, &d, &err), 0);
	assert_int_equal(d.cpus, 2);
	assert_false(d.has_sis);
	assert_float_equal(value(&d, "TTWU Count"), 8, 0);
	assert_float_equal(value(&d, "TTWU Local"), 4, 0);
	assert_float_equal(value(&d, "Run Time sec"), 3, 1e-9);
	assert_float_equal(value(&d, "Run Delay sec"), 0.5, 1e-9);
	assert_float_equal(value(&d, "LB Idle Count"), 1, 0);
	assert_float_equal(value(&d, "LB Idle Failed"), 3, 0);
	assert_float_equal(value(&d, "LB Idle Gained"), 5, 0);
	assert_float_equal(value(&d, "LB Busy Count"), 9, 0);
	assert_float_equal(value(&d, "LB Newidle Gained"), 500, 0);
	assert_true(isnan(value(&d, "SIS Search")));
}

/* Version 16 lists busy before idle; version 17 names the domain and has 11 numbers a type. */
static void test_versions_16_and_17(void **state)
{
	const char *b16 =
		"version 16\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0 0 0 0\n";
	const char *a16 =
		"version 16\ncpu0 0 0 0 0 5 5 0 0 0\ndomain0 3 1 2 3 4 5 6 7 8 11 12 13 14 15 "
		"16 17 18 21 22 23 24 25 26 27 28\n";
	const char *b17 =
		"version 17\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 MC 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	const char *a17 =
		"version 17\ncpu0 0 0 0 0 5 5 0 0 0\ndomain0 MC 3 1 2 3 4 5 6 7 8 9 10 11 101 "
		"102 103 104 105 106 107 108 109 110 111 201 202 203 204 205 206 207 208 209 "
		"210 211\n";
	struct schedstat_delta d;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(schedstat_diff(b16, a16, &d, &err), 0);
	assert_float_equal(value(&d, "LB Busy Count"), 1, 0);
	assert_float_equal(value(&d, "LB Idle Count"), 11, 0);
	assert_float_equal(value(&d, "LB Idle Gained"), 15, 0);
	assert_int_equal(schedstat_diff(b17, a17, &d, &err), 0);
	assert_float_equal(value(&d, "LB Busy Gained"), 8, 0);
	assert_float_equal(value(&d, "LB Idle Failed"), 103, 0);
	assert_float_equal(value(&d, "LB Newidle Gained"), 208, 0);
}

/* The formulas of mmtests for the rates, worked out by hand. */
static void test_sis(void **state)
{
	const char *before = "version 17\ncpu0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	const char *after = "version 17\ncpu0 0 0 0 0 0 0 0 0 0 1000 400 5600 50 30 70\n";
	struct schedstat_delta d;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(schedstat_diff(before, after, &d, &err), 0);
	assert_true(d.has_sis);
	assert_float_equal(value(&d, "SIS Domain Scanned"), 5000, 0);
	assert_float_equal(value(&d, "SIS Search Efficiency"), 100.0 * 1000 / 5600, 1e-12);
	assert_float_equal(value(&d, "SIS Domain Search Eff"), 8, 1e-12);
	assert_float_equal(value(&d, "SIS Fast Success Rate"), 60, 1e-12);
	assert_float_equal(value(&d, "SIS Success Rate"), 95, 1e-12);
	assert_float_equal(value(&d, "SIS Recent Attempts"), 100, 0);
	assert_float_equal(value(&d, "SIS Recent Success Rate"), 30, 1e-12);
	assert_true(isnan(value(&d, "SIS Core Search")));
	/* Nothing searched: no rate at all, not a perfect one. */
	assert_int_equal(schedstat_diff(before, before, &d, &err), 0);
	assert_true(isnan(value(&d, "SIS Search Efficiency")));
}

/*
 * What the lab kernel 6.1 counted in a run of hackbench in a guest, summed over its CPUs, and what
 * kprobes counted in that run: 3523 calls of select_task_rq_fair() by wakeups, 6272 of
 * available_idle_cpu() from scans of the domain, 1064 from the test of the recently used CPU. The
 * ten wakeups more came before the probes.
 */
static void test_lab_kernel(void **state)
{
	const char *before = "version 15\ntimestamp 1\n"
			     "cpu0 0 0 0 0 0 0 0 0 0 7 0 7 0 0 0 0 0 0 7\n"
			     "domain0 03 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
			     "0 0 0 0 0 0 0 0 0\n";
	const char *after = "version 15\ntimestamp 2\n"
			    "cpu0 0 0 0 0 0 0 0 0 0 3540 2500 7312 3344 14 1051 20 9 2358 126\n"
			    "domain0 03 1 2 3 4 5 6 7 8 9 20 30 40 50 60 70 80 90 200 300 400 500 "
			    "600 700 800 0 0 0 0 0 0 0 0 0 0 0 0\n";
	struct schedstat_delta d;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(schedstat_diff(before, after, &d, &err), 0);
	assert_true(d.has_sis);
	assert_float_equal(value(&d, "SIS Search"), 3523 + 10, 0);
	assert_float_equal(value(&d, "SIS Domain Scanned"), 6272, 0);
	assert_float_equal(value(&d, "SIS Recent Attempts"), 1064 + 1, 0);
	assert_float_equal(value(&d, "SIS Core Hit"), 11, 0);
	assert_float_equal(value(&d, "SIS Aborted"), 2358, 0);
	/* Not search - domain: 914 searches were refused and looked at nothing. */
	assert_float_equal(value(&d, "SIS Fast Success Rate"), 100.0 * 119 / 3533, 1e-12);
	assert_float_equal(value(&d, "SIS Domain Search Eff"), 100.0 * 2500 / 6272, 1e-12);
	/* The version is that of the domain lines, which are not lost. */
	assert_float_equal(value(&d, "LB Idle Gained"), 5, 0);
	assert_float_equal(value(&d, "LB Newidle Count"), 90, 0);
}

/* With the patches of 2020 the version says nothing about the domain lines. */
static void test_sis_of_2020(void **state)
{
	const char *before = "version 16\ncpu0 0 0 0 0 0 0 0 0 0 0 0 0 0\ndomain0 3 0 0\n";
	const char *after = "version 16\ncpu0 0 0 0 0 0 0 0 0 0 10 4 20 1\ndomain0 3 7 8\n";
	struct schedstat_delta d;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(schedstat_diff(before, after, &d, &err), 0);
	assert_float_equal(value(&d, "SIS Fast Success Rate"), 60, 1e-12);
	assert_true(isnan(value(&d, "LB Idle Count")));
	assert_true(isnan(value(&d, "SIS Aborted")));
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"version 99\ncpu0 0 0 0 0 0 0 0 0 0\n",
		"version 15\n",
		"version 15\ncpu0 1 2 3\n",
		"version 15\ncpu0 1 2 3 4 x 6 7 8 9\n",
		"version 15\ncpu0 0 0 0 0 0 0 0 0 0\n", /* one CPU less */
		"version 15\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 ff 1 2\ncpu1 0 0 0 0 0 0 0 0 0\n",
		"version 15\ncpu0 0 0 0 0 99999999999999999999999 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 "
		"0\n",
	};
	struct schedstat_delta d;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(schedstat_diff(zero15, bad[i], &d, &err), -1);
		assert_int_equal(err.kind, ERROR_FAILED);
		assert_memory_equal(err.msg, "schedstat:", 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_15),  cmocka_unit_test(test_versions_16_and_17),
		cmocka_unit_test(test_sis),	    cmocka_unit_test(test_lab_kernel),
		cmocka_unit_test(test_sis_of_2020), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("schedstat", tests, NULL, NULL);
}
