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

static void sets_change_any_field(void **state)
{
	static const char *const sets[] = {
		"boots=7",
		"sweep={groups: [1, 2], fds: [10]}",
		"sweep.groups=[4,8,16]",
		"variants.b.name=patched",
		"variants.patched.features.SIS_UTIL=false",
		"variants.0.sysctl.kernel.sched_schedstats=1",
		"workload.params.loops=10",
		"workload.params.pipe=true",
		"timeout=1500ms",
		"order=sequential",
		"seed=18446744073709551615",
		"monitors=[schedstat]",
		"title='a \"quoted\" title: \\ yes'",
		"boots=8",
	};
	struct experiment *e = load("hackbench-host", sets, sizeof(sets) / sizeof(sets[0]));

	(void)state;
	assert_int_equal(e->boots, 8);
	assert_int_equal(e->sweep_count, 2);
	assert_int_equal(e->sweep[0].values_count, 3);
	assert_string_equal(e->sweep[0].values[2], "16");
	assert_string_equal(e->variants[1].name, "patched");
	assert_int_equal(e->variants[1].features_count, 1);
	assert_string_equal(e->variants[1].features[0].key, "SIS_UTIL");
	assert_string_equal(e->variants[1].features[0].value, "false");
	assert_string_equal(e->variants[0].sysctl[0].key, "kernel.sched_schedstats");
	assert_string_equal(e->variants[0].sysctl[0].value, "1");
	assert_string_equal(e->workload.params[1].value, "10");
	assert_int_equal(e->timeout_ms, 1500);
	assert_int_equal(e->order, ORDER_SEQUENTIAL);
	assert_string_equal(e->title, "a \"quoted\" title: \\ yes");
	assert_true(e->seed == UINT64_MAX);
	assert_string_equal(e->monitors[0], "schedstat");
	experiment_free(e);
}

static void assert_switches(const struct key_value *a, unsigned a_count, const struct key_value *b,
			    unsigned b_count)
{
	assert_int_equal(a_count, b_count);
	for (unsigned i = 0; i < a_count; i++) {
		assert_string_equal(a[i].key, b[i].key);
		assert_string_equal(a[i].value, b[i].value);
	}
}

static void assert_same_string(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void assert_same(const struct experiment *a, const struct experiment *b)
{
	assert_string_equal(a->text, b->text);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->title, b->title);
	assert_string_equal(a->machine, b->machine);
	assert_string_equal(a->scale, b->scale);
	assert_string_equal(a->pin, b->pin);
	assert_same_string(a->metric, b->metric);
	assert_same_string(a->statistic, b->statistic);
	assert_int_equal(a->variants_count, b->variants_count);
	for (unsigned i = 0; i < a->variants_count; i++) {
		const struct variant *v = &a->variants[i], *w = &b->variants[i];

		assert_string_equal(v->name, w->name);
		assert_string_equal(v->kernel, w->kernel);
		assert_switches(v->features, v->features_count, w->features, w->features_count);
		assert_switches(v->sysctl, v->sysctl_count, w->sysctl, w->sysctl_count);
	}
	assert_string_equal(a->workload.name, b->workload.name);
	assert_int_equal(a->workload.backend, b->workload.backend);
	assert_switches(a->workload.params, a->workload.params_count, b->workload.params,
			b->workload.params_count);
	assert_int_equal(a->sweep_count, b->sweep_count);
	for (unsigned i = 0; i < a->sweep_count; i++) {
		assert_string_equal(a->sweep[i].param, b->sweep[i].param);
		assert_int_equal(a->sweep[i].values_count, b->sweep[i].values_count);
		for (unsigned j = 0; j < a->sweep[i].values_count; j++)
			assert_string_equal(a->sweep[i].values[j], b->sweep[i].values[j]);
	}
	assert_int_equal(a->boots, b->boots);
	assert_int_equal(a->repetitions, b->repetitions);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->warmup, b->warmup);
	assert_int_equal(a->timeout_ms, b->timeout_ms);
	assert_int_equal(a->retries, b->retries);
	assert_true(a->seed == b->seed);
	assert_int_equal(a->monitors_count, b->monitors_count);
}

