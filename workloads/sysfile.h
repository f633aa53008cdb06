/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_SYSFILE_H
#define WORKLOADS_SYSFILE_H

#include <stddef.h>
#include <stdint.h>

/* The contents of a small file of /proc or /sys without the last newline; -1 with errno set. */
int sysfile_read(const char *path, char *buf, size_t size);

/* The same as one number; "max" is INT64_MAX; -1 if it is neither. */
int sysfile_number(const char *path, int64_t *value);

#endif
