/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_SCHBENCH_H
#define WORKLOADS_SCHBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "workload.h"

enum schbench_version { SCHBENCH_NEW, SCHBENCH_2021, SCHBENCH_2019 };

/* The parameters of all versions; each version's options fill those that it has. */
struct schbench {
	int version; /* enum schbench_version */
	int64_t messengers, workers; /* workers of each message thread; 0: from the CPUs */
	int64_t runtime_ns, warmup_ns, interval_ns, zero_ns; /* 0: never */
	int64_t spin_ns; /* v1: of a worker */
	int64_t sleep_ns; /* v1: of a message thread; new: of a request */
	int64_t pipe_bytes; /* 0: no pipe mode */
	int64_t footprint_kib, operations; /* new: the matrices of a request */
	int64_t rps,
		backlog; /* 0: closed loop; else arrivals per second and the room for waiting ones */
	double auto_rps; /* %: of the CPUs to be busy; 0: the rate is fixed */
	bool poisson, no_locking, calibrate;
	const char *message_cpus, *worker_cpus;
};

enum schbench_latency {
	LATENCY_WAKEUP,
	LATENCY_REQUEST, /* the service alone, from the worker's start on it */
	LATENCY_QUEUE, /* open loop: from the intended arrival to the start of the service */
	LATENCY_RESPONSE, /* open loop: from the intended arrival to the end of the service */
	LATENCIES,
};

/* What the workers have done within some time; latencies in ns. */
struct schbench_totals {
	struct histogram latency[LATENCIES];
	uint64_t requests, arrivals, drops;
	uint64_t ns; /* the time of the counts, or how long they took */
};

struct schbench_result {
	struct schbench_totals total; /* after the warm-up */
	struct histogram rps; /* requests of each second */
	double message_delay_us, worker_delay_us; /* mean wait in the run queue of a time slice */
	int64_t workers; /* in all */
	double rate; /* open loop: the last one */
};

/* Run the threads; interval reports go to the text of the outcome. */
int schbench_execute(const struct schbench *cfg, struct run *run, struct schbench_result *result,
		     struct error *err);

/* The text of one interval, @seconds after the start, with the rate of the last second. */
void schbench_report_interval(const struct schbench *cfg, struct outcome *out,
			      const struct schbench_totals *since, const struct histogram *rps,
			      double seconds, double current_rps);

/* The text and the values of the whole run. */
int schbench_report(const struct schbench *cfg, struct run *run, const struct schbench_result *r,
		    const struct metric *metrics, struct error *err);

#endif
