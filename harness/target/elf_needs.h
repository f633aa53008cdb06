/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_ELF_NEEDS_H
#define SCHEDBENCH_TARGET_ELF_NEEDS_H

#include "util/error.h"
#include "util/strbuf.h"
#include "util/strlist.h"

/*
 * What has to be there to execute @path on this host: for a dynamically linked program its loader
 * and the shared libraries, as that loader resolves them (`LOADER --list PROGRAM`, which runs
 * nothing of the program); for a script the interpreter of its first line. Nothing for a static
 * program or a file that is not executable. @loader gets the loader's path or "", @interpreter
 * the script's interpreter or ""; @libraries gets absolute paths, the loader not among them.
 * A missing library is an error that names it.
 */
int elf_needs(const char *path, struct strbuf *loader, struct strbuf *interpreter,
	      struct strlist *libraries, struct error *err);

/* e_machine of the ELF file @path (EM_AARCH64), 0 for a file that is none. -1: cannot be read. */
int elf_machine(const char *path, struct error *err);

#endif
