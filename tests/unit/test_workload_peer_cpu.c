// SPDX-License-Identifier: GPL-2.0-or-later
/* Adapters of schbench (three versions), STREAM 5.10 and the programs of UnixBench 5.1.3. */
#include "peer_test.h"

#define WAKEUP(p99)                                                                                \
	"Wakeup Latencies percentiles (usec) runtime 30 (s) (209403 total samples)\n"              \
	"\t  50.0th: 8          (43672 samples)\n"                                                 \
	"\t  90.0th: 13         (83908 samples)\n"                                                 \
	"\t* 99.0th: " p99 "         (18323 samples)\n"                                            \
	"\t  99.9th: 775        (1785 samples)\n"                                                  \
	"\t  min=1, max=8400\n"
#define REQUEST                                                                                    \
	"Request Latencies percentiles (usec) runtime 30 (s) (209543 total samples)\n"             \
	"\t  50.0th: 13648      (59873 samples)\n"                                                 \
	"\t  90.0th: 14000      (82767 samples)\n"                                                 \
	"\t* 99.0th: 14320      (16342 samples)\n"                                                 \
	"\t  99.9th: 18720      (1670 samples)\n"                                                  \
	"\t  min=5130, max=38334\n"
#define RPS                                                                                        \
	"RPS percentiles (requests) runtime 30 (s) (31 total samples)\n"                           \
	"\t  20.0th: 6968       (8 samples)\n"                                                     \
	"\t* 50.0th: 6984       (23 samples)\n"                                                    \
	"\t  90.0th: 6985       (0 samples)\n"                                                     \
	"\t  min=6835, max=6991\n"
#define AVERAGE "average rps: 6984.77\nsched delay: message 0 (usec) worker 0 (usec)\n"
#define VALUES                                                                                     \
	"wakeup_p99=20 wakeup_p50=8 wakeup_p90=13 wakeup_p99_9=775 wakeup_max=8400 "               \
	"request_p99=14320 request_p50=13648 request_p90=14000 request_p99_9=18720 "               \
	"request_max=38334 rps_p50=6984 rps_p20=6968 rps_p90=6985 average_rps=6984.77"

#define OLD_BLOCK(p99)                                                                             \
	"Latency percentiles (usec)\n"                                                             \
	"\t50.0000th: 22\n\t75.0000th: 29\n\t90.0000th: 34\n\t95.0000th: 37\n"                     \
	"\t*99.0000th: " p99 "\n\t99.5000th: 6296\n\t99.9000th: 10000\n\tmin=0, max=25313\n"
#define OLD_VALUES                                                                                 \
	"wakeup_p99=2132 wakeup_p50=22 wakeup_p75=29 wakeup_p90=34 wakeup_p95=37 "                 \
	"wakeup_p99_5=6296 wakeup_p99_9=10000 wakeup_max=25313"
#define MID_BLOCK                                                                                  \
	"Latency percentiles (usec) runtime 10 (s) (900 total samples)\n"                          \
	"\t  50.0th: 22 (450 samples)\n\t  75.0th: 29 (200 samples)\n"                             \
	"\t  90.0th: 34 (10 samples)\n\t  95.0th: 37 (9 samples)\n"                                \
	"\t* 99.0th: 2132 (9 samples)\n\t  99.5th: 6296 (2 samples)\n"                             \
	"\t  99.9th: 10000 (1 samples)\n\t  min=0, max=25313\n"

static void schbench_arguments(void **state)
{
	(void)state;
	assert_string_equal(planned("schbench", ""), "schbench -m 1 -r 30 -w 0 -F 256 -n 5");
	assert_string_equal(
		planned("schbench", "-m 2 -t 4 -r 60 -w 5 -i 20 -L -p 512 -s 50 -M auto"),
		"schbench -m 2 -r 60 -p 512 -t 4 -w 5 -i 20 -F 256 -n 5 -s 50 -L -M auto");
	assert_non_null(strstr(planned("schbench", "-w 5 -r 29"), "forgets --warmuptime"));
	assert_non_null(strstr(planned("schbench", "-r 1500ms"), "whole number of s"));
	assert_non_null(strstr(planned("schbench", "-R 9 --poisson"), "has no '--poisson'"));
	assert_string_equal(planned("schbench-v1-2019", "-t 4 -r 9"),
			    "schbench -m 2 -r 9 -t 4 -c 30000 -s 30000");
	assert_string_equal(planned("schbench-v1-2021", "-t 4"),
			    "schbench -m 2 -r 30 -t 4 -c 30000 -s 30000 -w 5");
}

