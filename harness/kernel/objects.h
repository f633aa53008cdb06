/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_OBJECTS_H
#define SCHEDBENCH_KERNEL_OBJECTS_H

#include "kernel/request.h"

/*
 * The folder of objects that kernels of one source, configuration and toolchain share, and the
 * steps that make one of them from the files of the source.
 */
struct objects {
	const struct request *r;
	char *folder; /* SOURCE/obj-KEY */
	char *marker; /* there while make works: what is found later was interrupted */
	char *dot_config; /* path of the final .config */
	char *log;
	int lock_fd;
	unsigned compiled; /* by this build */
	double seconds;
};

void objects_open(struct objects *o, const struct request *r, int lock_fd, const char *log);
void objects_release(struct objects *o);

/*
 * A folder that is new begins as a copy of one with another configuration, if there is one: make
 * knows which objects the options that differ matter to.
 */
int objects_seed(struct objects *o, struct error *err);

/* Remove what a killed build may have written by half. */
int objects_repair(struct objects *o, struct error *err);

/*
 * Bring .config up to what @r asks for and check that every option was honoured; kconfig is asked
 * where it may answer differently than for the tree that was built last. *@text: the final .config.
 */
int objects_configure(struct objects *o, const char *tree, struct strbuf *text, struct error *err);

/* Compile; modules, where the final .config has any, are installed below @stage. */
int objects_compile(struct objects *o, const char *dot_config, const char *stage,
		    struct error *err);

/* What uname -r will say; the caller frees it. */
char *objects_release_name(const struct objects *o, struct error *err);

#endif
