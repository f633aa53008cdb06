/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_ERROR_H
#define WORKLOADS_ERROR_H

/*
 * How failures travel in the generators: a function that can fail takes a struct error *, fills it
 * with the one line a user will read, and returns -1. The kind is the exit status.
 */
enum error_kind {
	ERROR_NONE = 0,
	ERROR_USAGE = 2, /* arguments; also what this machine or this build cannot do */
	ERROR_FAILED = 3, /* the run did not work: there is no result */
};

struct error {
	enum error_kind kind;
	char msg[1024];
};

/* Set @err; longer messages are cut. Always returns -1, so that callers can return it. */
int error_set(struct error *err, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the text of @errnum appended; the kind is ERROR_FAILED. */
int error_sys(struct error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
