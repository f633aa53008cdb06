// SPDX-License-Identifier: GPL-2.0-or-later
/* Published results against themselves, and against the mail that they are from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "published/archive.h"
#include "published/assemble.h"
#include "util/file.h"
#include "util/xalloc.h"

static int differ(const struct published *p, const struct published_table *t, struct error *err,
		  const char *what)
{
	return error_set(err, ERROR_BAD_NEWS, "%s/%s: %s", p->id, t->name, what);
}

static int check_sum(const struct published *p, const struct published_table *t, struct error *err)
{
	struct strbuf tsv = STRBUF_INIT;
	char hex[SHA256_HEX_SIZE];

	published_tsv(&t->table, &tsv);
	data_sha256(tsv.buf, tsv.len, hex);
	strbuf_release(&tsv);
	if (strcmp(hex, t->sha256))
		return differ(p, t, err, "the figures are not those that were imported (sha256)");
	return 0;
}

static bool same_case(const struct row *a, const struct row *b)
{
	return !strcmp(a->group, b->group) && !strcmp(a->statistic, b->statistic) &&
	       !strcmp(a->name, b->name);
}

/* 0-day lists one metric under several parameters; elsewhere a case is one row. */
static int check_cases(const struct published *p, const struct published_table *t,
		       struct error *err)
{
	const struct table *table = &t->table;

	for (unsigned i = 0; table->style != STYLE_LKP_LIST && i < table->rows_count; i++)
		for (unsigned k = 0; k < i; k++)
			if (same_case(&table->rows[i], &table->rows[k]))
				return differ(p, t, err, "a case has two rows");
	return 0;
}

static const struct row *find_row(const struct table *t, const char *name)
{
	for (unsigned i = 0; i < t->rows_count; i++)
		if (!strcmp(t->rows[i].name, name))
			return &t->rows[i];
	return NULL;
}

/* Counters of which one is the sum of two others. */
static int check_sums(const struct published *p, const struct published_table *t, struct error *err)
{
	const struct row *sum = find_row(&t->table, "SIS Recent Attempts");
	const struct row *hit = find_row(&t->table, "SIS Recent Used Hit");
	const struct row *miss = find_row(&t->table, "SIS Recent Used Miss");

	if (!sum || !hit || !miss)
		return 0;
	for (unsigned i = 0; i < t->columns_count; i++)
		if (fabs(sum->cells[i].value - hit->cells[i].value - miss->cells[i].value) >
		    1.5 * sum->cells[i].step)
			return differ(p, t, err,
				      "SIS Recent Attempts is not the sum of hits and misses");
	return 0;
}

static void remark_rows(const struct published *p, const struct published_table *t,
			struct strlist *remarks)
{
	for (unsigned i = 0; i < t->table.rows_count; i++) {
		const struct row *r = &t->table.rows[i];

		if (r->flagged)
			strlist_addf(remarks,
				     "%s/%s: %s%s%s: the printed change does not follow from the "
				     "values (line %u)",
				     p->id, t->name, r->statistic, *r->statistic ? " " : "",
				     r->name, r->line);
	}
}

int published_verify(const struct published *p, struct strlist *remarks, struct error *err)
{
	for (unsigned i = 0; i < p->tables_count; i++) {
		const struct published_table *t = &p->tables[i];

		if (check_sum(p, t, err) || check_cases(p, t, err) || check_sums(p, t, err))
			return -1;
		remark_rows(p, t, remarks);
	}
	return 0;
}

static bool in_any(const struct tables *tables, const struct table *of, const struct row *r)
{
	for (unsigned i = 0; i < tables->count; i++)
		if (table_has_row(&tables->items[i], of, r))
			return true;
	return false;
}

int published_compare(const struct published *p, const struct mailbox *box, struct error *err)
{
	struct tables tables;
	int ret = 0;

	tables_read(&tables, box, 1);
	for (unsigned i = 0; !ret && i < p->tables_count; i++) {
		const struct table *t = &p->tables[i].table;

		for (unsigned r = 0; !ret && r < t->rows_count; r++)
			if (!in_any(&tables, t, &t->rows[r]))
				ret = error_set(
					err, ERROR_BAD_NEWS,
					"%s/%s: row '%s%s%s' is not in '%s' with these figures",
					p->id, p->tables[i].name, t->rows[r].statistic,
					*t->rows[r].statistic ? " " : "", t->rows[r].name,
					box->path);
	}
	tables_release(&tables);
	return ret;
}
