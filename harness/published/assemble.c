// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that stand together become tables. */
#include "published/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

#define MAX_ROWS 1000 /* of a table: none is that long, and looking through it stays cheap */

struct builder {
	struct tables *out;
	const struct mailbox *box;
	const struct scan *scan;
	struct context context;
	struct table *open; /* its rows so far stand right above */
	bool certain; /* one row of it is enough */
	unsigned depth, blanks, others; /* quoting; lines since its last row */
	bool intel; /* a heading of that style has been seen */
	const char *group; /* STYLE_COUNTS: the line that heads the rows */
};

/* Words of a name stand one blank apart, however wide the table was. */
static char *name_of(const struct parsed *p)
{
	struct strbuf name = STRBUF_INIT;

	for (unsigned i = 0; i < p->name_len; i++) {
		bool blank = p->name[i] == ' ' || p->name[i] == '\t';

		if (blank && i + 1 < p->name_len &&
		    (p->name[i + 1] == ' ' || p->name[i + 1] == '\t'))
			continue;
		strbuf_addch(&name, blank ? ' ' : p->name[i]);
	}
	return strbuf_detach(&name);
}

struct row *table_add_row(struct table *t, const struct parsed *p, unsigned line)
{
	struct row *r;

	xgrow(t->rows, t->rows_count, t->rows_cap);
	r = &t->rows[t->rows_count++];
	*r = (struct row){.line = line, .rule = p->rule};
	r->statistic = p->statistic ? xstrndup(p->statistic, p->statistic_len) : xstrdup("");
	r->name = name_of(p);
	r->group = xstrdup("");
	r->mark = p->style == STYLE_LKP_LIST ? xstrndup(p->mark, strcspn(p->mark, " \t"))
					     : xstrdup(p->mark ? p->mark : "");
	r->unit = xstrdup("");
	r->cells =
		xcalloc(p->style == STYLE_VARIANCE ? TABLE_MAX_CELLS : p->count, sizeof(*r->cells));
	for (unsigned i = 0; i < p->count; i++) {
		r->cells[i] = p->cells[i];
		r->cells[i].line = line;
	}
	return r;
}

void table_set_column(struct table *t, unsigned i, const char *name, size_t len)
{
	free(t->columns[i]);
	t->columns[i] = xstrndup(name, len);
}

static void release_row(struct row *r)
{
	free(r->statistic);
	free(r->name);
	free(r->group);
	free(r->mark);
	free(r->unit);
	free(r->cells);
}

void table_release(struct table *t)
{
	for (unsigned i = 0; i < t->rows_count; i++)
		release_row(&t->rows[i]);
	for (unsigned i = 0; i < TABLE_MAX_CELLS; i++)
		free(t->columns[i]);
	free(t->rows);
	free(t->places);
	free(t->heading);
	free(t->test);
	free(t->unit);
	free(t->statistic);
	*t = (struct table){0};
}

void tables_release(struct tables *tables)
{
	for (unsigned i = 0; i < tables->count; i++)
		table_release(&tables->items[i]);
	free(tables->items);
	*tables = (struct tables){0};
}

static void close_table(struct builder *b)
{
	struct table *t = b->open;

	b->open = NULL;
	if (!t)
		return;
	if (b->certain || t->rows_count > 1) {
		t->rows = xreallocarray(t->rows, t->rows_count, sizeof(*t->rows));
		t->rows_cap = t->rows_count;
		table_check(t);
	} else {
		table_release(t);
		b->out->count--;
	}
}

static struct table *new_table(struct builder *b, enum table_style style, unsigned i)
{
	struct table *t;

	xgrow(b->out->items, b->out->count, b->out->cap);
	t = &b->out->items[b->out->count++];
	*t = (struct table){.style = style};
	t->places = xcalloc(1, sizeof(*t->places));
	t->places_count = 1;
	t->places[0] = (struct place){b->box, b->scan->mail, b->scan->lines[i].source,
				      b->scan->lines[i].depth};
	return t;
}

static bool has_row(const struct table *t, const struct parsed *p)
{
	for (unsigned i = 0; i < t->rows_count; i++) {
		const struct row *r = &t->rows[i];

		if (strlen(r->name) == p->name_len && !memcmp(r->name, p->name, p->name_len) &&
		    strlen(r->statistic) == p->statistic_len &&
		    !memcmp(r->statistic, p->statistic ? p->statistic : "", p->statistic_len))
			return true;
	}
	return false;
}

