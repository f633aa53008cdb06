// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/schema.h"
#include "store/sql.h"
#include "store/store.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

#define BUSY_TIMEOUT_MS 10000

static int migrate(struct store *s, struct error *err)
{
	char *pragma = xasprintf("PRAGMA user_version = %d; PRAGMA application_id = %d",
				 store_version, STORE_APPLICATION_ID);
	int64_t from = 0;
	int ret = sql_begin(s, err);

	/* Only under the lock: another program may have migrated since this one looked. */
	if (!ret)
		ret = sql_integer(s, &from, err, "PRAGMA user_version", "");
	for (int64_t v = from; !ret && v < store_version; v++)
		if (sqlite3_exec(s->db, store_migrations[v], NULL, NULL, NULL) != SQLITE_OK)
			ret = sql_error(s, err);
	if (!ret && sqlite3_exec(s->db, pragma, NULL, NULL, NULL) != SQLITE_OK)
		ret = sql_error(s, err);
	free(pragma);
	return sql_end(s, ret, err);
}

/*
 * Tell an empty file, our own of any age, and somebody else's apart before touching anything. The
 * tables are counted first: where another program creates them just now, the other two are set in
 * the same transaction and read as set.
 */
static int check_schema(struct store *s, enum store_mode mode, struct error *err)
{
	int64_t id, version, tables;

	if (sql_integer(s, &tables, err, "SELECT count(*) FROM sqlite_master", "") ||
	    sql_integer(s, &id, err, "PRAGMA application_id", "") ||
	    sql_integer(s, &version, err, "PRAGMA user_version", ""))
		return -1;
	if (id != STORE_APPLICATION_ID && (tables || mode == STORE_READ))
		return error_set(err, ERROR_FAILED, "'%s' is not a schedbench database", s->path);
	if (version > store_version)
		return error_set(
			err, ERROR_FAILED,
			"'%s' was written by a newer schedbench (schema %d, this one knows %d)",
			s->path, (int)version, store_version);
	if (version == store_version)
		return 0;
	if (mode == STORE_READ)
		return error_set(err, ERROR_FAILED,
				 "'%s' has the schema of an older schedbench (any run migrates it)",
				 s->path);
	return migrate(s, err);
}

/*
 * A database in WAL mode needs files beside it even to be read. Where they cannot be made, and no
 * log holds what others have not yet put into the file, the file alone is all there is: read it as
 * one that nobody changes.
 */
static char *unchanging_uri(const char *path)
{
	struct strbuf uri = STRBUF_INIT;

	strbuf_addstr(&uri, path[0] == '/' ? "file://" : "file:");
	for (const char *c = path; *c; c++) {
		if (strchr("%?#", *c))
			strbuf_addf(&uri, "%%%02x", (unsigned)*c);
		else
			strbuf_addch(&uri, *c);
	}
	strbuf_addstr(&uri, "?immutable=1");
	return strbuf_detach(&uri);
}

static bool wants_unchanging(struct store *s)
{
	char *log = xasprintf("%s-wal", s->path);
	struct stat st;
	bool folder = access(s->directory, W_OK) == 0;
	bool logged = stat(log, &st) == 0 && st.st_size > 0;

	free(log);
	return !folder && !logged;
}

static int open_to_read(struct store *s)
{
	char *uri;
	int rc;

	if (!wants_unchanging(s)) {
		rc = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE, NULL);
		if (rc == SQLITE_OK)
			return rc;
		sqlite3_close(s->db);
		return sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READONLY, NULL);
	}
	uri = unchanging_uri(s->path);
	rc = sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	free(uri);
	return rc;
}

