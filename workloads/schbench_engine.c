// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "preflight.h"
#include "schbench_thread.h"
#include "sysfile.h"

#define SECOND 1000000000LL

/* All of a run; the message threads come first among the workers of the crew. */
struct engine {
	struct schbench cfg; /* with the number of workers resolved */
	struct crew crew;
	struct outcome *out;
	struct messenger *messengers;
	struct member *members;
	struct cpu_lock *cpu_locks;
	struct cpumask message_mask, worker_mask; /* of -M and -W; empty: not bound */
	double rate; /* of one message thread */
	struct schbench_totals *now, *base, *interval_base; /* scratch and earlier states */
	uint64_t second_requests, second_ns; /* state at the last second */
	double current_rps;
	struct schbench_result *result;
};

static int bind_thread(const struct engine *e, const struct worker *w, struct error *err)
{
	bool messenger = w->index < (unsigned)e->cfg.messengers;
	const struct cpumask *mask = messenger ? &e->message_mask : &e->worker_mask;

	return cpumask_first(mask) < 0 ? 0 : cpumask_set_affinity(mask, err);
}

static int thread_main(struct worker *w, struct error *err)
{
	struct engine *e = w->arg;
	unsigned messengers = (unsigned)e->cfg.messengers;

	if (bind_thread(e, w, err))
		return -1;
	if (w->index < messengers)
		return schbench_messenger(w, &e->messengers[w->index], err);
	return schbench_member(w, &e->members[w->index - messengers], err);
}

static void name_thread(const void *ctx, unsigned index, char *buf, size_t size)
{
	const struct engine *e = ctx;
	unsigned m = (unsigned)e->cfg.messengers, w = (unsigned)e->cfg.workers;

	if (index < m)
		snprintf(buf, size, "message thread %u", index);
	else
		snprintf(buf, size, "worker %u of message thread %u", (index - m) % w,
			 (index - m) / w);
}

/* The state of all counts now. */
static void survey(const struct engine *e, struct schbench_totals *t)
{
	memset(t, 0, sizeof(*t));
	for (int64_t i = 0; i < e->result->workers; i++) {
		const struct schbench_totals *s = e->members[i].stats;

		for (int l = 0; l < LATENCIES; l++)
			histogram_merge(&t->latency[l], &s->latency[l]);
		t->requests += __atomic_load_n(&s->requests, __ATOMIC_RELAXED);
	}
	for (int64_t i = 0; i < e->cfg.messengers; i++) {
		t->arrivals += __atomic_load_n(&e->messengers[i].arrivals, __ATOMIC_RELAXED);
		t->drops += __atomic_load_n(&e->messengers[i].drops, __ATOMIC_RELAXED);
	}
	t->ns = now_ns();
}

static void subtract(struct schbench_totals *t, const struct schbench_totals *base)
{
	for (int l = 0; l < LATENCIES; l++)
		histogram_subtract(&t->latency[l], &base->latency[l]);
	t->requests -= base->requests;
	t->arrivals -= base->arrivals;
	t->drops -= base->drops;
	t->ns -= base->ns;
}

static uint64_t requests_so_far(const struct engine *e)
{
	uint64_t n = 0;

	for (int64_t i = 0; i < e->result->workers; i++)
		n += __atomic_load_n(&e->members[i].stats->requests, __ATOMIC_RELAXED);
	return n;
}

static void start_second(struct engine *e)
{
	e->second_requests = requests_so_far(e);
	e->second_ns = now_ns();
}

static void end_second(struct engine *e)
{
	uint64_t requests = e->second_requests, ns = e->second_ns;

	start_second(e);
	e->current_rps =
		(double)(e->second_requests - requests) / ((double)(e->second_ns - ns) / 1e9);
	histogram_add(&e->result->rps, (uint64_t)(e->current_rps + 0.5));
}

