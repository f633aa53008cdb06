// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/image.h"
#include "util/file.h"
#include "util/xalloc.h"

#define HEADER_MAGIC   0x202
#define HEADER_VERSION 0x20e
#define HEADER_BASE    0x200 /* what the offset in HEADER_VERSION counts from */
#define RELEASE_MAX    128
#define ARM64_MAGIC    56
#define ARM64_SIZE_MAX (256u << 20)

/* A release is the first word there, of the characters that uname -r is made of. */
static char *clean_release(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "._+~-");

	if (!len || len >= RELEASE_MAX || (text[len] && text[len] != ' ') || text[0] == '.')
		return NULL;
	return xstrndup(text, len);
}

/* A FIFO in the place of a file must not block us. */
static int open_file(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0) {
		error_sys(err, errno, "cannot open kernel image '%s'", path);
		err->kind = ERROR_USAGE;
	} else if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		fd = error_set(err, ERROR_USAGE, "kernel image '%s' is not a file", path);
	}
	return fd;
}

char *bzimage_release(const char *path, struct error *err)
{
	unsigned char head[HEADER_VERSION + 2];
	char text[RELEASE_MAX + 1] = "";
	int fd = open_file(path, err);
	char *release = NULL;
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = pread(fd, head, sizeof(head), 0);
	if (n == sizeof(head) && !memcmp(head + HEADER_MAGIC, "HdrS", 4)) {
		off_t at = HEADER_BASE + (head[HEADER_VERSION] | head[HEADER_VERSION + 1] << 8);

		if (at > HEADER_BASE && pread(fd, text, RELEASE_MAX, at) > 0)
			release = clean_release(text);
	}
	close(fd);
	if (!release)
		error_set(err, ERROR_USAGE, "'%s' is not a kernel image (a bzImage is wanted)",
			  path);
	return release;
}

/* The banner; the words alone stand in other places as well. */
static char *find_banner(const struct strbuf *image)
{
	static const char words[] = "Linux version ";
	const char *p = image->buf, *end = image->buf + image->len;

	while ((p = memmem(p, (size_t)(end - p), words, sizeof(words) - 1))) {
		p += sizeof(words) - 1;
		/* A file read into memory ends with a NUL. */
		if (*p >= '0' && *p <= '9')
			return clean_release(p);
	}
	return NULL;
}

char *arm64_image_release(const char *path, struct error *err)
{
	struct strbuf image = STRBUF_INIT;
	int fd = open_file(path, err);
	char *release = NULL;

	if (fd < 0)
		return NULL;
	close(fd);
	if (file_read(path, ARM64_SIZE_MAX, &image, err)) {
		strbuf_release(&image);
		return NULL;
	}
	if (image.len > ARM64_MAGIC + 4 && !memcmp(image.buf + ARM64_MAGIC, "ARM\x64", 4))
		release = find_banner(&image);
	strbuf_release(&image);
	if (!release)
		error_set(err, ERROR_USAGE,
			  "'%s' is not an arm64 kernel image (an uncompressed Image is wanted)",
			  path);
	return release;
}

char *vmlinuz_path(const char *root)
{
	char *boot = path_join(root, "boot");
	DIR *dir = opendir(boot);
	struct dirent *d;
	char *found = NULL;

	while (dir && !found && (d = readdir(dir)))
		if (!strncmp(d->d_name, "vmlinuz-", strlen("vmlinuz-")))
			found = path_join(boot, d->d_name);
	if (dir)
		closedir(dir);
	free(boot);
	return found;
}

char *modules_folder(const char *root, const char *release)
{
	char *candidates[] = {xstrdup(root), xasprintf("%s/lib/modules/%s", root, release),
			      xasprintf("%s/usr/lib/modules/%s", root, release)};
	size_t count = sizeof(candidates) / sizeof(candidates[0]);
	char *found = NULL;

	for (size_t i = 0; i < count; i++) {
		char *dep = path_join(candidates[i], "modules.dep");

		if (!found && path_exists(dep))
			found = xstrdup(candidates[i]);
		free(dep);
		free(candidates[i]);
	}
	return found;
}
