/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_WORKLOAD_CHECK_H
#define SCHEDBENCH_RUN_WORKLOAD_CHECK_H

#include "run/plan.h"
#include "util/error.h"

/*
 * Ask the workload program @program, before anything boots, whether it knows the experiment's
 * workload, its parameters with every value of the sweep, and its metric. What it does not know is
 * ERROR_USAGE; what only the machine can tell (its CPUs, its memory) is not asked.
 */
int workload_check(const struct plan *plan, const char *program, struct error *err);

#endif
