// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "random.h"
#include "workload.h"

struct null_params {
	double value, noise_cv;
	int64_t sleep_ns, seed, exit_status, signal;
	bool fail, hang;
};

#define FIELD(f) offsetof(struct null_params, f)

static const struct option_spec options[] = {
	{.name = "value",
	 .type = OPTION_REAL,
	 .offset = FIELD(value),
	 .preset = "1",
	 .min = -1000000000,
	 .max = 1000000000,
	 .help = "the value to report"},
	{.name = "noise-cv",
	 .type = OPTION_REAL,
	 .offset = FIELD(noise_cv),
	 .unit = "%",
	 .preset = "0",
	 .min = 0,
	 .max = 1000,
	 .help = "report normally distributed values around it, with this coefficient of "
		 "variation"},
	{.name = "seed",
	 .type = OPTION_INT,
	 .offset = FIELD(seed),
	 .preset = "0",
	 .min = 0,
	 .max = INT64_MAX,
	 .help = "of the noise; the same seed gives the same value, 0 a different one each time"},
	{.name = "sleep",
	 .type = OPTION_TIME,
	 .offset = FIELD(sleep_ns),
	 .unit = "s",
	 .preset = "0",
	 .max = 86400 * 1000000000LL,
	 .help = "sleep before reporting"},
	{.name = "fail",
	 .type = OPTION_FLAG,
	 .offset = FIELD(fail),
	 .help = "fail: a message, exit status 3, no result"},
	{.name = "exit",
	 .type = OPTION_INT,
	 .offset = FIELD(exit_status),
	 .preset = "-1",
	 .min = -1,
	 .max = 255,
	 .help = "end with this exit status without a result; -1: do not"},
	{.name = "signal",
	 .type = OPTION_INT,
	 .offset = FIELD(signal),
	 .preset = "0",
	 .min = 0,
	 .max = 64,
	 .help = "the run kills itself with this signal; 0: it does not"},
	{.name = "hang", .type = OPTION_FLAG, .offset = FIELD(hang), .help = "never end"},
	OPTION_END,
};

static const struct metric metrics[] = {
	{"value", "s", BETTER_LOWER, "what --value says"},
	{"rate", "ops/s", BETTER_HIGHER, "its inverse (not reported when the value is 0)"},
	METRIC_END,
};

static void sleep_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	while (nanosleep(&ts, &ts))
		;
}

static int null_run(const void *params, struct run *run, struct error *err)
{
	const struct null_params *p = params;
	struct random rnd = {.state = p->seed ? (uint64_t)p->seed : random_seed()};
	uint64_t start = now_ns();
	double v = p->value * (1 + p->noise_cv / 100 * random_normal(&rnd));

	sleep_ns(p->sleep_ns);
	while (p->hang)
		pause();
	if (p->signal)
		raise((int)p->signal);
	if (p->fail)
		return error_set(err, ERROR_FAILED, "failed as asked for (--fail)");
	if (p->exit_status >= 0) {
		run->out->forced = true;
		run->out->exit_status = (int)p->exit_status;
		return 0;
	}
	run->out->wall_ns = now_ns() - start;
	run->out->ops = 1;
	outcome_printf(run->out, "Value: %.9g\n", v);
	if (outcome_value(run->out, &metrics[0], v, err))
		return -1;
	return v != 0 ? outcome_value(run->out, &metrics[1], 1 / v, err) : 0;
}

WORKLOAD(null) = {
	.name = "null",
	.summary = "does nothing, or fails, on purpose: for tests and for the overhead of the "
		   "framework",
	.description = "Reports a value that was given on the command line.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct null_params),
	.run = null_run,
};
