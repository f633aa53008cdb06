/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_INTERRUPT_H
#define SCHEDBENCH_UTIL_INTERRUPT_H

#include <stdbool.h>

#include "util/error.h"

/*
 * SIGINT, SIGTERM and SIGHUP become a descriptor that is readable from the first of them on: it is
 * never read, so that everything that polls it learns of the interruption. A SIGHUP that the caller
 * of the program has ignored, as nohup does, stays ignored. Writing to a closed pipe
 * is an error of the write, not a signal. Returns the descriptor or -1.
 */
int interrupt_open(struct error *err);

/* Has one of the signals arrived? */
bool interrupt_pending(int fd);

#endif
