// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"
#include "store/store.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

#define RUN_COLUMNS                                                                                \
	"SELECT run.id, e.name, e.title, e.text, m.name, m.description, m.accel, m.note, "         \
	"run.state,"                                                                               \
	" run.program_version, run.workload_sha256, run.seed, run.boots, run.repetitions,"         \
	" run.started_ns, run.ended_ns"                                                            \
	" FROM run JOIN experiment e ON e.id = run.experiment_id"                                  \
	" JOIN machine m ON m.id = run.machine_id"

static void read_run(sqlite3_stmt *st, struct store_run *run)
{
	char **texts[] = {&run->id,	 &run->experiment,	&run->title,	      &run->text,
			  &run->machine, &run->description,	&run->accel,	      &run->note,
			  &run->state,	 &run->program_version, &run->workload_sha256};
	int n = sizeof(texts) / sizeof(texts[0]);

	for (int i = 0; i < n; i++)
		*texts[i] = sql_text(st, i);
	run->seed = sqlite3_column_int64(st, n);
	run->boots = sqlite3_column_int64(st, n + 1);
	run->repetitions = sqlite3_column_int64(st, n + 2);
	run->started_ns = sqlite3_column_int64(st, n + 3);
	run->ended_ns = sqlite3_column_int64(st, n + 4);
}

void store_run_release(struct store_run *run)
{
	free(run->id);
	free(run->experiment);
	free(run->title);
	free(run->text);
	free(run->machine);
	free(run->description);
	free(run->accel);
	free(run->note);
	free(run->state);
	free(run->program_version);
	free(run->workload_sha256);
	memset(run, 0, sizeof(*run));
}

int store_run_count(struct store *s, const char *run_id, unsigned *good, unsigned *bad,
		    struct error *err)
{
	int64_t n[2];

	if (sql_integer(s, &n[0], err,
			"SELECT count(*) FROM (SELECT DISTINCT s.variant_id, s.boot_number, s.kase,"
			" s.repetition FROM sample s JOIN variant v ON v.id = s.variant_id"
			" WHERE v.run_id = ? AND s.status = 'ok' AND NOT s.warmup)",
			"t", run_id) ||
	    sql_integer(s, &n[1], err,
			"SELECT count(*) FROM sample s JOIN variant v ON v.id = s.variant_id"
			" WHERE v.run_id = ? AND s.status <> 'ok' AND NOT s.warmup",
			"t", run_id))
		return -1;
	*good = n[0];
	*bad = n[1];
	return 0;
}

void store_runs_free(struct store_run *runs, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		store_run_release(&runs[i]);
	free(runs);
}

/* 1: found and read, 0: no row, -1: failed. A second row fails where @unique says so. */
static int read_single(struct store *s, sqlite3_stmt *st, const char *unique, struct store_run *out,
		       struct error *err)
{
	int ret;

	if (!st)
		return -1;
	ret = sql_step(s, st, err);
	if (ret > 0) {
		read_run(st, out);
		if (unique && sql_step(s, st, err) > 0) {
			store_run_release(out);
			ret = error_set(err, ERROR_USAGE,
					"run '%s' could be several (give more of its id)", unique);
		}
	}
	sqlite3_finalize(st);
	return ret;
}

int store_run_find(struct store *s, const char *id, struct store_run *out, struct error *err)
{
	sqlite3_stmt *st;
	int ret;

	if (!strcmp(id, "last")) {
		st = sql_prepare(s, err, RUN_COLUMNS " ORDER BY run.started_ns DESC LIMIT 1", "");
		ret = read_single(s, st, NULL, out, err);
	} else {
		st = sql_prepare(s, err, RUN_COLUMNS " WHERE run.id = ?", "t", id);
		ret = read_single(s, st, NULL, out, err);
	}
	if (!ret && *id && strcmp(id, "last")) {
		st = sql_prepare(s, err, RUN_COLUMNS " WHERE substr(run.id, 1, ?) = ?", "it",
				 (int64_t)strlen(id), id);
		ret = read_single(s, st, id, out, err);
	}
	if (!ret)
		return error_set(err, ERROR_USAGE,
				 "no run '%s' in '%s' (schedbench list runs shows them)", id,
				 s->path);
	return ret < 0 ? -1 : 0;
}

int store_run_find_unfinished(struct store *s, const char *experiment, struct store_run *out,
			      struct error *err)
{
	sqlite3_stmt *st = sql_prepare(s, err,
				       RUN_COLUMNS " WHERE e.name = ? AND run.state <> 'done'"
						   " ORDER BY run.started_ns DESC LIMIT 1",
				       "t", experiment);
	int ret = read_single(s, st, NULL, out, err);

