// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/qemu_command.h"
#include "topology/topology.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

/* COMMAND_LINE_SIZE of x86, with the NUL. */
#define CMDLINE_SIZE 2048

/*
 * tsc=reliable: emulated CPUs share one counter. On a busy host the kernel's watchdog takes a late
 * answer for a fault of it and falls back to a clock that is far slower to read.
 *
 * maxcpus=1: QEMU's TCG before 8.1 can keep a translation of code that another CPU has just
 * changed. A kernel that switches a static key then meets a breakpoint that is no longer there, and
 * panics or loops; every sixth boot of a 6.12 kernel with 8 CPUs did. Most keys are switched
 * during boot: with one CPU there is no race. The agent starts the others.
 *
 * no_timer_check: the kernel counts timer interrupts for a few milliseconds and panics ("IO-APIC +
 * timer doesn't work") when a busy host gave the guest no time to deliver them.
 *
 * cryptomgr.notests: half a second of self-tests of ciphers that nothing here uses.
 */
#define EMULATED_CMDLINE " tsc=reliable maxcpus=1 no_timer_check cryptomgr.notests"

/* Of an x86 image, and of an arm64 one. */
#define BOOT_FLAG_OFFSET 0x1fe
#define MAGIC_OFFSET	 0x202
#define VERSION_OFFSET	 0x206
#define ARM64_OFFSET	 56

/* GICv2, QEMU's choice, serves so many CPUs. */
#define GICV2_CPUS 8

const char *qemu_program(const struct machine *m)
{
	return m->arch == ARCH_ARM64 ? "qemu-system-aarch64" : "qemu-system-x86_64";
}

const char *qemu_package(const struct machine *m)
{
	return m->arch == ARCH_ARM64 ? "qemu-system-arm" : "qemu-system-x86";
}

static bool is_x86(const unsigned char *head, ssize_t len)
{
	return len > VERSION_OFFSET + 1 && head[BOOT_FLAG_OFFSET] == 0x55 &&
	       head[BOOT_FLAG_OFFSET + 1] == 0xaa && !memcmp(head + MAGIC_OFFSET, "HdrS", 4) &&
	       (head[VERSION_OFFSET + 1] << 8 | head[VERSION_OFFSET]) >= 0x206;
}

static bool is_arm64(const unsigned char *head, ssize_t len)
{
	return len >= ARM64_OFFSET + 4 && !memcmp(head + ARM64_OFFSET, "ARM\x64", 4);
}

int qemu_check_image(const char *path, enum kernel_arch arch, struct error *err)
{
	unsigned char head[VERSION_OFFSET + 2];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_sys(err, errno, "cannot open the kernel image '%s'", path);
	n = read(fd, head, sizeof(head));
	if (n < 0)
		error_sys(err, errno, "cannot read the kernel image '%s'", path);
	close(fd);
	if (n < 0)
		return -1;
	if (arch == ARCH_ARM64 ? is_arm64(head, n) : is_x86(head, n))
		return 0;
	if (is_arm64(head, n) || is_x86(head, n))
		return error_set(err, ERROR_USAGE,
				 "kernel image '%s' is for %s and the machine is %s", path,
				 arch_name(arch == ARCH_ARM64 ? ARCH_X86_64 : ARCH_ARM64),
				 arch_name(arch));
	return error_set(err, ERROR_FAILED, "'%s' is not an %s kernel image (%s is needed)", path,
			 arch == ARCH_ARM64 ? "arm64" : "x86",
			 arch == ARCH_ARM64 ? "an uncompressed Image" : "a bzImage or vmlinuz");
}

static unsigned count_host_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

/* @value for a guest that has its CPUs to itself, more where they share; at most @max. */
static unsigned scale(unsigned value, unsigned cpus, unsigned host_cpus, unsigned max)
{
	unsigned share = (cpus + host_cpus - 1) / host_cpus;

	return share > max / value ? max : value * share;
}

int qemu_kernel_cmdline(struct strbuf *out, const struct qemu_plan *plan, unsigned cpus,
			unsigned host_cpus, struct error *err)
{
	const char *own[] = {plan->cmdline, plan->machine->cmdline};

	/* A clock that counts instructions stands still while the host does something else. */
	if (plan->machine->time == TIME_VIRTUAL)
		host_cpus = cpus;
	/* The longest that the kernel takes: 300 s for RCU, 60 s for the watchdog. */
	strbuf_addf(out,
		    "console=%s quiet panic=-1 oops=panic rcupdate.rcu_cpu_stall_timeout=%u "
		    "watchdog_thresh=%u workqueue.watchdog_thresh=%u",
		    plan->machine->arch == ARCH_ARM64 ? "ttyAMA0" : "ttyS0",
		    scale(21, cpus, host_cpus, 300), scale(10, cpus, host_cpus, 60),
		    scale(30, cpus, host_cpus, 600));
	if (!plan->kvm && plan->machine->arch == ARCH_X86_64)
		strbuf_addstr(out, EMULATED_CMDLINE);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (own[i] && *own[i])
			strbuf_addf(out, " %s", own[i]);
	for (const char *p = out->buf; *p; p++)
		if (iscntrl((unsigned char)*p))
			return error_set(err, ERROR_USAGE,
					 "the kernel's command line has a control character");
	if (out->len >= CMDLINE_SIZE)
		return error_set(err, ERROR_USAGE,
				 "the kernel's command line has %zu bytes, and %d is the limit",
				 out->len, CMDLINE_SIZE - 1);
	return 0;
}

