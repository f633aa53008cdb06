/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_TARGET_OPS_H
#define SCHEDBENCH_TARGET_TARGET_OPS_H

#include "target/target.h"

struct target_ops;

/*
 * What every kind of machine has. A kind embeds this as the first member of a structure of its
 * own, and fills it in its boot().
 */
struct target {
	const struct target_ops *ops; /* set by target_boot() */
	int fd; /* stream to the agent */
	int end_fd; /* readable when the machine has ended by itself */
	const char *accel; /* "tcg", "kvm", "host" */
	const char *note; /* one sentence for headings */
};

/*
 * One kind of machine, in one file of this folder that registers itself:
 *
 *	TARGET_OPS(host) = {.name = "host", .type = MACHINE_HOST, .boot = host_boot, ...};
 *
 * The functions do what their namesakes in target.h say; target_boot() picks by
 * spec->machine->type. boot() cleans up after itself when it fails.
 */
struct target_ops {
	const char *name;
	enum machine_type type;
	int (*boot)(struct target **out, const struct target_spec *spec, struct error *err);
	void (*hold)(struct target *t, bool hold); /* NULL: nothing to do */
	enum target_end (*diagnose)(struct target *t, bool timed_out, struct strbuf *why);
	unsigned (*console_warnings)(const struct target *t); /* NULL: has no console */
	void (*shutdown)(struct target *t, int timeout_ms); /* frees @t */
};

#define TARGET_OPS(id)                                                                             \
	static const struct target_ops target_##id;                                                \
	static const struct target_ops *const target_ptr_##id                                      \
		__attribute__((used, section("target_kinds"))) = &target_##id;                     \
	static const struct target_ops target_##id

#endif
