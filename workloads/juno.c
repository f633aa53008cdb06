// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crew.h"
#include "juno.h"
#include "preflight.h"
#include "spin.h"

static const char sys[] = "/sys/devices/system";

enum {
	CHUNK = 20000, /* steps between two looks at the CPU number */
	PASS_NS = 1000000, /* of the cputime model: between two looks */
	WFI_TRIALS = 20,
	WFI_SHORTEST_NS = 200000, /* of their mean: a tick is 1 to 10 ms */
	NAMED_TASKS = 16, /* whose finish is a metric of its own */
};

/* What one task has seen; times since the release of the affinity. In shared memory. */
struct task_result {
	uint64_t finish_ns, migrations, steps;
	uint64_t pull_ns; /* when it first ran on a spare CPU; 0: never */
	int last_cpu;
};

struct bench {
	const struct juno *params;
	struct juno_plan plan;
	struct task_result *results;
	uint64_t *cpu_ns; /* [tasks][cpus]: CPU time of a task on a CPU, by position in the mask */
	int cpus;
	int position[CPUMASK_BITS]; /* of a CPU in the mask */
	double *idle; /* [cpus]: seconds of idle time after the release */
};

/* A task at work. */
struct task {
	const struct bench *b;
	struct task_result *r;
	uint64_t *cpu_ns;
	uint64_t free_ns; /* when the affinity ends */
	int cpu;
	uint64_t cpu_since; /* CPU time when it came there */
};

/* Let time pass without giving up the CPU. */
static void pass_time(enum juno_pass pass)
{
	uint64_t end = now_ns() + PASS_NS;

#ifdef __aarch64__
	if (pass == JUNO_WFI) {
		__asm__ volatile("wfi" : : : "memory");
		return;
	}
#endif
	(void)pass;
	while (now_ns() < end)
		;
}

static void first_step(const struct task *t)
{
	bool wfi = t->b->params->pass == JUNO_WFI;

	while (now_ns() < t->free_ns)
		if (wfi)
			pass_time(JUNO_WFI);
}

/* Write down where the task has been; @cpu is where it is. */
static void note_move(struct task *t, int cpu)
{
	uint64_t cpu_ns = spin_cpu_ns();

	t->cpu_ns[t->b->position[t->cpu]] += cpu_ns - t->cpu_since;
	t->cpu_since = cpu_ns;
	if (cpu == t->cpu)
		return;
	t->r->migrations++;
	t->cpu = t->r->last_cpu = cpu;
	if (!t->r->pull_ns && cpumask_has(&t->b->plan.spare, cpu))
		t->r->pull_ns = now_ns() - t->free_ns;
}

/* Fixed steps: on a slow CPU they take longer. No system call unless the CPU changes. */
static void work_loops(struct task *t)
{
	uint64_t left = t->b->plan.steps;

	while (left) {
		uint64_t n = left < CHUNK ? left : CHUNK;
		int cpu;

		spin_steps(n);
		t->r->steps += n;
		left -= n;
		cpu = sched_getcpu();
		if (cpu != t->cpu)
			note_move(t, cpu);
	}
}

/* CPU time, each part of it times the speed of the CPU it was spent on. */
static void work_cputime(struct task *t)
{
	const struct juno_plan *plan = &t->b->plan;
	uint64_t before = spin_cpu_ns();
	double done = 0;

	while (done < (double)plan->work_ns) {
		uint64_t now;
		int cpu;

		pass_time((enum juno_pass)t->b->params->pass);
		now = spin_cpu_ns();
		cpu = sched_getcpu();
		done += (double)(now - before) * (double)plan->speeds[t->cpu] / 1024;
		before = now;
		if (cpu != t->cpu)
			note_move(t, cpu);
	}
}

static int task_main(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	struct task t = {.b = b,
			 .r = &b->results[w->index],
			 .cpu_ns = b->cpu_ns + (size_t)w->index * (size_t)b->cpus};
	struct cpumask pin = {{0}};

	cpumask_add(&pin, b->plan.pins[w->index]);
	if (cpumask_set_affinity(&pin, err) || crew_ready(w, err))
		return -1;
	t.free_ns = crew_start_ns(w) + (uint64_t)b->params->free_after_ns;
	t.cpu = t.r->last_cpu = b->plan.pins[w->index];
	first_step(&t);
	/* A wider mask moves nobody: that somebody comes and takes the task is what is tested. */
	t.cpu_since = spin_cpu_ns();
	if (cpumask_set_affinity(&b->plan.allowed, err))
		return -1;
	if (b->params->model == JUNO_LOOPS)
		work_loops(&t);
	else
		work_cputime(&t);
	t.r->finish_ns = now_ns() - t.free_ns;
	note_move(&t, t.cpu);
	return 0;
}

