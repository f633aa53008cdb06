/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_HACKBENCH_H
#define WORKLOADS_HACKBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "workload.h"

struct hackbench {
	int64_t groups, fds, loops;
	int64_t datasize; /* bytes */
	int channel; /* enum channel_kind */
	int threads; /* 1: threads, 0: processes */
	bool fifo;
};

/*
 * Run the groups. The time goes to the outcome's wall_ns, the messages to its ops; values and text
 * are the caller's business (hackbench and messaging differ in them).
 */
int hackbench(const struct hackbench *hb, struct run *run, struct error *err);

#endif
