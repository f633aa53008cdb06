/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_MAKE_ERROR_H
#define SCHEDBENCH_KERNEL_MAKE_ERROR_H

#include "util/error.h"

/*
 * Why the build of @name failed: the first error in the log of make, the package that mends it
 * where that is known, and the log's path. @status as of waitpid. Always returns -1.
 */
int make_explain(const char *name, const char *log, int status, struct error *err);

#endif
