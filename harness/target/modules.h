/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_MODULES_H
#define SCHEDBENCH_TARGET_MODULES_H

#include "util/error.h"
#include "util/strlist.h"

/*
 * Which module files a kernel needs for @names (NULL-terminated), as modules.dep and
 * modules.builtin in @dir (/lib/modules/RELEASE) tell; the formats are those of modules.dep(5).
 * @out gets the files relative to @dir, each after the ones it needs. Modules that are built in
 * add nothing; @dir NULL (a kernel without modules) adds nothing at all. A module that is neither
 * there nor built in is an error that names it. In names '-' and '_' are the same.
 */
int modules_resolve(struct strlist *out, const char *dir, const char *const *names,
		    struct error *err);

#endif
