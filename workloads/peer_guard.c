// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "outcome.h"
#include "peer_guard.h"

/* Shared by the guard, by who started it and by its children. */
struct peer_guard {
	unsigned max;
	pid_t groups[]; /* 0: not there yet */
};

void peer_guard_kill(struct peer_guard *guard, unsigned slot, int signal)
{
	pid_t group = __atomic_load_n(&guard->groups[slot], __ATOMIC_ACQUIRE);

	if (group)
		kill(-group, signal);
}

static _Noreturn void watch(struct peer_guard *guard, pid_t parent, const sigset_t *gone)
{
	int signal;

	setpgid(0, 0);
	/* A parent that ended before it was asked to be told of is not told of. */
	if (!prctl(PR_SET_PDEATHSIG, SIGTERM) && getppid() == parent)
		while (sigwait(gone, &signal))
			;
	for (unsigned i = 0; i < guard->max; i++)
		peer_guard_kill(guard, i, SIGKILL);
	_exit(0);
}

struct peer_guard *peer_guard_start(unsigned max, struct error *err)
{
	struct peer_guard *guard =
		shared_alloc(sizeof(*guard) + max * sizeof(guard->groups[0]), err);
	pid_t parent = getpid(), pid;
	sigset_t gone, before;

	if (!guard)
		return NULL;
	guard->max = max;
	sigemptyset(&gone);
	sigaddset(&gone, SIGTERM);
	sigprocmask(SIG_BLOCK, &gone, &before);
	pid = fork();
	if (!pid)
		watch(guard, parent, &gone);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0) {
		error_sys(err, errno, "cannot create a process");
		return NULL;
	}
	return guard;
}

int peer_guard_enter(struct peer_guard *guard, unsigned slot, pid_t parent)
{
	if (setpgid(0, 0))
		return -1;
	__atomic_store_n(&guard->groups[slot], getpid(), __ATOMIC_RELEASE);
	/* A guard that has looked already has been told by the end of the same parent. */
	return prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent ? -1 : 0;
}
