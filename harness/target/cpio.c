// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/stat.h>

#include "target/cpio.h"

/* Header with name, and data, are each filled up to a multiple of four. */
static void pad(struct strbuf *out, size_t len)
{
	strbuf_addchars(out, '\0', -len & 3);
}

void cpio_add(struct strbuf *out, const struct cpio_member *m, unsigned number)
{
	unsigned namesize = strlen(m->name) + 1;
	unsigned links = S_ISDIR(m->mode) ? 2 : 1;

	/* magic ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor
	 * namesize check */
	strbuf_addf(out, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", number,
		    (unsigned)m->mode, 0, 0, links, 0, (unsigned)m->len, 0, 0, m->major, m->minor,
		    namesize, 0);
	strbuf_add(out, m->name, namesize);
	pad(out, 110 + namesize);
	if (m->len)
		strbuf_add(out, m->data, m->len);
	pad(out, m->len);
}

void cpio_end(struct strbuf *out)
{
	const struct cpio_member trailer = {.name = "TRAILER!!!"};

	cpio_add(out, &trailer, 0);
}
