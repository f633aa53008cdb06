// SPDX-License-Identifier: GPL-2.0-or-later
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "../../workloads/place.h"

static char root[] = "/tmp/schedbench-sys-XXXXXX";

static void put(const char *text, const char *fmt, ...)
{
	char path[400];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s/", root);
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(path + len, sizeof(path) - len, fmt, ap);
	va_end(ap);
	for (char *p = path + len; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/*
 * Two nodes with two L3 caches each, two cores to a cache, two threads to a core; numbered as Linux
 * does on such machines: CPU n and n + 8 are one core, 0-3,8-11 are node 0.
 */
static int make_machine(void **state)
{
	char text[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	for (int cpu = 0; cpu < 16; cpu++) {
		int core = cpu % 8, llc = core / 2 * 2;

		snprintf(text, sizeof(text), "%d,%d\n", core, core + 8);
		put(text, "cpu/cpu%d/topology/thread_siblings_list", cpu);
		put("1\n", "cpu/cpu%d/cache/index0/level", cpu);
		put(text, "cpu/cpu%d/cache/index0/shared_cpu_list", cpu);
		snprintf(text, sizeof(text), "%d-%d,%d-%d\n", llc, llc + 1, llc + 8, llc + 9);
		put("32768K\n", "cpu/cpu%d/cache/index1/size", cpu);
		put("3\n", "cpu/cpu%d/cache/index1/level", cpu);
		put(text, "cpu/cpu%d/cache/index1/shared_cpu_list", cpu);
		put("", "cpu/cpu%d/node%d/x", cpu, core / 4);
	}
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_machine(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void expect_order(enum bind bind, const char *cpus, const int *want)
{
	struct cpumask mask;
	struct error err;
	int order[16];

	assert_int_equal(cpumask_parse("cpus", cpus, &mask, &err), 0);
	assert_int_equal(place_order(root, &mask, bind, order, &err), 0);
	for (int i = 0; i < cpumask_count(&mask); i++)
		assert_int_equal(order[i], want[i]);
}

static void packing_fills_a_core_then_its_cache_then_its_node(void **state)
{
	const int want[] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};

	(void)state;
	expect_order(BIND_PACK, "0-15", want);
}

static void spreading_takes_nodes_then_caches_then_cores_then_threads(void **state)
{
	const int want[] = {0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15};

	(void)state;
	expect_order(BIND_SPREAD, "0-15", want);
}

static void only_the_mask_counts(void **state)
{
	const int spread[] = {1, 5, 9, 13}, pack[] = {1, 9, 5, 13};

	(void)state;
	expect_order(BIND_SPREAD, "1,5,9,13", spread);
	expect_order(BIND_PACK, "1,5,9,13", pack);
}

static void pairs_are_as_far_apart_as_asked(void **state)
{
	static const struct {
		enum pair pair;
		int cpus[2];
	} want[] = {
		{PAIR_CPU, {0, 0}},  {PAIR_SMT, {0, 8}}, {PAIR_LLC, {0, 1}},
		{PAIR_NODE, {0, 2}}, {PAIR_FAR, {0, 4}},
	};
	struct cpumask mask;
	struct error err;
	int cpus[2];

	(void)state;
	assert_int_equal(cpumask_parse("cpus", "0-15", &mask, &err), 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(place_pair(root, &mask, want[i].pair, cpus, &err), 0);
		assert_int_equal(cpus[0], want[i].cpus[0]);
		assert_int_equal(cpus[1], want[i].cpus[1]);
	}
	assert_int_equal(cpumask_parse("cpus", "0-3", &mask, &err), 0);
	assert_int_equal(place_pair(root, &mask, PAIR_SMT, cpus, &err), -1);
	assert_string_equal(err.msg, "there are not two hardware threads of a core among the CPUs");
	assert_int_equal(place_pair(root, &mask, PAIR_FAR, cpus, &err), -1);
}

static void each_last_level_cache_counts_once(void **state)
{
	static const struct {
		const char *cpus;
		int64_t mib;
	} want[] = {{"0-15", 128}, {"0", 32}, {"0,8,1", 32}, {"0-3", 64}, {"1,5", 64}, {"99", 0}};
	struct cpumask mask;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(cpumask_parse("cpus", want[i].cpus, &mask, &err), 0);
		assert_int_equal(place_cache_bytes(root, &mask), want[i].mib << 20);
	}
}

static void lists_of_cpus_come_back_as_they_went_in(void **state)
{
	static const char *const lists[] = {"0", "0-3", "0-3,7", "1,3,5-6,8191"};
	static const char *const bad[] = {"", ",", "1-", "-1", "3-1", "1,,2", "8192", "1 ,2", "a"};
	struct cpumask mask;
	struct error err;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(cpumask_parse("cpus", lists[i], &mask, &err), 0);
		assert_string_equal(cpumask_format(&mask, text, sizeof(text)), lists[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(cpumask_parse("cpus", bad[i], &mask, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packing_fills_a_core_then_its_cache_then_its_node),
		cmocka_unit_test(spreading_takes_nodes_then_caches_then_cores_then_threads),
		cmocka_unit_test(only_the_mask_counts),
		cmocka_unit_test(pairs_are_as_far_apart_as_asked),
		cmocka_unit_test(each_last_level_cache_counts_once),
		cmocka_unit_test(lists_of_cpus_come_back_as_they_went_in),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
