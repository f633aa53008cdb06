/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_SESSION_H
#define SCHEDBENCH_RUN_SESSION_H

#include <stdbool.h>

#include "agent/client.h"
#include "config/config.h"
#include "kernel/kernel.h"
#include "target/target.h"

/*
 * One boot of one variant with a working agent and all switches set: from target_boot() to
 * target_shutdown(). What happens in between is the caller's.
 */
struct session_spec {
	const struct machine *machine;
	const struct kernel *kernel; /* command line and switches of the recipe */
	const struct kernel_image *image;
	const struct variant *variant; /* more switches; NULL: none */
	const char *console_log; /* NULL: a temporary one */
	const char *agent_path, *workload_path;
	const char *const *extra_files; /* NULL: none */
	bool terminal; /* give the caller's terminal to the guest */
	int interrupt_fd;
	bool schedstat; /* switch the scheduler's statistics on */
};

struct session {
	struct target *target;
	struct agent_client *agent;
	struct agent_hello hello;
	double boot_s; /* start of the machine to hello */
	bool schedstat; /* the statistics are on */
};

/* How a session failed: a state for the store and whether another attempt can help. */
struct session_failure {
	const char *state; /* panic, hang, early-exit, qemu-died, refused, interrupted */
	bool retry;
	unsigned warnings; /* of the console */
};

/*
 * On failure @err holds the reason (with the last console lines where the machine ended) and
 * nothing is left running. Statistics that the kernel lacks are no failure: @s->schedstat tells.
 */
int session_open(struct session *s, const struct session_spec *spec,
		 struct session_failure *failure, struct error *err);

/*
 * After a call to the agent failed with @status and @err: find out why, put the reason into @err
 * and what it means into @failure, and end the machine.
 */
void session_fail(struct session *s, enum agent_status status, struct session_failure *failure,
		  struct error *err);

/* Restore the switches and end the machine; returns the console's warnings. */
unsigned session_close(struct session *s);

#endif
