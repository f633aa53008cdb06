/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_INITRAMFS_H
#define SCHEDBENCH_TARGET_INITRAMFS_H

#include "config/config.h"
#include "util/error.h"
#include "util/strlist.h"

/* What goes into a guest's root file system. */
struct initramfs_spec {
	const char *agent; /* program that becomes /init */
	const char *workload; /* becomes /bin/schedbench-workload; NULL: none */
	/* NULL-terminated programs or files; NULL: none. One without a slash is looked up in PATH. */
	const char *const *extra_files;
	const struct strlist
		*modules; /* files relative to @modules_dir, in the order to load them */
	const char *modules_dir; /* NULL: no modules */
	enum kernel_arch arch; /* of the guest */
	const char *release; /* names /lib/modules/RELEASE; not used without modules */
};

/*
 * Of programs for another architecture than this host's no loader can be asked: the files of the
 * folder "lib" beside the agent are all their libraries. An extra program that is not for the
 * guest's architecture is an ERROR_USAGE.
 *
 * Make an initramfs (a cpio archive of the kind "newc", see the kernel's
 * Documentation/driver-api/early-userspace/buffer-format.rst) and return its path, which the
 * caller frees; NULL with @err set. It holds
 *
 *	/init and /bin/schedbench-workload;
 *	extra files under their own absolute path, with a link /bin/NAME to each program (and
 *	/bin/sh to busybox);
 *	the loader, interpreter and shared libraries that each of them needs;
 *	/etc/schedbench/modules, one path below /lib/modules/RELEASE per line in the order to load
 *	them, and those files, unpacked (.ko.xz, .ko.zst and .ko.gz become .ko);
 *	/dev/console, /dev/null, and empty /proc, /sys, /tmp, /run, /root.
 *
 * The same input gives the same bytes. Archives stay in the cache under the hash of all that went
 * in, and are made only once; those not used for a week are removed.
 */
char *initramfs_make(const struct initramfs_spec *spec, struct error *err);

#endif
