// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernel/cache.h"
#include "kernel/source.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define DOWNLOAD_TIMEOUT (60 * 60 * 1000)

/* Hashing a large file takes longer than a look-up may: its size and time stand for its content. */
static char *hash_of_file(const char *path, struct error *err)
{
	char hex[SHA256_HEX_SIZE], *record, *known;
	struct stat st;

	if (stat(path, &st)) {
		error_set(err, ERROR_USAGE, "no tarball '%s'", path);
		return NULL;
	}
	record = xasprintf("tarball %s %lld %lld.%09ld", path, (long long)st.st_size,
			   (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	known = resolved_get(record);
	if (!known && !file_sha256(path, hex, err) && !resolved_set(record, hex, err))
		known = xstrdup(hex);
	free(record);
	return known;
}

int source_tarball_resolve(struct source *s, const struct kernel *k, struct error *err)
{
	char *hash = k->sha256 ? xstrdup(k->sha256) : hash_of_file(k->tarball, err);

	if (!hash)
		return -1;
	s->identity = xasprintf("tarball %s", hash);
	s->key = short_hash(s->identity, 16);
	free(hash);
	return 0;
}

static int check_hash(const char *path, const struct kernel *k, struct error *err)
{
	char hex[SHA256_HEX_SIZE];

	if (file_sha256(path, hex, err))
		return -1;
	if (!k->sha256 || !strcmp(hex, k->sha256))
		return 0;
	return error_set(err, ERROR_FAILED,
			 "'%s' has SHA-256 %s, not %s (a corrupt download, or another file)",
			 k->tarball, hex, k->sha256);
}

/* curl's last words are the cause; redirections stay within the protocols of downloads. */
static int download(const char *address, const char *path, struct error *err)
{
	const char *const argv[] = {"curl",
				    "-q",
				    "--fail",
				    "--silent",
				    "--show-error",
				    "--location",
				    "--proto",
				    "=https,http,ftp,file",
				    "--proto-redir",
				    "=https,http,ftp",
				    "--output",
				    path,
				    "--",
				    address,
				    NULL};
	char *curl = path_search("curl");
	int ret = curl ? 0
		       : error_set(err, ERROR_FAILED, "no 'curl' on this machine (package curl)");

	free(curl);
	if (ret)
		return -1;
	fprintf(stderr, "schedbench: fetching %s\n", address);
	if (subprocess_output(argv, DOWNLOAD_TIMEOUT, NULL, err))
		return error_prefix(err, "cannot download '%s': ", address);
	return 0;
}

int source_tarball_make(struct source *s, const struct kernel *k, struct error *err)
{
	const char *slash = strrchr(k->tarball, '/');
	char *label = xstrdup(slash ? slash + 1 : k->tarball), *file;
	struct error ignored = ERROR_INIT;
	bool remote = kernel_source_is_address(k->tarball);
	int ret = 0;

	/* tar tells the compression by what is in the file. */
	file = remote ? path_join(s->folder, "download") : xstrdup(k->tarball);
	if (remote)
		ret = download(k->tarball, file, err);
	else if (!path_exists(file))
		ret = error_set(err, ERROR_USAGE, "no tarball '%s'", file);
	if (!ret)
		ret = check_hash(file, k, err);
	if (!ret)
		ret = source_import(s, file, label, err);
	if (remote)
		remove_tree(file, &ignored);
	free(file);
	free(label);
	return ret;
}
