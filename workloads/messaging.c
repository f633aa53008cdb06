// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "channel.h"
#include "hackbench.h"

/* perf bench has no options for these. */
enum { FDS = 20, DATASIZE = 100 };

struct messaging {
	int64_t groups, loops;
	bool pipe, threads;
};

#define FIELD(f) offsetof(struct messaging, f)

static const struct option_spec options[] = {
	{.letter = 'g',
	 .name = "group",
	 .type = OPTION_INT,
	 .offset = FIELD(groups),
	 .preset = "10",
	 .min = 1,
	 .max = 1000000,
	 .help = "number of groups; each has 20 senders and 20 receivers"},
	{.letter = 'l',
	 .name = "nr_loops",
	 .type = OPTION_INT,
	 .offset = FIELD(loops),
	 .preset = "100",
	 .min = 1,
	 .max = 1000000000,
	 .help = "messages of 100 bytes that each sender sends to each receiver of its group"},
	{.letter = 'p',
	 .name = "pipe",
	 .type = OPTION_FLAG,
	 .offset = FIELD(pipe),
	 .help = "send through pipes instead of AF_UNIX socket pairs"},
	{.letter = 't',
	 .name = "thread",
	 .type = OPTION_FLAG,
	 .offset = FIELD(threads),
	 .help = "workers are threads of one process"},
	OPTION_END,
};

static const struct metric metrics[] = {
	{"time", "s", BETTER_LOWER, "from the release of the workers to the end of the last one"},
	METRIC_END,
};

static int messaging_run(const void *params, struct run *run, struct error *err)
{
	const struct messaging *p = params;
	const struct hackbench hb = {.groups = p->groups,
				     .fds = FDS,
				     .loops = p->loops,
				     .datasize = DATASIZE,
				     .channel = p->pipe ? CHANNEL_PIPE : CHANNEL_SOCKET,
				     .threads = p->threads};
	const char *tasks = p->threads ? "threads" : "processes";
	double seconds;

	if (hackbench(&hb, run, err))
		return -1;
	seconds = (double)run->out->wall_ns / 1e9;
	outcome_printf(run->out,
		       "# Running 'sched/messaging' benchmark:\n"
		       "# %d sender and receiver %s per group\n"
		       "# %" PRId64 " groups == %" PRId64 " %s run\n\n"
		       "     Total time: %.3f [sec]\n",
		       FDS, tasks, p->groups, p->groups * 2 * FDS, tasks, seconds);
	return outcome_value(run->out, &metrics[0], seconds, err);
}

WORKLOAD(messaging) = {
	.name = "messaging",
	.summary = "hackbench with the flags and the output of perf bench sched messaging",
	.description = "The load of hackbench with 20 senders and receivers to a group and "
		       "messages of 100\n"
		       "bytes. This is what mmtests calls hackbench. Timed: from the release of "
		       "the workers\n"
		       "to the reaping of the last one.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct messaging),
	.run = messaging_run,
};
