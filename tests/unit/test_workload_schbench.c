// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../workloads/crew.h"
#include "../../workloads/outcome.h"
#include "../../workloads/place.h"
#include "../../workloads/schbench_thread.h"
#include "../../workloads/workload.h"

#define RATE	4000.0
#define BACKLOG 65536

static int messenger_main(struct worker *w, struct error *err)
{
	return schbench_messenger(w, w->arg, err);
}

/*
 * A message thread for 0.7 s at RATE whose workers are all busy: what arrives stays in the queue,
 * with the times at which it should have arrived. The caller frees m->queue.
 */
static void let_arrive(struct messenger *m, const struct schbench *cfg, const double *rate,
		       uint64_t seed, uint64_t *start_ns)
{
	struct crew_options opt = {.threads = true, .count = 1};
	struct error err = {0};
	struct place place = {.bind = BIND_NONE};
	struct run run = {.place = &place, .out = outcome_new(&err)};
	struct crew crew;

	*m = (struct messenger){.cfg = cfg, .rate = rate, .rnd = {.state = seed}};
	pthread_mutex_init(&m->lock, NULL);
	m->queue = calloc(BACKLOG, sizeof(*m->queue));
	assert_non_null(m->queue);
	assert_int_equal(crew_init(&crew, &run, &opt, &err), 0);
	assert_int_equal(crew_add(&crew, messenger_main, m, &err), 0);
	assert_int_equal(crew_start(&crew, &err), 0);
	assert_int_equal(crew_sleep(&crew, 700000000, &err), 0);
	crew_stop(&crew);
	assert_int_equal(crew_wait(&crew, &err), 0);
	*start_ns = crew.start_ns;
	crew_release(&crew);
	pthread_mutex_destroy(&m->lock);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Largest distance of the gaps' distribution from 1 - exp(-t/mean), times sqrt(n) (Kolmogorov). */
static double kolmogorov(const struct messenger *m, double mean_ns)
{
	size_t n = m->arrivals - 1;
	double *gaps = calloc(n, sizeof(*gaps)), most = 0;

	assert_non_null(gaps);
	for (size_t i = 0; i < n; i++)
		gaps[i] = (double)(m->queue[i + 1] - m->queue[i]);
	qsort(gaps, n, sizeof(*gaps), ascending);
	for (size_t i = 0; i < n; i++) {
		double f = 1 - exp(-gaps[i] / mean_ns);

		most = fmax(most, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
	}
	free(gaps);
	return most * sqrt((double)n);
}

static void poisson_gaps_are_exponential(void **state)
{
	const struct schbench cfg = {
		.version = SCHBENCH_NEW, .rps = (int64_t)RATE, .backlog = BACKLOG, .poisson = true};
	double rate = RATE;
	struct messenger m;
	uint64_t start;

	(void)state;
	let_arrive(&m, &cfg, &rate, 42, &start);
	assert_true(m.arrivals > 0.7 * RATE * 0.9);
	assert_int_equal(m.drops, 0);
	/* 1.63: the 1 % point of Kolmogorov's distribution. The gaps depend on the seed alone. */
	assert_true(kolmogorov(&m, 1e9 / RATE) < 1.63);
	/* The test can tell: a tenth off, or gaps that are all alike, and it fails. */
	assert_true(kolmogorov(&m, 1.1e9 / RATE) > 1.63);
	free(m.queue);
}

static void equal_gaps_are_equal_however_late_the_thread_is(void **state)
{
	const struct schbench cfg = {
		.version = SCHBENCH_NEW, .rps = (int64_t)RATE, .backlog = BACKLOG};
	double rate = RATE;
	struct messenger m;
	uint64_t start;

	(void)state;
	let_arrive(&m, &cfg, &rate, 1, &start);
	assert_true(m.arrivals > 0.7 * RATE * 0.9);
	for (size_t i = 0; i < m.arrivals; i++)
		assert_true(m.queue[i] == start + (uint64_t)((double)(i + 1) * 1e9 / RATE));
	free(m.queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(poisson_gaps_are_exponential),
		cmocka_unit_test(equal_gaps_are_equal_however_late_the_thread_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
