// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mail/codec.h"
#include "published/published.h"
#include "published/scan.h"

const char *table_style_name(enum table_style style)
{
	static const char *const names[STYLE_COUNT_OF] = {
		"mmtests",   "ops",  "amd",	 "colon",    "intel",	"lkp",	  "lkp-list",
		"deviation", "bare", "schbench", "variance", "percent", "counts", "prose"};

	return names[style];
}

const char *direction_name(enum direction direction)
{
	static const char *const names[] = {"unknown", "lower", "higher"};

	return names[direction];
}

static const char *rule_name(enum change_rule rule)
{
	static const char *const names[] = {"unknown", "relative", "saved"};

	return names[rule];
}

static json_t *text_json(const char *s)
{
	char *clean = utf8_clean(s, strlen(s));
	json_t *j = json_string(clean);

	free(clean);
	return j;
}

static json_t *number_json(bool there, double value)
{
	return there && isfinite(value) ? json_real(value) : json_null();
}

static json_t *cell_json(const struct cell *c)
{
	json_t *o = json_object();

	json_object_set_new(o, "text", json_string(c->text));
	json_object_set_new(o, "value", number_json(*c->text, c->value));
	json_object_set_new(o, "change", number_json(c->has_change, c->change));
	json_object_set_new(o, "absolute", json_boolean(c->absolute));
	json_object_set_new(o, "recomputed", number_json(c->has_recomputed, c->recomputed));
	json_object_set_new(o, "cv", number_json(c->has_cv, c->cv));
	json_object_set_new(o, "significant", json_boolean(c->significant));
	json_object_set_new(o, "flagged", json_boolean(c->flagged));
	json_object_set_new(o, "approximate", json_boolean(c->approximate));
	json_object_set_new(o, "line", json_integer(c->line));
	return o;
}

static json_t *row_json(const struct table *t, const struct row *r)
{
	json_t *o = json_object(), *cells = json_array();

	for (unsigned i = 0; i < t->columns_count; i++)
		json_array_append_new(cells, cell_json(&r->cells[i]));
	json_object_set_new(o, "statistic", text_json(r->statistic));
	json_object_set_new(o, "name", text_json(r->name));
	json_object_set_new(o, "group", text_json(r->group));
	json_object_set_new(o, "unit", text_json(r->unit));
	json_object_set_new(o, "mark", text_json(r->mark));
	json_object_set_new(o, "line", json_integer(r->line));
	json_object_set_new(o, "direction", json_string(direction_name(r->direction)));
	json_object_set_new(o, "change_rule", json_string(rule_name(r->rule)));
	json_object_set_new(o, "flagged", json_boolean(r->flagged));
	json_object_set_new(o, "cells", cells);
	return o;
}

static json_t *place_json(const struct place *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "file", text_json(p->box->path));
	json_object_set_new(o, "line", json_integer(p->line));
	json_object_set_new(o, "quoted", json_integer(p->quoted));
	json_object_set_new(o, "subject", text_json(p->mail->subject));
	json_object_set_new(o, "message_id",
			    p->mail->message_id ? text_json(p->mail->message_id) : json_null());
	json_object_set_new(o, "author",
			    p->mail->author ? text_json(p->mail->author) : json_null());
	return o;
}

static json_t *table_json(const struct table *t)
{
	json_t *o = json_object(), *columns = json_array(), *rows = json_array(),
	       *places = json_array();

	for (unsigned i = 0; i < t->columns_count; i++)
		json_array_append_new(columns, text_json(t->columns[i]));
	for (unsigned i = 0; i < t->rows_count; i++)
		json_array_append_new(rows, row_json(t, &t->rows[i]));
	for (unsigned i = 0; i < t->places_count; i++)
		json_array_append_new(places, place_json(&t->places[i]));
	json_object_set_new(o, "style", json_string(table_style_name(t->style)));
	json_object_set_new(o, "heading", text_json(t->heading));
	json_object_set_new(o, "test", text_json(t->test));
	json_object_set_new(o, "unit", text_json(t->unit));
	json_object_set_new(o, "statistic", text_json(t->statistic));
	json_object_set_new(o, "direction", json_string(direction_name(t->direction)));
	json_object_set_new(o, "columns", columns);
	json_object_set_new(o, "columns_named", json_boolean(t->named));
	json_object_set_new(o, "rows", rows);
	json_object_set_new(o, "places", places);
	return o;
}

json_t *tables_json(const struct tables *tables)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < tables->count; i++)
		json_array_append_new(array, table_json(&tables->items[i]));
	return array;
}

/* A field of a TSV line: what would end it becomes a blank. */
static void add_field(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		strbuf_addch(out, *s == '\t' || *s == '\n' || *s == '\r' ? ' '
				  : *s == PLUS_MINUS			 ? '~'
									 : *s);
	strbuf_addch(out, '\t');
}

static void add_number(struct strbuf *out, bool there, double value, const char *format, char end)
{
	if (there && isfinite(value)) {
		if (*format == 'f')
			strbuf_addf(out, "%.2f", value);
		else
			strbuf_addf(out, "%.10g", value);
	}
	strbuf_addch(out, end);
}

