// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent_journal.h"
#include "agent/agent_switch.h"
#include "util/file.h"
#include "util/xalloc.h"

#define JOURNAL_MAX (4 * 1024 * 1024)

void changes_add(struct changes *c, char *path, char *old, char *now)
{
	xgrow(c->items, c->count, c->cap);
	c->items[c->count++] = (struct change){path, old, now};
}

void changes_truncate(struct changes *c, size_t count)
{
	while (c->count > count) {
		struct change *last = &c->items[--c->count];

		free(last->path);
		free(last->old);
		free(last->now);
	}
	if (!count) {
		free(c->items);
		*c = (struct changes){0};
	}
}

const char *switches_folder(void)
{
	const char *env = getenv("SCHEDBENCH_RUN_DIR");

	return env && *env ? env : "/run/schedbench";
}

/* What is in the journal gets written to files of the kernel: nobody else may put it there. */
static int check_folder(const char *folder, struct error *err)
{
	struct stat st;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_sys(err, errno, "cannot create '%s' for the journal of switches",
				 folder);
	if (lstat(folder, &st))
		return error_sys(err, errno, "cannot use '%s' for the journal of switches", folder);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022))
		return error_set(
			err, ERROR_FAILED,
			"'%s' is not a folder that only its owner, this user, can write to",
			folder);
	return 0;
}

static int lock_held(int fd, struct error *err)
{
	char owner[32] = "";
	ssize_t n = pread(fd, owner, sizeof(owner) - 1, 0);

	if (n > 0)
		owner[strspn(owner, "0123456789")] = '\0';
	return error_set(err, ERROR_USAGE,
			 "switches of this host are in use by another schedbench-agent, pid %s",
			 owner[0] ? owner : "unknown");
}

int journal_lock(const char *folder, struct error *err)
{
	char *path, text[32];
	int fd, len;

	if (check_folder(folder, err))
		return -1;
	path = path_join(folder, "lock");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		error_sys(err, errno, "cannot open '%s'", path);
	} else if (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno == EWOULDBLOCK)
			lock_held(fd, err);
		else
			error_sys(err, errno, "cannot lock '%s'", path);
		close(fd);
		fd = -1;
	}
	free(path);
	if (fd < 0)
		return -1;
	len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) || pwrite(fd, text, len, 0) != len) {
		error_sys(err, errno, "cannot write the lock of '%s'", folder);
		close(fd);
		return -1;
	}
	return fd;
}

static char *journal_path(const char *folder)
{
	return path_join(folder, "journal");
}

bool journal_exists(const char *folder)
{
	char *path = journal_path(folder);
	bool there = path_exists(path);

	free(path);
	return there;
}

int journal_write(const char *folder, const struct changes *c, struct error *err)
{
	char *path = journal_path(folder), *text;
	json_t *array = json_array();
	int ret = 0;

	for (size_t i = 0; i < c->count; i++)
		json_array_append_new(array,
				      json_pack("{ss ss ss}", "path", c->items[i].path, "old",
						c->items[i].old, "now", c->items[i].now));
	if (c->count) {
		text = json_dumps(array, JSON_INDENT(1));
		ret = file_write(path, text ? text : "", text ? strlen(text) : 0, err);
		free(text);
	} else if (unlink(path) && errno != ENOENT) {
		ret = error_sys(err, errno, "cannot remove '%s'", path);
	}
	json_decref(array);
	free(path);
	return ret;
}

static int read_changes(const char *path, struct changes *c, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	json_t *array, *item;
	const char *file, *old, *now;
	int ret = file_read(path, JOURNAL_MAX, &text, err);
	size_t i;

	array = ret ? NULL : json_loadb(text.buf, text.len, 0, NULL);
	strbuf_release(&text);
	if (ret)
		return ret;
	if (!json_is_array(array))
		ret = -1;
	json_array_foreach (array, i, item) {
		if (json_unpack(item, "{ss ss ss !}", "path", &file, "old", &old, "now", &now)) {
			ret = -1;
			break;
		}
		changes_add(c, xstrdup(file), xstrdup(old), xstrdup(now));
	}
	json_decref(array);
	if (ret)
		error_set(
			err, ERROR_FAILED,
			"'%s' is not a journal of switches (look at what it says, then remove it)",
			path);
	return ret;
}

int journal_read(const char *folder, struct changes *c, struct error *err)
{
	char *path = journal_path(folder);
	int ret = 0;

	*c = (struct changes){0};
	if (path_exists(path))
		ret = read_changes(path, c, err) ? -1 : 1;
	if (ret < 0)
		changes_truncate(c, 0);
	free(path);
	return ret;
}
