/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_CALIBRATE_H
#define SCHEDBENCH_RUN_CALIBRATE_H

#include "config/config.h"
#include "util/error.h"

/*
 * A hog's work is a fixed number of steps only with the rate of a CPU, which is to be the same for
 * all variants: 1: @e lacks it, *@set is "workload.params.rate=N" as measured on this host, to be
 * loaded with the experiment and so kept with the run (the caller frees it); 0: nothing is missing.
 * ERROR_USAGE where it is missing and the machine is another one than this host.
 */
int calibrate_workload(const struct experiment *e, char **set, struct error *err);

#endif
