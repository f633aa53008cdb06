// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#include "agent/client.h"
#include "agent/protocol.h"
#include "util/xalloc.h"

#define SNAPSHOT_TOTAL_MAX (256 * 1024 * 1024)
#define GRACE_MIN_MS	   10000
#define GRACE_MAX_MS	   60000

struct agent_client {
	int fd, end_fd, interrupt_fd;
	json_int_t next_id;
	struct line_buffer in;
	struct strbuf out;
	bool failed; /* the stream cannot be used any more */
};

/* One request and what it expects. */
struct exchange {
	struct agent_client *c;
	json_int_t id;
	long long deadline_ns;
	const struct agent_run_request *run; /* NULL: output is not expected */
	json_t *snapshots[3]; /* by enum when; NULL: not expected */
	size_t snapshot_bytes;
	json_t *reply;
	struct error *err;
};

enum when { WHEN_ONCE, WHEN_BEFORE, WHEN_AFTER };

struct agent_client *agent_client_new(int fd, int end_fd, int interrupt_fd)
{
	struct agent_client *c = xcalloc(1, sizeof(*c));

	*c = (struct agent_client){.fd = fd,
				   .end_fd = end_fd,
				   .interrupt_fd = interrupt_fd,
				   .next_id = 1,
				   .in = LINE_BUFFER_INIT,
				   .out = STRBUF_INIT};
	return c;
}

