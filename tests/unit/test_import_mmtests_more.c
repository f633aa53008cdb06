// SPDX-License-Identifier: GPL-2.0-or-later
/* netperf, schbench, stream, unixbench and perfpipe, in the tools' own formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "import_mmtests_test.h"

static void test_netperf_stream(void **state)
{
	static const char format[] =
		"MIGRATED TCP STREAM TEST from 127.0.0.1 () port 0 AF_INET : nodelay\n"
		"Recv   Send    Send\n"
		"Size   Size    Size     Time     Throughput\n"
		"bytes  bytes   bytes    secs.    10^6bits/sec\n\n"
		"131072  16384     64    10.00     %s\n";
	char *first = xasprintf(format, "100.00"), *second = xasprintf(format, "400.00");
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/netperf-ipv4-tcp/logs/protocols", "TCP_STREAM\n");
	put(*state, "a/iter-0/netperf-ipv4-tcp/logs/TCP_STREAM-64.1", first);
	put(*state, "a/iter-0/netperf-ipv4-tcp/logs/TCP_STREAM-64.2", second);
	put(*state, "a/iter-0/netperf-ipv4-tcp/logs/TCP_STREAM-64.3",
	    "establish control: are you sure there is a netserver listening on 127.0.0.1?\n");
	put(*state, "a/iter-0/netperf-ipv4-tcp/logs/TCP_STREAM-64.4", "");
	import(&f, *state, &defaults);
	c = cell_of(run_of(&f, "netperf-ipv4-tcp"), "a", "64", "throughput");
	assert_int_equal(c.good, 2);
	assert_near(c.good / c.inverse, 160.0); /* 2 / (1/100 + 1/400) */
	assert_string_equal(f.set.items[0].metrics[0].unit, "Mbit/s");
	assert_true(f.set.items[0].metrics[0].higher);
	assert_int_equal(c.failed, 2);
	assert_non_null(strstr(c.reason, "are you sure"));
	/* The missing timestamps only: the list of protocols is known. */
	assert_int_equal(f.set.notes.count, 1);
	import_set_release(&f.set);
	free(first);
	free(second);
}

/* What arrived counts, not what was sent. */
static void test_netperf_datagrams(void **state)
{
	static const char log[] = "Socket  Message  Elapsed      Messages\n"
				  "Size    Size     Time         Okay Errors   Throughput\n"
				  "bytes   bytes    secs            #      #   10^6bits/sec\n\n"
				  "212992      64   10.00     4823482      0     246.96\n"
				  "212992           10.00     4600000            235.50\n";
	struct fixture f;

	put(*state, "a/iter-0/netperf-ipv4-udp/logs/UDP_STREAM-64.1", log);
	import(&f, *state, &defaults);
	assert_near(cell_of(&f.set.items[0], "a", "64", "receive").sum, 235.50);
	assert_near(cell_of(&f.set.items[0], "a", "64", "send").sum, 246.96);
	assert_string_equal(f.set.items[0].metrics[0].name, "receive");
	import_set_release(&f.set);
}

static void test_netperf_rr(void **state)
{
	static const char log[] =
		"Local /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\n"
		"Send   Recv   Size     Size    Time     Rate\n"
		"bytes  Bytes  bytes    bytes   secs.    per sec\n\n"
		"16384  87380  1        1       10.00    29150.15\n16384  87380\n";
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/netperf-ipv4-tcp-rr/logs/TCP_RR-1.1", log);
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[0], "a", "1", "throughput");
	assert_string_equal(f.set.items[0].metrics[0].unit, "trans/s");
	assert_int_equal(c.good, 1);
	assert_near(c.sum, 29150.15);
	import_set_release(&f.set);
}

#define REPORT(runtime, p50, p99, rps)                                                             \
	"Wakeup Latencies percentiles (usec) runtime " runtime " (s) (30212 total samples)\n"      \
	"\t  50.0th: " p50 "          (7806 samples)\n\t* 99.0th: " p99 "        (2590 samples)\n" \
	"\t  min=1, max=10224\n"                                                                   \
	"Request Latencies percentiles (usec) runtime " runtime " (s) (30212 total samples)\n"     \
	"\t  50.0th: 4000       (7806 samples)\n\t* 99.0th: 5000     (2590 samples)\n"             \
	"RPS percentiles (requests) runtime " runtime " (s) (30 total samples)\n"                  \
	"\t  20.0th: 0       (7806 samples)\n\t* 50.0th: " rps "     (2590 samples)\n"

static void test_schbench(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/schbench/logs/schbench-2.log",
	    REPORT("15", "7", "100", "30") "current rps: 31.00\n" REPORT(
		    "30", "9", "300",
		    "60") "current rps: 29.00\n" REPORT("40", "11", "9999",
							"1") "average rps: 30.00\n");
	import(&f, *state, &defaults);
	assert_string_equal(f.set.items[0].metric, "wakeup_p99");
	c = cell_of(&f.set.items[0], "a", "2", "wakeup_p99");
	assert_int_equal(c.good, 2);
	assert_near(c.sum / c.good, 200.0);
	assert_near(cell_of(&f.set.items[0], "a", "2", "wakeup_p50").sum, 16.0);
	c = cell_of(&f.set.items[0], "a", "2", "rps_p50");
	assert_near(c.good / c.inverse, 40.0); /* Hmean of 30 and 60 */
	for (size_t i = 0; i < f.set.items[0].metrics_count; i++)
		assert_int_equal(f.set.items[0].metrics[i].higher,
				 !strncmp(f.set.items[0].metrics[i].name, "rps", 3));
	import_set_release(&f.set);
}

