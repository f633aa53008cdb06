// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hackbench.h"
#include "crew.h"
#include "preflight.h"

/* Messages up to this size are kept on the stack, which the worker has touched already. */
enum { SMALL_MESSAGE = 4096 };

/* What the workers of one group share. */
struct group {
	const struct hackbench *hb;
	unsigned number;
	int *in, *out; /* read and write ends of the channels, one for each receiver */
	unsigned next; /* receiver to be created: its channel is in[next] */
};

static int need_buffer(const struct hackbench *hb, char *small, char **buf, struct error *err)
{
	*buf = small;
	if (hb->datasize <= SMALL_MESSAGE)
		return 0;
	*buf = mmap(NULL, (size_t)hb->datasize, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (*buf == MAP_FAILED)
		return error_sys(err, errno, "cannot map a message of %" PRId64 " bytes",
				 hb->datasize);
	return 0;
}

static int sender(struct worker *w, struct error *err)
{
	const struct group *g = w->arg;
	const struct hackbench *hb = g->hb;
	size_t size = (size_t)hb->datasize;
	char small[SMALL_MESSAGE], *buf;

	if (need_buffer(hb, small, &buf, err))
		return -1;
	memset(buf, 0, size);
	if (crew_ready(w, err))
		return -1;
	for (int64_t loop = 0; loop < hb->loops; loop++)
		for (int64_t i = 0; i < hb->fds; i++)
			if (channel_write(g->out[i], buf, size, err))
				return -1;
	return 0;
}

static int receiver(struct worker *w, struct error *err)
{
	const struct group *g = w->arg;
	const struct hackbench *hb = g->hb;
	/* Receivers come first in a group of 2 * fds workers. */
	int fd = g->in[w->index % (2 * hb->fds)];
	int64_t messages = hb->fds * hb->loops;
	size_t size = (size_t)hb->datasize;
	char small[SMALL_MESSAGE], *buf;

	if (need_buffer(hb, small, &buf, err) || crew_ready(w, err))
		return -1;
	for (int64_t i = 0; i < messages; i++)
		if (channel_read(fd, buf, size, err))
			return -1;
	return 0;
}

static void name_worker(const void *ctx, unsigned index, char *buf, size_t size)
{
	const struct hackbench *hb = ctx;
	unsigned fds = (unsigned)hb->fds, group = index / (2 * fds), i = index % (2 * fds);

	snprintf(buf, size, "%s %u of group %u", i < fds ? "receiver" : "sender", i % fds, group);
}

static int add_group(struct crew *crew, struct group *g, struct error *err)
{
	const struct hackbench *hb = g->hb;

	for (int64_t i = 0; i < hb->fds; i++) {
		int ends[2];

		if (channel_open((enum channel_kind)hb->channel, ends, err))
			return -1;
		g->in[i] = ends[0];
		g->out[i] = ends[1];
		if (crew_add(crew, receiver, g, err))
			return -1;
		if (!hb->threads)
			close(g->in[i]);
	}
	for (int64_t i = 0; i < hb->fds; i++)
		if (crew_add(crew, sender, g, err))
			return -1;
	for (int64_t i = 0; i < hb->fds && !hb->threads; i++)
		close(g->out[i]);
	return 0;
}

static int be_realtime(struct error *err)
{
	struct sched_param param = {.sched_priority = 1};

	if (!sched_setscheduler(0, SCHED_FIFO, &param))
		return 0;
	return error_sys(err, errno, "--fifo: cannot become SCHED_FIFO (needs CAP_SYS_NICE)");
}

static int check(const struct hackbench *hb, struct error *err)
{
	uint64_t fds = (uint64_t)hb->fds, size = (uint64_t)hb->datasize;
	uint64_t message = size > SMALL_MESSAGE ? size : 0;
	bool inet = hb->channel == CHANNEL_INET;
	struct needs needs = {
		.units = "groups",
		.flag = "-g",
		.size = (uint64_t)hb->groups,
		/* The barrier has two channels; threads keep all channels, a process one group's. */
		.fds = {4 + 2 + (hb->threads ? 0 : fds + 2), hb->threads ? 2 * fds : 0},
		.tasks = {2, 2 * fds},
		/* Seen: about 110 KiB for a process, 30 KiB for a thread; the queues of the kernel
		 * hold 208 KiB for each socket and 64 KiB for each pipe. */
		.memory = {1 << 20,
			   2 * fds * ((hb->threads ? 32 << 10 : 112 << 10) + message) +
				   fds * (hb->channel == CHANNEL_PIPE ? 64 << 10 : 208 << 10)},
		.ports = {inet ? 4 : 0, inet ? 2 * fds : 0},
	};
	uint64_t workers, messages;

	if (__builtin_mul_overflow((uint64_t)hb->groups, 2 * fds, &workers) || workers > INT_MAX)
		return error_set(err, ERROR_USAGE,
				 "%" PRId64 " groups of %" PRIu64 " tasks are too many", hb->groups,
				 2 * fds);
	if (__builtin_mul_overflow(workers * fds, (uint64_t)hb->loops, &messages) ||
	    messages > INT64_MAX)
		return error_set(err, ERROR_USAGE, "too many messages");
	return preflight(&needs, err);
}

static int run_groups(const struct hackbench *hb, struct crew *crew, struct group *groups,
		      struct error *err)
{
	for (int64_t i = 0; i < hb->groups; i++)
		if (add_group(crew, &groups[i], err))
			return -1;
	if (hb->fifo && be_realtime(err))
		return -1;
	return crew_start(crew, err) || crew_wait(crew, err) ? -1 : 0;
}

/* The groups and their lists of descriptors; in process mode one pair of lists serves all. */
static struct group *make_groups(const struct hackbench *hb, struct error *err)
{
	size_t lists = hb->threads ? (size_t)hb->groups : 1, fds = (size_t)hb->fds;
	struct group *groups = calloc((size_t)hb->groups, sizeof(*groups));
	int *ends = calloc(lists * fds * 2, sizeof(*ends));

	if (!groups || !ends) {
		error_sys(err, ENOMEM, "cannot list %" PRId64 " groups", hb->groups);
		free(groups);
		free(ends);
		return NULL;
	}
	for (size_t i = 0; i < (size_t)hb->groups; i++) {
		size_t list = i % lists;

		groups[i] = (struct group){.hb = hb,
					   .number = (unsigned)i,
					   .in = ends + list * fds * 2,
					   .out = ends + list * fds * 2 + fds};
	}
	return groups;
}

int hackbench(const struct hackbench *hb, struct run *run, struct error *err)
{
	struct crew_options opt = {.threads = hb->threads,
				   .barrier = (enum channel_kind)hb->channel,
				   .count = (unsigned)(2 * hb->groups * hb->fds),
				   .name = name_worker,
				   .ctx = hb};
	struct group *groups;
	struct crew crew;
	int rc;

	if (check(hb, err))
		return -1;
	groups = make_groups(hb, err);
	if (!groups)
		return -1;
	rc = crew_init(&crew, run, &opt, err);
	if (!rc)
		rc = run_groups(hb, &crew, groups, err);
	crew_release(&crew);
	if (rc)
		return -1; /* threads may still use the lists; the process is about to end */
	run->out->ops = (uint64_t)(hb->groups * hb->fds * hb->fds * hb->loops);
	free(groups->in);
	free(groups);
	return 0;
}

#define FIELD(f) offsetof(struct hackbench, f)

static const struct option_spec options[] = {
	{.letter = 'g',
	 .name = "groups",
	 .type = OPTION_INT,
	 .offset = FIELD(groups),
	 .preset = "10",
	 .min = 1,
	 .max = 1000000,
	 .help = "number of groups; each has FDS senders and FDS receivers"},
	{.letter = 'f',
	 .name = "fds",
	 .type = OPTION_INT,
	 .offset = FIELD(fds),
	 .preset = "20",
	 .min = 1,
	 .max = 1000000,
	 .help = "senders, and receivers, of a group"},
	{.letter = 'l',
	 .name = "loops",
	 .type = OPTION_INT,
	 .offset = FIELD(loops),
	 .preset = "100",
	 .min = 1,
	 .max = 1000000000,
	 .help = "messages that each sender sends to each receiver of its group"},
	{.letter = 's',
	 .name = "datasize",
	 .type = OPTION_SIZE,
	 .offset = FIELD(datasize),
	 .unit = "bytes",
	 .preset = "100",
	 .min = 1,
	 .max = 1 << 30,
	 .help = "size of a message"},
	{.letter = 'p',
	 .name = "pipe",
	 .type = OPTION_SET,
	 .offset = FIELD(channel),
	 .value = CHANNEL_PIPE,
	 .help = "send through pipes instead of AF_UNIX socket pairs"},
	{.letter = 'i',
	 .name = "inet",
	 .type = OPTION_SET,
	 .offset = FIELD(channel),
	 .value = CHANNEL_INET,
	 .help = "send through TCP over the loopback interface"},
	{.letter = 'T',
	 .name = "threads",
	 .type = OPTION_SET,
	 .offset = FIELD(threads),
	 .value = 1,
	 .help = "workers are threads of one process"},
	{.letter = 'P',
	 .name = "process",
	 .type = OPTION_SET,
	 .offset = FIELD(threads),
	 .value = 0,
	 .help = "workers are processes (the default)"},
	{.letter = 'F',
	 .name = "fifo",
	 .type = OPTION_FLAG,
	 .offset = FIELD(fifo),
	 .help = "the main task becomes SCHED_FIFO once the workers exist, so that it is not "
		 "starved"},
	OPTION_END,
};

static const struct metric metrics[] = {
	{"time", "s", BETTER_LOWER, "from the release of the workers to the end of the last one"},
	METRIC_END,
};

static int hackbench_run(const void *params, struct run *run, struct error *err)
{
	const struct hackbench *hb = params;
	double seconds;

	if (hackbench(hb, run, err))
		return -1;
	seconds = (double)run->out->wall_ns / 1e9;
	outcome_printf(run->out,
		       "Running in %s mode with %" PRId64 " groups using %" PRId64
		       " file descriptors each (== %" PRId64 " tasks)\n"
		       "Each sender will pass %" PRId64 " messages of %" PRId64 " bytes\n"
		       "Time: %.3f\n",
		       hb->threads ? "threaded" : "process", hb->groups, 2 * hb->fds,
		       2 * hb->groups * hb->fds, hb->loops, hb->datasize, seconds);
	return outcome_value(run->out, &metrics[0], seconds, err);
}

WORKLOAD(hackbench) = {
	.name = "hackbench",
	.summary = "groups of senders and receivers that pass small messages all to all",
	.description =
		"In each group FDS senders write LOOPS messages to each of FDS receivers, through\n"
		"socket pairs, pipes or TCP. Timed: from the release of the workers, which all "
		"wait\n"
		"for one byte, to the reaping of the last one, so the end of the workers is "
		"inside\n"
		"and their creation is not. With pipes the pipe's lock counts as much as the "
		"scheduler.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct hackbench),
	.run = hackbench_run,
};
