// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "topology/topology.h"
#include "util/strbuf.h"

static struct machine make(unsigned packages, unsigned dies, unsigned cores, unsigned threads,
			   unsigned nodes, unsigned memory_mb)
{
	return (struct machine){
		.name = (char *)"m",
		.type = MACHINE_QEMU,
		.topology = {packages, dies, cores, threads, nodes},
		.memory_mb = memory_mb,
	};
}

static void check_args(const struct machine *m, const char *expected)
{
	struct error err = ERROR_INIT;
	struct strlist args = STRLIST_INIT;
	struct strbuf joined = STRBUF_INIT;

	assert_int_equal(topology_qemu_args(&args, m, &err), 0);
	for (size_t i = 0; i < args.count; i++)
		strbuf_addf(&joined, "%s%s", i ? " " : "", args.items[i]);
	assert_string_equal(joined.buf, expected);
	strbuf_release(&joined);
	strlist_release(&args);
}

static void check_refused(const struct machine *m, const char *part)
{
	struct error err = ERROR_INIT;
	struct strlist args = STRLIST_INIT;

	assert_int_equal(topology_qemu_args(&args, m, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, part));
	strlist_release(&args);
}

static void one_node_needs_no_numa(void **state)
{
	struct machine m = make(1, 1, 2, 1, 1, 512);

	(void)state;
	check_args(&m, "-smp 2,sockets=1,dies=1,cores=2,threads=1 -m 512M");
}

/* The machine of the hackbench figures: two packages of 20 cores and 40 threads, two nodes. */
static void two_packages_two_nodes(void **state)
{
	struct machine m = make(2, 1, 20, 2, 2, 3072);

	(void)state;
	check_args(&m, "-smp 80,sockets=2,dies=1,cores=20,threads=2 -m 3072M "
		       "-object memory-backend-ram,id=m0,size=1536M "
		       "-numa node,nodeid=0,cpus=0-39,memdev=m0 "
		       "-object memory-backend-ram,id=m1,size=1536M "
		       "-numa node,nodeid=1,cpus=40-79,memdev=m1");
}

static void nodes_within_a_package_and_uneven_memory(void **state)
{
	struct machine m = make(1, 2, 2, 2, 2, 1025);

	(void)state;
	check_args(&m, "-smp 8,sockets=1,dies=2,cores=2,threads=2 -m 1025M "
		       "-object memory-backend-ram,id=m0,size=513M "
		       "-numa node,nodeid=0,cpus=0-3,memdev=m0 "
		       "-object memory-backend-ram,id=m1,size=512M "
		       "-numa node,nodeid=1,cpus=4-7,memdev=m1");
}

static void impossible_topologies_are_refused(void **state)
{
	struct machine zero = make(2, 0, 2, 2, 1, 512);
	struct machine nodes = make(2, 1, 4, 2, 3, 512);
	struct machine split = make(1, 1, 3, 2, 2, 512);
	struct machine dies = make(1, 3, 2, 1, 2, 512);

	(void)state;
	check_refused(&zero, "at least one of");
	check_refused(&nodes, "3 NUMA nodes do not spread evenly");
	check_refused(&split, "2 NUMA nodes do not spread evenly");
	check_refused(&dies, "2 NUMA nodes do not spread evenly");
}

static void more_than_255_cpus_are_refused(void **state)
{
	struct machine limit = make(3, 1, 85, 1, 1, 512);
	struct machine more = make(2, 1, 64, 2, 2, 4096);
	struct machine wraps = make(65536, 65536, 65536, 65536, 1, 512);

	(void)state;
	check_args(&limit, "-smp 255,sockets=3,dies=1,cores=85,threads=1 -m 512M");
	check_refused(&more, "has 256 CPUs, and QEMU guests have at most 255");
	check_refused(&wraps, "QEMU guests have at most 255");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node_needs_no_numa),
		cmocka_unit_test(two_packages_two_nodes),
		cmocka_unit_test(nodes_within_a_package_and_uneven_memory),
		cmocka_unit_test(impossible_topologies_are_refused),
		cmocka_unit_test(more_than_255_cpus_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
