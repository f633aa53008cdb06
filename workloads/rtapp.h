/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_RTAPP_H
#define WORKLOADS_RTAPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpumask.h"
#include "error.h"

enum rtapp_event_kind {
	RTAPP_RUN, /* a fixed number of loops */
	RTAPP_RUNTIME, /* until the clock says so */
	RTAPP_SLEEP,
	RTAPP_TIMER,
	RTAPP_BARRIER,
	RTAPP_YIELD,
};

struct rtapp_event {
	enum rtapp_event_kind kind;
	int64_t us; /* of run, runtime, sleep; period of a timer */
	int resource; /* index of the timer within the thread, or of the barrier in the file */
	bool absolute; /* timer: an overrun does not move the later expiries */
};

struct rtapp_phase {
	int64_t loop; /* -1: for ever */
	struct cpumask cpus; /* empty: the task's */
	struct rtapp_event *events;
	size_t nevents;
};

struct rtapp_task {
	char *name;
	int64_t instances, loop, delay_us; /* loop -1: for ever */
	struct cpumask cpus; /* empty: all */
	int policy, priority; /* of sched_setscheduler() */
	struct rtapp_phase *phases;
	size_t nphases, ntimers;
};

struct rtapp_file {
	struct rtapp_task *tasks;
	size_t ntasks;
	int64_t duration_s; /* -1: until all tasks end */
	int64_t ns_per_loop; /* 0: measure on @calibration_cpu */
	int calibration_cpu;
	bool lock_pages;
	char *logdir, *log_basename; /* logdir NULL: no logs */
	size_t nbarriers;
	int64_t *barrier_threads; /* that meet at each */
	char *warnings; /* lines, "" if none */
};

/* Read a file of rt-app, the subset documented in docs/workloads.md; the rest is an error with its
 * line. rtapp_file_release() frees it, after an error too. */
int rtapp_file_read(const char *path, struct rtapp_file *f, struct error *err);
int rtapp_file_parse(const char *name, const char *text, size_t size, struct rtapp_file *f,
		     struct error *err);
void rtapp_file_release(struct rtapp_file *f);

#endif
