// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packaged kernels without a network: apt-get and apt-cache are scripts that come first in PATH and
 * log what they are asked; the package is a real one, unpacked by the real dpkg-deb and depmod.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernel_test.h"
#include "util/subprocess.h"

#define META	"linux-image-fake-amd64"
#define RELEASE "6.1.0-1-fake-amd64"
#define IMAGE	"linux-image-" RELEASE
#define FOLDER	IMAGE "_6.1.5-1"
#define RECORD	META "@bookworm"
#define APT_GET                                                                                    \
	"#!/bin/sh\n"                                                                              \
	"for a; do case $a in\n"                                                                   \
	"update) echo update >>$FAKE/log; [ ! -e $FAKE/offline ] && exit 0\n"                      \
	"  echo 'W: noise' >&2; echo \"E: Could not resolve 'mirror.example'\" >&2\n"              \
	"  echo 'E: Some index files failed to download.' >&2; exit 100;;\n"                       \
	"download) echo download >>$FAKE/log; cp $FAKE/package.deb . && exit 0\n"                  \
	"  echo 'E: Failed to fetch it  Hash Sum mismatch' >&2; exit 100;;\n"                      \
	"esac; done; exit 1\n"
#define APT_CACHE                                                                                  \
	"#!/bin/sh\n"                                                                              \
	"for a; do last=$a; done; echo \"show $last\" >>$FAKE/log\n"                               \
	"cat $FAKE/show-$last 2>/dev/null && exit 0\n"                                             \
	"echo 'E: No packages found' >&2; exit 100\n"
#define SHOW_META                                                                                  \
	"Package: " META "\nVersion: 6.1.9\nSize: 1000\nDepends: linux-base, " IMAGE               \
	" (= 6.1.5-1)\n"
#define SHOW_IMAGE                                                                                 \
	"Package: " IMAGE "\nVersion: 6.1.5-1\nSize: 27000000\n"                                   \
	"Depends: kmod, linux-base (>= 4.3~), initramfs-tools | linux-initramfs-tool\n"
#define CONTROL                                                                                    \
	"Package: " IMAGE "\nVersion: 6.1.5-1\nArchitecture: amd64\n"                              \
	"Maintainer: X <x@y.example>\nDescription: x\n"

struct fake {
	char *folder; /* $FAKE */
	char *kernels;
	char *path; /* $PATH before */
};

static const struct kernel wanted = {
	.source = KERNEL_DEBIAN_IMAGE, .package = (char *)META, .suite = (char *)"bookworm"};

static void put_text(const struct fake *f, const char *name, const char *text)
{
	free(put_file(f->folder, name, text, strlen(text)));
}

static void put_script(const struct fake *f, const char *name, const char *text)
{
	char *path = put_file(f->folder, name, text, strlen(text));

	assert_int_equal(chmod(path, 0755), 0);
	free(path);
}

static void build_package(const struct fake *f, bool with_kernel)
{
	unsigned char image[FAKE_IMAGE_SIZE];
	char *root = path_join(f->folder, "root"), *deb = path_join(f->folder, "package.deb");
	const char *const argv[] = {"dpkg-deb", "-Znone", "--root-owner-group", "--build", root,
				    deb,	NULL};
	struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;

	remove_tree(root, &err);
	put_text(f, "root/DEBIAN/control", CONTROL);
	fake_image(image, RELEASE " (x@y) #1");
	if (with_kernel)
		free(put_file(root, "boot/vmlinuz-" RELEASE, image, sizeof(image)));
	put_text(f, "root/lib/modules/" RELEASE "/modules.order", "");
	put_text(f, "root/lib/modules/" RELEASE "/modules.builtin", "");
	if (subprocess_output(argv, 60000, &out, &err))
		fail_msg("%s", err.msg);
	strbuf_release(&out);
	free(deb);
	free(root);
}

static int make_fake(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));
	char *cache, *path;

	f->folder = temporary_folder();
	f->kernels = path_join(f->folder, "cache/kernels");
	f->path = xstrdup(getenv("PATH"));
	cache = path_join(f->folder, "cache");
	path = xasprintf("%s/bin:%s", f->folder, f->path);
	setenv("FAKE", f->folder, 1);
	setenv("SCHEDBENCH_CACHE", cache, 1);
	setenv("PATH", path, 1);
	put_script(f, "bin/apt-get", APT_GET);
	put_script(f, "bin/apt-cache", APT_CACHE);
	put_text(f, "show-" META, SHOW_META);
	put_text(f, "show-" IMAGE "=6.1.5-1", SHOW_IMAGE);
	build_package(f, true);
	free(path);
	free(cache);
	*state = f;
	return 0;
}