static void kept_text_reads_back_the_same(void **state)
{
	static const char *const sets[] = {
		"scale=1/2",
		"variants.6.1.features={SIS_UTIL: false, TTWU_QUEUE: true}",
		"variants.6.12.sysctl={kernel.sched_schedstats: 1}",
		"workload.params.note='~ # not: a, [comment]'",
		"workload.params.word=\"null\"",
		"workload.params.empty=''",
		"workload.params.odd='-x %y &z *w'",
		"workload.backend=peer",
		"sweep.pin=[\"0-1\", \"0,2\"]",
		"metric=time",
		"statistic=median",
		"monitors=[schedstat]",
		"seed=42",
	};
	struct experiment *e = load("demo", sets, sizeof(sets) / sizeof(sets[0]));
	struct error err = ERROR_INIT;
	struct experiment *again;

	(void)state;
	assert_int_equal(e->workload.params_count, 6);
	assert_int_equal(e->variants[0].features_count, 2);
	assert_int_equal(e->variants[1].sysctl_count, 1);
	assert_string_equal(e->workload.params[2].value, "~ # not: a, [comment]");
	assert_string_equal(e->workload.params[3].value, "null");
	assert_string_equal(e->workload.params[4].value, "");
	if (experiment_parse(&again, e->text, "run 7", &err))
		fail_msg("%s\n%s", err.msg, e->text);
	assert_same(e, again);
	experiment_free(e);
	experiment_free(again);
}

static void a_stored_text_needs_no_files(void **state)
{
	static const char text[] = "name: old\nmachine: gone\nworkload: hackbench\n"
				   "variants: [{name: a, kernel: gone-too}]\n";
	struct error err = ERROR_INIT;
	struct experiment *e;

	(void)state;
	assert_int_equal(experiment_parse(&e, text, "run 7", &err), 0);
	assert_string_equal(e->variants[0].kernel, "gone-too");
	experiment_free(e);
	assert_int_equal(experiment_parse(&e, "name: x\nboots: 0\n", "run 7", &err), -1);
	assert_null(e);
	assert_string_equal(err.msg, "run 7:1: key 'machine' is missing");
}

/* Which --set, and what is wrong with it. */
static const struct {
	const char *set;
	const char *message;
} bad_sets[] = {
	{"boots=0", "--set boots=0: 'boots' must be 1 to 10000, not 0"},
	{"boots=x", "--set boots=x: 'boots' must be a whole number, not 'x'"},
	{"boots=", "--set boots=: 'boots' has no value"},
	{"boots", "--set boots: KEY=VALUE expected, such as boots=5"},
	{"=5", "--set =5: KEY=VALUE expected, such as boots=5"},
	{"a..b=5", "--set a..b=5: KEY=VALUE expected, such as boots=5"},
	{"boot=5", "--set boot=5: unknown key 'boot' (did you mean 'boots'?)"},
	{"boots.x=5", "--set boots.x=5: 'boots' is a plain value and has no 'x'"},
	{"quiet=[aslr]",
	 "--set quiet=[aslr]: 'quiet' is not supported by this version (leave it out)"},
	{"variants.c.kernel=x",
	 "--set variants.c.kernel=x: 'variants' has no element 'c' (name one, "
	 "or give its number from 0 to 1)"},
	{"variants.2.kernel=x",
	 "--set variants.2.kernel=x: 'variants' has no element '2' (name one, "
	 "or give its number from 0 to 1)"},
	{"variants.b.kernel=debian-6.1",
	 "--set variants.b.kernel=debian-6.1: machine 'host' runs its "
	 "kernel already, 'debian-6.1' cannot be booted there (use "
	 "'running' or an emulated machine)"},
	{"variants.a.name=b",
	 "hackbench-host.yaml:5: variant 'b' is there twice (give each its own "
	 "name)"},
	{"sweep.groups=[1,", "--set sweep.groups=[1,: not valid YAML: did not find expected node "
			     "content while parsing a flow node"},
	{"sweep.groups=[]", "--set sweep.groups=[]: 'groups' is empty"},
	{"sweep.groups=[&a x, *a]",
	 "--set sweep.groups=[&a x, *a]: anchors and aliases ('a') are not "
	 "accepted (write the value out)"},
	{"title=a b\n---\nc",
	 "--set title=a b?---?c: a second document starts here (one is accepted)"},
	{"scale=1/4",
	 "--set scale=1/4: 'scale' needs an emulated machine, 'host' is real (leave it "
	 "out)"},
	{"machine=nowhere.yaml", "nowhere.yaml': No such file or directory"},
};

