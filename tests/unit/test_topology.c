// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "topology/machine_topology.h"
#include "topology/topology.h"
#include "topology/truth.h"
#include "util/strbuf.h"

static struct machine make(unsigned packages, unsigned dies, unsigned cores, unsigned threads,
			   unsigned nodes, unsigned memory_mb)
{
	return (struct machine){
		.name = (char *)"m",
		.type = MACHINE_QEMU,
		.topology = {packages, dies, cores, threads, nodes, 20, 20},
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

static void distances_are_given_where_qemu_would_take_others(void **state)
{
	struct machine m = make(2, 2, 1, 1, 4, 512);

	(void)state;
	m.topology.near = 16;
	m.topology.far = 32;
	check_args(
		&m,
		"-smp 4,sockets=2,dies=2,cores=1,threads=1 -m 512M"
		" -object memory-backend-ram,id=m0,size=128M -numa node,nodeid=0,cpus=0-0,memdev=m0"
		" -object memory-backend-ram,id=m1,size=128M -numa node,nodeid=1,cpus=1-1,memdev=m1"
		" -object memory-backend-ram,id=m2,size=128M -numa node,nodeid=2,cpus=2-2,memdev=m2"
		" -object memory-backend-ram,id=m3,size=128M -numa node,nodeid=3,cpus=3-3,memdev=m3"
		" -numa dist,src=0,dst=1,val=16 -numa dist,src=0,dst=2,val=32 -numa "
		"dist,src=0,dst=3,val=32"
		" -numa dist,src=1,dst=0,val=16 -numa dist,src=1,dst=2,val=32 -numa "
		"dist,src=1,dst=3,val=32"
		" -numa dist,src=2,dst=0,val=32 -numa dist,src=2,dst=1,val=32 -numa "
		"dist,src=2,dst=3,val=16"
		" -numa dist,src=3,dst=0,val=32 -numa dist,src=3,dst=1,val=32 -numa "
		"dist,src=3,dst=2,val=16");
}

/* What a guest of that shape printed (Debian's 6.1). */
static void sched_domains_follow_caches_nodes_and_distances(void **state)
{
	static const char text[] =
		"version 15\ntimestamp 1\n"
		"cpu0 0 0 0 0 0 0 1 2 3\n"
		"domain0 0003 0 0\ndomain1 000f 0 0\ndomain2 00ff 0 0\ndomain3 ffff 0 0\n"
		"cpu5 0 0 0 0 0 0 1 2 3\n"
		"domain0 0030 0 0\ndomain1 00f0 0 0\ndomain2 00ff 0 0\ndomain3 ffff 0 0\n";
	static const char wrong[] = "cpu0 0 0 0 0 0 0 1 2 3\n"
				    "domain0 SMT 0003 0 0\ndomain1 PKG 00ff 0 0\n";
	struct machine m = make(2, 4, 1, 2, 4, 512);
	struct error err = ERROR_INIT;
	hwloc_topology_t t;

	(void)state;
	m.topology.near = 16;
	m.topology.far = 32;
	assert_int_equal(machine_topology(&t, &m, &err), 0);
	assert_int_equal(truth_domains(t, text, &err), 0);
	assert_int_equal(truth_domains(t, wrong, &err), -1);
	assert_non_null(strstr(err.msg,
			       "CPU 0 has SMT(0-1) domain(0-7) instead of SMT(0-1) PKG(0-3) "
			       "NUMA(0-7) NUMA(0-15)"));
	assert_int_equal(truth_domains(t, "cpu0 0 0\n", &err), -1);
	assert_non_null(strstr(err.msg, "has none instead of"));
	hwloc_topology_destroy(t);
}

static void another_topology_is_told_with_both(void **state)
{
	struct machine want = make(2, 1, 2, 2, 2, 512), have = make(1, 1, 4, 2, 1, 512);
	struct error err = ERROR_INIT;
	hwloc_topology_t a, b;
	char *xml;
	int len;

	(void)state;
	assert_int_equal(machine_topology(&a, &want, &err), 0);
	assert_int_equal(machine_topology(&b, &have, &err), 0);
	assert_int_equal(hwloc_topology_export_xmlbuffer(a, &xml, &len, 0), 0);
	assert_int_equal(truth_topology(a, xml, &err), 0);
	assert_int_equal(truth_topology(b, xml, &err), -1);
	assert_non_null(strstr(err.msg, "CPUs of each Package are 0-3 4-7 instead of 0-7"));
	assert_int_equal(err.kind, ERROR_FAILED);
	hwloc_free_xmlbuffer(b, xml);
	assert_int_equal(truth_topology(a, "<topology", &err), -1);
	assert_int_equal(truth_topology(a, "", &err), -1);
	hwloc_topology_destroy(a);
	hwloc_topology_destroy(b);
}

static struct cpu_cluster board[] = {{(char *)"1-2", 1024}, {(char *)"0,3-5", 383}};
static struct cpu_cluster slower[] = {{(char *)"1-2", 1024}, {(char *)"0,3-5", 300}};

static struct machine make_clusters(struct cpu_cluster clusters[2], bool shared)
{
	struct machine m = make(1, 1, 6, 1, 1, 256);

	m.arch = ARCH_ARM64;
	m.clusters = clusters;
	m.clusters_count = 2;
	m.shared_cache = shared;
	return m;
}

/* A guest of the profile @have, seen by one that expects @want. */
static int compare(const struct machine *want, const struct machine *have, struct error *err)
{
	hwloc_topology_t a, b;
	char *xml;
	int len, ret;

	assert_int_equal(machine_topology(&a, want, err), 0);
	assert_int_equal(machine_topology(&b, have, err), 0);
	assert_int_equal(hwloc_topology_export_xmlbuffer(b, &xml, &len, 0), 0);
	ret = truth_topology(a, xml, err);
	hwloc_free_xmlbuffer(b, xml);
	hwloc_topology_destroy(a);
	hwloc_topology_destroy(b);
	return ret;
}

static void clusters_are_compared_by_caches_and_capacities(void **state)
{
	struct machine juno = make_clusters(board, false), shared = make_clusters(board, true);
	struct machine slow = make_clusters(slower, false), plain = make(1, 1, 6, 1, 1, 256);
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(compare(&juno, &juno, &err), 0);
	assert_int_equal(compare(&shared, &shared, &err), 0);
	assert_int_equal(compare(&juno, &shared, &err), -1);
	assert_non_null(strstr(err.msg, "CPUs of each L2Cache are 0-5 instead of 0,3-5 1-2"));
	assert_int_equal(compare(&juno, &slow, &err), -1);
	assert_non_null(strstr(err.msg, "capacities are '300 1024 1024 300 300 300' instead of "
					"'383 1024 1024 383 383 383'"));
	assert_int_equal(compare(&juno, &plain, &err), -1);
}

/* /proc/schedstat of such guests: masks 39 and 06 are the clusters, 3f all six CPUs. */
static void domains_of_clusters_follow_from_their_caches(void **state)
{
	static const char juno_text[] = "version 15\ncpu0 0\ndomain0 39 0\ndomain1 3f 0\n"
					"cpu1 0\ndomain0 06 0\ndomain1 3f 0\n";
	static const char shared_text[] = "version 15\ncpu0 0\ndomain0 3f 0\n"
					  "cpu1 0\ndomain0 3f 0\n";
	struct machine juno = make_clusters(board, false), shared = make_clusters(board, true);
	struct error err = ERROR_INIT;
	hwloc_topology_t a, b;

	(void)state;
	assert_int_equal(machine_topology(&a, &juno, &err), 0);
	assert_int_equal(machine_topology(&b, &shared, &err), 0);
	assert_int_equal(truth_domains(a, juno_text, &err), 0);
	assert_int_equal(truth_domains(b, shared_text, &err), 0);
	assert_int_equal(truth_domains(a, shared_text, &err), -1);
	assert_int_equal(truth_domains(b, juno_text, &err), -1);
	hwloc_topology_destroy(a);
	hwloc_topology_destroy(b);
}

/* Any profile survives: drawn, described, loaded again it is the same. */
static void a_profile_describes_the_topology_it_came_from(void **state)
{
	static const struct topology shapes[] = {
		{1, 1, 2, 1, 1, 20, 20}, {2, 1, 20, 2, 2, 20, 20}, {2, 8, 8, 2, 2, 20, 20},
		{2, 8, 4, 2, 8, 16, 32}, {4, 1, 2, 1, 2, 20, 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct machine m = {
			.name = (char *)"m", .type = MACHINE_QEMU, .topology = shapes[i]};
		struct error err = ERROR_INIT;
		struct strbuf text = STRBUF_INIT;
		hwloc_topology_t t;
		char expected[200];

		snprintf(expected, sizeof(expected),
			 "topology: {packages: %u, dies: %u, cores: %u, threads: %u, nodes: %u}\n",
			 shapes[i].packages, shapes[i].dies, shapes[i].cores, shapes[i].threads,
			 shapes[i].nodes);
		assert_int_equal(machine_topology(&t, &m, &err), 0);
		if (machine_profile_text(t, &text, &err))
			fail_msg("%s", err.msg);
		if (!strstr(text.buf, expected))
			fail_msg("%s instead of %s", text.buf, expected);
		hwloc_topology_destroy(t);
		strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node_needs_no_numa),
		cmocka_unit_test(two_packages_two_nodes),
		cmocka_unit_test(nodes_within_a_package_and_uneven_memory),
		cmocka_unit_test(impossible_topologies_are_refused),
		cmocka_unit_test(more_than_255_cpus_are_refused),
		cmocka_unit_test(distances_are_given_where_qemu_would_take_others),
		cmocka_unit_test(sched_domains_follow_caches_nodes_and_distances),
		cmocka_unit_test(another_topology_is_told_with_both),
		cmocka_unit_test(clusters_are_compared_by_caches_and_capacities),
		cmocka_unit_test(domains_of_clusters_follow_from_their_caches),
		cmocka_unit_test(a_profile_describes_the_topology_it_came_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
