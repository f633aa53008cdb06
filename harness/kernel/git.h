/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_GIT_H
#define SCHEDBENCH_KERNEL_GIT_H

#include "util/error.h"
#include "util/strbuf.h"

/*
 * git on a repository of the cache: neither the configuration of the user nor that of the machine,
 * hooks or attributes play a part, and only transports that start no program of the address's
 * choice are allowed.
 */
struct git_repo {
	char *dir; /* bare repository */
	char *work; /* its files */
	char *index; /* of @work */
};

#define GIT_TIMEOUT (30 * 60 * 1000)

/* Create @repo->dir when missing. */
int git_init(const struct git_repo *repo, struct error *err);
void git_repo_release(struct git_repo *repo);

/*
 * Run git with @args (NULL-terminated), in @repo->work where that is there. Anything but exit
 * status 0 is an error that quotes the cause.
 * @out, @errout: what it printed is appended; NULL: not kept.
 */
int git_run(const struct git_repo *repo, const char *const *args, struct strbuf *out,
	    struct strbuf *errout, struct error *err);

/* The same with another index, for work beside that of the files. */
int git_run_index(const struct git_repo *repo, const char *index, const char *const *args,
		  struct strbuf *out, struct strbuf *errout, struct error *err);

/* git in the user's own clone @folder, or without one (NULL), with the user's configuration. */
int git_user(const char *folder, const char *const *args, struct strbuf *out, struct error *err);

/* Output without its last newline; the caller frees it, NULL with @err set. */
char *git_line(const struct git_repo *repo, const char *const *args, struct error *err);

#endif
