// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_reap.h"
#include "util/xalloc.h"

#define READ_SIZE  65536
#define LINE_PIECE 65536 /* longer lines of the program are sent in pieces */
#define UNSENT_MAX (1024 * 1024) /* above, the program waits for the harness to read */

struct stream {
	int fd; /* -1: at its end */
	const char *name;
	struct strbuf partial; /* what has come of a line that is not complete */
};

struct run {
	struct agent *agent;
	json_int_t id;
	struct stream streams[2];
	pid_t pid;
	int pidfd;
	bool timed_out;
	int status;
	struct rusage usage;
	long long start_ns, end_ns;
	json_t *before, *after;
};

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void send_lines(struct run *r, const struct stream *s, json_t *lines)
{
	if (json_array_size(lines))
		agent_send(r->agent,
			   json_pack("{sI ss so}", "id", r->id, "event", s->name, "lines", lines));
	else
		json_decref(lines);
}

/* Send the complete lines of what has come; at the end of the stream, all of it. */
static void send_output(struct run *r, struct stream *s, bool at_end)
{
	json_t *lines = json_array();
	size_t done = 0;

	while (done < s->partial.len) {
		const char *from = s->partial.buf + done;
		size_t left = s->partial.len - done;
		const char *nl = memchr(from, '\n', left);
		size_t line = nl ? (size_t)(nl - from) : left;
		size_t piece = protocol_cut(from, line, LINE_PIECE);

		if (!nl && piece == line && !at_end)
			break;
		json_array_append_new(lines, protocol_string(from, piece));
		done += piece + (nl && piece == line);
	}
	strbuf_consume(&s->partial, done);
	send_lines(r, s, lines);
}

/* One read; false if there was nothing to read now. */
static bool read_stream(struct run *r, struct stream *s)
{
	ssize_t n;

	strbuf_reserve(&s->partial, READ_SIZE);
	n = read(s->fd, s->partial.buf + s->partial.len, READ_SIZE);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0) {
		s->partial.len += n;
		s->partial.buf[s->partial.len] = '\0';
	} else {
		close(s->fd);
		s->fd = -1;
	}
	send_output(r, s, n <= 0);
	return n > 0;
}

/* Until the program has ended, its time is over or the agent shall end: no wake-up without cause. */
static void watch(struct run *r, long long deadline_ns)
{
	struct agent *a = r->agent;

	while (a->end == END_NONE) {
		bool room = agent_unsent(a) <= UNSENT_MAX;
		long long left = deadline_ns - now_ns();
		struct pollfd p[3] = {
			{.fd = r->pidfd, .events = POLLIN},
			{.fd = room ? r->streams[0].fd : -1, .events = POLLIN},
			{.fd = room ? r->streams[1].fd : -1, .events = POLLIN},
		};

		if (left <= 0) {
			r->timed_out = true;
			break;
		}
		agent_wait(a, p, 3, (left + 999999) / 1000000);
		r->end_ns = now_ns();
		for (int i = 0; i < 2; i++)
			if (p[1 + i].revents)
				read_stream(r, &r->streams[i]);
		if (p[0].revents)
			break;
	}
}

/* What the dead have left in the pipes; whoever else may hold the far ends is not waited for. */
static void drain(struct run *r)
{
	for (int i = 0; i < 2; i++) {
		struct stream *s = &r->streams[i];

		while (s->fd >= 0 && r->agent->end == END_NONE && read_stream(r, s))
			if (agent_unsent(r->agent) > UNSENT_MAX)
				agent_flush(r->agent);
		send_output(r, s, true);
		if (s->fd >= 0)
			close(s->fd);
		s->fd = -1;
		strbuf_release(&s->partial);
	}
}

static double timeval_s(struct timeval tv)
{
	return tv.tv_sec + tv.tv_usec * 1e-6;
}

static void send_reply(struct run *r)
{
	bool exited = WIFEXITED(r->status);

	if (r->before)
		agent_snapshot_send(r->agent, r->id, "before", r->before);
	if (r->after)
		agent_snapshot_send(r->agent, r->id, "after", r->after);
	agent_send(r->agent,
		   json_pack("{sI sb sb so so sf sf sf sI sI sI}", "id", r->id, "ok", 1,
			     "timed_out", (int)r->timed_out, "exit_status",
			     exited ? json_integer(WEXITSTATUS(r->status)) : json_null(), "signal",
			     exited ? json_null() : json_integer(WTERMSIG(r->status)), "wall_s",
			     (r->end_ns - r->start_ns) * 1e-9, "user_s",
			     timeval_s(r->usage.ru_utime), "system_s", timeval_s(r->usage.ru_stime),
			     "max_rss_kb", (json_int_t)r->usage.ru_maxrss, "voluntary_switches",
			     (json_int_t)r->usage.ru_nvcsw, "involuntary_switches",
			     (json_int_t)r->usage.ru_nivcsw));
}

