/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_TARGET_H
#define SCHEDBENCH_TARGET_TARGET_H

#include <stdbool.h>

#include "config/config.h"
#include "kernel/kernel.h"
#include "util/error.h"
#include "util/strbuf.h"

/*
 * A target boots a kernel on a machine and hands back a byte stream to an agent running there.
 * Everything after that is the agent's. A new kind of machine is one new file in this folder
 * that registers a struct target_ops.
 */
struct target_spec {
	const struct machine *machine;
	const struct kernel_image *kernel;
	const char *kernel_cmdline; /* the kernel recipe's */
	const char *console_log; /* file that receives the console; NULL: a temporary one */
	const char *agent_path; /* program schedbench-agent */
	const char *workload_path; /* program schedbench-workload */
	const char *const
		*extra_files; /* NULL-terminated programs to carry into a guest; NULL: none */
	bool terminal; /* the caller's terminal becomes TARGET_TERMINAL in the guest */
	int interrupt_fd; /* readable: give up with ERROR_INTERRUPTED; -1: none */
};

/* How a boot ended. */
enum target_end {
	TARGET_RUNNING,
	TARGET_OFF, /* powered off when asked to */
	TARGET_PANIC,
	TARGET_HANG, /* no answer within the time allowed */
	TARGET_EARLY_EXIT, /* the guest or the agent ended by itself */
	TARGET_QEMU_DIED, /* the emulator was killed or failed */
};

#define TARGET_TERMINAL "/dev/ttyS1"

struct target; /* opaque */

/* Boot; returns when the stream is open (the agent need not have answered yet). */
int target_boot(struct target **out, const struct target_spec *spec, struct error *err);

/* The stream to the agent. */
int target_fd(const struct target *t);
/* Readable when the machine has ended by itself (pidfd of QEMU or of the agent), for poll(). */
int target_end_fd(const struct target *t);

/* "tcg", "kvm" or "host", and one sentence for headings: why this accelerator, what it is not
 * good for. */
const char *target_accel(const struct target *t);
const char *target_note(const struct target *t);

/*
 * To be put around requests that make the machine's kernel patch its own text (switching sched
 * features, kernel.sched_schedstats, probes) and never around a measurement. An emulated machine
 * with several CPUs may trip over such a change; while held it runs on one CPU of the host, where
 * it has not been seen to. Other machines take no notice.
 */
void target_hold(struct target *t, bool hold);

/*
 * Find out how the machine ended after the stream failed (@timed_out: nothing came in time);
 * kills what still runs. @why gets one line and the last console lines.
 */
enum target_end target_diagnose(struct target *t, bool timed_out, struct strbuf *why);
const char *target_end_name(enum target_end end); /* "panic", "hang", "early-exit", "qemu-died" */

/* Warnings in the console that are not fatal (RCU stall, soft lockup): their count. */
unsigned target_console_warnings(const struct target *t);

/* Wait up to @timeout_ms for a machine that was told bye, kill it otherwise, free everything. */
void target_shutdown(struct target *t, int timeout_ms);

#endif
