// SPDX-License-Identifier: GPL-2.0-or-later
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/apt.h"
#include "kernel/cache.h"
#include "kernel/source.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define UNPACK_TIMEOUT (5 * 60 * 1000)

char *source_debian_record(const struct kernel *k)
{
	return k->version ? NULL : xasprintf("debian %s %s", k->package, k->suite);
}

static int check_tools(struct error *err)
{
	static const char *const tools[] = {"apt-get", "apt-cache", "dpkg-deb"};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *path = path_search(tools[i]);

		free(path);
		if (!path)
			return error_set(err, ERROR_FAILED,
					 "no '%s' on this system: packaged sources need Debian or "
					 "one of its kin (write source: {tarball: FILE})",
					 tools[i]);
	}
	return 0;
}

/* One at a time: apt's lists of a suite have their own lock, which apt does not wait for. */
static int open_apt(struct apt *apt, const struct kernel *k, struct error *err)
{
	char *cache = cache_directory(err), *folder, *shared;
	int lock = -1;

	if (!cache)
		return -1;
	folder = xasprintf("%s/apt/%s", cache, k->suite);
	shared = path_join(cache, "kernels");
	if (!check_tools(err) && !make_directories(shared, err))
		lock = folder_lock(shared, k->name, err);
	if (lock >= 0 && (apt_init(apt, folder, k->suite, err) || apt_update(apt, err))) {
		apt_release(apt);
		close(lock);
		lock = -1;
	}
	free(shared);
	free(folder);
	free(cache);
	return lock;
}

static int find_package(struct apt *apt, const struct kernel *k, const char *version,
			struct apt_package *package, struct error *err)
{
	char *which = version ? xasprintf("%s=%s", k->package, version) : xstrdup(k->package);
	int ret = apt_resolve(apt, APT_SOURCE, which, package, err);

	free(which);
	return ret;
}

/* The value of the record: "PACKAGE VERSION", of what a meta package stands for. */
static char *ask_apt(const struct kernel *k, struct error *err)
{
	struct apt apt;
	struct apt_package package;
	char *value = NULL;
	int lock = open_apt(&apt, k, err);

	if (lock < 0)
		return NULL;
	if (!find_package(&apt, k, NULL, &package, err)) {
		value = xasprintf("%s %s", package.name, package.version);
		apt_package_release(&package);
	}
	apt_release(&apt);
	close(lock);
	return value;
}

int source_debian_resolve(struct source *s, const struct kernel *k, bool offline, bool *known,
			  struct error *err)
{
	char *record = source_debian_record(k);
	int ret = 0;

	if (!record) {
		s->identity = xasprintf("%s %s", k->package, k->version);
	} else {
		s->identity = resolved_get(record);
		*known = s->identity != NULL;
		if (!s->identity && !offline) {
			s->identity = ask_apt(k, err);
			ret = s->identity ? resolved_set(record, s->identity, err) : -1;
			*known = !ret;
		}
	}
	if (!ret && s->identity)
		s->key = short_hash(s->identity, 16);
	free(record);
	return ret;
}

static char *archive_in(const char *root, const char *package, struct error *err)
{
	char *pattern = path_join(root, "usr/src/linux-source-*.tar.*"), *path = NULL;
	glob_t found;

	if (!glob(pattern, 0, NULL, &found)) {
		path = xstrdup(found.gl_pathv[0]);
		globfree(&found);
	} else {
		error_set(err, ERROR_USAGE, "package '%s' holds no kernel source", package);
	}
	free(pattern);
	return path;
}

static int import_package(struct source *s, const char *deb, const char *work, const char *package,
			  struct error *err)
{
	char *root = path_join(work, "root"), *archive = NULL;
	const char *const argv[] = {"env", "LC_ALL=C", "dpkg-deb", "-x", deb, root, NULL};
	int ret = subprocess_output(argv, UNPACK_TIMEOUT, NULL, err);

	if (ret)
		error_prefix(err, "cannot unpack '%s': ", package);
	else
		archive = archive_in(root, package, err);
	if (archive) {
		/* The package is not needed any more, and its archive is as large. */
		unlink(deb);
		ret = source_import(s, archive, s->identity, err);
	}
	free(root);
	free(archive);
	return archive ? ret : -1;
}

static int fetch_package(struct source *s, struct apt *apt, const struct kernel *k,
			 const char *work, char **deb, struct error *err)
{
	struct kernel which = *k;
	struct apt_package package;
	char *name = xstrndup(s->identity, strcspn(s->identity, " "));
	const char *version = s->identity + strlen(name) + 1;
	int ret;

	which.package = name;
	ret = find_package(apt, &which, version, &package, err);
	if (ret && err->kind == ERROR_USAGE)
		error_set(err, ERROR_USAGE,
			  "Debian '%s' has no %s %s any more (schedbench kernel refresh %s takes "
			  "what it has now)",
			  k->suite, name, version, k->name);
	if (!ret) {
		fprintf(stderr, "schedbench: fetching %s %s (%.0f MB)\n", package.name,
			package.version, package.size / 1e6);
		ret = check_free_space(s->folder, 2 * package.size, err);
		if (!ret)
			ret = apt_download(apt, &package, work, deb, err);
		apt_package_release(&package);
	}
	free(name);
	return ret;
}

int source_debian_make(struct source *s, const struct kernel *k, struct error *err)
{
	char *work = path_join(s->folder, "package"), *deb = NULL;
	struct error ignored = ERROR_INIT;
	struct apt apt;
	int lock = open_apt(&apt, k, err), ret = lock < 0 ? -1 : 0;

	if (!ret)
		ret = remove_tree(work, err) || make_directories(work, err) ? -1 : 0;
	if (!ret)
		ret = fetch_package(s, &apt, k, work, &deb, err);
	if (lock >= 0) {
		apt_release(&apt);
		close(lock);
	}
	if (!ret)
		ret = import_package(s, deb, work, k->package, err);
	remove_tree(work, &ignored);
	free(deb);
	free(work);
	return ret;
}
