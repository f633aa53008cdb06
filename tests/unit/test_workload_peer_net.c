// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adapters of tbench (dbench 4.00 of Debian), netperf and stress-ng 0.15.06: outputs as these
 * programs print them.
 */
#include "peer_test.h"

#define TBENCH_HEAD                                                                                \
	"dbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\n"                            \
	"Running for 3 seconds with load '/usr/share/dbench/client.txt' and minimum warmup 0 "     \
	"secs\n"                                                                                   \
	"0 of 2 processes prepared for launch   0 sec\n"                                           \
	"2 of 2 processes prepared for launch   0 sec\n"                                           \
	"releasing clients\n"                                                                      \
	"   2     98322  1091.66 MB/sec  execute   1 sec  latency 7.906 ms\n"                      \
	"   2    197879  1084.77 MB/sec  execute   2 sec  latency 0.216 ms\n"                      \
	"   2  cleanup   3 sec\n"                                                                  \
	"   0  cleanup   3 sec\n\n"
#define TBENCH_OPS                                                                                 \
	" Operation      Count    AvgLat    MaxLat\n"                                              \
	" ----------------------------------------\n"                                              \
	" NTCreateX     103427     0.008     2.141\n"                                              \
	" Deltree            2     0.000     0.001\n"                                              \
	" Qpathinfo      93735     0.018     1.619\n"                                              \
	" Find           36207     0.028     0.126\n\n"
#define TBENCH_END "Throughput 1084.77 MB/sec  2 clients  2 procs  max_latency=7.906 ms\n"

static void tbench_arguments(void **state)
{
	(void)state;
	assert_string_equal(planned("tbench", "4 -t 10"),
			    "tbench 4 127.0.0.1 -t 10 -D . -T TCP_NODELAY SO_REUSEADDR");
	assert_string_equal(planned("tbench", "--timelimit 2m --loadfile /tmp/x"),
			    "tbench 1 127.0.0.1 -t 120 -c /tmp/x -D . -T TCP_NODELAY SO_REUSEADDR");
	assert_string_equal(planned("tbench", "-t 2500ms"),
			    "'--timelimit' of tbench is a whole number of s");
	assert_non_null(strstr(planned("tbench", "-t 1"), "needs 2 at least"));
	assert_non_null(strstr(planned("tbench", "-t 9 --warmup 1"), "has no '--warmup'"));
	assert_non_null(strstr(planned("tbench", "-t 9 --seed 7"), "has no '--seed'"));
}

static void tbench_values(void **state)
{
	(void)state;
	assert_string_equal(read_one("tbench", "2 -t 3", TBENCH_HEAD TBENCH_OPS TBENCH_END, ""),
			    "throughput=1084.77 max_latency=7.906 latency_NTCreateX=0.008 "
			    "latency_Qpathinfo=0.018 latency_Find=0.028");
	/* In a guest that has just booted it gets semaphore 0, complains, and works. */
	assert_string_equal(read_one("tbench", "2 -t 3",
				     "failed to create barrier semaphore \n" TBENCH_HEAD TBENCH_END,
				     ""),
			    "throughput=1084.77 max_latency=7.906");
}