/* Shorter than an interval; the format of 2019; a run that broke off. */
static void test_schbench_others(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/schbench/logs/schbench-1.log",
	    REPORT("5", "7", "100", "30") "average rps: 30.00\n");
	put(*state, "a/iter-0/schbench/logs/schbench-2.log",
	    "Latency percentiles (usec)\n\t50.0th: 64\n\t*99.0th: 12752\n\tmin=0, max=16268\n");
	put(*state, "a/iter-0/schbench/logs/schbench-4.log",
	    REPORT("15", "7", "100",
		   "30") "current rps: 31.00\nSegmentation fault (core dumped)\n");
	put(*state, "a/iter-0/schbench/logs/schbench-8.log", "");
	put(*state, "a/iter-0/schbench/logs/schbench-16.log",
	    "Wakeup Latencies percentiles (usec)\n\t  50.0th: 7\n\t  50.0th: 8\ncurrent rps: 3\n");
	import(&f, *state, &defaults);
	assert_near(cell_of(&f.set.items[0], "a", "1", "wakeup_p99").sum, 100.0);
	assert_near(cell_of(&f.set.items[0], "a", "2", "wakeup_p99").sum, 12752.0);
	c = cell_of(&f.set.items[0], "a", "4", "wakeup_p99");
	assert_int_equal(c.good, 0);
	assert_string_equal(c.reason, "Segmentation fault (core dumped)");
	assert_string_equal(cell_of(&f.set.items[0], "a", "8", "wakeup_p99").reason,
			    "the log holds no percentiles");
	assert_string_equal(cell_of(&f.set.items[0], "a", "16", "wakeup_p50").reason,
			    "line 3 of the log: the report has this percentile twice");
	import_set_release(&f.set);
}

#define STREAM(copy, triad)                                                                        \
	"Function    Best Rate MB/s  Avg time     Min time     Max time\n"                         \
	"Copy:           " copy "     0.007738     0.001738     0.014099\n"                        \
	"Scale:          10.0     0.007738     0.001738     0.014099\n"                            \
	"Add:            10.0     0.007738     0.001738     0.014099\n"                            \
	"Triad:          " triad "     0.007738     0.001738     0.014099\n"

static void test_stream(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/stream-omp-llcs/logs/benchlog-2-_-1", STREAM("100.0", "20.0"));
	put(*state, "a/iter-0/stream-omp-llcs/logs/benchlog-2-_-2", STREAM("300.0", "60.0"));
	put(*state, "a/iter-0/stream-omp-llcs/logs/benchlog-2-_-3", STREAM("inf", "60.0"));
	put(*state, "a/iter-0/stream-omp-llcs/logs/benchlog-2-_-4", "Copy:   50.0 0.1 0.1 0.1\n");
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[0], "a", "2", "copy_best");
	assert_int_equal(c.good, 2);
	assert_near(c.good / c.inverse, 150.0); /* Hmean of 100 and 300 */
	c = cell_of(&f.set.items[0], "a", "2", "triad_best");
	assert_near(c.good / c.inverse, 30.0); /* Hmean of 20 and 60 */
	assert_string_equal(c.reason, "line 2 of the log: 'inf' is no result");
	import_set_release(&f.set);
}

static void test_unixbench(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/unixbench-context1/logs/commands.log", "./pgms/context1 5\n");
	put(*state, "a/iter-0/unixbench-context1/logs/unixbenchd.log",
	    "COUNT|600000|1|lps\nCOUNT|300000|1|lps\nwrite failed\nerror: no partner\n"
	    "COUNT|-5|1|lps\nCOUNT|nan|1|lps\n");
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[0], "a", "context1", "loops");
	assert_int_equal(c.good, 2);
	assert_near(c.good / c.inverse, 400000.0); /* Hmean of 6e5 and 3e5 */
	assert_int_equal(c.failed, 3);
	assert_string_equal(c.reason, "write failed");
	import_set_release(&f.set);
}

#define PIPE(usecs)                                                                                \
	"# Running 'sched/pipe' benchmark:\n# Executed 500000 pipe operations\n\n"                 \
	"     Total time: 2.500 [sec]\n\n       " usecs " usecs/op\n          200000 ops/sec\n"

static void test_perfpipe(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/perfpipe/logs/benchlog-_-_-1", PIPE("5.25"));
	put(*state, "a/iter-0/perfpipe/logs/benchlog-_-_-2", PIPE("4.75"));
	put(*state, "a/iter-0/perfpipe/logs/benchlog-_-_-3", PIPE("-1.5"));
	put(*state, "a/iter-0/perfpipe/logs/benchlog-_-_-4", "timeout: killed\n");
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[0], "a", "pipe", "usecs_per_op");
	assert_int_equal(c.good, 2);
	assert_near(c.sum / c.good, 5.0);
	assert_int_equal(c.failed, 2);
	assert_string_equal(c.reason, "line 6 of the log: '-1.5' is no result");
	import_set_release(&f.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_netperf_stream), TEST(test_netperf_datagrams), TEST(test_netperf_rr),
		TEST(test_schbench),	   TEST(test_schbench_others),	 TEST(test_stream),
		TEST(test_unixbench),	   TEST(test_perfpipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
