// SPDX-License-Identifier: GPL-2.0-or-later
/* schedbench-agent: does on a machine what a harness asks for. See docs/protocol.md. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent/agent.h"

#define GUEST_WORKLOAD "/bin/schedbench-workload"

struct request {
	const char *name;
	void (*handle)(struct agent *a, json_int_t id, json_t *request);
};

static void reply(struct agent *a, json_int_t id, json_t *fields)
{
	json_object_set_new(fields, "id", json_integer(id));
	json_object_set_new(fields, "ok", json_true());
	agent_send(a, fields);
}

/* True if @request has nothing but its id and its name. */
static bool no_arguments(struct agent *a, json_int_t id, json_t *request)
{
	json_int_t ignored_id;
	const char *ignored;
	json_error_t why;

	if (!json_unpack_ex(request, &why, JSON_STRICT, "{s:I s:s}", "id", &ignored_id, "request",
			    &ignored))
		return true;
	agent_reply_error(a, id, why.text);
	return false;
}

static void handle_hello(struct agent *a, json_int_t id, json_t *request)
{
	if (no_arguments(a, id, request))
		reply(a, id, agent_describe(a));
}

static void handle_set(struct agent *a, json_int_t id, json_t *request)
{
	json_t *features = NULL, *sysctl = NULL, *files = NULL, *old = NULL;
	struct error err = ERROR_INIT;
	json_int_t ignored_id;
	const char *ignored;
	json_error_t why;

	if (json_unpack_ex(request, &why, JSON_STRICT, "{s:I s:s s?o s?o s?o}", "id", &ignored_id,
			   "request", &ignored, "features", &features, "sysctl", &sysctl, "files",
			   &files))
		agent_reply_error(a, id, why.text);
	else if (switches_set(a->switches, features, sysctl, files, &old, &err))
		agent_reply_error(a, id, err.msg);
	else
		reply(a, id, json_pack("{so}", "old", old));
}

static void handle_snapshot(struct agent *a, json_int_t id, json_t *request)
{
	json_t *files = NULL, *snapshot = NULL;
	struct error err = ERROR_INIT;
	json_int_t ignored_id;
	const char *ignored;
	json_error_t why;

	if (json_unpack_ex(request, &why, JSON_STRICT, "{s:I s:s s:o}", "id", &ignored_id,
			   "request", &ignored, "files", &files))
		error_set(&err, ERROR_FAILED, "snapshot: %s", why.text);
	else if (!json_is_array(files))
		error_set(&err, ERROR_FAILED, "'files' must be an array of paths");
	else
		snapshot = agent_snapshot_take(files, &err);
	if (!snapshot) {
		agent_reply_error(a, id, err.msg);
		return;
	}
	agent_snapshot_send(a, id, NULL, snapshot);
	json_decref(snapshot);
	reply(a, id, json_object());
}

static void handle_unsupported(struct agent *a, json_int_t id, json_t *request)
{
	(void)request;
	agent_reply_error(a, id, "not supported by this version");
}

static void handle_bye(struct agent *a, json_int_t id, json_t *request)
{
	struct error err = ERROR_INIT;

	if (!no_arguments(a, id, request))
		return;
	/* The switches of a guest end with it. */
	if (!a->guest && switches_restore(a->switches, &err))
		agent_reply_error(a, id, err.msg);
	else
		reply(a, id, json_object());
	agent_flush(a);
	if (a->end == END_NONE)
		a->end = END_BYE;
}

static const struct request requests[] = {
	{"hello", handle_hello},       {"set", handle_set},	      {"run", agent_run_program},
	{"snapshot", handle_snapshot}, {"probe", handle_unsupported}, {"kexec", handle_unsupported},
	{"bye", handle_bye},
};

static void protocol_failure(struct agent *a, const char *msg)
{
	agent_send(a, json_pack("{sn sb ss}", "id", "ok", 0, "error", msg));
	agent_flush(a);
	fprintf(stderr, "schedbench-agent: %s\n", msg);
	if (a->end == END_NONE)
		a->end = END_PROTOCOL;
}

static void dispatch(struct agent *a, json_int_t id, json_t *request)
{
	const char *name = json_string_value(json_object_get(request, "request"));
	struct error err = ERROR_INIT;

	for (size_t i = 0; name && i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (strcmp(name, requests[i].name))
			continue;
		requests[i].handle(a, id, request);
		return;
	}
	if (name)
		error_set(&err, ERROR_FAILED, "unknown request '%.64s'", name);
	agent_reply_error(a, id, name ? err.msg : "'request' must be a string");
}

static void handle_line(struct agent *a, const char *line, size_t len)
{
	json_t *request = protocol_decode(line, len, 0);
	const json_t *id = json_object_get(request, "id");

	if (!request)
		protocol_failure(a, "a line is not a JSON object");
	else if (!json_is_integer(id))
		protocol_failure(a, "a request has no integer 'id'");
	else
		dispatch(a, json_integer_value(id), request);
	json_decref(request);
}

