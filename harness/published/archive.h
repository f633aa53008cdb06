/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PUBLISHED_ARCHIVE_H
#define SCHEDBENCH_PUBLISHED_ARCHIVE_H

#include "published/published.h"
#include "util/strlist.h"

/*
 * Published results that are kept: results/published/ID/ with meta.yaml, which says where the
 * figures are from, and one TABLE.tsv for each table, a line for each value. Figures and names are
 * kept, sentences of mails are not.
 */
struct published_table {
	char *name; /* "tbench", the name of its file and the second part of ID/TABLE */
	char *style, *direction; /* names of the enums */
	char *test, *unit, *statistic;
	char *machine; /* where it is not that of the whole; NULL */
	char **columns;
	unsigned columns_count;
	char *sha256; /* of the TSV file */
	struct table table;
};

struct published {
	char *id;
	char *title, *author, *date;
	char *message_id; /* NULL: the archive does not say it */
	char *source; /* name of the mail's file */
	char *machine; /* as the mail describes it; NULL */
	char **kernels; /* what the columns are; NULL */
	unsigned kernels_count;
	struct published_table *tables;
	unsigned tables_count;
};

/* $SCHEDBENCH_PUBLISHED, else results/published here, in the source tree, or installed. The caller
 * frees it. */
char *published_folder(void);

/* Names of all, sorted. */
int published_ids(struct strlist *ids, struct error *err);

/* Read @id; errors name file and line. The tables are checked as table_check() does. */
int published_load(struct published **out, const char *id, struct error *err);
void published_free(struct published *p);
void published_free_tables(struct published_table *tables, unsigned count);

/* Table @name, NULL: none of that name. */
const struct published_table *published_find(const struct published *p, const char *name);

/* Write @p to the folder; an ID that is there already is an error unless @replace. */
int published_save(const struct published *p, bool replace, struct error *err);

/*
 * What an import is told besides the mail: "title=...", "author=...", "date=...", "message-id=...",
 * "machine=...", "kernels=A;B", and of table N (from 1, as `mail tables` prints them) "N.name=...",
 * "N.test=...", "N.unit=...", "N.statistic=...", "N.direction=...", "N.machine=...",
 * "N.columns=A,B", "N.skip=yes".
 */
int published_import(struct published **out, const char *id, const struct mailbox *box,
		     const struct strlist *sets, struct error *err);

/*
 * Do figures and meta data agree with each other? ERROR_BAD_NEWS where they do not. What is odd but
 * printed so in the mail, a change that does not follow, is added to @remarks.
 */
int published_verify(const struct published *p, struct strlist *remarks, struct error *err);

/* Does the mail say what is kept? ERROR_BAD_NEWS with the first row that is not in it. */
int published_compare(const struct published *p, const struct mailbox *box, struct error *err);

json_t *published_json(const struct published *p);
void published_text(const struct published *p, struct strbuf *out); /* without the tables */
void published_table_text(const struct published *p, const struct published_table *t,
			  struct strbuf *out);

/* The rows of a table as TSV, and back; @path is for messages. */
void published_tsv(const struct table *t, struct strbuf *out);
int published_parse_tsv(struct table *t, const char *path, const char *text, struct error *err);

bool table_style_from_name(const char *name, enum table_style *style);
bool direction_from_name(const char *name, enum direction *direction);

#endif
