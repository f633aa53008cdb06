// SPDX-License-Identifier: GPL-2.0-or-later
#include "published/archive.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/schema.h"
#include "mail/codec.h"
#include "published/assemble.h"
#include "util/file.h"
#include "util/place.h"
#include "util/xalloc.h"

#define MAX_TSV	 (4u << 20)

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)

static const cyaml_schema_field_t table_fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct published_table, name, 1, 64),
	CYAML_FIELD_STRING_PTR("style", CYAML_FLAG_POINTER, struct published_table, style, 1, 32),
	CYAML_FIELD_STRING_PTR("direction", CYAML_FLAG_POINTER, struct published_table, direction,
			       1, 16),
	CYAML_FIELD_STRING_PTR("test", OPTIONAL, struct published_table, test, 0, 200),
	CYAML_FIELD_STRING_PTR("unit", OPTIONAL, struct published_table, unit, 0, 200),
	CYAML_FIELD_STRING_PTR("statistic", OPTIONAL, struct published_table, statistic, 0, 200),
	CYAML_FIELD_STRING_PTR("machine", OPTIONAL, struct published_table, machine, 1, 400),
	CYAML_FIELD_SEQUENCE("columns", CYAML_FLAG_POINTER, struct published_table, columns,
			     &schema_string, 1, TABLE_MAX_CELLS),
	CYAML_FIELD_STRING_PTR("sha256", CYAML_FLAG_POINTER, struct published_table, sha256, 64,
			       64),
	CYAML_FIELD_END};

static const cyaml_schema_value_t table_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct published_table, table_fields)};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("title", CYAML_FLAG_POINTER, struct published, title, 1, 400),
	CYAML_FIELD_STRING_PTR("author", OPTIONAL, struct published, author, 1, 200),
	CYAML_FIELD_STRING_PTR("date", OPTIONAL, struct published, date, 1, 64),
	CYAML_FIELD_STRING_PTR("message-id", OPTIONAL, struct published, message_id, 1, 500),
	CYAML_FIELD_STRING_PTR("source", OPTIONAL, struct published, source, 1, 300),
	CYAML_FIELD_STRING_PTR("machine", OPTIONAL, struct published, machine, 1, 400),
	CYAML_FIELD_SEQUENCE("kernels", OPTIONAL, struct published, kernels, &schema_string, 0,
			     TABLE_MAX_CELLS),
	CYAML_FIELD_SEQUENCE("tables", CYAML_FLAG_POINTER, struct published, tables, &table_value,
			     1, 1000),
	CYAML_FIELD_END};

static const cyaml_schema_value_t top = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct published, fields)};
static const char *const later[] = {NULL};
static const struct schema schema = {&top, later};

char *published_folder(void)
{
	const char *env = getenv("SCHEDBENCH_PUBLISHED");

	if (env && *env)
		return xstrdup(env);
	if (path_exists("results/published"))
		return xstrdup("results/published");
	return data_folder("results/published");
}

static bool is_id(const char *s)
{
	return isalnum((unsigned char)*s) && strlen(s) <= 64 &&
	       s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] ==
		       '\0';
}

static char *id_path(const char *id, const char *file)
{
	char *folder = published_folder();
	char *path = xasprintf("%s/%s%s%s", folder, id, file ? "/" : "", file ? file : "");

	free(folder);
	return path;
}

