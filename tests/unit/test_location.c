// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/location.h"
#include "util/strbuf.h"
#include "util/subprocess.h"

static hwloc_topology_t load(const char *synthetic)
{
	hwloc_topology_t t;

	assert_int_equal(hwloc_topology_init(&t), 0);
	assert_int_equal(hwloc_topology_set_synthetic(t, synthetic), 0);
	assert_int_equal(hwloc_topology_load(t), 0);
	return t;
}

/* What hwloc-calc says; NULL where an object is not there. */
static char *reference(const char *synthetic, const char *location)
{
	struct strbuf out = STRBUF_INIT, said = STRBUF_INIT;
	struct error err = ERROR_INIT;
	const char *argv[24] = {"hwloc-calc", "-i", synthetic};
	char *copy = strdup(location), *p = copy;
	bool missing;
	int n = 3, status;

	assert_non_null(copy);
	for (char *word; (word = strsep(&p, " "));)
		argv[n++] = word;
	assert_int_equal(subprocess_capture(argv, 10000, &out, &said, &status, &err), 0);
	free(copy);
	missing = strstr(said.buf, "does not exist");
	strbuf_release(&said);
	if (missing) {
		strbuf_release(&out);
		return NULL;
	}
	if (out.len && out.buf[out.len - 1] == '\n')
		out.buf[out.len - 1] = '\0';
	return strbuf_detach(&out);
}

static const char *const topologies[] = {
	"pack:2 numa:1 l3:1 core:20 pu:2", /* broadwell-2s80 */
	"pack:2 numa:4 die:2 l3:1 core:4 pu:2", /* epyc1-2s */
	"pack:2 numa:1 die:8 l3:1 core:8 pu:2", /* epyc3-2s256 */
	"numa:2 pack:2 l3:2 core:3 pu:1", /* no SMT, odd counts */
	"pack:1 l3:1 l2:4 core:1 pu:2",		"pack:4 numa:2 l3:1 core:6 pu:4",
};

static const char *const locations[] = {
	"all",
	"root",
	"machine:0",
	"package:0",
	"pack:0",
	"socket:0",
	"Package:all",
	"numanode:0",
	"numa:0",
	"NUMANode:1",
	"node:all",
	"l3:0",
	"L3:all",
	"l3:0.core:0",
	"l3:all.core:0.pu:0",
	"l3:0.core:all",
	"core:0",
	"core:0-2",
	"core:1-",
	"core:odd",
	"core:even",
	"core:odd.pu:0",
	"core:2:2",
	"core:3:4",
	"core:0-3.pu:0",
	"pu:0",
	"pu:0-5",
	"pu:even",
	"pu:odd",
	"pu:5:3",
	"package:0.core:0",
	"package:0.core:0-1.pu:0",
	"package:all.core:0",
	"package:all.core:odd",
	"package:0.l3:0.core:1",
	"package:0.pu:3:2",
	"numanode:0.core:0",
	"numanode:0-1.core:1",
	"numanode:all.core:0.pu:0",
	"all ~core:0",
	"all ~package:0.core:0 ~core:3",
	"package:0 core:2",
	"core:0-2 xcore:1-4",
	"core:0-2 ^core:1-4",
	"all xpu:odd",
	"all ^pu:even",
	"0x3",
	"0xf ~pu:1",
	"pu:0 pu:0 pu:2",
	"all ~l3:0.core:0 ~pu:1",
	"core:0 core:2",
};

static void answers_are_those_of_hwloc_calc(void **state)
{
	unsigned missing = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(topologies) / sizeof(topologies[0]); i++) {
		hwloc_topology_t t = load(topologies[i]);

		for (size_t j = 0; j < sizeof(locations) / sizeof(locations[0]); j++) {
			char *expected = reference(topologies[i], locations[j]), *mask = NULL;
			hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
			struct error err = ERROR_INIT;

			if (location_cpus(t, locations[j], cpus, &err)) {
				if (expected ||
				    (!strstr(err.msg, "only") && !strstr(err.msg, "within")))
					fail_msg("%s on %s: %s", locations[j], topologies[i],
						 err.msg);
				missing++;
			} else {
				hwloc_bitmap_asprintf(&mask, cpus);
				if (!expected || strcmp(mask, expected))
					fail_msg("%s on %s: %s instead of %s", locations[j],
						 topologies[i], mask,
						 expected ? expected : "nothing");
			}
			free(mask);
			free(expected);
			hwloc_bitmap_free(cpus);
		}
		hwloc_topology_destroy(t);
	}
	assert_true(missing < 20);
}

static void lists_and_ccd_are_known_as_well(void **state)
{
	static const char *const cases[][2] = {
		{"0-3,8", "0-3,8"},	     {"ccd:1", "16-31"},
		{"ccd:1.core:0.pu:0", "16"}, {"core:0,2,4-5.pu:0", "0,4,8,10"},
		{"0-7 ~2", "0-1,3-7"},
	};
	hwloc_topology_t t = load("pack:2 numa:1 die:8 l3:1 core:8 pu:2");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
		struct error err = ERROR_INIT;
		char *list = NULL;

		assert_int_equal(location_cpus(t, cases[i][0], cpus, &err), 0);
		hwloc_bitmap_list_asprintf(&list, cpus);
		assert_string_equal(list, cases[i][1]);
		free(list);
		hwloc_bitmap_free(cpus);
	}
	hwloc_topology_destroy(t);
}

static void what_is_not_there_is_an_error_that_says_so(void **state)
{
	static const char *const cases[][2] = {
		{"package:2", "from 0 to 1 only"},
		{"core:0.package:0", "no such object within"},
		{"core:0-99", "from 0 to 7 only"},
		{"core:5-2", "ends before it begins"},
		{"core", "needs a colon"},
		{"core:0.pu", "needs a colon"},
		{"core:", "index is missing"},
		{"core:x", "index is missing"},
		{"core:0:9", "more objects"},
		{"core:0:0", "more objects"},
		{"core:99999999999", "too large"},
		{"core:0-3:2", "something follows"},
		{"cores:0", "not known"},
		{"l2:0", "the machine has no L2"},
		{"pci:0", "no CPUs of its own"},
		{"misc:0", "no CPUs of its own"},
		{"~core:0", "leaves no CPU"},
		{"", "leaves no CPU"},
		{"16", "CPU 16 is not there"},
		{"0x10000", "CPU 16 is not there"},
		{"0xzz", "not a mask"},
		{"3-", "not a list"},
		{"x", "needs a colon"},
	};
	hwloc_topology_t t = load("pack:2 numa:1 l3:1 core:4 pu:2");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
		struct error err = ERROR_INIT;

		if (!location_cpus(t, cases[i][0], cpus, &err))
			fail_msg("'%s' is accepted", cases[i][0]);
		assert_int_equal(err.kind, ERROR_USAGE);
		if (!strstr(err.msg, cases[i][1]))
			fail_msg("'%s': %s", cases[i][0], err.msg);
		hwloc_bitmap_free(cpus);
	}
	hwloc_topology_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_hwloc_calc),
		cmocka_unit_test(lists_and_ccd_are_known_as_well),
		cmocka_unit_test(what_is_not_there_is_an_error_that_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
