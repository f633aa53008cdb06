/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_STORE_SQL_H
#define SCHEDBENCH_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/* What the files of this folder share; nothing outside includes it. */
struct store {
	sqlite3 *db;
	char *path;
	char *directory;
	bool bulk; /* between store_bulk_begin() and _end(): one transaction around all others */
};

/* Set @err from the database's last error, with the remedy where there is one. */
int sql_error(struct store *s, struct error *err);

/*
 * Prepare @sql and bind one argument for each letter of @types: t const char * (NULL is NULL),
 * i int64_t, u unsigned, d double. NULL with @err set.
 */
sqlite3_stmt *sql_prepare(struct store *s, struct error *err, const char *sql, const char *types,
			  ...);

/* Prepare, run to the end and finalize. */
int sql_run(struct store *s, struct error *err, const char *sql, const char *types, ...);

/* 1: a row, 0: the end, -1: @err set. */
int sql_step(struct store *s, sqlite3_stmt *st, struct error *err);

/* The single integer that a query yields; 0 where it yields no row or NULL. */
int sql_integer(struct store *s, int64_t *out, struct error *err, const char *sql,
		const char *types, ...);

int sql_begin(struct store *s, struct error *err);
/* Commit when @ret is 0, else roll back and keep @err; returns @ret or -1. */
int sql_end(struct store *s, int ret, struct error *err);

/* A copy of a text column, "" for NULL. */
char *sql_text(sqlite3_stmt *st, int column);

#endif
