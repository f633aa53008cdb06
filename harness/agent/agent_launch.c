// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <numaif.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_list.h"
#include "agent/agent_reap.h"
#include "util/subprocess.h"

#define CPUS_MAX  8192
#define NODES_MAX 1024
#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

/* Where in the child something failed. */
enum stage { STAGE_SETUP, STAGE_AFFINITY, STAGE_MEMORY, STAGE_EXEC };

struct failure {
	enum stage stage;
	int errnum;
};

/* What the child needs, parsed before the fork. */
struct plan {
	const struct launch *launch;
	unsigned long cpus[CPUS_MAX / WORD_BITS];
	unsigned long nodes[NODES_MAX / WORD_BITS];
	int policy; /* of set_mempolicy(), -1: leave it */
	int out, errout, status; /* far ends */
	pid_t agent;
};

static int parse_memory(struct plan *plan, const char *text, struct error *err)
{
	static const struct {
		const char *name;
		int policy;
		bool nodes;
	} policies[] = {{"bind:", MPOL_BIND, true},
			{"interleave:", MPOL_INTERLEAVE, true},
			{"preferred:", MPOL_PREFERRED, true},
			{"local", MPOL_LOCAL, false}};

	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		size_t len = strlen(policies[i].name);

		if (strncmp(text, policies[i].name, len))
			continue;
		plan->policy = policies[i].policy;
		if (policies[i].nodes ? !list_parse(text + len, plan->nodes, NODES_MAX)
				      : !text[len])
			return 0;
	}
	return error_set(err, ERROR_FAILED,
			 "memory binding '%.64s' is not bind:NODES, interleave:NODES, "
			 "preferred:NODE or local",
			 text);
}

static int make_plan(struct plan *plan, const struct launch *l, struct error *err)
{
	*plan = (struct plan){.launch = l, .policy = -1, .agent = getpid()};
	if (l->cpus && list_parse(l->cpus, plan->cpus, CPUS_MAX))
		return error_set(err, ERROR_FAILED, "'%.128s' is not a list of CPUs such as 0-3,8",
				 l->cpus);
	return l->memory ? parse_memory(plan, l->memory, err) : 0;
}

static void fail(const struct plan *plan, enum stage stage, int errnum) __attribute__((noreturn));
static void fail(const struct plan *plan, enum stage stage, int errnum)
{
	struct failure f = {stage, errnum};

	if (write(plan->status, &f, sizeof(f)) < 0)
		_exit(126);
	_exit(127);
}

static void bind_cpus(const struct plan *plan)
{
	unsigned long got[CPUS_MAX / WORD_BITS] = {0};

	if (syscall(SYS_sched_setaffinity, 0, sizeof(plan->cpus), plan->cpus) < 0 ||
	    syscall(SYS_sched_getaffinity, 0, sizeof(got), got) < 0)
		fail(plan, STAGE_AFFINITY, errno);
	/* The kernel drops what is not there or not allowed without a word. */
	if (memcmp(got, plan->cpus, sizeof(got)))
		fail(plan, STAGE_AFFINITY, EINVAL);
}

/* Where the program reads and writes: the pipes, or a terminal of its own. */
static int connect_streams(const struct plan *plan)
{
	const char *terminal = plan->launch->terminal;
	int in =
		open(terminal ? terminal : "/dev/null", (terminal ? O_RDWR : O_RDONLY) | O_CLOEXEC);

	if (in < 0 || (terminal && ioctl(in, TIOCSCTTY, 0)))
		return -1;
	return dup2(in, 0) < 0 || dup2(terminal ? in : plan->out, 1) < 0 ||
			       dup2(terminal ? in : plan->errout, 2) < 0
		       ? -1
		       : 0;
}

