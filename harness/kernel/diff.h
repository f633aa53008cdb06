/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_DIFF_H
#define SCHEDBENCH_KERNEL_DIFF_H

#include <stddef.h>

#include "util/error.h"
#include "util/strbuf.h"

/*
 * Does the unified diff @text, named @name in messages, stay within the tree that it is applied to?
 * Paths that are absolute, lead upwards or into a .git folder are an ERROR_USAGE; so is a text
 * without a diff.
 */
int diff_check(const char *name, const char *text, size_t len, struct error *err);

/*
 * Why the hunk of @path that starts at old line @line does not apply to the file @content: append
 * "expects 'A' where line 12 is 'B' (5 of 7 lines are there)", seen from the place where most of
 * its lines are. Returns -1 where the hunk is not in the diff.
 */
int diff_explain(const char *text, size_t len, const char *path, unsigned line, const char *content,
		 struct strbuf *out);

#endif