void agent_client_free(struct agent_client *c)
{
	if (!c)
		return;
	line_buffer_release(&c->in);
	strbuf_release(&c->out);
	free(c);
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static enum agent_status lost(struct exchange *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static enum agent_status lost(struct exchange *x, const char *fmt, ...)
{
	char msg[sizeof(x->err->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	error_set(x->err, ERROR_FAILED, "%s", msg);
	x->c->failed = true;
	return AGENT_LOST;
}

/* Texts of the other end go to a terminal: nothing in them may move the cursor. */
static void quote_error(struct error *err, const char *text)
{
	error_set(err, ERROR_FAILED, "%s", text);
	for (char *p = err->msg; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
}

static bool plain_string(const json_t *js)
{
	return json_is_string(js) && strlen(json_string_value(js)) == json_string_length(js);
}

static enum agent_status handle_output(struct exchange *x, const json_t *msg, bool is_stderr)
{
	json_t *lines = json_object_get(msg, "lines"), *line;
	size_t i;

	if (!x->run)
		return lost(x, "the agent sent output while no program was running");
	if (!json_is_array(lines))
		return lost(x, "the agent sent output without lines");
	json_array_foreach (lines, i, line) {
		if (!json_is_string(line))
			return lost(x, "the agent sent output that is not text");
		if (x->run->on_line)
			x->run->on_line(x->run->arg, is_stderr, json_string_value(line),
					json_string_length(line));
	}
	return AGENT_OK;
}

static json_t *snapshot_of(struct exchange *x, const json_t *msg)
{
	const json_t *when = json_object_get(msg, "when");
	const char *name = json_string_value(when);

	if (!when)
		return x->snapshots[WHEN_ONCE];
	if (name && !strcmp(name, "before"))
		return x->snapshots[WHEN_BEFORE];
	if (name && !strcmp(name, "after"))
		return x->snapshots[WHEN_AFTER];
	return NULL;
}

/* A text may come in several pieces; only files that were asked for are in @snapshot already. */
static enum agent_status handle_snapshot(struct exchange *x, const json_t *msg)
{
	json_t *snapshot = snapshot_of(x, msg), *text = json_object_get(msg, "text"), *old;
	const char *path = json_string_value(json_object_get(msg, "path"));
	struct strbuf joined = STRBUF_INIT;

	if (!snapshot || !path || !(old = json_object_get(snapshot, path)))
		return lost(x, "the agent sent a snapshot that was not asked for");
	if (json_is_null(text))
		return AGENT_OK;
	if (!json_is_string(text))
		return lost(x, "the agent sent a snapshot that is not text");
	x->snapshot_bytes += json_string_length(text);
	if (x->snapshot_bytes > SNAPSHOT_TOTAL_MAX)
		return lost(x, "the agent sent more than 256 MiB of snapshots");
	if (json_is_string(old))
		strbuf_add(&joined, json_string_value(old), json_string_length(old));
	strbuf_add(&joined, json_string_value(text), json_string_length(text));
	json_object_set_new(snapshot, path, json_stringn(joined.buf, joined.len));
	strbuf_release(&joined);
	return AGENT_OK;
}

static enum agent_status handle_event(struct exchange *x, const json_t *msg, const char *event)
{
	if (!strcmp(event, "stdout"))
		return handle_output(x, msg, false);
	if (!strcmp(event, "stderr"))
		return handle_output(x, msg, true);
	if (!strcmp(event, "snapshot"))
		return handle_snapshot(x, msg);
	return lost(x, "the agent sent an event of an unknown kind");
}

/* An error without an id ends the stream. */
static enum agent_status handle_farewell(struct exchange *x, const json_t *msg)
{
	const json_t *why = json_object_get(msg, "error");

	if (!plain_string(why))
		return lost(x, "the agent sent a message without an id");
	quote_error(x->err, json_string_value(why));
	error_prefix(x->err, "the agent gave up: ");
	x->c->failed = true;
	return AGENT_LOST;
}

static enum agent_status handle_reply(struct exchange *x, json_t *msg)
{
	const json_t *ok = json_object_get(msg, "ok"), *why = json_object_get(msg, "error");

	if (!json_is_boolean(ok) || (json_is_false(ok) && !plain_string(why)))
		return lost(x, "the agent sent a reply that says neither ok nor why not");
	x->reply = json_incref(msg);
	if (json_is_true(ok))
		return AGENT_OK;
	quote_error(x->err, json_string_value(why));
	return AGENT_REFUSED;
}

static enum agent_status handle_message(struct exchange *x, json_t *msg)
{
	const json_t *id = json_object_get(msg, "id"), *event = json_object_get(msg, "event");

	if (json_is_null(id))
		return handle_farewell(x, msg);
	if (!json_is_integer(id))
		return lost(x, "the agent sent a message without an id");
	if (json_integer_value(id) != x->id)
		return lost(x, "the agent answered request %lld, not %lld",
			    (long long)json_integer_value(id), (long long)x->id);
	if (!event)
		return handle_reply(x, msg);
	if (!plain_string(event))
		return lost(x, "the agent sent an event of an unknown kind");
	return handle_event(x, msg, json_string_value(event));
}

/* All complete lines that have come, up to the reply. */
static enum agent_status handle_lines(struct exchange *x)
{
	enum agent_status status = AGENT_OK;
	size_t len;
	char *line;
	int got;

	while (status == AGENT_OK && !x->reply &&
	       (got = line_buffer_next(&x->c->in, &line, &len)) != 0) {
		json_t *msg;

		if (got < 0)
			return lost(x, "the agent sent a line longer than 1 MiB");
		msg = protocol_decode(line, len, JSON_ALLOW_NUL);
		if (msg)
			status = handle_message(x, msg);
		else
			status = lost(x, "the agent sent a line that is not a JSON object");
		json_decref(msg);
	}
	return status;
}

static enum agent_status receive(struct exchange *x)
{
	ssize_t n = line_buffer_read(&x->c->in, x->c->fd);

	if (n > 0)
		return handle_lines(x);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return AGENT_OK;
	if (n == 0 || errno == ECONNRESET || errno == EPIPE)
		return lost(x, "the agent closed the stream");
	return lost(x, "the stream to the agent failed: %s", strerror(errno));
}

/* The machine has ended: what it said last may hold the reply. */
static enum agent_status receive_last(struct exchange *x)
{
	struct pollfd p = {.fd = x->c->fd, .events = POLLIN};
	enum agent_status status = AGENT_OK;

	while (status == AGENT_OK && !x->reply && poll(&p, 1, 0) > 0)
		status = receive(x);
	if (status != AGENT_OK || x->reply)
		return status;
	return lost(x, "the machine ended before the agent answered");
}

static enum agent_status send_some(struct exchange *x)
{
	struct strbuf *out = &x->c->out;
	ssize_t n = send(x->c->fd, out->buf, out->len, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n >= 0)
		strbuf_consume(out, n);
	else if (errno == EPIPE || errno == ECONNRESET)
		/* Its last words may still be there to be read. */
		strbuf_reset(out);
	else if (errno != EAGAIN && errno != EINTR)
		return lost(x, "the stream to the agent failed: %s", strerror(errno));
	return AGENT_OK;
}

/* Milliseconds for poll(), rounded up; 0: over. */
static int remaining_ms(const struct exchange *x)
{
	long long left = x->deadline_ns - now_ns();

	if (left <= 0)
		return 0;
	return left / 1000000 >= 2000000000 ? 2000000000 : (int)((left + 999999) / 1000000);
}

/* Sleep until something happens or the time is over, and deal with it. */
static enum agent_status step(struct exchange *x, int timeout_ms)
{
	struct agent_client *c = x->c;
	struct pollfd p[3] = {{.fd = c->fd, .events = POLLIN | (c->out.len ? POLLOUT : 0)},
			      {.fd = c->end_fd, .events = POLLIN},
			      {.fd = c->interrupt_fd, .events = POLLIN}};

	if (poll(p, 3, timeout_ms) < 0) {
		if (errno != EINTR)
			return lost(x, "cannot wait for the agent: %s", strerror(errno));
		return AGENT_OK;
	}
	if (p[2].revents) {
		error_set(x->err, ERROR_INTERRUPTED, "interrupted");
		c->failed = true;
		return AGENT_INTERRUPTED;
	}
	if (p[0].revents & POLLOUT && send_some(x) != AGENT_OK)
		return AGENT_LOST;
	if (p[0].revents & ~POLLOUT)
		return receive(x);
	return p[1].revents ? receive_last(x) : AGENT_OK;
}

/* Until the reply has come. An agent that never stops talking does not put the deadline off. */
static enum agent_status await_reply(struct exchange *x)
{
	enum agent_status status = handle_lines(x);

	while (status == AGENT_OK && !x->reply) {
		int timeout_ms = remaining_ms(x);

		status = step(x, timeout_ms);
		if (status != AGENT_OK || x->reply || timeout_ms)
			continue;
		error_set(x->err, ERROR_FAILED, "no answer from the agent in time");
		x->c->failed = true;
		status = AGENT_TIMEOUT;
	}
	return status;
}

/* Send @request (the reference is taken) and wait for its reply, which is left in x->reply. */
static enum agent_status exchange(struct exchange *x, json_t *request, unsigned timeout_ms)
{
	enum agent_status status = AGENT_OK;

	if (x->c->failed) {
		json_decref(request);
		return lost(x, "the stream to the agent has failed before");
	}
	x->id = x->c->next_id++;
	x->deadline_ns = now_ns() + timeout_ms * 1000000LL;
	json_object_set_new(request, "id", json_integer(x->id));
	if (protocol_encode(&x->c->out, request)) {
		error_set(x->err, ERROR_USAGE, "a request does not fit into 1 MiB of valid text");
		status = AGENT_REFUSED;
	}
	json_decref(request);
	return status == AGENT_OK ? await_reply(x) : status;
}

static enum agent_status invalid_reply(struct exchange *x, const char *what)
{
	json_decref(x->reply);
	x->reply = NULL;
	return lost(x, "the agent sent a reply to '%s' with a wrong or missing member", what);
}

static char *member_text(const json_t *reply, const char *name)
{
	const json_t *js = json_object_get(reply, name);

	return plain_string(js) ? xstrdup(json_string_value(js)) : NULL;
}

static bool optional_text(const json_t *reply, const char *name)
{
	const json_t *js = json_object_get(reply, name);

	return json_is_null(js) || plain_string(js);
}

enum agent_status agent_hello(struct agent_client *c, int timeout_ms, struct agent_hello *out,
			      struct error *err)
{
	struct exchange x = {.c = c, .err = err};
	enum agent_status status = exchange(&x, json_pack("{ss}", "request", "hello"), timeout_ms);
	const json_t *cpus, *protocol;

	*out = (struct agent_hello){0};
	if (status != AGENT_OK) {
		json_decref(x.reply);
		return status;
	}
	protocol = json_object_get(x.reply, "protocol");
	cpus = json_object_get(x.reply, "cpus");
	if (json_is_integer(protocol) && json_integer_value(protocol) != PROTOCOL_VERSION) {
		json_decref(x.reply);
		return lost(&x, "the agent speaks another version of the protocol");
	}
	out->release = member_text(x.reply, "release");
	out->version = member_text(x.reply, "version");
	out->cmdline = member_text(x.reply, "cmdline");
	out->arch = member_text(x.reply, "arch");
	out->features = member_text(x.reply, "features");
	out->hwloc_xml = member_text(x.reply, "hwloc");
	if (!json_is_integer(protocol) || !json_is_integer(cpus) || json_integer_value(cpus) < 1 ||
	    json_integer_value(cpus) > 1000000 || !out->release || !out->version || !out->cmdline ||
	    !out->arch || !optional_text(x.reply, "features") || !optional_text(x.reply, "hwloc")) {
		agent_hello_release(out);
		return invalid_reply(&x, "hello");
	}
	out->protocol = json_integer_value(protocol);
	out->cpus = json_integer_value(cpus);
	json_decref(x.reply);
	return AGENT_OK;
}

void agent_hello_release(struct agent_hello *h)
{
	free(h->release);
	free(h->version);
	free(h->cmdline);
	free(h->arch);
	free(h->features);
	free(h->hwloc_xml);
	*h = (struct agent_hello){0};
}

/* 1, 0, or -1: not a truth value. */
static int truth(const char *text)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(text, words[i]))
			return i & 1;
	return -1;
}

static json_t *features_object(const struct key_value *kv, unsigned count, struct error *err)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < count; i++) {
		int on = truth(kv[i].value);

		if (on < 0) {
			error_set(err, ERROR_USAGE, "sched feature '%s' is '%s' (true or false?)",
				  kv[i].key, kv[i].value);
			json_decref(object);
			return NULL;
		}
		json_object_set_new(object, kv[i].key, json_boolean(on));
	}
	return object;
}

enum agent_status agent_set(struct agent_client *c, int timeout_ms,
			    const struct key_value *features, unsigned features_count,
			    const struct key_value *sysctl, unsigned sysctl_count,
			    struct error *err)
{
	json_t *feature_values = features_object(features, features_count, err);
	json_t *sysctl_values = json_object();
	struct exchange x = {.c = c, .err = err};
	enum agent_status status;

	for (unsigned i = 0; i < sysctl_count; i++)
		json_object_set_new(sysctl_values, sysctl[i].key,
				    protocol_string(sysctl[i].value, strlen(sysctl[i].value)));
	if (!feature_values) {
		json_decref(sysctl_values);
		return AGENT_REFUSED;
	}
	status = exchange(&x,
			  json_pack("{ss so so}", "request", "set", "features", feature_values,
				    "sysctl", sysctl_values),
			  timeout_ms);
	if (status == AGENT_OK && !json_is_object(json_object_get(x.reply, "old")))
		return invalid_reply(&x, "set");
	json_decref(x.reply);
	return status;
}

static json_t *string_array(const char *const *strings)
{
	json_t *array = json_array();

	for (; *strings; strings++)
		json_array_append_new(array, protocol_string(*strings, strlen(*strings)));
	return array;
}

/* Every file that is asked for, as null: only these are accepted. */
static json_t *expected(const char *const *files)
{
	json_t *object = json_object();

	for (; files && *files; files++)
		json_object_set_new(object, *files, json_null());
	return object;
}

static json_t *run_request(const struct agent_run_request *req)
{
	json_t *js = json_pack("{ss so sI}", "request", "run", "argv", string_array(req->argv),
			       "timeout_ms", (json_int_t)req->timeout_ms);

	if (req->env)
		json_object_set_new(js, "env", string_array(req->env));
	if (req->cpus)
		json_object_set_new(js, "cpus", protocol_string(req->cpus, strlen(req->cpus)));
	if (req->mem)
		json_object_set_new(js, "mem", protocol_string(req->mem, strlen(req->mem)));
	if (req->terminal)
		json_object_set_new(js, "terminal", json_string(req->terminal));
	if (req->snapshots)
		json_object_set_new(js, "snapshots", string_array(req->snapshots));
	return js;
}

/* Killing thousands of processes takes an emulated machine a while. */
static unsigned grace_ms(const struct agent_run_request *req)
{
	unsigned grace = req->timeout_ms / 4;

	if (req->grace_ms)
		return req->grace_ms;
	return grace < GRACE_MIN_MS ? GRACE_MIN_MS : grace > GRACE_MAX_MS ? GRACE_MAX_MS : grace;
}

static bool member_number(const json_t *reply, const char *name, double *out)
{
	const json_t *js = json_object_get(reply, name);

	*out = json_number_value(js);
	return json_is_number(js) && *out >= 0;
}

static bool member_count(const json_t *reply, const char *name, long *out)
{
	const json_t *js = json_object_get(reply, name);

	*out = json_integer_value(js);
	return json_is_integer(js) && *out >= 0;
}

/* Exactly one of "exit_status" (0..255) and "signal" (1..64), the other one null. */
static bool member_status(const json_t *reply, struct agent_run_reply *out)
{
	const json_t *exited = json_object_get(reply, "exit_status");
	const json_t *killed = json_object_get(reply, "signal");
	json_int_t status = json_integer_value(exited), sig = json_integer_value(killed);

	if (json_is_integer(exited) && json_is_null(killed) && status >= 0 && status <= 255) {
		out->exit_status = status;
		return true;
	}
	if (json_is_null(exited) && json_is_integer(killed) && sig >= 1 && sig <= 64) {
		out->exit_status = -1;
		out->signal = sig;
		return true;
	}
	return false;
}

static bool parse_run(const json_t *reply, struct agent_run_reply *out)
{
	const json_t *timed_out = json_object_get(reply, "timed_out");

	out->timed_out = json_is_true(timed_out);
	return json_is_boolean(timed_out) && member_status(reply, out) &&
	       member_number(reply, "wall_s", &out->wall_s) &&
	       member_number(reply, "user_s", &out->user_s) &&
	       member_number(reply, "system_s", &out->system_s) &&
	       member_count(reply, "max_rss_kb", &out->max_rss_kb) &&
	       member_count(reply, "voluntary_switches", &out->voluntary_switches) &&
	       member_count(reply, "involuntary_switches", &out->involuntary_switches);
}

enum agent_status agent_run(struct agent_client *c, const struct agent_run_request *req,
			    struct agent_run_reply *out, struct error *err)
{
	struct exchange x = {.c = c, .err = err, .run = req};
	enum agent_status status;

	*out = (struct agent_run_reply){0};
	x.snapshots[WHEN_BEFORE] = expected(req->snapshots);
	x.snapshots[WHEN_AFTER] = expected(req->snapshots);
	status = exchange(&x, run_request(req), req->timeout_ms + grace_ms(req));
	out->before = x.snapshots[WHEN_BEFORE];
	out->after = x.snapshots[WHEN_AFTER];
	if (status == AGENT_OK && !parse_run(x.reply, out))
		status = invalid_reply(&x, "run");
	if (status != AGENT_OK)
		agent_run_reply_release(out);
	json_decref(x.reply);
	return status;
}

void agent_run_reply_release(struct agent_run_reply *r)
{
	json_decref(r->before);
	json_decref(r->after);
	*r = (struct agent_run_reply){0};
}

enum agent_status agent_snapshot(struct agent_client *c, int timeout_ms, const char *const *files,
				 json_t **out, struct error *err)
{
	struct exchange x = {.c = c, .err = err};
	enum agent_status status;

	x.snapshots[WHEN_ONCE] = expected(files);
	status = exchange(&x,
			  json_pack("{ss so}", "request", "snapshot", "files", string_array(files)),
			  timeout_ms);
	json_decref(x.reply);
	*out = status == AGENT_OK ? json_incref(x.snapshots[WHEN_ONCE]) : NULL;
	json_decref(x.snapshots[WHEN_ONCE]);
	return status;
}

enum agent_status agent_bye(struct agent_client *c, int timeout_ms, struct error *err)
{
	struct exchange x = {.c = c, .err = err};
	enum agent_status status = exchange(&x, json_pack("{ss}", "request", "bye"), timeout_ms);

	json_decref(x.reply);
	return status;
}
