// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "import/import.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/store.h"
#include "util/file.h"
#include "util/xalloc.h"

struct fixture {
	char *dir, *path;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	char template[] = "/tmp/schedbench-store-XXXXXX";

	f->dir = xstrdup(mkdtemp(template));
	f->path = path_join(f->dir, "new/s.db");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;

	remove_tree(f->dir, &err);
	free(f->dir);
	free(f->path);
	free(f);
	return 0;
}

static const struct store_new_variant variants[] = {
	{"base", "debian-6.1", "6.1.0", "sha", "{}"},
	{"new", "debian-6.12", "", "", "{}"},
};

static const struct store_new_run new_run = {
	.experiment = "demo",
	.title = "Demo",
	.text = "name: demo\n",
	.machine = "host",
	.description = "this host",
	.program_version = "0",
	.workload_sha256 = "aa",
	.seed = 0xfedcba9876543210ULL,
	.boots = 1,
	.repetitions = 2,
	.variants = variants,
	.variants_count = 2,
};

static void count_done(void *arg, const char *variant, unsigned boot, const char *kase,
		       unsigned repetition, bool ok)
{
	(void)variant, (void)boot, (void)kase;
	assert_int_equal(ok, repetition == 0);
	++*(unsigned *)arg;
}

static void sum_ok(void *arg, const struct store_sample *s)
{
	if (s->metric)
		*(double *)arg += s->value;
}

static void add(struct store *s, int64_t boot, unsigned repetition, const char *status, int expect)
{
	struct store_value value = {"time", "s", "lower", 1.5};
	struct store_counter counter = {"TTWU Count", 7};
	struct store_repetition rep = {.kase = "groups=1",
				       .repetition = repetition,
				       .status = status,
				       .values = &value,
				       .values_count = !strcmp(status, "ok"),
				       .counters = &counter,
				       .counters_count = 1};
	struct error err = ERROR_INIT;

	assert_int_equal(store_repetition_add(s, boot, &rep, &err), expect);
}

