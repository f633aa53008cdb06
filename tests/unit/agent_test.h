/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TESTS_AGENT_TEST_H
#define SCHEDBENCH_TESTS_AGENT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/client.h"
#include "agent/protocol.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

/* A real agent at the other end of a socket pair, for the tests of it. */
#define ANSWER_MS 30000

struct test_agent {
	struct subprocess sp;
	int fd;
	struct agent_client *client;
	struct line_buffer in; /* for exchanges without the client */
	char folder[64]; /* of its journal */
};

static inline char *built(const char *program)
{
	const char *build = getenv("BUILD");

	return path_join(build && *build ? build : "build", program);
}

/* @folder of a former agent, or NULL for a new one. */
static inline void test_agent_start(struct test_agent *t, const char *folder)
{
	struct subprocess_spec spec = SUBPROCESS_SPEC_INIT;
	struct error err = ERROR_INIT;
	char number[16], *program = built("schedbench-agent"), *run;
	const char *argv[] = {program, "--fd", number, "--host", "--workload", "/bin/echo", NULL};
	const char *env[2] = {NULL};
	int pair[2];

	*t = (struct test_agent){.in = LINE_BUFFER_INIT};
	snprintf(t->folder, sizeof(t->folder), "%s",
		 folder ? folder : "/tmp/schedbench-test-XXXXXX");
	if (!folder)
		assert_non_null(mkdtemp(t->folder));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	snprintf(number, sizeof(number), "%d", pair[1]);
	run = xasprintf("SCHEDBENCH_RUN_DIR=%s", t->folder);
	env[0] = run;
	spec.argv = argv;
	spec.env = env;
	spec.keep_fd = pair[1];
	spec.err = SUBPROCESS_NULL;
	if (subprocess_start(&t->sp, &spec, &err))
		fail_msg("%s", err.msg);
	close(pair[1]);
	free(run);
	free(program);
	t->fd = pair[0];
	t->client = agent_client_new(t->fd, t->sp.pidfd, -1);
}

/* The agent's status as of waitpid(). */
static inline int test_agent_wait(struct test_agent *t)
{
	struct error err = ERROR_INIT;
	int status = -1;

	assert_int_equal(subprocess_wait(&t->sp, ANSWER_MS, &status, &err), 1);
	return status;
}

static inline void test_agent_close(struct test_agent *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

/* Free all but the folder. */
static inline void test_agent_release(struct test_agent *t)
{
	test_agent_close(t);
	if (t->sp.pid)
		test_agent_wait(t);
	subprocess_release(&t->sp);
	agent_client_free(t->client);
	line_buffer_release(&t->in);
}

static inline void test_agent_remove(struct test_agent *t)
{
	struct error err = ERROR_INIT;

	test_agent_release(t);
	remove_tree(t->folder, &err);
}

static inline int agent_setup(void **state)
{
	struct test_agent *t = xcalloc(1, sizeof(*t));

	test_agent_start(t, NULL);
	*state = t;
	return 0;
}

static inline int agent_teardown(void **state)
{
	test_agent_remove(*state);
	free(*state);
	return 0;
}

/* The next message, decoded; NULL at the end of the stream. */
static inline json_t *test_receive(struct test_agent *t)
{
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	char *line;
	size_t len;
	int got;

	while ((got = line_buffer_next(&t->in, &line, &len)) == 0) {
		assert_int_equal(poll(&p, 1, ANSWER_MS), 1);
		if (line_buffer_read(&t->in, t->fd) <= 0)
			return NULL;
	}
	assert_int_equal(got, 1);
	return json_loadb(line, len, JSON_ALLOW_NUL, NULL);
}

/* Send raw bytes; false if the agent has gone. */
static inline bool test_send(struct test_agent *t, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(t->fd, text, len, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		text += n;
		len -= n;
	}
	return true;
}

/* Send one line, return its reply with the events before it thrown away. */
static inline json_t *test_request(struct test_agent *t, const char *line)
{
	json_t *msg;

	assert_true(test_send(t, line, strlen(line)));
	assert_true(test_send(t, "\n", 1));
	while ((msg = test_receive(t)) && json_object_get(msg, "event"))
		json_decref(msg);
	return msg;
}

/* The text of an error reply must hold @part. */
static inline void assert_refused(json_t *reply, const char *part)
{
	const char *text = json_string_value(json_object_get(reply, "error"));

	assert_true(json_is_false(json_object_get(reply, "ok")));
	if (!text || !strstr(text, part))
		fail_msg("'%s' does not say '%s'", text ? text : "(nothing)", part);
	json_decref(reply);
}

static inline bool process_alive(pid_t pid)
{
	return pid > 0 && kill(pid, 0) == 0;
}

static inline double monotonic_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

#endif
