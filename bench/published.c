// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "published/archive.h"
#include "util/file.h"
#include "util/xalloc.h"

struct options {
	const char *what;
	struct strlist names, sets;
	const char *mails;
	bool json, tsv, replace;
};

enum { OPTION_MAILS = 256, OPTION_REPLACE };

static const struct argp_option option_table[] = {
	{"json", 'j', NULL, 0, "list, show: print JSON", 0},
	{"tsv", 't', NULL, 0, "show: print one table as it is kept", 0},
	{"mails", OPTION_MAILS, "DIR", 0,
	 "verify: compare with the mails in these folders, colon separated; default: "
	 "$SCHEDBENCH_MAILS",
	 0},
	{"set", 's', "KEY=VALUE", 0, "import: what the mail's header or its tables do not say", 0},
	{"replace", OPTION_REPLACE, NULL, 0, "import: write an ID anew that is there already", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 't':
		o->tsv = true;
		return 0;
	case 's':
		strlist_add(&o->sets, arg);
		return 0;
	case OPTION_MAILS:
		o->mails = arg;
		return 0;
	case OPTION_REPLACE:
		o->replace = true;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->what)
			o->what = arg;
		else
			strlist_add(&o->names, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "list\nshow ID[/TABLE]\nverify [ID...]\nimport MAIL ID",
	.doc = "Results that were published in mails and are kept as data.\v"
	       "They are in results/published/ID/: meta.yaml and a TSV file for each table. verify "
	       "checks the "
	       "figures against each other and, where the mail is at hand, against it. import "
	       "--set knows title, "
	       "author, date, message-id, machine, kernels=A;B and, of table N as 'mail tables' "
	       "prints them, "
	       "N.name, N.test, N.unit, N.statistic, N.direction, N.machine, N.columns=A,B and "
	       "N.skip=yes."};

static void print_json(json_t *root)
{
	char *text = json_dumps(root, JSON_INDENT(1));

	printf("%s\n", text);
	free(text);
	json_decref(root);
}

static json_t *list_entry(const struct published *p)
{
	json_t *tables = json_array();

	for (unsigned i = 0; i < p->tables_count; i++)
		json_array_append_new(tables, json_string(p->tables[i].name));
	return json_pack("{s:s, s:s, s:s?, s:s?, s:o}", "id", p->id, "title", p->title, "date",
			 p->date, "message_id", p->message_id, "tables", tables);
}

static void print_size(const char *before, const struct published_table *t)
{
	printf("%s%s: %u row%s\n", before, t->name, t->table.rows_count,
	       t->table.rows_count == 1 ? "" : "s");
}

static int list(const struct options *o, struct error *err)
{
	struct strlist ids = STRLIST_INIT;
	json_t *array = json_array();
	int ret = published_ids(&ids, err);

	for (size_t i = 0; !ret && i < ids.count; i++) {
		struct published *p;

		ret = published_load(&p, ids.items[i], err);
		if (ret)
			break;
		if (o->json)
			json_array_append_new(array, list_entry(p));
		else
			printf("%-30s  %s\n", p->id, p->title);
		for (unsigned t = 0; t < p->tables_count && !o->json; t++)
			printf("%-30s  /%s: %u rows\n", "", p->tables[t].name,
			       p->tables[t].table.rows_count);
		published_free(p);
	}
	if (o->json && !ret)
		print_json(json_incref(array));
	json_decref(array);
	strlist_release(&ids);
	return ret;
}

/* One table, or all of them with what is known of them. */
static int show_loaded(const struct options *o, const struct published *p, const char *name,
		       struct error *err)
{
	const struct published_table *one = name ? published_find(p, name) : NULL;
	struct strbuf out = STRBUF_INIT;

	if (name && !one)
		return error_set(err, ERROR_USAGE,
				 "'%s' has no table '%s' (schedbench published list)", p->id, name);
	if (o->tsv && !one && p->tables_count == 1)
		one = &p->tables[0];
	if (o->tsv && !one)
		return error_set(err, ERROR_USAGE, "'%s' has %u tables (choose one: %s/%s)", p->id,
				 p->tables_count, p->id, p->tables[0].name);
	if (o->tsv)
		published_tsv(&one->table, &out);
	else
		published_text(p, &out);
	for (unsigned i = 0; i < p->tables_count && !o->tsv; i++)
		if (!one || one == &p->tables[i]) {
			strbuf_addch(&out, '\n');
			published_table_text(p, &p->tables[i], &out);
		}
	if (o->json)
		print_json(published_json(p));
	else
		fwrite(out.buf, 1, out.len, stdout);
	strbuf_release(&out);
	return 0;
}

static int show(const struct options *o, struct error *err)
{
	struct published *p;
	char *id, *slash;
	int ret;

	if (o->names.count != 1)
		return error_set(err, ERROR_USAGE, "show what? (ID or ID/TABLE)");
	if (o->json && o->tsv)
		return error_set(err, ERROR_USAGE,
				 "--json and --tsv print the same in two ways (choose one)");
	id = xstrdup(o->names.items[0]);
	slash = strchr(id, '/');
	if (slash)
		*slash++ = '\0';
	ret = published_load(&p, id, err);
	if (!ret) {
		ret = show_loaded(o, p, slash, err);
		published_free(p);
	}
	free(id);
	return ret;
}

/* 1: compared; 0: the mail is in none of the folders. */
static int compare_with_mail(const struct options *o, const struct published *p, struct error *err)
{
	const char *folders = o->mails ? o->mails : getenv("SCHEDBENCH_MAILS");
	char *copy = xstrdup(folders ? folders : ""), *save = NULL;
	int ret = 0;

	for (char *f = strtok_r(copy, ":", &save); f && !ret && p->source;
	     f = strtok_r(NULL, ":", &save)) {
		char *path = path_join(f, p->source);
		struct mailbox box;

		if (path_exists(path)) {
			ret = mailbox_read(&box, path, err);
			if (!ret) {
				ret = published_compare(p, &box, err) ? -1 : 1;
				mailbox_release(&box);
			}
		}
		free(path);
	}
	free(copy);
	return ret;
}

static int verify_one(const struct options *o, const char *id, struct error *err)
{
	struct strlist remarks = STRLIST_INIT;
	struct published *p;
	int ret = published_load(&p, id, err), compared = 0;

	if (ret)
		return ret;
	ret = published_verify(p, &remarks, err);
	if (!ret)
		compared = compare_with_mail(o, p, err);
	if (!ret && compared >= 0)
		printf("%s: the figures agree with each other%s\n", id,
		       compared ? " and with the mail" : "; the mail is not at hand");
	for (size_t i = 0; i < remarks.count; i++)
		printf("%s\n", remarks.items[i]);
	strlist_release(&remarks);
	published_free(p);
	return ret || compared < 0 ? -1 : 0;
}

static int verify(const struct options *o, struct error *err)
{
	struct strlist all = STRLIST_INIT;
	const struct strlist *ids = o->names.count ? &o->names : &all;
	int ret = o->names.count ? 0 : published_ids(&all, err);

	for (size_t i = 0; !ret && i < ids->count; i++)
		ret = verify_one(o, ids->items[i], err);
	strlist_release(&all);
	return ret;
}

static int import(const struct options *o, struct error *err)
{
	struct published *p = NULL;
	struct mailbox box;
	int ret;

	if (o->names.count != 2)
		return error_set(err, ERROR_USAGE, "import what? (MAIL and ID)");
	if (mailbox_read(&box, o->names.items[0], err))
		return -1;
	ret = published_import(&p, o->names.items[1], &box, &o->sets, err);
	if (!ret)
		ret = published_save(p, o->replace, err);
	for (unsigned i = 0; !ret && i < p->tables_count; i++)
		print_size("", &p->tables[i]);
	published_free(p);
	mailbox_release(&box);
	return ret;
}

enum {
	USES_JSON = 1,
	USES_TSV = 2,
	USES_MAILS = 4,
	USES_SET = 8,
	USES_REPLACE = 16,
	USES_NAMES = 32
};

static const struct {
	const char *name;
	unsigned uses;
	int (*run)(const struct options *o, struct error *err);
} kinds[] = {
	{"list", USES_JSON, list},
	{"show", USES_JSON | USES_TSV | USES_NAMES, show},
	{"verify", USES_MAILS | USES_NAMES, verify},
	{"import", USES_SET | USES_REPLACE | USES_NAMES, import},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int dispatch(const struct options *o, struct error *err)
{
	unsigned given = (o->json ? USES_JSON : 0) | (o->tsv ? USES_TSV : 0) |
			 (o->mails ? USES_MAILS : 0) | (o->sets.count ? USES_SET : 0) |
			 (o->replace ? USES_REPLACE : 0) | (o->names.count ? USES_NAMES : 0);

	if (!o->what)
		return error_set(err, ERROR_USAGE,
				 "published what? (list, show, verify or import)");
	for (size_t i = 0; i < KINDS; i++) {
		if (strcmp(o->what, kinds[i].name))
			continue;
		if (given & ~kinds[i].uses)
			return error_set(
				err, ERROR_USAGE,
				"'published %s' does not take one of these options or arguments "
				"(schedbench published --help)",
				o->what);
		return kinds[i].run(o, err);
	}
	return error_set(err, ERROR_USAGE, "no 'published %s' (list, show, verify or import)",
			 o->what);
}

int cmd_published(int argc, char **argv, struct error *err)
{
	struct options o = {.names = STRLIST_INIT, .sets = STRLIST_INIT};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = dispatch(&o, err);
	strlist_release(&o.names);
	strlist_release(&o.sets);
	return ret;
}
