// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/subprocess.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Resolve one of the three descriptors: far end for the child, near end for the caller. */
static int open_stream(int want, int target, int *near, int *far)
{
	int p[2];

	*near = -1;
	if (want == SUBPROCESS_NULL) {
		*far = open("/dev/null", O_RDWR | O_CLOEXEC);
		return *far < 0 ? -1 : 0;
	}
	if (want == SUBPROCESS_PIPE) {
		if (pipe2(p, O_CLOEXEC))
			return -1;
		*near = p[target == 0];
		*far = p[target != 0];
		return 0;
	}
	*far = fcntl(want == SUBPROCESS_INHERIT ? target : want, F_DUPFD_CLOEXEC, 3);
	return *far < 0 ? -1 : 0;
}

void signals_reset(void)
{
	/* An all-zero kernel sigaction is SIG_DFL; glibc's calls refuse the two signals that it
	 * keeps for itself, and a parent may have them ignored. */
	const unsigned long default_action[8] = {0};
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, default_action, NULL, (size_t)NSIG / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void child(const struct subprocess_spec *spec, const int far[3], int status_fd)
{
	int failure;

	signals_reset();
	if (spec->own_group)
		setpgid(0, 0);
	if (spec->die_with_parent)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 3; i++)
		dup2(far[i], i);
	if (spec->keep_fd >= 0)
		fcntl(spec->keep_fd, F_SETFD, 0);
	for (const char *const *e = spec->env; e && *e; e++)
		putenv((char *)*e);
	if (!spec->dir || chdir(spec->dir) == 0)
		execvp(spec->argv[0], (char *const *)spec->argv);
	failure = errno;
	if (write(status_fd, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* The child reports a failed exec through a close-on-exec pipe: nothing to read means success. */
static int fork_child(struct subprocess *sp, const struct subprocess_spec *spec, const int far[3],
		      struct error *err)
{
	int status[2], failure = 0;

	if (pipe2(status, O_CLOEXEC))
		return error_sys(err, errno, "cannot create a pipe");
	sp->pid = fork();
	if (sp->pid < 0) {
		close(status[0]);
		close(status[1]);
		sp->pid = 0;
		return error_sys(err, errno, "cannot fork");
	}
	if (sp->pid == 0)
		child(spec, far, status[1]);
	close(status[1]);
	while (read(status[0], &failure, sizeof(failure)) < 0 && errno == EINTR)
		;
	close(status[0]);
	if (failure) {
		waitpid(sp->pid, NULL, 0);
		sp->pid = 0;
		return error_sys(err, failure, "cannot run '%s'", spec->argv[0]);
	}
	sp->pidfd = syscall(SYS_pidfd_open, sp->pid, 0);
	if (sp->pidfd < 0) {
		error_sys(err, errno, "cannot watch '%s'", spec->argv[0]);
		subprocess_kill(sp);
		return -1;
	}
	fcntl(sp->pidfd, F_SETFD, FD_CLOEXEC);
	return 0;
}

int subprocess_start(struct subprocess *sp, const struct subprocess_spec *spec, struct error *err)
{
	const int want[3] = {spec->in, spec->out, spec->err};
	int *near[3] = {&sp->in, &sp->out, &sp->err};
	int far[3] = {-1, -1, -1};
	int ret = 0;

	*sp = (struct subprocess){.pidfd = -1, .in = -1, .out = -1, .err = -1};
	sp->own_group = spec->own_group;
	for (int i = 0; i < 3 && !ret; i++)
		if (open_stream(want[i], i, near[i], &far[i]))
			ret = error_sys(err, errno, "cannot redirect the output of '%s'",
					spec->argv[0]);
	if (!ret)
		ret = fork_child(sp, spec, far, err);
	for (int i = 0; i < 3; i++)
		close_fd(&far[i]);
	if (ret)
		subprocess_release(sp);
	return ret;
}

int subprocess_wait(struct subprocess *sp, int timeout_ms, int *status, struct error *err)
{
	struct pollfd p = {.fd = sp->pidfd, .events = POLLIN};
	int n;

	do
		n = poll(&p, 1, timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_sys(err, errno, "cannot wait for a process");
	if (n == 0)
		return 0;
	if (waitpid(sp->pid, status, 0) < 0)
		return error_sys(err, errno, "cannot wait for a process");
	sp->pid = 0;
	return 1;
}

void subprocess_release(struct subprocess *sp)
{
	close_fd(&sp->pidfd);
	close_fd(&sp->in);
	close_fd(&sp->out);
	close_fd(&sp->err);
}

void subprocess_kill(struct subprocess *sp)
{
	if (sp->pid > 0) {
		if (sp->own_group)
			kill(-sp->pid, SIGKILL);
		kill(sp->pid, SIGKILL);
		while (waitpid(sp->pid, NULL, 0) < 0 && errno == EINTR)
			;
		sp->pid = 0;
	}
	subprocess_release(sp);
}

/* Read what is there into @sb; closes the descriptor at its end. */
static void drain(int *fd, struct strbuf *sb)
{
	char buf[16384];
	ssize_t n = read(*fd, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0)
		close_fd(fd);
	else if (sb)
		strbuf_add(sb, buf, n);
}

static int collect(struct subprocess *sp, long long deadline, struct strbuf *out,
		   struct strbuf *errout)
{
	while (sp->out >= 0 || sp->err >= 0) {
		struct pollfd p[2] = {{.fd = sp->out, .events = POLLIN},
				      {.fd = sp->err, .events = POLLIN}};
		long long left = deadline < 0 ? -1 : deadline - now_ms();

		if (deadline >= 0 && left <= 0)
			return -1;
		if (poll(p, 2, left) < 0 && errno != EINTR)
			return -1;
		if (sp->out >= 0 && p[0].revents)
			drain(&sp->out, out);
		if (sp->err >= 0 && p[1].revents)
			drain(&sp->err, errout);
	}
	return 0;
}

int subprocess_capture(const char *const *argv, int timeout_ms, struct strbuf *out,
		       struct strbuf *errout, int *status, struct error *err)
{
	struct subprocess_spec spec = SUBPROCESS_SPEC_INIT;
	long long deadline = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	struct subprocess sp;
	long long left;
	int ended;

	spec.argv = argv;
	spec.out = SUBPROCESS_PIPE;
	spec.err = SUBPROCESS_PIPE;
	spec.own_group = true;
	spec.die_with_parent = true;
	if (subprocess_start(&sp, &spec, err))
		return -1;
	if (collect(&sp, deadline, out, errout) == 0) {
		left = deadline < 0 ? -1 : deadline - now_ms();
		ended = subprocess_wait(&sp, deadline >= 0 && left < 0 ? 0 : left, status, err);
		if (ended == 1) {
			subprocess_release(&sp);
			return 0;
		}
	}
	subprocess_kill(&sp);
	return error_set(err, ERROR_FAILED, "'%s' did not end within %d s", argv[0],
			 timeout_ms / 1000);
}

static const char *last_line(struct strbuf *sb)
{
	char *nl;

	while (sb->len && (sb->buf[sb->len - 1] == '\n' || sb->buf[sb->len - 1] == '\r'))
		sb->buf[--sb->len] = '\0';
	nl = strrchr(sb->buf, '\n');
	return nl ? nl + 1 : sb->buf;
}

int subprocess_output(const char *const *argv, int timeout_ms, struct strbuf *out,
		      struct error *err)
{
	struct strbuf errout = STRBUF_INIT, how = STRBUF_INIT;
	int status = 0;
	int ret = subprocess_capture(argv, timeout_ms, out, &errout, &status, err);

	if (!ret && status) {
		subprocess_describe(status, &how);
		ret = error_set(err, ERROR_FAILED, "'%s' ended with %s: %s", argv[0], how.buf,
				last_line(&errout));
	}
	strbuf_release(&errout);
	strbuf_release(&how);
	return ret;
}

void subprocess_describe(int status, struct strbuf *out)
{
	if (WIFEXITED(status))
		strbuf_addf(out, "exit status %d", WEXITSTATUS(status));
	else
		strbuf_addf(out, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}
