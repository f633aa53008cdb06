/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_LOAD_COUNTERS_H
#define SCHEDBENCH_REPORT_LOAD_COUNTERS_H

#include "report/result.h"
#include "store/store.h"

/*
 * Add the counters of a run, and the rates that follow from them, to @r: the mean over the
 * repetitions of each case, summed over the cases (one pass of the sweep), over all boots and for
 * each boot that has all cases. @column: which column a variant of that run is, -1: none.
 */
int load_counters(struct result *r, struct store *store, const char *run_id,
		  int (*column)(void *ctx, const char *variant), void *ctx, struct error *err);

/* The rates of the sums over all boots; to be called once, after the counters of all runs. */
void load_counter_rates(struct result *r);

#endif
