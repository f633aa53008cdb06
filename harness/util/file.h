/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_FILE_H
#define SCHEDBENCH_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "util/strbuf.h"

#define SHA256_HEX_SIZE 65

/* Append the whole of @path to @out. More than @max bytes is an error (0: no limit). */
int file_read(const char *path, size_t max, struct strbuf *out, struct error *err);

/* Write @len bytes to @path through a temporary file beside it, fsync and rename. */
int file_write(const char *path, const void *data, size_t len, struct error *err);

/* All of @len bytes, continuing short writes; -1 with errno set. */
int write_all(int fd, const void *data, size_t len);

/* mkdir -p */
int make_directories(const char *path, struct error *err);

/* Lower-case hexadecimal SHA-256. */
int file_sha256(const char *path, char hex[SHA256_HEX_SIZE], struct error *err);
void data_sha256(const void *data, size_t len, char hex[SHA256_HEX_SIZE]);

bool path_exists(const char *path);

/* rm -rf that does not follow symbolic links and does not leave the file system of @path. */
int remove_tree(const char *path, struct error *err);

/* @name joined to @dir with one slash, or a copy of @name where that is absolute. */
char *path_join(const char *dir, const char *name);

/* Directory part of @path, "." where there is none. The caller frees it. */
char *path_dirname(const char *path);

/* The program @name as execvp() would find it: one with a slash as it is, another one in PATH.
 * NULL: not there. The caller frees it. */
char *path_search(const char *name);

/* The folder for things that can be made again: $SCHEDBENCH_CACHE, $XDG_CACHE_HOME/schedbench or
 * ~/.cache/schedbench, created when missing. The caller frees it; NULL with @err set. */
char *cache_directory(struct error *err);

#endif
