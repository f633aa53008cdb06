// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "config/values.h"
#include "import/import.h"
#include "import/mmtests.h"
#include "util/xalloc.h"

struct options {
	const char *kind, *path, *db, *name, *title, *metric, *machine;
	struct mmtests_options mmtests;
};

enum { OPT_ITERATIONS = 256, OPT_LAST };

static const struct argp_option option_table[] = {
	{"name", 'n', "NAME", 0,
	 "Name of the experiment; default: what the file says, else imported; of a tree: the test. "
	 "Where a tree makes several runs: the beginning of their names",
	 0},
	{"title", 't', "TEXT", 0,
	 "Heading of tables; default: what the file says, else the name. Where a tree makes "
	 "several runs: the beginning of their headings",
	 0},
	{"machine", 'M', "TEXT", 0,
	 "What it was measured on; default: imported from FILE. Runs can be compared side by side "
	 "only when they say the same",
	 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{"metric", 'm', "NAME", 0, "samples: take this metric only", 0},
	{"benchmark", 'b', "TEST", 0, "mmtests: this test only; default: a run for each", 0},
	{"kernels", 'k', "A,B,...", 0,
	 "mmtests: these kernels in this order, the first one the baseline; default: all, the "
	 "first "
	 "measured first; by name where tests-timestamp does not tell",
	 0},
	{"iterations", OPT_ITERATIONS, "N", 0,
	 "mmtests: iterations of hackbench that were asked for, to tell repeated attempts; "
	 "default: what most logs hold",
	 0},
	{"last", OPT_LAST, NULL, 0,
	 "mmtests: the last line of each log of tbench's throughput, which is the result; default: "
	 "each line, as mmtests counts (means since the start, not independent)",
	 0},
	{0}};

static void set_iterations(struct options *o, const char *arg, struct argp_state *state)
{
	char *end = NULL;
	unsigned long n = *arg >= '0' && *arg <= '9' ? strtoul(arg, &end, 10) : 0;

	if (!n || *end || n > 100000)
		argp_error(state, "--iterations is a number from 1 to 100000");
	o->mmtests.iterations = n;
}

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
	case 'b':
		o->mmtests.benchmark = arg;
		return 0;
	case 'k':
		o->mmtests.kernels = arg;
		return 0;
	case OPT_ITERATIONS:
		set_iterations(o, arg, state);
		return 0;
	case OPT_LAST:
		o->mmtests.last = true;
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
	.args_doc = "samples FILE.csv\nmmtests DIR",
	.doc = "Make runs of results that were measured elsewhere, for compare, plot, show and "
	       "list. Their ids are printed.\v"
	       "samples: comma separated values with a header line, one sample a line. Columns by "
	       "name, in any order: value, variant (or kernel), case (or operation), and where "
	       "they are there boot (samples of one boot are not independent; default: all of one "
	       "boot), repetition (or iteration; default: in the order met), metric, unit, better "
	       "(lower or higher; default: lower), workload, experiment, status (ok, failed, "
	       "timeout). Other columns are left alone. 'compare --style csv' prints such a "
	       "file.\n\n"
	       "mmtests: a tree DIR/KERNEL/iter-N/TEST/logs, or DIR with the iter-N of one kernel; "
	       "tests hackbench, tbench, netperf, schbench, stream, unixbench and perfpipe; logs "
	       "packed by gzip, xz or zstd too. A run for each test (of tbench for each of its "
	       "three logs, throughput last; of netperf for each protocol). Kernels become "
	       "variants, iterations stand for boots. Failed attempts are kept as failed with "
	       "the reason, never averaged. What was left out is named on stderr; a damaged file "
	       "refuses the whole import.",
};

#define WHAT "samples FILE.csv, mmtests DIR"

/* Options of the other kind would be without effect. */
static int check_options(const struct options *o, struct error *err)
{
	bool tree = o->mmtests.benchmark || o->mmtests.kernels || o->mmtests.iterations ||
		    o->mmtests.last;

	if (!o->kind || !o->path)
		return error_set(err, ERROR_USAGE, "import what? (%s)", WHAT);
	if (strcmp(o->kind, "samples") && strcmp(o->kind, "mmtests"))
		return error_set(err, ERROR_USAGE, "cannot import '%s' (%s)", o->kind, WHAT);
	if (o->name && !is_name(o->name))
		return error_set(err, ERROR_USAGE,
				 "--name '%s' is not a name (use letters, digits and . _ + -)",
				 o->name);
	if (tree && !strcmp(o->kind, "samples"))
		return error_set(err, ERROR_USAGE,
				 "--benchmark, --kernels, --iterations and --last are of import "
				 "mmtests");
	if (o->metric && !strcmp(o->kind, "mmtests"))
		return error_set(err, ERROR_USAGE,
				 "--metric is of import samples (compare --metric chooses one)");
	return 0;
}

static int read_samples(struct import_set *set, const struct options *o, struct error *err)
{
	xgrow(set->items, set->count, set->cap);
	set->items[set->count++] = (struct import){0};
	return import_csv(&set->items[0], o->path, o->metric, err);
}

/* What the user calls it; several runs need names that differ. */
static void rename_import(char **slot, const char *text, const char *separator, bool several)
{
	char *own = *slot;

	if (!text)
		return;
	*slot = several ? xasprintf("%s%s%s", text, separator, own) : xstrdup(text);
	free(own);
}

static void complete(struct import *imp, const struct options *o, bool several)
{
	rename_import(&imp->name, o->name, "-", several);
	rename_import(&imp->title, o->title, ", ", several);
	if (!imp->name)
		imp->name = xstrdup("imported");
	if (!imp->title)
		imp->title = xstrdup(imp->name);
	imp->machine = o->machine ? xstrdup(o->machine) : xasprintf("imported from %s", o->path);
}

static int store_plans(const struct import_plan *const *plans, size_t count,
		       const struct options *o, struct error *err)
{
	struct store *store;
	struct strlist ids = STRLIST_INIT;
	int ret;

	if (open_database(&store, o->db, STORE_WRITE, err))
		return -1;
	ret = import_store(store, plans, count, &ids, err);
	for (size_t i = 0; !ret && i < ids.count; i++)
		printf("%s\n", ids.items[i]);
	strlist_release(&ids);
	store_close(store);
	return ret;
}

static int store_set(struct import_set *set, const struct options *o, struct error *err)
{
	struct import_plan **plans = xcalloc(set->count, sizeof(struct import_plan *));
	int ret = 0;

	for (size_t i = 0; !ret && i < set->count; i++) {
		complete(&set->items[i], o, set->count > 1);
		ret = import_plan(&plans[i], &set->items[i], err);
	}
	if (!ret)
		ret = store_plans((const struct import_plan *const *)plans, set->count, o, err);
	for (size_t i = 0; i < set->count; i++)
		import_plan_free(plans[i]);
	free(plans);
	return ret;
}

int cmd_import(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct import_set set = {0};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = check_options(&o, err);
	if (!ret && !strcmp(o.kind, "samples"))
		ret = read_samples(&set, &o, err);
	else if (!ret)
		ret = import_mmtests(&set, o.path, &o.mmtests, err);
	for (size_t i = 0; i < set.notes.count; i++)
		fprintf(stderr, "schedbench: note: %s\n", set.notes.items[i]);
	if (!ret)
		ret = store_set(&set, &o, err);
	import_set_release(&set);
	return ret;
}