static void tbench_failures(void **state)
{
	static const char *const bad[][2] = {
		/* Without a server it ends with status 0 after this. */
		{"failed to connect to 127.0.0.1 - Connection refused\nclient 1 failed to start\n"
		 "Throughput 0 MB/sec  2 clients  2 procs  max_latency=0.000 ms\n",
		 "tbench says: failed to connect to 127.0.0.1"},
		{TBENCH_HEAD TBENCH_OPS
		 "Throughput 0 MB/sec  2 clients  2 procs  max_latency=0.000 ms\n",
		 "throughput of 0"},
		{TBENCH_HEAD TBENCH_OPS, "no line 'Throughput"},
		{TBENCH_HEAD TBENCH_OPS TBENCH_END TBENCH_END, "two lines 'Throughput"},
		{TBENCH_HEAD TBENCH_OPS TBENCH_OPS TBENCH_END, "two rows of 'NTCreateX'"},
		{TBENCH_HEAD "Throughput 1084.77 MB/sec  1 clients  1 procs  max_latency=7.9 ms\n",
		 "no line 'Throughput %n MB/sec 2 clients"},
		{TBENCH_HEAD "Throughput 1084,77 MB/sec  2 clients  2 procs  max_latency=7,9 ms\n",
		 "no line 'Throughput"},
		{TBENCH_HEAD "Throughput 1084.77 MB/sec  2 clients  2 procs  max_lat",
		 "no line 'Throughput"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!strstr(read_one("tbench", "2 -t 3", bad[i][0], ""), bad[i][1]))
			fail_msg("%s: %s", bad[i][1], read_one("tbench", "2 -t 3", bad[i][0], ""));
}

#define RR_HEAD                                                                                    \
	"MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 "   \
	"() port 0 AF_INET : demo : first burst 0\n"                                               \
	"Local /Remote\n"                                                                          \
	"Socket Size   Request  Resp.   Elapsed  Trans.\n"                                         \
	"Send   Recv   Size     Size    Time     Rate         \n"                                  \
	"bytes  Bytes  bytes    bytes   secs.    per sec   \n\n"
#define RR_TEXT(rate)                                                                              \
	RR_HEAD "16384  131072 32       1024    10.00    " rate "   \n16384  131072 \n"
#define STREAM_TEXT(unit)                                                                          \
	"MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 "   \
	"AF_INET : demo\n"                                                                         \
	"Recv   Send    Send                          \n"                                          \
	"Socket Socket  Message  Elapsed              \n"                                          \
	"Size   Size    Size     Time     Throughput  \n"                                          \
	"bytes  bytes   bytes    secs.    " unit "  \n\n"                                          \
	"131072  16384   1500    10.00    9405.64   \n"

static void netperf_arguments(void **state)
{
	static const char rr[] = "netperf -4 -H 127.0.0.1 -p 12965 -t TCP_RR -l 10 -- -r 1,1";

	(void)state;
	assert_string_equal(planned("netperf", ""), rr);
	assert_string_equal(
		planned("netperf", "-t UDP_RR -l 3 -r 32,1024 -T 0,1 -s 4K -S 8K -b 2 -D"),
		"netperf -4 -H 127.0.0.1 -p 12965 -t UDP_RR -l 3 -T 0,1 -- -s 4096 -S 8192 -r "
		"32,1024 -b 2 -D");
	assert_string_equal(planned("netperf", "-t TCP_STREAM -m 1500 -M 2K"),
			    "netperf -4 -H 127.0.0.1 -p 12965 -t TCP_STREAM -l 10 -- -m 1500 -M "
			    "2048");
	assert_non_null(strstr(planned("netperf", "-m 1500"), "no '--send-size'"));
	assert_non_null(strstr(planned("netperf", "-t TCP_STREAM -b 3"), "no '--burst'"));
	assert_non_null(strstr(planned("netperf", "-l 1500ms"), "whole number"));
	assert_non_null(strstr(planned("netperf", "--allow-loss"), "has no '--allow-loss'"));
}

static void netperf_values(void **state)
{
	const struct peer_output pairs[] = {{RR_TEXT("100.00"), "", 10},
					    {RR_TEXT("300.00"), "", 10}};

	(void)state;
	assert_string_equal(read_one("netperf", "-r 32,1024", RR_TEXT("6537.30"), ""),
			    "throughput=6537.3 pair_min=6537.3 pair_max=6537.3 jain=1");
	/* Jain's index of 1 and 3: 4^2 / (2 * 10). */
	assert_string_equal(read_copies("netperf", "-n 2 -r 32,1024", pairs, 2),
			    "throughput=400 pair_min=100 pair_max=300 jain=0.8");
	assert_string_equal(read_one("netperf", "-t TCP_STREAM", STREAM_TEXT("10^6bits/sec"), ""),
			    "throughput=9405.64 pair_min=9405.64 pair_max=9405.64 jain=1");
}

static void netperf_failures(void **state)
{
	static const char args[] = "-r 32,1024";

	(void)state;
	assert_non_null(strstr(read_one("netperf", args, RR_HEAD, ""), "printed no line"));
	assert_non_null(strstr(read_one("netperf", "", RR_TEXT("6537.30"), ""),
			       "no line '%n %n 1 1 %n %n'"));
	assert_non_null(strstr(read_one("netperf", args, RR_TEXT("0.00"), ""), "rate of 0"));
	assert_non_null(strstr(read_one("netperf", args, RR_TEXT("6537,30"), ""), "no line"));
	assert_non_null(
		strstr(read_one("netperf", args, RR_TEXT("1.0") RR_TEXT("2.0"), ""), "two lines"));
	assert_non_null(strstr(read_one("netperf", "-l 60 -r 32,1024", RR_TEXT("6537.30"), ""),
			       "ran for 10 s instead of 60 s"));
	assert_non_null(strstr(read_one("netperf", args, "!!! WARNING\n" RR_TEXT("6537.30"), ""),
			       "netperf says: !!! WARNING"));
	assert_non_null(strstr(
		read_one("netperf", "-t TCP_STREAM", STREAM_TEXT("10^3bits/sec"), ""), "no line"));
}

#define STRESS_HEAD                                                                                \
	"stress-ng: info:  [9660] setting to a 2 second run per stressor\n"                        \
	"stress-ng: info:  [9660] dispatching hogs: 1 cpu\n"                                       \
	"stress-ng: metrc: [9660] stressor       bogo ops real time  usr time  sys time   bogo "   \
	"ops/s     bogo ops/s CPU used per       RSS Max\n"                                        \
	"stress-ng: metrc: [9660]                           (secs)    (secs)    (secs)   (real "   \
	"time) (usr+sys time) instance (%)          (KB)\n"
#define STRESS_ROW                                                                                 \
	"stress-ng: metrc: [9660] cpu                1158      2.01      0.83      0.01       "    \
	"576.54        1378.23        41.83          2396\n"
#define STRESS_END "stress-ng: info:  [9660] successful run completed in 2.01s\n"

static void stress_arguments(void **state)
{
	(void)state;
	assert_string_equal(planned("cpuload", "--cpu 1 --load 51 --timeout 2"),
			    "stress-ng --metrics --cpu-method loop --cpu 1 --cpu-load 51 "
			    "--cpu-load-slice 10 --timeout 2");
	assert_non_null(strstr(planned("cpuload", ""), "say how many: --cpu N"));
	assert_non_null(strstr(planned("cpuload", "-c 1 -l 50.5"), "whole number of %"));
	assert_non_null(strstr(planned("cpuload", "-c 1 --slice-ms 500us"), "whole number of ms"));
	assert_non_null(strstr(planned("cpuload", "-c 1 --mode wall"), "has no '--mode'"));
	assert_non_null(strstr(planned("cpuload", "-c 1 --tolerance 2"), "has no '--tolerance'"));
}

static void stress_values(void **state)
{
	static const char args[] = "-c 1 -l 50 -t 2";

	(void)state;
	/* 100 * (0.83 + 0.01) / 2.01 */
	assert_string_equal(read_one("cpuload", args, "", STRESS_HEAD STRESS_ROW STRESS_END),
			    "duty=41.79104478");
	assert_non_null(strstr(read_one("cpuload", args, "", STRESS_HEAD STRESS_END), "printed 0"));
	assert_non_null(strstr(read_one("cpuload", args, "", STRESS_HEAD STRESS_ROW STRESS_ROW),
			       "printed 2 rows"));
	assert_non_null(strstr(read_one("cpuload", "-c 2 -l 50 -t 2", "", STRESS_HEAD STRESS_ROW),
			       "no line 'stress-ng: info: [%n] dispatching hogs: 2 cpu'"));
	assert_non_null(strstr(read_one("cpuload", "-c 1 -l 50 -t 9", "", STRESS_HEAD STRESS_ROW),
			       "ran for 2.01 s instead of 9 s"));
	assert_non_null(
		strstr(read_one("cpuload", args, "",
				STRESS_HEAD STRESS_ROW
				"stress-ng: info:  [9660] unsuccessful run completed in 2.01s\n"),
		       "unsuccessful run"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tbench_arguments), cmocka_unit_test(tbench_values),
		cmocka_unit_test(tbench_failures),  cmocka_unit_test(netperf_arguments),
		cmocka_unit_test(netperf_values),   cmocka_unit_test(netperf_failures),
		cmocka_unit_test(stress_arguments), cmocka_unit_test(stress_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
