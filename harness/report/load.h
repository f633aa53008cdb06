/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_LOAD_H
#define SCHEDBENCH_REPORT_LOAD_H

#include <stdbool.h>

#include "report/result.h"
#include "store/store.h"
#include "util/error.h"

struct load_options {
	const char *metric; /* NULL: the experiment's, else the first one stored */
	const char *statistic; /* NULL: the experiment's, else by the direction of the metric */
	bool force; /* compare runs whose generators differ, and say so */
};

/*
 * The result of one run, or of several runs of one experiment as if they were one: the variants
 * of the second and later ones are added as further columns, named NAME@RUN. Runs of different
 * workloads, cases, parameters or machines are refused.
 */
int result_load(struct result **out, struct store *s, const char *const *runs, unsigned count,
		const struct load_options *opt, struct error *err);

#endif
