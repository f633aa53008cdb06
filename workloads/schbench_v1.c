// SPDX-License-Identifier: GPL-2.0-or-later
#include "schbench_options.h"

#define V1_OPTIONS                                                                                 \
	SCHBENCH_COMMON_OPTIONS("2", "16", 1, "workers of each message thread"),                   \
		{.letter = 'c',                                                                    \
		 .name = "cputime",                                                                \
		 .type = OPTION_TIME,                                                              \
		 .offset = SCHBENCH_FIELD(spin_ns),                                                \
		 .unit = "us",                                                                     \
		 .preset = "30000",                                                                \
		 .min = 0,                                                                         \
		 .max = SCHBENCH_DAY,                                                              \
		 .help = "work of a worker between two waits: it looks at the clock until then"},  \
	{                                                                                          \
		.letter = 's', .name = "sleeptime", .type = OPTION_TIME,                           \
		.offset = SCHBENCH_FIELD(sleep_ns), .unit = "us", .preset = "30000", .min = 0,     \
		.max = SCHBENCH_DAY,                                                               \
		.help = "sleep of a message thread, up to a quarter more, before it wakes them"    \
	}

static const struct option_spec options_2019[] = {V1_OPTIONS, OPTION_END};
static const struct option_spec options_2021[] = {V1_OPTIONS, SCHBENCH_INTERVAL_OPTIONS("5"),
						  OPTION_END};

static const struct metric metrics[] = {
	{"wakeup_p99", "usec", BETTER_LOWER, "the latency (see above) at this percentile"},
	{"wakeup_p50", "usec", BETTER_LOWER, "the same"},
	{"wakeup_p75", "usec", BETTER_LOWER, "the same"},
	{"wakeup_p90", "usec", BETTER_LOWER, "the same"},
	{"wakeup_p95", "usec", BETTER_LOWER, "the same"},
	{"wakeup_p99_5", "usec", BETTER_LOWER, "the same"},
	{"wakeup_p99_9", "usec", BETTER_LOWER, "the same"},
	{"wakeup_max", "usec", BETTER_LOWER, "the same"},
	{"average_rps", "requests/s", BETTER_HIGHER,
	 "rounds of all workers over the time measured"},
	SCHBENCH_OPEN_METRICS,
	METRIC_END,
};

static int run_version(enum schbench_version version, const void *params, struct run *run,
		       struct error *err)
{
	static struct schbench_result result;
	struct schbench cfg = *(const struct schbench *)params;

	cfg.version = version;
	if (schbench_execute(&cfg, run, &result, err))
		return -1;
	return schbench_report(&cfg, run, &result, metrics, err);
}

static int run_2019(const void *params, struct run *run, struct error *err)
{
	return run_version(SCHBENCH_2019, params, run, err);
}

static int run_2021(const void *params, struct run *run, struct error *err)
{
	return run_version(SCHBENCH_2021, params, run, err);
}

WORKLOAD(schbench_2019) = {
	.name = "schbench-v1-2019",
	.summary = "schbench as it was until 2020: latency from the wake-up to running",
	.description =
		"Workers spin, queue at their message thread and sleep; it sleeps too and then "
		"wakes all\n"
		"that wait. The latency is from the one time stamp of such a batch to the worker "
		"running,\n"
		"so it contains the wake-ups of those before it. What mails call schbench (old).",
	.metrics = metrics,
	.options = options_2019,
	.params_size = sizeof(struct schbench),
	.run = run_2019,
};

WORKLOAD(schbench_2021) = {
	.name = "schbench-v1-2021",
	.summary =
		"schbench of 2021: latency from the wake-up to the end of the work, less the work",
	.description = "As schbench-v1-2019, but the latency is from the time stamp of the batch "
		       "to the end of\n"
		       "the worker's work, less the time that the work takes: preemption while "
		       "working counts.",
	.metrics = metrics,
	.options = options_2021,
	.params_size = sizeof(struct schbench),
	.run = run_2021,
};
