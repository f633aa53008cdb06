/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_BUILT_H
#define SCHEDBENCH_KERNEL_BUILT_H

#include "kernel/build.h"
#include "kernel/request.h"

/* The images that were built, and which request led to which. */

/* 1: @request led to an image that is whole, 0: it did not. */
int built_find(struct built *out, const char *request);
/* The same by the image's own key. */
int built_open(struct built *out, const char *key);

/* Note that @r led to the image @key, and that it was the last build of its kernel file. */
int built_record(const struct request *r, const char *key, struct error *err);

/* Copy @from to the file @name below @folder. */
int built_copy(const char *from, const char *folder, const char *name, struct error *err);

#endif
