// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "crew.h"
#include "preflight.h"
#include "sysfile.h"

enum kernel { COPY, SCALE, ADD, TRIAD, KERNELS };

enum {
	/* a grows by 15 in each iteration: start again long before it is infinite. */
	FRESH_START = 100,
	SHORTEST_NS = 20000, /* of a kernel: less is the clock and the barrier */
};

static const double scalar = 3;

struct stream_params {
	int64_t elements, ntimes, threads;
	bool force;
};

struct bench {
	const struct stream_params *params;
	size_t n; /* elements of an array */
	int64_t threads;
	double *a, *b, *c;
	pthread_barrier_t barrier;
	uint64_t *times; /* [ntimes][KERNELS], of all threads together */
	struct thread_result *results;
	bool in_cache;
};

struct thread_result {
	uint64_t busy_ns __attribute__((aligned(64))); /* in kernels */
	uint64_t migrations;
	int cpu;
};

/*
 * A copy that the compiler turns into memcpy() would use other instructions than the other three
 * kernels, and other ones with the next compiler.
 */
#ifdef __clang__
#define KERNEL __attribute__((noinline, no_builtin("memcpy", "memmove", "memset")))
#else
#define KERNEL __attribute__((noinline, optimize("no-tree-loop-distribute-patterns")))
#endif

KERNEL static void copy(double *restrict c, const double *restrict a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c[i] = a[i];
}

KERNEL static void scale(double *restrict b, const double *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		b[i] = scalar * c[i];
}

KERNEL static void add(double *restrict c, const double *restrict a, const double *restrict b,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

KERNEL static void triad(double *restrict a, const double *restrict b, const double *restrict c,
			 size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + scalar * c[i];
}

static void run_kernel(const struct bench *s, enum kernel k, size_t from, size_t n)
{
	double *a = s->a + from, *b = s->b + from, *c = s->c + from;

	switch (k) {
	case COPY:
		copy(c, a, n);
		break;
	case SCALE:
		scale(b, c, n);
		break;
	case ADD:
		add(c, a, b, n);
		break;
	case TRIAD:
		triad(a, b, c, n);
		break;
	case KERNELS:
		break;
	}
}

static void initialise(const struct bench *s, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++) {
		s->a[i] = 1;
		s->b[i] = 2;
		s->c[i] = 0;
	}
}

static void note_cpu(struct thread_result *r)
{
	int cpu = sched_getcpu();

	r->migrations += cpu != r->cpu;
	r->cpu = cpu;
}

/* One kernel, all threads at once; the first thread takes the time. */
static void timed_kernel(struct bench *s, unsigned index, int64_t iteration, enum kernel k,
			 size_t from, size_t n)
{
	struct thread_result *r = &s->results[index];
	uint64_t start, mine;

	pthread_barrier_wait(&s->barrier);
	start = mine = now_ns();
	run_kernel(s, k, from, n);
	r->busy_ns += now_ns() - mine;
	note_cpu(r);
	pthread_barrier_wait(&s->barrier);
	if (!index)
		s->times[iteration * KERNELS + k] = now_ns() - start;
}

static int thread_main(struct worker *w, struct error *err)
{
	struct bench *s = w->arg;
	size_t from = s->n * w->index / (size_t)s->threads;
	size_t n = s->n * (w->index + 1) / (size_t)s->threads - from;

	initialise(s, from, n); /* first touch: where the thread is now */
	s->results[w->index].cpu = sched_getcpu();
	if (crew_ready(w, err))
		return -1;
	for (int64_t i = 0; i < s->params->ntimes; i++) {
		if (i && i % FRESH_START == 0)
			initialise(s, from, n);
		for (enum kernel k = 0; k < KERNELS; k++)
			timed_kernel(s, w->index, i, k, from, n);
	}
	return 0;
}

/* Replay the recurrence with one element, and compare the arrays with it. */
static int validate(const struct bench *s, struct error *err)
{
	const double *const arrays[] = {s->a, s->b, s->c};
	int64_t rounds = (s->params->ntimes - 1) % FRESH_START + 1;
	double want[3] = {1, 2, 0};

	for (int64_t i = 0; i < rounds; i++) {
		want[2] = want[0];
		want[1] = scalar * want[2];
		want[2] = want[0] + want[1];
		want[0] = want[1] + scalar * want[2];
	}
	for (int j = 0; j < 3; j++) {
		double error = 0;

		for (size_t i = 0; i < s->n; i++)
			error += fabs(arrays[j][i] - want[j]);
		error /= (double)s->n * want[j];
		if (!isfinite(want[j]) || !(error < 1e-13))
			return error_set(err, ERROR_FAILED, "array %c does not validate: error %g",
					 'a' + j, error);
	}
	return 0;
}

static double *need_array(size_t n, struct error *err)
{
	void *p = mmap(NULL, n * sizeof(double), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED)
		return p;
	error_sys(err, errno, "cannot map an array of %zu elements", n);
	return NULL;
}

