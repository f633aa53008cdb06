/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_KERNEL_H
#define SCHEDBENCH_KERNEL_KERNEL_H

#include "config/config.h"
#include "util/error.h"

/* A kernel that can be booted. */
struct kernel_image {
	char *image; /* bzImage; NULL for the running kernel */
	char *modules; /* folder with modules.dep, NULL: none needed or none there */
	char *release; /* uname -r */
	char *identity; /* tells two kernels apart: package and version SHA-256 of the image, or of
			 what it was built from */
};

/*
 * Make the kernel of @config ready: download and unpack a package into the cache or build one from
 * source (the second call is a look-up), check an image's path. Nothing is installed on the host.
 * Progress (a download) is said on stderr.
 */
int kernel_prepare(struct kernel_image *out, const struct kernel *config, struct error *err);
void kernel_image_release(struct kernel_image *image);

/* 1: in the cache, 0: not yet. */
int kernel_is_cached(const struct kernel *config);

/*
 * Forget which version or commit a suite, or a branch at an address, stood for. ERROR_USAGE for a
 * kernel that has no such record.
 */
int kernel_forget(const struct kernel *config, struct error *err);

#endif
