/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_AGENT_REAP_H
#define SCHEDBENCH_AGENT_AGENT_REAP_H

#include <sys/resource.h>
#include <sys/types.h>

#include "util/error.h"

/* Collect children that have ended, without waiting. */
void reap_ended(void);

/*
 * SIGKILL to all descendants of this process, which must be their reaper and block SIGCHLD, and
 * collect them. What @pid ended with goes to *@status and *@usage if it is among them. Fails if
 * they do not die.
 */
int reap_all(pid_t pid, int *status, struct rusage *usage, struct error *err);

/* SIGKILL to every descendant of @root that can be found. */
void kill_descendants(pid_t root);

#endif