/* Arrays of four times all last-level caches, or the user's size if it is not less. */
static int choose_size(struct bench *s, const struct place *place, struct error *err)
{
	int64_t cache = place_cache_bytes("/sys/devices/system", &place->allowed);
	int64_t least = (4 * cache + (int64_t)sizeof(double) - 1) / (int64_t)sizeof(double);

	s->n = (size_t)(s->params->elements ? s->params->elements : least);
	s->in_cache = !cache || (int64_t)s->n < least;
	if (!s->n)
		return error_set(
			err, ERROR_USAGE,
			"the kernel does not say how large the caches are (give --array-size)");
	if (s->in_cache && cache && !s->params->force)
		return error_set(
			err, ERROR_USAGE,
			"arrays of %zu elements are less than 4 times the last-level caches of"
			" %" PRId64 " KiB (at least %" PRId64 ", or --force)",
			s->n, cache / 1024, least);
	if ((int64_t)s->n < s->threads)
		return error_set(err, ERROR_USAGE, "fewer elements than threads");
	return 0;
}

static int prepare(struct bench *s, const struct place *place, struct error *err)
{
	const struct stream_params *p = s->params;
	struct needs needs = {.units = "elements",
			      .flag = "--array-size",
			      .fds = {8, 0},
			      .tasks = {2 + (uint64_t)s->threads, 0},
			      .memory = {16 << 20, 3 * sizeof(double)}};

	if (choose_size(s, place, err))
		return -1;
	needs.size = s->n;
	if (preflight(&needs, err))
		return -1;
	s->times = calloc((size_t)p->ntimes * KERNELS, sizeof(*s->times));
	s->results = aligned_alloc(64, (size_t)s->threads * sizeof(*s->results));
	if (!s->times || !s->results)
		return error_sys(err, ENOMEM, "cannot allocate memory for the times");
	memset(s->results, 0, (size_t)s->threads * sizeof(*s->results));
	s->a = need_array(s->n, err);
	s->b = s->a ? need_array(s->n, err) : NULL;
	s->c = s->b ? need_array(s->n, err) : NULL;
	pthread_barrier_init(&s->barrier, NULL, (unsigned)s->threads);
	return s->c ? 0 : -1;
}

static void name_thread(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "thread %u", index);
}

