// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"
#include "histogram.h"
#include "preflight.h"
#include "rtapp.h"
#include "spin.h"

enum {
	LOOP_STEPS = 64, /* of spin_steps(): what one loop of a run event is */
	LOOPS_BETWEEN_LOOKS = 1000, /* at the end of the run */
	SLEEP_PIECE_NS = 100000000,
};

struct rtapp_params {
	const char *path;
};

/* One iteration of a phase: a line of the log. Times in us. */
struct row {
	uint64_t perf, run, period, start, end, rel_st, c_duration, c_period, wu_lat;
	int64_t slack;
};

struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	int64_t expected, here;
	uint64_t generation;
};

struct bench {
	const struct rtapp_file *file;
	const struct place *place;
	uint64_t ns_per_loop;
	struct meeting *meetings;
	struct thread *threads;
	size_t nthreads;
};

struct thread {
	struct bench *b;
	const struct rtapp_task *task;
	struct worker *w;
	const struct cpumask *mask; /* that is set; NULL: what the run has */
	uint64_t *timers; /* next expiry, ns; 0: not started */
	uint64_t first_ns; /* when its first event began */
	struct row row; /* the current one */
	struct row *rows; /* for the log; NULL: no log */
	size_t nrows, room;
	uint64_t activations, overruns, loops;
	struct histogram wu_lat; /* ns */
	bool failed_log; /* no memory for a row */
};

static const char *policy_name(int policy)
{
	switch (policy) {
	case SCHED_BATCH:
		return "SCHED_BATCH";
	case SCHED_IDLE:
		return "SCHED_IDLE";
	case SCHED_FIFO:
		return "SCHED_FIFO";
	case SCHED_RR:
		return "SCHED_RR";
	default:
		return "SCHED_OTHER";
	}
}

/* At once when the run is over. */
static void sleep_until(const struct worker *w, uint64_t ns)
{
	uint64_t now;

	while ((now = now_ns()) < ns && !crew_stopped(w)) {
		uint64_t next = ns - now > SLEEP_PIECE_NS ? now + SLEEP_PIECE_NS : ns;
		struct timespec ts = {.tv_sec = (time_t)(next / 1000000000),
				      .tv_nsec = (long)(next % 1000000000)};

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	}
}

static void run_loops(struct thread *t, uint64_t loops)
{
	uint64_t start = now_ns();

	while (loops && !crew_stopped(t->w)) {
		uint64_t n = loops < LOOPS_BETWEEN_LOOKS ? loops : LOOPS_BETWEEN_LOOKS;

		spin_steps(n * LOOP_STEPS);
		t->row.perf += n;
		t->loops += n;
		loops -= n;
	}
	t->row.run += (now_ns() - start) / 1000;
}

static void run_until(struct thread *t, int64_t us)
{
	uint64_t start = now_ns(), end = start + (uint64_t)us * 1000;

	while (now_ns() < end && !crew_stopped(t->w)) {
		spin_steps(LOOP_STEPS);
		t->row.perf++;
		t->loops++;
	}
	t->row.run += (now_ns() - start) / 1000;
}

/* The period counts from the expiry before; after an overrun a relative timer starts again. */
static void wait_for_timer(struct thread *t, const struct rtapp_event *e)
{
	uint64_t *next = &t->timers[e->resource], now = now_ns();

	*next = (*next ? *next : t->first_ns) + (uint64_t)e->us * 1000;
	t->row.c_period += (uint64_t)e->us;
	t->row.slack = ((int64_t)*next - (int64_t)now) / 1000;
	if (now >= *next) {
		t->overruns++;
		if (!e->absolute)
			*next = now;
		return;
	}
	sleep_until(t->w, *next);
	if (crew_stopped(t->w))
		return;
	now = now_ns();
	t->row.wu_lat += (now - *next) / 1000;
	histogram_add(&t->wu_lat, now - *next);
}

