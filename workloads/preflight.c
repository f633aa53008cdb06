// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preflight.h"
#include "sysfile.h"

static uint64_t total(const struct demand *d, uint64_t size)
{
	uint64_t sum;

	if (__builtin_mul_overflow(d->unit, size, &sum) ||
	    __builtin_add_overflow(sum, d->fixed, &sum))
		return UINT64_MAX;
	return sum;
}

/* @have is what is left for the run, @what names it, @limit is where the number comes from. */
static int check(const struct needs *n, const struct demand *d, uint64_t have, const char *what,
		 const char *limit, struct error *err)
{
	uint64_t need = total(d, n->size);
	char advice[128] = "";

	if (need <= have)
		return 0;
	if (d->unit && have >= d->fixed + d->unit)
		snprintf(advice, sizeof(advice), ": %" PRIu64 " %s at most (%s %" PRIu64 ")",
			 (have - d->fixed) / d->unit, n->units, n->flag,
			 (have - d->fixed) / d->unit);
	return error_set(err, ERROR_USAGE, "needs %" PRIu64 " %s, %s leaves %" PRIu64 "%s", need,
			 what, limit, have, advice);
}

static uint64_t open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	uint64_t n = 0;

	if (!dir)
		return 3;
	for (const struct dirent *e; (e = readdir(dir));)
		n += isdigit((unsigned char)e->d_name[0]) != 0;
	closedir(dir);
	return n - 1; /* the directory itself */
}

static int check_fds(const struct needs *n, struct error *err)
{
	uint64_t open = open_fds(), need = total(&n->fds, n->size);
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return error_sys(err, errno, "cannot read the limit of file descriptors");
	if (lim.rlim_max != RLIM_INFINITY &&
	    check(n, &n->fds, lim.rlim_max > open ? lim.rlim_max - open : 0, "file descriptors",
		  "the hard limit (ulimit -Hn)", err))
		return -1;
	if (need + open <= lim.rlim_cur)
		return 0;
	lim.rlim_cur = need + open;
	if (setrlimit(RLIMIT_NOFILE, &lim))
		return error_sys(err, errno,
				 "cannot raise the limit of file descriptors to %" PRIu64,
				 need + open);
	return 0;
}

/* Threads of the processes that belong to the caller's user. */
static uint64_t tasks_of_user(void)
{
	DIR *proc = opendir("/proc");
	uint64_t n = 0;

	if (!proc)
		return 0;
	for (const struct dirent *e; (e = readdir(proc));) {
		char path[300], text[4096];
		const char *threads;
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%s/status", e->d_name);
		if (!isdigit((unsigned char)e->d_name[0]) || stat(path, &st) ||
		    st.st_uid != getuid() || sysfile_read(path, text, sizeof(text)))
			continue;
		threads = strstr(text, "\nThreads:");
		if (threads)
			n += strtoull(threads + 9, NULL, 10);
	}
	closedir(proc);
	return n;
}

/* Tasks that the pids controller leaves, over the group at @path below @mount and its parents. */
static uint64_t pids_left(const char *mount, const char *group)
{
	char path[1024], file[1100];
	uint64_t left = UINT64_MAX;
	char *slash;

	snprintf(path, sizeof(path), "%s%s", mount, group);
	do {
		int64_t max, now;

		snprintf(file, sizeof(file), "%s/pids.max", path);
		if (!sysfile_number(file, &max) && max != INT64_MAX) {
			snprintf(file, sizeof(file), "%s/pids.current", path);
			if (sysfile_number(file, &now))
				now = 0;
			if ((uint64_t)(max > now ? max - now : 0) < left)
				left = (uint64_t)(max > now ? max - now : 0);
		}
		slash = strrchr(path, '/');
		*slash = 0;
	} while (strlen(path) >= strlen(mount));
	return left;
}

static uint64_t cgroup_tasks_left(void)
{
	char text[8192], *rest = text;
	uint64_t left = UINT64_MAX;

	if (sysfile_read("/proc/self/cgroup", text, sizeof(text)))
		return left;
	for (char *line; (line = strsep(&rest, "\n"));) {
		char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
		uint64_t l;

		if (!group)
			continue;
		*group++ = 0;
		if (!strcmp(names + 1, "pids"))
			l = pids_left("/sys/fs/cgroup/pids", group);
		else if (!names[1])
			l = pids_left("/sys/fs/cgroup", group);
		else
			continue;
		left = l < left ? l : left;
	}
	return left;
}

static int check_tasks(const struct needs *n, struct error *err)
{
	int64_t max, running = 0;
	struct rlimit lim;
	char text[128];
	const char *slash;

	if (!sysfile_read("/proc/loadavg", text, sizeof(text)) && (slash = strchr(text, '/')))
		running = strtoll(slash + 1, NULL, 10);
	if (!sysfile_number("/proc/sys/kernel/threads-max", &max) &&
	    check(n, &n->tasks, (uint64_t)(max > running ? max - running : 0), "tasks",
		  "kernel.threads-max", err))
		return -1;
	if (!sysfile_number("/proc/sys/kernel/pid_max", &max) &&
	    check(n, &n->tasks, (uint64_t)(max > running ? max - running : 0), "tasks",
		  "kernel.pid_max", err))
		return -1;
	if (check(n, &n->tasks, cgroup_tasks_left(), "tasks", "pids.max of the cgroup", err))
		return -1;
	if (geteuid() && !getrlimit(RLIMIT_NPROC, &lim) && lim.rlim_cur != RLIM_INFINITY) {
		uint64_t mine = tasks_of_user();

		return check(n, &n->tasks, lim.rlim_cur > mine ? lim.rlim_cur - mine : 0, "tasks",
			     "the limit of processes (ulimit -u)", err);
	}
	return 0;
}

static int check_memory(const struct needs *n, struct error *err)
{
	char text[4096];
	const char *line;

	if (sysfile_read("/proc/meminfo", text, sizeof(text)))
		return 0;
	line = strstr(text, "MemAvailable:");
	if (!line)
		return 0;
	return check(n, &n->memory, strtoull(line + 13, NULL, 10) * 1024, "bytes of memory",
		     "MemAvailable", err);
}

static int check_ports(const struct needs *n, struct error *err)
{
	unsigned first, last;
	char text[64];

	if (!total(&n->ports, n->size) ||
	    sysfile_read("/proc/sys/net/ipv4/ip_local_port_range", text, sizeof(text)) ||
	    sscanf(text, "%u %u", &first, &last) != 2 || last < first)
		return 0;
	return check(n, &n->ports, last - first + 1, "ports", "net.ipv4.ip_local_port_range", err);
}

int preflight(const struct needs *needs, struct error *err)
{
	if (check_fds(needs, err) || check_tasks(needs, err) || check_memory(needs, err) ||
	    check_ports(needs, err))
		return -1;
	return 0;
}
