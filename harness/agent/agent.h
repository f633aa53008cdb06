/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_AGENT_H
#define SCHEDBENCH_AGENT_AGENT_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "agent/agent_switch.h"
#include "agent/protocol.h"
#include "util/error.h"
#include "util/strbuf.h"

/* Inside of the program schedbench-agent: see docs/protocol.md for what it does. */

enum agent_end {
	END_NONE,
	END_BYE,
	END_CLOSED, /* the other end is gone */
	END_SIGNAL,
	END_PROTOCOL, /* what came is not the protocol */
};

struct agent {
	int fd; /* stream to the harness, non-blocking */
	int signal_fd; /* SIGTERM, SIGINT, SIGHUP */
	bool guest; /* PID 1 of a machine of our own */
	const char *workload; /* program that "schedbench-workload" stands for; NULL: by PATH */
	struct switches *switches;
	json_t *recovered; /* switches of a dead predecessor that were put back; array of strings */
	struct line_buffer in;
	struct strbuf out;
	size_t out_sent;
	enum agent_end end; /* set: stop as soon as possible */
};

/* agent_channel.c */

/* Queue one message; takes the reference. Too long a one becomes an error reply to the same id. */
void agent_send(struct agent *a, json_t *msg);
void agent_reply_error(struct agent *a, json_int_t id, const char *msg);
size_t agent_unsent(const struct agent *a);

/*
 * The only place where the agent sleeps: until one of @extra, the stream or a signal has something.
 * Moves bytes of the stream both ways and sets a->end. @timeout_ms as poll().
 */
void agent_wait(struct agent *a, struct pollfd *extra, size_t n, int timeout_ms);

/* Wait until everything queued has been sent or a->end is set. */
void agent_flush(struct agent *a);

/* agent_hello.c: the reply without its id. */
json_t *agent_describe(const struct agent *a);

/* agent_snapshot.c */

/* {path: text or null}, files being absolute paths; NULL: @err. */
json_t *agent_snapshot_take(const json_t *files, struct error *err);

/* Queue the events that carry it; @when: "before", "after", NULL. */
void agent_snapshot_send(struct agent *a, json_int_t id, const char *when, const json_t *snapshot);

/* agent_run.c: the request and its reply. */
void agent_run_program(struct agent *a, json_int_t id, json_t *request);

/* agent_launch.c */

struct launch {
	char **argv;
	char **env; /* NULL-terminated additions; NULL: none */
	const char *program; /* to execute instead of argv[0]; NULL: argv[0] by PATH */
	const char *cpus; /* list; NULL: as the agent */
	const char *memory; /* policy; NULL: as the agent */
	const char *terminal; /* device that becomes its controlling terminal; NULL: none */
};

/*
 * Start it in a session of its own, stdin at /dev/null, stdout and stderr at non-blocking pipes
 * @out and @errout. What prevents it from being executed as asked is an error here.
 */
int launch_program(const struct launch *l, pid_t *pid, int *pidfd, int *out, int *errout,
		   struct error *err);

/* agent_init.c */

/* Set a machine up as its PID 1; the descriptor of the stream, or -1 with @err. */
int init_machine(struct error *err);

/* Does not return. */
void init_power_off(void) __attribute__((noreturn));

#endif