/* QEMU splits options at commas: one in a value is doubled. */
static void add_escaped(struct strlist *args, const char *prefix, const char *value)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, prefix);
	for (; *value; value++) {
		if (*value == ',')
			strbuf_addch(&sb, ',');
		strbuf_addch(&sb, *value);
	}
	strlist_add(args, sb.buf);
	strbuf_release(&sb);
}

/*
 * Threads and shared caches of an AMD CPU are described by topoext, which TCG does not have and
 * "host" leaves out; "max" of TCG is an AMD one unless told otherwise.
 */
static const char *default_cpu(bool kvm)
{
#ifdef __x86_64__
	if (kvm)
		return __builtin_cpu_is("amd") ? "host,topoext=on" : "host";
#endif
	(void)kvm;
	return "max,vendor=GenuineIntel";
}

static void add(struct strlist *args, const char *option, const char *value)
{
	strlist_add(args, option);
	if (value)
		strlist_add(args, value);
}

/* Every CPU after the other in one thread, in turns that end by a count of instructions. */
static void add_accel(struct strlist *args, const struct qemu_plan *plan)
{
	if (plan->machine->time != TIME_VIRTUAL) {
		add(args, "-accel", plan->kvm ? "kvm" : "tcg,thread=multi");
		return;
	}
	add(args, "-accel", "tcg,thread=single");
	add(args, "-icount", "shift=0,sleep=off");
	add(args, "-rtc", "base=2020-01-01T00:00:00,clock=vm");
}

/* @dump: file to write the device tree to; NULL: none. */
static int add_machine(struct strlist *args, const struct machine *m, bool kvm, const char *dump,
		       struct error *err)
{
	struct strbuf type = STRBUF_INIT;

	/* Each controller left out is one that the guest does not look for. */
	if (m->arch == ARCH_X86_64)
		strbuf_addstr(&type, "q35,usb=off,sata=off,smbus=off,vmport=off");
	else
		strbuf_addf(&type, "virt,gic-version=%d", m->topology.cores > GICV2_CPUS ? 3 : 2);
	if (dump)
		strbuf_addf(&type, ",dumpdtb=%s", dump);
	add(args, "-M", type.buf);
	strbuf_release(&type);
	if (m->cpu)
		add(args, "-cpu", m->cpu);
	else
		add(args, "-cpu", m->arch == ARCH_ARM64 ? "cortex-a57" : default_cpu(kvm));
	return topology_qemu_args(args, m, err);
}

static void add_frame(struct strlist *args, const struct machine *m)
{
	add(args, qemu_program(m), NULL);
	add(args, "-nodefaults", NULL);
	add(args, "-no-user-config", NULL);
	add(args, "-no-reboot", NULL);
	add(args, "-display", "none");
}

static int add_boot(struct strlist *args, const struct qemu_plan *plan, struct error *err)
{
	const struct topology *t = &plan->machine->topology;
	struct strbuf cmdline = STRBUF_INIT;
	int ret = qemu_kernel_cmdline(&cmdline, plan, t->packages * t->dies * t->cores * t->threads,
				      count_host_cpus(), err);

	add(args, "-kernel", plan->image);
	add(args, "-initrd", plan->initrd);
	add(args, "-append", cmdline.buf);
	strbuf_release(&cmdline);
	return ret;
}

int qemu_dump_command(struct strlist *args, const struct machine *m, const char *path,
		      struct error *err)
{
	add_frame(args, m);
	add(args, "-accel", "tcg");
	return add_machine(args, m, false, path, err);
}

int qemu_command(struct strlist *args, const struct qemu_plan *plan, struct error *err)
{
	const struct machine *m = plan->machine;

	add_frame(args, m);
	add_accel(args, plan);
	if (add_machine(args, m, plan->kvm, NULL, err))
		return -1;
	if (plan->device_tree)
		add(args, "-dtb", plan->device_tree);
	add(args, "-chardev", NULL);
	add_escaped(args, "file,id=console,path=", plan->console_log);
	add(args, "-serial", "chardev:console");
	if (plan->terminal) {
		add(args, "-chardev", "stdio,id=terminal,signal=off");
		add(args, "-serial", "chardev:terminal");
	}
	return add_boot(args, plan, err);
}
