/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_IMAGE_H
#define SCHEDBENCH_KERNEL_IMAGE_H

#include "util/error.h"

/*
 * The release string inside a bzImage (Documentation/arch/x86/boot.rst: magic "HdrS" at 0x202,
 * offset of kernel_version at 0x20e). The caller frees it; NULL with @err where the file is none.
 */
char *bzimage_release(const char *path, struct error *err);

/*
 * The release that an uncompressed arm64 Image (Documentation/arm64/booting.rst: magic "ARM\x64" at
 * 56) names itself, the word after "Linux version ". As above.
 */
char *arm64_image_release(const char *path, struct error *err);

/* boot/vmlinuz-RELEASE of an unpacked package. The caller frees it; NULL: there is none. */
char *vmlinuz_path(const char *root);

/*
 * The folder below @root (an unpacked package, or the modules themselves) that holds modules.dep of
 * @release. The caller frees it; NULL: there is none.
 */
char *modules_folder(const char *root, const char *release);

#endif
