/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TESTS_KERNEL_TEST_H
#define SCHEDBENCH_TESTS_KERNEL_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

/*
 * The head of a bzImage as Documentation/arch/x86/boot.rst lays it out: "HdrS" at 0x202, at 0x20e
 * the little-endian offset, less 0x200, of the version text.
 */
#define FAKE_IMAGE_SIZE 0x400

static inline void fake_image(unsigned char image[FAKE_IMAGE_SIZE], const char *version)
{
	memset(image, 0, FAKE_IMAGE_SIZE);
	memcpy(image + 0x202, "HdrS", 4);
	image[0x20e] = 0x10;
	image[0x20f] = 0x01;
	snprintf((char *)image + 0x310, FAKE_IMAGE_SIZE - 0x310, "%s", version);
}

/* Create @folder/@name, folders included. */
static inline char *put_file(const char *folder, const char *name, const void *data, size_t len)
{
	struct error err = ERROR_INIT;
	char *path = path_join(folder, name);
	char *parent = path_dirname(path);

	if (make_directories(parent, &err) || file_write(path, data, len, &err))
		fail_msg("%s", err.msg);
	free(parent);
	return path;
}

static inline char *temporary_folder(void)
{
	char *folder = xstrdup("/tmp/schedbench-kernel-XXXXXX");

	if (!mkdtemp(folder))
		fail_msg("no temporary folder");
	return folder;
}

static inline void remove_folder(char *folder)
{
	struct error err = ERROR_INIT;

	if (remove_tree(folder, &err))
		fail_msg("%s", err.msg);
	free(folder);
}

#endif
