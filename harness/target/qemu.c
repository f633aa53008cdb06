// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/accel.h"
#include "target/console.h"
#include "target/device_tree.h"
#include "target/initramfs.h"
#include "target/modules.h"
#include "target/qemu_command.h"
#include "target/qemu_vm.h"
#include "target/target_ops.h"
#include "topology/topology.h"
#include "util/file.h"
#include "util/xalloc.h"

/* A stream that closes comes before the end of QEMU by as long as a panic takes to print. */
#define LAST_MOMENTS_MS 2000
#define KILL_MS		1500
#define LINES_SHOWN	10

struct qemu_target {
	struct target base;
	struct qemu_vm vm;
	struct accel_decision accel;
	char *console; /* path */
	bool console_is_ours;
	char *device_tree; /* path; NULL: QEMU's own */
	char *note;
};

static char *make_initrd(const struct target_spec *spec, struct error *err)
{
	/* What the channel to the agent needs. */
	static const char *const needed[] = {"virtio_pci", "virtio_console", NULL};
	struct strlist modules = STRLIST_INIT;
	struct initramfs_spec in = {
		.agent = spec->agent_path,
		.workload = spec->workload_path,
		.extra_files = spec->extra_files,
		.modules = &modules,
		.modules_dir = spec->kernel->modules,
		.release = spec->kernel->release,
		.arch = spec->machine->arch,
	};
	char *path = NULL;

	if (modules_resolve(&modules, spec->kernel->modules, needed, err) == 0)
		path = initramfs_make(&in, err);
	strlist_release(&modules);
	return path;
}

static int open_console(struct qemu_target *t, const char *log, struct error *err)
{
	char template[] = "/tmp/schedbench-console.XXXXXX";
	int fd;

	if (log) {
		t->console = xstrdup(log);
		return 0;
	}
	fd = mkostemp(template, O_CLOEXEC);
	if (fd < 0)
		return error_sys(err, errno, "cannot create a file in /tmp");
	close(fd);
	t->console = xstrdup(template);
	t->console_is_ours = true;
	return 0;
}

static void describe(struct qemu_target *t, const struct machine *m)
{
	if (m->time == TIME_VIRTUAL)
		t->note = xasprintf("virtual time (%s): the guest's clock counts instructions, all "
				    "CPUs run in turn and are equally fast but for what a workload "
				    "models; placement, balancing and times of CPU-bound tasks are "
				    "evidence, latencies of microseconds and throughput are not",
				    arch_name(m->arch));
	else if (t->accel.kvm)
		t->note = xstrdup("virtual machine (KVM): times include virtualisation and what "
				  "else the host does");
	else
		t->note = xasprintf("emulated machine (TCG: %s): counters and placement are "
				    "evidence, absolute times are not",
				    t->accel.why);
	t->base.accel = t->accel.kvm ? "kvm" : "tcg";
	t->base.note = t->note;
}

static void free_target(struct qemu_target *t)
{
	if (t->console_is_ours)
		unlink(t->console);
	if (t->device_tree)
		unlink(t->device_tree);
	free(t->device_tree);
	free(t->console);
	free(t->note);
	free(t);
}

static int start(struct qemu_target *t, const struct target_spec *spec, const char *initrd,
		 struct error *err)
{
	const struct accel_request request = {
		.machine = spec->machine,
		.image = spec->kernel->image,
		.initrd = initrd,
		.identity = spec->kernel->identity,
		.interrupt_fd = spec->interrupt_fd,
	};
	struct qemu_plan plan = {
		.machine = spec->machine,
		.image = spec->kernel->image,
		.initrd = initrd,
		.cmdline = spec->kernel_cmdline,
		.console_log = t->console,
		.terminal = spec->terminal,
	};
	struct strlist args = STRLIST_INIT;
	int ret = accel_choose(&t->accel, &request, err);

	if (!ret && spec->machine->clusters)
		ret = device_tree_make(&t->device_tree, spec->machine, err);
	plan.device_tree = t->device_tree;
	plan.kvm = t->accel.kvm;
	if (!ret)
		ret = qemu_command(&args, &plan, err);
	if (!ret)
		ret = qemu_vm_start(&t->vm, &args, plan.terminal, err);
	strlist_release(&args);
	return ret;
}

static int check(const struct target_spec *spec, struct error *err)
{
	struct strlist args = STRLIST_INIT;
	char *qemu;
	int ret;

	if (!spec->kernel->image)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' needs a kernel to boot, and the running one is not "
				 "a file",
				 spec->machine->name);
	/* Before anything that takes time. */
	ret = topology_qemu_args(&args, spec->machine, err);
	strlist_release(&args);
	if (ret || qemu_check_image(spec->kernel->image, spec->machine->arch, err))
		return -1;
	if (spec->terminal && spec->machine->arch == ARCH_ARM64)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' has no second serial line for a shell (give a "
				 "command after --)",
				 spec->machine->name);
	qemu = path_search(qemu_program(spec->machine));
	if (!qemu)
		return error_set(err, ERROR_FAILED, "%s is not installed (%s, or the package %s)",
				 qemu_program(spec->machine),
				 spec->machine->arch == ARCH_ARM64 ? "make deps-arm64"
								   : "make deps",
				 qemu_package(spec->machine));
	free(qemu);
	return 0;
}

