// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "schbench_thread.h"

static void futex_sleep(const int *futex, int value, const struct timespec *timeout)
{
	syscall(SYS_futex, futex, FUTEX_WAIT_PRIVATE, value, timeout, NULL, 0);
}

void schbench_post(int *futex)
{
	if (__atomic_exchange_n(futex, FUTEX_GO, __ATOMIC_RELEASE) == FUTEX_BLOCKED)
		syscall(SYS_futex, futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Until the futex says go. */
static void await(const int *futex)
{
	while (__atomic_load_n(futex, __ATOMIC_ACQUIRE) == FUTEX_BLOCKED)
		futex_sleep(futex, FUTEX_BLOCKED, NULL);
}

/* The same for a futex that many post to: going on takes back what was said so far. */
static void await_next(int *futex)
{
	while (__atomic_exchange_n(futex, FUTEX_BLOCKED, __ATOMIC_ACQ_REL) == FUTEX_BLOCKED)
		futex_sleep(futex, FUTEX_BLOCKED, NULL);
}

static void sleep_for(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	if (ns > 0)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* A long sleep in pieces, so that the end of the run is noticed. */
static void sleep_unless_stopped(const struct worker *w, int64_t ns)
{
	const int64_t piece = 100000000;

	for (; ns > 0 && !crew_stopped(w); ns -= piece)
		sleep_for(ns < piece ? ns : piece);
}

static void push(struct messenger *boss, struct member *m)
{
	m->next = __atomic_load_n(&boss->waiting, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&boss->waiting, &m->next, m, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/* One time stamp for the batch, taken before the first wake-up; in pipe mode one for each. */
static void wake_all(struct messenger *m)
{
	struct member *list = __atomic_exchange_n(&m->waiting, NULL, __ATOMIC_ACQUIRE), *next;
	uint64_t now = now_ns();

	for (; list; list = next) {
		next = list->next; /* it may queue again as soon as it is woken */
		if (m->cfg->pipe_bytes) {
			memset(list->page, 2, (size_t)m->cfg->pipe_bytes);
			now = now_ns();
		}
		list->woken_ns = now;
		schbench_post(&list->futex);
	}
}

/* After the end of the run: let the workers see it, all of them, whatever they wait for. */
static void dismiss(struct messenger *m, unsigned workers)
{
	const struct timespec wait = {.tv_nsec = 1000000};

	while (__atomic_load_n(&m->finished, __ATOMIC_ACQUIRE) < workers) {
		pthread_mutex_lock(&m->lock);
		wake_all(m);
		pthread_mutex_unlock(&m->lock);
		futex_sleep(&m->futex, FUTEX_BLOCKED, &wait);
	}
}

static void message_loop(struct worker *w, struct messenger *m)
{
	const struct schbench *cfg = m->cfg;
	int64_t pause = cfg->version == SCHBENCH_NEW || cfg->pipe_bytes ? 0 : cfg->sleep_ns;

	while (!crew_stopped(w)) {
		wake_all(m);
		await_next(&m->futex);
		sleep_unless_stopped(w,
				     pause + (int64_t)(random_real(&m->rnd) * (double)pause / 4));
	}
}

/* Give one request to a worker that waits, or let it wait itself, or drop it. */
static void arrive(struct messenger *m, uint64_t intended)
{
	struct member *free;

	pthread_mutex_lock(&m->lock);
	m->arrivals++;
	free = m->waiting;
	if (free)
		m->waiting = free->next;
	else if (m->head - m->tail < (uint64_t)m->cfg->backlog)
		m->queue[m->head++ % (uint64_t)m->cfg->backlog] = intended;
	else
		m->drops++;
	pthread_mutex_unlock(&m->lock);
	if (!free)
		return;
	free->intended_ns = intended;
	free->woken_ns = now_ns();
	schbench_post(&free->futex);
}

static double next_gap(struct messenger *m)
{
	double rate, gap;

	__atomic_load(m->rate, &rate, __ATOMIC_RELAXED);
	gap = 1e9 / rate;
	return m->cfg->poisson ? gap * random_exponential(&m->rnd) : gap;
}

/* Requests arrive when they should, however late this thread is: no omission is coordinated. */
static void arrival_loop(struct worker *w, struct messenger *m)
{
	double next = (double)w->crew->start_ns + next_gap(m);

	while (!crew_stopped(w)) {
		double left = next - (double)now_ns();

		if (left > 0) {
			sleep_for((int64_t)fmin(left, 50e6)); /* the end must be noticed */
			continue;
		}
		arrive(m, (uint64_t)next);
		next += next_gap(m);
	}
}

int schbench_messenger(struct worker *w, struct messenger *m, struct error *err)
{
	m->tid = gettid();
	m->futex = FUTEX_BLOCKED;
	if (crew_ready(w, err))
		return -1;
	if (m->cfg->rps)
		arrival_loop(w, m);
	else
		message_loop(w, m);
	dismiss(m, (unsigned)m->cfg->workers);
	return 0;
}

unsigned schbench_side(int64_t kib)
{
	return (unsigned)sqrt((double)kib * 1024 / 3 / sizeof(unsigned long));
}

static void multiply(const struct member *m)
{
	size_t side = m->side;
	const unsigned long *a = m->matrices, *b = a + side * side;
	unsigned long *product = m->matrices + 2 * side * side;

	for (size_t i = 0; i < side; i++) {
		for (size_t j = 0; j < side; j++) {
			unsigned long sum = 0;

			for (size_t k = 0; k < side; k++)
				sum += a[i * side + k] * b[k * side + j];
			product[i * side + j] = sum;
		}
	}
	__asm__ volatile("" : : "r"(product) : "memory");
}

/*
 * The lock of the CPU that this thread is on once it has it; NULL when the run
 * ended before. Many workers that spin while the holder is preempted would
 * otherwise need minutes for requests that no longer count.
 */
static pthread_spinlock_t *lock_cpu(const struct worker *w, const struct member *m)
{
	while (!crew_stopped(w)) {
		int cpu = sched_getcpu();
		pthread_spinlock_t *lock = &m->cpu_locks[cpu].lock;

		if (pthread_spin_trylock(lock))
			continue;
		if (sched_getcpu() == cpu)
			return lock;
		pthread_spin_unlock(lock);
	}
	return NULL;
}

static void spin(int64_t ns)
{
	uint64_t end = now_ns() + (uint64_t)ns;

	while (ns && now_ns() < end)
		;
}

/* The work of one request, which is left out when the run ended before its turn. */
static void serve(const struct worker *w, const struct member *m)
{
	const struct schbench *cfg = m->cfg;
	pthread_spinlock_t *lock = NULL;

	if (cfg->version != SCHBENCH_NEW) {
		spin(cfg->spin_ns);
		return;
	}
	if (!cfg->calibrate)
		sleep_for(cfg->sleep_ns);
	if (!cfg->no_locking && !cfg->calibrate) {
		lock = lock_cpu(w, m);
		if (!lock)
			return;
	}
	for (int64_t i = 0; i < cfg->operations; i++)
		multiply(m);
	if (lock)
		pthread_spin_unlock(lock);
}

static void record(struct member *m, enum schbench_latency what, uint64_t from, uint64_t to)
{
	histogram_add(&m->stats->latency[what], to > from ? to - from : 0);
}

static void count_request(struct member *m)
{
	__atomic_store_n(&m->stats->requests, m->stats->requests + 1, __ATOMIC_RELAXED);
}

/* Wait in the list of the message thread; false: the run is over. */
static bool hand_over(struct worker *w, struct member *m)
{
	__atomic_store_n(&m->futex, FUTEX_BLOCKED, __ATOMIC_RELAXED);
	push(m->boss, m);
	schbench_post(&m->boss->futex);
	await(&m->futex);
	return !crew_stopped(w);
}

/* One round of the closed loop; what happens after the end of the run is no sample. */
static void closed_round(struct worker *w, struct member *m)
{
	const struct schbench *cfg = m->cfg;
	uint64_t start, end;

	if (cfg->version == SCHBENCH_2019 && !cfg->pipe_bytes)
		spin(cfg->spin_ns);
	if (!cfg->calibrate && !hand_over(w, m))
		return;
	start = now_ns();
	if (cfg->pipe_bytes)
		memset(m->page, 1, (size_t)cfg->pipe_bytes);
	if (cfg->pipe_bytes || cfg->version == SCHBENCH_2019) {
		record(m, LATENCY_WAKEUP, m->woken_ns, start);
		count_request(m);
		return;
	}
	if (cfg->version == SCHBENCH_NEW && !cfg->calibrate)
		record(m, LATENCY_WAKEUP, m->woken_ns, start);
	serve(w, m);
	end = now_ns();
	if (crew_stopped(w))
		return;
	/* 2021: all that came between the wake-up and the end of the work, but the work. */
	if (cfg->version == SCHBENCH_2021)
		record(m, LATENCY_WAKEUP, m->woken_ns + (uint64_t)cfg->spin_ns, end);
	else
		record(m, LATENCY_REQUEST, start, end);
	count_request(m);
}

/* The next request of the open loop; false: the run is over. */
static bool next_request(struct worker *w, struct member *m)
{
	struct messenger *boss = m->boss;

	pthread_mutex_lock(&boss->lock);
	if (boss->head != boss->tail) {
		m->intended_ns = boss->queue[boss->tail++ % (uint64_t)m->cfg->backlog];
		pthread_mutex_unlock(&boss->lock);
		return true;
	}
	__atomic_store_n(&m->futex, FUTEX_BLOCKED, __ATOMIC_RELAXED);
	m->next = boss->waiting;
	boss->waiting = m;
	pthread_mutex_unlock(&boss->lock);
	await(&m->futex);
	if (crew_stopped(w))
		return false;
	record(m, LATENCY_WAKEUP, m->woken_ns, now_ns());
	return true;
}

static void open_round(struct worker *w, struct member *m)
{
	uint64_t start, end;

	if (!next_request(w, m))
		return;
	start = now_ns();
	serve(w, m);
	end = now_ns();
	if (crew_stopped(w))
		return;
	record(m, LATENCY_QUEUE, m->intended_ns, start);
	record(m, LATENCY_REQUEST, start, end);
	record(m, LATENCY_RESPONSE, m->intended_ns, end);
	count_request(m);
}

int schbench_member(struct worker *w, struct member *m, struct error *err)
{
	m->tid = gettid();
	for (size_t i = 0; i < 2 * (size_t)m->side * m->side; i++)
		m->matrices[i] = i;
	memset(m->stats, 0, sizeof(*m->stats));
	if (crew_ready(w, err))
		return -1;
	while (!crew_stopped(w)) {
		if (m->cfg->rps)
			open_round(w, m);
		else
			closed_round(w, m);
	}
	__atomic_add_fetch(&m->boss->finished, 1, __ATOMIC_RELEASE);
	schbench_post(&m->boss->futex);
	return 0;
}
