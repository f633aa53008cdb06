/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_PLACE_H
#define SCHEDBENCH_UTIL_PLACE_H

/*
 * Where our own files are, seen from the running program, so that a build folder and an installed
 * tree both work wherever they are moved. Results are freed by the caller.
 */

/* Folder of the running program. */
char *program_folder(void);

/*
 * Folder @name ("configs", "plots") of our data: that of the source tree the program was built in,
 * else share/schedbench/NAME beside its bin folder, else where `make install` was told to put it.
 */
char *data_folder(const char *name);

#endif
