// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/console.h"
#include "target/qemu_vm.h"

#define LAST_WORDS_MAX 4096
#define RELEASE_MS     1000

static int start_process(struct qemu_vm *vm, const struct strlist *args, int guest_fd,
			 bool terminal, struct error *err)
{
	struct subprocess_spec spec = SUBPROCESS_SPEC_INIT;

	spec.argv = strlist_argv(args);
	spec.in = terminal ? SUBPROCESS_INHERIT : SUBPROCESS_NULL;
	spec.out = terminal ? SUBPROCESS_INHERIT : SUBPROCESS_NULL;
	spec.err = vm->stderr_fd;
	spec.keep_fd = guest_fd;
	spec.own_group = !terminal;
	spec.die_with_parent = true;
	return subprocess_start(&vm->process, &spec, err);
}

int qemu_vm_start(struct qemu_vm *vm, struct strlist *args, bool terminal, struct error *err)
{
	int pair[2], ret;

	*vm = (struct qemu_vm){.process = {.pidfd = -1, .in = -1, .out = -1, .err = -1}, .fd = -1};
	vm->stderr_fd = memfd_create("qemu-stderr", MFD_CLOEXEC);
	if (vm->stderr_fd < 0)
		return error_sys(err, errno, "cannot create a file in memory");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		close(vm->stderr_fd);
		return error_sys(err, errno, "cannot create a pair of sockets");
	}
	vm->fd = pair[0];
	strlist_add(args, "-chardev");
	strlist_addf(args, "socket,id=agent,fd=%d", pair[1]);
	strlist_add(args, "-device");
	strlist_add(args, "virtio-serial-pci,max_ports=2");
	strlist_add(args, "-device");
	strlist_add(args, "virtserialport,chardev=agent,name=schedbench.0");
	ret = start_process(vm, args, pair[1], terminal, err);
	close(pair[1]);
	if (ret)
		qemu_vm_release(vm);
	return ret;
}

bool qemu_vm_wait(struct qemu_vm *vm, int timeout_ms)
{
	struct error ignored = ERROR_INIT;

	if (!vm->ended)
		vm->ended = subprocess_wait(&vm->process, timeout_ms, &vm->status, &ignored) == 1;
	return vm->ended;
}

void qemu_vm_kill(struct qemu_vm *vm, int timeout_ms)
{
	if (vm->ended || vm->process.pid <= 0)
		return;
	if (vm->process.own_group)
		kill(-vm->process.pid, SIGKILL);
	kill(vm->process.pid, SIGKILL);
	qemu_vm_wait(vm, timeout_ms);
}

static void hold_thread(pid_t tid, const cpu_set_t *cpus, int policy)
{
	const struct sched_param param = {0};

	/* A thread that has ended meanwhile needs neither. */
	sched_setscheduler(tid, policy, &param);
	sched_setaffinity(tid, sizeof(*cpus), cpus);
}

/* The first CPU of @all, or the last for a process with an odd id: two guests share less. */
static void pick_cpu(cpu_set_t *one, const cpu_set_t *all, bool last)
{
	int picked = -1;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, all) && (picked < 0 || last))
			picked = cpu;
	CPU_ZERO(one);
	CPU_SET(picked, one);
}

void qemu_vm_hold(const struct qemu_vm *vm, bool hold)
{
	char path[64];
	cpu_set_t cpus, one;
	struct dirent *e;
	DIR *tasks;

	if (vm->ended || sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) == 0)
		return;
	pick_cpu(&one, &cpus, vm->process.pid & 1);
	snprintf(path, sizeof(path), "/proc/%ld/task", (long)vm->process.pid);
	tasks = opendir(path);
	while (tasks && (e = readdir(tasks)))
		if (e->d_name[0] != '.')
			hold_thread((pid_t)strtol(e->d_name, NULL, 10), hold ? &one : &cpus,
				    hold ? SCHED_BATCH : SCHED_OTHER);
	if (tasks)
		closedir(tasks);
}

void qemu_vm_last_words(const struct qemu_vm *vm, struct strbuf *out)
{
	char buf[LAST_WORDS_MAX];
	struct strbuf line = STRBUF_INIT;
	struct stat st;
	off_t start = 0;
	const char *colon;
	ssize_t n;

	if (fstat(vm->stderr_fd, &st) == 0 && st.st_size > (off_t)sizeof(buf))
		start = st.st_size - sizeof(buf);
	n = pread(vm->stderr_fd, buf, sizeof(buf), start);
	if (n > 0)
		console_last_lines(&line, buf, n, 1, "");
	if (line.len)
		line.buf[--line.len] = '\0';
	/* "qemu-system-x86_64: what it is". */
	colon = strncmp(line.buf, "qemu-system-", 12) ? NULL : strstr(line.buf, ": ");
	if (colon)
		strbuf_consume(&line, colon + 2 - line.buf);
	strbuf_addstr(out, line.buf);
	strbuf_release(&line);
}

void qemu_vm_release(struct qemu_vm *vm)
{
	qemu_vm_kill(vm, RELEASE_MS);
	subprocess_release(&vm->process);
	if (vm->fd >= 0)
		close(vm->fd);
	if (vm->stderr_fd >= 0)
		close(vm->stderr_fd);
	vm->fd = vm->stderr_fd = -1;
}