static void test_run_and_resume(void **state)
{
	struct fixture *f = *state;
	struct store_run run;
	struct store *s;
	struct error err = ERROR_INIT;
	int64_t boot;
	unsigned done = 0, good, bad;
	double sum = 0;
	char *id;

	assert_int_equal(store_open(&s, f->path, STORE_WRITE, &err), 0);
	assert_int_equal(store_run_create(s, &new_run, &id, &err), 0);
	assert_int_equal(store_run_set_accel(s, id, "tcg", "emulated", &err), 0);
	assert_int_equal(store_boot_begin(s, id, "base", 1, &boot, &err), 0);
	add(s, boot, 0, "ok", 0);
	add(s, boot, 1, "failed", 0);
	/* The same repetition twice is refused: a sample is never counted double. */
	add(s, boot, 0, "ok", -1);
	store_close(s);

	assert_int_equal(store_open(&s, f->path, STORE_READ, &err), 0);
	assert_int_equal(store_run_find(s, "last", &run, &err), 0);
	assert_string_equal(run.id, id);
	assert_string_equal(run.accel, "tcg");
	assert_string_equal(run.description, "this host");
	assert_true(run.seed == new_run.seed);
	assert_int_equal(store_run_count(s, id, &good, &bad, &err), 0);
	assert_int_equal(good, 1);
	assert_int_equal(bad, 1);
	assert_int_equal(store_each_done(s, id, count_done, &done, &err), 0);
	assert_int_equal(done, 2);
	assert_int_equal(store_each_sample(s, id, sum_ok, &sum, &err), 0);
	assert_float_equal(sum, 1.5, 0);
	store_run_release(&run);
	assert_int_equal(store_run_find(s, "nothing", &run, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	store_close(s);
	free(id);
}

static void test_ids_are_unique(void **state)
{
	struct fixture *f = *state;
	struct store_run *runs;
	struct store *s;
	struct error err = ERROR_INIT;
	unsigned count;
	char *id;

	assert_int_equal(store_open(&s, f->path, STORE_WRITE, &err), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(store_run_create(s, &new_run, &id, &err), 0);
		free(id);
	}
	assert_int_equal(store_run_list(s, &runs, &count, &err), 0);
	assert_int_equal(count, 3);
	assert_string_not_equal(runs[0].id, runs[1].id);
	store_runs_free(runs, count);
	store_close(s);
}

static void test_foreign_files(void **state)
{
	struct fixture *f = *state;
	char *text = path_join(f->dir, "text.db"), *other = path_join(f->dir, "other.db");
	struct store *s;
	struct error err = ERROR_INIT;
	sqlite3 *db;

	assert_int_equal(store_open(&s, f->path, STORE_READ, &err), -1);
	assert_non_null(strstr(err.msg, "no database"));
	assert_int_equal(file_write(text, "this is not a database, but long enough to be looked at",
				    55, &err),
			 0);
	assert_int_equal(store_open(&s, text, STORE_WRITE, &err), -1);
	assert_non_null(strstr(err.msg, "not a usable database"));
	assert_int_equal(err.kind, ERROR_FAILED);
	sqlite3_open(other, &db);
	sqlite3_exec(db, "CREATE TABLE mine (x)", NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(store_open(&s, other, STORE_WRITE, &err), -1);
	assert_non_null(strstr(err.msg, "not a schedbench database"));
	free(text);
	free(other);
}

static void test_newer_schema(void **state)
{
	struct fixture *f = *state;
	char *pragma = xasprintf("PRAGMA user_version = %d", store_version + 1);
	struct store *s;
	struct error err = ERROR_INIT;
	sqlite3 *db;

	assert_int_equal(store_open(&s, f->path, STORE_WRITE, &err), 0);
	store_close(s);
	sqlite3_open(f->path, &db);
	sqlite3_exec(db, pragma, NULL, NULL, NULL);
	sqlite3_close(db);
	assert_int_equal(store_open(&s, f->path, STORE_WRITE, &err), -1);
	assert_non_null(strstr(err.msg, "newer schedbench"));
	free(pragma);
}

static int create_run(const char *path)
{
	struct store *s;
	struct error err = ERROR_INIT;
	char *id = NULL;
	int ret = store_open(&s, path, STORE_WRITE, &err);

	if (!ret) {
		ret = store_run_create(s, &new_run, &id, &err);
		store_close(s);
	}
	if (ret)
		print_error("%s\n", err.msg);
	free(id);
	return ret;
}

/* Several programs that all find no database yet: one creates it, all use it. */
static void test_created_by_several_at_once(void **state)
{
	struct fixture *f = *state;

	for (int round = 0; round < 20; round++) {
		char *path = xasprintf("%s/%d.db", f->dir, round);
		pid_t pids[4];
		int status;

		for (int i = 0; i < 4; i++) {
			pids[i] = fork();
			if (!pids[i])
				_exit(create_run(path) != 0);
		}
		for (int i = 0; i < 4; i++) {
			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			assert_int_equal(status, 0);
		}
		free(path);
	}
}

/* As somebody who may read the folder and no more; root may always write, so root becomes nobody. */
static int in_read_only_folder(const char *path, const char *missing)
{
	struct store_run *runs;
	unsigned count = 0;
	struct store *s;
	struct error err = ERROR_INIT;

	if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
		return 1;
	if (store_open(&s, path, STORE_READ, &err) || store_run_list(s, &runs, &count, &err)) {
		print_error("%s\n", err.msg);
		return 2;
	}
	store_runs_free(runs, count);
	if (count != 1)
		return 3;
	store_close(s);
	if (!store_open(&s, path, STORE_WRITE, &err) || !strstr(err.msg, "cannot be written"))
		return 4;
	if (!store_open(&s, missing, STORE_WRITE, &err) || !strstr(err.msg, "Permission denied"))
		return 5;
	return 0;
}

static void test_read_only_folder(void **state)
{
	struct fixture *f = *state;
	char *folder = path_join(f->dir, "a %41?b#c"), *path = path_join(folder, "s.db");
	char *missing = path_join(folder, "missing.db");
	pid_t pid;
	int status;

	assert_int_equal(create_run(path), 0);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	assert_int_equal(chmod(f->dir, 0755), 0);
	pid = fork();
	if (!pid)
		_exit(in_read_only_folder(path, missing));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(WIFEXITED(status));
	free(missing);
	free(path);
	free(folder);
}

static int import_one(struct store *s, struct error *err)
{
	struct import imp = {.name = xstrdup("imported"),
			     .title = xstrdup("Imported"),
			     .workload = xstrdup("elsewhere"),
			     .axis = xstrdup("case"),
			     .origin = xstrdup("here"),
			     .machine = xstrdup("elsewhere")};
	struct import_sample sample = {.boot = 1, .repetition = IMPORT_NEXT, .value = 2.5};
	struct import_plan *plan = NULL;
	struct strlist ids = STRLIST_INIT;
	int ret;

	sample.variant = import_name(&imp.variants, "a");
	sample.kase = import_name(&imp.cases, "1");
	ret = import_metric(&imp, "time", "s", false, &sample.metric, err);
	import_add(&imp, &sample);
	if (!ret)
		ret = import_plan(&plan, &imp, err);
	if (!ret)
		ret = import_store(s, (const struct import_plan *const *)&plan, 1, &ids, err);
	strlist_release(&ids);
	import_plan_free(plan);
	import_release(&imp);
	return ret;
}

/* A transaction that cannot begin, as in a database that another program has locked. */
static void test_import_that_cannot_begin(void **state)
{
	struct fixture *f = *state;
	struct store *s;
	struct error err = ERROR_INIT;

	assert_int_equal(store_open(&s, f->path, STORE_WRITE, &err), 0);
	assert_int_equal(sql_begin(s, &err), 0);
	assert_int_equal(import_one(s, &err), -1);
	assert_int_equal(err.kind, ERROR_FAILED);
	assert_int_equal(sql_end(s, 0, &err), 0);
	assert_int_equal(import_one(s, &err), 0);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_run_and_resume, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ids_are_unique, setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_newer_schema, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_only_folder, setup, teardown),
		cmocka_unit_test_setup_teardown(test_import_that_cannot_begin, setup, teardown),
		cmocka_unit_test_setup_teardown(test_created_by_several_at_once, setup, teardown),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