/* Everything before is forgotten. */
static void start_over(struct engine *e)
{
	survey(e, e->base);
	*e->interval_base = *e->base;
	memset(&e->result->rps, 0, sizeof(e->result->rps));
	start_second(e);
}

/* The share of time in which the CPUs were not idle since the last call, in %. */
static double cpu_busy(uint64_t last[2])
{
	unsigned long long v[8] = {0}, all = 0, idle;
	char text[512];
	double busy;

	if (sysfile_read("/proc/stat", text, sizeof(text)) ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) < 5)
		return 0;
	for (int i = 0; i < 8; i++)
		all += v[i];
	idle = v[3] + v[4];
	busy = all > last[0] ? 100 - 100 * (double)(idle - last[1]) / (double)(all - last[0]) : 0;
	last[0] = all;
	last[1] = idle;
	return busy;
}

/* Steer the arrivals towards the wanted share of busy time: at most a factor of .3 to 3 a second. */
static void adapt_rate(struct engine *e, uint64_t stat[2])
{
	double busy = cpu_busy(stat), factor = e->cfg.auto_rps / fmax(busy, 0.1), rate;

	factor = fmin(fmax(factor, 0.3), 3);
	if (fabs(factor - 1) < 0.2)
		factor =
			1 + (factor - 1) / 2; /* near the goal the noise is larger than the error */
	rate = fmax(e->rate * factor, 1);
	__atomic_store(&e->rate, &rate, __ATOMIC_RELAXED);
}

static void report_interval(struct engine *e, uint64_t start)
{
	survey(e, e->now);
	subtract(e->now, e->interval_base);
	schbench_report_interval(&e->cfg, e->out, e->now, &e->result->rps,
				 (double)(now_ns() - start) / 1e9, e->current_rps);
}

static bool comes(int64_t t, int64_t period)
{
	return period && t % period == 0;
}

/*
 * The run, second by second. Warm-up and run time are whole steps when they are whole seconds;
 * @t is the time since the start.
 */
static int supervise(struct engine *e, struct error *err)
{
	const struct schbench *cfg = &e->cfg;
	int64_t end = cfg->warmup_ns + cfg->runtime_ns, step;
	uint64_t stat[2] = {0, 0};

	start_over(e);
	cpu_busy(stat);
	for (int64_t t = 0; t < end; t += step) {
		int64_t limit = t < cfg->warmup_ns ? cfg->warmup_ns : end;

		step = limit - t < SECOND ? limit - t : SECOND;
		if (crew_sleep(&e->crew, (uint64_t)(t + step), err))
			return -1;
		end_second(e);
		if (cfg->auto_rps > 0)
			adapt_rate(e, stat);
		if (t + step == cfg->warmup_ns) {
			start_over(e);
			continue;
		}
		if (t + step < end && comes(t + step - cfg->warmup_ns, cfg->interval_ns))
			report_interval(e, e->crew.start_ns);
		if (t + step < end && comes(t + step - cfg->warmup_ns, cfg->zero_ns))
			start_over(e);
	}
	return 0;
}

static double mean_delay(const pid_t tid)
{
	unsigned long long ran, waited, slices;
	char path[64], text[128];

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	if (sysfile_read(path, text, sizeof(text)) ||
	    sscanf(text, "%llu %llu %llu", &ran, &waited, &slices) != 3 || !slices)
		return 0;
	return (double)waited / (double)slices / 1000;
}

/* While the threads are there. */
static void read_delays(const struct engine *e)
{
	struct schbench_result *r = e->result;

	for (int64_t i = 0; i < e->cfg.messengers; i++)
		r->message_delay_us += mean_delay(e->messengers[i].tid) / (double)e->cfg.messengers;
	for (int64_t i = 0; i < r->workers; i++)
		r->worker_delay_us += mean_delay(e->members[i].tid) / (double)r->workers;
}

