// SPDX-License-Identifier: GPL-2.0-or-later
#include "schbench_options.h"

static const struct option_spec options[] = {
	SCHBENCH_COMMON_OPTIONS(
		"1", "0", 0, "workers of each message thread; 0: allowed CPUs / message threads"),
	SCHBENCH_INTERVAL_OPTIONS("0"),
	{.letter = 'F',
	 .name = "cache_footprint",
	 .type = OPTION_INT,
	 .offset = SCHBENCH_FIELD(footprint_kib),
	 .unit = "KiB",
	 .preset = "256",
	 .min = 1,
	 .max = 1 << 20,
	 .help = "size of the three matrices of a worker"},
	{.letter = 'n',
	 .name = "operations",
	 .type = OPTION_INT,
	 .offset = SCHBENCH_FIELD(operations),
	 .preset = "5",
	 .min = 0,
	 .max = 1000000000,
	 .help = "matrix products of a request"},
	{.letter = 's',
	 .name = "sleep_usec",
	 .type = OPTION_TIME,
	 .offset = SCHBENCH_FIELD(sleep_ns),
	 .unit = "us",
	 .preset = "100",
	 .min = 0,
	 .max = SCHBENCH_DAY,
	 .help = "sleep of a request before its work"},
	{.letter = 'L',
	 .name = "no-locking",
	 .type = OPTION_FLAG,
	 .offset = SCHBENCH_FIELD(no_locking),
	 .help = "do not take the spin lock of the CPU for the work"},
	{.letter = 'C',
	 .name = "calibrate",
	 .type = OPTION_FLAG,
	 .offset = SCHBENCH_FIELD(calibrate),
	 .help = "only the work of the requests, without hand-over, sleep and lock"},
	{.letter = 'A',
	 .name = "auto-rps",
	 .type = OPTION_REAL,
	 .offset = SCHBENCH_FIELD(auto_rps),
	 .unit = "%",
	 .preset = "0",
	 .min = 0,
	 .max = 100,
	 .help = "open loop: steer the rate so that the CPUs of the machine are busy so much; 0: "
		 "off"},
	{.letter = 'M',
	 .name = "message-cpus",
	 .type = OPTION_STRING,
	 .offset = SCHBENCH_FIELD(message_cpus),
	 .help = "CPUs of the message threads, a list or auto: as many as there are, the first "
		 "ones"},
	{.letter = 'W',
	 .name = "worker-cpus",
	 .type = OPTION_STRING,
	 .offset = SCHBENCH_FIELD(worker_cpus),
	 .help = "CPUs of the workers, a list or auto: those that -M auto does not take"},
	OPTION_END,
};

#define LATENCY(n, what)                                                                           \
	{n "_p50", "usec", BETTER_LOWER, what}, {n "_p90", "usec", BETTER_LOWER, what},            \
		{n "_p99_9", "usec", BETTER_LOWER, what},                                          \
	{                                                                                          \
		n "_max", "usec", BETTER_LOWER, what                                               \
	}

static const struct metric metrics[] = {
	{"wakeup_p99", "usec", BETTER_LOWER,
	 "from the wake-up to running (and the percentiles below)"},
	LATENCY("wakeup", "the same"),
	{"request_p99", "usec", BETTER_LOWER, "sleep, lock and work of a request"},
	LATENCY("request", "the same"),
	{"rps_p50", "requests/s", BETTER_HIGHER, "requests done in a second: over the seconds"},
	{"rps_p20", "requests/s", BETTER_HIGHER, "the same"},
	{"rps_p90", "requests/s", BETTER_HIGHER, "the same"},
	{"average_rps", "requests/s", BETTER_HIGHER, "requests done over the time measured"},
	{"message_delay", "usec", BETTER_LOWER, "wait in the run queue per time slice"},
	{"worker_delay", "usec", BETTER_LOWER, "the same, of the workers"},
	SCHBENCH_OPEN_METRICS,
	METRIC_END,
};

static int schbench_run(const void *params, struct run *run, struct error *err)
{
	static struct schbench_result result;
	struct schbench cfg = *(const struct schbench *)params;

	cfg.version = SCHBENCH_NEW;
	if (schbench_execute(&cfg, run, &result, err))
		return -1;
	return schbench_report(&cfg, run, &result, metrics, err);
}

WORKLOAD(schbench) = {
	.name = "schbench",
	.summary = "wake-up and request latencies of a server: message threads and workers",
	.description = "Workers queue at their message thread, which wakes them all; then each "
		       "does a request:\n"
		       "a short sleep, and matrix products under a spin lock of its CPU. With -R "
		       "requests arrive\n"
		       "by the clock, however late the server is, and response times count from "
		       "there. Measured\n"
		       "is what happens after the warm-up and before the end; 0 us is a sample as "
		       "any other.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct schbench),
	.run = schbench_run,
};
