/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_TOOLCHAIN_H
#define SCHEDBENCH_KERNEL_TOOLCHAIN_H

#include "config/config.h"
#include "util/error.h"

/* The programs that compile for an architecture. */
struct toolchain {
	const char *arch; /* make's ARCH */
	const char *cross; /* make's CROSS_COMPILE; "" for this machine's own */
	const char *image; /* make's target, and what it makes below arch/ARCH/boot */
	char *identity; /* versions of compiler and linker */
};

/* ERROR_FAILED naming the package where there is no compiler; the constants are set all the same. */
int toolchain_find(struct toolchain *t, enum kernel_arch arch, struct error *err);
void toolchain_release(struct toolchain *t);

/* What a build needs besides: ERROR_FAILED naming what is not there, and its packages. */
int toolchain_check_tools(struct error *err);

/* The Debian package that mends the error @line of a build; NULL: none that is known. */
const char *package_for_error(const char *line);

#endif
