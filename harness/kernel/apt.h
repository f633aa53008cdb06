/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_APT_H
#define SCHEDBENCH_KERNEL_APT_H

#include "util/error.h"
#include "util/strlist.h"

/*
 * apt with a configuration of its own below @folder: own sources (the mirrors of this machine's
 * apt sources, with the suite's updates and security archive), own lists, own cache, an empty list
 * of installed packages, none of the machine's pins, default release and hooks. Network settings
 * of the machine, such as a proxy, still hold.
 */
struct apt {
	struct strlist options; /* of every call */
	char *suite;
	char *stamp; /* file whose time is that of the last update */
};

/* What a package is to hold. */
enum apt_kind { APT_IMAGE, APT_SOURCE };

/* A package of a kernel image or of a kernel's source. */
struct apt_package {
	char *name;
	char *version;
	unsigned long long size; /* of the .deb in bytes, 0: not known */
	unsigned long long unpacked; /* in bytes, 0: not known */
};

/* Write the configuration; no package lists are fetched yet. */
int apt_init(struct apt *apt, const char *folder, const char *suite, struct error *err);
void apt_release(struct apt *apt);

/* Fetch the package lists of the suite, unless that was done within the last hour. */
int apt_update(struct apt *apt, struct error *err);

/*
 * The package that holds the image or source: what a meta package depends on, else @name itself,
 * or NAME=VERSION. ERROR_USAGE for one that is not there or is no kernel's.
 */
int apt_resolve(struct apt *apt, enum apt_kind kind, const char *name, struct apt_package *out,
		struct error *err);
void apt_package_release(struct apt_package *package);

/* Download into @folder, which holds no other package; the caller frees *@file. */
int apt_download(struct apt *apt, const struct apt_package *package, const char *folder,
		 char **file, struct error *err);

#endif
