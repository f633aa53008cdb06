// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

int sysfile_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), saved;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	saved = errno;
	close(fd);
	errno = saved;
	if (n < 0)
		return -1;
	buf[n] = 0;
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = 0;
	return 0;
}

int sysfile_number(const char *path, int64_t *value)
{
	char text[64], *end;

	if (sysfile_read(path, text, sizeof(text)))
		return -1;
	if (!strcmp(text, "max")) {
		*value = INT64_MAX;
		return 0;
	}
	errno = 0;
	*value = strtoll(text, &end, 10);
	return errno || end == text || *end ? -1 : 0;
}
