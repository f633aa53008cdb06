/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_PEER_PROCESS_H
#define WORKLOADS_PEER_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "peer.h"
#include "peer_guard.h"

/* A program under way and what it prints. */
struct peer_process {
	unsigned slot; /* of the guard */
	pid_t pid; /* 0: not started, or reaped */
	int out, err; /* memory files, -1: none */
	int status; /* of wait4(), once reaped */
	uint64_t end_ns;
};

/*
 * Fork a process that executes @command once @gate (the read end of a pipe, -1: none) is closed at
 * its other end, with @environment and the C locale.
 */
int peer_process_start(struct peer_process *p, const struct peer_command *command,
		       const char *const *environment, struct peer_guard *guard, unsigned slot,
		       const int gate[2], struct error *err);

/* What it printed so far, NUL-terminated, to be freed; NULL with @err set. */
char *peer_process_text(int fd, struct error *err);

/* The reason, from its status and its last words; returns -1. */
int peer_process_failed(const struct peer_process *p, const char *name, struct error *err);

void peer_process_close(struct peer_process *p);

#endif