static int connect_database(struct store *s, enum store_mode mode, struct error *err)
{
	int rc = mode == STORE_READ
			 ? open_to_read(s)
			 : sqlite3_open_v2(s->path, &s->db,
					   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	int sys = rc == SQLITE_OK ? 0 : sqlite3_system_errno(s->db);

	/* SQLite's last attempt is to read what is not there, and says no more than that. */
	if (rc != SQLITE_OK && mode == STORE_WRITE && access(s->directory, W_OK))
		sys = errno;
	if (rc != SQLITE_OK)
		return error_set(err, ERROR_FAILED,
				 "cannot open database '%s': %s (give another one with --db)",
				 s->path, sys ? strerror(sys) : sqlite3_errmsg(s->db));
	sqlite3_busy_timeout(s->db, BUSY_TIMEOUT_MS);
	return 0;
}

/* SQLite does not wait for the lock that a change of the journal mode takes: wait here. */
static int use_wal(struct store *s, struct error *err)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	double end = monotonic_s() + BUSY_TIMEOUT_MS / 1000.0;
	int ret;

	while ((ret = sql_run(s, err, "PRAGMA journal_mode = WAL", "")) &&
	       sqlite3_errcode(s->db) == SQLITE_BUSY && monotonic_s() < end)
		nanosleep(&pause, NULL);
	return ret;
}

int store_open(struct store **out, const char *path, enum store_mode mode, struct error *err)
{
	struct store *s;
	int ret = 0;

	if (mode == STORE_READ && access(path, F_OK))
		return error_set(err, ERROR_FAILED,
				 "no database '%s' (nothing was run yet, or "
				 "give another one with --db)",
				 path);
	s = xcalloc(1, sizeof(*s));
	s->path = xstrdup(path);
	s->directory = path_dirname(path);
	if (mode == STORE_WRITE)
		ret = make_directories(s->directory, err);
	if (!ret)
		ret = connect_database(s, mode, err);
	if (!ret)
		ret = check_schema(s, mode, err);
	if (!ret && mode == STORE_WRITE)
		ret = use_wal(s, err);
	if (!ret && (sql_run(s, err, "PRAGMA synchronous = FULL", "") ||
		     sql_run(s, err, "PRAGMA foreign_keys = ON", "")))
		ret = -1;
	if (ret) {
		store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	free(s->path);
	free(s->directory);
	free(s);
}

const char *store_directory(const struct store *s)
{
	return s->directory;
}

int store_bulk_begin(struct store *s, struct error *err)
{
	int ret = sql_begin(s, err);

	s->bulk = !ret;
	return ret;
}

int store_bulk_end(struct store *s, int ret, struct error *err)
{
	s->bulk = false;
	return sql_end(s, ret, err);
}

/* 20261130-224952-NAME, and -2, -3 ... where that is taken. */
static char *new_run_id(struct store *s, const char *experiment, struct error *err)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm tm;
	int64_t taken;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (int n = 1;; n++) {
		char *id = n == 1 ? xasprintf("%s-%s", stamp, experiment)
				  : xasprintf("%s-%s-%d", stamp, experiment, n);

		if (sql_integer(s, &taken, err, "SELECT count(*) FROM run WHERE id = ?", "t", id)) {
			free(id);
			return NULL;
		}
		if (!taken)
			return id;
		free(id);
	}
}

static int add_variant(struct store *s, const char *run_id, unsigned position,
		       const struct store_new_variant *v, struct error *err)
{
	if (sql_run(s, err,
		    "INSERT OR IGNORE INTO kernel (name, release, identity) VALUES (?, ?, ?)",
		    "ttt", v->kernel, v->release, v->identity))
		return -1;
	return sql_run(s, err,
		       "INSERT INTO variant (run_id, position, name, kernel_id, settings)"
		       " SELECT ?, ?, ?, id, ? FROM kernel"
		       " WHERE name = ? AND release = ? AND identity = ?",
		       "tuttttt", run_id, position, v->name, v->settings, v->kernel, v->release,
		       v->identity);
}

