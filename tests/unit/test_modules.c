// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "target/modules.h"

#define DATA   "tests/data/modules/"
#define VIRTIO "kernel/drivers/virtio/"

static int resolve(struct strlist *out, const char *dir, const char *a, const char *b,
		   struct error *err)
{
	const char *const names[] = {a, b, NULL};

	return modules_resolve(out, dir, names, err);
}

static size_t position(const struct strlist *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], path) == 0)
			return i;
	fail_msg("'%s' is not in the list", path);
	return 0;
}

static void needed_modules_come_first(void **state)
{
	struct error err = ERROR_INIT;
	struct strlist out = STRLIST_INIT;
	size_t virtio, ring, modern, pci, console;

	(void)state;
	assert_int_equal(resolve(&out, DATA "good", "virtio_pci", "virtio_console", &err), 0);
	assert_int_equal(out.count, 5);
	virtio = position(&out, VIRTIO "virtio.ko.xz");
	ring = position(&out, VIRTIO "virtio_ring.ko.xz");
	modern = position(&out, VIRTIO "virtio_pci_modern_dev.ko.xz");
	pci = position(&out, VIRTIO "virtio_pci.ko.xz");
	console = position(&out, "kernel/drivers/char/virtio_console.ko.xz");
	assert_true(virtio < ring && ring < pci && modern < pci && ring < console);
	strlist_release(&out);
}

static void dashes_and_underscores_are_the_same(void **state)
{
	struct error err = ERROR_INIT;
	struct strlist out = STRLIST_INIT;

	(void)state;
	assert_int_equal(resolve(&out, DATA "good", "virtio_rng", NULL, &err), 0);
	assert_int_equal(out.count, 2);
	assert_string_equal(out.items[1], "kernel/drivers/char/hw_random/virtio-rng.ko");
	strlist_release(&out);
}

static void builtin_modules_add_nothing(void **state)
{
	struct error err = ERROR_INIT;
	struct strlist out = STRLIST_INIT;

	(void)state;
	assert_int_equal(resolve(&out, DATA "good", "binfmt-elf", "random_core", &err), 0);
	assert_int_equal(out.count, 0);
	strlist_release(&out);
}

static void kernel_without_modules_needs_none(void **state)
{
	struct error err = ERROR_INIT;
	struct strlist out = STRLIST_INIT;

	(void)state;
	assert_int_equal(resolve(&out, NULL, "virtio_pci", NULL, &err), 0);
	assert_int_equal(out.count, 0);
}

static void check_error(const char *dir, const char *name, const char *part)
{
	struct error err = ERROR_INIT;
	struct strlist out = STRLIST_INIT;

	assert_int_equal(resolve(&out, dir, name, NULL, &err), -1);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_non_null(strstr(err.msg, part));
	strlist_release(&out);
}

static void missing_module_is_named(void **state)
{
	(void)state;
	check_error(DATA "good", "vsock", "module 'vsock' is neither in");
	/* A prefix of a module's name is another name. */
	check_error(DATA "good", "virtio_con", "module 'virtio_con'");
}

static void damaged_lists_are_errors(void **state)
{
	(void)state;
	check_error(DATA "escape", "a", "modules.dep:1: module path");
	check_error(DATA "broken", "a", "modules.dep:2: no ':'");
	check_error(DATA "dangling", "a", "needs 'kernel/gone.ko'");
	check_error(DATA "none", "a", "no modules.dep in");
}

static void circles_end(void **state)
{
	struct error err = ERROR_INIT;
	struct strlist out = STRLIST_INIT;

	(void)state;
	assert_int_equal(resolve(&out, DATA "circle", "a", NULL, &err), 0);
	assert_int_equal(out.count, 2);
	strlist_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needed_modules_come_first),
		cmocka_unit_test(dashes_and_underscores_are_the_same),
		cmocka_unit_test(builtin_modules_add_nothing),
		cmocka_unit_test(kernel_without_modules_needs_none),
		cmocka_unit_test(missing_module_is_named),
		cmocka_unit_test(damaged_lists_are_errors),
		cmocka_unit_test(circles_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
