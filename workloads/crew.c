// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"

enum {
	EXIT_OF_FAILED_WORKER = 3,
	GRACE_NS = 50000000, /* for the first cause of several failures to show up */
	DEFAULT_STACK = 64 << 10,
};

static void name_worker(const struct crew *crew, unsigned index, char *buf, size_t size)
{
	if (crew->opt.name)
		crew->opt.name(crew->opt.ctx, index, buf, size);
	else
		snprintf(buf, size, "worker %u", index);
}

static void child_exited(int sig)
{
	(void)sig;
}

/*
 * The end of a worker must interrupt a wait of the runner without being missed before it: SIGCHLD
 * stays blocked and is let in by ppoll() only.
 */
static int catch_child_signals(struct error *err)
{
	struct sigaction sa = {.sa_handler = child_exited};
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	if (sigaction(SIGCHLD, &sa, NULL) || sigprocmask(SIG_BLOCK, &block, NULL))
		return error_sys(err, errno, "cannot set up SIGCHLD");
	return 0;
}

int crew_init(struct crew *crew, const struct run *run, const struct crew_options *opt,
	      struct error *err)
{
	*crew = (struct crew){.opt = *opt, .run = run, .ready = {-1, -1}, .wake = {-1, -1}};
	if (!crew->opt.stack)
		crew->opt.stack = DEFAULT_STACK;
	crew->workers = calloc(opt->count, sizeof(*crew->workers));
	crew->reaped = calloc(opt->count, sizeof(*crew->reaped));
	if (!crew->workers || !crew->reaped)
		return error_sys(err, ENOMEM, "cannot list %u workers", opt->count);
	crew->shared = shared_alloc(sizeof(*crew->shared), err);
	if (!crew->shared || channel_open(opt->barrier, crew->ready, err) ||
	    channel_open(opt->barrier, crew->wake, err))
		return -1;
	return opt->threads ? 0 : catch_child_signals(err);
}

