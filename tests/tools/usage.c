// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * usage [-s SERVER] COMMAND [ARG]...
 *
 * Run a command, its output to stderr, and print on stdout what it and all its descendants used:
 * "CPU_SECONDS CONTEXT_SWITCHES". The exit status is the command's.
 *
 * SERVER is started first, and killed once the command has connected to it: processes that it has
 * created for connections then become children of this one, and are accounted for. A server that
 * ignores SIGCHLD would lose what they used.
 */

enum { SETTLE_MS = 300, CONNECT_MS = 1000 };

struct total {
	double cpu;
	long switches;
};

static void sleep_ms(int ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static pid_t start(char *const *argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static void add(struct total *t, const struct rusage *ru)
{
	t->cpu += (double)ru->ru_utime.tv_sec + (double)ru->ru_utime.tv_usec / 1e6 +
		  (double)ru->ru_stime.tv_sec + (double)ru->ru_stime.tv_usec / 1e6;
	t->switches += ru->ru_nvcsw + ru->ru_nivcsw;
}

/* Wait for all there is; the status of @command. */
static int reap(pid_t command, struct total *t)
{
	int status, result = 127 << 8;
	struct rusage ru;
	pid_t pid;

	while ((pid = wait4(-1, &status, 0, &ru)) > 0 || errno == EINTR) {
		if (pid <= 0)
			continue;
		add(t, &ru);
		if (pid == command)
			result = status;
	}
	return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

int main(int argc, char **argv)
{
	bool serve = argc > 3 && !strcmp(argv[1], "-s");
	char *server_argv[2] = {serve ? argv[2] : NULL, NULL};
	struct total t = {0, 0};
	pid_t server = 0, command;
	int status;

	if (argc < 2) {
		fputs("Usage: usage [-s SERVER] COMMAND [ARG]...\n", stderr);
		return 2;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (serve) {
		server = start(server_argv);
		sleep_ms(SETTLE_MS);
	}
	command = start(argv + (serve ? 3 : 1));
	if (server > 0) {
		sleep_ms(CONNECT_MS);
		kill(server, SIGTERM);
	}
	status = reap(command, &t);
	printf("%.6f %ld\n", t.cpu, t.switches);
	return status;
}
