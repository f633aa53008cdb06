// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "util/file.h"
#include "util/xalloc.h"

int file_read(const char *path, size_t max, struct strbuf *out, struct error *err)
{
	size_t start = out->len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s'", path);
	do {
		strbuf_reserve(out, 65536);
		n = read(fd, out->buf + out->len, 65536);
		if (n > 0)
			out->len += n;
		if (max && out->len - start > max) {
			close(fd);
			return error_set(err, ERROR_FAILED, "'%s' is larger than %zu bytes", path,
					 max);
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	out->buf[out->len] = '\0';
	if (n < 0)
		error_sys(err, errno, "cannot read '%s'", path);
	close(fd);
	return n < 0 ? -1 : 0;
}

int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= n;
	}
	return 0;
}

int file_write(const char *path, const void *data, size_t len, struct error *err)
{
	char *tmp = xasprintf("%s.%ld.tmp", path, (long)getpid());
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int ret = 0;

	if (fd < 0) {
		ret = error_sys(err, errno, "cannot create '%s'", tmp);
		goto out;
	}
	if (write_all(fd, data, len) || fsync(fd))
		ret = error_sys(err, errno, "cannot write '%s'", tmp);
	if (close(fd) && !ret)
		ret = error_sys(err, errno, "cannot write '%s'", tmp);
	if (!ret && rename(tmp, path))
		ret = error_sys(err, errno, "cannot rename '%s' to '%s'", tmp, path);
	if (ret)
		unlink(tmp);
out:
	free(tmp);
	return ret;
}

int make_directories(const char *path, struct error *err)
{
	char *copy = xstrdup(path);
	int ret = 0;

	for (char *p = copy + 1; !ret; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			ret = error_sys(err, errno, "cannot create directory '%s'", copy);
		*p = c;
		if (!c)
			break;
	}
	free(copy);
	return ret;
}

int file_sha256(const char *path, char hex[SHA256_HEX_SIZE], struct error *err)
{
	if (!SHA256File(path, hex))
		return error_sys(err, errno, "cannot read '%s'", path);
	return 0;
}

void data_sha256(const void *data, size_t len, char hex[SHA256_HEX_SIZE])
{
	SHA256Data(data, len, hex);
}

bool path_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int remove_tree(const char *path, struct error *err)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
		return error_sys(err, errno, "cannot remove '%s'", path);
	return 0;
}

char *path_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);

	if (name[0] == '/' || !len)
		return xstrdup(name);
	return xasprintf("%s%s%s", dir, dir[len - 1] == '/' ? "" : "/", name);
}

char *path_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, slash - path);
}

char *path_search(const char *name)
{
	const char *env = getenv("PATH");
	char *copy, *rest, *dir, *found = NULL;

	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : xstrdup(name);
	copy = rest = xstrdup(env ? env : "/usr/local/bin:/usr/bin:/bin");
	while (!found && (dir = strsep(&rest, ":"))) {
		char *path = path_join(*dir ? dir : ".", name);

		if (access(path, X_OK) == 0)
			found = path;
		else
			free(path);
	}
	free(copy);
	return found;
}

char *cache_directory(struct error *err)
{
	const char *env = getenv("SCHEDBENCH_CACHE");
	const char *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *dir;

	if (env && *env)
		dir = xstrdup(env);
	else if (xdg && *xdg)
		dir = path_join(xdg, "schedbench");
	else
		dir = path_join(home && *home ? home : "/var/tmp", ".cache/schedbench");
	if (make_directories(dir, err)) {
		free(dir);
		return NULL;
	}
	return dir;
}
