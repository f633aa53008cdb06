/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_SUBPROCESS_H
#define SCHEDBENCH_UTIL_SUBPROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/strbuf.h"

/* Values of the descriptors in struct subprocess_spec besides an open one of the caller's. */
enum {
	SUBPROCESS_NULL = -1, /* /dev/null */
	SUBPROCESS_PIPE = -2, /* a new pipe, the near end in struct subprocess */
	SUBPROCESS_INHERIT = -3,
};

struct subprocess_spec {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *env; /* NULL or NULL-terminated "NAME=value" added to the environment */
	const char *dir; /* NULL: the caller's */
	int in, out, err;
	int keep_fd; /* one more descriptor that stays open in the child under its number; -1: none */
	bool own_group; /* a process group of its own, so that it can be killed with its children */
	bool die_with_parent; /* SIGKILL when the thread that started it ends */
};

#define SUBPROCESS_SPEC_INIT                                                                       \
	{                                                                                          \
		.in = SUBPROCESS_NULL, .out = SUBPROCESS_INHERIT, .err = SUBPROCESS_INHERIT,       \
		.keep_fd = -1                                                                      \
	}

struct subprocess {
	pid_t pid; /* 0 once it has been waited for */
	int pidfd; /* readable when the process has ended */
	int in, out, err; /* near ends of pipes, or -1 */
	bool own_group;
};

/*
 * Start a program, without a shell. Signals that the caller blocks or ignores are back at their
 * defaults in the child. A program that cannot be executed is an error here, not a status later.
 */
int subprocess_start(struct subprocess *sp, const struct subprocess_spec *spec, struct error *err);

/* Wait at most @timeout_ms (-1: for ever). 1: ended, *@status as of waitpid; 0: still running. */
int subprocess_wait(struct subprocess *sp, int timeout_ms, int *status, struct error *err);

/* SIGKILL to it (with own_group: to its whole group), reap it and close everything. */
void subprocess_kill(struct subprocess *sp);

/* Close the descriptors of a process that has been waited for. */
void subprocess_release(struct subprocess *sp);

/*
 * Run to the end, collecting stdout in @out and stderr in @errout (NULL: not kept). The status is
 * that of waitpid. Longer than @timeout_ms (-1: no limit) kills it and is an error.
 */
int subprocess_capture(const char *const *argv, int timeout_ms, struct strbuf *out,
		       struct strbuf *errout, int *status, struct error *err);

/* subprocess_capture() where anything but exit status 0 is an error that quotes the last line of
 * stderr. */
int subprocess_output(const char *const *argv, int timeout_ms, struct strbuf *out,
		      struct error *err);

/* For a child before exec: every signal at its default, none blocked. */
void signals_reset(void);

/* "exit status 3" or "killed by signal 9 (Killed)". */
void subprocess_describe(int status, struct strbuf *out);

#endif
