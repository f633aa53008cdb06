/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_DEBIAN_H
#define SCHEDBENCH_KERNEL_DEBIAN_H

#include "util/error.h"

/*
 * A packaged kernel, unpacked into the cache: nothing is installed on the host. apt works with a
 * configuration of its own in the cache, so that it needs no root and leaves the host's lists
 * alone. What a request led to is recorded: the second call is a look-up, and the version stays the
 * same until the record is removed.
 *
 * @package may be a meta package. *@root: the folder it was unpacked to; *@identity: package and
 * version. Both are freed by the caller.
 */
int debian_kernel(const char *package, const char *suite, char **root, char **identity,
		  struct error *err);

/* 1: recorded and still there, 0: would have to be fetched. */
int debian_kernel_cached(const char *package, const char *suite);

/* Remove the record, so that the next call takes the version that the suite has then. */
int debian_kernel_forget(const char *package, const char *suite, struct error *err);

#endif