/* Does a row continue the open table? */
static bool continues(const struct builder *b, const struct parsed *p, unsigned depth)
{
	const struct table *t = b->open;

	if (!t || t->style != p->style || b->depth != depth || b->blanks > 1 ||
	    t->rows_count == MAX_ROWS)
		return false;
	if (p->style == STYLE_COUNTS)
		return b->others <= 1 && !b->blanks;
	if (b->others || (p->style != STYLE_VARIANCE && t->columns_count != p->count))
		return false;
	return !b->blanks ||
	       (p->style != STYLE_VARIANCE && p->style != STYLE_LKP_LIST && !has_row(t, p));
}

/* "NAME : value" is a column; the table has one row. */
static void add_column(struct table *t, const struct parsed *p, unsigned line)
{
	struct parsed row = *p;
	unsigned i = t->columns_count;

	if (i == TABLE_MAX_CELLS)
		return;
	if (!t->rows_count) {
		row.name_len = 0;
		table_add_row(t, &row, line);
	}
	table_set_column(t, i, p->name, p->name_len);
	t->rows[0].cells[i] = p->cells[0];
	t->rows[0].cells[i].line = line;
	t->named = true;
	t->columns_count++;
}

static void set_group(struct builder *b, struct row *r)
{
	const char *s = b->group ? skip_blanks(b->group) : "", *remark = strstr(s, "<<");
	size_t n;

	if (remark)
		s = skip_blanks(remark + strspn(remark, "<-"));
	n = strlen(s);
	n -= n && s[n - 1] == ':';
	free(r->group);
	r->group = xstrndup(s, n);
}

/* A row that was wrapped has its cells on several lines; @joined is their text, a blank between. */
static void set_cell_lines(const struct builder *b, struct row *r, const struct parsed *p,
			   unsigned i, const struct strbuf *joined)
{
	for (unsigned k = 0; k < p->count; k++) {
		size_t offset = p->at[k] ? (size_t)(p->at[k] - joined->buf) : 0, end = 0;
		unsigned n = i;

		while ((end += strlen(b->scan->lines[n].text) + 1) <= offset)
			n++;
		r->cells[k].line = b->scan->lines[n].source;
	}
}

/* @joined: the row's text where it is on more than one line, else NULL. */
static void add_row(struct builder *b, const struct parsed *p, unsigned i,
		    const struct strbuf *joined)
{
	const struct scan_line *l = &b->scan->lines[i];

	if (!continues(b, p, l->depth)) {
		close_table(b);
		b->open = new_table(b, p->style, i);
		b->certain = false;
		b->depth = l->depth;
		b->open->columns_count = p->style == STYLE_VARIANCE ? 0 : p->count;
		table_describe(b->open, b->scan, i, &b->context);
	}
	if (p->style == STYLE_VARIANCE) {
		add_column(b->open, p, l->source);
	} else {
		struct row *r = table_add_row(b->open, p, l->source);

		if (p->style == STYLE_COUNTS)
			set_group(b, r);
		if (joined)
			set_cell_lines(b, r, p, i, joined);
	}
	b->certain |= p->certain;
	b->context.used = b->context.block;
	b->blanks = b->others = 0;
}

/* Could the line be the rest of a row that was wrapped? */
static bool may_continue(const struct scan *scan, unsigned i, unsigned depth, bool intel)
{
	const char *s;
	struct parsed own;

	if (i >= scan->count || scan->lines[i].skip || scan->lines[i].depth != depth)
		return false;
	s = skip_blanks(scan->lines[i].text);
	return *s && strchr("+-.0123456789([*)", *s) && !parse_row(s, intel, &own);
}

static unsigned parse_lines(const struct builder *b, unsigned i, unsigned lines, struct parsed *row,
			    struct strbuf *joined)
{
	strbuf_reset(joined);
	for (unsigned n = 0; n < lines; n++)
		strbuf_addf(joined, "%s%s", n ? " " : "", b->scan->lines[i + n].text);
	return parse_row(joined->buf, b->intel, row) ? lines : 0;
}

