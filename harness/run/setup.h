/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_SETUP_H
#define SCHEDBENCH_RUN_SETUP_H

#include "config/config.h"
#include "kernel/kernel.h"
#include "run/plan.h"
#include "store/store.h"
#include "util/error.h"
#include "util/strlist.h"

/* Everything a run needs, loaded and checked before anything is booted. */
struct setup {
	struct experiment *experiment;
	struct machine *machine;
	struct kernel **kernels; /* by variant */
	struct kernel_image *images; /* by variant */
	char *agent_path, *workload_path;
	struct strlist originals; /* backend: peer: programs and files that a case needs */
	char workload_sha256[65]; /* with those */
	struct plan plan;
	bool schedstat; /* monitors: [schedstat] */
	int interrupt_fd; /* -1 before setup_kernels() */
};

/*
 * Load machine and kernels of @e (which @s owns from now on) and draw the plan; @seed 0: the
 * experiment's own, or a random one. setup_kernels() then downloads what is
 * missing; an interruption ends the program there as usual, and is watched for from then on.
 */
int setup_init(struct setup *s, struct experiment *e, uint64_t seed, struct error *err);
int setup_kernels(struct setup *s, struct error *err);
void setup_release(struct setup *s);

/* Hash of the program schedbench-workload and the originals, as they are now. */
int setup_workload_hash(const struct setup *s, char hex[65], struct error *err);

/* One line about the machine: "demo-2s8: 2 packages x 2 cores x 2 threads ...". Caller frees. */
char *setup_machine_line(const struct setup *s);

/* Create the run in the store; the caller frees *@id. */
int setup_create_run(const struct setup *s, struct store *store, char **id, struct error *err);

/* A run can go on only with the same generators and kernels that it began with. */
int setup_check_resume(const struct setup *s, struct store *store, const struct store_run *run,
		       struct error *err);

#endif
