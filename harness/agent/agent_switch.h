/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_AGENT_SWITCH_H
#define SCHEDBENCH_AGENT_AGENT_SWITCH_H

#include <jansson.h>
#include <stdbool.h>

#include "util/error.h"

/*
 * Switches of the running kernel (sched features, sysctls, files of /sys), remembered so that they
 * can be put back. With a folder for a journal the values survive the death of the process: they
 * are written there before each change, and a lock beside it keeps a second process from changing
 * switches at the same time.
 */
struct switches; /* opaque */

/* @folder: of the journal; NULL: none is kept, nothing will need to be put back. */
struct switches *switches_new(const char *folder);
void switches_free(struct switches *sw);

/*
 * Set all of @features ({NAME: bool}), @sysctl ({name: text}), @files ({path: text}), each may be
 * NULL, or none: a failure puts back what this call has set. Each one is read back and compared.
 * @old receives {"features": {..}, "sysctl": {..}, "files": {..}} with the values before.
 */
int switches_set(struct switches *sw, const json_t *features, const json_t *sysctl,
		 const json_t *files, json_t **old, struct error *err);

/* Put everything back; goes on after a failure, @err tells the first one. */
int switches_restore(struct switches *sw, struct error *err);

/*
 * Put back what a process that died left in the journal of @folder. Appends a string per switch
 * to the array @restored. Nothing is done while the owner of the journal lives.
 */
int switches_recover(const char *folder, json_t *restored, struct error *err);

/* $SCHEDBENCH_RUN_DIR or /run/schedbench. */
const char *switches_folder(void);

/* The sched features of this kernel as it prints them, NULL if it does not; the caller frees. */
char *switches_features(void);

#endif