static int drop_fake(void **state)
{
	struct fake *f = *state;

	setenv("PATH", f->path, 1);
	remove_folder(f->folder);
	free(f->kernels);
	free(f->path);
	free(f);
	return 0;
}

/* How often the scripts were asked for @what. */
static int asked(const struct fake *f, const char *what)
{
	char *path = path_join(f->folder, "log"), *line, *rest;
	struct strbuf log = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	int count = 0;

	file_read(path, 0, &log, &ignored);
	rest = log.len ? log.buf : NULL;
	while ((line = strsep(&rest, "\n")))
		count += !strcmp(line, what);
	strbuf_release(&log);
	free(path);
	return count;
}

static void good(const struct fake *f)
{
	char *image = xasprintf("%s/" FOLDER "/boot/vmlinuz-" RELEASE, f->kernels);
	char *modules = xasprintf("%s/" FOLDER "/lib/modules/" RELEASE, f->kernels);
	char *dep = path_join(modules, "modules.dep");
	struct kernel_image out;
	struct error err = ERROR_INIT;

	if (kernel_prepare(&out, &wanted, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(out.image, image);
	assert_string_equal(out.modules, modules);
	assert_string_equal(out.release, RELEASE);
	assert_string_equal(out.identity, IMAGE " 6.1.5-1");
	assert_true(path_exists(dep));
	assert_int_equal(kernel_is_cached(&wanted), 1);
	kernel_image_release(&out);
	free(dep);
	free(modules);
	free(image);
}

static void bad(const struct kernel *k, enum error_kind kind, const char *why)
{
	struct kernel_image out;
	struct error err = ERROR_INIT;

	assert_int_equal(kernel_prepare(&out, k, &err), -1);
	if (!strstr(err.msg, why) || strchr(err.msg, '\n'))
		fail_msg("'%s' is not one line about '%s'", err.msg, why);
	assert_int_equal(err.kind, kind);
	assert_null(out.image);
	assert_null(out.identity);
	assert_int_equal(kernel_is_cached(k), 0);
}

/* Nothing but the lock is left among the kernels. */
static void clean(const struct fake *f)
{
	DIR *dir = opendir(f->kernels);
	struct dirent *d;

	assert_non_null(dir);
	while ((d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, "..") && strcmp(d->d_name, "lock"))
			fail_msg("'%s' is left", d->d_name);
	closedir(dir);
}

static void the_second_call_is_a_look_up(void **state)
{
	struct fake *f = *state;

	assert_int_equal(kernel_is_cached(&wanted), 0);
	good(f);
	assert_int_equal(asked(f, "show " META), 1);
	assert_int_equal(asked(f, "download"), 1);
	setenv("PATH", "/nonexistent", 1);
	good(f);
	assert_int_equal(asked(f, "update"), 1);
	assert_int_equal(asked(f, "download"), 1);
}

static void what_was_removed_is_fetched_again(void **state)
{
	static const char *const lost[] = {FOLDER, FOLDER "/boot", RECORD};
	struct fake *f = *state;
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		char *path = path_join(f->kernels, lost[i]);

		good(f);
		assert_int_equal(remove_tree(path, &err), 0);
		assert_int_equal(kernel_is_cached(&wanted), 0);
		good(f);
		free(path);
	}
	/* A lost record alone needs no download. */
	assert_int_equal(asked(f, "download"), 3);
}

static void lists_are_fetched_once_an_hour(void **state)
{
	struct fake *f = *state;
	char *stamp = path_join(f->folder, "cache/apt/bookworm/updated");
	char *record = path_join(f->kernels, RECORD);
	static const int ages[] = {3590, 3610, -600};
	static const int updates[] = {1, 2, 3};

	good(f);
	for (size_t i = 0; i < sizeof(ages) / sizeof(ages[0]); i++) {
		struct timeval times[2] = {{.tv_sec = time(NULL) - ages[i]}};

		times[1] = times[0];
		assert_int_equal(utimes(stamp, times), 0);
		assert_int_equal(unlink(record), 0);
		good(f);
		assert_int_equal(asked(f, "update"), updates[i]);
	}
	free(record);
	free(stamp);
}

static void hostile_records_are_stale(void **state)
{
	static const char *const texts[] = {"",		  "\n",		 "\n\n",     FOLDER,
					    FOLDER "\n",  FOLDER "\n\n", "..\nx\n",  ".\nx\n",
					    "../..\nx\n", "/etc\nx\n",	 "x/y\nz\n", "-x\ny\n"};
	struct fake *f = *state;

	good(f);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		free(put_file(f->kernels, RECORD, texts[i], strlen(texts[i])));
		assert_int_equal(kernel_is_cached(&wanted), 0);
	}
	good(f);
}

