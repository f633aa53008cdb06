/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_CACHE_H
#define SCHEDBENCH_KERNEL_CACHE_H

#include "util/error.h"

/*
 * Where kernels are built: the folder "builds" of the cache.
 *
 *     sources/KEY/   one source: repo.git, src (its files with the patches of the variant that was
 *                    built last), obj-KEY (objects of one configuration and toolchain), lock
 *     images/KEY/    what came out, by the hash of everything that went in
 *     requests/KEY   which image a request led to: what makes a second build a look-up
 *     recipes/       what went into the last build of each kernel file, for "why"
 *     resolved/      which version or commit a name stood for when it was first asked
 *     logs/          output of the last build of each kernel file
 *
 * Only what is whole is renamed to its place in images.
 */

/* Folder @name of these, created when missing; the caller frees it. NULL with @err set. */
char *builds_folder(const char *name, struct error *err);

/* What @key stood for; NULL: not recorded. The caller frees it. */
char *resolved_get(const char *key);
int resolved_set(const char *key, const char *value, struct error *err);
/* Removes the record, so that the name is asked for again. */
int resolved_forget(const char *key, struct error *err);

/*
 * Lock @folder/lock for @who; where another process has it, say so on stderr and wait. Returns the
 * descriptor, which a child may keep open, or -1. Closing all of them unlocks.
 */
int folder_lock(const char *folder, const char *who, struct error *err);

/* Enough free bytes in the file system of @folder? ERROR_FAILED says how many there are. */
int check_free_space(const char *folder, unsigned long long bytes, struct error *err);

/* The first @digits of the SHA-256 of @text; the caller frees it. */
char *short_hash(const char *text, unsigned digits);

/* Bytes that a folder takes on the disk. */
unsigned long long folder_size(const char *folder);

#endif