/* After the program has ended or must end: counters first, so that the killing is not in them. */
static int finish(struct run *r, const json_t *files, struct error *err)
{
	int ret = 0;

	if (r->agent->end != END_NONE || r->timed_out)
		kill(-r->pid, SIGKILL);
	if (r->agent->end == END_NONE && files && !r->timed_out) {
		r->after = agent_snapshot_take(files, err);
		ret = r->after ? 0 : -1;
	}
	if (reap_all(r->pid, &r->status, &r->usage, ret ? &(struct error)ERROR_INIT : err))
		ret = -1;
	if (!ret && files && r->timed_out) {
		r->after = agent_snapshot_take(files, err);
		ret = r->after ? 0 : -1;
	}
	drain(r);
	return ret;
}

static int execute(struct run *r, const struct launch *l, json_int_t timeout_ms,
		   const json_t *files, struct error *err)
{
	int ret;

	reap_ended();
	if (files && !(r->before = agent_snapshot_take(files, err)))
		return -1;
	r->start_ns = now_ns();
	if (launch_program(l, &r->pid, &r->pidfd, &r->streams[0].fd, &r->streams[1].fd, err))
		return -1;
	watch(r, r->start_ns + timeout_ms * 1000000LL);
	ret = finish(r, files, err);
	close(r->pidfd);
	return ret;
}

/* NULL-terminated pointers into @array, which must hold nothing but strings; NULL: it does not. */
static char **string_vector(const json_t *array)
{
	size_t n = json_array_size(array);
	char **v = json_is_array(array) ? xcalloc(n + 1, sizeof(*v)) : NULL;

	for (size_t i = 0; v && i < n; i++) {
		v[i] = (char *)json_string_value(json_array_get(array, i));
		if (!v[i]) {
			free(v);
			return NULL;
		}
	}
	return v;
}

static bool valid_environment(char *const *env)
{
	for (; *env; env++)
		if (!strchr(*env, '=') || **env == '=')
			return false;
	return true;
}

static int check_request(const struct launch *l, json_t *env, json_int_t timeout_ms, json_t *files,
			 struct error *err)
{
	if (!l->argv || !l->argv[0] || !l->argv[0][0])
		return error_set(err, ERROR_FAILED,
				 "'argv' must be an array of strings that "
				 "starts with a program");
	if (env && (!l->env || !valid_environment(l->env)))
		return error_set(err, ERROR_FAILED, "'env' must be an array of NAME=value");
	if (timeout_ms < 1 || timeout_ms > INT_MAX)
		return error_set(err, ERROR_FAILED, "'timeout_ms' must be from 1 to %d", INT_MAX);
	if (files && !json_is_array(files))
		return error_set(err, ERROR_FAILED, "'snapshots' must be an array of paths");
	return 0;
}

void agent_run_program(struct agent *a, json_int_t id, json_t *request)
{
	struct run r = {.agent = a, .id = id, .pidfd = -1};
	json_t *argv = NULL, *env = NULL, *files = NULL;
	struct error err = ERROR_INIT;
	json_int_t timeout_ms = 0;
	const char *name = NULL;
	struct launch l = {0};
	json_error_t why;
	int ret;

	r.streams[0] = (struct stream){-1, "stdout", STRBUF_INIT};
	r.streams[1] = (struct stream){-1, "stderr", STRBUF_INIT};
	ret = json_unpack_ex(request, &why, JSON_STRICT, "{s:I s:s s:o s?o s?s s?s s?s s:I s?o}",
			     "id", &id, "request", &name, "argv", &argv, "env", &env, "cpus",
			     &l.cpus, "mem", &l.memory, "terminal", &l.terminal, "timeout_ms",
			     &timeout_ms, "snapshots", &files);
	if (ret) {
		error_set(&err, ERROR_FAILED, "run: %s", why.text);
	} else {
		l.argv = string_vector(argv);
		l.env = env ? string_vector(env) : NULL;
		ret = check_request(&l, env, timeout_ms, files, &err);
	}
	if (!ret && !strcmp(l.argv[0], "schedbench-workload"))
		l.program = a->workload;
	if (!ret)
		ret = execute(&r, &l, timeout_ms, files, &err);
	if (ret)
		agent_reply_error(a, id, err.msg);
	else
		send_reply(&r);
	json_decref(r.before);
	json_decref(r.after);
	free(l.argv);
	free(l.env);
}