static void meet(const struct thread *t, struct meeting *m)
{
	uint64_t generation;

	pthread_mutex_lock(&m->lock);
	generation = m->generation;
	if (++m->here >= m->expected) {
		m->here = 0;
		m->generation++;
		pthread_cond_broadcast(&m->all_here);
	}
	while (generation == m->generation && !crew_stopped(t->w))
		pthread_cond_wait(&m->all_here, &m->lock);
	pthread_mutex_unlock(&m->lock);
}

static bool meets_at(const struct rtapp_task *task, size_t barrier)
{
	for (size_t p = 0; p < task->nphases; p++)
		for (size_t e = 0; e < task->phases[p].nevents; e++)
			if (task->phases[p].events[e].kind == RTAPP_BARRIER &&
			    task->phases[p].events[e].resource == (int)barrier)
				return true;
	return false;
}

/* A thread that ends is not waited for any more. */
static void leave_barriers(const struct thread *t)
{
	for (size_t i = 0; i < t->b->file->nbarriers; i++) {
		struct meeting *m = &t->b->meetings[i];

		if (!meets_at(t->task, i))
			continue;
		pthread_mutex_lock(&m->lock);
		m->expected--;
		if (m->here && m->here >= m->expected) {
			m->here = 0;
			m->generation++;
		}
		pthread_cond_broadcast(&m->all_here);
		pthread_mutex_unlock(&m->lock);
	}
}

static void do_event(struct thread *t, const struct rtapp_event *e)
{
	switch (e->kind) {
	case RTAPP_RUN:
		t->row.c_duration += (uint64_t)e->us;
		run_loops(t, (uint64_t)e->us * 1000 / t->b->ns_per_loop);
		break;
	case RTAPP_RUNTIME:
		t->row.c_duration += (uint64_t)e->us;
		run_until(t, e->us);
		break;
	case RTAPP_SLEEP:
		sleep_until(t->w, now_ns() + (uint64_t)e->us * 1000);
		break;
	case RTAPP_TIMER:
		wait_for_timer(t, e);
		break;
	case RTAPP_BARRIER:
		meet(t, &t->b->meetings[e->resource]);
		break;
	case RTAPP_YIELD:
		sched_yield();
		break;
	}
}

static void keep_row(struct thread *t)
{
	if (!t->b->file->logdir)
		return;
	if (t->nrows == t->room) {
		size_t room = t->room ? 2 * t->room : 256;
		struct row *rows = reallocarray(t->rows, room, sizeof(*rows));

		if (!rows) {
			t->failed_log = true;
			return;
		}
		t->rows = rows;
		t->room = room;
	}
	t->rows[t->nrows++] = t->row;
}

static int set_phase_cpus(struct thread *t, const struct rtapp_phase *p, struct error *err)
{
	const struct cpumask *mask = cpumask_first(&p->cpus) >= 0	  ? &p->cpus
				     : cpumask_first(&t->task->cpus) >= 0 ? &t->task->cpus
									  : NULL;

	if (mask == t->mask)
		return 0;
	t->mask = mask;
	return cpumask_set_affinity(mask ? mask : &t->b->place->allowed, err);
}

static int do_phase(struct thread *t, const struct rtapp_phase *p, struct error *err)
{
	if (set_phase_cpus(t, p, err))
		return -1;
	for (int64_t i = 0; (p->loop < 0 || i < p->loop) && !crew_stopped(t->w); i++) {
		uint64_t start = now_ns(), end;

		t->row =
			(struct row){.start = start / 1000, .rel_st = (start - t->first_ns) / 1000};
		for (size_t e = 0; e < p->nevents && !crew_stopped(t->w); e++)
			do_event(t, &p->events[e]);
		if (crew_stopped(t->w))
			break; /* cut off: no sample */
		end = now_ns();
		t->row.end = end / 1000;
		t->row.period = (end - start) / 1000;
		t->activations++;
		keep_row(t);
	}
	return 0;
}