static void tsv_cell(struct strbuf *out, const struct table *t, const struct row *r,
		     unsigned column)
{
	const struct cell *c = &r->cells[column];

	add_field(out, table_style_name(t->style));
	add_field(out, t->test);
	add_field(out, r->group);
	add_field(out, r->statistic);
	add_field(out, r->name);
	add_field(out, direction_name(r->direction));
	add_field(out, t->columns[column]);
	add_field(out, c->text);
	add_field(out, *r->unit ? r->unit : t->unit);
	add_number(out, c->has_change, c->change, "g", '\t');
	add_number(out, c->has_recomputed, c->recomputed, "f", '\t');
	add_number(out, c->has_cv, c->cv, "g", '\t');
	add_field(out, t->places[0].box->path);
	strbuf_addf(out, "%s\t%s\t%u\n", c->significant ? "yes" : "", c->flagged ? "yes" : "",
		    c->line);
}

void tables_tsv(const struct tables *tables, struct strbuf *out)
{
	strbuf_addstr(out, "table\tstyle\ttest\tgroup\tstatistic\tcase\tdirection\tcolumn\tvalue\tu"
			   "nit\tchange\t"
			   "recomputed\tcv\tfile\tsignificant\tflagged\tline\n");
	for (unsigned i = 0; i < tables->count; i++)
		for (unsigned r = 0; r < tables->items[i].rows_count; r++)
			for (unsigned c = 0; c < tables->items[i].columns_count; c++) {
				strbuf_addf(out, "%u\t", i + 1);
				tsv_cell(out, &tables->items[i], &tables->items[i].rows[r], c);
			}
}

static void text_places(const struct table *t, struct strbuf *out)
{
	const char *path = NULL;

	for (unsigned i = 0; i < t->places_count; i++) {
		const struct place *p = &t->places[i];

		if (!path || strcmp(path, p->box->path))
			strbuf_addf(out, "\n   %s: %s", p->box->path,
				    t->places_count > 1 ? "lines " : "line ");
		else
			strbuf_addstr(out, ", ");
		path = p->box->path;
		strbuf_addf(out, "%u%s", p->line, p->quoted ? " (quoted)" : "");
	}
}

static void text_heading(const struct table *t, unsigned number, struct strbuf *out)
{
	static const char *const directions[] = {"direction unknown", "lower is better",
						 "higher is better"};

	strbuf_addf(out, "%u. %s", number, *t->test ? t->test : table_style_name(t->style));
	if (*t->heading && strcmp(t->heading, t->test))
		strbuf_addf(out, ": %s", t->heading);
	strbuf_addf(out, "\n   style %s, %s%s%s", table_style_name(t->style),
		    directions[t->direction], *t->unit ? ", " : "", t->unit);
	text_places(t, out);
	strbuf_addch(out, '\n');
}

static void text_cell(const struct cell *c, struct strbuf *out)
{
	char text[CELL_TEXT + 2];

	snprintf(text, sizeof(text), "%s%s", c->approximate ? "~" : "", *c->text ? c->text : "-");
	strbuf_addf(out, " %16s", text);
	if (c->has_change)
		strbuf_addf(out, c->significant ? " *%7.2f%c*" : " (%7.2f%c)", c->change,
			    c->absolute ? ' ' : '%');
	else
		strbuf_addf(out, " %10s", "");
	if (c->has_cv)
		strbuf_addf(out, " cv %5.2f%%", c->cv);
}

static void text_row(const struct table *t, const struct row *r, struct strbuf *out)
{
	char *name = NULL;
	struct strbuf label = STRBUF_INIT;

	strbuf_addf(&label, "%s%s%s%s%s", r->group, *r->group ? ": " : "", r->statistic,
		    *r->statistic ? " " : "", r->name);
	name = utf8_clean(label.buf, label.len);
	strbuf_addf(out, "   %5u  %-32s", r->line, name);
	for (unsigned i = 0; i < t->columns_count; i++)
		text_cell(&r->cells[i], out);
	if (*r->unit)
		strbuf_addf(out, " %s", r->unit);
	if (r->flagged)
		strbuf_addstr(out, "  does not follow:");
	for (unsigned i = 1; r->flagged && i < t->columns_count; i++)
		if (r->cells[i].flagged)
			strbuf_addf(out, " %.2f%%", r->cells[i].recomputed);
	while (out->len && out->buf[out->len - 1] == ' ')
		out->buf[--out->len] = '\0';
	strbuf_addch(out, '\n');
	strbuf_release(&label);
	free(name);
}

void table_text_rows(const struct table *t, struct strbuf *out)
{
	strbuf_addf(out, "   %5s  %-32s", "line", "");
	for (unsigned i = 0; i < t->columns_count; i++)
		strbuf_addf(out, " %27s", t->columns[i]);
	strbuf_addch(out, '\n');
	for (unsigned i = 0; i < t->rows_count; i++)
		text_row(t, &t->rows[i], out);
}

void tables_text(const struct tables *tables, struct strbuf *out)
{
	for (unsigned i = 0; i < tables->count; i++) {
		if (i)
			strbuf_addch(out, '\n');
		text_heading(&tables->items[i], i + 1, out);
		table_text_rows(&tables->items[i], out);
	}
}
