// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "published/published.h"
#include "util/strlist.h"
#include "util/xalloc.h"

struct options {
	struct strlist paths;
	bool json, tsv;
};

static const struct argp_option option_table[] = {
	{"json", 'j', NULL, 0, "Everything that was read, as JSON", 0},
	{"tsv", 't', NULL, 0, "One line for each value", 0},
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
	case ARGP_KEY_ARG:
		strlist_add(&o->paths, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "FILE...",
	.doc = "Print the tables of results that a mail holds, with the line of every value.\v"
	       "FILE is a mail, an mbox, a page of an archive saved as text or HTML, or '-'. A "
	       "table that is "
	       "repeated in a thread is printed once, with all the lines where it stands. Changes "
	       "are computed "
	       "again from the printed values; rows whose printed change does not follow are "
	       "flagged."};

static void format_json(const struct tables *tables, struct strbuf *out)
{
	json_t *root = json_pack("{s:o}", "tables", tables_json(tables));
	char *text = json_dumps(root, JSON_INDENT(1));

	strbuf_addf(out, "%s\n", text);
	free(text);
	json_decref(root);
}

static void print_tables(const struct options *o, const struct mailbox *boxes)
{
	struct strbuf out = STRBUF_INIT;
	struct tables tables;

	tables_read(&tables, boxes, (unsigned)o->paths.count);
	if (o->json)
		format_json(&tables, &out);
	else if (o->tsv)
		tables_tsv(&tables, &out);
	else
		tables_text(&tables, &out);
	fwrite(out.buf, 1, out.len, stdout);
	if (!tables.count && !o->json && !o->tsv)
		fprintf(stderr, "schedbench: no table of results in it\n");
	if (tables.cut)
		fprintf(stderr,
			"schedbench: more than %u tables; the rest is left out (split the file)\n",
			TABLES_MAX);
	strbuf_release(&out);
	tables_release(&tables);
}

static int read_and_print(const struct options *o, struct error *err)
{
	struct mailbox *boxes = xcalloc(o->paths.count, sizeof(*boxes));
	size_t n = 0;
	int ret = 0;

	while (!ret && n < o->paths.count) {
		ret = mailbox_read(&boxes[n], o->paths.items[n], err);
		n += !ret;
	}
	if (!ret)
		print_tables(o, boxes);
	while (n)
		mailbox_release(&boxes[--n]);
	free(boxes);
	return ret;
}

int mail_tables(int argc, char **argv, struct error *err)
{
	struct options o = {.paths = STRLIST_INIT};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.paths.count)
		ret = error_set(err, ERROR_USAGE, "tables of which mail? (%s)", argp.args_doc);
	else if (o.json && o.tsv)
		ret = error_set(err, ERROR_USAGE,
				"--json and --tsv print the same in two ways (choose one)");
	else
		ret = read_and_print(&o, err);
	strlist_release(&o.paths);
	return ret;
}