static int set_policy(const struct rtapp_task *task, struct error *err)
{
	bool realtime = task->policy == SCHED_FIFO || task->policy == SCHED_RR;
	struct sched_param param = {.sched_priority = realtime ? task->priority : 0};
	int rc = 0;

	if (task->policy != SCHED_OTHER || sched_getscheduler(0) != SCHED_OTHER)
		rc = sched_setscheduler(0, task->policy, &param);
	if (!rc && !realtime && task->priority)
		rc = setpriority(PRIO_PROCESS, (id_t)gettid(), task->priority);
	if (rc)
		return error_sys(err, errno, "cannot have policy %s and priority %d",
				 policy_name(task->policy), task->priority);
	return 0;
}

static int thread_main(struct worker *w, struct error *err)
{
	struct thread *t = w->arg;

	t->w = w;
	if (set_phase_cpus(t, &t->task->phases[0], err) || set_policy(t->task, err) ||
	    crew_ready(w, err))
		return -1;
	sleep_until(w, crew_start_ns(w) + (uint64_t)t->task->delay_us * 1000);
	t->first_ns = now_ns();
	for (int64_t i = 0; (t->task->loop < 0 || i < t->task->loop) && !crew_stopped(w); i++)
		for (size_t p = 0; p < t->task->nphases; p++)
			if (do_phase(t, &t->task->phases[p], err))
				return -1;
	leave_barriers(t);
	return 0;
}

static void name_thread(const void *ctx, unsigned index, char *buf, size_t size)
{
	const struct bench *b = ctx;

	snprintf(buf, size, "thread %u of task %.40s", index, b->threads[index].task->name);
}

/* Wake who waits at a barrier: the run is over. */
static void end_meetings(const struct bench *b)
{
	for (size_t i = 0; i < b->file->nbarriers; i++) {
		pthread_mutex_lock(&b->meetings[i].lock);
		pthread_cond_broadcast(&b->meetings[i].all_here);
		pthread_mutex_unlock(&b->meetings[i].lock);
	}
}

