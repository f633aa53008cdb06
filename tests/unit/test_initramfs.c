// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/initramfs.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

struct fixture {
	char *dir;
	char *modules;
	struct strlist list;
};

static void put(const char *dir, const char *name, const char *text, mode_t mode)
{
	struct error err = ERROR_INIT;
	char *path = path_join(dir, name);

	assert_int_equal(file_write(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, mode), 0);
	free(path);
}

static void run(const char *const *argv, struct strbuf *out)
{
	struct error err = ERROR_INIT;

	if (subprocess_output(argv, 30000, out, &err))
		fail_msg("%s", err.msg);
}

static void pack(const char *program, const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	const char *const argv[] = {program, path, NULL};
	struct strbuf out = STRBUF_INIT;

	run(argv, &out);
	strbuf_release(&out);
	free(path);
}

static int setup(void **state)
{
	char template[] = "/tmp/test_initramfs.XXXXXX";
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct error err = ERROR_INIT;

	assert_non_null(mkdtemp(template));
	f->dir = xstrdup(template);
	setenv("SCHEDBENCH_CACHE", f->dir, 1);
	f->modules = path_join(f->dir, "modules");
	assert_int_equal(make_directories(f->modules, &err), 0);
	put(f->modules, "a.ko", "module a", 0644);
	put(f->modules, "b.ko", "module b", 0644);
	put(f->modules, "c.ko", "module c", 0644);
	pack("xz", f->modules, "b.ko");
	pack("gzip", f->modules, "c.ko");
	strlist_add(&f->list, "c.ko.gz");
	strlist_add(&f->list, "a.ko");
	strlist_add(&f->list, "b.ko.xz");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;

	remove_tree(f->dir, &err);
	strlist_release(&f->list);
	free(f->modules);
	free(f->dir);
	free(f);
	return 0;
}

static char *make(const struct fixture *f, const char *agent, const char *const *extra)
{
	struct initramfs_spec spec = {
		.agent = agent,
		.workload = "/bin/true",
		.extra_files = extra,
		.modules = &f->list,
		.modules_dir = f->modules,
		.release = "6.1.0-57-cloud-amd64",
	};
	struct error err = ERROR_INIT;
	char *path = initramfs_make(&spec, &err);

	if (!path)
		fail_msg("%s", err.msg);
	return path;
}

static void expect_failure(const struct initramfs_spec *spec, const char *part)
{
	struct error err = ERROR_INIT;

	assert_null(initramfs_make(spec, &err));
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_non_null(strstr(err.msg, part));
}

/* GNU cpio reads the archive: contents of one member. */
static void extract(const char *archive, const char *member, struct strbuf *out)
{
	const char *const argv[] = {"cpio", "-i",    "--quiet", "--to-stdout",
				    "-F",   archive, member,	NULL};

	strbuf_reset(out);
	run(argv, out);
}

static void check_member(const char *archive, const char *member, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	extract(archive, member, &out);
	assert_string_equal(out.buf, text);
	strbuf_release(&out);
}

static void list(const char *archive, struct strbuf *out)
{
	const char *const argv[] = {"cpio", "-itvn", "--quiet", "-F", archive, NULL};

	run(argv, out);
}

/* The line of @name starts with @mode: "drwxr-xr-x". */
static void check_listed(const struct strbuf *listing, const char *mode, const char *name)
{
	char *end = xasprintf(" %s\n", name);
	const char *found = strstr(listing->buf, end);

	if (!found)
		fail_msg("'%s' is not in the archive", name);
	while (found > listing->buf && found[-1] != '\n')
		found--;
	assert_memory_equal(found, mode, strlen(mode));
	free(end);
}

static void archive_holds_what_a_guest_needs(void **state)
{
	const char *const extra[] = {"/usr/bin/cat", "/etc/passwd", NULL};
	char *path = make(*state, "/bin/sh", extra);
	struct strbuf listing = STRBUF_INIT;

	list(path, &listing);
	check_listed(&listing, "drwxr-xr-x", "dev");
	check_listed(&listing, "crw-------", "dev/console");
	check_listed(&listing, "drwxrwxrwt", "tmp");
	check_listed(&listing, "-rwxr-xr-x", "init");
	check_listed(&listing, "-rwxr-xr-x", "bin/schedbench-workload");
	check_listed(&listing, "-rwxr-xr-x", "usr/bin/cat");
	check_listed(&listing, "lrwxrwxrwx", "bin/cat -> /usr/bin/cat");
	check_listed(&listing, "-rw-r--r--", "etc/passwd");
	check_listed(&listing, "-rwxr-xr-x", "lib64/ld-linux-x86-64.so.2");
	check_listed(&listing, "-rwxr-xr-x", "lib/x86_64-linux-gnu/libc.so.6");
	strbuf_release(&listing);
	free(path);
}