int published_ids(struct strlist *ids, struct error *err)
{
	char *folder = published_folder();
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	int ret = n < 0 && errno != ENOENT ? error_sys(err, errno, "cannot read '%s'", folder) : 0;

	for (int i = 0; i < n; i++) {
		char *meta = xasprintf("%s/%s/meta.yaml", folder, entries[i]->d_name);

		if (is_id(entries[i]->d_name) && path_exists(meta))
			strlist_add(ids, entries[i]->d_name);
		free(meta);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(folder);
	return ret;
}

static void free_strings(char **strings, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(strings[i]);
	free(strings);
}

static void free_table(struct published_table *t)
{
	free(t->name);
	free(t->style);
	free(t->direction);
	free(t->test);
	free(t->unit);
	free(t->statistic);
	free(t->machine);
	free(t->sha256);
	free_strings(t->columns, t->columns_count);
	table_release(&t->table);
}

void published_free_tables(struct published_table *tables, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free_table(&tables[i]);
	free(tables);
}

void published_free(struct published *p)
{
	if (!p)
		return;
	free(p->id);
	free(p->title);
	free(p->author);
	free(p->date);
	free(p->message_id);
	free(p->source);
	free(p->machine);
	free_strings(p->kernels, p->kernels_count);
	published_free_tables(p->tables, p->tables_count);
	free(p);
}

const struct published_table *published_find(const struct published *p, const char *name)
{
	for (unsigned i = 0; i < p->tables_count; i++)
		if (!strcmp(p->tables[i].name, name))
			return &p->tables[i];
	return NULL;
}

static char *or_empty(const char *s)
{
	return xstrdup(s ? s : "");
}

/* What meta.yaml says of a table, and its rows. */
static int load_table(struct published *p, struct published_table *pt, struct error *err)
{
	char *file = xasprintf("%s.tsv", pt->name), *path = id_path(p->id, file),
	     *meta = id_path(p->id, "meta.yaml");
	struct strbuf text = STRBUF_INIT;
	struct table *t = &pt->table;
	int ret = 0;

	if (!is_id(pt->name) || published_find(p, pt->name) != pt)
		ret = error_set(
			err, ERROR_USAGE,
			"%s: '%.64s' cannot name a table (letters, digits, '.', '_' and '-', "
			"and each name once)",
			meta, pt->name);
	else if (!table_style_from_name(pt->style, &t->style) ||
		 !direction_from_name(pt->direction, &t->direction))
		ret = error_set(err, ERROR_USAGE,
				"%s: table '%s' has no known style and direction ('%s', '%s')",
				meta, pt->name, pt->style, pt->direction);
	t->heading = or_empty(NULL);
	t->test = or_empty(pt->test);
	t->unit = or_empty(pt->unit);
	t->statistic = or_empty(pt->statistic);
	t->named = true;
	t->columns_count = pt->columns_count;
	for (unsigned i = 0; i < t->columns_count; i++)
		t->columns[i] = xstrdup(pt->columns[i]);
	if (!ret)
		ret = file_read(path, MAX_TSV, &text, err);
	if (!ret)
		ret = published_parse_tsv(t, path, text.buf, err);
	if (!ret)
		table_check(t);
	strbuf_release(&text);
	free(file);
	free(path);
	free(meta);
	return ret;
}

int published_load(struct published **out, const char *id, struct error *err)
{
	char *path = id_path(id, "meta.yaml");
	struct document doc = {NULL, NULL};
	struct published *p = NULL;
	int ret;

	*out = NULL;
	if (!is_id(id) || !path_exists(path))
		ret = error_set(err, ERROR_USAGE,
				"nothing published is named '%.80s' (schedbench published list)",
				id);
	else
		ret = document_read(&doc, path, err);
	if (!ret)
		ret = schema_load(&schema, &doc, (void **)&p, err);
	if (!ret)
		p->id = xstrdup(id);
	for (unsigned i = 0; !ret && i < p->tables_count; i++)
		ret = load_table(p, &p->tables[i], err);
	document_release(&doc);
	free(path);
	if (ret)
		published_free(p);
	else
		*out = p;
	return ret;
}

static void emit_key(struct strbuf *out, const char *indent, const char *key, const char *value)
{
	char *clean;

	if (!value || !*value)
		return;
	clean = utf8_clean(value, strlen(value));
	for (char *c = clean; *c; c++)
		*c = (unsigned char)*c < ' ' ? ' ' : *c;
	strbuf_addf(out, "%s%s: ", indent, key);
	emit_quoted(out, clean);
	strbuf_addch(out, '\n');
	free(clean);
}

static void emit_list(struct strbuf *out, const char *indent, const char *key, char *const *items,
		      unsigned count)
{
	if (!count)
		return;
	strbuf_addf(out, "%s%s: [", indent, key);
	for (unsigned i = 0; i < count; i++) {
		strbuf_addstr(out, i ? ", " : "");
		emit_quoted(out, items[i]);
	}
	strbuf_addstr(out, "]\n");
}

static void emit_table(struct strbuf *out, const struct published_table *t)
{
	strbuf_addf(out, "  - name: %s\n", t->name);
	emit_key(out, "    ", "test", t->test);
	emit_key(out, "    ", "style", t->style);
	emit_key(out, "    ", "direction", t->direction);
	emit_key(out, "    ", "unit", t->unit);
	emit_key(out, "    ", "statistic", t->statistic);
	emit_key(out, "    ", "machine", t->machine);
	emit_list(out, "    ", "columns", t->columns, t->columns_count);
	emit_key(out, "    ", "sha256", t->sha256);
}

static void emit_meta(struct strbuf *out, const struct published *p)
{
	strbuf_addstr(
		out,
		"# Written by 'schedbench published import'; the figures are in the TSV files.\n");
	emit_key(out, "", "title", p->title);
	emit_key(out, "", "author", p->author);
	emit_key(out, "", "date", p->date);
	emit_key(out, "", "message-id", p->message_id);
	emit_key(out, "", "source", p->source);
	emit_key(out, "", "machine", p->machine);
	emit_list(out, "", "kernels", p->kernels, p->kernels_count);
	strbuf_addstr(out, "tables:\n");
	for (unsigned i = 0; i < p->tables_count; i++)
		emit_table(out, &p->tables[i]);
}

static int save_table(const struct published *p, struct published_table *pt, struct error *err)
{
	struct strbuf tsv = STRBUF_INIT;
	char *file = xasprintf("%s.tsv", pt->name), *path = id_path(p->id, file);
	char hex[SHA256_HEX_SIZE];
	int ret;

	published_tsv(&pt->table, &tsv);
	data_sha256(tsv.buf, tsv.len, hex);
	free(pt->sha256);
	pt->sha256 = xstrdup(hex);
	ret = file_write(path, tsv.buf, tsv.len, err);
	strbuf_release(&tsv);
	free(file);
	free(path);
	return ret;
}

/* What is there is only removed when it is published data. */
static int make_room(const char *folder, const char *meta, bool replace, struct error *err)
{
	if (!path_exists(folder))
		return 0;
	if (!replace)
		return error_set(err, ERROR_USAGE,
				 "'%s' is there already (--replace writes it anew)", folder);
	if (!path_exists(meta))
		return error_set(err, ERROR_USAGE, "'%s' holds something else, and is not replaced",
				 folder);
	return remove_tree(folder, err);
}

int published_save(const struct published *p, bool replace, struct error *err)
{
	char *folder = id_path(p->id, NULL), *meta = id_path(p->id, "meta.yaml");
	struct strbuf text = STRBUF_INIT;
	int ret = 0;

	if (!is_id(p->id))
		ret = error_set(err, ERROR_USAGE,
				"'%.80s' cannot be an ID (letters, digits, '.', '_' and '-')",
				p->id);
	for (unsigned i = 0; !ret && i < p->tables_count; i++)
		if (!is_id(p->tables[i].name))
			ret = error_set(
				err, ERROR_USAGE,
				"'%.80s' cannot name a table (letters, digits, '.', '_' and '-')",
				p->tables[i].name);
	if (!ret)
		ret = make_room(folder, meta, replace, err);
	if (!ret)
		ret = make_directories(folder, err);
	for (unsigned i = 0; !ret && i < p->tables_count; i++)
		ret = save_table(p, &p->tables[i], err);
	if (!ret) {
		emit_meta(&text, p);
		ret = file_write(meta, text.buf, text.len, err);
	}
	strbuf_release(&text);
	free(folder);
	free(meta);
	return ret;
}