	if (!ret)
		return error_set(err, ERROR_USAGE,
				 "no unfinished run of '%s' in '%s' (schedbench list runs)",
				 experiment, s->path);
	return ret < 0 ? -1 : 0;
}

int store_run_list(struct store *s, struct store_run **out, unsigned *count, struct error *err)
{
	sqlite3_stmt *st = sql_prepare(s, err, RUN_COLUMNS " ORDER BY run.started_ns DESC", "");
	unsigned n = 0, cap = 0;
	int ret;

	*out = NULL;
	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0) {
		xgrow(*out, n, cap);
		read_run(st, &(*out)[n++]);
	}
	sqlite3_finalize(st);
	*count = n;
	return ret;
}

int store_variants(struct store *s, const char *run_id, struct store_variant **out, unsigned *count,
		   struct error *err)
{
	/* The release that really booted, where one did. */
	sqlite3_stmt *st = sql_prepare(
		s, err,
		"SELECT v.name, k.name, coalesce((SELECT b.release FROM boot b"
		" WHERE b.variant_id = v.id AND b.release IS NOT NULL ORDER BY b.id DESC LIMIT 1),"
		" k.release), k.identity, v.settings FROM variant v JOIN kernel k ON k.id = "
		"v.kernel_id"
		" WHERE v.run_id = ? ORDER BY v.position",
		"t", run_id);
	unsigned n = 0, cap = 0;
	int ret;

	*out = NULL;
	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0) {
		xgrow(*out, n, cap);
		(*out)[n++] = (struct store_variant){sql_text(st, 0), sql_text(st, 1),
						     sql_text(st, 2), sql_text(st, 3),
						     sql_text(st, 4)};
	}
	sqlite3_finalize(st);
	*count = n;
	return ret;
}

void store_variants_free(struct store_variant *v, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		free(v[i].name);
		free(v[i].kernel);
		free(v[i].release);
		free(v[i].identity);
		free(v[i].settings);
	}
	free(v);
}

static const char *text(sqlite3_stmt *st, int column)
{
	return (const char *)sqlite3_column_text(st, column);
}

int store_each_done(struct store *s, const char *run_id, store_done_fn fn, void *arg,
		    struct error *err)
{
	sqlite3_stmt *st =
		sql_prepare(s, err,
			    "SELECT DISTINCT v.name, s.boot_number, s.kase, s.repetition,"
			    " s.status = 'ok'"
			    " FROM sample s JOIN variant v ON v.id = s.variant_id"
			    " WHERE v.run_id = ?",
			    "t", run_id);
	int ret;

	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0)
		fn(arg, text(st, 0), sqlite3_column_int64(st, 1), text(st, 2),
		   sqlite3_column_int64(st, 3), sqlite3_column_int(st, 4));
	sqlite3_finalize(st);
	return ret;
}

/* One boot's samples come in order by their index: nothing has to be sorted. */
static int each_of_boot(struct store *s, int64_t boot, const char *variant, unsigned number,
			store_sample_fn fn, void *arg, struct error *err)
{
	sqlite3_stmt *st = sql_prepare(s, err,
				       "SELECT kase, status, reason, metric, unit, better,"
				       " repetition, value, time_ns FROM sample"
				       " WHERE boot_id = ? AND NOT warmup ORDER BY id",
				       "i", boot);
	int ret;

	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0) {
		struct store_sample sample = {.variant = variant,
					      .boot = boot,
					      .boot_number = number,
					      .kase = text(st, 0),
					      .status = text(st, 1),
					      .reason = text(st, 2),
					      .metric = text(st, 3),
					      .unit = text(st, 4),
					      .better = text(st, 5),
					      .repetition = sqlite3_column_int64(st, 6),
					      .value = sqlite3_column_double(st, 7),
					      .time_ns = sqlite3_column_int64(st, 8)};

		fn(arg, &sample);
	}
	sqlite3_finalize(st);
	return ret;
}

int store_each_sample(struct store *s, const char *run_id, store_sample_fn fn, void *arg,
		      struct error *err)
{
	sqlite3_stmt *st = sql_prepare(s, err,
				       "SELECT b.id, v.name, b.number FROM boot b"
				       " JOIN variant v ON v.id = b.variant_id WHERE v.run_id = ?"
				       " ORDER BY b.id",
				       "t", run_id);
	int ret;

	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0) {
		ret = each_of_boot(s, sqlite3_column_int64(st, 0), text(st, 1),
				   sqlite3_column_int64(st, 2), fn, arg, err);
		if (ret)
			break;
	}
	sqlite3_finalize(st);
	return ret;
}

