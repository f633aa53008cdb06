// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "kernel/kernel.h"
#include "kernel_test.h"

#define RELEASE "6.1.0-57-cloud-amd64"

static int prepare_file(const char *image, const char *modules, struct kernel_image *out,
			struct error *err)
{
	struct kernel k = {
		.source = KERNEL_IMAGE, .image = (char *)image, .modules = (char *)modules};

	*err = (struct error)ERROR_INIT;
	return kernel_prepare(out, &k, err);
}

static void refused(const char *image, const char *modules, const char *why)
{
	struct kernel_image out;
	struct error err;

	assert_int_equal(prepare_file(image, modules, &out, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	if (!strstr(err.msg, why))
		fail_msg("'%s' says nothing about '%s'", err.msg, why);
	assert_null(out.image);
	assert_null(out.release);
}

static void the_running_kernel(void **state)
{
	struct kernel k = {.source = KERNEL_RUNNING};
	struct kernel_image out;
	struct error err = ERROR_INIT;
	struct utsname u;
	char identity[256];

	(void)state;
	uname(&u);
	snprintf(identity, sizeof(identity), "running %s %s", u.release, u.version);
	assert_int_equal(kernel_prepare(&out, &k, &err), 0);
	assert_null(out.image);
	assert_null(out.modules);
	assert_string_equal(out.release, u.release);
	assert_string_equal(out.identity, identity);
	assert_int_equal(kernel_is_cached(&k), 1);
	kernel_image_release(&out);
	assert_null(out.identity);
}

static void an_image_says_its_release(void **state)
{
	unsigned char data[FAKE_IMAGE_SIZE];
	char *folder = temporary_folder(), *image, hex[SHA256_HEX_SIZE];
	struct kernel_image out;
	struct error err;

	(void)state;
	fake_image(data, RELEASE " (debian-kernel@lists.debian.org) #1 SMP");
	image = put_file(folder, "bzImage", data, sizeof(data));
	data_sha256(data, sizeof(data), hex);
	assert_int_equal(prepare_file(image, NULL, &out, &err), 0);
	assert_string_equal(out.image, image);
	assert_string_equal(out.release, RELEASE);
	assert_string_equal(out.identity, hex);
	assert_null(out.modules);
	kernel_image_release(&out);
	free(image);
	remove_folder(folder);
}

static void what_is_no_image_is_refused(void **state)
{
	static const char *const versions[] = {"", " 6.1", "../../etc", "6.1/x y", ".", "6.1\n"};
	unsigned char data[FAKE_IMAGE_SIZE];
	char *folder = temporary_folder(), *path = path_join(folder, "bzImage");

	(void)state;
	refused(path, NULL, "No such file");
	refused(folder, NULL, "is not a file");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		fake_image(data, versions[i]);
		free(put_file(folder, "bzImage", data, sizeof(data)));
		refused(path, NULL, "bzImage is wanted");
	}
	fake_image(data, RELEASE);
	data[0x202] = 'X';
	free(put_file(folder, "bzImage", data, sizeof(data)));
	refused(path, NULL, "bzImage is wanted");
	fake_image(data, RELEASE);
	for (size_t len = 0; len < 0x310; len += 0x20f) {
		free(put_file(folder, "bzImage", data, len));
		refused(path, NULL, "bzImage is wanted");
	}
	data[0x20f] = 0xff; /* points behind the end of the file */
	free(put_file(folder, "bzImage", data, sizeof(data)));
	refused(path, NULL, "bzImage is wanted");
	data[0x20e] = data[0x20f] = 0; /* no version */
	free(put_file(folder, "bzImage", data, sizeof(data)));
	refused(path, NULL, "bzImage is wanted");
	free(path);
	remove_folder(folder);
}

/* Documentation/arm64/booting: magic "ARM\x64" at 56; the banner begins as /proc/version does. */
static void an_arm64_image_says_its_release_in_its_banner(void **state)
{
	static const char format[] = "Linux version %s",
			  banner[] = "Linux version 6.1.192-lab (a@b";
	char data[4096] = {0}, folder[] = "/tmp/test_kernel.XXXXXX", *path;
	struct kernel k = {.source = KERNEL_IMAGE, .arch = ARCH_ARM64};
	struct kernel_image out;
	struct error err = ERROR_INIT;

	(void)state;
	memcpy(data + 56, "ARM\x64", 4);
	memcpy(data + 1000, format, sizeof(format));
	memcpy(data + 3000, banner, sizeof(banner));
	assert_non_null(mkdtemp(folder));
	path = put_file(folder, "Image", data, sizeof(data));
	k.image = path;
	assert_int_equal(kernel_prepare(&out, &k, &err), 0);
	assert_string_equal(out.release, "6.1.192-lab");
	kernel_image_release(&out);
	/* It is none for x86, and without its magic or its banner none at all. */
	refused(path, NULL, "is not a kernel image");
	free(put_file(folder, "Image", data, 2000));
	assert_int_equal(kernel_prepare(&out, &k, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	data[56] = 'a';
	free(put_file(folder, "Image", data, sizeof(data)));
	assert_int_equal(kernel_prepare(&out, &k, &err), -1);
	assert_non_null(strstr(err.msg, "is not an arm64 kernel image"));
	unlink(path);
	rmdir(folder);
	free(path);
}

static void a_fifo_does_not_block(void **state)
{
	char *folder = temporary_folder(), *path = path_join(folder, "fifo");

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(10);
	refused(path, NULL, "is not a file");
	alarm(0);
	free(path);
	remove_folder(folder);
}

static void modules_lie_in_a_root_or_in_the_folder_itself(void **state)
{
	static const char *const places[] = {"", "lib/modules/" RELEASE "/",
					     "usr/lib/modules/" RELEASE "/"};
	unsigned char data[FAKE_IMAGE_SIZE];

	(void)state;
	fake_image(data, RELEASE);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *folder = temporary_folder(), *dep = xasprintf("%smodules.dep", places[i]);
		char *image = put_file(folder, "bzImage", data, sizeof(data));
		struct kernel_image out;
		struct error err;
		char *path;

		refused(image, folder, "no modules.dep of kernel '" RELEASE "'");
		path = put_file(folder, dep, "", 0);
		assert_int_equal(prepare_file(image, folder, &out, &err), 0);
		*strrchr(path, '/') = '\0';
		assert_string_equal(out.modules, path);
		kernel_image_release(&out);
		free(path);
		free(image);
		free(dep);
		remove_folder(folder);
	}
}

static void modules_of_another_release_are_refused(void **state)
{
	unsigned char data[FAKE_IMAGE_SIZE];
	char *folder = temporary_folder(), *image;

	(void)state;
	fake_image(data, RELEASE);
	image = put_file(folder, "bzImage", data, sizeof(data));
	free(put_file(folder, "lib/modules/6.12.1/modules.dep", "", 0));
	refused(image, folder, "no modules.dep of kernel");
	free(image);
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_running_kernel),
		cmocka_unit_test(an_image_says_its_release),
		cmocka_unit_test(what_is_no_image_is_refused),
		cmocka_unit_test(an_arm64_image_says_its_release_in_its_banner),
		cmocka_unit_test(a_fifo_does_not_block),
		cmocka_unit_test(modules_lie_in_a_root_or_in_the_folder_itself),
		cmocka_unit_test(modules_of_another_release_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
