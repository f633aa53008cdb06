/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_CPIO_H
#define SCHEDBENCH_TARGET_CPIO_H

#include <stddef.h>
#include <sys/types.h>

#include "util/strbuf.h"

/* One member of a cpio archive of the kind "newc". */
struct cpio_member {
	const char *name; /* without a leading slash */
	mode_t mode; /* with the type: S_IFREG | 0644 */
	unsigned major, minor; /* devices */
	const void *data; /* contents of a file, target of a symbolic link */
	size_t len;
};

/* Append a member; @number is its inode number, one for each. Owner is root, time is 0. */
void cpio_add(struct strbuf *out, const struct cpio_member *m, unsigned number);

/* Append the end of the archive. */
void cpio_end(struct strbuf *out);

#endif