/* Keep the first message only: later ones are mostly consequences. */
static void leave_message(struct crew *crew, unsigned index, const struct error *err)
{
	struct crew_shared *s = crew->shared;
	int none = 0;

	if (!__atomic_compare_exchange_n(&s->failed, &none, -1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	s->err = *err;
	__atomic_store_n(&s->failed, (int)index + 1, __ATOMIC_RELEASE);
}

static void set_failure(const struct crew *crew, unsigned index, const struct error *cause,
			struct error *err)
{
	char name[64];

	name_worker(crew, index, name, sizeof(name));
	error_set(err, cause->kind, "%s: %.900s", name, cause->msg);
}

static int do_work(struct worker *w)
{
	struct error err = {0};

	if (!place_bind_worker(w->crew->run->place, w->index, &err) && !w->work(w, &err))
		return 0;
	leave_message(w->crew, w->index, &err);
	return -1;
}

/*
 * A thread that fails takes the whole process along, as a killed one does: the others may wait
 * for it for ever. The message reaches the parent through the outcome.
 */
static void *thread_main(void *arg)
{
	struct worker *w = arg;
	struct crew *crew = w->crew;

	if (do_work(w)) {
		int by = __atomic_load_n(&crew->shared->failed, __ATOMIC_ACQUIRE);

		if (by != (int)w->index + 1)
			return NULL; /* the first one to fail is about to end the process */
		set_failure(crew, w->index, &crew->shared->err, &crew->run->out->err);
		_exit(EXIT_OF_FAILED_WORKER);
	}
	return NULL;
}

static int add_thread(struct crew *crew, struct worker *w, struct error *err)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	rc = pthread_attr_setstacksize(&attr, crew->opt.stack);
	if (!rc)
		rc = pthread_create(&w->thread, &attr, thread_main, w);
	pthread_attr_destroy(&attr);
	if (rc)
		return error_sys(err, rc, "cannot create thread %u of %u", w->index + 1,
				 crew->opt.count);
	return 0;
}

static int add_process(struct crew *crew, struct worker *w, struct error *err)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return error_sys(err, errno, "cannot create process %u of %u", w->index + 1,
				 crew->opt.count);
	if (pid) {
		w->pid = pid;
		return 0;
	}
	/* No worker survives who created it, whatever ends that one. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXIT_OF_FAILED_WORKER);
	_exit(do_work(w) ? EXIT_OF_FAILED_WORKER : 0);
}

int crew_add(struct crew *crew, int (*work)(struct worker *w, struct error *err), void *arg,
	     struct error *err)
{
	struct worker *w = &crew->workers[crew->created];
	int rc;

	*w = (struct worker){.crew = crew, .index = crew->created, .work = work, .arg = arg};
	rc = crew->opt.threads ? add_thread(crew, w, err) : add_process(crew, w, err);
	if (!rc)
		crew->created++;
	return rc;
}

int crew_ready(struct worker *w, struct error *err)
{
	struct pollfd wake = {.fd = w->crew->wake[0], .events = POLLIN};
	char byte = 0;

	if (channel_write(w->crew->ready[1], &byte, 1, err))
		return -1;
	while (poll(&wake, 1, -1) != 1)
		if (errno != EINTR)
			return error_sys(err, errno, "cannot wait for the start");
	return 0;
}

static struct worker *find_worker(struct crew *crew, pid_t pid)
{
	for (unsigned i = 0; i < crew->created; i++)
		if (crew->workers[i].pid == pid)
			return &crew->workers[i];
	return NULL;
}

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static void add_usage(struct usage *u, const struct rusage *ru)
{
	u->user_s += seconds(&ru->ru_utime);
	u->system_s += seconds(&ru->ru_stime);
	u->voluntary_switches += (uint64_t)ru->ru_nvcsw;
	u->involuntary_switches += (uint64_t)ru->ru_nivcsw;
}

/* A status other than exit(0): remember the first, prefer one that a signal killed. */
static void note_failure(struct crew *crew, pid_t pid, int status, struct worker **culprit,
			 int *its_status)
{
	struct worker *w = find_worker(crew, pid);

	if (!w || (*culprit && !(WIFSIGNALED(status) && !WIFSIGNALED(*its_status))))
		return;
	*culprit = w;
	*its_status = status;
}

/* The process ids of workers that are gone may belong to others by now. */
static void forget_reaped(struct crew *crew)
{
	for (unsigned i = 0; i < crew->waited; i++) {
		struct worker *w = find_worker(crew, crew->reaped[i]);

		if (w)
			w->pid = 0;
	}
}

static void kill_workers(struct crew *crew)
{
	if (crew->opt.threads)
		return;
	forget_reaped(crew);
	for (unsigned i = 0; i < crew->created; i++)
		if (crew->workers[i].pid)
			kill(crew->workers[i].pid, SIGKILL);
	for (unsigned i = 0; i < crew->created; i++) {
		struct worker *w = &crew->workers[i];

		while (w->pid && waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
		w->pid = 0;
	}
}

/*
 * A worker has ended badly with @status. The peers of a killed worker fail as well, sometimes
 * earlier than the death of the first is reported: look once more before naming one.
 */
static int fail(struct crew *crew, pid_t pid, int status, struct error *err)
{
	struct timespec grace = {.tv_nsec = GRACE_NS};
	struct worker *culprit = NULL;
	int its_status = 0, by;
	char name[64];

	nanosleep(&grace, NULL);
	do {
		if (status)
			note_failure(crew, pid, status, &culprit, &its_status);
		if (crew->waited < crew->created)
			crew->reaped[crew->waited++] = pid;
	} while ((pid = waitpid(-1, &status, WNOHANG)) > 0);
	kill_workers(crew);
	by = __atomic_load_n(&crew->shared->failed, __ATOMIC_ACQUIRE);
	if (!culprit)
		return error_set(err, ERROR_FAILED, "a process that is no worker ended");
	name_worker(crew, culprit->index, name, sizeof(name));
	if (WIFSIGNALED(its_status))
		return error_set(err, ERROR_FAILED, "%s was killed by signal %d (%s)", name,
				 WTERMSIG(its_status), strsignal(WTERMSIG(its_status)));
	if (by > 0) {
		set_failure(crew, (unsigned)by - 1, &crew->shared->err, err);
		return -1;
	}
	return error_set(err, ERROR_FAILED, "%s ended with status %d", name,
			 WEXITSTATUS(its_status));
}

/* Reap one worker and account for it. 1: done, 0: none with WNOHANG, -1: it failed. */
static int reap(struct crew *crew, int flags, struct error *err)
{
	struct rusage ru;
	int status;
	pid_t pid;

	do
		pid = wait4(-1, &status, flags, &ru);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return error_sys(err, errno, "cannot wait for the workers");
	if (!pid)
		return 0;
	if (status)
		return fail(crew, pid, status, err);
	add_usage(&crew->run->out->usage, &ru);
	crew->reaped[crew->waited++] = pid;
	return 1;
}

/* Wait until @fd (-1: none) is readable or the deadline has come; -1 when a worker ends. */
static int watch(struct crew *crew, int fd, uint64_t deadline_ns, struct error *err)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	sigset_t open;

	sigemptyset(&open);
	for (;;) {
		uint64_t now = now_ns(), left = deadline_ns > now ? deadline_ns - now : 0;
		struct timespec ts = {.tv_sec = (time_t)(left / 1000000000),
				      .tv_nsec = (long)(left % 1000000000)};
		int n = ppoll(&p, 1, deadline_ns ? &ts : NULL, &open);

		if (n >= 0)
			return 0;
		if (errno != EINTR)
			return error_sys(err, errno, "cannot watch the workers");
		/* Who ends after the deadline, before this process gets to run, is not early. */
		if (deadline_ns && now_ns() >= deadline_ns)
			return 0;
		if (crew->opt.threads)
			continue;
		switch (reap(crew, WNOHANG, err)) {
		case 0:
			continue;
		case 1:
			return error_set(err, ERROR_FAILED, "a worker ended before it was told to");
		default:
			return -1;
		}
	}
}

int crew_start(struct crew *crew, struct error *err)
{
	char bytes[4096], byte = 0;
	unsigned ready = 0;

	while (ready < crew->created) {
		ssize_t n;

		if (watch(crew, crew->ready[0], 0, err))
			return -1;
		n = read(crew->ready[0], bytes, sizeof(bytes));
		if (n <= 0)
			return error_sys(err, n ? errno : EPIPE, "cannot read the start barrier");
		ready += (unsigned)n;
	}
	crew->start_ns = crew->shared->start_ns = now_ns();
	return channel_write(crew->wake[1], &byte, 1, err);
}

int crew_sleep(struct crew *crew, uint64_t ns, struct error *err)
{
	return watch(crew, -1, crew->start_ns + ns, err);
}

void crew_stop(struct crew *crew)
{
	__atomic_store_n(&crew->shared->stop, 1, __ATOMIC_RELAXED);
}

static int wait_threads(struct crew *crew, struct error *err)
{
	struct usage *u = &crew->run->out->usage;
	struct rusage all, mine;

	for (; crew->waited < crew->created; crew->waited++) {
		int rc = pthread_join(crew->workers[crew->waited].thread, NULL);

		if (rc)
			return error_sys(err, rc, "cannot wait for a thread");
	}
	crew->run->out->wall_ns += now_ns() - crew->start_ns;
	getrusage(RUSAGE_SELF, &all);
	getrusage(RUSAGE_THREAD, &mine);
	add_usage(u, &all);
	u->user_s = fmax(u->user_s - seconds(&mine.ru_utime), 0);
	u->system_s = fmax(u->system_s - seconds(&mine.ru_stime), 0);
	u->voluntary_switches -= (uint64_t)mine.ru_nvcsw;
	u->involuntary_switches -= (uint64_t)mine.ru_nivcsw;
	return 0;
}

int crew_wait(struct crew *crew, struct error *err)
{
	if (crew->opt.threads)
		return wait_threads(crew, err);
	while (crew->waited < crew->created)
		if (reap(crew, 0, err) < 0)
			return -1;
	crew->run->out->wall_ns += now_ns() - crew->start_ns;
	return 0;
}

void crew_release(struct crew *crew)
{
	int *fds[] = {&crew->ready[0], &crew->ready[1], &crew->wake[0], &crew->wake[1]};

	if (!crew->opt.threads)
		kill_workers(crew);
	else if (crew->waited < crew->created)
		return; /* threads still use all of this; the process is about to end */
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	if (crew->shared)
		munmap(crew->shared, sizeof(*crew->shared));
	free(crew->workers);
	free(crew->reaped);
}