int store_each_counter(struct store *s, const char *run_id, store_counter_fn fn, void *arg,
		       struct error *err)
{
	sqlite3_stmt *st = sql_prepare(s, err,
				       "SELECT v.name, c.kase, c.name, avg(c.value) FROM counter c"
				       " JOIN variant v ON v.id = c.variant_id"
				       " WHERE v.run_id = ? AND NOT c.warmup"
				       " GROUP BY v.id, c.kase, c.name ORDER BY min(c.id)",
				       "t", run_id);
	int ret;

	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0)
		fn(arg, text(st, 0), text(st, 1), text(st, 2), sqlite3_column_double(st, 3));
	sqlite3_finalize(st);
	return ret;
}

int store_each_boot_counter(struct store *s, const char *run_id, store_boot_counter_fn fn,
			    void *arg, struct error *err)
{
	sqlite3_stmt *st = sql_prepare(
		s, err,
		"SELECT v.name, m.boot_id, m.name, sum(m.mean), count(*) FROM"
		" (SELECT c.variant_id, c.boot_id, c.kase, c.name, avg(c.value) AS mean,"
		"  min(c.id) AS first FROM counter c JOIN variant v ON v.id = c.variant_id"
		"  WHERE v.run_id = ? AND NOT c.warmup"
		"  GROUP BY c.variant_id, c.boot_id, c.kase, c.name) m"
		" JOIN variant v ON v.id = m.variant_id"
		" GROUP BY m.variant_id, m.boot_id, m.name ORDER BY m.variant_id, m.boot_id,"
		" min(m.first)",
		"t", run_id);
	int ret;

	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0)
		fn(arg, text(st, 0), sqlite3_column_int64(st, 1), text(st, 2),
		   sqlite3_column_double(st, 3), (unsigned)sqlite3_column_int(st, 4));
	sqlite3_finalize(st);
	return ret;
}

int store_estimate(struct store *s, const char *experiment, const char *machine, double *boot_s,
		   double *repetition_s, struct error *err)
{
	sqlite3_stmt *st = sql_prepare(
		s, err,
		"SELECT avg(b.boot_s), (SELECT avg(x.wall_s) FROM sample x WHERE x.boot_id IN"
		"  (SELECT id FROM boot WHERE variant_id IN (SELECT id FROM variant WHERE run_id IN"
		"   (SELECT run.id FROM run JOIN experiment e ON e.id = run.experiment_id"
		"    JOIN machine m ON m.id = run.machine_id WHERE e.name = ?1 AND m.name = ?2))))"
		" FROM boot b JOIN variant v ON v.id = b.variant_id JOIN run ON run.id = v.run_id"
		" JOIN experiment e ON e.id = run.experiment_id"
		" JOIN machine m ON m.id = run.machine_id WHERE e.name = ?1 AND m.name = ?2",
		"tt", experiment, machine);
	int ret;

	*boot_s = *repetition_s = 0;
	if (!st)
		return -1;
	ret = sql_step(s, st, err);
	if (ret > 0) {
		*boot_s = sqlite3_column_double(st, 0);
		*repetition_s = sqlite3_column_double(st, 1);
	}
	sqlite3_finalize(st);
	return ret < 0 ? -1 : 0;
}

int store_boots(struct store *s, const char *run_id, struct store_boot **out, unsigned *count,
		struct error *err)
{
	sqlite3_stmt *st = sql_prepare(
		s, err,
		"SELECT v.name, b.state, b.reason, b.release, b.number, b.warnings,"
		" (SELECT count(*) FROM (SELECT DISTINCT kase, repetition FROM sample"
		"  WHERE boot_id = b.id)), b.boot_s FROM boot b"
		" JOIN variant v ON v.id = b.variant_id WHERE v.run_id = ? ORDER BY b.id",
		"t", run_id);
	unsigned n = 0, cap = 0;
	int ret;

	*out = NULL;
	if (!st)
		return -1;
	while ((ret = sql_step(s, st, err)) > 0) {
		xgrow(*out, n, cap);
		(*out)[n++] = (struct store_boot){sql_text(st, 0),
						  sql_text(st, 1),
						  sql_text(st, 2),
						  sql_text(st, 3),
						  sqlite3_column_int64(st, 4),
						  sqlite3_column_int64(st, 5),
						  sqlite3_column_int64(st, 6),
						  sqlite3_column_double(st, 7)};
	}
	sqlite3_finalize(st);
	*count = n;
	return ret;
}

void store_boots_free(struct store_boot *boots, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		free(boots[i].variant);
		free(boots[i].state);
		free(boots[i].reason);
		free(boots[i].release);
	}
	free(boots);
}
