/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_REPETITION_H
#define SCHEDBENCH_RUN_REPETITION_H

#include "run/plan.h"
#include "run/session.h"
#include "store/store.h"
#include "util/error.h"

struct repetition_spec {
	const struct experiment *experiment;
	const struct plan_case *kase;
	const struct plan_item *item;
	int64_t boot; /* row in the store */
	const char *folder; /* of this boot's artifacts, relative to the store's folder */
};

struct repetition_result {
	bool ok;
	double value; /* of the first metric, for progress */
	char unit[32];
	char reason[512]; /* where not ok */
};

/*
 * Run one repetition of one case and store it: its samples, or that it failed and why. AGENT_OK
 * where it is stored, whatever came of it; otherwise nothing is stored and the boot has ended.
 * *@store_failed tells a failure of the store from one of the machine.
 */
enum agent_status repetition_run(struct session *s, struct store *store,
				 const struct repetition_spec *spec,
				 struct repetition_result *result, bool *store_failed,
				 struct error *err);

/*
 * Hash @file (below the store's folder) into @a; 0: @a is filled and its path is @file. Missing
 * files are an error.
 */
int artifact_describe(struct store *store, const char *kind, const char *file,
		      struct store_artifact *a, struct error *err);

#endif
