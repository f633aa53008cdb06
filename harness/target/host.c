// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine this runs on: an agent of its own at the other end of a socket pair. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent_switch.h"
#include "target/target_ops.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define STOP_MS	      2000 /* for an agent whose stream was closed: it kills and puts back */
#define CONSOLE_MAX   (1024 * 1024)
#define CONSOLE_LINES 3
#define KILL_MS	      5000
#define KILL_ROUNDS   10
#define ENVIRON_MAX   (4 * 1024 * 1024)
#define MARK_SIZE     64

struct host_target {
	struct target base;
	struct subprocess agent;
	/* In the environment of the agent and of all that it starts, so that they can be found even
	 * when it is gone. Its length never changes: it moves the stack of the programs. */
	char mark[MARK_SIZE];
	bool ended;
	int status; /* of waitpid(), once ended */
	char *console; /* file that received the agent's stderr; NULL: ours */
};

/* What an agent that was killed could not do itself. Failing to is told, not fatal. */
static void put_back(void)
{
	json_t *restored = json_array();
	struct error err = ERROR_INIT;
	const json_t *item;
	size_t i;

	if (switches_recover(switches_folder(), restored, &err))
		fprintf(stderr, "schedbench: %s\n", err.msg);
	json_array_foreach (restored, i, item)
		fprintf(stderr, "schedbench: put back what a killed agent had left: %s\n",
			json_string_value(item));
	json_decref(restored);
}

/* A file for the agent's messages, or our own stderr where none is wanted. */
static int open_console(const struct target_spec *spec, struct error *err)
{
	int fd;

	if (!spec->console_log)
		return SUBPROCESS_INHERIT;
	fd = open(spec->console_log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return error_sys(err, errno, "cannot create '%s'", spec->console_log);
	return fd;
}

static int start_agent(struct host_target *h, const struct target_spec *spec, int far,
		       struct error *err)
{
	struct subprocess_spec agent = SUBPROCESS_SPEC_INIT;
	char number[16];
	const char *env[] = {h->mark, NULL};
	const char *argv[] = {spec->agent_path,	   "--host", "--fd", number, "--workload",
			      spec->workload_path, NULL};
	int console, ret;

	console = open_console(spec, err);
	if (console == -1)
		return -1;
	if (!spec->workload_path)
		argv[4] = NULL;
	snprintf(number, sizeof(number), "%d", far);
	agent.argv = argv;
	agent.env = env;
	agent.out = SUBPROCESS_NULL;
	agent.err = console;
	agent.keep_fd = far;
	/* Ctrl-C is for us alone; the agent ends when the stream does, and puts everything back. */
	agent.own_group = true;
	ret = subprocess_start(&h->agent, &agent, err);
	if (console >= 0)
		close(console);
	return ret;
}

static void make_mark(struct host_target *h)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	snprintf(h->mark, sizeof(h->mark), "SCHEDBENCH_AGENT=%010ld-%012lld%09ld", (long)getpid(),
		 (long long)ts.tv_sec, ts.tv_nsec);
}

static int host_boot(struct target **out, const struct target_spec *spec, struct error *err)
{
	struct host_target *h;
	int pair[2], ret;

	if (spec->kernel && spec->kernel->image)
		return error_set(err, ERROR_USAGE,
				 "this host can only run its own kernel, not '%s' (use a machine "
				 "of type qemu, or kernel: running)",
				 spec->kernel->image);
	put_back();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return error_sys(err, errno, "cannot create a socket pair");
	h = xcalloc(1, sizeof(*h));
	make_mark(h);
	ret = start_agent(h, spec, pair[1], err);
	close(pair[1]);
	if (ret) {
		close(pair[0]);
		free(h);
		return -1;
	}
	h->console = spec->console_log ? xstrdup(spec->console_log) : NULL;
	h->base = (struct target){
		.fd = pair[0], .end_fd = h->agent.pidfd, .accel = "host", .note = "this host"};
	*out = &h->base;
	return 0;
}

