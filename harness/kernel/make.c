// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/make.h"
#include "kernel/make_error.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/strlist.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define LOCALVERSION_MAX 32 /* a release has 64 characters in all */
#define GRACE_S		 15 /* for make to delete what it was at */
#define SAY_EVERY_S	 30 /* without a terminal */
#define LINE_MAX_BYTES	 (1 << 16)

struct run {
	const struct make_job *job;
	struct make_result *result;
	struct subprocess sp;
	struct strbuf line; /* of make's output, as far as it has come */
	int log_fd, interrupt_fd;
	double started, said, asked_to_stop; /* monotonic; 0: not yet */
	bool terminal;
};

char *make_localversion(const char *name)
{
	return xasprintf("-%.*s", LOCALVERSION_MAX, name);
}

static void add_variable(struct strlist *argv, const char *name, const char *fallback)
{
	const char *value = getenv(name);

	if (value || fallback)
		strlist_addf(argv, "%s=%s", name, value ? value : fallback);
}

static void add_arguments(struct strlist *argv, const struct make_job *job)
{
	char *local = make_localversion(job->name);

	strlist_add(argv, "env");
	strlist_add(argv, "-i");
	add_variable(argv, "PATH", "/usr/local/bin:/usr/bin:/bin");
	add_variable(argv, "HOME", "/");
	add_variable(argv, "TMPDIR", NULL);
	strlist_add(argv, "LC_ALL=C");
	strlist_add(argv, "make");
	strlist_addf(argv, "-j%ld", sysconf(_SC_NPROCESSORS_ONLN));
	strlist_add(argv, "-C");
	strlist_add(argv, job->source);
	strlist_addf(argv, "O=%s", job->objects);
	strlist_addf(argv, "ARCH=%s", job->toolchain->arch);
	strlist_addf(argv, "CROSS_COMPILE=%s", job->toolchain->cross);
	strlist_add(argv, "KBUILD_BUILD_USER=schedbench");
	strlist_add(argv, "KBUILD_BUILD_HOST=schedbench");
	strlist_add(argv, "KBUILD_BUILD_VERSION=1");
	strlist_add(argv, "KBUILD_BUILD_TIMESTAMP=Sat Jan  1 00:00:00 UTC 2000");
	strlist_addf(argv, "LOCALVERSION=%s", local);
	for (const char *const *t = job->targets; *t; t++)
		strlist_add(argv, *t);
	free(local);
}

static int start(struct run *r, struct error *err)
{
	struct subprocess_spec spec = SUBPROCESS_SPEC_INIT;
	struct strlist argv = STRLIST_INIT;
	int ret;

	add_arguments(&argv, r->job);
	spec.argv = strlist_argv(&argv);
	spec.out = SUBPROCESS_PIPE;
	spec.err = r->log_fd;
	spec.keep_fd = r->job->lock_fd;
	spec.own_group = true;
	spec.die_with_parent = true;
	ret = subprocess_start(&r->sp, &spec, err);
	strlist_release(&argv);
	return ret;
}

/* "  CC      kernel/fork.o" */
static void count_line(struct run *r, const char *line)
{
	static const char *const compilers[] = {"CC ", "AS ", "CC [M]", "AS [M]"};

	if (strncmp(line, "  ", 2) || !isupper((unsigned char)line[2]))
		return;
	r->result->steps++;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		if (!strncmp(line + 2, compilers[i], strlen(compilers[i]))) {
			r->result->compiled++;
			return;
		}
}

static int take_output(struct run *r, struct error *err)
{
	char buf[16384];
	ssize_t n = read(r->sp.out, buf, sizeof(buf));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n <= 0)
		return 0;
	if (write_all(r->log_fd, buf, n))
		return error_sys(err, errno, "cannot write '%s'", r->job->log);
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] != '\n') {
			if (r->line.len < LINE_MAX_BYTES)
				strbuf_addch(&r->line, buf[i]);
			continue;
		}
		count_line(r, r->line.buf);
		strbuf_reset(&r->line);
	}
	return 1;
}

static void add_duration(struct strbuf *out, double seconds)
{
	if (seconds < 100)
		strbuf_addf(out, "%.0f s", seconds);
	else
		strbuf_addf(out, "%.0f min", seconds / 60);
}