static void bad_sets_are_named(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(bad_sets) / sizeof(bad_sets[0]); i++) {
		struct error err = ERROR_INIT;
		struct experiment *e;

		if (!experiment_load(&e, "hackbench-host", &bad_sets[i].set, 1, &err))
			fail_msg("'%s' was accepted", bad_sets[i].set);
		assert_null(e);
		assert_int_equal(err.kind, ERROR_USAGE);
		if (!strstr(err.msg, bad_sets[i].message))
			fail_msg("got:  %s\nwant: %s", err.msg, bad_sets[i].message);
	}
}

static void large_files_are_not_read(void **state)
{
	struct error err = ERROR_INIT;
	struct experiment *e;

	(void)state;
	assert_int_equal(experiment_load(&e, "/dev/zero", NULL, 0, &err), -1);
	assert_string_equal(err.msg,
			    "/dev/zero:1: larger than 256 KiB (not a configuration file?)");
	assert_int_equal(experiment_load(&e, "tests/", NULL, 0, &err), -1);
	assert_string_equal(err.msg, "'tests/' is a directory, not a file");
	assert_int_equal(experiment_load(&e, "../x", NULL, 0, &err), -1);
	assert_string_equal(err.msg,
			    "cannot open experiment file '../x': No such file or directory");
}

/* The file with each byte damaged, and each of its beginnings, ends in a verdict. */
static void damaged_files_end_in_a_verdict(void **state)
{
	static const char bytes[] = {'\0', '\n', '\t', '{', '[', '"', ':', '&', '\xff', '-'};
	struct experiment *good = load("demo", NULL, 0);
	size_t len = strlen(good->text);

	(void)state;
	for (size_t i = 0; i < len; i++) {
		char *text = xstrdup(good->text);
		struct error err = ERROR_INIT;
		struct experiment *e;

		text[i] = bytes[i % sizeof(bytes)];
		if (experiment_parse(&e, text, "x", &err)) {
			assert_int_equal(err.kind, ERROR_USAGE);
			assert_int_equal(strncmp(err.msg, "x:", 2), 0);
		}
		experiment_free(e);
		text[i] = '\0';
		err = (struct error)ERROR_INIT;
		if (experiment_parse(&e, text, "x", &err))
			assert_int_equal(err.kind, ERROR_USAGE);
		experiment_free(e);
		free(text);
	}
	experiment_free(good);
}

static void paths_are_seen_from_the_file(void **state)
{
	const char *set = "variants.0.kernel=" DATA "good-image.yaml";
	struct experiment *e = load(DATA "good-paths.yaml", NULL, 0);
	char *cwd = getcwd(NULL, 0);
	char *kernel = xasprintf("%s/" DATA "good-image.yaml", cwd);

	(void)state;
	assert_string_equal(e->variants[0].kernel, kernel);
	experiment_free(e);
	e = load("demo", &set, 1);
	assert_string_equal(e->variants[0].kernel, kernel);
	experiment_free(e);
	free(kernel);
	free(cwd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_change_any_field),
		cmocka_unit_test(kept_text_reads_back_the_same),
		cmocka_unit_test(a_stored_text_needs_no_files),
		cmocka_unit_test(bad_sets_are_named),
		cmocka_unit_test(large_files_are_not_read),
		cmocka_unit_test(damaged_files_end_in_a_verdict),
		cmocka_unit_test(paths_are_seen_from_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
