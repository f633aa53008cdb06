// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>

#include "store/sql.h"
#include "util/xalloc.h"

int sql_error(struct store *s, struct error *err)
{
	int code = sqlite3_errcode(s->db);

	switch (code) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return error_set(err, ERROR_FAILED,
				 "'%s' is not a usable database: %s (give another one with --db)",
				 s->path, sqlite3_errmsg(s->db));
	case SQLITE_FULL:
	case SQLITE_IOERR:
		return error_set(err, ERROR_FAILED,
				 "cannot write to '%s': %s (make room; what is stored is kept)",
				 s->path,
				 code == SQLITE_FULL ? "no space left" : sqlite3_errmsg(s->db));
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return error_set(err, ERROR_FAILED,
				 "'%s' cannot be written: permission denied or mounted read-only "
				 "(give another one with --db)",
				 s->path);
	case SQLITE_BUSY:
		return error_set(err, ERROR_FAILED, "'%s' is locked by another program", s->path);
	default:
		return error_set(err, ERROR_FAILED, "'%s': %s", s->path, sqlite3_errmsg(s->db));
	}
}

static int bind_one(sqlite3_stmt *st, int i, char type, va_list *ap)
{
	switch (type) {
	case 't':
		return sqlite3_bind_text(st, i, va_arg(*ap, const char *), -1, SQLITE_TRANSIENT);
	case 'i':
		return sqlite3_bind_int64(st, i, va_arg(*ap, int64_t));
	case 'u':
		return sqlite3_bind_int64(st, i, va_arg(*ap, unsigned));
	case 'd':
		return sqlite3_bind_double(st, i, va_arg(*ap, double));
	default:
		return SQLITE_MISUSE;
	}
}

static sqlite3_stmt *prepare(struct store *s, struct error *err, const char *sql, const char *types,
			     va_list *ap)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

	for (int i = 1; rc == SQLITE_OK && *types; types++, i++)
		rc = bind_one(st, i, *types, ap);
	if (rc == SQLITE_OK)
		return st;
	sql_error(s, err);
	sqlite3_finalize(st);
	return NULL;
}

sqlite3_stmt *sql_prepare(struct store *s, struct error *err, const char *sql, const char *types,
			  ...)
{
	sqlite3_stmt *st;
	va_list ap;

	va_start(ap, types);
	st = prepare(s, err, sql, types, &ap);
	va_end(ap);
	return st;
}

int sql_step(struct store *s, sqlite3_stmt *st, struct error *err)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : sql_error(s, err);
}

int sql_run(struct store *s, struct error *err, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int ret;

	va_start(ap, types);
	st = prepare(s, err, sql, types, &ap);
	va_end(ap);
	if (!st)
		return -1;
	do
		ret = sql_step(s, st, err);
	while (ret > 0);
	sqlite3_finalize(st);
	return ret;
}

int sql_integer(struct store *s, int64_t *out, struct error *err, const char *sql,
		const char *types, ...)
{
	sqlite3_stmt *st;
	va_list ap;
	int ret;

	va_start(ap, types);
	st = prepare(s, err, sql, types, &ap);
	va_end(ap);
	if (!st)
		return -1;
	ret = sql_step(s, st, err);
	*out = ret > 0 ? sqlite3_column_int64(st, 0) : 0;
	sqlite3_finalize(st);
	return ret < 0 ? -1 : 0;
}

int sql_begin(struct store *s, struct error *err)
{
	return s->bulk ? 0 : sql_run(s, err, "BEGIN IMMEDIATE", "");
}

int sql_end(struct store *s, int ret, struct error *err)
{
	struct error ignored;

	if (s->bulk)
		return ret;
	if (!ret)
		ret = sql_run(s, err, "COMMIT", "");
	if (ret && !sqlite3_get_autocommit(s->db))
		sql_run(s, &ignored, "ROLLBACK", "");
	return ret;
}

char *sql_text(sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return xstrdup(text ? text : "");
}