static int insert_run(struct store *s, const struct store_new_run *run, const char *id,
		      struct error *err)
{
	if (sql_run(s, err, "INSERT OR IGNORE INTO experiment (name, title, text) VALUES (?, ?, ?)",
		    "ttt", run->experiment, run->title, run->text) ||
	    sql_run(s, err,
		    "INSERT OR IGNORE INTO machine (name, description, accel, note)"
		    " VALUES (?, ?, '', '')",
		    "tt", run->machine, run->description))
		return -1;
	if (sql_run(s, err,
		    "INSERT INTO run (id, experiment_id, machine_id, state, seed, boots, "
		    "repetitions,"
		    " program_version, workload_sha256, started_ns)"
		    " SELECT ?, e.id, m.id, 'running', ?, ?, ?, ?, ?, ? FROM experiment e, machine "
		    "m"
		    " WHERE e.text = ? AND m.name = ? AND m.description = ? AND m.accel = ''"
		    " AND m.note = ''",
		    "tiuuttittt", id, (int64_t)run->seed, run->boots, run->repetitions,
		    run->program_version, run->workload_sha256, realtime_ns(), run->text,
		    run->machine, run->description))
		return -1;
	for (unsigned i = 0; i < run->variants_count; i++)
		if (add_variant(s, id, i, &run->variants[i], err))
			return -1;
	return 0;
}

int store_run_create(struct store *s, const struct store_new_run *run, char **id, struct error *err)
{
	int ret = sql_begin(s, err);

	if (ret)
		return -1;
	*id = new_run_id(s, run->experiment, err);
	if (!*id || insert_run(s, run, *id, err))
		ret = -1;
	ret = sql_end(s, ret, err);
	if (ret) {
		free(*id);
		*id = NULL;
	}
	return ret;
}

int store_run_set_accel(struct store *s, const char *run_id, const char *accel, const char *note,
			struct error *err)
{
	if (sql_run(s, err,
		    "INSERT OR IGNORE INTO machine (name, description, accel, note)"
		    " SELECT m.name, m.description, ?, ? FROM machine m"
		    " JOIN run ON run.machine_id = m.id WHERE run.id = ?",
		    "ttt", accel, note, run_id))
		return -1;
	return sql_run(s, err,
		       "UPDATE run SET machine_id = (SELECT n.id FROM machine n, machine m"
		       " WHERE m.id = run.machine_id AND n.name = m.name"
		       " AND n.description = m.description AND n.accel = ? AND n.note = ?)"
		       " WHERE id = ?",
		       "ttt", accel, note, run_id);
}

int store_run_set_state(struct store *s, const char *run_id, const char *state, struct error *err)
{
	return sql_run(s, err, "UPDATE run SET state = ?, ended_ns = ? WHERE id = ?", "tit", state,
		       strcmp(state, "running") ? realtime_ns() : (int64_t)0, run_id);
}