static void modules_are_unpacked_and_listed_in_order(void **state)
{
	char *path = make(*state, "/bin/sh", NULL);

	check_member(path, "etc/schedbench/modules", "c.ko\na.ko\nb.ko\n");
	check_member(path, "lib/modules/6.1.0-57-cloud-amd64/a.ko", "module a");
	check_member(path, "lib/modules/6.1.0-57-cloud-amd64/b.ko", "module b");
	check_member(path, "lib/modules/6.1.0-57-cloud-amd64/c.ko", "module c");
	free(path);
}

static void files_arrive_whole(void **state)
{
	char *path = make(*state, "/bin/sh", NULL);
	struct strbuf inside = STRBUF_INIT, outside = STRBUF_INIT;
	struct error err = ERROR_INIT;

	extract(path, "init", &inside);
	assert_int_equal(file_read("/bin/sh", 0, &outside, &err), 0);
	assert_int_equal(inside.len, outside.len);
	assert_memory_equal(inside.buf, outside.buf, inside.len);
	strbuf_release(&inside);
	strbuf_release(&outside);
	free(path);
}

static void a_script_brings_its_interpreter(void **state)
{
	const struct fixture *f = *state;
	char *script = path_join(f->dir, "script");
	struct strbuf listing = STRBUF_INIT;
	char *path;

	put(f->dir, "script", "#! /bin/cat -n\nhello\n", 0755);
	path = make(f, script, NULL);
	list(path, &listing);
	check_listed(&listing, "-rwxr-xr-x", "bin/cat");
	strbuf_release(&listing);
	free(path);
	free(script);
}

/* The second boot of the same pair must not build again, and a change must. */
static void archives_are_cached_by_content(void **state)
{
	const struct fixture *f = *state;
	char *first, *second, *third, hash[SHA256_HEX_SIZE], again[SHA256_HEX_SIZE];
	struct error err = ERROR_INIT;
	struct stat before, after;

	first = make(f, "/bin/sh", NULL);
	assert_int_equal(stat(first, &before), 0);
	assert_int_equal(file_sha256(first, hash, &err), 0);
	second = make(f, "/bin/sh", NULL);
	assert_string_equal(first, second);
	assert_int_equal(stat(second, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);

	assert_int_equal(unlink(first), 0);
	free(make(f, "/bin/sh", NULL));
	assert_int_equal(file_sha256(first, again, &err), 0);
	assert_string_equal(hash, again);

	put(f->modules, "a.ko", "module A", 0644);
	third = make(f, "/bin/sh", NULL);
	assert_string_not_equal(first, third);
	free(first);
	free(second);
	free(third);
}

static void what_is_missing_is_named(void **state)
{
	const struct fixture *f = *state;
	const char *const extra[] = {"no-such-program", NULL};
	struct initramfs_spec spec = {.agent = "/nonexistent/agent"};

	expect_failure(&spec, "cannot open '/nonexistent/agent'");
	spec.agent = "/bin";
	expect_failure(&spec, "'/bin' is not a regular file");
	spec.agent = "/bin/sh";
	spec.extra_files = extra;
	expect_failure(&spec, "'no-such-program' is not there");
	spec.extra_files = NULL;
	spec.modules = &f->list;
	spec.modules_dir = f->modules;
	spec.release = "../../etc";
	expect_failure(&spec, "'../../etc' is not the release of a kernel");
	spec.release = "6.1";
	put(f->modules, "b.ko.xz", "not xz", 0644);
	expect_failure(&spec, "'xz' ended with exit status 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(archive_holds_what_a_guest_needs, setup, teardown),
		cmocka_unit_test_setup_teardown(modules_are_unpacked_and_listed_in_order, setup,
						teardown),
		cmocka_unit_test_setup_teardown(files_arrive_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(a_script_brings_its_interpreter, setup, teardown),
		cmocka_unit_test_setup_teardown(archives_are_cached_by_content, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_missing_is_named, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
