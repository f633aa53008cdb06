/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_MAKE_H
#define SCHEDBENCH_KERNEL_MAKE_H

#include <stdbool.h>

#include "kernel/toolchain.h"
#include "util/error.h"

/*
 * make on a kernel's source, in an environment of its own: nothing that the user's shell sets
 * changes what comes out. The times, names and numbers that a kernel carries are fixed.
 */
struct make_job {
	const char *name; /* of the kernel, for progress and as LOCALVERSION */
	const char *source, *objects;
	const struct toolchain *toolchain;
	const char *const *targets; /* NULL-terminated, variables such as X=y among them */
	const char *log; /* what it prints is appended there */
	int lock_fd; /* kept open as long as any process of the build lives */
	unsigned expected; /* files, from an earlier build; 0: not known */
	bool quiet; /* no progress */
};

struct make_result {
	unsigned compiled; /* C and assembler files */
	unsigned steps; /* lines of progress that make printed */
	double seconds;
};

/*
 * ERROR_USAGE for a source that does not compile, with the first error and the log's path;
 * ERROR_INTERRUPTED when SIGINT, SIGTERM or SIGHUP came: make ends, and the next one continues.
 * *@clean: make ended by itself, so that it left no half-written file.
 */
int make_run(const struct make_job *job, struct make_result *result, bool *clean,
	     struct error *err);

/* The part of a kernel's name that its release carries: "-NAME". The caller frees it. */
char *make_localversion(const char *name);

#endif
