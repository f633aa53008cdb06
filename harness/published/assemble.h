/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PUBLISHED_ASSEMBLE_H
#define SCHEDBENCH_PUBLISHED_ASSEMBLE_H

#include "published/rows.h"

/* What the lines around a table say of it. */
struct context {
	char *test, *unit, *statistic; /* of a block of "Test : x" lines; NULL: none */
	enum direction direction;
	bool block; /* the fields are of a block, and hold until prose follows its table */
	bool used; /* rows of that table have been read */
	char *benchmark; /* the last one that prose has named; NULL: none */
};

void context_line(struct context *c, const char *text);
/* A line that is no row. */
void context_prose(struct context *c, const char *text);
void context_release(struct context *c);

/* Heading, columns and what @c says, for the table whose first row is line @first of @scan. */
void table_describe(struct table *t, const struct scan *scan, unsigned first,
		    const struct context *c);

/* Append a row; returns it. */
struct row *table_add_row(struct table *t, const struct parsed *p, unsigned line);
void table_release(struct table *t);
void table_set_column(struct table *t, unsigned i, const char *name, size_t len);

/* Figures in sentences: tables of one row, from line @i on. Returns the lines taken, 0: none. */
unsigned prose_read(struct table *t, const struct scan *scan, unsigned i);

/* Compute what can be computed, and flag what does not follow. */
void table_check(struct table *t);

/* Is row @r of table @of, with all its figures, a row of @t too? */
bool table_has_row(const struct table *t, const struct table *of, const struct row *r);

/* Put together the copies of a table: the first one stays, with the places of all. */
void tables_join_copies(struct tables *tables);

#endif