static void schbench_values(void **state)
{
	(void)state;
	assert_string_equal(read_one("schbench", "", "", WAKEUP("20") REQUEST RPS AVERAGE), VALUES);
	/* Reports of intervals come first and are not the result. */
	assert_string_equal(read_one("schbench", "", "",
				     "setting worker threads to 2\n" WAKEUP("99999") REQUEST RPS
				     "current rps: 1.00\n" WAKEUP("20") REQUEST RPS AVERAGE),
			    VALUES);
	assert_string_equal(
		read_one("schbench", "-p 512", "",
			 WAKEUP("70") "avg worker transfer: 28211.91 ops/sec 13.78MB/s\n"),
		"wakeup_p99=70 wakeup_p50=8 wakeup_p90=13 wakeup_p99_9=775 wakeup_max=8400 "
		"transfer=28211.91");
	assert_string_equal(read_one("schbench-v1-2019", "", "",
				     OLD_BLOCK("7") "\n" OLD_BLOCK("2132")),
			    OLD_VALUES);
	assert_string_equal(read_one("schbench-v1-2021", "", "", MID_BLOCK), OLD_VALUES);
}

static void schbench_failures(void **state)
{
	static const struct {
		const char *workload, *text, *says;
	} rows[] = {
		{"schbench", "", "no 'Wakeup Latencies percentiles'"},
		{"schbench", WAKEUP("20") REQUEST RPS "current rps: 2.0\n", "no line 'average rps"},
		{"schbench", WAKEUP("20") REQUEST RPS "average rps: 69", "no line 'average rps"},
		{"schbench", WAKEUP("20") REQUEST RPS "average rps: 0.00\n", "no request"},
		{"schbench", WAKEUP("20") REQUEST RPS AVERAGE AVERAGE, "two lines"},
		{"schbench", WAKEUP("20") REQUEST AVERAGE, "no 'RPS percentiles'"},
		{"schbench", WAKEUP("2,0") REQUEST RPS AVERAGE, "no 99th percentile below 'Wakeup"},
		{"schbench", WAKEUP("20") "Request Latencies percentiles (usec)\n\t  50.0th: 1",
		 "below 'Request"},
		{"schbench", OLD_BLOCK("7"), "is an old one (use workload schbench-v1-2019"},
		{"schbench-v1-2019", MID_BLOCK, "is the one of 2021"},
		{"schbench-v1-2021", OLD_BLOCK("7"), "is the one of 2019"},
		{"schbench-v1-2019", WAKEUP("7"), "is a new one (use workload schbench)"},
		{"schbench-v1-2019", "Latency percentiles (usec)\n\t50.0000th: 22\n", "no 99th"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *said = read_one(rows[i].workload, "", "", rows[i].text);

		if (!strstr(said, rows[i].says))
			fail_msg("'%s' is not in '%s'", rows[i].says, said);
	}
}

#define STREAM_HEAD                                                                                \
	"STREAM version $Revision: 5.10 $\n"                                                       \
	"This system uses 8 bytes per array element.\n"                                            \
	"Array size = 10000000 (elements), Offset = 0 (elements)\n"                                \
	"Each kernel will be executed 10 times.\n"                                                 \
	"Number of Threads requested = 2\nNumber of Threads counted = 2\n"
#define STREAM_ROWS                                                                                \
	"Function    Best Rate MB/s  Avg time     Min time     Max time\n"                         \
	"Copy:           18411.2     0.009738     0.008690     0.016000\n"                         \
	"Scale:          11000.0     0.015000     0.014545     0.020000\n"                         \
	"Add:            12000.0     0.021000     0.020000     0.024000\n"                         \
	"Triad:          12500.0     0.020000     0.019200     0.030000\n"
#define STREAM_VALID "Solution Validates: avg error less than 1.000000e-13 on all three arrays\n"

static void stream(void **state)
{
	(void)state;
	assert_string_equal(planned("stream", "--threads 2"), "stream");
	assert_non_null(strstr(planned("stream", "--ntimes 300"), "overflows at 262"));
	assert_non_null(strstr(planned("stream", "--force"), "has no '--force'"));
	/* Two words of 8 bytes by 1e7 elements are 160 MB, three are 240 MB. */
	assert_string_equal(read_one("stream", "-t 2", STREAM_HEAD STREAM_ROWS STREAM_VALID, ""),
			    "triad_best=12500 triad_worst=8000 copy_best=18411.2 copy_worst=10000 "
			    "scale_best=11000 scale_worst=8000 add_best=12000 add_worst=10000");
}

static void stream_failures(void **state)
{
	static const struct {
		const char *words, *text, *says;
	} rows[] = {
		{"-t 2", STREAM_HEAD STREAM_ROWS, "no line 'Solution Validates"},
		{"-t 2", STREAM_HEAD STREAM_ROWS "Failed Validation on array a[], AvgRelAbsErr\n",
		 "Failed Validation on array a[]"},
		{"-t 2", STREAM_HEAD STREAM_VALID, "no line 'Triad"},
		{"-t 2", STREAM_HEAD STREAM_ROWS STREAM_ROWS STREAM_VALID, "two lines 'Triad"},
		{"-t 4", STREAM_HEAD STREAM_ROWS STREAM_VALID, "2 threads, not 4"},
		{"--ntimes 100", STREAM_HEAD STREAM_ROWS STREAM_VALID, "10 iterations, not 100"},
		{"--array-size 9", STREAM_HEAD STREAM_ROWS STREAM_VALID,
		 "10000000 elements, not 9"},
		{"-t 2", STREAM_HEAD STREAM_VALID "Triad: 167000.0  0.000003  0.000002  0.000004\n",
		 "less than its clock can tell"},
		{"-t 2", STREAM_HEAD STREAM_VALID "Triad: inf  0.0  0.0  0.0\n", "no line 'Triad"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *said = read_one("stream", rows[i].words, rows[i].text, "");

		if (!strstr(said, rows[i].says))
			fail_msg("'%s' is not in '%s'", rows[i].says, said);
	}
}

static void unixbench(void **state)
{
	const struct peer_output two[] = {{"", "COUNT|2000|1|lps\n", 2.0},
					  {"", "COUNT|6000|1|lps\n", 2.0}};

	(void)state;
	assert_string_equal(planned("unixbench", "dhry2reg"), "dhry2reg 10");
	assert_string_equal(planned("unixbench", "spawn -c 4"), "spawn 30");
	assert_string_equal(planned("unixbench", "syscall --duration 3"), "syscall 3 mix");
	assert_string_equal(planned("unixbench", "syscall --variant getpid"), "syscall 10 getpid");
	assert_non_null(strstr(planned("unixbench", "pipe --variant close"), "has no '--variant'"));
	assert_non_null(strstr(planned("unixbench", "pipe --duration 1500ms"), "whole number"));
	/* 4000 lps against 4000 of the base machine, whose index is 10; wall time is 2 s. */
	assert_string_equal(read_copies("unixbench", "context1 --duration 2", two, 2),
			    "rate=4000 index=10");
	assert_string_equal(read_one("unixbench", "context1 --duration 2", "",
				     "COUNT|8000|1|lps\nCOUNT|8000|1|lps\n"),
			    "rate=4000 index=10");
	assert_string_equal(read_one("unixbench", "dhry2reg --duration 10", "",
				     "COUNT|1167000|1|lps\nTIME|10.0\n"),
			    "rate=116700 index=10");
}

static void unixbench_failures(void **state)
{
	static const struct {
		const char *words, *text, *says;
	} rows[] = {
		{"pipe --duration 2", "", "printed no line 'COUNT|N|1|lps'"},
		{"pipe --duration 2", "COUNT|8000|1|lp", "printed no line"},
		{"pipe --duration 2", "COUNT|8,000|1|lps\n", "printed no line"},
		{"pipe --duration 2", "COUNT|8000|1|lps\nCOUNT|8000|1|lps\n", "two counts"},
		{"context1 --duration 2", "COUNT|8000|1|lps\nCOUNT|4000|1|lps\n", "two counts"},
		{"dhry2reg --duration 2", "COUNT|1|1|lps\n", "optimised away"},
		{"pipe --duration 9", "COUNT|8000|1|lps\n", "ran for 2 s instead of 9 s"},
		{"execl --duration 2", "Exec failed at iteration 1\nCOUNT|8000|1|lps\n",
		 "execl says: Exec failed at iteration 1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *said = read_one("unixbench", rows[i].words, "", rows[i].text);

		if (!strstr(said, rows[i].says))
			fail_msg("'%s' is not in '%s'", rows[i].says, said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schbench_arguments), cmocka_unit_test(schbench_values),
		cmocka_unit_test(schbench_failures),  cmocka_unit_test(stream),
		cmocka_unit_test(stream_failures),    cmocka_unit_test(unixbench),
		cmocka_unit_test(unixbench_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
