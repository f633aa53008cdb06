// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/apt.h"
#include "kernel/cache.h"
#include "kernel/debian.h"
#include "kernel/image.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define UNPACK_TIMEOUT (5 * 60 * 1000)
#define LISTS_SPACE    (100 * 1000 * 1000) /* package lists of a release and apt's index of them */

/* Fit for the name of a file and for an argument of apt. */
static bool is_plain(const char *name)
{
	return isalnum((unsigned char)*name) &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 ".+~:_-")] == '\0';
}

static bool is_package_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.+-");

	return isalnum((unsigned char)*name) && !name[len] && len <= 128;
}

/* How much of a name that is none can be said in one line. */
static int printable(const char *name)
{
	int len = 0;

	while (len < 60 && isprint((unsigned char)name[len]))
		len++;
	return len;
}

static int check_names(const char *package, const char *suite, struct error *err)
{
	if (!is_package_name(package))
		return error_set(err, ERROR_USAGE, "'%.*s' is not the name of a Debian package",
				 printable(package), package);
	if (!is_package_name(suite))
		return error_set(err, ERROR_USAGE,
				 "'%.*s' is not the name of a Debian suite (such as bookworm)",
				 printable(suite), suite);
	return 0;
}

/* Somebody may have tidied up in the cache. */
static bool is_whole(const char *root)
{
	char *image = vmlinuz_path(root);
	bool whole = image != NULL;

	free(image);
	return whole;
}

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
	if (newline) {
		*newline = '\0';
		newline[1 + strcspn(newline + 1, "\n")] = '\0';
		found = is_plain(text.buf) && newline[1];
	}
	if (found) {
		*root = path_join(kernels, text.buf);
		*identity = xstrdup(newline + 1);
		found = is_whole(*root);
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

/* Newer packages leave modules.dep to the installation, and keep modules below usr. */
static int make_modules_dep(const char *root, const char *release, struct error *err)
{
	const char *const argv[] = {
		"env", "PATH=/usr/sbin:/sbin:/usr/bin:/bin", "depmod", "-b", root, release, NULL};
	char *lib = path_join(root, "lib"), *usr = path_join(root, "usr/lib/modules");
	char *have = modules_folder(root, release);
	int ret = 0;

	if (!have && !path_exists(lib) && path_exists(usr) && symlink("usr/lib", lib))
		ret = error_sys(err, errno, "cannot link '%s'", lib);
	if (!have && !ret && subprocess_output(argv, UNPACK_TIMEOUT, NULL, err))
		ret = error_prefix(err, "cannot make modules.dep (package kmod): ");
	free(have);
	free(usr);
	free(lib);
	return ret;
}

/* dpkg-deb's last words sum up; the cause is its first line. */
static int run_dpkg_deb(const char *deb, const char *root, struct error *err)
{
	const char *const argv[] = {"env", "LC_ALL=C", "dpkg-deb", "-x", deb, root, NULL};
	struct strbuf said = STRBUF_INIT;
	int status = 0;
	int ret = subprocess_capture(argv, UNPACK_TIMEOUT, NULL, &said, &status, err);

	if (!ret && status)
		ret = error_set(err, ERROR_FAILED, "%.*s", (int)strcspn(said.buf, "\n"), said.buf);
	strbuf_release(&said);
	return ret;
}

/* Unpack and make ready; a package that turns out not to hold a kernel is an error. */
static int unpack(const char *deb, const char *name, const char *root, struct error *err)
{
	char *image, *release;
	int ret;

	if (run_dpkg_deb(deb, root, err))
		return error_prefix(err, "cannot unpack '%s': ", name);
	image = vmlinuz_path(root);
	if (!image)
		return error_set(err, ERROR_USAGE, "package '%s' holds no kernel image", name);
	release = bzimage_release(image, err);
	ret = release ? make_modules_dep(root, release, err) : -1;
	free(release);
	free(image);
	return ret;
}

static void say_fetching(const struct apt_package *p)
{
	if (p->size)
		fprintf(stderr, "schedbench: fetching %s %s (%.0f MB)\n", p->name, p->version,
			p->size / 1e6);
	else
		fprintf(stderr, "schedbench: fetching %s %s\n", p->name, p->version);
}

/* Everything happens in @work, and only what is whole is renamed to its place. */
static int fetch_into(struct apt *apt, const char *work, const struct apt_package *package,
		      const char *place, struct error *err)
{
	char *root = path_join(work, "root");
	char *deb = NULL;
	int ret;

	say_fetching(package);
	ret = make_directories(root, err);
	if (!ret)
		ret = apt_download(apt, package, work, &deb, err);
	if (!ret)
		ret = unpack(deb, package->name, root, err);
	if (!ret && rename(root, place))
		ret = error_sys(err, errno, "cannot rename '%s' to '%s'", root, place);
	free(deb);
	free(root);
	return ret;
}

/* What a fetch left that was killed; the caller holds the lock. */
static void remove_leftovers(const char *kernels)
{
	char *pattern = path_join(kernels, ".work-*");
	struct error ignored = ERROR_INIT;
	glob_t found;

	if (!glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			remove_tree(found.gl_pathv[i], &ignored);
		globfree(&found);
	}
	free(pattern);
}

static int fetch_package(struct apt *apt, const char *kernels, const char *request,
			 const struct apt_package *package, struct error *err)
{
	char *work = xasprintf("%s/.work-%ld", kernels, (long)getpid());
	char *folder = xasprintf("%s_%s", package->name, package->version);
	char *identity = xasprintf("%s %s", package->name, package->version);
	char *place = path_join(kernels, folder);
	struct error ignored = ERROR_INIT;
	int ret = 0;

	if (!is_whole(place)) {
		if (path_exists(place))
			ret = remove_tree(place, err);
		if (!ret)
			ret = check_free_space(kernels, package->size + package->unpacked, err);
		if (!ret)
			ret = fetch_into(apt, work, package, place, err);
	}
	if (!ret)
		ret = write_record(kernels, request, apt->suite, folder, identity, err);
	remove_tree(work, &ignored);
	free(place);
	free(identity);
	free(folder);
	free(work);
	return ret;
}

static int fetch(struct apt *apt, const char *kernels, const char *request, struct error *err)
{
	struct apt_package package;
	int ret;

	remove_leftovers(kernels);
	/* apt waits for ever on a disk that is nearly full, so that it is asked beforehand. */
	if (check_free_space(kernels, LISTS_SPACE, err) || apt_update(apt, err) ||
	    apt_resolve(apt, APT_IMAGE, request, &package, err))
		return -1;
	ret = fetch_package(apt, kernels, request, &package, err);
	apt_package_release(&package);
	return ret;
}

static int lock_kernels(const char *kernels, struct error *err)
{
	char *path = path_join(kernels, "lock");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	int ret = fd < 0 ? -1 : flock(fd, LOCK_EX | LOCK_NB);

	if (ret && fd >= 0 && errno == EWOULDBLOCK) {
		fprintf(stderr, "schedbench: waiting for another one that fetches a kernel\n");
		ret = flock(fd, LOCK_EX);
	}
	if (ret) {
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
	static const char *const tools[] = {"apt-get", "apt-cache", "dpkg-deb"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *path = path_search(tools[i]);

		if (!path)
			return error_set(err, ERROR_FAILED,
					 "no '%s' on this system: packaged kernels need Debian or "
					 "one of its kin (give an image with source: {image: FILE, "
					 "modules: FOLDER})",
					 tools[i]);
		free(path);
	}
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
			ret = fetch(&apt, kernels, package, err);
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
	char *cache = check_names(package, suite, err) ? NULL : cache_directory(err);
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
	char *cache = check_names(package, suite, &ignored) ? NULL : cache_directory(&ignored);
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

int debian_kernel_forget(const char *package, const char *suite, struct error *err)
{
	char *cache = check_names(package, suite, err) ? NULL : cache_directory(err);
	char *kernels = cache ? path_join(cache, "kernels") : NULL;
	char *record = kernels ? record_path(kernels, package, suite) : NULL;
	int ret = record ? 0 : -1;

	if (record && unlink(record) && errno != ENOENT)
		ret = error_sys(err, errno, "cannot remove '%s'", record);
	free(record);
	free(kernels);
	free(cache);
	return ret;
}
