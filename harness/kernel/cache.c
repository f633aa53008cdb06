// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "kernel/cache.h"
#include "util/file.h"
#include "util/xalloc.h"

#define RECORD_MAX 8192

char *builds_folder(const char *name, struct error *err)
{
	char *cache = cache_directory(err), *path;

	if (!cache)
		return NULL;
	path = xasprintf("%s/builds/%s", cache, name);
	free(cache);
	if (make_directories(path, err)) {
		free(path);
		path = NULL;
	}
	return path;
}

char *short_hash(const char *text, unsigned digits)
{
	char hex[SHA256_HEX_SIZE];

	data_sha256(text, strlen(text), hex);
	return xstrndup(hex, digits);
}

static char *resolved_path(const char *key, struct error *err)
{
	char *folder = builds_folder("resolved", err);
	char *hash = short_hash(key, 32);
	char *path = folder ? path_join(folder, hash) : NULL;

	free(hash);
	free(folder);
	return path;
}

/* Two lines: the key, so that people can read the folder, and the value. */
char *resolved_get(const char *key)
{
	struct error ignored = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	char *path = resolved_path(key, &ignored), *value = NULL;
	size_t len = strlen(key);

	if (path && path_exists(path) && !file_read(path, RECORD_MAX, &text, &ignored) &&
	    !strncmp(text.buf, key, len) && text.buf[len] == '\n') {
		value = xstrdup(text.buf + len + 1);
		value[strcspn(value, "\n")] = '\0';
		if (!*value) {
			free(value);
			value = NULL;
		}
	}
	strbuf_release(&text);
	free(path);
	return value;
}

int resolved_set(const char *key, const char *value, struct error *err)
{
	char *path = resolved_path(key, err);
	char *text = xasprintf("%s\n%s\n", key, value);
	int ret = path ? file_write(path, text, strlen(text), err) : -1;

	free(text);
	free(path);
	return ret;
}

int resolved_forget(const char *key, struct error *err)
{
	char *path = resolved_path(key, err);
	int ret = path ? 0 : -1;

	if (path && unlink(path) && errno != ENOENT)
		ret = error_sys(err, errno, "cannot remove '%s'", path);
	free(path);
	return ret;
}

/* The holder may be gone while a child of it still works: the lock is what counts, not the text. */
static void say_waiting(int fd)
{
	char text[256] = "", *name;
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n > 0)
		text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	name = strchr(text, ' ');
	if (name)
		fprintf(stderr, "schedbench: waiting for process %.*s, which has worked on%s\n",
			(int)(name - text), text, name);
	else
		fprintf(stderr, "schedbench: waiting for another one that builds a kernel\n");
}

static void note_holder(int fd, const char *who)
{
	time_t now = time(NULL);
	struct tm tm;
	char since[16] = "", *text;

	if (localtime_r(&now, &tm))
		strftime(since, sizeof(since), "%H:%M", &tm);
	text = xasprintf("%ld kernel '%s' since %s\n", (long)getpid(), who, since);
	/* Only for the message of the one who waits. */
	if (ftruncate(fd, 0) || pwrite(fd, text, strlen(text), 0) < 0)
		fprintf(stderr, "schedbench: cannot note who holds the lock: %s\n",
			strerror(errno));
	free(text);
}

int folder_lock(const char *folder, const char *who, struct error *err)
{
	char *path = path_join(folder, "lock");
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	int ret = fd < 0 ? -1 : flock(fd, LOCK_EX | LOCK_NB);

	if (ret && fd >= 0 && errno == EWOULDBLOCK) {
		say_waiting(fd);
		ret = flock(fd, LOCK_EX);
	}
	if (ret) {
		error_sys(err, errno, "cannot lock '%s'", path);
		if (fd >= 0)
			close(fd);
		fd = -1;
	} else {
		note_holder(fd, who);
	}
	free(path);
	return fd;
}

int check_free_space(const char *folder, unsigned long long bytes, struct error *err)
{
	struct statvfs fs;
	unsigned long long available;

	if (statvfs(folder, &fs))
		return error_sys(err, errno, "cannot ask for the space in '%s'", folder);
	available = (unsigned long long)fs.f_bavail * fs.f_frsize;
	if (available >= bytes)
		return 0;
	return error_set(err, ERROR_FAILED,
			 "no space: %.0f MB are needed and %.0f MB are free in '%s' "
			 "(SCHEDBENCH_CACHE names another folder)",
			 bytes / 1e6, available / 1e6, folder);
}

unsigned long long folder_size(const char *folder)
{
	char *copy = xstrdup(folder);
	char *const paths[] = {copy, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	unsigned long long sum = 0;
	FTSENT *e;

	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_F)
			sum += (unsigned long long)e->fts_statp->st_blocks * 512;
	if (fts)
		fts_close(fts);
	free(copy);
	return sum;
}
