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
#include "util/xalloc.h"

#define FOLDER "tests/data/config"

/* Load by the letters that the file's name begins with: k- a kernel, m- a machine. */
static int load(const char *file, struct error *err)
{
	char *path = xasprintf(FOLDER "/%s", file);
	struct experiment *e = NULL;
	struct machine *m = NULL;
	struct kernel *k = NULL;
	int ret;

	if (!strncmp(file, "k-", 2))
		ret = kernel_load(&k, path, err);
	else if (!strncmp(file, "m-", 2) || !strncmp(file, "tcg-", 4))
		ret = machine_load(&m, path, err);
	else
		ret = experiment_load(&e, path, NULL, 0, err);
	experiment_free(e);
	machine_free(m);
	kernel_free(k);
	free(path);
	return ret;
}

/* expected.tsv: file, line, what the message must hold. Every hostile file has a row. */
static void test_bad_files(void **state)
{
	struct strbuf table = STRBUF_INIT;
	struct error err = ERROR_INIT;
	unsigned rows = 0;
	char *save = NULL;

	(void)state;
	assert_int_equal(file_read(FOLDER "/expected.tsv", 0, &table, &err), 0);
	for (char *row = strtok_r(table.buf, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
		char *line = strchr(row, '\t'), *text;
		char *where;

		assert_non_null(line);
		*line++ = '\0';
		text = strchr(line, '\t');
		assert_non_null(text);
		*text++ = '\0';
		where = xasprintf("%s:%s: ", row, line);
		err = (struct error)ERROR_INIT;
		if (load(row, &err) != -1 || err.kind != ERROR_USAGE || !strstr(err.msg, where) ||
		    !strstr(err.msg, text))
			fail_msg("%s: expected '%s%s', got '%s'", row, where, text, err.msg);
		free(where);
		rows++;
	}
	assert_true(rows > 90);
	strbuf_release(&table);
}

static void test_defaults(void **state)
{
	const char *text = "name: n\nmachine: host\nvariants: [{name: a, kernel: running}]\n"
			   "workload: hackbench\n";
	struct experiment *e;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(experiment_parse(&e, text, "text", &err), 0);
	assert_string_equal(e->title, "n");
	assert_int_equal(e->boots, 3);
	assert_int_equal(e->repetitions, 5);
	assert_int_equal(e->timeout_ms, 120000);
	assert_int_equal(e->retries, 1);
	assert_int_equal(e->order, ORDER_BLOCKS);
	assert_string_equal(e->pin, "all");
	assert_int_equal(e->sweep_count, 0);
	experiment_free(e);
}

static void test_sets(void **state)
{
	const char *const sets[] = {"boots=7",
				    "sweep.groups=[3, 9]",
				    "variants.1.kernel=debian-6.1",
				    "variants.6.1.features={SIS_UTIL: false}",
				    "workload.params.loops=5",
				    "title=a: b # c"};
	struct experiment *e, *again;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(experiment_load(&e, "demo", sets, 3, &err), 0);
	assert_int_equal(e->boots, 7);
	assert_int_equal(e->sweep[0].values_count, 2);
	assert_string_equal(e->sweep[0].values[1], "9");
	assert_string_equal(e->variants[1].kernel, "debian-6.1");
	/* What the store keeps reads back as the same experiment. */
	assert_int_equal(experiment_parse(&again, e->text, "stored", &err), 0);
	assert_string_equal(again->text, e->text);
	assert_int_equal(again->boots, 7);
	assert_string_equal(again->variants[1].kernel, e->variants[1].kernel);
	experiment_free(again);
	experiment_free(e);
	assert_int_equal(experiment_load(&e, "demo", &sets[4], 1, &err), 0);
	assert_string_equal(e->workload.params[1].value, "5");
	experiment_free(e);
}

static void test_bad_sets(void **state)
{
	static const char *const bad[] = {
		"boots", "boots=0",	    "bots=3",	 "boots=[1]",	    "variants.x.kernel=y",
		"=3",	 "sweep.groups=[]", "boots.x=1", "machine=nowhere", "variants=[]"};
	struct experiment *e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(experiment_load(&e, "demo", &bad[i], 1, &err), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.msg, "--set"));
	}
}

static void test_machine(void **state)
{
	struct machine *m;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(machine_load(&m, "broadwell-2s80", &err), 0);
	assert_int_equal(machine_cpus(m), 80);
	assert_int_equal(machine_scale(m, "1/4", &err), 0);
	assert_int_equal(machine_cpus(m), 20);
	assert_int_equal(m->topology.packages, 2);
	assert_int_equal(m->topology.threads, 2);
	assert_int_equal(m->topology.nodes, 2);
	machine_free(m);
	assert_int_equal(machine_load(&m, "host", &err), 0);
	assert_int_equal(m->type, MACHINE_HOST);
	assert_int_equal(machine_scale(m, "1/2", &err), -1);
	machine_free(m);
}

static void test_durations(void **state)
{
	unsigned ms;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(parse_duration_ms("1500ms", &ms, &err), 0);
	assert_int_equal(ms, 1500);
	assert_int_equal(parse_duration_ms("2m", &ms, &err), 0);
	assert_int_equal(ms, 120000);
	assert_int_equal(parse_duration_ms("7", &ms, &err), 0);
	assert_int_equal(ms, 7000);
	assert_int_equal(parse_duration_ms("-1s", &ms, &err), -1);
	assert_int_equal(parse_duration_ms("", &ms, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_files), cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_sets),	  cmocka_unit_test(test_bad_sets),
		cmocka_unit_test(test_machine),	  cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