static int play(struct bench *b, struct run *run, struct error *err)
{
	struct crew_options opt = {.threads = true,
				   .barrier = CHANNEL_PIPE,
				   .count = (unsigned)b->nthreads,
				   .name = name_thread,
				   .ctx = b};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (size_t i = 0; i < b->nthreads && !rc; i++)
		rc = crew_add(&crew, thread_main, &b->threads[i], err);
	if (!rc)
		rc = crew_start(&crew, err);
	if (!rc && b->file->duration_s >= 0) {
		rc = crew_sleep(&crew, (uint64_t)b->file->duration_s * 1000000000, err);
		crew_stop(&crew);
		end_meetings(b);
	}
	if (!rc)
		rc = crew_wait(&crew, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

static int write_log(const struct bench *b, size_t index, struct error *err)
{
	const struct thread *t = &b->threads[index];
	char path[PATH_MAX];
	FILE *f;

	if (t->failed_log)
		return error_sys(err, ENOMEM, "the log of task '%s'", t->task->name);
	if (snprintf(path, sizeof(path), "%s/%s-%s-%zu.log", b->file->logdir, b->file->log_basename,
		     t->task->name, index) >= (int)sizeof(path))
		return error_set(err, ERROR_USAGE, "logdir is too long");
	f = fopen(path, "we");
	if (!f)
		return error_sys(err, errno, "cannot write '%s'", path);
	fprintf(f, "# Policy : %s priority : %d\n", policy_name(t->task->policy),
		t->task->priority);
	fprintf(f, "#idx perf run period start end rel_st slack c_duration c_period wu_lat\n");
	for (size_t i = 0; i < t->nrows; i++) {
		const struct row *r = &t->rows[i];

		fprintf(f,
			"%zu %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			index, r->perf, r->run, r->period, r->start, r->end, r->rel_st, r->slack,
			r->c_duration, r->c_period, r->wu_lat);
	}
	if ((fflush(f) || ferror(f)) | fclose(f))
		return error_sys(err, errno, "cannot write '%s'", path);
	return 0;
}

static int check_cpus(const struct bench *b, struct error *err)
{
	const struct cpumask *allowed = &b->place->allowed;

	for (size_t i = 0; i < b->file->ntasks; i++) {
		const struct rtapp_task *t = &b->file->tasks[i];
		bool fits = cpumask_subset(&t->cpus, allowed);

		for (size_t p = 0; p < t->nphases; p++)
			fits &= cpumask_subset(&t->phases[p].cpus, allowed);
		if (!fits)
			return error_set(err, ERROR_USAGE, "task '%s': CPUs that may not be used",
					 t->name);
	}
	return 0;
}

static int make_thread(struct bench *b, const struct rtapp_task *task, struct error *err)
{
	struct thread *t = &b->threads[b->nthreads++];

	*t = (struct thread){.b = b, .task = task};
	t->timers = calloc(task->ntimers + 1, sizeof(*t->timers));
	return t->timers ? 0 : error_sys(err, ENOMEM, "cannot list the timers");
}

static int make(struct bench *b, struct error *err)
{
	struct needs needs = {.units = "threads",
			      .flag = "instance",
			      .fds = {8, 0},
			      .tasks = {2, 1},
			      .memory = {1 << 20, sizeof(struct thread) + (64 << 10)}};

	for (size_t i = 0; i < b->file->ntasks; i++)
		needs.size += (uint64_t)b->file->tasks[i].instances;
	if (preflight(&needs, err))
		return -1;
	b->threads = calloc(needs.size, sizeof(*b->threads));
	b->meetings = calloc(b->file->nbarriers + 1, sizeof(*b->meetings));
	if (!b->threads || !b->meetings)
		return error_sys(err, ENOMEM, "cannot list the threads");
	for (size_t i = 0; i < b->file->nbarriers; i++) {
		pthread_mutex_init(&b->meetings[i].lock, NULL);
		pthread_cond_init(&b->meetings[i].all_here, NULL);
		b->meetings[i].expected = b->file->barrier_threads[i];
	}
	for (size_t i = 0; i < b->file->ntasks; i++)
		for (int64_t k = 0; k < b->file->tasks[i].instances; k++)
			if (make_thread(b, &b->file->tasks[i], err))
				return -1;
	return 0;
}

/* The ns of a loop: from the file, or the best of several measurements on the CPU it names. */
static int calibrate(struct bench *b, struct outcome *out, struct error *err)
{
	const struct cpumask *allowed = &b->place->allowed;
	const uint64_t loops = 200000;
	struct cpumask one = {{0}};
	uint64_t best = UINT64_MAX;

	b->ns_per_loop = (uint64_t)b->file->ns_per_loop;
	if (b->ns_per_loop)
		return 0;
	if (!cpumask_has(allowed, b->file->calibration_cpu))
		return error_set(err, ERROR_USAGE, "calibration: CPU %d may not be used",
				 b->file->calibration_cpu);
	cpumask_add(&one, b->file->calibration_cpu);
	if (cpumask_set_affinity(&one, err))
		return -1;
	for (int i = 0; i < 20; i++) {
		uint64_t start = spin_cpu_ns(), ns;

		spin_steps(loops * LOOP_STEPS);
		ns = (spin_cpu_ns() - start) / loops;
		best = ns < best ? ns : best;
	}
	b->ns_per_loop = best ? best : 1;
	outcome_printf(out,
		       "calibration: %" PRIu64
		       " ns per loop on CPU %d (write the number into the file: "
		       "measured anew, each kernel gets other work)\n",
		       b->ns_per_loop, b->file->calibration_cpu);
	return cpumask_set_affinity(allowed, err);
}

static const struct metric metrics[] = {
	{"time", "s", BETTER_LOWER, "from the release of the threads to the end of the last one"},
	{"wu_lat_p99", "usec", BETTER_LOWER, "from the expiry of a timer to running"},
	{"wu_lat_p50", "usec", BETTER_LOWER, "the same"},
	{"wu_lat_max", "usec", BETTER_LOWER, "the same"},
	{"overruns", "periods", BETTER_LOWER,
	 "timers that had expired before they were waited for"},
	{"activations", "loops", BETTER_HIGHER, "whole iterations of phases"},
	METRIC_END,
};

static int report(const struct bench *b, struct outcome *out, struct error *err)
{
	static struct histogram wu_lat;
	uint64_t overruns = 0, activations = 0;
	double seconds = (double)out->wall_ns / 1e9;

	for (size_t i = 0; i < b->nthreads; i++) {
		const struct thread *t = &b->threads[i];

		histogram_merge(&wu_lat, &t->wu_lat);
		overruns += t->overruns;
		activations += t->activations;
		out->ops += t->loops;
		outcome_printf(out,
			       "%s-%zu: %" PRIu64 " activations, %" PRIu64 " loops, %" PRIu64
			       " overruns, wu_lat p99 %.0f max %.0f us\n",
			       t->task->name, i, t->activations, t->loops, t->overruns,
			       histogram_percentile(&t->wu_lat, 99, NULL) / 1000,
			       histogram_percentile(&t->wu_lat, 100, NULL) / 1000);
		if (b->file->logdir && write_log(b, i, err))
			return -1;
	}
	outcome_printf(out, "time %.3f s\n", seconds);
	if (outcome_value(out, &metrics[0], seconds, err))
		return -1;
	for (int i = 0; i < 3 && histogram_count(&wu_lat); i++) {
		static const double percents[] = {99, 50, 100};

		if (outcome_value(out, &metrics[1 + i],
				  histogram_percentile(&wu_lat, percents[i], NULL) / 1000, err))
			return -1;
	}
	if (outcome_value(out, &metrics[4], (double)overruns, err))
		return -1;
	return outcome_value(out, &metrics[5], (double)activations, err);
}

static int lock_pages(const struct rtapp_file *f, struct error *err)
{
	if (!f->lock_pages || !mlockall(MCL_CURRENT | MCL_FUTURE))
		return 0;
	return error_sys(err, errno, "lock_pages: cannot lock the memory (ulimit -l)");
}

static int rtapp_run(const void *params, struct run *run, struct error *err)
{
	const struct rtapp_params *p = params;
	struct rtapp_file file;
	struct bench b = {.file = &file, .place = run->place};

	if (!p->path)
		return error_set(err, ERROR_USAGE, "the file of rt-app is missing");
	if (run->place->bind != BIND_NONE)
		return error_set(err, ERROR_USAGE, "--bind: the file says where its tasks run");
	if (rtapp_file_read(p->path, &file, err))
		return -1;
	fputs(file.warnings, stderr);
	/* After a failure threads may still use all of it; the process is about to end. */
	if (check_cpus(&b, err) || make(&b, err) || calibrate(&b, run->out, err) ||
	    lock_pages(&file, err) || play(&b, run, err) || report(&b, run->out, err))
		return -1;
	rtapp_file_release(&file);
	return 0;
}

static const struct option_spec options[] = {
	{.name = "file",
	 .type = OPTION_STRING,
	 .offset = offsetof(struct rtapp_params, path),
	 .positional = true,
	 .help = "the JSON file of rt-app"},
	OPTION_END,
};

WORKLOAD(rtapp) = {
	.name = "rtapp",
	.summary = "tasks that run, sleep and wait for timers as a file of rt-app says",
	.description = "Reads a subset of rt-app's JSON: global duration, calibration, "
		       "default_policy, logdir,\n"
		       "log_basename, log_size (file, disable), lock_pages; of tasks instance, "
		       "loop, delay, cpus,\n"
		       "policy, priority, phases; of phases loop, cpus and the events run, "
		       "runtime, sleep, timer,\n"
		       "barrier, yield. Everything else is an error with its line, a key that "
		       "comes twice too.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct rtapp_params),
	.run = rtapp_run,
};
