/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_QEMU_COMMAND_H
#define SCHEDBENCH_TARGET_QEMU_COMMAND_H

#include <stdbool.h>

#include "config/config.h"
#include "util/error.h"
#include "util/strbuf.h"
#include "util/strlist.h"

/* The QEMU that emulates machine @m, and the Debian package that holds it. */
const char *qemu_program(const struct machine *m);
const char *qemu_package(const struct machine *m);

/* What a guest is started from. */
struct qemu_plan {
	const struct machine *machine;
	const char *image; /* bzImage or, for arm64, Image */
	const char *initrd;
	const char *cmdline; /* the kernel recipe's; NULL: none */
	const char *console_log;
	const char *device_tree; /* file; NULL: QEMU's own */
	bool terminal; /* a second serial port on stdin and stdout */
	bool kvm; /* else TCG with a thread for each vCPU, or one for all in virtual time */
};

/*
 * The arguments of QEMU, its name first, without the channel to the agent. No network, no display,
 * no device but a serial port; a guest that restarts ends QEMU.
 */
int qemu_command(struct strlist *args, const struct qemu_plan *plan, struct error *err);

/* The arguments of a QEMU that writes the device tree of @m to @path and ends. */
int qemu_dump_command(struct strlist *args, const struct machine *m, const char *path,
		      struct error *err);

/*
 * The kernel's command line: quiet (which still prints errors and, once a panic begins,
 * everything), a panic or an oops restarts at once, thresholds of the lockup detectors in
 * proportion to @cpus per host CPU, the recipe's and the machine's own words last, so that they
 * win. More than the 2047 bytes that x86 takes, or control characters, are an ERROR_USAGE.
 */
int qemu_kernel_cmdline(struct strbuf *out, const struct qemu_plan *plan, unsigned cpus,
			unsigned host_cpus, struct error *err);

/*
 * Is @path a kernel image for @arch? x86: boot protocol 2.06 or later (Documentation/arch/x86/boot),
 * arm64: an Image (Documentation/arm64/booting). An image for the other is refused by name.
 */
int qemu_check_image(const char *path, enum kernel_arch arch, struct error *err);

#endif