static void child(const struct plan *plan) __attribute__((noreturn));
static void child(const struct plan *plan)
{
	const struct launch *l = plan->launch;

	signals_reset();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != plan->agent)
		_exit(127);
	if (setsid() < 0 || connect_streams(plan))
		fail(plan, STAGE_SETUP, errno);
	if (l->cpus)
		bind_cpus(plan);
	if (plan->policy == MPOL_LOCAL && set_mempolicy(MPOL_LOCAL, NULL, 0))
		fail(plan, STAGE_MEMORY, errno);
	if (plan->policy >= 0 && plan->policy != MPOL_LOCAL &&
	    set_mempolicy(plan->policy, plan->nodes, NODES_MAX))
		fail(plan, STAGE_MEMORY, errno);
	for (char **e = l->env; e && *e; e++)
		putenv(*e);
	if (l->program)
		execv(l->program, l->argv);
	else
		execvp(l->argv[0], l->argv);
	fail(plan, STAGE_EXEC, errno);
}

static int explain(const struct launch *l, const struct failure *f, struct error *err)
{
	switch (f->stage) {
	case STAGE_AFFINITY:
		if (f->errnum != EINVAL)
			break;
		return error_set(err, ERROR_FAILED,
				 "CPUs '%.128s' are not all there, online and allowed", l->cpus);
	case STAGE_MEMORY:
		return error_sys(err, f->errnum, "cannot bind memory to '%.128s'", l->memory);
	case STAGE_EXEC:
		return error_sys(err, f->errnum, "cannot run '%.256s'",
				 l->program ? l->program : l->argv[0]);
	case STAGE_SETUP:
		break;
	}
	return error_sys(err, f->errnum, "cannot prepare '%.256s'", l->argv[0]);
}

/* Nothing to read means that the program was executed: the pipe closes on exec. */
static int await_exec(const struct launch *l, pid_t pid, int status_fd, struct error *err)
{
	struct failure f;
	ssize_t n;

	do
		n = read(status_fd, &f, sizeof(f));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(f))
		return 0;
	waitpid(pid, NULL, 0);
	return explain(l, &f, err);
}

static int fork_plan(struct plan *plan, int status_near, pid_t *pid, int *pidfd, struct error *err)
{
	struct error ignored = ERROR_INIT;
	struct rusage usage;
	int status;

	*pid = fork();
	if (*pid < 0)
		return error_sys(err, errno, "cannot fork");
	if (*pid == 0)
		child(plan);
	close(plan->status);
	plan->status = -1;
	if (await_exec(plan->launch, *pid, status_near, err))
		return -1;
	*pidfd = syscall(SYS_pidfd_open, *pid, 0);
	if (*pidfd >= 0)
		return 0;
	error_sys(err, errno, "cannot watch '%.256s'", plan->launch->argv[0]);
	reap_all(*pid, &status, &usage, &ignored);
	return -1;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

int launch_program(const struct launch *l, pid_t *pid, int *pidfd, int *out, int *errout,
		   struct error *err)
{
	int o[2] = {-1, -1}, e[2] = {-1, -1}, s[2] = {-1, -1};
	struct plan plan;
	int ret;

	if (make_plan(&plan, l, err))
		return -1;
	if (pipe2(o, O_CLOEXEC) || pipe2(e, O_CLOEXEC) || pipe2(s, O_CLOEXEC)) {
		ret = error_sys(err, errno, "cannot create a pipe");
	} else {
		plan.out = o[1];
		plan.errout = e[1];
		plan.status = s[1];
		ret = fork_plan(&plan, s[0], pid, pidfd, err);
		s[1] = plan.status;
	}
	close_fd(o[1]);
	close_fd(e[1]);
	close_fd(s[0]);
	close_fd(s[1]);
	if (ret) {
		close_fd(o[0]);
		close_fd(e[0]);
		return -1;
	}
	fcntl(o[0], F_SETFL, O_NONBLOCK);
	fcntl(e[0], F_SETFL, O_NONBLOCK);
	*out = o[0];
	*errout = e[0];
	return 0;
}