static void serve(struct agent *a)
{
	char *line;
	size_t len;

	while (a->end == END_NONE) {
		switch (line_buffer_next(&a->in, &line, &len)) {
		case 1:
			handle_line(a, line, len);
			break;
		case 0:
			agent_flush(a);
			if (a->end == END_NONE)
				agent_wait(a, NULL, 0, -1);
			break;
		default:
			protocol_failure(a, "a line is longer than 1 MiB");
		}
	}
}

static int open_signals(struct error *err)
{
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return error_sys(err, errno, "cannot receive signals");
	/* Waited for by name after a program has ended. */
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return fd;
}

static int open_stream(int fd, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC))
		return error_sys(err, errno, "cannot use descriptor %d", fd);
	return 0;
}

/* What a predecessor left is put back before anything is measured. */
static void recover(struct agent *a, struct error *err)
{
	const json_t *item;
	size_t i;

	if (switches_recover(switches_folder(), a->recovered, err)) {
		fprintf(stderr, "schedbench-agent: %s\n", err->msg);
		err->kind = ERROR_NONE;
	}
	json_array_foreach (a->recovered, i, item)
		fprintf(stderr, "schedbench-agent: put back what a killed agent had left: %s\n",
			json_string_value(item));
}

static int run_agent(struct agent *a, bool host)
{
	struct error err = ERROR_INIT;
	int ret = 0;

	a->recovered = json_array();
	a->signal_fd = open_signals(&err);
	if (a->signal_fd < 0 || open_stream(a->fd, &err)) {
		fprintf(stderr, "schedbench-agent: %s\n", err.msg);
		return ERROR_FAILED;
	}
	if (!a->guest)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (host)
		recover(a, &err);
	a->switches = switches_new(host ? switches_folder() : NULL);
	serve(a);
	if (!a->guest && switches_restore(a->switches, &err)) {
		fprintf(stderr, "schedbench-agent: %s\n", err.msg);
		ret = ERROR_FAILED;
	}
	if (a->end != END_BYE && a->end != END_CLOSED)
		ret = ERROR_FAILED;
	switches_free(a->switches);
	line_buffer_release(&a->in);
	strbuf_release(&a->out);
	json_decref(a->recovered);
	close(a->signal_fd);
	close(a->fd);
	return ret;
}

static void guest_main(void) __attribute__((noreturn));
static void guest_main(void)
{
	struct agent a = {.guest = true,
			  .workload = GUEST_WORKLOAD,
			  .in = LINE_BUFFER_INIT,
			  .out = STRBUF_INIT};
	struct error err = ERROR_INIT;

	a.fd = init_machine(&err);
	if (a.fd < 0)
		fprintf(stderr, "schedbench-agent: %s\n", err.msg);
	else
		run_agent(&a, false);
	init_power_off();
}

static int usage(FILE *to, int status)
{
	fputs("usage: schedbench-agent --fd N [--host] [--workload PATH]\n"
	      "\n"
	      "Serve the protocol of schedbench at descriptor N. Started by schedbench; as process "
	      "1\n"
	      "of a guest it takes no options.\n"
	      "\n"
	      "  --fd N           a connected stream socket\n"
	      "  --host           this machine goes on afterwards: keep a journal of switches in\n"
	      "                   $SCHEDBENCH_RUN_DIR (/run/schedbench)\n"
	      "  --workload PATH  the program that 'schedbench-workload' stands for\n"
	      "  --version\n"
	      "  --help\n",
	      to);
	return status;
}

static int parse_fd(const char *text)
{
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	return errno || *end || end == text || fd < 3 || fd > INT_MAX ? -1 : (int)fd;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"fd", required_argument, NULL, 'f'},	    {"host", no_argument, NULL, 'H'},
		{"workload", required_argument, NULL, 'w'}, {"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},	    {NULL, 0, NULL, 0},
	};
	struct agent a = {.fd = -1, .in = LINE_BUFFER_INIT, .out = STRBUF_INIT};
	bool host = false;
	int c;

	/* The kernel hands words of its command line to process 1: they are not for us. */
	if (getpid() == 1 && !(argc > 1 && !strcmp(argv[1], "--fd")))
		guest_main();
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'f')
			a.fd = parse_fd(optarg);
		else if (c == 'H')
			host = true;
		else if (c == 'w')
			a.workload = optarg;
		else if (c == 'V')
			return puts("schedbench-agent " SCHEDBENCH_VERSION) < 0 ? ERROR_FAILED : 0;
		else
			return usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : ERROR_USAGE);
	}
	if (a.fd < 0 || optind < argc)
		return usage(stderr, ERROR_USAGE);
	return run_agent(&a, host);
}