static void name_task(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "task %u", index);
}

/* Add @sign times the idle seconds so far of each CPU. */
static int read_idle(const struct bench *b, double sign, struct error *err)
{
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	FILE *f = fopen("/proc/stat", "re");
	char line[512];

	if (!f)
		return error_sys(err, errno, "cannot read /proc/stat");
	while (fgets(line, sizeof(line), f)) {
		unsigned long long user, nice, system, idle, wait;
		int cpu;

		if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu", &cpu, &user, &nice, &system,
			   &idle, &wait) == 6 &&
		    cpu >= 0 && cpu < CPUMASK_BITS && cpumask_has(&b->plan.allowed, cpu))
			b->idle[b->position[cpu]] += sign * (double)(idle + wait) * tick;
	}
	fclose(f);
	return 0;
}

static int play(struct bench *b, struct run *run, struct error *err)
{
	struct crew_options opt = {
		.count = (unsigned)b->plan.tasks, .barrier = CHANNEL_PIPE, .name = name_task};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (int i = 0; i < b->plan.tasks && !rc; i++)
		rc = crew_add(&crew, task_main, b, err);
	if (!rc)
		rc = crew_start(&crew, err) ||
		     crew_sleep(&crew, (uint64_t)b->params->free_after_ns, err) ||
		     read_idle(b, -1, err) || crew_wait(&crew, err) || read_idle(b, 1, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

#define FINISH(i)                                                                                  \
	{                                                                                          \
		"finish_" #i, "s", BETTER_LOWER, "of one task, from the end of the affinity"       \
	}

static const struct metric metrics[] = {
	{"makespan", "s", BETTER_LOWER, "from the end of the affinity to the end of the last task"},
	{"finish_first", "s", BETTER_LOWER, "to the end of the first task"},
	{"finish_mean", "s", BETTER_LOWER, "mean of the tasks"},
	{"spare_idle", "s", BETTER_LOWER, "idle time of the CPUs left out, after the affinity"},
	{"pulled", "flag", BETTER_HIGHER, "1 if a task ever ran on a CPU left out"},
	{"first_pull", "s", BETTER_LOWER, "until one did (not reported if none did)"},
	{"migrations", "moves", BETTER_LOWER, "of all tasks, after the affinity"},
	{"rate", "steps/s", BETTER_HIGHER, "--calibrate: of a CPU of capacity 1024"},
	FINISH(0),
	FINISH(1),
	FINISH(2),
	FINISH(3),
	FINISH(4),
	FINISH(5),
	FINISH(6),
	FINISH(7),
	FINISH(8),
	FINISH(9),
	FINISH(10),
	FINISH(11),
	FINISH(12),
	FINISH(13),
	FINISH(14),
	FINISH(15),
	METRIC_END,
};

enum { MAKESPAN, FIRST, MEAN, SPARE_IDLE, PULLED, FIRST_PULL, MIGRATIONS, RATE, FINISH_0 };

static void print_cpus(const struct bench *b, struct outcome *out)
{
	const struct juno_plan *plan = &b->plan;

	for (int cpu = cpumask_first(&plan->allowed), i = 0; cpu >= 0;
	     cpu = cpumask_next(&plan->allowed, cpu), i++) {
		double busy = 0;

		for (int t = 0; t < plan->tasks; t++)
			busy += (double)b->cpu_ns[t * b->cpus + i] / 1e9;
		outcome_printf(out, "cpu %d: tasks %.3f s, idle %.2f s%s\n", cpu, busy, b->idle[i],
			       cpumask_has(&plan->spare, cpu) ? " (left out)" : "");
	}
}

static double spare_idle(const struct bench *b)
{
	double sum = 0;

	for (int cpu = cpumask_first(&b->plan.spare); cpu >= 0;
	     cpu = cpumask_next(&b->plan.spare, cpu))
		sum += b->idle[b->position[cpu]];
	return sum;
}

static int report_tasks(const struct bench *b, struct outcome *out, struct error *err)
{
	for (int i = 0; i < b->plan.tasks; i++) {
		const struct task_result *r = &b->results[i];
		double finish = (double)r->finish_ns / 1e9;

		outcome_printf(out,
			       "task %d: pinned to %d, finished after %.3f s on %d, %" PRIu64
			       " migrations, %" PRIu64 " steps\n",
			       i, b->plan.pins[i], finish, r->last_cpu, r->migrations, r->steps);
		if (i < NAMED_TASKS && outcome_value(out, &metrics[FINISH_0 + i], finish, err))
			return -1;
	}
	print_cpus(b, out);
	return 0;
}

static int report(const struct bench *b, struct outcome *out, struct error *err)
{
	double last = 0, first = INFINITY, mean = 0, pull = INFINITY;
	uint64_t migrations = 0;

	for (int i = 0; i < b->plan.tasks; i++) {
		const struct task_result *r = &b->results[i];
		double finish = (double)r->finish_ns / 1e9;

		last = fmax(last, finish);
		first = fmin(first, finish);
		mean += finish / b->plan.tasks;
		migrations += r->migrations;
		out->ops += r->steps;
		if (r->pull_ns)
			pull = fmin(pull, (double)r->pull_ns / 1e9);
	}
	out->wall_ns = (uint64_t)(last * 1e9);
	if (outcome_value(out, &metrics[MAKESPAN], last, err) ||
	    outcome_value(out, &metrics[FIRST], first, err) ||
	    outcome_value(out, &metrics[MEAN], mean, err) ||
	    outcome_value(out, &metrics[SPARE_IDLE], spare_idle(b), err) ||
	    outcome_value(out, &metrics[PULLED], isfinite(pull), err) ||
	    (isfinite(pull) && outcome_value(out, &metrics[FIRST_PULL], pull, err)) ||
	    outcome_value(out, &metrics[MIGRATIONS], (double)migrations, err) ||
	    report_tasks(b, out, err))
		return -1;
	outcome_printf(out, "makespan %.3f s, %" PRIu64 " migrations", last, migrations);
	if (isfinite(pull))
		outcome_printf(out, ", first pull after %.3f s\n", pull);
	else
		outcome_printf(out, ", nothing was pulled\n");
	return 0;
}

/*
 * A kernel without SCTLR_EL1.nTWI traps the instruction and goes on behind it: no time passes, and
 * what was to cost nothing is a busy loop. Where it waits, it waits for the next tick.
 */
static int check_wfi(struct run *run, struct error *err)
{
	uint64_t start = now_ns(), mean_ns;

	for (int i = 0; i < WFI_TRIALS; i++)
		pass_time(JUNO_WFI);
	mean_ns = (now_ns() - start) / WFI_TRIALS;
	if (mean_ns < WFI_SHORTEST_NS)
		return error_set(
			err, ERROR_FAILED,
			"this kernel does not let programs wait for interrupts: a wfi took "
			"%.1f us (it needs SCTLR_EL1.nTWI set, as the kernels juno-* have, "
			"or --pass spin)",
			(double)mean_ns / 1e3);
	outcome_printf(run->out, "wfi: %.3f ms on average\n", (double)mean_ns / 1e6);
	return 0;
}

static int make(struct bench *b, struct error *err)
{
	const struct needs needs = {.units = "tasks",
				    .flag = "--tasks",
				    .size = (uint64_t)b->plan.tasks,
				    .fds = {8, 0},
				    .tasks = {2, 1},
				    .memory = {1 << 20, 128 << 10}};
	size_t tasks = (size_t)b->plan.tasks;

	b->cpus = cpumask_count(&b->plan.allowed);
	for (int cpu = cpumask_first(&b->plan.allowed), i = 0; cpu >= 0;
	     cpu = cpumask_next(&b->plan.allowed, cpu))
		b->position[cpu] = i++;
	if (preflight(&needs, err))
		return -1;
	b->results = shared_alloc(tasks * sizeof(*b->results), err);
	b->cpu_ns = b->results ? shared_alloc(tasks * (size_t)b->cpus * sizeof(*b->cpu_ns), err)
			       : NULL;
	b->idle = calloc((size_t)b->cpus, sizeof(*b->idle));
	if (b->cpu_ns && !b->idle)
		error_sys(err, ENOMEM, "cannot list the CPUs");
	return b->cpu_ns && b->idle ? 0 : -1;
}

/* Steps per second of CPU time on the fastest CPU, the best of several: scaled to capacity 1024. */
static int calibrate(struct run *run, struct error *err)
{
	const struct cpumask *allowed = &run->place->allowed;
	int fast = cpumask_first(allowed);
	struct cpumask mask = {{0}};
	double best = 0;

	for (int cpu = fast; cpu >= 0; cpu = cpumask_next(allowed, cpu))
		if (juno_capacity(sys, cpu) > juno_capacity(sys, fast))
			fast = cpu;
	cpumask_add(&mask, fast);
	if (cpumask_set_affinity(&mask, err))
		return -1;
	for (int i = 0; i < 20; i++) {
		const uint64_t steps = 50000000;
		uint64_t start = spin_cpu_ns(), ns;

		spin_steps(steps);
		ns = spin_cpu_ns() - start;
		best = fmax(best, (double)steps / ((double)ns / 1e9));
	}
	best = floor(best * 1024 / (double)juno_capacity(sys, fast));
	outcome_printf(run->out, "--rate %.0f (measured on CPU %d, capacity %" PRId64 ")\n", best,
		       fast, juno_capacity(sys, fast));
	return outcome_value(run->out, &metrics[RATE], best, err);
}

static int juno_run(const void *params, struct run *run, struct error *err)
{
	static struct bench b;
	const struct juno *p = params;
	int rc;

	b.params = p;
#ifndef __aarch64__
	if (p->pass == JUNO_WFI)
		return error_set(err, ERROR_USAGE, "--pass wfi is for arm64 only");
#endif
	if (p->pass == JUNO_WFI && p->model != JUNO_CPUTIME)
		return error_set(err, ERROR_USAGE, "--pass wfi is for --work-model cputime");
	if (p->calibrate)
		return calibrate(run, err);
	if (run->place->bind != BIND_NONE)
		return error_set(err, ERROR_USAGE, "--bind contradicts --pin");
	if (p->pass == JUNO_WFI && check_wfi(run, err))
		return -1;
	rc = juno_plan(p, &run->place->allowed, sys, &b.plan, err) || make(&b, err) ||
	     play(&b, run, err) || report(&b, run->out, err);
	juno_plan_release(&b.plan);
	free(b.idle);
	return rc ? -1 : 0;
}

#define FIELD(f) offsetof(struct juno, f)

static const char *const model_names[] = {"loops", "cputime", NULL};
static const char *const pass_names[] = {"spin", "wfi", NULL};

static const struct option_spec options[] = {
	{.name = "tasks",
	 .type = OPTION_INT,
	 .offset = FIELD(tasks),
	 .preset = "0",
	 .min = 0,
	 .max = 100000,
	 .help = "CPU-bound tasks; 0: as many as --pin says"},
	{.name = "pin",
	 .type = OPTION_STRING,
	 .offset = FIELD(pin),
	 .preset = "auto",
	 .help = "the CPU of each task in the first step, a list like 0,1,1,2,3,4; auto: a task "
		 "for each\n"
		 "          CPU, but the last of the slowest has none and the first of the fastest "
		 "has two"},
	{.name = "free-after",
	 .type = OPTION_TIME,
	 .offset = FIELD(free_after_ns),
	 .unit = "ms",
	 .preset = "100",
	 .min = 0,
	 .max = 3600 * 1000000000LL,
	 .help = "length of the first step; then each task allows itself all CPUs"},
	{.name = "work",
	 .type = OPTION_STRING,
	 .offset = FIELD(work),
	 .preset = "10s@1024",
	 .help = "of each task in the second step: a time at a capacity"},
	{.name = "rate",
	 .type = OPTION_INT,
	 .offset = FIELD(rate),
	 .unit = "steps/s",
	 .preset = "0",
	 .min = 0,
	 .max = 1000000000000,
	 .help = "of a CPU of capacity 1024, from --calibrate: makes the work a fixed number of "
		 "steps"},
	{.name = "calibrate",
	 .type = OPTION_FLAG,
	 .offset = FIELD(calibrate),
	 .help = "measure the rate on the fastest CPU and do nothing else"},
	{.name = "work-model",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(model),
	 .preset = "loops",
	 .choices = model_names,
	 .help = "loops: a fixed number of steps; cputime: CPU time, times the speed of the CPU "
		 "that it\n"
		 "          was spent on (for emulated machines whose CPUs are all the same)"},
	{.name = "speed",
	 .type = OPTION_STRING,
	 .offset = FIELD(speed),
	 .help = "cputime: speed of CPU 0, 1, ..., 1024 for the fastest, the last one for all "
		 "further\n"
		 "          ones; default: the capacities that the kernel shows"},
	{.name = "pass",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(pass),
	 .preset = "spin",
	 .choices = pass_names,
	 .help = "cputime: how a task passes its time; wfi waits for interrupts at EL0, which is "
		 "work for\n"
		 "          the guest's scheduler and none for the host (arm64 kernels that do not "
		 "trap it)"},
	OPTION_END,
};

WORKLOAD(juno) = {
	.name = "juno",
	.summary = "hogs on an asymmetric machine: does the idle little CPU take one of two from a "
		   "big one?",
	.description = "Each task is CPU-bound. In the first step it is pinned; the layout leaves "
		       "a CPU idle and\n"
		       "puts two tasks on another. Then each task allows itself all CPUs, which "
		       "moves none by\n"
		       "itself, and has a fixed amount of work. Timed: from there to the end of "
		       "the last task.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct juno),
	.run = juno_run,
};
