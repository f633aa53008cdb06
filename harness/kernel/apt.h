/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_APT_H
#define SCHEDBENCH_KERNEL_APT_H

#include "util/error.h"
#include "util/strlist.h"

/*
 * apt with a configuration of its own below @folder: own sources (the mirrors of this machine's
 * apt sources, with the suite's updates and security archive), own lists, own cache, and an empty
 * list of installed packages. Network settings of the machine, such as a proxy, still hold.
 */
struct apt {
	struct strlist options; /* -o ... of every call */
};

/* Write the configuration; no package lists are fetched yet. */
int apt_init(struct apt *apt, const char *folder, const char *suite, struct error *err);
void apt_release(struct apt *apt);

/* Fetch the package lists of the suite. */
int apt_update(struct apt *apt, const char *suite, struct error *err);

/*
 * The package that holds the image: what a meta package depends on, else @package itself. *@name
 * and *@version are freed by the caller.
 */
int apt_resolve(struct apt *apt, const char *package, const char *suite, char **name,
		char **version, struct error *err);

/* Download into @folder, which is empty; the caller frees *@file. */
int apt_download(struct apt *apt, const char *name, const char *version, const char *folder,
		 char **file, struct error *err);

#endif
