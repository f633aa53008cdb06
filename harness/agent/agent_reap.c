// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent_reap.h"
#include "util/xalloc.h"

#define KILL_PATIENCE_S 20 /* without a single process that goes away */

struct process {
	pid_t pid, parent;
	bool doomed;
};

struct processes {
	struct process *items;
	size_t count, cap;
};

void reap_ended(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* The fourth field of /proc/PID/stat; the name before it may hold anything, even parentheses. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512], *p;
	int fd, parent = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.32s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	p = strrchr(text, ')');
	if (!p || sscanf(p + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

static struct processes list_processes(void)
{
	struct processes l = {0};
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		xgrow(l.items, l.count, l.cap);
		l.items[l.count++] = (struct process){atoi(e->d_name), parent_of(e->d_name), false};
	}
	if (dir)
		closedir(dir);
	return l;
}

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Mark until nothing new is found: a child may have a smaller number than its parent. */
static void doom_descendants(struct processes *l, pid_t root)
{
	bool more;

	qsort(l->items, l->count, sizeof(*l->items), by_pid);
	do {
		more = false;
		for (size_t i = 0; i < l->count; i++) {
			struct process key = {.pid = l->items[i].parent}, *parent;

			if (l->items[i].doomed)
				continue;
			parent = bsearch(&key, l->items, l->count, sizeof(key), by_pid);
			if (key.pid != root && !(parent && parent->doomed))
				continue;
			l->items[i].doomed = more = true;
		}
	} while (more);
}

void kill_descendants(pid_t root)
{
	struct processes l = list_processes();

	if (l.count)
		doom_descendants(&l, root);
	for (size_t i = 0; i < l.count; i++)
		if (l.items[i].doomed && l.items[i].pid != root)
			kill(l.items[i].pid, SIGKILL);
	free(l.items);
}

static void wait_for_child(int ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &ts);
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

int reap_all(pid_t pid, int *status, struct rusage *usage, struct error *err)
{
	double progress = seconds();

	for (;;) {
		struct rusage ru;
		int st;
		pid_t got = wait4(-1, &st, WNOHANG, &ru);

		if (got < 0 && errno == ECHILD)
			return 0;
		if (got > 0) {
			progress = seconds();
			if (got == pid) {
				*status = st;
				*usage = ru;
			}
			continue;
		}
		if (seconds() - progress > KILL_PATIENCE_S)
			return error_set(err, ERROR_FAILED,
					 "processes of the program cannot be killed");
		/* Orphans come to this process: whatever forked meanwhile is found next time. */
		kill_descendants(getpid());
		wait_for_child(50);
	}
}