static int boot(struct target **out, const struct target_spec *spec, struct error *err)
{
	struct qemu_target *t;
	char *initrd;
	int ret;

	if (check(spec, err))
		return -1;
	initrd = make_initrd(spec, err);
	if (!initrd)
		return -1;
	t = xcalloc(1, sizeof(*t));
	ret = open_console(t, spec->console_log, err);
	if (!ret)
		ret = start(t, spec, initrd, err);
	free(initrd);
	if (ret) {
		free_target(t);
		return -1;
	}
	t->base.fd = t->vm.fd;
	t->base.end_fd = t->vm.process.pidfd;
	describe(t, spec->machine);
	*out = &t->base;
	return 0;
}

static void explain_status(const struct qemu_vm *vm, struct strbuf *why)
{
	strbuf_addstr(why, "QEMU ended with ");
	subprocess_describe(vm->status, why);
}

static void explain_init(const struct console_facts *facts, struct strbuf *why)
{
	strbuf_addstr(why, "the agent in the guest ended with ");
	subprocess_describe(facts->init_status, why);
}

static void explain_panic(const struct console_facts *facts, struct strbuf *why)
{
	strbuf_addf(why, "the kernel panicked: %s", facts->panic);
	if (facts->oops[0])
		strbuf_addf(why, " (%s)", facts->oops);
}

static void add_detail(struct strbuf *why, const char *detail)
{
	if (*detail)
		strbuf_addf(why, ": %s", detail);
}

/* QEMU has ended: by whom? */
static enum target_end name_end(const struct qemu_vm *vm, const struct console_facts *facts,
				struct strbuf *why)
{
	struct strbuf words = STRBUF_INIT;
	enum target_end end = TARGET_EARLY_EXIT;

	if (vm->status) {
		explain_status(vm, why);
		qemu_vm_last_words(vm, &words);
		add_detail(why, words.buf);
		end = TARGET_QEMU_DIED;
	} else if (facts->init_ended) {
		explain_init(facts, why);
		add_detail(why, facts->agent_line);
	} else if (facts->panicked) {
		explain_panic(facts, why);
		end = TARGET_PANIC;
	} else {
		strbuf_addstr(why, "the guest powered off or restarted by itself");
		add_detail(why, facts->agent_line);
	}
	strbuf_release(&words);
	return end;
}

/* It still runs: a kernel told not to restart stays where it panicked. */
static enum target_end name_silence(const struct console_facts *facts, bool timed_out,
				    struct strbuf *why)
{
	if (facts->panicked && !facts->init_ended) {
		explain_panic(facts, why);
		return TARGET_PANIC;
	}
	if (facts->init_ended) {
		explain_init(facts, why);
		add_detail(why, facts->agent_line);
		return TARGET_EARLY_EXIT;
	}
	strbuf_addstr(why, timed_out ? "the guest did not answer in time"
				     : "the guest runs, but its agent cannot be understood");
	add_detail(why, facts->agent_line);
	return TARGET_HANG;
}

/* What led to a panic is worth more than the registers printed after it. */
static void show_console(struct strbuf *why, const struct console_facts *facts,
			 const struct strbuf *text)
{
	size_t len = facts->panicked ? facts->panic_end : text->len;

	if (len)
		console_last_lines(why, text->buf, len, LINES_SHOWN, "  ");
	else
		strbuf_addstr(why, "  (nothing on the console; loglevel=7 in the machine's cmdline "
				   "shows more)\n");
}

static enum target_end diagnose(struct target *base, bool timed_out, struct strbuf *why)
{
	struct qemu_target *t = (struct qemu_target *)base;
	bool ended = qemu_vm_wait(&t->vm, timed_out ? 0 : LAST_MOMENTS_MS);
	struct strbuf text = STRBUF_INIT;
	struct console_facts facts;
	enum target_end end;

	if (!ended)
		qemu_vm_kill(&t->vm, KILL_MS);
	console_read(&text, t->console);
	console_scan(&facts, text.buf, text.len);
	end = ended ? name_end(&t->vm, &facts, why) : name_silence(&facts, timed_out, why);
	if (facts.warnings)
		strbuf_addf(why, " (%u warnings of stalls or lockups before)", facts.warnings);
	strbuf_addch(why, '\n');
	show_console(why, &facts, &text);
	strbuf_release(&text);
	return end;
}

static unsigned console_warnings(const struct target *base)
{
	const struct qemu_target *t = (const struct qemu_target *)base;
	struct strbuf text = STRBUF_INIT;
	struct console_facts facts;

	console_read(&text, t->console);
	console_scan(&facts, text.buf, text.len);
	strbuf_release(&text);
	return facts.warnings;
}

static void hold_target(struct target *base, bool hold)
{
	struct qemu_target *t = (struct qemu_target *)base;

	if (!t->accel.kvm)
		qemu_vm_hold(&t->vm, hold);
}

static void shutdown_target(struct target *base, int timeout_ms)
{
	struct qemu_target *t = (struct qemu_target *)base;

	if (!t->vm.ended && qemu_vm_wait(&t->vm, timeout_ms) && t->vm.status == 0)
		accel_confirm(&t->accel);
	qemu_vm_kill(&t->vm, KILL_MS);
	qemu_vm_release(&t->vm);
	free_target(t);
}

TARGET_OPS(qemu) = {
	.name = "qemu",
	.type = MACHINE_QEMU,
	.boot = boot,
	.hold = hold_target,
	.diagnose = diagnose,
	.console_warnings = console_warnings,
	.shutdown = shutdown_target,
};
