// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "crew.h"
#include "preflight.h"

/* How often a task notes its CPU: rarely enough not to be measured. */
enum { SAMPLE_MASK = 63 };

struct pipe_params {
	int64_t loops;
	bool threaded;
	int pair; /* enum pair */
};

/* Where the tasks are, seen by both of them. */
struct sighting {
	int cpu __attribute__((aligned(64)));
	uint64_t samples, together;
};

struct pingpong {
	const struct pipe_params *params;
	int there[2], back[2];
	int pinned[2]; /* CPUs of --pair */
	struct sighting *seen; /* of the two tasks */
};

static const char *const pair_names[] = {"free", "cpu", "smt", "llc", "node", "far", NULL};

static int bind_to_pair(const struct worker *w, struct error *err)
{
	const struct pingpong *pp = w->arg;
	struct cpumask mask = {{0}};

	if (pp->params->pair == PAIR_FREE)
		return 0;
	cpumask_add(&mask, pp->pinned[w->index]);
	return cpumask_set_affinity(&mask, err);
}

static void note_cpu(struct sighting *mine, const struct sighting *other)
{
	int cpu = sched_getcpu();

	__atomic_store_n(&mine->cpu, cpu, __ATOMIC_RELAXED);
	mine->samples++;
	mine->together += __atomic_load_n(&other->cpu, __ATOMIC_RELAXED) == cpu;
}

static int ping(struct worker *w, struct error *err)
{
	const struct pingpong *pp = w->arg;
	int64_t loops = pp->params->loops;
	int token = 0;

	if (bind_to_pair(w, err) || crew_ready(w, err))
		return -1;
	for (int64_t i = 0; i < loops; i++) {
		if (channel_write(pp->there[1], &token, sizeof(token), err) ||
		    channel_read(pp->back[0], &token, sizeof(token), err))
			return -1;
		if (!(i & SAMPLE_MASK))
			note_cpu(&pp->seen[0], &pp->seen[1]);
	}
	return 0;
}

static int pong(struct worker *w, struct error *err)
{
	const struct pingpong *pp = w->arg;
	int64_t loops = pp->params->loops;
	int token = 0;

	if (bind_to_pair(w, err) || crew_ready(w, err))
		return -1;
	for (int64_t i = 0; i < loops; i++) {
		if (channel_read(pp->there[0], &token, sizeof(token), err))
			return -1;
		if (!(i & SAMPLE_MASK))
			note_cpu(&pp->seen[1], &pp->seen[0]);
		if (channel_write(pp->back[1], &token, sizeof(token), err))
			return -1;
	}
	return 0;
}

static void name_task(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "task %u", index);
}

static int prepare(struct pingpong *pp, const struct run *run, struct error *err)
{
	const struct needs needs = {.units = "pairs",
				    .flag = "",
				    .size = 1,
				    .fds = {8, 0},
				    .tasks = {3, 0},
				    .memory = {1 << 20, 0}};

	if (pp->params->pair != PAIR_FREE && run->place->bind != BIND_NONE)
		return error_set(err, ERROR_USAGE, "--pair contradicts --bind");
	if (pp->params->pair != PAIR_FREE &&
	    place_pair("/sys/devices/system", &run->place->allowed, (enum pair)pp->params->pair,
		       pp->pinned, err))
		return -1;
	pp->seen = shared_alloc(2 * sizeof(*pp->seen), err);
	if (!pp->seen || preflight(&needs, err) || channel_open(CHANNEL_PIPE, pp->there, err) ||
	    channel_open(CHANNEL_PIPE, pp->back, err))
		return -1;
	return 0;
}

static int play(struct pingpong *pp, struct run *run, struct error *err)
{
	struct crew_options opt = {.threads = pp->params->threaded,
				   .barrier = CHANNEL_PIPE,
				   .count = 2,
				   .name = name_task};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	if (!rc)
		rc = crew_add(&crew, ping, pp, err) || crew_add(&crew, pong, pp, err) ||
		     crew_start(&crew, err) || crew_wait(&crew, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

#define FIELD(f) offsetof(struct pipe_params, f)

static const struct option_spec options[] = {
	{.letter = 'l',
	 .name = "loop",
	 .type = OPTION_INT,
	 .offset = FIELD(loops),
	 .preset = "1000000",
	 .min = 1,
	 .max = 1000000000000,
	 .help = "round trips"},
	{.letter = 'T',
	 .name = "threaded",
	 .type = OPTION_FLAG,
	 .offset = FIELD(threaded),
	 .help = "the tasks are threads of one process"},
	{.name = "pair",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(pair),
	 .preset = "free",
	 .choices = pair_names,
	 .help = "pin the tasks: to one CPU, to two hardware threads of a core, to two cores of a\n"
		 "          last-level cache, to two caches of a node, to two nodes; or leave them "
		 "free"},
	OPTION_END,
};

static const struct metric metrics[] = {
	{"usecs_per_op", "usecs/op", BETTER_LOWER, "time of one round trip"},
	{"ops_per_sec", "ops/sec", BETTER_HIGHER, "round trips per second"},
	{"same_cpu", "%", BETTER_HIGHER,
	 "share of samples that saw both tasks on one CPU: explains the others, no goal in itself"},
	METRIC_END,
};

static int report(const struct pingpong *pp, struct run *run, struct error *err)
{
	const struct sighting *seen = pp->seen;
	double seconds = (double)run->out->wall_ns / 1e9, ops = (double)pp->params->loops;
	double together = 100 * (double)(seen[0].together + seen[1].together) /
			  (double)(seen[0].samples + seen[1].samples);

	run->out->ops = (uint64_t)pp->params->loops;
	outcome_printf(run->out,
		       "# Running 'sched/pipe' benchmark:\n"
		       "# Executed %" PRId64 " pipe operations between two %s\n"
		       "# On one CPU in %.1f %% of %" PRIu64 " samples, last on CPUs %d and %d\n\n"
		       "     Total time: %.3f [sec]\n\n"
		       " %14f usecs/op\n"
		       " %14.0f ops/sec\n",
		       pp->params->loops, pp->params->threaded ? "threads" : "processes", together,
		       seen[0].samples + seen[1].samples, seen[0].cpu, seen[1].cpu, seconds,
		       seconds * 1e6 / ops, ops / seconds);
	if (outcome_value(run->out, &metrics[0], seconds * 1e6 / ops, err) ||
	    outcome_value(run->out, &metrics[1], ops / seconds, err))
		return -1;
	return outcome_value(run->out, &metrics[2], together, err);
}

static int pipe_run(const void *params, struct run *run, struct error *err)
{
	struct pingpong pp = {.params = params};

	if (prepare(&pp, run, err) || play(&pp, run, err))
		return -1;
	return report(&pp, run, err);
}

WORKLOAD(pipe) = {
	.name = "pipe",
	.summary = "two tasks that pass a token through two pipes, as perf bench sched pipe",
	.description = "One operation is a round trip of 4 bytes: two wake-ups, and two switches "
		       "when the tasks\n"
		       "share a CPU. The result depends on where they run more than on anything "
		       "else: pin them\n"
		       "(--pair, or --cpus with one CPU) or look at same_cpu. Timed: from the "
		       "release of the two\n"
		       "tasks to the reaping of both; unlike perf, without their creation.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct pipe_params),
	.run = pipe_run,
};
