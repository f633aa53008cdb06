/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_CREW_H
#define WORKLOADS_CREW_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "channel.h"
#include "error.h"
#include "workload.h"

/*
 * The workers of a run: processes or threads that are created, report ready, are released
 * together and are waited for. A worker that fails or dies ends the run: crew_sleep() and
 * crew_wait() return with its name in the message, and no worker is left.
 */
struct crew;

struct worker {
	struct crew *crew;
	unsigned index;
	int (*work)(struct worker *w, struct error *err);
	void *arg;
	pid_t pid; /* processes; 0: waited for */
	pthread_t thread;
};

/* Lies in memory that all workers share. */
struct crew_shared {
	int failed; /* index + 1 of the worker whose message is below */
	struct error err;
	uint64_t start_ns; /* of the release */
	int stop __attribute__((aligned(64)));
};

struct crew_options {
	bool threads;
	enum channel_kind barrier; /* the start barrier is made of two channels of this kind */
	unsigned count; /* of the workers to come */
	size_t stack; /* of a thread; 0: enough for small buffers */
	/* What messages call a worker; NULL: "worker N". */
	void (*name)(const void *ctx, unsigned index, char *buf, size_t size);
	const void *ctx;
};

struct crew {
	struct crew_options opt;
	const struct run *run;
	struct worker *workers;
	unsigned created, waited;
	pid_t *reaped; /* in the order of their end; [waited] of them */
	struct crew_shared *shared;
	int ready[2], wake[2];
	uint64_t start_ns;
};

int crew_init(struct crew *crew, const struct run *run, const struct crew_options *opt,
	      struct error *err);

/* Create the next worker; @arg is shared by threads and copied by fork() for processes. */
int crew_add(struct crew *crew, int (*work)(struct worker *w, struct error *err), void *arg,
	     struct error *err);

/* Wait until all workers are ready, take the time, release them. */
int crew_start(struct crew *crew, struct error *err);

/* Let them work for @ns; returns early, with -1, when one of them ends. */
int crew_sleep(struct crew *crew, uint64_t ns, struct error *err);

/* Make crew_stopped() true. */
void crew_stop(struct crew *crew);

/*
 * Wait for all workers; the interval since the start, and what they used, go to the outcome of the
 * run (all of it added to what is there already).
 */
int crew_wait(struct crew *crew, struct error *err);

/* Kill and reap what is left, free everything. */
void crew_release(struct crew *crew);

/* Of a worker: everything is prepared; returns when the crew is released. */
int crew_ready(struct worker *w, struct error *err);

/* When the crew was released. */
static inline uint64_t crew_start_ns(const struct worker *w)
{
	return w->crew->shared->start_ns;
}

static inline bool crew_stopped(const struct worker *w)
{
	return __atomic_load_n(&w->crew->shared->stop, __ATOMIC_RELAXED);
}

#endif
