// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"
#include "preflight.h"
#include "random.h"
#include "spin.h"

enum mode { MODE_CPU, MODE_WALL };
enum phase { PHASE_RANDOM, PHASE_ALIGNED };

/* Between two looks at the clocks: about 20 us, of which the looks are a hundredth. */
enum { CHUNK = 20000 };

struct cpuload {
	int64_t workers, slice_ns, time_ns, seed;
	double load, tolerance; /* %; points */
	int mode, phase;
};

/* What a worker has done over its whole periods; in shared memory. */
struct hog_result {
	uint64_t wall_ns, cpu_ns, wait_ns, periods, missed, steps;
};

struct bench {
	const struct cpuload *params;
	int64_t workers;
	struct hog_result *results;
};

/* A worker at work. */
struct hog {
	const struct cpuload *params;
	struct hog_result *result;
	uint64_t end_ns;
	uint64_t first_ns, first_cpu_ns, first_wait_ns; /* when the first period began */
	uint64_t late_ns; /* by how much the last sleep was too long */
};

static void sleep_until(uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Spin for the CPU time of a slice; less if the run ends. Returns the CPU time. */
static uint64_t busy(struct hog *h, uint64_t slice_ns)
{
	uint64_t start = spin_cpu_ns(), spent = 0;

	while (spent < slice_ns && now_ns() < h->end_ns) {
		spin_steps(CHUNK);
		h->result->steps += CHUNK;
		spent = spin_cpu_ns() - start;
	}
	return spent;
}

/* The state at a border of periods: what was done until here counts. */
static void settle(struct hog *h)
{
	struct hog_result *r = h->result;

	r->wall_ns = now_ns() - h->first_ns;
	r->cpu_ns = spin_cpu_ns() - h->first_cpu_ns;
	r->wait_ns = spin_wait_ns(0) - h->first_wait_ns;
}

/*
 * When the next period begins. By CPU time the pause follows the slice, whenever that was: time
 * spent waiting for a CPU makes the period longer. By the wall clock a period has its length:
 * waiting shortens the pause. @start, @end, @cpu: of the slice.
 */
static uint64_t next_start(struct hog *h, uint64_t start, uint64_t end, uint64_t cpu)
{
	double pause = (double)cpu * (100 - h->params->load) / h->params->load;
	double at = h->params->mode == MODE_WALL
			    ? (double)(start - h->late_ns) + (double)cpu + pause
			    : (double)end + pause - (double)h->late_ns;

	return (uint64_t)at;
}

/* A slice and its pause; false: the end of the run cuts it off, and it counts for nothing. */
static bool one_period(struct hog *h)
{
	uint64_t start = now_ns(), cpu = busy(h, (uint64_t)h->params->slice_ns), end = now_ns();
	uint64_t next = next_start(h, start, end, cpu);

	if (end >= h->end_ns || next >= h->end_ns)
		return false;
	h->result->missed += next <= end;
	if (next > end)
		sleep_until(next);
	h->late_ns = next > end ? now_ns() - next : 0;
	return true;
}

static void run_hog(struct hog *h)
{
	const struct cpuload *p = h->params;

	if (p->load <= 0) {
		sleep_until(h->end_ns);
		settle(h);
	} else if (p->load >= 100) {
		busy(h, UINT64_MAX);
		settle(h);
	} else {
		while (one_period(h)) {
			h->result->periods++;
			settle(h);
		}
	}
}

static int hog_main(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	const struct cpuload *p = b->params;
	struct random rnd = {.state = (uint64_t)p->seed + w->index};
	double period = p->load > 0 ? (double)p->slice_ns * 100 / p->load : 0;
	struct hog h = {.params = p, .result = &b->results[w->index]};

	if (crew_ready(w, err))
		return -1;
	h.end_ns = crew_start_ns(w) + (uint64_t)p->time_ns;
	if (p->phase == PHASE_RANDOM && p->load < 100)
		sleep_until(crew_start_ns(w) + (uint64_t)(period * random_real(&rnd)));
	h.first_ns = now_ns();
	h.first_cpu_ns = spin_cpu_ns();
	h.first_wait_ns = spin_wait_ns(0);
	run_hog(&h);
	return 0;
}

static void name_hog(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "hog %u", index);
}

