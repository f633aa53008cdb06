/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_BUILD_H
#define SCHEDBENCH_KERNEL_BUILD_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "util/error.h"
#include "util/strlist.h"

/* A kernel that was built: a folder of the cache. */
struct built {
	char *folder; /* with the image, "config", "System.map", "build.log", "info.json" */
	char *image; /* path of the bzImage or Image */
	char *modules; /* folder with modules.dep; NULL: it has none */
	char *release; /* uname -r */
	char *identity; /* hash of everything that went in */
	json_t *info; /* info.json: name, arch, source, toolchain, compiled, seconds ... */
	bool fresh; /* made by this call, not looked up */
};

/*
 * The kernel of @k: looked up, or built. A build says its progress on stderr, locks its source,
 * and continues what an interrupted one has left. Errors: ERROR_USAGE for what the kernel file
 * asks in vain (patch, option), ERROR_FAILED for what does not work here.
 */
int build_kernel(struct built *out, const struct kernel *k, struct error *err);
void built_release(struct built *b);

/* 1: there, 0: not yet, -1: the kernel file's inputs cannot be read. Nothing is fetched. */
int build_lookup(struct built *out, const struct kernel *k, struct error *err);

/*
 * Why the kernel of @k would be built: one line for each input that is different from its last
 * build's. Empty: it would not.
 */
int build_why(const struct kernel *k, struct strlist *out, struct error *err);

/* Path of the log of the last build; NULL: there is none. The caller frees it. */
char *build_log(const struct kernel *k);

/*
 * Remove the image and the records of @k; with @source also the files and objects that it is built
 * from, which other kernels may share. *@bytes: how much that was.
 */
int build_remove(const struct kernel *k, bool source, unsigned long long *bytes, struct error *err);

#endif
