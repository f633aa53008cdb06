// SPDX-License-Identifier: GPL-2.0-or-later
#include <libfdt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "target/device_tree.h"

static struct cpu_cluster clusters[] = {{(char *)"1-2", 1024}, {(char *)"0,3-5", 383}};

static struct machine juno = {
	.name = (char *)"juno",
	.type = MACHINE_QEMU,
	.arch = ARCH_ARM64,
	.topology = {1, 1, 6, 1, 1, 20, 20},
	.clusters = clusters,
	.clusters_count = 2,
};

/* As QEMU gives it: CPUs and a map with one cluster for all of them. */
static void base_tree(struct strbuf *dtb, unsigned cpus)
{
	static char buf[65536];
	int node;

	assert_int_equal(fdt_create_empty_tree(buf, sizeof(buf)), 0);
	node = fdt_add_subnode(buf, 0, "cpus");
	node = fdt_add_subnode(buf, node, "cpu-map");
	assert_true(fdt_add_subnode(buf, node, "cluster9") > 0);
	for (unsigned i = 0; i < cpus; i++) {
		char name[32];

		snprintf(name, sizeof(name), "cpu@%u", i);
		node = fdt_add_subnode(buf, fdt_path_offset(buf, "/cpus"), name);
		assert_int_equal(fdt_setprop_u32(buf, node, "phandle", 0x8000 + i), 0);
	}
	assert_int_equal(fdt_pack(buf), 0);
	strbuf_add(dtb, buf, fdt_totalsize(buf));
}

static uint32_t number(const void *fdt, const char *path, const char *name)
{
	int len, node = fdt_path_offset(fdt, path);
	const fdt32_t *value = fdt_getprop(fdt, node, name, &len);

	if (!value || len != 4)
		fail_msg("no '%s' in '%s'", name, path);
	return fdt32_to_cpu(*value);
}

static uint32_t of_cpu(const void *fdt, unsigned cpu, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/cpus/cpu@%u", cpu);
	return number(fdt, path, name);
}

/* Big: CPUs 1 and 2 (clusters[0]); little: 0, 3, 4, 5. */
static void clusters_have_capacities_and_caches(void **state)
{
	struct strbuf dtb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	base_tree(&dtb, 6);
	assert_int_equal(device_tree_edit(&dtb, &juno, &err), 0);
	assert_int_equal(fdt_check_full(dtb.buf, dtb.len), 0);
	for (unsigned cpu = 0; cpu < 6; cpu++) {
		bool big = cpu == 1 || cpu == 2;
		uint32_t cache = of_cpu(dtb.buf, cpu, "next-level-cache");
		int node = fdt_node_offset_by_phandle(dtb.buf, cache);

		assert_int_equal(of_cpu(dtb.buf, cpu, "capacity-dmips-mhz"), big ? 1024 : 383);
		assert_int_equal(cache, of_cpu(dtb.buf, big ? 1 : 0, "next-level-cache"));
		assert_int_equal(fdt_node_check_compatible(dtb.buf, node, "cache"), 0);
	}
	assert_int_not_equal(of_cpu(dtb.buf, 0, "next-level-cache"),
			     of_cpu(dtb.buf, 1, "next-level-cache"));
	strbuf_release(&dtb);
}

static void the_map_names_each_cpu_in_its_cluster(void **state)
{
	static const struct {
		const char *core;
		unsigned cpu;
	} map[] = {{"cluster0/core0", 1}, {"cluster0/core1", 2}, {"cluster1/core0", 0},
		   {"cluster1/core1", 3}, {"cluster1/core2", 4}, {"cluster1/core3", 5}};
	struct strbuf dtb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	base_tree(&dtb, 6);
	assert_int_equal(device_tree_edit(&dtb, &juno, &err), 0);
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		char path[64];

		snprintf(path, sizeof(path), "/cpus/cpu-map/socket0/%s", map[i].core);
		assert_int_equal(number(dtb.buf, path, "cpu"), 0x8000 + map[i].cpu);
	}
	assert_true(fdt_path_offset(dtb.buf, "/cpus/cpu-map/cluster9") < 0);
	assert_true(fdt_path_offset(dtb.buf, "/cpus/cpu-map/socket0/cluster0/core2") < 0);
	strbuf_release(&dtb);
}

static void a_shared_cache_is_one_for_all(void **state)
{
	struct strbuf dtb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct machine m = juno;

	(void)state;
	m.shared_cache = true;
	base_tree(&dtb, 6);
	assert_int_equal(device_tree_edit(&dtb, &m, &err), 0);
	for (unsigned cpu = 1; cpu < 6; cpu++)
		assert_int_equal(of_cpu(dtb.buf, cpu, "next-level-cache"),
				 of_cpu(dtb.buf, 0, "next-level-cache"));
	assert_int_equal(of_cpu(dtb.buf, 0, "capacity-dmips-mhz"), 383);
	strbuf_release(&dtb);
}

static void trees_that_cannot_be_used_are_refused(void **state)
{
	struct strbuf dtb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	base_tree(&dtb, 5);
	assert_int_equal(device_tree_edit(&dtb, &juno, &err), -1);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_non_null(strstr(err.msg, "machine 'juno'"));
	strbuf_reset(&dtb);
	base_tree(&dtb, 6);
	dtb.len /= 2;
	assert_int_equal(device_tree_edit(&dtb, &juno, &err), -1);
	dtb.len = 3;
	assert_int_equal(device_tree_edit(&dtb, &juno, &err), -1);
	strbuf_release(&dtb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clusters_have_capacities_and_caches),
		cmocka_unit_test(the_map_names_each_cpu_in_its_cluster),
		cmocka_unit_test(a_shared_cache_is_one_for_all),
		cmocka_unit_test(trees_that_cannot_be_used_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
