// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "peer.h"
#include "peer_text.h"

/* hackbench of rt-tests. */

static int plan(const struct peer_job *job, struct peer_plan *plan, struct error *err)
{
	(void)job;
	return peer_arg(&plan->client, err, "hackbench");
}

/*
 * It ignores arguments that it does not understand and runs its defaults: what it says that it
 * does has to be what was asked for.
 */
static int check_work(const struct peer_job *job, const char *text, struct error *err)
{
	const char *mode = peer_number(job, "threads") ? "threaded" : "process";
	int64_t groups = peer_number(job, "groups"), fds = peer_number(job, "fds");
	struct text_match m;
	char first[160], second[160];

	snprintf(first, sizeof(first),
		 "Running in %s mode with %" PRId64 " groups using %" PRId64
		 " file descriptors each (== %" PRId64 " tasks)",
		 mode, groups, 2 * fds, 2 * groups * fds);
	snprintf(second, sizeof(second),
		 "Each sender will pass %" PRId64 " messages of %" PRId64 " bytes",
		 peer_number(job, "loops"), peer_number(job, "datasize"));
	return text_only(text, "hackbench", first, &m, err) ||
			       text_only(text, "hackbench", second, &m, err)
		       ? -1
		       : 0;
}

static int read_text(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	struct text_match m;

	(void)count;
	if (check_work(job, o->out, err) || text_only(o->out, "hackbench", "Time: %n", &m, err))
		return -1;
	if (m.numbers[0] <= 0)
		return error_set(err, ERROR_FAILED,
				 "hackbench printed a time of 0: its clock shows milliseconds "
				 "(more --loops)");
	return peer_value(values, "time", NULL, m.numbers[0], err);
}

static const struct peer_flag flags[] = {
	{.name = "groups", .flag = "-g"},  {.name = "fds", .flag = "-f"},
	{.name = "loops", .flag = "-l"},   {.name = "datasize", .flag = "-s"},
	{.name = "pipe", .flag = "-p"},	   {.name = "inet", .flag = "-i"},
	{.name = "threads", .flag = "-T"}, {.name = "process", .flag = "-P"},
	{.name = "fifo", .flag = "-F"},	   {.name = NULL},
};

static const char *const metrics[] = {"time", NULL};

PEER(hackbench) = {
	.workload = "hackbench",
	.programs = "hackbench",
	.source = "apt-get install rt-tests",
	.metrics = metrics,
	.flags = flags,
	.note = "It prints milliseconds. When one of its workers is killed it waits for ever.",
	.plan = plan,
	.read = read_text,
};
