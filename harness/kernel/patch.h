/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_PATCH_H
#define SCHEDBENCH_KERNEL_PATCH_H

#include <stdbool.h>

#include "config/config.h"
#include "kernel/source.h"
#include "util/error.h"
#include "util/strbuf.h"
#include "util/strlist.h"

struct patch {
	char *name; /* as messages call it */
	char *text; /* the diff, checked to stay within the tree */
	size_t len;
	char *note; /* such as siblings that are missing; "" */
};

struct patch_list {
	struct patch *items;
	unsigned count, cap;
};

/* Read the patches of @k, mails among them. @offline: do not fetch a mail. */
int patches_load(struct patch_list *out, const struct kernel *k, bool offline, struct error *err);
void patches_release(struct patch_list *list);

/*
 * Undo the commits @reverts, then apply @patches to the files of @s->tree as `git apply --3way`
 * would, without touching any file: *@tree names the outcome in the source's repository (the caller
 * frees it). What git says in full is appended to @log. A patch that fails is an ERROR_USAGE with
 * file, line, what was expected there and what was found.
 */
int patches_apply(const struct source *s, const struct strlist *reverts,
		  const struct patch_list *patches, char **tree, struct strbuf *log,
		  struct error *err);

#endif
