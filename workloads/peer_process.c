// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer_process.h"

/* The originals print some lines; one that does not stop is ended by SIGXFSZ. */
enum { MOST_TEXT = 16 << 20 };

static int put_environment(const char *const *environment)
{
	/* Decimal commas and translated messages are for people. */
	if (setenv("LC_ALL", "C", 1) || unsetenv("LANGUAGE"))
		return -1;
	for (; *environment; environment++)
		if (**environment && putenv((char *)*environment))
			return -1;
	return 0;
}

static void wait_for_gate(const int gate[2])
{
	char byte;

	if (gate[0] < 0)
		return;
	close(gate[1]);
	while (read(gate[0], &byte, 1) < 0 && errno == EINTR)
		;
}

static _Noreturn void become(const struct peer_process *p, const struct peer_command *c,
			     const char *const *environment, struct peer_guard *guard, pid_t parent,
			     const int gate[2])
{
	const struct rlimit most = {MOST_TEXT, MOST_TEXT};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (peer_guard_enter(guard, p->slot, parent) || dup2(p->out, STDOUT_FILENO) < 0 ||
	    dup2(p->err, STDERR_FILENO) < 0)
		_exit(126);
	wait_for_gate(gate);
	if (put_environment(environment) || setrlimit(RLIMIT_FSIZE, &most)) {
		dprintf(STDERR_FILENO, "%s\n", strerror(errno));
		_exit(126);
	}
	execv(c->path, (char *const *)c->argv);
	dprintf(STDERR_FILENO, "cannot execute '%s': %s\n", c->path, strerror(errno));
	_exit(126);
}

int peer_process_start(struct peer_process *p, const struct peer_command *c,
		       const char *const *environment, struct peer_guard *guard, unsigned slot,
		       const int gate[2], struct error *err)
{
	pid_t parent = getpid();

	p->slot = slot;
	p->out = memfd_create("out", MFD_CLOEXEC);
	p->err = memfd_create("err", MFD_CLOEXEC);
	if (p->out < 0 || p->err < 0)
		return error_sys(err, errno, "cannot create a file in memory");
	p->pid = fork();
	if (p->pid < 0) {
		p->pid = 0;
		return error_sys(err, errno, "cannot create a process");
	}
	if (!p->pid)
		become(p, c, environment, guard, parent, gate);
	return 0;
}

char *peer_process_text(int fd, struct error *err)
{
	struct stat st;
	char *text;
	size_t size;

	if (fstat(fd, &st)) {
		error_sys(err, errno, "cannot read what the original printed");
		return NULL;
	}
	size = (size_t)st.st_size;
	text = calloc(1, size + 1);
	if (!text || pread(fd, text, size, 0) != (ssize_t)size) {
		error_sys(err, errno, "cannot read what the original printed");
		free(text);
		return NULL;
	}
	/* Readers see strings; bytes behind a NUL must not be hidden from them. */
	for (size_t i = 0; i < size; i++)
		if (!text[i])
			text[i] = '?';
	return text;
}

/* The last line that says something, cut; "" for none. */
static void last_words(int fd, char *buf, size_t size)
{
	struct error unused;
	char *text = fd < 0 ? NULL : peer_process_text(fd, &unused);
	size_t end = text ? strlen(text) : 0, start;

	while (end && strchr(" \t\r\n", text[end - 1]))
		end--;
	for (start = end; start && text[start - 1] != '\n'; start--)
		;
	snprintf(buf, size, "%.*s", (int)(end - start), text ? text + start : "");
	free(text);
}

int peer_process_failed(const struct peer_process *p, const char *name, struct error *err)
{
	char words[256];

	last_words(p->err, words, sizeof(words));
	if (!*words)
		last_words(p->out, words, sizeof(words));
	if (WIFSIGNALED(p->status))
		return error_set(err, ERROR_FAILED, "%s was killed by signal %d (%s)%s%s", name,
				 WTERMSIG(p->status), strsignal(WTERMSIG(p->status)),
				 *words ? ": " : "", words);
	return error_set(err, ERROR_FAILED, "%s ended with status %d%s%s", name,
			 WEXITSTATUS(p->status), *words ? ": " : "", words);
}

void peer_process_close(struct peer_process *p)
{
	if (p->out >= 0)
		close(p->out);
	if (p->err >= 0)
		close(p->err);
	p->out = p->err = -1;
}
