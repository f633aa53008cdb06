/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_PROGRAMS_H
#define SCHEDBENCH_RUN_PROGRAMS_H

#include "config/config.h"
#include "util/error.h"

/*
 * Path of one of our own programs ("schedbench-agent"): beside the running one, else where `make
 * install` puts it. The caller frees it; NULL with @err naming the places.
 */
char *program_path(const char *name, struct error *err);

/*
 * The same of a program that runs on @m: those for arm64 are in the folder "arm64" beside ours
 * (`make arm64`).
 */
char *guest_program_path(const struct machine *m, const char *name, struct error *err);

#endif