/* What is left is judged by the part that is done; at first that says too little. */
static void say_progress(struct run *r)
{
	double now = monotonic_s(), elapsed = now - r->started;
	unsigned done = r->result->steps, of = r->job->expected;
	struct strbuf text = STRBUF_INIT;

	if (r->job->quiet || now - r->said < (r->terminal ? 1 : SAY_EVERY_S))
		return;
	r->said = now;
	strbuf_addf(&text, "schedbench: building '%s': %u", r->job->name, done);
	if (of > done)
		strbuf_addf(&text, " of about %u", of);
	strbuf_addstr(&text, " steps, ");
	add_duration(&text, elapsed);
	if (of > done && done > 20) {
		strbuf_addstr(&text, ", about ");
		add_duration(&text, elapsed * (of - done) / done);
		strbuf_addstr(&text, " left");
	}
	fprintf(stderr, r->terminal ? "\r\033[K%s" : "%s\n", text.buf);
	strbuf_release(&text);
}

static void ask_to_stop(struct run *r)
{
	if (r->asked_to_stop > 0)
		return;
	r->asked_to_stop = monotonic_s();
	kill(-r->sp.pid, SIGTERM);
}

/* 0: make has closed its output, 1: it had to be killed. */
static int follow(struct run *r, struct error *err)
{
	int more = 1;

	while (more > 0) {
		struct pollfd p[2] = {{.fd = r->sp.out, .events = POLLIN},
				      {.fd = r->asked_to_stop > 0 ? -1 : r->interrupt_fd,
				       .events = POLLIN}};

		if (poll(p, 2, 1000) < 0 && errno != EINTR)
			return error_sys(err, errno, "cannot wait for make");
		if (p[1].revents)
			ask_to_stop(r);
		if (p[0].revents)
			more = take_output(r, err);
		if (r->asked_to_stop > 0 && monotonic_s() - r->asked_to_stop > GRACE_S)
			return 1;
		say_progress(r);
	}
	return more;
}

static int judge(const struct run *r, int status, struct error *err)
{
	if (r->asked_to_stop > 0)
		return error_set(err, ERROR_INTERRUPTED,
				 "the build of kernel '%s' was interrupted (the next one continues "
				 "it)",
				 r->job->name);
	if (!status)
		return 0;
	return make_explain(r->job->name, r->job->log, status, err);
}

static int run_to_end(struct run *r, bool *clean, struct error *err)
{
	int status = 0, ret = follow(r, err);

	if (!ret && subprocess_wait(&r->sp, r->asked_to_stop > 0 ? GRACE_S * 1000 : -1, &status,
				    err) == 1) {
		*clean = WIFEXITED(status) || r->asked_to_stop > 0;
		subprocess_release(&r->sp);
		return judge(r, status, err);
	}
	subprocess_kill(&r->sp);
	return ret < 0 ? -1 : judge(r, -1, err);
}

/* Our own watch for signals, whether or not the caller has one: what it blocked stays blocked. */
struct watch {
	int fd;
	sigset_t before;
};

static int watch_open(struct watch *w, struct error *err)
{
	sigprocmask(SIG_BLOCK, NULL, &w->before);
	w->fd = interrupt_open(err);
	return w->fd < 0 ? -1 : 0;
}

static void watch_close(struct watch *w)
{
	struct signalfd_siginfo info;

	/* The interruption has been answered, unless it is somebody else's to see. */
	if (!sigismember(&w->before, SIGINT))
		while (read(w->fd, &info, sizeof(info)) == sizeof(info))
			;
	close(w->fd);
	sigprocmask(SIG_SETMASK, &w->before, NULL);
}

int make_run(const struct make_job *job, struct make_result *result, bool *clean, struct error *err)
{
	struct run r = {.job = job, .result = result, .line = STRBUF_INIT};
	struct watch watch;
	int ret;

	*clean = true;
	r.log_fd = open(job->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (r.log_fd < 0)
		return error_sys(err, errno, "cannot open '%s'", job->log);
	if (watch_open(&watch, err)) {
		close(r.log_fd);
		return -1;
	}
	r.interrupt_fd = watch.fd;
	r.terminal = isatty(STDERR_FILENO);
	r.started = r.said = monotonic_s();
	ret = start(&r, err);
	if (!ret) {
		*clean = false;
		ret = run_to_end(&r, clean, err);
	}
	if (r.terminal && r.said > r.started)
		fputs("\r\033[K", stderr);
	result->seconds += monotonic_s() - r.started;
	watch_close(&watch);
	close(r.log_fd);
	strbuf_release(&r.line);
	return ret;
}
