/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PUBLISHED_PUBLISHED_H
#define SCHEDBENCH_PUBLISHED_PUBLISHED_H

#include <jansson.h>
#include <stdbool.h>

#include "mail/mail.h"

/*
 * Tables of results as people send them to the lists. A table has columns (kernels) and rows
 * (cases); every row knows the line of the file that it stands on, every cell the number as it is
 * printed. Changes that can be computed from the printed values are, and rows whose printed change
 * does not follow from them, within what rounding allows, are flagged.
 */
enum table_style {
	STYLE_MMTESTS, /* Hmean 1 500.06 ( 0.00%) 505.67 * 1.12%* */
	STYLE_OPS, /* Ops SIS Scanned 1.00 2.00 */
	STYLE_AMD, /* 1-groups 1.00 [ -0.00]( 1.89) 1.10 [-10.28]( 2.03) */
	STYLE_COLON, /* 1: 327.28 372.46 ( 13.80%) */
	STYLE_INTEL, /* TCP_RR 56-threads 1.00 ( 2.56) -0.25 ( 3.27) */
	STYLE_LKP, /* 79317172 -34.2% 52217838 +- 3% NAME */
	STYLE_LKP_LIST, /* testcase: change | NAME -19.0% regression */
	STYLE_DEVIATION, /* 16 126.73 +- 0.31% ( ) 315.91 +- 0.66% ( 149.28%) */
	STYLE_BARE, /* Process 10 groups : 0.70, 0.71(-1.43) */
	STYLE_SCHBENCH, /* * 99.0th: 74880 (54 samples) */
	STYLE_VARIANCE, /* NAME : 304931.33 (var: 1.29%) [diff: -1.50%] */
	STYLE_PERCENT, /* 1 CCD 100% 99.18% [%diff: -0.82%] */
	STYLE_COUNTS, /* 88K probe:rebalance_domains_L37 */
	STYLE_PROSE, /* Before patch: ~19.3s; NAME went from 6.03% to 19.61% */
	STYLE_COUNT_OF,
};

const char *table_style_name(enum table_style style);

enum direction {
	DIRECTION_UNKNOWN,
	DIRECTION_LOWER, /* lower is better */
	DIRECTION_HIGHER,
};

const char *direction_name(enum direction direction); /* "unknown", "lower", "higher" */

#define TABLE_MAX_CELLS 16
#define TABLES_MAX	50000 /* copies counted; no thread has as many */
#define CELL_TEXT	32

struct cell {
	char text[CELL_TEXT]; /* the value as printed; "": none */
	double value; /* NaN: none, or printed as such */
	double step; /* of the last printed digit: 0.01 for 1.25, 1000 for 88K */
	unsigned line; /* of the file */
	bool approximate; /* "~19.3s" */
	bool has_change, has_cv, significant, has_recomputed;
	bool flagged; /* the printed change does not follow from the printed values */
	bool absolute; /* the change is a difference, not percent */
	double change, change_step; /* in percent, as printed */
	double cv; /* in percent */
	double recomputed; /* the change that follows from the values, by the row's rule */
};

/* What a printed change says. */
enum change_rule {
	CHANGE_UNKNOWN,
	CHANGE_RELATIVE, /* 100 (new / old - 1) */
	CHANGE_SAVED, /* 100 (1 - new / old): how much less, for lower is better */
};

struct row {
	char *statistic; /* "Hmean"; "" where the style has none */
	char *name; /* case */
	char *group; /* heading that the row stands under; "" */
	char *mark; /* what the author put behind it: "*", "^"; "" */
	char *unit; /* of this row; "" */
	unsigned line;
	enum direction direction;
	enum change_rule rule;
	bool flagged; /* one of its cells is */
	struct cell *cells; /* as many as the table has columns */
};

/* Where a copy of a table stands. */
struct place {
	const struct mailbox *box;
	const struct mail *mail;
	unsigned line; /* of its first row */
	unsigned quoted; /* level of quoting */
};

struct table {
	enum table_style style;
	char *heading; /* the line above it, as written; "" */
	char *test; /* benchmark; "" where the mail does not say it */
	char *unit, *statistic; /* of the table's heading; "" */
	enum direction direction; /* of the heading, or of all rows */
	char *columns[TABLE_MAX_CELLS];
	bool named; /* the mail names the columns */
	unsigned columns_count;
	struct row *rows;
	unsigned rows_count, rows_cap;
	struct place *places; /* where it was found first, then its copies */
	unsigned places_count;
};

struct tables {
	struct table *items;
	unsigned count, cap;
	bool cut; /* there were more than TABLES_MAX, and the rest was left out */
};

/* Every table of @boxes, which have to stay. Code, diffs and prose without figures give none. */
void tables_read(struct tables *tables, const struct mailbox *boxes, unsigned count);
void tables_release(struct tables *tables);

/* An array of tables with everything in them. */
json_t *tables_json(const struct tables *tables);

/* One line for each cell, under a line of headings. */
void tables_tsv(const struct tables *tables, struct strbuf *out);

/* For people: all of it, or the names of the columns and the rows of one. */
void table_text_rows(const struct table *t, struct strbuf *out);
void tables_text(const struct tables *tables, struct strbuf *out);

#endif
