// SPDX-License-Identifier: GPL-2.0-or-later
/* Published results as JSON and as text. */
#include <string.h>

#include "published/archive.h"

static json_t *text_or_null(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

static json_t *strings_json(char *const *items, unsigned count)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(array, json_string(items[i]));
	return array;
}

static json_t *table_json(const struct published_table *pt)
{
	struct table copy = pt->table;
	const struct tables one = {.items = &copy, .count = 1};
	json_t *array = tables_json(&one), *o = json_incref(json_array_get(array, 0));

	json_decref(array);
	json_object_del(o, "places");
	json_object_del(o, "heading");
	json_object_set_new(o, "name", json_string(pt->name));
	json_object_set_new(o, "machine", text_or_null(pt->machine));
	return o;
}

json_t *published_json(const struct published *p)
{
	json_t *tables = json_array(), *o = json_object();

	for (unsigned i = 0; i < p->tables_count; i++)
		json_array_append_new(tables, table_json(&p->tables[i]));
	json_object_set_new(o, "id", json_string(p->id));
	json_object_set_new(o, "title", text_or_null(p->title));
	json_object_set_new(o, "author", text_or_null(p->author));
	json_object_set_new(o, "date", text_or_null(p->date));
	json_object_set_new(o, "message_id", text_or_null(p->message_id));
	json_object_set_new(o, "source", text_or_null(p->source));
	json_object_set_new(o, "machine", text_or_null(p->machine));
	json_object_set_new(o, "kernels", strings_json(p->kernels, p->kernels_count));
	json_object_set_new(o, "tables", tables);
	return o;
}

static void add_line(struct strbuf *out, const char *name, const char *value)
{
	if (value && *value)
		strbuf_addf(out, "%-12s%s\n", name, value);
}

void published_text(const struct published *p, struct strbuf *out)
{
	strbuf_addf(out, "%s: %s\n", p->id, p->title);
	add_line(out, "author", p->author);
	add_line(out, "date", p->date);
	add_line(out, "message-id", p->message_id);
	if (p->message_id)
		strbuf_addf(out, "%-12shttps://lore.kernel.org/r/%s\n", "link", p->message_id);
	add_line(out, "machine", p->machine);
	for (unsigned i = 0; i < p->kernels_count; i++)
		add_line(out, i ? "" : "kernels", p->kernels[i]);
}

void published_table_text(const struct published *p, const struct published_table *t,
			  struct strbuf *out)
{
	static const char *const directions[] = {"direction unknown", "lower is better",
						 "higher is better"};

	strbuf_addf(out, "%s/%s: %s\n", p->id, t->name, t->test && *t->test ? t->test : t->style);
	strbuf_addf(out, "   %s%s%s%s%s\n", directions[t->table.direction],
		    t->unit && *t->unit ? ", " : "", t->unit ? t->unit : "",
		    t->statistic && *t->statistic ? ", " : "", t->statistic ? t->statistic : "");
	if (t->machine)
		strbuf_addf(out, "   %s\n", t->machine);
	table_text_rows(&t->table, out);
}
