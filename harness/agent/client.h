/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_CLIENT_H
#define SCHEDBENCH_AGENT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "util/error.h"
#include "util/strbuf.h"

/*
 * The harness's end of the agent protocol (docs/protocol.md). Every call sends one request and
 * waits for its reply without any periodic wake-up. After AGENT_LOST or AGENT_TIMEOUT the stream is
 * unusable and the boot has ended: ask target_diagnose().
 */
enum agent_status {
	AGENT_OK = 0,
	AGENT_REFUSED = -1, /* the agent answered with an error; the boot goes on */
	AGENT_LOST = -2, /* stream closed, malformed, or the machine ended */
	AGENT_TIMEOUT = -3, /* no reply in time */
	AGENT_INTERRUPTED = -4, /* the interrupt descriptor became readable */
};

struct agent_client; /* opaque */

/*
 * @fd, a stream socket, stays the caller's. @end_fd (readable: the machine has ended),
 * @interrupt_fd (readable: give up): -1 for none.
 */
struct agent_client *agent_client_new(int fd, int end_fd, int interrupt_fd);
void agent_client_free(struct agent_client *c);

struct agent_hello {
	int protocol;
	unsigned cpus;
	char *release, *cmdline, *arch;
	char *version; /* /proc/version: tells two builds of one release apart */
	char *features; /* sched features as the kernel prints them; NULL: not readable */
	char *hwloc_xml; /* NULL: hwloc failed there */
};
enum agent_status agent_hello(struct agent_client *c, int timeout_ms, struct agent_hello *out,
			      struct error *err);
void agent_hello_release(struct agent_hello *h);

/* Set switches; each is read back and compared. An unknown one is AGENT_REFUSED. */
enum agent_status agent_set(struct agent_client *c, int timeout_ms,
			    const struct key_value *features, unsigned features_count,
			    const struct key_value *sysctl, unsigned sysctl_count,
			    struct error *err);

struct agent_run_request {
	const char *const *argv; /* argv[0] "schedbench-workload" is the one the target carries */
	const char *const *env; /* NULL or NULL-terminated "NAME=value" */
	const char *cpus; /* list of CPUs, NULL: all */
	const char *mem; /* bind:NODES, interleave:NODES, preferred:NODE, local; NULL: default */
	const char *terminal; /* run on this one instead of pipes; NULL: pipes, no input */
	unsigned timeout_ms; /* of the program; the agent kills it and all that it has started */
	unsigned grace_ms; /* to wait longer than that for the reply; 0: 10 s or more */
	const char *const *snapshots; /* NULL-terminated files read before and after; NULL: none */
	/* Called for each line as it arrives, without its newline; UTF-8 always, may hold NUL
	 * bytes. A line over 64 KiB comes in pieces. NULL: not wanted. */
	void (*on_line)(void *arg, bool is_stderr, const char *line, size_t len);
	void *arg;
};

struct agent_run_reply {
	bool timed_out;
	int exit_status; /* -1 when ended by a signal */
	int signal; /* 0: none */
	double wall_s, user_s, system_s;
	long max_rss_kb, voluntary_switches, involuntary_switches;
	json_t *before, *after; /* {path: text or null}, of the snapshots */
};
enum agent_status agent_run(struct agent_client *c, const struct agent_run_request *req,
			    struct agent_run_reply *out, struct error *err);
void agent_run_reply_release(struct agent_run_reply *r);

/* {path: text or null}; the caller decrefs. */
enum agent_status agent_snapshot(struct agent_client *c, int timeout_ms, const char *const *files,
				 json_t **out, struct error *err);

/* Restore what was set, then power off (guest) or exit (host). */
enum agent_status agent_bye(struct agent_client *c, int timeout_ms, struct error *err);

#endif
