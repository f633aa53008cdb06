/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_ERROR_H
#define SCHEDBENCH_UTIL_ERROR_H

/*
 * How failures travel: a function that can fail takes a struct error *, fills it with the one line
 * a user will read, and returns -1. Who detects the failure writes the message, who handles it
 * prints it. Messages are lower case, say what is wrong first, quote the subject in single
 * quotes and name the remedy in parentheses where there is one. The kind is the exit status.
 */
enum error_kind {
	ERROR_NONE = 0,
	ERROR_BAD_NEWS = 1, /* everything worked, and the answer is bad news */
	ERROR_USAGE = 2, /* usage or configuration; also what is not supported */
	ERROR_FAILED = 3, /* something did not work: boot, build, workload, store */
	ERROR_INTERRUPTED = 130,
};

struct error {
	enum error_kind kind;
	char msg[2048];
};

#define ERROR_INIT                                                                                 \
	{                                                                                          \
		ERROR_NONE, ""                                                                     \
	}

/* Set @err; longer messages are cut. Always returns -1, so that callers can return it. */
int error_set(struct error *err, enum error_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ": " and the text of @errnum appended; the kind is ERROR_FAILED. */
int error_sys(struct error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put context in front of the message already there; the kind stays. Returns -1. */
int error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