static void hostile_names_reach_nothing(void **state)
{
	static const char *const names[] = {"",	    "..",  "../x", "-o",  "a b", "a/b", "a;b",
					    "a\nb", "A*b", "a=1",  "a@b", ".a",	 "$(x)"};
	struct fake *f = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct kernel k = wanted;

		k.package = (char *)names[i];
		bad(&k, ERROR_USAGE, "is not the name of a Debian package");
		k = wanted;
		k.suite = (char *)names[i];
		bad(&k, ERROR_USAGE, "is not the name of a Debian suite");
	}
	assert_false(path_exists(f->kernels));
}

static void failures_leave_the_cache_clean(void **state)
{
	struct fake *f = *state;
	struct kernel k = wanted;
	char *deb = path_join(f->folder, "package.deb"), *offline = path_join(f->folder, "offline");

	put_text(f, "offline", "");
	bad(&wanted, ERROR_FAILED,
	    "lists of Debian 'bookworm': Could not resolve 'mirror.example'");
	clean(f);
	assert_int_equal(unlink(offline), 0);
	k.package = (char *)"nosuch";
	bad(&k, ERROR_USAGE, "Debian 'bookworm' has no package 'nosuch'");
	clean(f);
	assert_int_equal(unlink(deb), 0);
	bad(&wanted, ERROR_FAILED, "Hash Sum mismatch");
	clean(f);
	put_text(f, "package.deb", "this is no package");
	bad(&wanted, ERROR_FAILED, "cannot unpack '" IMAGE "': ");
	clean(f);
	build_package(f, false);
	bad(&wanted, ERROR_USAGE, "holds no kernel image");
	clean(f);
	build_package(f, true);
	good(f);
	free(offline);
	free(deb);
}

static void other_packages_are_not_downloaded(void **state)
{
	struct fake *f = *state;
	struct kernel k = wanted;

	put_text(f, "show-bash", "Package: bash\nVersion: 5.2\nDepends: base-files\n");
	put_text(f, "show-linux-image-x-dbg", "Package: linux-image-x-dbg\nVersion: 1\n");
	put_text(f, "show-odd", "Package: linux-image-x\nVersion: ../../../x\n");
	k.package = (char *)"bash";
	bad(&k, ERROR_USAGE, "package 'bash' holds no kernel image");
	k.package = (char *)"linux-image-x-dbg";
	bad(&k, ERROR_USAGE, "holds no kernel image");
	k.package = (char *)"odd";
	bad(&k, ERROR_USAGE, "holds no kernel image");
	assert_int_equal(asked(f, "download"), 0);
}

static void what_does_not_fit_is_not_downloaded(void **state)
{
	struct fake *f = *state;

	put_text(f, "show-" IMAGE "=6.1.5-1", SHOW_IMAGE "Installed-Size: 1000000000000\n");
	bad(&wanted, ERROR_FAILED, "no space: 1024000027 MB are needed");
	assert_int_equal(asked(f, "download"), 0);
	clean(f);
}

static void leftovers_of_a_killed_fetch_go(void **state)
{
	struct fake *f = *state;
	char *left = put_file(f->kernels, ".work-1/root/x", "x", 1);

	good(f);
	assert_false(path_exists(left));
	free(left);
}

static void without_apt_the_remedy_is_named(void **state)
{
	(void)state;
	setenv("PATH", "/nonexistent", 1);
	bad(&wanted, ERROR_FAILED, "no 'apt-get' on this system");
	bad(&wanted, ERROR_FAILED, "(give an image with source: {image: FILE");
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_fake, drop_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(the_second_call_is_a_look_up),	 test(what_was_removed_is_fetched_again),
		test(lists_are_fetched_once_an_hour),	 test(hostile_records_are_stale),
		test(hostile_names_reach_nothing),	 test(failures_leave_the_cache_clean),
		test(other_packages_are_not_downloaded), test(what_does_not_fit_is_not_downloaded),
		test(leftovers_of_a_killed_fetch_go),	 test(without_apt_the_remedy_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
