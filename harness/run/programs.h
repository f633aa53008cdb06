/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_PROGRAMS_H
#define SCHEDBENCH_RUN_PROGRAMS_H

#include "util/error.h"

/*
 * Path of one of our own programs ("schedbench-agent"): beside the running one, else where `make
 * install` puts it. The caller frees it; NULL with @err naming the places.
 */
char *program_path(const char *name, struct error *err);

#endif
