// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "config/values.h"
#include "import/import.h"
#include "util/xalloc.h"

struct options {
	const char *kind, *path, *db, *name, *title, *metric, *machine;
};

static const struct argp_option option_table[] = {
	{"name", 'n', "NAME", 0,
	 "Name of the experiment; default: what the file says, else imported", 0},
	{"title", 't', "TEXT", 0, "Heading of tables; default: what the file says, else the name",
	 0},
	{"metric", 'm', "NAME", 0, "Take this metric only, where a file of samples holds several",
	 0},
	{"machine", 'M', "TEXT", 0,
	 "What it was measured on; default: imported from FILE. Runs can be compared side by side "
	 "only when they say the same",
	 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'n':
		o->name = arg;
		return 0;
	case 't':
		o->title = arg;
		return 0;
	case 'm':
		o->metric = arg;
		return 0;
	case 'M':
		o->machine = arg;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->kind)
			o->kind = arg;
		else if (!o->path)
			o->path = arg;
		else
			argp_error(state, "one file or folder at a time");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "samples FILE.csv",
	.doc = "Make a run of results that were measured elsewhere, for compare, plot, show and "
	       "list. Its id is printed.\v"
	       "samples: comma separated values with a header line, one sample a line. Columns by "
	       "name, in any order: value, variant (or kernel), case (or operation), and where "
	       "they are there boot (samples of one boot are not independent; default: all of one "
	       "boot), repetition (or iteration; default: in the order met), metric, unit, better "
	       "(lower or higher; default: lower), workload, experiment, status (ok, failed, "
	       "timeout). Other columns are left alone. 'compare --style csv' prints such a file.",
};

static int read_input(struct import *imp, const struct options *o, struct error *err)
{
	if (!o->kind || !o->path)
		return error_set(err, ERROR_USAGE, "import what? (%s)", argp.args_doc);
	if (!strcmp(o->kind, "samples"))
		return import_csv(imp, o->path, o->metric, err);
	return error_set(err, ERROR_USAGE, "cannot import '%s' (%s)", o->kind, argp.args_doc);
}

static void complete(struct import *imp, const struct options *o)
{
	if (!imp->name)
		imp->name = xstrdup("imported");
	if (!imp->title)
		imp->title = xstrdup(imp->name);
	imp->machine = o->machine ? xstrdup(o->machine) : xasprintf("imported from %s", o->path);
}

static int check_options(const struct options *o, struct error *err)
{
	if (o->name && !is_name(o->name))
		return error_set(err, ERROR_USAGE,
				 "--name '%s' is not a name (use letters, digits and . _ + -)",
				 o->name);
	return 0;
}

static int store_import(const struct import_plan *plan, const struct options *o, struct error *err)
{
	struct store *store;
	struct strlist ids = STRLIST_INIT;
	int ret;

	if (open_database(&store, o->db, STORE_WRITE, err))
		return -1;
	ret = import_store(store, &plan, 1, &ids, err);
	for (size_t i = 0; !ret && i < ids.count; i++)
		printf("%s\n", ids.items[i]);
	strlist_release(&ids);
	store_close(store);
	return ret;
}

int cmd_import(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct import imp = {0};
	struct import_plan *plan = NULL;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	imp.name = o.name ? xstrdup(o.name) : NULL;
	imp.title = o.title ? xstrdup(o.title) : NULL;
	ret = check_options(&o, err);
	if (!ret)
		ret = read_input(&imp, &o, err);
	if (!ret) {
		complete(&imp, &o);
		ret = import_plan(&plan, &imp, err);
	}
	if (!ret)
		ret = store_import(plan, &o, err);
	import_plan_free(plan);
	import_release(&imp);
	return ret;
}
