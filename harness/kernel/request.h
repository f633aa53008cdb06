/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_REQUEST_H
#define SCHEDBENCH_KERNEL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "kernel/kconfig.h"
#include "kernel/patch.h"
#include "kernel/source.h"
#include "kernel/toolchain.h"
#include "util/error.h"
#include "util/strlist.h"

/* Everything that goes into a build, known without building. */
struct request {
	const struct kernel *kernel;
	struct source source;
	struct strlist reverts; /* whole commit ids */
	struct patch_list patches;
	struct kconfig config;
	struct toolchain toolchain;
	struct error no_toolchain; /* set: there is no compiler, what the last build had is taken */
	json_t *inputs; /* [{kind, name, value}], what "why" compares */
	char *key; /* hash of @inputs */
};

/*
 * @offline: neither network nor fetch; *@known: 0 where that does not suffice, and then nothing
 * needs to be released.
 */
int request_init(struct request *r, const struct kernel *k, bool offline, bool *known,
		 struct error *err);
void request_release(struct request *r);

/* Name of the kernel file's records: its name and a hash of its path. The caller frees it. */
char *recipe_id(const struct kernel *k);

/* The record of the last build of the kernel file, NULL: there is none. */
json_t *recipe_record(const struct kernel *k);

/*
 * What is different between the inputs of two builds, one line each: "patch x.patch changed",
 * "CONFIG_NUMA was n and is y".
 */
void inputs_compare(const json_t *before, const json_t *now, struct strlist *out);

#endif
