// SPDX-License-Identifier: GPL-2.0-or-later
/* Logs in the tools' own formats, with values whose means are worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "import_mmtests_test.h"

#define BANNER	    "# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes\n\n"
#define TOTAL(time) BANNER "     Total time: " time " [sec]\n"

static void test_hackbench(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/hackbench-process-pipes/logs/hackbench-4",
	    TOTAL("1.5") TOTAL("2.5") TOTAL("3.5"));
	put(*state, "a/iter-0/hackbench-process-pipes/logs/hackbench-12", TOTAL("8") TOTAL("8"));
	put(*state, "a/iter-1/hackbench-process-pipes/logs/hackbench-4",
	    TOTAL("1.5") TOTAL("2.5") TOTAL("6.5"));
	import(&f, *state, &defaults);
	c = cell_of(run_of(&f, "hackbench-process-pipes"), "a", "4", "time");
	assert_int_equal(c.good, 6);
	assert_int_equal(c.failed, 0);
	assert_near(c.sum / c.good, 3.0);
	assert_string_equal(f.set.items[0].metrics[0].unit, "s");
	assert_false(f.set.items[0].metrics[0].higher);
	/* Cases in the order of their numbers, boots as the iterations are numbered. */
	assert_string_equal(f.set.items[0].cases.list.items[0], "4");
	assert_string_equal(f.set.items[0].cases.list.items[1], "12");
	assert_int_equal(f.set.items[0].samples[0].boot, 0);
	import_set_release(&f.set);
}

/* An attempt that ends without a time, with an error, or with both a time and an error. */
static void test_hackbench_failed(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1",
	    BANNER TOTAL("2") BANNER "perf: fork: Resource temporarily unavailable\n" TOTAL("4")
		    TOTAL("0.001") "Killed\n");
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[0], "a", "1", "time");
	assert_int_equal(c.good, 2);
	assert_near(c.sum / c.good, 3.0);
	assert_int_equal(c.failed, 3);
	assert_string_equal(c.reason, "the attempt ended without a time");
	import_set_release(&f.set);
}

/* 15 results where other logs hold 3: each attempt failed, and was repeated four times. */
static void test_hackbench_repeated(void **state)
{
	struct mmtests_options seven = {.iterations = 7};
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1", TOTAL("1") TOTAL("1") TOTAL("1"));
	put(*state, "b/iter-0/hackbench/logs/hackbench-1",
	    TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1")
		    TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1") TOTAL("1"));
	/* One more is no sign of it. */
	put(*state, "c/iter-0/hackbench/logs/hackbench-1",
	    TOTAL("2") TOTAL("2") TOTAL("2") TOTAL("2"));
	import(&f, *state, &defaults);
	assert_int_equal(cell_of(&f.set.items[0], "a", "1", "time").good, 3);
	assert_int_equal(cell_of(&f.set.items[0], "c", "1", "time").good, 4);
	c = cell_of(&f.set.items[0], "b", "1", "time");
	assert_int_equal(c.good, 0);
	assert_int_equal(c.failed, 15);
	assert_non_null(strstr(c.reason, "15 results where 3 were asked for"));
	import_set_release(&f.set);
	import(&f, *state, &seven);
	assert_int_equal(cell_of(&f.set.items[0], "c", "1", "time").good, 4);
	assert_int_equal(cell_of(&f.set.items[0], "b", "1", "time").failed, 15);
	import_set_release(&f.set);
}

#define TICK(rate, second)                                                                         \
	"   1     15777   " rate " MB/sec  execute   " second " sec  latency 5.418 ms\n"

static void put_tbench(const char *dir)
{
	put(dir, "a/iter-0/tbench4/logs/benchlog-tput-2",
	    TICK("10", "1") TICK("40", "2") "Throughput 40 MB/sec  1 clients  1 procs\n");
	put(dir, "a/iter-0/tbench4/logs/benchlog-loadfile-2",
	    "0 completed in 30 ms at time 30 ms\n0 completed in 50 ms at time 80 ms\n");
	put(dir, "a/iter-0/tbench4/logs/benchlog-op-2",
	    " Operation      Count    AvgLat    MaxLat\n ----------------------------------------\n"
	    " NTCreateX       8664     0.055     5.385\n Close 7 0.25 1\n");
	pack(dir, "a/iter-0/tbench4/logs/benchlog-tput-2", "xz");
	pack(dir, "a/iter-0/tbench4/logs/benchlog-op-2", "zstd");
}

static void test_tbench(void **state)
{
	struct mmtests_options last = {.last = true};
	struct fixture f;
	struct cell c;

	put_tbench(*state);
	import(&f, *state, &defaults);
	assert_int_equal(f.set.count, 3);
	assert_string_equal(f.set.items[2].name, "tbench4-tput");
	assert_non_null(strstr(f.set.items[2].note, "not independent"));
	c = cell_of(&f.set.items[2], "a", "2", "throughput");
	assert_int_equal(c.good, 2);
	assert_near(c.good / c.inverse, 16.0); /* Hmean of 10 and 40 */
	assert_true(f.set.items[2].metrics[0].higher);
	c = cell_of(run_of(&f, "tbench4-loadfile"), "a", "2", "loadfile_time");
	assert_int_equal(c.good, 2);
	assert_near(c.sum / 2, 40.0);
	c = cell_of(run_of(&f, "tbench4-op"), "a", "2", "latency_NTCreateX");
	assert_int_equal(c.good, 1);
	assert_near(c.sum, 0.055);
	import_set_release(&f.set);
	import(&f, *state, &last);
	c = cell_of(&f.set.items[2], "a", "2", "throughput");
	assert_int_equal(c.good, 1);
	assert_near(c.sum, 40.0);
	import_set_release(&f.set);
}

/* tbench without a server ends with this line and status 0. */
static void test_tbench_failed(void **state)
{
	struct fixture f;
	struct cell c;

	put_tbench(*state);
	put(*state, "a/iter-0/tbench4/logs/benchlog-tput-4", "Throughput 0 MB/sec  4 clients\n");
	put(*state, "a/iter-0/tbench4/logs/benchlog-tput-8", TICK("0", "1") TICK("nan", "2"));
	/* The table of operations twice: two repetitions, as from a run that was made again. */
	put(*state, "a/iter-0/tbench4/logs/benchlog-op-4", " Close 7 0.25 1\n Close 7 0.75 1\n");
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[2], "a", "4", "throughput");
	assert_int_equal(c.failed, 1);
	assert_string_equal(c.reason, "the log holds no throughput");
	c = cell_of(&f.set.items[2], "a", "8", "throughput");
	assert_int_equal(c.failed, 2);
	assert_int_equal(c.good, 0);
	assert_string_equal(c.reason, "line 1 of the log: '0' is no result");
	c = cell_of(run_of(&f, "tbench4-op"), "a", "4", "latency_Close");
	assert_int_equal(c.good, 2);
	assert_near(c.sum, 1.0);
	import_set_release(&f.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_hackbench), TEST(test_hackbench_failed), TEST(test_hackbench_repeated),
		TEST(test_tbench),    TEST(test_tbench_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
