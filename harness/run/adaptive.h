/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_ADAPTIVE_H
#define SCHEDBENCH_RUN_ADAPTIVE_H

#include <stdbool.h>

#include "run/plan.h"
#include "store/store.h"
#include "util/error.h"
#include "util/strbuf.h"

/*
 * precision: and max_boots: of an experiment. The plan holds max_boots blocks; the first boots: of
 * them are always run, and before each further one this decides from what is in the store. A
 * resumed run comes to the same decision.
 *
 * @blocks: how many have been run. *@more: run another one. @why gets one line: which interval is
 * too wide, or why it is enough. The rule is stats_stop(), for every case and every variant against
 * the baseline, on the means of the boots; the metric is the experiment's, else the first one
 * stored.
 */
int adaptive_decide(struct store *store, const char *run_id, const struct plan *plan,
		    unsigned blocks, bool *more, struct strbuf *why, struct error *err);

#endif
