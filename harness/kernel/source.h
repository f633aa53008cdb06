/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_SOURCE_H
#define SCHEDBENCH_KERNEL_SOURCE_H

#include <stdbool.h>

#include "config/config.h"
#include "kernel/git.h"
#include "util/error.h"

/*
 * The source that a kernel is built from. It becomes a git repository of the cache, whatever it
 * came as, so that patches are applied with three-way merges, and moving the files from one
 * variant to another touches only what differs.
 */
struct source {
	char *identity; /* "git COMMIT", "tarball SHA-256", "linux-source-6.1 6.1.192-3" */
	char *commit; /* git only */
	char *key; /* variants whose files are near each other share this */
	char *folder; /* builds/sources/KEY; set by source_make() */
	struct git_repo repo;
	char *tree; /* git's name of the files without patches; set by source_make() */
};

/*
 * Which source exactly? What a branch at an address or a suite stands for is recorded when it is
 * asked for the first time. @offline: do not ask, *@known tells whether that was possible.
 */
int source_resolve(struct source *s, const struct kernel *k, bool offline, bool *known,
		   struct error *err);
void source_release(struct source *s);

/* Forget what was recorded about the source of @k. */
int source_forget(const struct kernel *k, struct error *err);

/* Full name of @commit in the source's repository; NULL with @err set. The caller frees it. */
char *source_commit(const struct kernel *k, const char *commit, struct error *err);

/* The folder of the source, created when missing, to be locked by the caller. */
int source_open(struct source *s, struct error *err);

/* Fetch and unpack unless that was done before. The folder is locked. */
int source_make(struct source *s, const struct kernel *k, struct error *err);

/* Make the files those of @tree: only what differs is written. The folder is locked. */
int source_checkout(const struct source *s, const char *tree, struct error *err);

/* The kinds; what they do is as above. */
int source_git_resolve(struct source *s, const struct kernel *k, bool offline, bool *known,
		       struct error *err);
int source_git_make(struct source *s, const struct kernel *k, struct error *err);
int source_tarball_resolve(struct source *s, const struct kernel *k, struct error *err);
int source_tarball_make(struct source *s, const struct kernel *k, struct error *err);
int source_debian_resolve(struct source *s, const struct kernel *k, bool offline, bool *known,
			  struct error *err);
int source_debian_make(struct source *s, const struct kernel *k, struct error *err);
/* What the records of addresses and suites are kept under; NULL: the source needs none. */
char *source_git_record(const struct kernel *k);
char *source_debian_record(const struct kernel *k);

/* Unpack the tar archive @path and take its files as those of the source; sets @s->tree. */
int source_import(struct source *s, const char *path, const char *label, struct error *err);

#endif
