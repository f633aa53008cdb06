/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_PEER_GUARD_H
#define WORKLOADS_PEER_GUARD_H

#include <sys/types.h>

#include "error.h"

/*
 * The originals start processes of their own that outlive them: 1014 of them were left by one
 * hackbench that ran out of descriptors. So each program gets a process group, and a guard, a
 * process in a group of its own, kills all these groups once the process that started it is gone,
 * whatever ended it.
 */
struct peer_guard;

/* Start the guard of the calling process; @max groups at most. NULL with @err set. */
struct peer_guard *peer_guard_start(unsigned max, struct error *err);

/* Of a child, before it executes a program: become the leader of group number @slot. */
int peer_guard_enter(struct peer_guard *guard, unsigned slot, pid_t parent);

/* Of who started it: kill group number @slot, if there is one. */
void peer_guard_kill(struct peer_guard *guard, unsigned slot, int signal);

#endif
