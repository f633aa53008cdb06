/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_IMPORT_TREE_H
#define SCHEDBENCH_IMPORT_TREE_H

#include <stdbool.h>

#include "util/error.h"
#include "util/strbuf.h"
#include "util/strlist.h"

/*
 * A folder of somebody else's, read with care: nothing outside is opened, wherever symbolic links
 * point, and only folders and plain files are. Paths are relative to the tree.
 */
struct tree {
	struct strlist *notes; /* what was left out, and why; the caller's */
	char *given; /* for messages: as the user wrote it */
	char *root; /* resolved */
};

int tree_open(struct tree *t, const char *path, struct strlist *notes, struct error *err);
void tree_close(struct tree *t);

/*
 * What @path is. Symbolic links that lead nowhere, in a circle or out of the tree are nothing, and
 * noted.
 */
enum tree_kind { TREE_NOTHING, TREE_FOLDER, TREE_LINK_TO_FOLDER, TREE_OTHER };
enum tree_kind tree_kind(const struct tree *t, const char *path);
bool tree_is_folder(const struct tree *t, const char *path); /* or a link to one */

/*
 * Names in a folder, numbers in them in numeric order. Hidden ones are left out, and so are, with a
 * note, those that import_check_case() refuses.
 */
int tree_list(const struct tree *t, const char *path, struct strlist *names, struct error *err);

/*
 * The text of a file; NAME.gz, .xz and .zst are unpacked by gzip, xz and zstd, started without a
 * shell. One that cannot be unpacked whole, more than 64 MiB of text, or a zero byte, is an error.
 */
int tree_read(const struct tree *t, const char *path, struct strbuf *out, struct error *err);

/* Length of @name without the suffix of a packed file. */
int tree_plain_length(const char *name);

#endif
