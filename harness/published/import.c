// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of a mail become published results, with what the user knows about them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "published/archive.h"
#include "published/assemble.h"
#include "util/xalloc.h"

static void set(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

/* "hackbench-2": the test's name as a file may have it, and a number where it is taken. */
static char *table_name(const struct published *p, const struct table *t)
{
	const char *from = *t->test ? t->test : table_style_name(t->style);
	struct strbuf name = STRBUF_INIT;
	size_t len;

	for (; *from && name.len < 40; from++) {
		if (isalnum((unsigned char)*from) || *from == '.')
			strbuf_addch(&name, (char)tolower((unsigned char)*from));
		else if (name.len && name.buf[name.len - 1] != '-')
			strbuf_addch(&name, '-');
	}
	while (name.len && name.buf[name.len - 1] == '-')
		name.buf[--name.len] = '\0';
	if (!name.len || !isalnum((unsigned char)*name.buf)) {
		strbuf_reset(&name);
		strbuf_addstr(&name, "table");
	}
	len = name.len;
	for (unsigned n = 2; published_find(p, name.buf); n++) {
		name.len = len;
		strbuf_addf(&name, "-%u", n);
	}
	return strbuf_detach(&name);
}

/* The statistic that all rows have. */
static const char *row_statistic(const struct table *t)
{
	for (unsigned i = 1; i < t->rows_count; i++)
		if (strcmp(t->rows[i].statistic, t->rows[0].statistic))
			return "";
	return t->rows_count ? t->rows[0].statistic : "";
}

/* Headings and remarks are the author's words, and stay in the mail. */
static void strip_words(struct table *t)
{
	set(&t->heading, "");
	for (unsigned i = 0; i < t->rows_count; i++)
		set(&t->rows[i].mark, "");
	free(t->places);
	t->places = NULL;
	t->places_count = 0;
}

static void add_table(struct published *p, struct table *t)
{
	struct published_table pt = {.table = *t};

	*t = (struct table){0};
	t = &pt.table;
	strip_words(t);
	pt.name = table_name(p, t);
	pt.style = xstrdup(table_style_name(t->style));
	pt.direction = xstrdup(direction_name(t->direction));
	pt.test = xstrdup(t->test);
	pt.unit = xstrdup(t->unit);
	pt.statistic = xstrdup(*t->statistic ? t->statistic : row_statistic(t));
	pt.columns_count = t->columns_count;
	pt.columns = xcalloc(t->columns_count, sizeof(*pt.columns));
	for (unsigned i = 0; i < t->columns_count; i++)
		pt.columns[i] = xstrdup(t->columns[i]);
	p->tables = xreallocarray(p->tables, p->tables_count + 1, sizeof(*p->tables));
	p->tables[p->tables_count++] = pt;
}

/* "Name", without the address. */
static char *author_name(const char *author)
{
	size_t n = strcspn(author, "<");

	while (n && (author[n - 1] == ' ' || author[n - 1] == '"'))
		n--;
	if (n && *author == '"')
		author++, n--;
	return n ? xstrndup(author, n) : xstrdup(author);
}

static void from_mail(struct published *p, const struct mail *m)
{
	char date[32];
	time_t t = (time_t)m->time;
	struct tm tm;

	p->title = xstrdup(*m->title ? m->title : p->id);
	if (m->author)
		p->author = author_name(m->author);
	if (m->time != MAIL_NO_TIME && gmtime_r(&t, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d", &tm))
		p->date = xstrdup(date);
	if (m->message_id)
		p->message_id = xstrdup(m->message_id);
}

static char **split_list(const char *value, char separator, unsigned *count)
{
	char **items = NULL;

	*count = 0;
	for (;;) {
		const char *end = strchr(value, separator);

		items = xreallocarray(items, *count + 1, sizeof(*items));
		items[(*count)++] = end ? xstrndup(value, (size_t)(end - value)) : xstrdup(value);
		if (!end)
			return items;
		value = end + 1;
	}
}

static int set_columns(struct published_table *t, const char *value, struct error *err)
{
	unsigned count;
	char **names = split_list(value, ',', &count);
	int ret = 0;

	if (count != t->columns_count)
		ret = error_set(err, ERROR_USAGE, "table '%s' has %u columns, not %u ('%s')",
				t->name, t->columns_count, count, value);
	for (unsigned i = 0; i < count; i++) {
		if (!ret) {
			set(&t->columns[i], names[i]);
			table_set_column(&t->table, i, names[i], strlen(names[i]));
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

static int set_of_table(struct published_table *t, const char *key, const char *value,
			struct error *err)
{
	enum direction direction;

	if (!strcmp(key, "columns"))
		return set_columns(t, value, err);
	if (!strcmp(key, "direction") && !direction_from_name(value, &direction))
		return error_set(err, ERROR_USAGE,
				 "'%s' is no direction (lower, higher or unknown)", value);
	if (!strcmp(key, "name"))
		set(&t->name, value);
	else if (!strcmp(key, "test"))
		set(&t->test, value);
	else if (!strcmp(key, "unit"))
		set(&t->unit, value);
	else if (!strcmp(key, "statistic"))
		set(&t->statistic, value);
	else if (!strcmp(key, "direction"))
		set(&t->direction, value);
	else if (!strcmp(key, "machine"))
		set(&t->machine, value);
	else if (strcmp(key, "skip"))
		return error_set(err, ERROR_USAGE,
				 "no '%s' of a table can be set (name, test, unit, statistic, "
				 "direction, machine, "
				 "columns, skip)",
				 key);
	return 0;
}

static int set_of_all(struct published *p, const char *key, const char *value, struct error *err)
{
	if (!strcmp(key, "title"))
		set(&p->title, value);
	else if (!strcmp(key, "author"))
		set(&p->author, value);
	else if (!strcmp(key, "date"))
		set(&p->date, value);
	else if (!strcmp(key, "message-id"))
		set(&p->message_id, value);
	else if (!strcmp(key, "machine"))
		set(&p->machine, value);
	else if (!strcmp(key, "kernels") && !p->kernels)
		p->kernels = split_list(value, ';', &p->kernels_count);
	else
		return error_set(err, ERROR_USAGE,
				 "no '%s' can be set (title, author, date, message-id, machine, "
				 "kernels, or N.name and "
				 "the like of table N)",
				 key);
	return 0;
}

static int apply(struct published *p, const char *text, struct error *err)
{
	const char *equals = strchr(text, '=');
	char *key, *rest;
	unsigned long n;
	int ret;

	if (!equals || equals == text || !equals[1])
		return error_set(err, ERROR_USAGE, "'%s' is not KEY=VALUE", text);
	key = xstrndup(text, (size_t)(equals - text));
	n = strtoul(key, &rest, 10);
	if (rest == key || *rest != '.')
		ret = set_of_all(p, key, equals + 1, err);
	else if (!n || n > p->tables_count)
		ret = error_set(err, ERROR_USAGE, "'%s': the mail has %u tables", text,
				p->tables_count);
	else
		ret = set_of_table(&p->tables[n - 1], rest + 1, equals + 1, err);
	free(key);
	return ret;
}

static bool is_skipped(const struct strlist *sets, unsigned number)
{
	char *text = xasprintf("%u.skip=yes", number);
	bool skipped = strlist_has(sets, text);

	free(text);
	return skipped;
}

/* Once all numbers have been used the tables that are not wanted can go. */
static void drop_skipped(struct published *p, const struct strlist *sets)
{
	struct published skipped = {0};
	unsigned kept = 0, count = p->tables_count;

	skipped.tables = xcalloc(count ? count : 1, sizeof(*skipped.tables));
	for (unsigned i = 0; i < count; i++) {
		if (is_skipped(sets, i + 1))
			skipped.tables[skipped.tables_count++] = p->tables[i];
		else
			p->tables[kept++] = p->tables[i];
	}
	p->tables_count = kept;
	published_free_tables(skipped.tables, skipped.tables_count);
}

static int check_names(const struct published *p, struct error *err)
{
	if (!p->tables_count)
		return error_set(err, ERROR_USAGE, "the mail holds no table of results");
	for (unsigned i = 0; i < p->tables_count; i++)
		if (published_find(p, p->tables[i].name) != &p->tables[i] ||
		    strchr(p->tables[i].name, '/'))
			return error_set(err, ERROR_USAGE,
					 "two tables are named '%s' (--set N.name=NAME)",
					 p->tables[i].name);
	return 0;
}

int published_import(struct published **out, const char *id, const struct mailbox *box,
		     const struct strlist *sets, struct error *err)
{
	const char *slash = strrchr(box->path, '/');
	struct published *p = xcalloc(1, sizeof(*p));
	struct tables tables;
	int ret = 0;

	tables_read(&tables, box, 1);
	p->id = xstrdup(id);
	p->source = xstrdup(slash ? slash + 1 : box->path);
	from_mail(p, tables.count ? tables.items[0].places[0].mail : &box->mails[0]);
	for (unsigned i = 0; i < tables.count; i++)
		add_table(p, &tables.items[i]);
	tables_release(&tables);
	for (size_t i = 0; !ret && i < sets->count; i++)
		ret = apply(p, sets->items[i], err);
	if (!ret) {
		drop_skipped(p, sets);
		ret = check_names(p, err);
	}
	if (ret)
		published_free(p);
	*out = ret ? NULL : p;
	return ret;
}
