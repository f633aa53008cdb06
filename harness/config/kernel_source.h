/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_KERNEL_SOURCE_H
#define SCHEDBENCH_CONFIG_KERNEL_SOURCE_H

#include "config/config.h"
#include "config/document.h"

/*
 * The rules of a kernel file's "source" and of what is done to it: which keys belong to which
 * source, and files that have to be there. Paths become absolute. Sets @k->source.
 * @running: it is the word "running".
 */
int kernel_check_source(const struct document *doc, bool running, struct kernel *k,
			struct error *err);

#endif
