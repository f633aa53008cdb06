/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TESTS_IMPORT_TEST_H
#define SCHEDBENCH_TESTS_IMPORT_TEST_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

/* A folder for a test, whose path is *@state; it goes with all that is in it. */
static int make_folder(void **state)
{
	char template[] = "/tmp/schedbench-import-XXXXXX";

	*state = xstrdup(mkdtemp(template));
	return 0;
}

static int remove_folder(void **state)
{
	struct error err = ERROR_INIT;

	remove_tree(*state, &err);
	free(*state);
	return 0;
}

/* Write @len bytes to @dir/@name, making the folders on the way. */
static void put_bytes(const char *dir, const char *name, const void *data, size_t len)
{
	char *path = path_join(dir, name), *folder = path_dirname(path);
	struct error err = ERROR_INIT;

	assert_int_equal(make_directories(folder, &err), 0);
	assert_int_equal(file_write(path, data, len, &err), 0);
	free(folder);
	free(path);
}

static void put(const char *dir, const char *name, const char *text)
{
	put_bytes(dir, name, text, strlen(text));
}

/* Pack @dir/@name with @program, as mmtests does; the file itself goes. */
static inline void pack(const char *dir, const char *name, const char *program)
{
	char *path = path_join(dir, name);
	const char *const zstd[] = {"zstd", "-q", "--rm", path, NULL};
	const char *const other[] = {program, path, NULL};
	struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(
		subprocess_output(strcmp(program, "zstd") ? other : zstd, 10000, &out, &err), 0);
	strbuf_release(&out);
	free(path);
}

static inline void link_to(const char *dir, const char *target, const char *name)
{
	char *path = path_join(dir, name);

	assert_int_equal(symlink(target, path), 0);
	free(path);
}

#endif
