// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"
#include "peer_process.h"
#include "preflight.h"

#define READY_NS	10000000000ULL /* a server that does not listen by then will not */
#define POLL_NS		2000000L
#define SERVER_PATIENCE 500 /* polls before a server is killed harder */

struct session {
	const struct peer *peer;
	const struct peer_plan *plan;
	struct run *run;
	struct peer_guard *guard;
	struct peer_process server, *copies;
	unsigned left; /* copies that have not been reaped */
	uint64_t start_ns;
};

static const char *client_name(const struct session *s)
{
	return s->plan->client.argv[0];
}

static struct sockaddr_in address(uint16_t port, in_addr_t host)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(host)};
}

/* A server of somebody else on the port would be measured instead of ours. */
static int check_port(const struct session *s, struct error *err)
{
	struct sockaddr_in any = address(s->plan->port, INADDR_ANY);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, rc;

	if (fd < 0)
		return error_sys(err, errno, "cannot create a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	rc = bind(fd, (struct sockaddr *)&any, sizeof(any)) || listen(fd, 1) ? errno : 0;
	close(fd);
	if (rc == EADDRINUSE)
		return error_set(err, ERROR_USAGE, "port %u of %s is in use (end the other server)",
				 s->plan->port, s->plan->server.argv[0]);
	return rc ? error_sys(err, rc, "cannot bind port %u", s->plan->port) : 0;
}

static bool listens(const struct session *s)
{
	struct sockaddr_in there = address(s->plan->port, INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = fd >= 0 && !connect(fd, (struct sockaddr *)&there, sizeof(there));

	if (fd >= 0)
		close(fd);
	return yes;
}

static void pause_ns(long ns)
{
	const struct timespec ts = {.tv_nsec = ns};

	nanosleep(&ts, NULL);
}

static bool server_ended(struct session *s)
{
	struct peer_process *p = &s->server;

	if (p->pid && waitpid(p->pid, &p->status, WNOHANG) == p->pid)
		p->pid = 0;
	return !p->pid;
}

static int start_server(struct session *s, struct error *err)
{
	const struct peer_command *c = &s->plan->server;
	const char *const environment[] = {NULL};
	const int no_gate[2] = {-1, -1};
	uint64_t start;

	if (!c->argc)
		return 0;
	if (check_port(s, err) ||
	    peer_process_start(&s->server, c, environment, s->guard, 0, no_gate, err))
		return -1;
	for (start = now_ns(); now_ns() - start < READY_NS; pause_ns(POLL_NS)) {
		if (server_ended(s))
			return peer_process_failed(&s->server, c->argv[0], err);
		if (listens(s))
			return 0;
	}
	return error_set(err, ERROR_FAILED, "%s does not listen on port %u", c->argv[0],
			 s->plan->port);
}

static void folder_of(const char *path, const char *variable, char *buf, size_t size)
{
	int len = (int)(strrchr(path, '/') - path);

	*buf = '\0';
	if (variable)
		snprintf(buf, size, "%s=%.*s", variable, len, path);
}

static int start_copies(struct session *s, const int gate[2], struct error *err)
{
	char folder[PEER_PATH + 64];
	const char *const environment[] = {s->plan->environment, folder, NULL};

	folder_of(s->plan->client.path, s->plan->folder_variable, folder, sizeof(folder));
	for (unsigned i = 0; i < s->plan->copies; i++) {
		if (peer_process_start(&s->copies[i], &s->plan->client, environment, s->guard,
				       i + 1, gate, err))
			return -1;
		s->left++;
	}
	return 0;
}

static int release_copies(struct session *s, struct error *err)
{
	int gate[2], rc;

	if (pipe2(gate, O_CLOEXEC))
		return error_sys(err, errno, "cannot create a pipe");
	rc = start_copies(s, gate, err);
	s->start_ns = now_ns();
	close(gate[0]);
	close(gate[1]);
	return rc;
}

static struct peer_process *copy_of(struct session *s, pid_t pid)
{
	for (unsigned i = 0; i < s->plan->copies; i++)
		if (s->copies[i].pid == pid)
			return &s->copies[i];
	return NULL;
}

static void add_usage(struct session *s, const struct rusage *ru)
{
	struct usage *u = &s->run->out->usage;

	u->user_s += (double)ru->ru_utime.tv_sec + (double)ru->ru_utime.tv_usec / 1e6;
	u->system_s += (double)ru->ru_stime.tv_sec + (double)ru->ru_stime.tv_usec / 1e6;
	u->voluntary_switches += (uint64_t)ru->ru_nvcsw;
	u->involuntary_switches += (uint64_t)ru->ru_nivcsw;
}

/* What has ended by now: 0, or -1 when that means that there is no result. */
static int reap(struct session *s, struct error *err)
{
	struct peer_process *copy;
	struct rusage ru;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &ru)) > 0) {
		if (pid == s->server.pid) {
			s->server.status = status;
			s->server.pid = 0;
			return peer_process_failed(&s->server, s->plan->server.argv[0], err);
		}
		copy = copy_of(s, pid);
		if (!copy)
			continue;
		copy->pid = 0;
		copy->status = status;
		copy->end_ns = now_ns();
		s->left--;
		add_usage(s, &ru);
		if (status)
			return peer_process_failed(copy, client_name(s), err);
	}
	return 0;
}

