// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "config/config.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

#define DATA "tests/data/config/"

static struct experiment *load(const char *name, const char *const *sets, unsigned count)
{
	struct error err = ERROR_INIT;
	struct experiment *e;

	if (experiment_load(&e, name, sets, count, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(err.kind, ERROR_NONE);
	return e;
}

static void machines_load_with_defaults(void **state)
{
	struct error err = ERROR_INIT;
	struct machine *m;

	(void)state;
	assert_int_equal(machine_load(&m, "broadwell-2s80", &err), 0);
	assert_string_equal(m->name, "broadwell-2s80");
	assert_int_equal(m->type, MACHINE_QEMU);
	assert_int_equal(m->accel, ACCEL_AUTO);
	assert_int_equal(m->topology.dies, 1);
	assert_int_equal(m->topology.nodes, 2);
	assert_int_equal(m->memory_mb, 3072);
	assert_int_equal(m->boot_timeout_ms, 300000);
	assert_string_equal(m->cmdline, "");
	assert_null(m->cpu);
	assert_int_equal(machine_cpus(m), 80);
	machine_free(m);
	assert_int_equal(machine_load(&m, "host", &err), 0);
	assert_int_equal(m->type, MACHINE_HOST);
	assert_null(m->file);
	assert_int_equal(machine_cpus(m), sysconf(_SC_NPROCESSORS_ONLN));
	machine_free(m);
}

static void machines_of_clusters(void **state)
{
	struct error err = ERROR_INIT;
	struct machine *m;

	(void)state;
	assert_int_equal(machine_load(&m, "juno-r2", &err), 0);
	assert_int_equal(m->arch, ARCH_ARM64);
	assert_int_equal(m->time, TIME_VIRTUAL);
	assert_int_equal(machine_cpus(m), 6);
	assert_int_equal(m->clusters_count, 2);
	assert_false(m->shared_cache);
	for (unsigned cpu = 0; cpu < 6; cpu++) {
		unsigned cluster = machine_cluster_of(m, cpu);

		assert_int_equal(cluster, cpu == 1 || cpu == 2 ? 0 : 1);
		assert_int_equal(m->clusters[cluster].capacity, cluster ? 383 : 1024);
	}
	assert_int_equal(machine_cluster_of(m, 6), 2);
	assert_int_equal(machine_scale(m, "1/2", &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_int_equal(machine_scale(m, "1/1", &err), 0);
	machine_free(m);
	assert_int_equal(machine_load(&m, "broadwell-2s80", &err), 0);
	assert_int_equal(m->arch, ARCH_X86_64);
	assert_int_equal(m->time, TIME_REAL);
	assert_null(m->clusters);
	machine_free(m);
}

static void kernels_are_for_their_own_machines(void **state)
{
	const struct machine arm = {.name = (char *)"m", .type = MACHINE_QEMU, .arch = ARCH_ARM64};
	const struct machine x86 = {.name = (char *)"p", .type = MACHINE_QEMU};
	const struct kernel image = {
		.name = (char *)"k", .source = KERNEL_IMAGE, .arch = ARCH_ARM64};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(machine_check_kernel(&arm, &image, &err), 0);
	assert_int_equal(machine_check_kernel(&x86, &image, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_string_equal(err.msg,
			    "kernel 'k' is for arm64 and machine 'p' is x86_64 (choose another "
			    "machine or a kernel with 'arch: x86_64')");
}

/* Worked out by hand from the rule: packages, nodes, threads stay; cores go first, then dies. */
static const struct {
	struct topology full;
	const char *scale;
	unsigned dies, cores; /* 0: does not fit */
	const char *smallest; /* where it does not fit */
} scales[] = {
	{{2, 1, 20, 2, 2, 20, 20}, "1/1", 1, 20, NULL},
	{{2, 1, 20, 2, 2, 20, 20}, "1/4", 1, 5, NULL},
	{{2, 1, 20, 2, 2, 20, 20}, "3/20", 1, 3, NULL},
	{{2, 1, 20, 2, 2, 20, 20}, "1/20", 1, 1, NULL},
	{{2, 1, 20, 2, 2, 20, 20}, "1/40", 0, 0, "1/20"},
	{{2, 1, 20, 2, 2, 20, 20}, "1/3", 0, 0, "1/20"},
	{{2, 4, 4, 2, 2, 20, 20}, "1/4", 4, 1, NULL},
	{{2, 4, 4, 2, 2, 20, 20}, "1/8", 2, 1, NULL},
	{{2, 4, 4, 2, 2, 20, 20}, "1/16", 1, 1, NULL},
	{{2, 4, 4, 2, 2, 20, 20}, "7/16", 0, 0, "1/16"},
	{{2, 4, 4, 2, 2, 20, 20}, "3/4", 4, 3, NULL},
	/* Four nodes in two packages: two dies each are the least that can be divided. */
	{{2, 4, 4, 1, 4, 20, 20}, "1/8", 2, 1, NULL},
	{{2, 4, 4, 1, 4, 20, 20}, "1/16", 0, 0, "1/8"},
	/* Two nodes in one die: an even number of cores has to stay. */
	{{1, 1, 8, 1, 2, 20, 20}, "1/4", 1, 2, NULL},
	{{1, 1, 8, 1, 2, 20, 20}, "1/8", 0, 0, "1/4"},
};

static void scale_shrinks_cores_then_dies(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		struct machine m = {.name = (char *)"m",
				    .type = MACHINE_QEMU,
				    .topology = scales[i].full,
				    .full = scales[i].full};
		struct error err = ERROR_INIT;
		int ret = machine_scale(&m, scales[i].scale, &err);

		if (!scales[i].cores) {
			char *end = xasprintf("(the smallest that fits is %s)", scales[i].smallest);

			assert_int_equal(ret, -1);
			assert_int_equal(err.kind, ERROR_USAGE);
			assert_non_null(strstr(err.msg, end));
			free(end);
			continue;
		}
		if (ret)
			fail_msg("%u: %s", i, err.msg);
		assert_int_equal(m.topology.packages, scales[i].full.packages);
		assert_int_equal(m.topology.dies, scales[i].dies);
		assert_int_equal(m.topology.cores, scales[i].cores);
		assert_int_equal(m.topology.threads, scales[i].full.threads);
		assert_int_equal(m.topology.nodes, scales[i].full.nodes);
		assert_string_equal(m.scale, scales[i].scale);
		free(m.scale);
	}
}

static void tcg_carries_255_cpus(void **state)
{
	const struct topology t256 = {2, 1, 64, 2, 2, 20, 20}, t512 = {2, 8, 16, 2, 2, 20, 20},
			      wide = {64, 1, 1, 8, 1, 20, 20};
	struct machine m = {
		.name = (char *)"m", .type = MACHINE_QEMU, .topology = t256, .full = t256};
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(machine_check_tcg(&m, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_string_equal(err.msg,
			    "machine 'm' has 256 CPUs and TCG carries at most 255 (the largest "
			    "scale that fits is 63/64)");
	m.accel = ACCEL_TCG;
	assert_int_equal(machine_scale(&m, "1/1", &err), -1);
	free(m.scale);
	m.scale = NULL;
	assert_int_equal(machine_scale(&m, "1/2", &err), 0);
	assert_int_equal(machine_cpus(&m), 128);
	assert_int_equal(machine_check_tcg(&m, &err), 0);
	free(m.scale);
	/* 8 dies of 16 cores: 63 cores per package are 7 dies of 9. */
	m = (struct machine){
		.name = (char *)"m", .type = MACHINE_QEMU, .topology = t512, .full = t512};
	assert_int_equal(machine_check_tcg(&m, &err), -1);
	assert_non_null(strstr(err.msg, "fits is 63/128)"));
	m = (struct machine){
		.name = (char *)"m", .type = MACHINE_QEMU, .topology = wide, .full = wide};
	assert_int_equal(machine_check_tcg(&m, &err), -1);
	assert_non_null(strstr(err.msg, "whatever the scale"));
}

static void scale_reaches_the_experiment(void **state)
{
	const char *sets[] = {"machine=broadwell-2s80", "scale=1/7"};
	struct error err = ERROR_INIT;
	struct experiment *e;

	(void)state;
	assert_int_equal(experiment_load(&e, "demo", sets, 2, &err), -1);
	assert_non_null(strstr(err.msg, "--set scale=1/7: scale '1/7' leaves no whole topology"));
	sets[1] = "scale=1/4";
	e = load("demo", sets, 2);
	assert_string_equal(e->scale, "1/4");
	experiment_free(e);
}

static void kernels_load(void **state)
{
	struct error err = ERROR_INIT;
	struct kernel *k;
	char *cwd = getcwd(NULL, 0);
	char *image = xasprintf("%s/" DATA "boot/bzImage", cwd);

	(void)state;
	assert_int_equal(kernel_load(&k, "debian-6.12", &err), 0);
	assert_int_equal(k->source, KERNEL_DEBIAN_IMAGE);
	assert_string_equal(k->package, "linux-image-6.12-cloud-amd64");
	assert_string_equal(k->suite, "bookworm");
	assert_string_equal(k->cmdline, "");
	kernel_free(k);
	assert_int_equal(kernel_load(&k, "running", &err), 0);
	assert_int_equal(k->source, KERNEL_RUNNING);
	kernel_free(k);
	assert_int_equal(kernel_load(&k, DATA "good-image.yaml", &err), 0);
	assert_int_equal(k->source, KERNEL_IMAGE);
	assert_string_equal(k->image, image);
	assert_string_equal(k->modules, "/lib/modules/x");
	assert_string_equal(k->features[0].key, "SIS_UTIL");
	assert_string_equal(k->sysctl[0].value, "1");
	kernel_free(k);
	free(image);
	free(cwd);
}

static void kernels_that_are_built(void **state)
{
	struct error err = ERROR_INIT;
	struct kernel *k;
	char *cwd = getcwd(NULL, 0);
	char *clone = xasprintf("%s/" DATA "../linux", cwd);
	char *patch = xasprintf("%s/" DATA "expected.tsv", cwd);
	char *mail = xasprintf("mail:%s#2", patch);

	(void)state;
	assert_int_equal(kernel_load(&k, DATA "good-build.yaml", &err), 0);
	assert_int_equal(k->source, KERNEL_GIT);
	assert_true(kernel_is_built(k));
	assert_string_equal(k->git, clone);
	assert_string_equal(k->ref, "v6.8");
	assert_int_equal(k->patches_count, 3);
	assert_string_equal(k->patches[0], patch);
	assert_string_equal(k->patches[1], mail);
	assert_string_equal(k->patches[2], "mail:20201209062404.175565-1@example.org");
	assert_int_equal(k->revert_count, 1);
	assert_int_equal(k->config_count, 3);
	assert_int_equal(k->config[0][0], '/');
	assert_string_equal(k->config[1], "CONFIG_SMP=y");
	assert_string_equal(k->config[2], "# CONFIG_NUMA is not set");
	assert_int_equal(k->arch, ARCH_ARM64);
	kernel_free(k);
	assert_true(kernel_source_is_address("https://x.example/linux.git"));
	assert_true(kernel_source_is_address("me@x.example:linux.git"));
	assert_false(kernel_source_is_address("../a:b/linux"));
	assert_false(kernel_source_is_address("/a:b"));
	assert_false(kernel_source_is_address("linux"));
	free(mail);
	free(patch);
	free(clone);
	free(cwd);
}

static void lists_name_files_and_builtins(void **state)
{
	struct error err = ERROR_INIT;
	struct key_value *list;
	unsigned count, found = 0;

	(void)state;
	setenv("SCHEDBENCH_CONFIGS", "/nonexistent:" DATA "shadow", 1);
	assert_int_equal(config_list(CONFIG_MACHINE, &list, &count, &err), 0);
	for (unsigned i = 0; i < count; i++) {
		found += !strcmp(list[i].key, "host");
		found += !strcmp(list[i].key, "small-4");
		if (!strcmp(list[i].key, "demo-2s8"))
			assert_string_equal(list[i].value, "the first folder counts");
		if (!strcmp(list[i].key, "broken"))
			assert_string_equal(
				list[i].value,
				"(" DATA "shadow/machines/broken.yaml:2: not valid YAML: "
				"did not find expected node content while parsing a flow "
				"node)");
		if (i)
			assert_true(strcmp(list[i - 1].key, list[i].key) < 0);
	}
	assert_int_equal(found, 2);
	key_values_free(list, count);
	unsetenv("SCHEDBENCH_CONFIGS");
}

static void everything_shipped_is_valid(void **state)
{
	struct error err = ERROR_INIT;
	struct key_value *list;
	unsigned count;

	(void)state;
	assert_int_equal(config_list(CONFIG_EXPERIMENT, &list, &count, &err), 0);
	assert_true(count >= 2);
	for (unsigned i = 0; i < count; i++)
		experiment_free(load(list[i].key, NULL, 0));
	key_values_free(list, count);
	assert_int_equal(config_list(CONFIG_MACHINE, &list, &count, &err), 0);
	assert_true(count >= 5);
	for (unsigned i = 0; i < count; i++) {
		struct machine *m;

		assert_int_equal(machine_load(&m, list[i].key, &err), 0);
		machine_free(m);
	}
	key_values_free(list, count);
	assert_int_equal(config_list(CONFIG_KERNEL, &list, &count, &err), 0);
	assert_true(count >= 2);
	for (unsigned i = 0; i < count; i++) {
		struct kernel *k;

		if (kernel_load(&k, list[i].key, &err))
			fail_msg("%s", err.msg);
		kernel_free(k);
	}
	key_values_free(list, count);
}

static void durations(void **state)
{
	static const struct {
		const char *text;
		unsigned ms; /* 0: not accepted */
	} cases[] = {{"1500ms", 1500},
		     {"120s", 120000},
		     {"2m", 120000},
		     {"1h", 3600000},
		     {"7", 7000},
		     {"4294967295ms", 4294967295u},
		     {"4294967296ms", 0},
		     {"", 0},
		     {"s", 0},
		     {"-1s", 0},
		     {"1 s", 0},
		     {"1.5s", 0},
		     {"1d", 0},
		     {"99999999999999999999", 0}};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;
		unsigned ms = 1;

		assert_int_equal(parse_duration_ms(cases[i].text, &ms, &err), cases[i].ms ? 0 : -1);
		if (cases[i].ms)
			assert_true(ms == cases[i].ms);
		else
			assert_int_equal(err.kind, ERROR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_load_with_defaults),
		cmocka_unit_test(machines_of_clusters),
		cmocka_unit_test(kernels_are_for_their_own_machines),
		cmocka_unit_test(scale_shrinks_cores_then_dies),
		cmocka_unit_test(tcg_carries_255_cpus),
		cmocka_unit_test(scale_reaches_the_experiment),
		cmocka_unit_test(kernels_load),
		cmocka_unit_test(kernels_that_are_built),
		cmocka_unit_test(lists_name_files_and_builtins),
		cmocka_unit_test(everything_shipped_is_valid),
		cmocka_unit_test(durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