int store_boot_begin(struct store *s, const char *run_id, const char *variant, unsigned number,
		     int64_t *boot, struct error *err)
{
	if (sql_run(s, err,
		    "INSERT INTO boot (variant_id, number, started_ns)"
		    " SELECT id, ?, ? FROM variant WHERE run_id = ? AND name = ?",
		    "uitt", number, realtime_ns(), run_id, variant))
		return -1;
	*boot = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_boot_facts(struct store *s, int64_t boot, const struct store_boot_facts *facts,
		     struct error *err)
{
	return sql_run(s, err,
		       "UPDATE boot SET release = ?, version = ?, cmdline = ?, features = ?,"
		       " hwloc_xml = ?, boot_s = ? WHERE id = ?",
		       "tttttdi", facts->release, facts->version, facts->cmdline, facts->features,
		       facts->hwloc_xml, facts->boot_s, boot);
}

int store_boot_end(struct store *s, int64_t boot, const char *state, const char *reason,
		   unsigned warnings, struct error *err)
{
	return sql_run(s, err,
		       "UPDATE boot SET state = ?, reason = ?, warnings = ?, ended_ns = ?"
		       " WHERE id = ?",
		       "ttuii", state, reason, warnings, realtime_ns(), boot);
}

int store_boots_abandon(struct store *s, const char *run_id, struct error *err)
{
	return sql_run(s, err,
		       "UPDATE boot SET state = 'aborted', ended_ns = ?,"
		       " reason = 'schedbench ended before the boot did'"
		       " WHERE ended_ns IS NULL AND variant_id IN"
		       " (SELECT id FROM variant WHERE run_id = ?)",
		       "it", realtime_ns(), run_id);
}

static int add_artifact(struct store *s, int64_t boot, const struct store_repetition *rep,
			const struct store_artifact *a, struct error *err)
{
	if (!rep)
		return sql_run(s, err,
			       "INSERT INTO artifact (boot_id, kind, path, sha256, bytes)"
			       " VALUES (?, ?, ?, ?, ?)",
			       "ittti", boot, a->kind, a->path, a->sha256, a->bytes);
	return sql_run(s, err,
		       "INSERT INTO artifact (boot_id, kase, repetition, kind, path, sha256, bytes)"
		       " VALUES (?, ?, ?, ?, ?, ?, ?)",
		       "ituttti", boot, rep->kase, rep->repetition, a->kind, a->path, a->sha256,
		       a->bytes);
}

int store_artifact_add(struct store *s, int64_t boot, const struct store_artifact *artifact,
		       struct error *err)
{
	return add_artifact(s, boot, NULL, artifact, err);
}

static int add_sample(struct store *s, int64_t boot, const struct store_repetition *rep,
		      const struct store_value *v, int64_t time_ns, struct error *err)
{
	const char *sql =
		v ? "INSERT INTO sample (boot_id, variant_id, boot_number, kase, repetition,"
		    " warmup, status, reason, wall_s, user_s, system_s, max_rss_kb,"
		    " voluntary_switches, involuntary_switches, time_ns, metric, unit, better, "
		    "value)"
		    " SELECT id, variant_id, number, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
		    " FROM boot WHERE id = ?"
		  : "INSERT INTO sample (boot_id, variant_id, boot_number, kase, repetition,"
		    " warmup, status, reason, wall_s, user_s, system_s, max_rss_kb,"
		    " voluntary_switches, involuntary_switches, time_ns)"
		    " SELECT id, variant_id, number, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
		    " FROM boot WHERE id = ?";

	if (!v)
		return sql_run(s, err, sql, "tuuttdddiiiii", rep->kase, rep->repetition,
			       (unsigned)rep->warmup, rep->status, rep->reason, rep->wall_s,
			       rep->user_s, rep->system_s, rep->max_rss_kb, rep->voluntary_switches,
			       rep->involuntary_switches, time_ns, boot);
	return sql_run(s, err, sql, "tuuttdddiiiitttdi", rep->kase, rep->repetition,
		       (unsigned)rep->warmup, rep->status, rep->reason, rep->wall_s, rep->user_s,
		       rep->system_s, rep->max_rss_kb, rep->voluntary_switches,
		       rep->involuntary_switches, time_ns, v->metric, v->unit, v->better, v->value,
		       boot);
}

static int add_counter(struct store *s, int64_t boot, const struct store_repetition *rep,
		       const struct store_counter *c, struct error *err)
{
	return sql_run(s, err,
		       "INSERT INTO counter (boot_id, variant_id, kase, repetition, warmup, name,"
		       " value) SELECT id, variant_id, ?, ?, ?, ?, ? FROM boot WHERE id = ?",
		       "tuutdi", rep->kase, rep->repetition, (unsigned)rep->warmup, c->name,
		       c->value, boot);
}

int store_repetition_add(struct store *s, int64_t boot, const struct store_repetition *rep,
			 struct error *err)
{
	int64_t time_ns = realtime_ns();
	int ret = sql_begin(s, err);

	if (ret)
		return -1;
	if (!rep->values_count)
		ret = add_sample(s, boot, rep, NULL, time_ns, err);
	for (unsigned i = 0; !ret && i < rep->values_count; i++)
		ret = add_sample(s, boot, rep, &rep->values[i], time_ns, err);
	for (unsigned i = 0; !ret && i < rep->counters_count; i++)
		ret = add_counter(s, boot, rep, &rep->counters[i], err);
	for (unsigned i = 0; !ret && i < rep->artifacts_count; i++)
		ret = add_artifact(s, boot, rep, &rep->artifacts[i], err);
	return sql_end(s, ret, err);
}