static int wait_copies(struct session *s, const sigset_t *child, struct error *err)
{
	const struct timespec second = {.tv_sec = 1};

	while (s->left) {
		if (reap(s, err))
			return -1;
		if (s->plan->limit_s > 0 && s->left &&
		    (double)(now_ns() - s->start_ns) / 1e9 > s->plan->limit_s)
			return error_set(err, ERROR_FAILED, "%s still runs after %.0f s",
					 client_name(s), s->plan->limit_s);
		if (s->left)
			sigtimedwait(child, NULL, &second);
	}
	s->run->out->wall_ns = now_ns() - s->start_ns;
	return 0;
}

/* The server is asked first, then whatever is left in the groups is killed. */
static void end_all(struct session *s)
{
	if (s->server.pid) {
		peer_guard_kill(s->guard, 0, SIGTERM);
		for (unsigned i = 0; i < SERVER_PATIENCE && !server_ended(s); i++)
			pause_ns(POLL_NS);
	}
	for (unsigned i = 0; s->guard && i <= s->plan->copies; i++)
		peer_guard_kill(s->guard, i, SIGKILL);
}

static int print_output(struct session *s, struct peer_output *o, const struct peer_process *p,
			struct error *err)
{
	o->out = peer_process_text(p->out, err);
	o->err = o->out ? peer_process_text(p->err, err) : NULL;
	o->wall_s = (double)(p->end_ns - s->start_ns) / 1e9;
	if (!o->err)
		return -1;
	outcome_printf(s->run->out, "%s%s", o->out, o->err);
	return 0;
}

static int read_values(struct session *s, const struct peer_job *job, struct error *err)
{
	struct peer_output *outputs = calloc(s->plan->copies, sizeof(*outputs));
	struct peer_values values = {.count = 0};
	int rc = outputs ? 0 : error_set(err, ERROR_FAILED, "no memory");

	for (unsigned i = 0; !rc && i < s->plan->copies; i++)
		rc = print_output(s, &outputs[i], &s->copies[i], err);
	if (!rc)
		rc = s->peer->read(job, outputs, s->plan->copies, &values, err);
	if (!rc)
		rc = peer_store(s->peer, job, &values, s->run->out, err);
	for (unsigned i = 0; outputs && i < s->plan->copies; i++) {
		free((char *)outputs[i].out);
		free((char *)outputs[i].err);
	}
	free(outputs);
	return rc ? -1 : 0;
}

static int check(const struct peer_plan *plan, struct error *err)
{
	const struct needs needs = {.units = "copies of the original",
				    .flag = "",
				    .size = plan->copies,
				    .fds = {16, 2},
				    .tasks = {4, 1},
				    .memory = {1 << 20, 1 << 20}};

	if (plan->copies > PEER_COPIES)
		return error_set(err, ERROR_USAGE, "more than %d copies of the original",
				 PEER_COPIES);
	return preflight(&needs, err);
}

static int play(struct session *s, const sigset_t *child, struct error *err)
{
	int rc;

	s->guard = peer_guard_start(s->plan->copies + 1, err);
	if (!s->guard)
		return -1;
	rc = start_server(s, err) || release_copies(s, err) || wait_copies(s, child, err);
	end_all(s);
	return rc ? -1 : 0;
}

int peer_run(const struct peer *peer, const struct peer_job *job, const struct peer_plan *plan,
	     struct run *run, struct error *err)
{
	struct session s = {
		.peer = peer, .plan = plan, .run = run, .server = {.out = -1, .err = -1}};
	sigset_t child;
	int rc;

	if (check(plan, err))
		return -1;
	s.copies = calloc(plan->copies, sizeof(*s.copies));
	if (!s.copies)
		return error_set(err, ERROR_FAILED, "no memory");
	for (unsigned i = 0; i < plan->copies; i++)
		s.copies[i].out = s.copies[i].err = -1;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	rc = play(&s, &child, err) || read_values(&s, job, err);
	for (unsigned i = 0; i < plan->copies; i++)
		peer_process_close(&s.copies[i]);
	peer_process_close(&s.server);
	free(s.copies);
	return rc ? -1 : 0;
}
