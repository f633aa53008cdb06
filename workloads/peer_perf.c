// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "peer.h"
#include "peer_text.h"

/* perf bench sched pipe and messaging. */

static int plan_bench(struct peer_plan *plan, const char *name, struct error *err)
{
	struct peer_command *c = &plan->client;

	return peer_arg(c, err, "perf") || peer_arg(c, err, "bench") || peer_arg(c, err, "sched") ||
			       peer_arg(c, err, "%s", name)
		       ? -1
		       : 0;
}

static int total_time(const char *text, struct text_match *m, struct error *err)
{
	if (text_only(text, "perf", "Total time: %n [sec]", m, err))
		return -1;
	if (m->numbers[0] > 0)
		return 0;
	return error_set(err, ERROR_FAILED,
			 "perf printed a time of 0: it prints milliseconds (more loops)");
}

static int plan_pipe(const struct peer_job *job, struct peer_plan *plan, struct error *err)
{
	(void)job;
	return plan_bench(plan, "pipe", err);
}

/* The three lines say the same thing; a disagreement of more than their rounding is a mix-up. */
static int check_pipe(double seconds, double loops, double usecs, double rate, struct error *err)
{
	double exact = 1e6 / usecs; /* the rate is printed as an integer, the time in ms */

	if (fabs(usecs * loops / 1e6 - seconds) <= 0.0011 && exact >= rate * 0.99 &&
	    exact <= (rate + 1) * 1.01)
		return 0;
	return error_set(err, ERROR_FAILED,
			 "perf contradicts itself: %.3f s, %.0f loops, %f usecs/op, %.0f ops/sec",
			 seconds, loops, usecs, rate);
}

static int read_pipe(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	struct text_match done, total, usecs, rate;
	int64_t loops = peer_number(job, "loop");
	char line[128];

	(void)count;
	snprintf(line, sizeof(line), "# Executed %" PRId64 " pipe operations between two %s", loops,
		 peer_number(job, "threaded") ? "threads" : "processes");
	if (text_only(o->out, "perf", line, &done, err) || total_time(o->out, &total, err) ||
	    text_only(o->out, "perf", "%n usecs/op", &usecs, err) ||
	    text_only(o->out, "perf", "%n ops/sec", &rate, err) ||
	    check_pipe(total.numbers[0], (double)loops, usecs.numbers[0], rate.numbers[0], err))
		return -1;
	return peer_value(values, "usecs_per_op", NULL, usecs.numbers[0], err) ||
			       peer_value(values, "ops_per_sec", NULL, rate.numbers[0], err)
		       ? -1
		       : 0;
}

static const struct peer_flag pipe_flags[] = {
	{.name = "loop", .flag = "-l"},
	{.name = "threaded", .flag = "-T"},
	{.name = NULL},
};

static const char *const pipe_metrics[] = {"usecs_per_op", "ops_per_sec", NULL};

PEER(pipe) = {
	.workload = "pipe",
	.programs = "perf",
	.source = "apt-get install linux-perf",
	.metrics = pipe_metrics,
	.flags = pipe_flags,
	.note = "The creation of the two tasks is inside its time.",
	.plan = plan_pipe,
	.read = read_pipe,
};

static int plan_messaging(const struct peer_job *job, struct peer_plan *plan, struct error *err)
{
	(void)job;
	return plan_bench(plan, "messaging", err);
}

static int read_messaging(const struct peer_job *job, const struct peer_output *o, unsigned count,
			  struct peer_values *values, struct error *err)
{
	const char *tasks = peer_number(job, "thread") ? "threads" : "processes";
	int64_t groups = peer_number(job, "group");
	struct text_match m;
	char line[128];

	(void)count;
	snprintf(line, sizeof(line), "# %" PRId64 " groups == %" PRId64 " %s run", groups,
		 groups * 40, tasks);
	if (text_only(o->out, "perf", line, &m, err) || total_time(o->out, &m, err))
		return -1;
	return peer_value(values, "time", NULL, m.numbers[0], err);
}

static const struct peer_flag messaging_flags[] = {
	{.name = "group", .flag = "-g"},
	{.name = "nr_loops", .flag = "-l"},
	{.name = "pipe", .flag = "-p"},
	{.name = "thread", .flag = "-t"},
	{.name = NULL},
};

static const char *const messaging_metrics[] = {"time", NULL};

PEER(messaging) = {
	.workload = "messaging",
	.programs = "perf",
	.source = "apt-get install linux-perf",
	.metrics = messaging_metrics,
	.flags = messaging_flags,
	.note = "It prints milliseconds. Its processes are copies of the large program perf.",
	.plan = plan_messaging,
	.read = read_messaging,
};