static int play(struct engine *e, struct run *run, struct error *err)
{
	struct schbench_result *r = e->result;

	for (int64_t i = 0; i < e->cfg.messengers + r->workers; i++)
		if (crew_add(&e->crew, thread_main, e, err))
			return -1;
	if (crew_start(&e->crew, err) || supervise(e, err))
		return -1;
	survey(e, &r->total);
	subtract(&r->total, e->base);
	read_delays(e);
	crew_stop(&e->crew);
	for (int64_t i = 0; i < e->cfg.messengers; i++)
		schbench_post(&e->messengers[i].futex);
	if (crew_wait(&e->crew, err))
		return -1;
	run->out->wall_ns = r->total.ns;
	run->out->ops = r->total.requests;
	r->rate = e->rate * (double)e->cfg.messengers;
	return 0;
}

static void *need(size_t n, size_t size, struct error *err)
{
	void *p = NULL;

	/* Futexes of different threads must not share a cache line. */
	if (__builtin_mul_overflow(n, size, &size) || posix_memalign(&p, 64, size ? size : 1)) {
		error_sys(err, ENOMEM, "cannot allocate memory for the threads");
		return NULL;
	}
	return memset(p, 0, size);
}

static int make_messenger(struct engine *e, struct messenger *m, struct error *err)
{
	m->cfg = &e->cfg;
	m->rate = &e->rate;
	m->rnd.state = random_seed();
	pthread_mutex_init(&m->lock, NULL);
	if (e->cfg.rps && !(m->queue = need((size_t)e->cfg.backlog, sizeof(*m->queue), err)))
		return -1;
	return 0;
}

static int make_member(struct engine *e, int64_t i, struct error *err)
{
	struct member *m = &e->members[i];
	bool matrices = e->cfg.version == SCHBENCH_NEW && !e->cfg.pipe_bytes;

	m->cfg = &e->cfg;
	m->boss = &e->messengers[i / e->cfg.workers];
	m->cpu_locks = e->cpu_locks;
	m->side = matrices ? schbench_side(e->cfg.footprint_kib) : 0;
	m->stats = need(1, sizeof(*m->stats), err);
	m->matrices = need(3 * (size_t)m->side * m->side, sizeof(*m->matrices), err);
	m->page = need((size_t)e->cfg.pipe_bytes, 1, err);
	return m->stats && m->matrices && m->page ? 0 : -1;
}

static int make(struct engine *e, struct error *err)
{
	e->messengers = need((size_t)e->cfg.messengers, sizeof(*e->messengers), err);
	e->members = need((size_t)e->result->workers, sizeof(*e->members), err);
	e->cpu_locks = need(CPUMASK_BITS, sizeof(*e->cpu_locks), err);
	e->now = need(3, sizeof(*e->now), err);
	if (!e->messengers || !e->members || !e->cpu_locks || !e->now)
		return -1;
	e->base = e->now + 1;
	e->interval_base = e->now + 2;
	for (int i = 0; i < CPUMASK_BITS; i++)
		pthread_spin_init(&e->cpu_locks[i].lock, PTHREAD_PROCESS_PRIVATE);
	for (int64_t i = 0; i < e->cfg.messengers; i++)
		if (make_messenger(e, &e->messengers[i], err))
			return -1;
	for (int64_t i = 0; i < e->result->workers; i++)
		if (make_member(e, i, err))
			return -1;
	return 0;
}

/* Of a finished run: after a failed one threads may still use all of it. */
static void release(struct engine *e)
{
	for (int64_t i = 0; i < e->result->workers; i++) {
		free(e->members[i].stats);
		free(e->members[i].matrices);
		free(e->members[i].page);
	}
	for (int64_t i = 0; i < e->cfg.messengers; i++)
		free(e->messengers[i].queue);
	free(e->messengers);
	free(e->members);
	free(e->cpu_locks);
	free(e->now);
}

