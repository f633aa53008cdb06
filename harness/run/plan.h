/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_PLAN_H
#define SCHEDBENCH_RUN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "util/strlist.h"

/*
 * What a run does, in order, as a pure function of the experiment and the seed: a resumed run
 * computes the same plan again and leaves out what the store holds.
 */
struct plan_case {
	char *key; /* "groups=4", "groups=4,pipe=true"; "default" without a sweep: the store's key */
	struct strlist argv; /* the generator's command line */
	char *cpus; /* list of CPUs to run on, NULL: all */
};

struct plan_boot {
	unsigned variant;
	unsigned number; /* 1, 2 ... within the variant */
	unsigned left; /* repetitions not yet run: all of them, until execute_left() has looked */
};

struct plan_item {
	unsigned kase;
	unsigned repetition; /* from 0; the first experiment->warmup ones warm up */
	bool warmup;
};

struct plan {
	struct plan_case *cases;
	unsigned cases_count;
	struct plan_boot *boots; /* in the order they are run */
	unsigned boots_count;
	unsigned items_per_boot;
	const struct experiment *experiment;
	uint64_t seed;
};

/*
 * blocks: each block boots every variant once, in random order; within a boot the warm-up comes
 * first, then each repetition goes through all cases in random order, so that drift is spread over
 * variants and cases alike. sequential: variant by variant, case by case.
 */
void plan_init(struct plan *plan, const struct experiment *e, uint64_t seed);
/* Whether any case runs on some of the CPUs only. */
bool plan_is_pinned(const struct plan *plan);
void plan_release(struct plan *plan);

/* The items of one boot in their order; the caller frees. */
struct plan_item *plan_items(const struct plan *plan, const struct plan_boot *boot);

/* Index of the case with this key, -1 for none. */
int plan_find_case(const struct plan *plan, const char *key);

#endif
