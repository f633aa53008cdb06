/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_SCHBENCH_THREAD_H
#define WORKLOADS_SCHBENCH_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "crew.h"
#include "random.h"
#include "schbench.h"

/* What a futex says: its owner waits, or may run. */
enum { FUTEX_GO, FUTEX_BLOCKED };

/* Of one CPU, on a cache line of its own. */
struct cpu_lock {
	pthread_spinlock_t lock __attribute__((aligned(64)));
};

struct messenger;

/* A worker thread. */
struct member {
	int futex __attribute__((aligned(64)));
	uint64_t woken_ns; /* written by who wakes it */
	uint64_t intended_ns; /* open loop: arrival of the request it is woken for */
	struct member *next; /* in the list of those who wait */
	struct messenger *boss;
	const struct schbench *cfg;
	struct schbench_totals *stats; /* written by this thread only */
	struct cpu_lock *cpu_locks; /* by CPU number, shared by all */
	unsigned long *matrices; /* three of side * side */
	unsigned side;
	char *page; /* pipe mode */
	pid_t tid;
};

/* A message thread. */
struct messenger {
	int futex __attribute__((aligned(64)));
	struct member *waiting; /* closed loop: lock-free LIFO; open loop: under @lock */
	unsigned finished; /* workers that have ended */
	const struct schbench *cfg;
	const double
		*rate; /* open loop: arrivals per second of this thread, changes with auto_rps */
	pthread_mutex_t lock; /* open loop: of the list and of the queue */
	uint64_t *queue; /* intended arrivals of waiting requests: ring of cfg->backlog */
	uint64_t head, tail;
	uint64_t arrivals, drops;
	struct random rnd;
	char *page;
	pid_t tid;
};

/* The threads; @err of the crew. Bind first, as the options say. */
int schbench_messenger(struct worker *w, struct messenger *m, struct error *err);
int schbench_member(struct worker *w, struct member *m, struct error *err);

/* Wake a thread that waits, or is about to wait, on @futex. */
void schbench_post(int *futex);

/* The side of three square matrices of unsigned long that fill @kib. */
unsigned schbench_side(int64_t kib);

#endif
