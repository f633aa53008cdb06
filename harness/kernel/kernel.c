// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel/build.h"
#include "kernel/debian.h"
#include "kernel/image.h"
#include "kernel/kernel.h"
#include "kernel/source.h"
#include "util/file.h"
#include "util/xalloc.h"

static int prepare_running(struct kernel_image *out)
{
	struct utsname u;

	uname(&u);
	out->release = xstrdup(u.release);
	out->identity = xasprintf("running %s %s", u.release, u.version);
	return 0;
}

static int prepare_image(struct kernel_image *out, const struct kernel *k, struct error *err)
{
	char hash[SHA256_HEX_SIZE];

	out->image = xstrdup(k->image);
	out->release = k->arch == ARCH_ARM64 ? arm64_image_release(k->image, err)
					     : bzimage_release(k->image, err);
	if (!out->release || file_sha256(k->image, hash, err))
		return -1;
	out->identity = xstrdup(hash);
	if (!k->modules)
		return 0;
	out->modules = modules_folder(k->modules, out->release);
	if (!out->modules)
		return error_set(err, ERROR_USAGE,
				 "no modules.dep of kernel '%s' in '%s' (depmod -b makes one)",
				 out->release, k->modules);
	return 0;
}

static int prepare_debian(struct kernel_image *out, const struct kernel *k, struct error *err)
{
	char *root;

	if (debian_kernel(k->package, k->suite, &root, &out->identity, err))
		return -1;
	out->image = vmlinuz_path(root);
	if (out->image)
		out->release = bzimage_release(out->image, err);
	else
		error_set(err, ERROR_FAILED, "package '%s' holds no kernel image", k->package);
	if (out->release)
		out->modules = modules_folder(root, out->release);
	free(root);
	return out->release ? 0 : -1;
}

static int prepare_built(struct kernel_image *out, const struct kernel *k, struct error *err)
{
	struct built b;

	if (build_kernel(&b, k, err))
		return -1;
	out->image = xstrdup(b.image);
	out->modules = b.modules ? xstrdup(b.modules) : NULL;
	out->release = xstrdup(b.release);
	out->identity = xstrdup(b.identity);
	built_release(&b);
	return 0;
}

int kernel_prepare(struct kernel_image *out, const struct kernel *config, struct error *err)
{
	int ret = -1;

	memset(out, 0, sizeof(*out));
	switch (config->source) {
	case KERNEL_RUNNING:
		ret = prepare_running(out);
		break;
	case KERNEL_IMAGE:
		ret = prepare_image(out, config, err);
		break;
	case KERNEL_DEBIAN_IMAGE:
		ret = prepare_debian(out, config, err);
		break;
	case KERNEL_GIT:
	case KERNEL_TARBALL:
	case KERNEL_DEBIAN_SOURCE:
		ret = prepare_built(out, config, err);
		break;
	}
	if (ret)
		kernel_image_release(out);
	return ret;
}

void kernel_image_release(struct kernel_image *image)
{
	free(image->image);
	free(image->modules);
	free(image->release);
	free(image->identity);
	memset(image, 0, sizeof(*image));
}

int kernel_is_cached(const struct kernel *config)
{
	struct error ignored = ERROR_INIT;
	struct built b;

	if (kernel_is_built(config)) {
		if (build_lookup(&b, config, &ignored) != 1)
			return 0;
		built_release(&b);
		return 1;
	}
	return config->source != KERNEL_DEBIAN_IMAGE ||
	       debian_kernel_cached(config->package, config->suite);
}

int kernel_forget(const struct kernel *config, struct error *err)
{
	if (config->source == KERNEL_DEBIAN_IMAGE)
		return debian_kernel_forget(config->package, config->suite, err);
	if (config->source == KERNEL_DEBIAN_SOURCE && !config->version)
		return source_forget(config, err);
	if (config->source == KERNEL_GIT && kernel_source_is_address(config->git))
		return source_forget(config, err);
	return error_set(
		err, ERROR_USAGE,
		"kernel '%s' has no version that could be renewed (it says exactly what it "
		"is made of)",
		config->name);
}