/* "auto": the message threads on the first CPUs, the workers on the rest. */
static int place_threads(struct engine *e, const struct place *place, struct error *err)
{
	const struct schbench *cfg = &e->cfg;
	bool auto_m = cfg->message_cpus && !strcmp(cfg->message_cpus, "auto");
	bool auto_w = cfg->worker_cpus && !strcmp(cfg->worker_cpus, "auto");
	int64_t n = 0;

	if ((cfg->message_cpus || cfg->worker_cpus) && place->bind != BIND_NONE)
		return error_set(err, ERROR_USAGE, "-M and -W contradict --bind");
	if (auto_w && place->norder <= cfg->messengers)
		return error_set(err, ERROR_USAGE,
				 "-W auto: %" PRId64 " message threads leave none of the %d CPUs",
				 cfg->messengers, place->norder);
	for (int cpu = cpumask_first(&place->allowed); cpu >= 0;
	     cpu = cpumask_next(&place->allowed, cpu), n++) {
		if (auto_m && n < cfg->messengers)
			cpumask_add(&e->message_mask, cpu);
		if (auto_w && n >= cfg->messengers)
			cpumask_add(&e->worker_mask, cpu);
	}
	if (cfg->message_cpus && !auto_m &&
	    cpumask_parse("-M", cfg->message_cpus, &e->message_mask, err))
		return -1;
	if (cfg->worker_cpus && !auto_w &&
	    cpumask_parse("-W", cfg->worker_cpus, &e->worker_mask, err))
		return -1;
	if (!cpumask_subset(&e->message_mask, &place->allowed) ||
	    !cpumask_subset(&e->worker_mask, &place->allowed))
		return error_set(err, ERROR_USAGE, "-M, -W: not all of these CPUs may be used");
	return 0;
}

static int check(const struct engine *e, struct error *err)
{
	const struct schbench *cfg = &e->cfg;
	uint64_t w = (uint64_t)cfg->workers;
	struct needs needs = {
		.units = "message threads",
		.flag = "-m",
		.size = (uint64_t)cfg->messengers,
		.fds = {8, 0},
		.tasks = {2, 1 + w},
		.memory = {4 << 20, (1 + w) * (32 << 10) + w * sizeof(struct schbench_totals) +
					    w * (uint64_t)(cfg->pipe_bytes) +
					    (cfg->rps ? (uint64_t)cfg->backlog * 8 : 0)},
	};

	if (cfg->version == SCHBENCH_NEW && !cfg->pipe_bytes)
		needs.memory.unit += w * (uint64_t)cfg->footprint_kib * 1024;
	if (cfg->rps && (cfg->pipe_bytes || cfg->calibrate))
		return error_set(err, ERROR_USAGE, "-R contradicts -p and -C");
	if (cfg->interval_ns % SECOND || cfg->zero_ns % SECOND)
		return error_set(err, ERROR_USAGE, "-i, -z: not a whole number of seconds");
	if (cfg->pipe_bytes && cfg->calibrate)
		return error_set(err, ERROR_USAGE, "-p contradicts -C");
	return preflight(&needs, err);
}

int schbench_execute(const struct schbench *cfg, struct run *run, struct schbench_result *result,
		     struct error *err)
{
	struct engine e = {.cfg = *cfg, .out = run->out, .result = result};
	struct crew_options opt = {.threads = true, .name = name_thread, .ctx = &e};
	int rc;

	if (!e.cfg.workers)
		e.cfg.workers = (run->place->norder + cfg->messengers - 1) / cfg->messengers;
	if (cfg->auto_rps > 0 && !cfg->rps)
		e.cfg.rps = 10 * cfg->messengers;
	e.rate = (double)e.cfg.rps / (double)cfg->messengers;
	result->workers = e.cfg.workers * cfg->messengers;
	opt.count = (unsigned)(cfg->messengers + result->workers);
	if (place_threads(&e, run->place, err) || check(&e, err) || make(&e, err))
		return -1;
	rc = crew_init(&e.crew, run, &opt, err);
	if (!rc)
		rc = play(&e, run, err);
	crew_release(&e.crew);
	if (!rc)
		release(&e);
	return rc;
}