static int play(struct bench *s, struct run *run, struct error *err)
{
	struct crew_options opt = {
		.threads = true, .count = (unsigned)s->threads, .name = name_thread};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (int64_t i = 0; i < s->threads && !rc; i++)
		rc = crew_add(&crew, thread_main, s, err);
	if (!rc)
		rc = crew_start(&crew, err) || crew_wait(&crew, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

static const struct metric metrics[] = {
	{"triad_best", "MB/s", BETTER_HIGHER, "a = b + 3c: the fastest iteration but the first"},
	{"triad_median", "MB/s", BETTER_HIGHER, "the median iteration"},
	{"triad_worst", "MB/s", BETTER_HIGHER, "the slowest iteration"},
	{"copy_best", "MB/s", BETTER_HIGHER, "c = a"},
	{"copy_median", "MB/s", BETTER_HIGHER, "c = a"},
	{"copy_worst", "MB/s", BETTER_HIGHER, "c = a"},
	{"scale_best", "MB/s", BETTER_HIGHER, "b = 3c"},
	{"scale_median", "MB/s", BETTER_HIGHER, "b = 3c"},
	{"scale_worst", "MB/s", BETTER_HIGHER, "b = 3c"},
	{"add_best", "MB/s", BETTER_HIGHER, "c = a + b"},
	{"add_median", "MB/s", BETTER_HIGHER, "c = a + b"},
	{"add_worst", "MB/s", BETTER_HIGHER, "c = a + b"},
	{"migrations", "moves", BETTER_LOWER,
	 "kernels that ended on another CPU than the one before"},
	{"thread_spread", "ratio", BETTER_LOWER, "time in kernels: slowest over fastest thread"},
	METRIC_END,
};

static const struct {
	const char *name;
	int arrays; /* that go over the bus */
	int metric; /* the first of its three */
} kernels[KERNELS] = {
	[COPY] = {"Copy:", 2, 3},
	[SCALE] = {"Scale:", 2, 6},
	[ADD] = {"Add:", 3, 9},
	[TRIAD] = {"Triad:", 3, 0},
};

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Without the first iteration. */
static int report_kernel(const struct bench *s, enum kernel k, struct outcome *out,
			 struct error *err)
{
	size_t n = (size_t)s->params->ntimes - 1;
	double bytes = (double)s->n * sizeof(double) * kernels[k].arrays, sum = 0, rates[3];
	uint64_t *sorted = calloc(n, sizeof(*sorted));

	if (!sorted)
		return error_sys(err, ENOMEM, "cannot sort the times");
	for (size_t i = 0; i < n; i++) {
		sorted[i] = s->times[(i + 1) * KERNELS + k];
		sum += (double)sorted[i] / 1e9;
	}
	qsort(sorted, n, sizeof(*sorted), compare_ns);
	rates[0] = bytes / 1e6 / ((double)sorted[0] / 1e9);
	rates[1] = bytes / 1e6 / (((double)sorted[(n - 1) / 2] + (double)sorted[n / 2]) / 2e9);
	rates[2] = bytes / 1e6 / ((double)sorted[n - 1] / 1e9);
	outcome_printf(out, "%-12s%12.1f  %11.6f  %11.6f  %11.6f\n", kernels[k].name, rates[0],
		       sum / (double)n, (double)sorted[0] / 1e9, (double)sorted[n - 1] / 1e9);
	n = sorted[0];
	free(sorted);
	if (n < SHORTEST_NS)
		return error_set(err, ERROR_FAILED,
				 "%s %zu ns are too short to be measured (larger --array-size)",
				 kernels[k].name, n);
	for (int i = 0; i < 3; i++)
		if (outcome_value(out, &metrics[kernels[k].metric + i], rates[i], err))
			return -1;
	return 0;
}

static int report_threads(const struct bench *s, struct outcome *out, struct error *err)
{
	uint64_t migrations = 0, least = UINT64_MAX, most = 0;
	struct cpumask last = {{0}};
	char cpus[1024];

	for (int64_t i = 0; i < s->threads; i++) {
		const struct thread_result *r = &s->results[i];

		migrations += r->migrations;
		least = r->busy_ns < least ? r->busy_ns : least;
		most = r->busy_ns > most ? r->busy_ns : most;
		cpumask_add(&last, r->cpu);
	}
	outcome_printf(out,
		       "%" PRId64 " threads, last on CPUs %s, %" PRIu64
		       " migrations, slowest / fastest %.2f\n",
		       s->threads, cpumask_format(&last, cpus, sizeof(cpus)), migrations,
		       (double)most / (double)least);
	if (outcome_value(out, &metrics[12], (double)migrations, err))
		return -1;
	return outcome_value(out, &metrics[13], (double)most / (double)least, err);
}

static int report(const struct bench *s, struct outcome *out, struct error *err)
{
	char thp[128] = "unknown";

	sysfile_read("/sys/kernel/mm/transparent_hugepage/enabled", thp, sizeof(thp));
	outcome_printf(out,
		       "Array size = %zu (elements), %.1f MiB each%s; transparent huge pages: %s\n"
		       "Function    Best Rate MB/s  Avg time     Min time     Max time\n",
		       s->n, (double)s->n * sizeof(double) / 1048576,
		       s->in_cache ? " (may fit into the caches)" : "", thp);
	for (enum kernel k = 0; k < KERNELS; k++)
		if (report_kernel(s, k, out, err))
			return -1;
	outcome_printf(
		out, "Solution Validates: avg error less than 1.000000e-13 on all three arrays\n");
	out->ops = (uint64_t)s->params->ntimes * KERNELS;
	return report_threads(s, out, err);
}

static int stream_run(const void *params, struct run *run, struct error *err)
{
	const struct stream_params *p = params;
	struct bench s = {.params = p};

	s.threads = p->threads ? p->threads : run->place->norder;
	if (prepare(&s, run->place, err) || play(&s, run, err) || validate(&s, err))
		return -1;
	return report(&s, run->out, err);
}

#define FIELD(f) offsetof(struct stream_params, f)

static const struct option_spec options[] = {
	{.name = "array-size",
	 .type = OPTION_INT,
	 .offset = FIELD(elements),
	 .unit = "elements of 8 bytes",
	 .preset = "0",
	 .min = 0,
	 .max = 1LL << 40,
	 .help = "of each of the three arrays; 0: four times the last-level caches of the CPUs"},
	{.name = "ntimes",
	 .type = OPTION_INT,
	 .offset = FIELD(ntimes),
	 .preset = "10",
	 .min = 2,
	 .max = 10000000,
	 .help = "iterations; the first is not counted"},
	{.letter = 't',
	 .name = "threads",
	 .type = OPTION_INT,
	 .offset = FIELD(threads),
	 .preset = "0",
	 .min = 0,
	 .max = 100000,
	 .help = "threads; 0: one for each CPU that may be used (--bind to bind them)"},
	{.name = "force",
	 .type = OPTION_FLAG,
	 .offset = FIELD(force),
	 .help = "allow arrays that may fit into the caches; the output says so"},
	OPTION_END,
};

WORKLOAD(stream) = {
	.name = "stream",
	.summary = "memory bandwidth of all threads together: copy, scale, add, triad",
	.description = "Each thread works on its own part of three arrays, which it has touched "
		       "first. Timed is\n"
		       "each kernel alone, from the barrier before it to the barrier after it. The "
		       "best rate\n"
		       "hides bad placement in nine of ten iterations: look at median and worst.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct stream_params),
	.run = stream_run,
};
