/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_SCHBENCH_OPTIONS_H
#define WORKLOADS_SCHBENCH_OPTIONS_H

#include "schbench.h"

/* Rows that all versions of schbench have, with the defaults of each. */
#define SCHBENCH_FIELD(f) offsetof(struct schbench, f)
#define SCHBENCH_DAY	  (86400 * 1000000000LL)

#define SCHBENCH_COMMON_OPTIONS(messengers_preset, workers_preset, workers_min, workers_help)      \
	{.letter = 'm',                                                                            \
	 .name = "message-threads",                                                                \
	 .type = OPTION_INT,                                                                       \
	 .offset = SCHBENCH_FIELD(messengers),                                                     \
	 .preset = messengers_preset,                                                              \
	 .min = 1,                                                                                 \
	 .max = 100000,                                                                            \
	 .help = "message threads"},                                                               \
		{.letter = 't',                                                                    \
		 .name = "threads",                                                                \
		 .type = OPTION_INT,                                                               \
		 .offset = SCHBENCH_FIELD(workers),                                                \
		 .preset = workers_preset,                                                         \
		 .min = workers_min,                                                               \
		 .max = 100000,                                                                    \
		 .help = workers_help},                                                            \
		{.letter = 'r',                                                                    \
		 .name = "runtime",                                                                \
		 .type = OPTION_TIME,                                                              \
		 .offset = SCHBENCH_FIELD(runtime_ns),                                             \
		 .unit = "s",                                                                      \
		 .preset = "30",                                                                   \
		 .min = 1000000,                                                                   \
		 .max = SCHBENCH_DAY,                                                              \
		 .help = "how long to measure"},                                                   \
		{.letter = 'p',                                                                    \
		 .name = "pipe",                                                                   \
		 .type = OPTION_SIZE,                                                              \
		 .offset = SCHBENCH_FIELD(pipe_bytes),                                             \
		 .unit = "bytes",                                                                  \
		 .preset = "0",                                                                    \
		 .min = 0,                                                                         \
		 .max = 1 << 20,                                                                   \
		 .help = "no work: both sides write so many bytes at each hand-over; 0: off"},     \
		{.letter = 'R',                                                                    \
		 .name = "rps",                                                                    \
		 .type = OPTION_INT,                                                               \
		 .offset = SCHBENCH_FIELD(rps),                                                    \
		 .preset = "0",                                                                    \
		 .min = 0,                                                                         \
		 .max = 100000000,                                                                 \
		 .unit = "requests/s",                                                             \
		 .help = "open loop: requests arrive at this rate, over all message threads; 0: "  \
			 "closed loop"},                                                           \
		{.name = "poisson",                                                                \
		 .type = OPTION_FLAG,                                                              \
		 .offset = SCHBENCH_FIELD(poisson),                                                \
		 .help = "open loop: exponential gaps between arrivals instead of equal ones"},    \
	{                                                                                          \
		.name = "backlog", .type = OPTION_INT, .offset = SCHBENCH_FIELD(backlog),          \
		.preset = "65536", .min = 1, .max = 1 << 26, .unit = "requests",                   \
		.help = "open loop: how many may wait at a message thread; more are dropped, and " \
			"counted"                                                                  \
	}

#define SCHBENCH_INTERVAL_OPTIONS(warmup_preset)                                                   \
	{.letter = 'w',                                                                            \
	 .name = "warmuptime",                                                                     \
	 .type = OPTION_TIME,                                                                      \
	 .offset = SCHBENCH_FIELD(warmup_ns),                                                      \
	 .unit = "s",                                                                              \
	 .preset = warmup_preset,                                                                  \
	 .min = 0,                                                                                 \
	 .max = SCHBENCH_DAY,                                                                      \
	 .help = "run so long before measuring, and forget all of it"},                            \
		{.letter = 'i',                                                                    \
		 .name = "intervaltime",                                                           \
		 .type = OPTION_TIME,                                                              \
		 .offset = SCHBENCH_FIELD(interval_ns),                                            \
		 .unit = "s",                                                                      \
		 .preset = "10",                                                                   \
		 .min = 0,                                                                         \
		 .max = SCHBENCH_DAY,                                                              \
		 .help = "report each so many whole seconds (all at the end); 0: never"},          \
	{                                                                                          \
		.letter = 'z', .name = "zerotime", .type = OPTION_TIME,                            \
		.offset = SCHBENCH_FIELD(zero_ns), .unit = "s", .preset = "0", .min = 0,           \
		.max = SCHBENCH_DAY,                                                               \
		.help = "forget what was measured each so many whole seconds; 0: never"            \
	}

#define SCHBENCH_OPEN_METRICS                                                                      \
	{"response_p99", "usec", BETTER_LOWER, "open loop: from the intended arrival to the end"}, \
		{"response_p50", "usec", BETTER_LOWER, "the same"},                                \
		{"response_p99_9", "usec", BETTER_LOWER, "the same"},                              \
		{"queue_p99", "usec", BETTER_LOWER,                                                \
		 "open loop: from the intended arrival to the start of the service"},              \
		{"queue_p50", "usec", BETTER_LOWER, "the same"},                                   \
		{"completed", "%", BETTER_HIGHER, "open loop: requests done of those arrived"},    \
		{"drops", "requests", BETTER_LOWER, "open loop: requests without room to wait"},   \
		{"overloaded", "flag", BETTER_LOWER,                                               \
		 "open loop: 1 when requests were dropped or less than 95 % were done"},           \
	{                                                                                          \
		"transfer", "ops/s", BETTER_HIGHER, "pipe mode: hand-overs of one worker"          \
	}

#endif
