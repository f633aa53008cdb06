/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_WORKLOAD_CHECK_H
#define SCHEDBENCH_RUN_WORKLOAD_CHECK_H

#include "run/plan.h"
#include "util/error.h"
#include "util/strlist.h"

/*
 * Ask the workload program @program, before anything boots, whether it knows the experiment's
 * workload, its parameters with every value of the sweep, and its metric. What it does not know is
 * ERROR_USAGE; what only the machine can tell (its CPUs, its memory) is not asked.
 * With `backend: peer` the original has to be installed here: @originals gets the paths of the
 * programs and files that the cases need.
 */
int workload_check(const struct plan *plan, const char *program, struct strlist *originals,
		   struct error *err);

#endif