/*
 * The row that begins on line @i, on as many lines as make it longest, at most three. The text is
 * kept in @joined where it is more than one. Returns the number of lines, 0: no row.
 */
static unsigned read_row(const struct builder *b, unsigned i, struct parsed *row,
			 struct strbuf *joined)
{
	const struct scan_line *l = &b->scan->lines[i];
	unsigned lines = parse_row(l->text, b->intel, row) ? 1 : 0;
	unsigned known = b->open && b->open->style != STYLE_VARIANCE ? b->open->columns_count : 0;

	strbuf_reset(joined);
	if (!strpbrk(l->text, "0123456789") || (lines && row->count == known))
		return lines;
	strbuf_addstr(joined, l->text);
	for (unsigned n = 1; n < 3 && may_continue(b->scan, i + n, l->depth, b->intel); n++) {
		struct parsed longer;

		strbuf_addf(joined, " %s", b->scan->lines[i + n].text);
		if (!parse_row(joined->buf, b->intel, &longer) || !longer.certain ||
		    (lines && (longer.count <= row->count || longer.style != row->style)))
			continue;
		lines = n + 1;
		*row = longer; /* its counts; the text may move */
	}
	return lines > 1 ? parse_lines(b, i, lines, row, joined) : lines;
}

static bool is_rule(const char *s)
{
	s = skip_blanks(s);
	return strlen(s) >= 4 && (!s[strspn(s, "-")] || !s[strspn(s, "=")]);
}

static bool is_intel_heading(const char *s)
{
	return strstr(s, "std%)") && strstr(s, "ompare");
}

/* A line that is no row. */
static void other_line(struct builder *b, unsigned i)
{
	const struct scan_line *l = &b->scan->lines[i];

	if (text_is_blank(l->text)) {
		b->blanks++;
		b->intel = false;
		return;
	}
	b->intel = is_intel_heading(l->text);
	/* A rule under a line makes it the heading of another table. */
	if (is_rule(l->text) && b->open && b->open->style == STYLE_COUNTS)
		close_table(b);
	b->group = l->text;
	b->others++;
	context_prose(&b->context, l->text);
	context_line(&b->context, l->text);
}

static unsigned read_prose(struct builder *b, unsigned i)
{
	struct table t = {.style = STYLE_PROSE}, *kept;
	unsigned lines = prose_read(&t, b->scan, i);

	if (!lines)
		return 0;
	close_table(b);
	kept = new_table(b, STYLE_PROSE, i);
	t.places = kept->places;
	t.places_count = 1;
	if (b->context.benchmark) {
		free(t.test);
		t.test = xstrdup(b->context.benchmark);
	}
	*kept = t;
	table_check(kept);
	return lines;
}

static void read_lines(struct builder *b)
{
	struct strbuf joined = STRBUF_INIT;
	struct parsed row;

	for (unsigned i = 0; i < b->scan->count && b->out->count < TABLES_MAX; i++) {
		const struct scan_line *l = &b->scan->lines[i];
		unsigned lines = l->skip ? 0 : read_row(b, i, &row, &joined);

		if (b->open && l->depth != b->depth && *l->text)
			close_table(b);
		if (lines) {
			add_row(b, &row, i, lines > 1 ? &joined : NULL);
			i += lines - 1;
			continue;
		}
		lines = l->skip ? 0 : read_prose(b, i);
		if (lines > 1)
			i += lines - 1;
		if (!lines)
			other_line(b, i);
	}
	close_table(b);
	strbuf_release(&joined);
}

static void read_box(struct tables *tables, const struct mailbox *box)
{
	for (unsigned i = 0; i < box->count; i++) {
		struct scan scan;
		struct builder b = {.out = tables, .scan = &scan, .box = box};

		scan_mail(&scan, &box->mails[i]);
		read_lines(&b);
		context_release(&b.context);
		scan_release(&scan);
	}
}

void tables_read(struct tables *tables, const struct mailbox *boxes, unsigned count)
{
	*tables = (struct tables){0};
	for (unsigned i = 0; i < count; i++)
		read_box(tables, &boxes[i]);
	tables->cut = tables->count >= TABLES_MAX;
	tables_join_copies(tables);
}