static int play(struct bench *b, struct run *run, struct error *err)
{
	struct crew_options opt = {
		.count = (unsigned)b->workers, .barrier = CHANNEL_PIPE, .name = name_hog};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (int64_t i = 0; i < b->workers && !rc; i++)
		rc = crew_add(&crew, hog_main, b, err);
	if (!rc)
		rc = crew_start(&crew, err) || crew_wait(&crew, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

static const struct metric metrics[] = {
	{"duty_error", "points", BETTER_LOWER,
	 "achieved minus asked share of CPU time, mean of |x|"},
	{"duty", "%", BETTER_HIGHER,
	 "achieved share: CPU time over wall time, mean of the workers"},
	{"duty_min", "%", BETTER_HIGHER, "of the worker that got least"},
	{"duty_max", "%", BETTER_HIGHER, "of the worker that got most"},
	{"wait", "%", BETTER_LOWER, "time spent waiting for a CPU over wall time"},
	{"missed", "periods", BETTER_LOWER, "periods without a pause left"},
	{"periods", "periods", BETTER_HIGHER, "whole periods of all workers"},
	METRIC_END,
};

/* Of all workers together. */
struct summary {
	double error, duty, min, max, wait;
	uint64_t periods, missed, steps;
};

static int summarise(const struct bench *b, struct summary *s, struct error *err)
{
	const struct cpuload *p = b->params;

	*s = (struct summary){.min = INFINITY};
	for (int64_t i = 0; i < b->workers; i++) {
		const struct hog_result *r = &b->results[i];
		double duty = 100 * (double)r->cpu_ns / (double)r->wall_ns;

		if (!r->wall_ns || (p->load > 0 && p->load < 100 && !r->periods))
			return error_set(err, ERROR_FAILED,
					 "hog %" PRId64 " had no whole period (longer --timeout)",
					 i);
		s->duty += duty / (double)b->workers;
		s->error += fabs(duty - p->load) / (double)b->workers;
		s->min = fmin(s->min, duty);
		s->max = fmax(s->max, duty);
		s->wait += 100 * (double)r->wait_ns / (double)r->wall_ns / (double)b->workers;
		s->periods += r->periods;
		s->missed += r->missed;
		s->steps += r->steps;
	}
	if (p->tolerance > 0 && s->error > p->tolerance)
		return error_set(err, ERROR_FAILED,
				 "the load is %.2f %% instead of %g %%: off by %.2f points",
				 s->duty, p->load, s->error);
	return 0;
}

static int report(const struct bench *b, struct run *run, struct error *err)
{
	const struct cpuload *p = b->params;
	struct outcome *out = run->out;
	struct summary s;

	if (summarise(b, &s, err))
		return -1;
	out->ops = s.steps;
	outcome_printf(out,
		       "%" PRId64 " hogs of %g %% by %s time, slices of %g ms\n"
		       "achieved %.2f %% (%.2f to %.2f), waiting for a CPU %.2f %%\n"
		       "%" PRIu64 " periods, %" PRIu64 " without a pause left\n",
		       b->workers, p->load, p->mode == MODE_CPU ? "CPU" : "wall",
		       (double)p->slice_ns / 1e6, s.duty, s.min, s.max, s.wait, s.periods,
		       s.missed);
	if (outcome_value(out, &metrics[0], s.error, err) ||
	    outcome_value(out, &metrics[1], s.duty, err) ||
	    outcome_value(out, &metrics[2], s.min, err) ||
	    outcome_value(out, &metrics[3], s.max, err) ||
	    outcome_value(out, &metrics[4], s.wait, err) ||
	    outcome_value(out, &metrics[5], (double)s.missed, err))
		return -1;
	return outcome_value(out, &metrics[6], (double)s.periods, err);
}

static int cpuload_run(const void *params, struct run *run, struct error *err)
{
	const struct cpuload *p = params;
	struct bench b = {.params = p, .workers = p->workers ? p->workers : run->place->norder};
	const struct needs needs = {.units = "hogs",
				    .flag = "--cpu",
				    .size = (uint64_t)b.workers,
				    .fds = {8, 0},
				    .tasks = {2, 1},
				    .memory = {1 << 20, 128 << 10}};

	if (preflight(&needs, err))
		return -1;
	b.results = shared_alloc((size_t)b.workers * sizeof(*b.results), err);
	if (!b.results || play(&b, run, err))
		return -1;
	return report(&b, run, err);
}

#define FIELD(f) offsetof(struct cpuload, f)

static const char *const mode_names[] = {"cpu", "wall", NULL};
static const char *const phase_names[] = {"random", "aligned", NULL};

static const struct option_spec options[] = {
	{.letter = 'c',
	 .name = "cpu",
	 .type = OPTION_INT,
	 .offset = FIELD(workers),
	 .preset = "0",
	 .min = 0,
	 .max = 100000,
	 .help = "hogs, as processes; 0: one for each CPU that may be used"},
	{.letter = 'l',
	 .name = "load",
	 .type = OPTION_REAL,
	 .offset = FIELD(load),
	 .unit = "%",
	 .preset = "100",
	 .min = 0,
	 .max = 100,
	 .help = "share of the time in which each wants a CPU"},
	{.name = "slice-ms",
	 .type = OPTION_TIME,
	 .offset = FIELD(slice_ns),
	 .unit = "ms",
	 .preset = "10",
	 .min = 100000,
	 .max = 3600 * 1000000000LL,
	 .help = "CPU time between two pauses"},
	{.name = "mode",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(mode),
	 .preset = "cpu",
	 .choices = mode_names,
	 .help = "cpu: waiting for a CPU makes the period longer (stress-ng until 0.15.07);\n"
		 "          wall: it makes the pause shorter (since 0.15.08)"},
	{.name = "phase",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(phase),
	 .preset = "random",
	 .choices = phase_names,
	 .help = "of the first slice of each hog within its period"},
	{.name = "seed",
	 .type = OPTION_INT,
	 .offset = FIELD(seed),
	 .preset = "1",
	 .min = 0,
	 .max = INT64_MAX,
	 .help = "of the random phases"},
	{.letter = 't',
	 .name = "timeout",
	 .type = OPTION_TIME,
	 .offset = FIELD(time_ns),
	 .unit = "s",
	 .preset = "10",
	 .min = 1000000,
	 .max = 86400 * 1000000000LL,
	 .help = "how long"},
	{.name = "tolerance",
	 .type = OPTION_REAL,
	 .offset = FIELD(tolerance),
	 .unit = "points",
	 .preset = "0",
	 .min = 0,
	 .max = 100,
	 .help = "fail if the achieved share is off by more than this; 0: never"},
	OPTION_END,
};

WORKLOAD(cpuload) = {
	.name = "cpuload",
	.summary = "hogs that want a CPU for a part of the time, as stress-ng --cpu N -l P",
	.description = "Each hog spins for a slice of CPU time and then pauses, so that it has run "
		       "for LOAD per\n"
		       "cent of the time. What is achieved, over whole periods, is reported beside "
		       "what was asked,\n"
		       "with the time spent waiting for a CPU.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct cpuload),
	.run = cpuload_run,
};
