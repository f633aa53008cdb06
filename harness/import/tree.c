// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "import/import.h"
#include "import/tree.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

enum { MAX_TEXT = 64 << 20, MAX_NAMES = 20 * 1000, UNPACK_S = 60 };

static const struct {
	const char *suffix, *program;
} packers[] = {{".gz", "gzip"}, {".xz", "xz"}, {".zst", "zstd"}};

int tree_open(struct tree *t, const char *path, struct strlist *notes, struct error *err)
{
	*t = (struct tree){.notes = notes};
	t->root = realpath(path, NULL);
	if (!t->root)
		return error_sys(err, errno, "cannot open '%s'", path);
	t->given = xstrdup(path);
	return 0;
}

void tree_close(struct tree *t)
{
	free(t->root);
	free(t->given);
}

/* Where @path really is, NULL: nowhere, or outside. */
static char *resolve(const struct tree *t, const char *path, struct error *err)
{
	char *joined = path_join(t->root, path), *real = realpath(joined, NULL);
	size_t len = strlen(t->root);

	free(joined);
	if (!real) {
		error_sys(err, errno, "cannot open '%s/%s'", t->given, path);
		return NULL;
	}
	if (strncmp(real, t->root, len) || (len > 1 && real[len] != '/' && real[len])) {
		error_set(err, ERROR_USAGE,
			  "'%s/%s' is a symbolic link that leaves the tree (copy what it points "
			  "to)",
			  t->given, path);
		free(real);
		return NULL;
	}
	return real;
}

enum tree_kind tree_kind(const struct tree *t, const char *path)
{
	char *joined = path_join(t->root, path), *real;
	struct error err = ERROR_INIT;
	enum tree_kind kind = TREE_NOTHING;
	struct stat st;
	bool link;

	if (!lstat(joined, &st)) {
		link = S_ISLNK(st.st_mode);
		real = resolve(t, path, &err);
		if (!real)
			strlist_addf(t->notes, "%s, left out", err.msg);
		else if (!stat(real, &st))
			kind = !S_ISDIR(st.st_mode) ? TREE_OTHER
			       : link		    ? TREE_LINK_TO_FOLDER
						    : TREE_FOLDER;
		free(real);
	}
	free(joined);
	return kind;
}

bool tree_is_folder(const struct tree *t, const char *path)
{
	enum tree_kind kind = tree_kind(t, path);

	return kind == TREE_FOLDER || kind == TREE_LINK_TO_FOLDER;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(const struct tree *t, const char *path, const char *name, struct strlist *names,
		    struct error *err)
{
	struct error unusual = ERROR_INIT;

	if (*name == '.')
		return 0;
	if (import_check_case(name, &unusual)) {
		strlist_addf(t->notes, "in '%s/%s': %s, left out", t->given, path, unusual.msg);
		return 0;
	}
	if (names->count == MAX_NAMES)
		return error_set(err, ERROR_USAGE, "'%s/%s' holds more than %d names", t->given,
				 path, MAX_NAMES);
	strlist_add(names, name);
	return 0;
}

int tree_list(const struct tree *t, const char *path, struct strlist *names, struct error *err)
{
	char *real = resolve(t, path, err);
	DIR *dir = real ? opendir(real) : NULL;
	struct dirent *entry;
	int ret = 0;

	if (real && !dir)
		error_sys(err, errno, "cannot read '%s/%s'", t->given, path);
	free(real);
	if (!dir)
		return -1;
	while (!ret && (errno = 0, entry = readdir(dir)))
		ret = add_name(t, path, entry->d_name, names, err);
	if (!ret && errno)
		ret = error_sys(err, errno, "cannot read '%s/%s'", t->given, path);
	closedir(dir);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	return ret;
}

/* Read to the end, at most MAX_TEXT bytes. 1: there is more, or it took too long. */
static int drain(int fd, struct strbuf *out)
{
	time_t start = time(NULL);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	ssize_t n;

	do {
		if (poll(&p, 1, UNPACK_S * 1000) == 0 || time(NULL) - start > UNPACK_S)
			return 1;
		strbuf_reserve(out, 65536);
		n = read(fd, out->buf + out->len, 65536);
		out->len += n > 0 ? n : 0;
		out->buf[out->len] = '\0';
	} while ((n > 0 || (n < 0 && errno == EINTR)) && out->len <= MAX_TEXT);
	return n < 0 ? -1 : n > 0;
}

static int unpack(int fd, const char *program, struct strbuf *out, struct error *err)
{
	const char *const argv[] = {program, "-dc", NULL};
	struct subprocess_spec spec = SUBPROCESS_SPEC_INIT;
	struct subprocess sp;
	int ret, status = 0;

	spec.argv = argv;
	spec.in = fd;
	spec.out = SUBPROCESS_PIPE;
	spec.err = SUBPROCESS_NULL;
	spec.own_group = true;
	spec.die_with_parent = true;
	if (subprocess_start(&sp, &spec, err))
		return -1;
	ret = drain(sp.out, out);
	if (ret || subprocess_wait(&sp, UNPACK_S * 1000, &status, err) != 1) {
		subprocess_kill(&sp);
		return ret < 0 ? error_set(err, ERROR_FAILED, "reading from '%s' failed", program)
			       : error_set(err, ERROR_USAGE, "more than %d MiB, or %d s, to unpack",
					   MAX_TEXT >> 20, UNPACK_S);
	}
	subprocess_release(&sp);
	if (status)
		return error_set(err, ERROR_USAGE, "'%s' cannot unpack it: damaged, or cut off",
				 program);
	return 0;
}

static int read_plain(int fd, struct strbuf *out, struct error *err)
{
	int ret = drain(fd, out);

	if (ret < 0)
		return error_sys(err, errno, "cannot read it");
	return ret ? error_set(err, ERROR_USAGE, "more than %d MiB", MAX_TEXT >> 20) : 0;
}

static const char *packer_of(const char *name)
{
	int len = tree_plain_length(name);

	for (size_t i = 0; name[len] && i < sizeof(packers) / sizeof(*packers); i++)
		if (!strcmp(name + len, packers[i].suffix))
			return packers[i].program;
	return NULL;
}

int tree_plain_length(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(packers) / sizeof(*packers); i++) {
		size_t n = strlen(packers[i].suffix);

		if (len > n && !strcmp(name + len - n, packers[i].suffix))
			return len - n;
	}
	return len;
}

static int check_text(const struct tree *t, const char *path, const struct strbuf *text,
		      struct error *err)
{
	const char *zero = memchr(text->buf, '\0', text->len);
	unsigned line = 1;

	for (const char *p = text->buf; zero && p < zero; p++)
		line += *p == '\n';
	return zero ? error_set(err, ERROR_USAGE, "%s/%s:%u: a zero byte: this is not a text",
				t->given, path, line)
		    : 0;
}

static int open_file(const struct tree *t, const char *path, struct error *err)
{
	char *real = resolve(t, path, err);
	struct stat st;
	int fd;

	if (!real)
		return -1;
	fd = open(real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	free(real);
	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s/%s'", t->given, path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(err, ERROR_USAGE, "'%s/%s' is not a plain file", t->given, path);
	}
	return fd;
}

int tree_read(const struct tree *t, const char *path, struct strbuf *out, struct error *err)
{
	const char *packer = packer_of(path);
	int fd = open_file(t, path, err), ret;

	if (fd < 0)
		return -1;
	ret = packer ? unpack(fd, packer, out, err) : read_plain(fd, out, err);
	close(fd);
	if (ret)
		return error_prefix(err, "%s/%s: ", t->given, path);
	return check_text(t, path, out, err);
}
