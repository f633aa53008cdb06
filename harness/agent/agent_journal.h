/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_AGENT_JOURNAL_H
#define SCHEDBENCH_AGENT_AGENT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* One switch that was changed: writing @old to @path puts it back. */
struct change {
	char *path;
	char *old;
	char *now;
};

struct changes {
	struct change *items;
	size_t count, cap;
};

/* Takes the strings. */
void changes_add(struct changes *c, char *path, char *old, char *now);
/* Drop those from @count on. */
void changes_truncate(struct changes *c, size_t count);

/*
 * The lock of @folder, which is created if missing, for as long as the descriptor is open; the
 * kernel lets go of it when its owner dies. -1: @err names the owner, with kind ERROR_USAGE if
 * it is held by another process.
 */
int journal_lock(const char *folder, struct error *err);

/* Replace the journal, on disk before this returns; no changes: remove it. */
int journal_write(const char *folder, const struct changes *c, struct error *err);

/* 1: read, 0: there is none. Needs the lock. */
int journal_read(const char *folder, struct changes *c, struct error *err);

bool journal_exists(const char *folder);

#endif
