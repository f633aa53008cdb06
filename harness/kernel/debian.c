// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/apt.h"
#include "kernel/debian.h"
#include "kernel/image.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define UNPACK_TIMEOUT (5 * 60 * 1000)

/* What a request led to: the unpacked folder and the identity, one a line. */
static char *record_path(const char *kernels, const char *package, const char *suite)
{
	return xasprintf("%s/%s@%s", kernels, package, suite);
}

static int read_record(const char *kernels, const char *package, const char *suite, char **root,
		       char **identity)
{
	char *path = record_path(kernels, package, suite);
	struct strbuf text = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	char *newline = NULL;
	int found = 0;

	if (path_exists(path) && !file_read(path, 4096, &text, &ignored))
		newline = strchr(text.buf, '\n');
	if (newline && !memchr(text.buf, '/', newline - text.buf)) {
		*newline = '\0';
		*root = path_join(kernels, text.buf);
		*identity = xstrndup(newline + 1, strcspn(newline + 1, "\n"));
		found = path_exists(*root);
		if (!found) {
			free(*root);
			free(*identity);
		}
	}
	strbuf_release(&text);
	free(path);
	return found;
}

static int write_record(const char *kernels, const char *package, const char *suite,
			const char *folder, const char *identity, struct error *err)
{
	char *path = record_path(kernels, package, suite);
	char *text = xasprintf("%s\n%s\n", folder, identity);
	int ret = file_write(path, text, strlen(text), err);

	free(text);
	free(path);
	return ret;
}

/* Packages of newer kernels leave modules.dep to the installation. */
static int make_modules_dep(const char *root, const char *name, struct error *err)
{
	const char *release = name + strlen("linux-image-");
	const char *const argv[] = {
		"env", "PATH=/usr/sbin:/sbin:/usr/bin:/bin", "depmod", "-b", root, release, NULL};
	char *folder = xasprintf("%s/lib/modules/%s", root, release);
	char *have = modules_folder(root, release);
	int ret = 0;

	if (path_exists(folder) && !have)
		ret = subprocess_output(argv, UNPACK_TIMEOUT, NULL, err);
	if (ret)
		error_prefix(err, "cannot make modules.dep (package kmod): ");
	free(have);
	free(folder);
	return ret;
}

static int unpack(const char *deb, const char *name, const char *root, struct error *err)
{
	const char *const argv[] = {"dpkg-deb", "-x", deb, root, NULL};

	if (subprocess_output(argv, UNPACK_TIMEOUT, NULL, err))
		return error_prefix(err, "cannot unpack '%s': ", name);
	return make_modules_dep(root, name, err);
}

/* Everything happens in @work, and only what is whole is renamed to its place. */
static int fetch_into(struct apt *apt, const char *work, const char *name, const char *version,
		      const char *place, struct error *err)
{
	char *root = path_join(work, "root");
	char *deb = NULL;
	int ret;

	fprintf(stderr, "schedbench: fetching %s %s\n", name, version);
	ret = make_directories(root, err);
	if (!ret)
		ret = apt_download(apt, name, version, work, &deb, err);
	if (!ret)
		ret = unpack(deb, name, root, err);
	if (!ret && rename(root, place))
		ret = error_sys(err, errno, "cannot rename '%s' to '%s'", root, place);
	free(deb);
	free(root);
	return ret;
}

static int fetch(struct apt *apt, const char *kernels, const char *package, const char *suite,
		 struct error *err)
{
	char *work = xasprintf("%s/.work-%ld", kernels, (long)getpid());
	char *name = NULL, *version = NULL, *folder = NULL, *place = NULL, *identity = NULL;
	struct error ignored = ERROR_INIT;
	int ret = apt_update(apt, suite, err);

	if (!ret)
		ret = apt_resolve(apt, package, suite, &name, &version, err);
	if (!ret) {
		folder = xasprintf("%s_%s", name, version);
		place = path_join(kernels, folder);
		identity = xasprintf("%s %s", name, version);
		if (!path_exists(place))
			ret = fetch_into(apt, work, name, version, place, err);
	}
	if (!ret)
		ret = write_record(kernels, package, suite, folder, identity, err);
	remove_tree(work, &ignored);
	free(work);
	free(name);
	free(version);
	free(folder);
	free(place);
	free(identity);
	return ret;
}

static int lock_kernels(const char *kernels, struct error *err)
{
	char *path = path_join(kernels, "lock");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || flock(fd, LOCK_EX)) {
		error_sys(err, errno, "cannot lock '%s'", path);
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

static int check_tools(struct error *err)
{
	static const char *const tools[] = {"/usr/bin/apt-get", "/usr/bin/dpkg-deb"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (access(tools[i], X_OK))
			return error_set(
				err, ERROR_FAILED,
				"no '%s': packaged kernels need Debian or one of its kin (give an "
				"image with source: {image: FILE, modules: FOLDER})",
				tools[i]);
	return 0;
}

/* Under the lock: somebody else may have fetched it meanwhile. */
static int fetch_locked(const char *cache, const char *kernels, const char *package,
			const char *suite, char **root, char **identity, struct error *err)
{
	char *folder = xasprintf("%s/apt/%s", cache, suite);
	struct apt apt;
	int ret = 0;

	if (!read_record(kernels, package, suite, root, identity)) {
		ret = apt_init(&apt, folder, suite, err);
		if (!ret)
			ret = fetch(&apt, kernels, package, suite, err);
		apt_release(&apt);
		if (!ret && !read_record(kernels, package, suite, root, identity))
			ret = error_set(err, ERROR_FAILED, "the cache lost '%s' at once", package);
	}
	free(folder);
	return ret;
}

int debian_kernel(const char *package, const char *suite, char **root, char **identity,
		  struct error *err)
{
	char *cache = cache_directory(err);
	char *kernels;
	int lock, ret = 0;

	if (!cache)
		return -1;
	kernels = path_join(cache, "kernels");
	if (!read_record(kernels, package, suite, root, identity)) {
		ret = check_tools(err) || make_directories(kernels, err) ? -1 : 0;
		lock = ret ? -1 : lock_kernels(kernels, err);
		ret = lock < 0 ? -1
			       : fetch_locked(cache, kernels, package, suite, root, identity, err);
		if (lock >= 0)
			close(lock);
	}
	free(kernels);
	free(cache);
	return ret;
}

int debian_kernel_cached(const char *package, const char *suite)
{
	struct error ignored = ERROR_INIT;
	char *cache = cache_directory(&ignored);
	char *kernels, *root, *identity;
	int found;

	if (!cache)
		return 0;
	kernels = path_join(cache, "kernels");
	found = read_record(kernels, package, suite, &root, &identity);
	if (found) {
		free(root);
		free(identity);
	}
	free(kernels);
	free(cache);
	return found;
}