static void close_stream(struct host_target *h)
{
	if (h->base.fd >= 0)
		close(h->base.fd);
	h->base.fd = -1;
}

static bool wait_end(struct host_target *h, int timeout_ms)
{
	struct error err = ERROR_INIT;

	if (!h->ended)
		h->ended = subprocess_wait(&h->agent, timeout_ms, &h->status, &err) == 1;
	return h->ended;
}

static bool has_mark(const char *pid, const char *mark)
{
	char *path = xasprintf("/proc/%s/environ", pid);
	struct strbuf env = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	bool found;

	file_read(path, ENVIRON_MAX, &env, &ignored);
	found = memmem(env.buf, env.len, mark, strlen(mark)) != NULL;
	strbuf_release(&env);
	free(path);
	return found;
}

/* How many there were. */
static unsigned kill_marked(const char *mark)
{
	DIR *dir = opendir("/proc");
	unsigned killed = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]) && has_mark(e->d_name, mark))
			killed += kill(atoi(e->d_name), SIGKILL) == 0;
	if (dir)
		closedir(dir);
	return killed;
}

/* After an agent that could not do so itself: what it ran must not disturb the next boot. */
static void kill_left_over(const struct host_target *h)
{
	for (int i = 0; i < KILL_ROUNDS && kill_marked(h->mark); i++)
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static bool ended_by_signal(const struct host_target *h)
{
	return h->ended && WIFSIGNALED(h->status);
}

/* End it the gentle way first: only the agent itself knows all that it has to do. */
static void stop(struct host_target *h, int timeout_ms)
{
	if (!wait_end(h, 0)) {
		close_stream(h);
		if (!wait_end(h, timeout_ms))
			kill(h->agent.pid, SIGKILL);
		wait_end(h, KILL_MS);
	}
	if (ended_by_signal(h)) {
		kill_left_over(h);
		put_back();
	}
}

/* The last lines of the agent's messages, each after "\n". */
static void add_console(const struct host_target *h, struct strbuf *why)
{
	struct strbuf text = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	const char *from;
	int lines = 0;

	if (h->console && !file_read(h->console, CONSOLE_MAX, &text, &ignored)) {
		while (text.len && text.buf[text.len - 1] == '\n')
			text.buf[--text.len] = '\0';
		for (from = text.buf + text.len; from > text.buf; from--)
			if (from[-1] == '\n' && ++lines == CONSOLE_LINES)
				break;
		if (*from)
			strbuf_addf(why, "\n%s", from);
	}
	strbuf_release(&text);
}

static enum target_end host_diagnose(struct target *t, bool timed_out, struct strbuf *why)
{
	struct host_target *h = (struct host_target *)t;
	enum target_end end = timed_out ? TARGET_HANG : TARGET_EARLY_EXIT;
	/* A stream that closed is seen a moment before the end of the process. */
	bool by_itself = wait_end(h, timed_out ? 0 : 100);

	stop(h, STOP_MS);
	if (by_itself && WIFEXITED(h->status) && !WEXITSTATUS(h->status))
		end = TARGET_OFF;
	else if (by_itself)
		end = TARGET_EARLY_EXIT;
	if (by_itself) {
		strbuf_addstr(why, "the agent on this host ended with ");
		subprocess_describe(h->status, why);
	} else {
		strbuf_addstr(why, timed_out ? "no answer from the agent on this host in time"
					     : "the stream to the agent on this host failed");
	}
	add_console(h, why);
	return end;
}

static void host_shutdown(struct target *t, int timeout_ms)
{
	struct host_target *h = (struct host_target *)t;

	/* Closing the stream ends the agent even if it was not told bye. */
	close_stream(h);
	stop(h, timeout_ms);
	close_stream(h);
	subprocess_release(&h->agent);
	free(h->console);
	free(h);
}

TARGET_OPS(host) = {
	.name = "host",
	.type = MACHINE_HOST,
	.boot = host_boot,
	.diagnose = host_diagnose,
	.shutdown = host_shutdown,
};
