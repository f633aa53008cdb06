// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "config/config.h"
#include "report/report.h"
#include "run/programs.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

struct options {
	const char *what, *db;
	bool json;
};

static const struct argp_option option_table[] = {
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{"db", 'd', "FILE", 0, "Database of the runs; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->what)
			argp_error(state, "one kind at a time");
		o->what = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {.options = option_table,
				 .parser = parse,
				 .args_doc = "experiments|kernels|machines|workloads|styles|runs",
				 .doc = "List what there is, with one line about each."};

/* Rows of name and description are collected first: columns are as wide as the longest name. */
struct row {
	char *name, *text;
};

struct rows {
	struct row *items;
	size_t count, cap;
};

static void add_row(struct rows *rows, const char *name, const char *text)
{
	xgrow(rows->items, rows->count, rows->cap);
	rows->items[rows->count++] = (struct row){xstrdup(name), xstrdup(text)};
}

static void print_rows(const struct rows *rows, bool as_json)
{
	json_t *list = json_array();
	int width = 0;

	for (size_t i = 0; i < rows->count; i++)
		if ((int)strlen(rows->items[i].name) > width)
			width = strlen(rows->items[i].name);
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *r = &rows->items[i];

		if (as_json)
			json_array_append_new(list, json_pack("{s:s, s:s}", "name", r->name,
							      "title", r->text));
		else
			printf("%-*s  %s\n", width, r->name, r->text);
	}
	if (as_json) {
		json_dumpf(list, stdout, JSON_INDENT(2));
		putchar('\n');
	}
	json_decref(list);
}

static void free_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->items[i].name);
		free(rows->items[i].text);
	}
	free(rows->items);
}

static int list_configs(enum config_kind kind, struct rows *rows, struct error *err)
{
	struct key_value *kv;
	unsigned count;

	if (config_list(kind, &kv, &count, err))
		return -1;
	for (unsigned i = 0; i < count; i++)
		add_row(rows, kv[i].key, kv[i].value);
	key_values_free(kv, count);
	return 0;
}

static int list_styles(struct rows *rows)
{
	const struct report_style *style;

	for (size_t i = 0; (style = report_style_at(i)); i++)
		add_row(rows, style->name, style->summary);
	return 0;
}

static int list_runs(struct rows *rows, const char *db, struct error *err)
{
	struct store_run *runs = NULL;
	struct store *store;
	unsigned count = 0;
	int ret;

	/* Before the first run there is none to list, which is no error. */
	if (!db && !getenv("SCHEDBENCH_DB") && !database_exists(db)) {
		fputs("no runs yet\n", stderr);
		return 0;
	}
	if (open_database(&store, db, STORE_READ, err))
		return -1;
	ret = store_run_list(store, &runs, &count, err);
	for (unsigned i = 0; !ret && i < count; i++) {
		const struct store_run *r = &runs[i];
		unsigned good, bad;
		char *text;

		ret = store_run_count(store, r->id, &good, &bad, err);
		if (ret)
			break;
		text = xasprintf("%-11s %4u samples%s  %s, %s%s%s%s", r->state, good,
				 bad ? " and failures" : "", r->title, r->description,
				 *r->accel ? " (" : "", r->accel, *r->accel ? ")" : "");

		add_row(rows, r->id, text);
		free(text);
	}
	store_runs_free(runs, count);
	store_close(store);
	return ret;
}

/* The workloads know themselves best: the program that holds them is asked, a JSON line for each. */
static int list_workloads(struct rows *rows, struct error *err)
{
	char *program = program_path("schedbench-workload", err);
	const char *argv[] = {program, "list", "--json", NULL};
	struct strbuf out = STRBUF_INIT;
	int ret = program ? subprocess_output(argv, 10000, &out, err) : -1;

	for (const char *p = out.buf; !ret && *p;) {
		size_t len = strcspn(p, "\n");
		json_t *line = json_loadb(p, len, 0, NULL);
		const char *name, *summary;

		if (json_unpack(line, "{s:s, s:s}", "name", &name, "summary", &summary))
			ret = error_set(err, ERROR_FAILED, "'%s' does not list its workloads",
					program);
		else
			add_row(rows, name, summary);
		json_decref(line);
		p += len + (p[len] == '\n');
	}
	strbuf_release(&out);
	free(program);
	return ret;
}

int cmd_list(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct rows rows = {0};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.what)
		return error_set(err, ERROR_USAGE, "list what? (%s)", argp.args_doc);
	if (!strcmp(o.what, "workloads"))
		ret = list_workloads(&rows, err);
	else if (!strcmp(o.what, "experiments"))
		ret = list_configs(CONFIG_EXPERIMENT, &rows, err);
	else if (!strcmp(o.what, "kernels"))
		ret = list_configs(CONFIG_KERNEL, &rows, err);
	else if (!strcmp(o.what, "machines"))
		ret = list_configs(CONFIG_MACHINE, &rows, err);
	else if (!strcmp(o.what, "styles"))
		ret = list_styles(&rows);
	else if (!strcmp(o.what, "runs"))
		ret = list_runs(&rows, o.db, err);
	else
		ret = error_set(err, ERROR_USAGE, "cannot list '%s' (%s)", o.what, argp.args_doc);
	if (!ret)
		print_rows(&rows, o.json);
	free_rows(&rows);
	return ret;
}
