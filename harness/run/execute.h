/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_EXECUTE_H
#define SCHEDBENCH_RUN_EXECUTE_H

#include <stdbool.h>

#include "run/setup.h"
#include "store/store.h"
#include "util/error.h"

struct execute_result {
	unsigned failed_boots; /* given up after all retries */
	unsigned failed_samples; /* failed or cut off, those of earlier processes included */
};

/*
 * Run what is planned and not yet in the store. 0: the plan is complete, with failures counted in
 * @result; -1: it could not go on (ERROR_INTERRUPTED, the store failed, nothing can be booted). The
 * run's state in the store is set either way.
 */
int execute_run(struct setup *setup, struct store *store, const char *run_id, bool quiet,
		struct execute_result *result, struct error *err);

/* Read from the store how much is left of each boot of the plan, to tell it before going on. */
int execute_left(struct setup *setup, struct store *store, const char *run_id, struct error *err);

#endif
