/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_KCONFIG_H
#define SCHEDBENCH_KERNEL_KCONFIG_H

#include "config/config.h"
#include "util/error.h"
#include "util/strbuf.h"

/* An option that a kernel file asks for. */
struct kconfig_option {
	char *name; /* CONFIG_NUMA */
	char *value; /* y, m, n, 64, 0x10, "text" with its quotes */
	char *origin; /* "FILE:LINE", or the kernel file */
	unsigned order; /* in which they were written */
};

/* What a kernel is configured with: sorted by name, the last one that was written wins. */
struct kconfig {
	struct kconfig_option *options;
	unsigned count, cap;
};

/*
 * Read the fragments and lines of @k->config. A line of a fragment is CONFIG_X=VALUE, "# CONFIG_X
 * is not set", another comment or empty; anything else is an ERROR_USAGE with its line.
 */
int kconfig_merge(struct kconfig *out, const struct kernel *k, struct error *err);
void kconfig_release(struct kconfig *config);

/* As a file for KCONFIG_ALLCONFIG. */
void kconfig_text(const struct kconfig *config, struct strbuf *out);

/* Value of @name in the text of a .config, "n" where it is not set. The caller frees it. */
char *kconfig_value(const char *dot_config, const char *name);

/*
 * Has every option become what was asked for? Kconfig drops those whose dependencies are missing
 * without a word: ERROR_USAGE that names them.
 */
int kconfig_check(const struct kconfig *config, const char *dot_config, struct error *err);

#endif
