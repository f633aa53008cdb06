/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_PREFLIGHT_H
#define WORKLOADS_PREFLIGHT_H

#include <stdint.h>

#include "error.h"

/* What a run takes: a fixed part and a part for each unit of its size. */
struct demand {
	uint64_t fixed, unit;
};

struct needs {
	const char *units; /* "groups": what the size counts, for messages */
	const char *flag; /* "-g": how it is given */
	uint64_t size;
	struct demand fds; /* of the process that has the most */
	struct demand tasks; /* processes and threads */
	struct demand memory; /* bytes */
	struct demand ports; /* ephemeral ports of the loopback interface */
};

/*
 * Compare with what this process may have, before anything is created: RLIMIT_NOFILE (the soft
 * limit is raised as far as needed), RLIMIT_NPROC, pids.max, threads-max, MemAvailable, the range of
 * ports. ERROR_USAGE with the numbers, and the largest size that would do, if something is short.
 */
int preflight(const struct needs *needs, struct error *err);

#endif
