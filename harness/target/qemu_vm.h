/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_QEMU_VM_H
#define SCHEDBENCH_TARGET_QEMU_VM_H

#include <stdbool.h>

#include "util/error.h"
#include "util/strbuf.h"
#include "util/strlist.h"
#include "util/subprocess.h"

/* A running QEMU and our end of the channel to the agent in it. */
struct qemu_vm {
	struct subprocess process; /* .pidfd is readable when it has ended */
	int fd; /* stream to the guest's port schedbench.0 */
	int stderr_fd; /* what QEMU printed */
	bool ended;
	int status; /* as of waitpid, once ended */
};

/*
 * Start QEMU with @args and a virtio-serial port. It is in a process group of its own, so that
 * Ctrl-C of the terminal does not reach it, and is killed when the thread that started it ends.
 * @terminal: it shares the caller's terminal and process group instead.
 */
int qemu_vm_start(struct qemu_vm *vm, struct strlist *args, bool terminal, struct error *err);

/* Wait at most @timeout_ms for the end; true if it has ended. */
bool qemu_vm_wait(struct qemu_vm *vm, int timeout_ms);

/*
 * SIGKILL. A vCPU that spins in the host's kernel can keep a killed process for a while: after
 * @timeout_ms it is left to the system.
 */
void qemu_vm_kill(struct qemu_vm *vm, int timeout_ms);

/*
 * Run all threads of QEMU on one CPU of the host, without preemption by one that wakes up (@hold),
 * or again where this process may run.
 */
void qemu_vm_hold(const struct qemu_vm *vm, bool hold);

/* The last line QEMU printed to stderr, without its name; "" where there is none. */
void qemu_vm_last_words(const struct qemu_vm *vm, struct strbuf *out);

/* Close everything; a process that still runs is killed. */
void qemu_vm_release(struct qemu_vm *vm);

#endif
