/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <stddef.h>

#include "error.h"
#include "option.h"
#include "outcome.h"
#include "place.h"

/* What a run is given besides its parameters, and where it leaves its result. */
struct run {
	const struct place *place;
	struct outcome *out;
};

/*
 * A generator is one file in this folder that registers itself:
 *
 *	WORKLOAD(hackbench) = {.name = "hackbench", .summary = "...", ...};
 *
 * @run executes in a process of its own whose output is /dev/null: the result is what it leaves in
 * run->out, and there is none when it returns -1 with @err set. Processes that it leaves behind are
 * killed.
 */
struct workload {
	const char *name;
	const char *summary; /* one line */
	const char *description; /* for --help: what it does, what is inside the measured time */
	const struct metric *metrics; /* the first is the main one; ends with a row without name */
	const struct option_spec *options;
	size_t params_size; /* of the structure that @options fills */
	int (*run)(const void *params, struct run *run, struct error *err);
	/* What `schedbench-workload NAME --again ARGS` does, for who executes itself; or NULL. */
	int (*again)(int argc, char *const *argv);
};

#define WORKLOAD(id)                                                                               \
	static const struct workload workload_##id;                                                \
	static const struct workload *const workload_ptr_##id                                      \
		__attribute__((used, section("workload_table"))) = &workload_##id;                 \
	static const struct workload workload_##id

/* By name; NULL with @err listing those there are. */
const struct workload *workload_find(const char *name, struct error *err);

/* In the order of their names: index 0, 1, ... until NULL. */
const struct workload *workload_at(size_t index);

#endif
