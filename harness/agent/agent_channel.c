// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent.h"

#define EXTRA_MAX 3

size_t agent_unsent(const struct agent *a)
{
	return a->out.len - a->out_sent;
}

void agent_reply_error(struct agent *a, json_int_t id, const char *msg)
{
	agent_send(a, json_pack("{sI sb so}", "id", id, "ok", 0, "error",
				protocol_string(msg, strlen(msg))));
}

void agent_send(struct agent *a, json_t *msg)
{
	json_int_t id = json_integer_value(json_object_get(msg, "id"));

	if (protocol_encode(&a->out, msg))
		agent_reply_error(a, id, "the reply does not fit into a line of the protocol");
	json_decref(msg);
}

static void set_end(struct agent *a, enum agent_end end)
{
	if (a->end == END_NONE)
		a->end = end;
}

static void write_some(struct agent *a)
{
	ssize_t n = write(a->fd, a->out.buf + a->out_sent, agent_unsent(a));

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			set_end(a, END_CLOSED);
		return;
	}
	a->out_sent += n;
	if (agent_unsent(a) == 0) {
		strbuf_reset(&a->out);
		a->out_sent = 0;
	}
}

static bool wants_input(const struct agent *a)
{
	return line_buffer_pending(&a->in) <= PROTOCOL_LINE_MAX;
}

static void read_some(struct agent *a)
{
	ssize_t n = line_buffer_read(&a->in, a->fd);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		set_end(a, END_CLOSED);
}

static void handle_stream(struct agent *a, short events)
{
	bool gone = events & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL);

	if (events & POLLOUT)
		write_some(a);
	if (wants_input(a) && (gone || (events & POLLIN)))
		read_some(a);
	else if (gone)
		set_end(a, END_CLOSED);
}

void agent_wait(struct agent *a, struct pollfd *extra, size_t n, int timeout_ms)
{
	struct pollfd p[2 + EXTRA_MAX] = {{.fd = a->fd, .events = POLLRDHUP},
					  {.fd = a->signal_fd, .events = POLLIN}};
	struct signalfd_siginfo si;

	if (wants_input(a))
		p[0].events |= POLLIN;
	if (agent_unsent(a))
		p[0].events |= POLLOUT;
	for (size_t i = 0; i < n && i < EXTRA_MAX; i++)
		p[2 + i] = extra[i];
	if (poll(p, 2 + n, timeout_ms) < 0)
		memset(p, 0, sizeof(p));
	for (size_t i = 0; i < n && i < EXTRA_MAX; i++)
		extra[i].revents = p[2 + i].revents;
	if (p[0].revents)
		handle_stream(a, p[0].revents);
	if (p[1].revents && read(a->signal_fd, &si, sizeof(si)) > 0)
		set_end(a, END_SIGNAL);
}

void agent_flush(struct agent *a)
{
	while (a->end == END_NONE && agent_unsent(a)) {
		write_some(a);
		if (a->end == END_NONE && agent_unsent(a))
			agent_wait(a, NULL, 0, -1);
	}
}
