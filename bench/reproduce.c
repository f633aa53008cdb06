// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "published/archive.h"
#include "published/judge.h"
#include "report/load.h"
#include "util/strbuf.h"
#include "util/strlist.h"
#include "util/xalloc.h"

struct options {
	const char *what, *run, *db;
	double smallest;
	bool json, quiet, dry_run;
	struct strlist sets;
};

enum { OPT_SMALLEST = 256, OPT_QUICK };

static const struct argp_option option_table[] = {
	{"run", 'r', "RUN", 0, "Judge this run instead of measuring: an id, its beginning, or last",
	 0},
	{"smallest", OPT_SMALLEST, "PERCENT", 0,
	 "Smallest effect of interest; default: 1. Less is called no effect", 0},
	{"machine", 'm', "NAME", 0, "Measure on this machine instead of the experiment's", 0},
	{"scale", 's', "FRACTION", 0, "Of an emulated machine, such as 1/4", 0},
	{"set", 'S', "KEY=VALUE", 0, "Change a key of the experiment; may be repeated", 0},
	{"quick", OPT_QUICK, NULL, 0, "Two boots of one repetition: to see that everything works",
	 0},
	{"dry-run", 'n', NULL, 0, "Name the experiments, measure nothing", 0},
	{"quiet", 'q', NULL, 0, "No progress on stderr", 0},
	{"json", 'j', NULL, 0, "Print JSON, an object for each table", 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	char *end;

	switch (key) {
	case 'r':
		o->run = arg;
		return 0;
	case OPT_SMALLEST:
		o->smallest = strtod(arg, &end);
		if (end == arg || (*end && strcmp(end, "%")) || !(o->smallest >= 0) ||
		    o->smallest > 100)
			argp_error(state, "'%s' is not a percentage from 0 to 100", arg);
		return 0;
	case 'm':
		strlist_addf(&o->sets, "machine=%s", arg);
		return 0;
	case 's':
		strlist_addf(&o->sets, "scale=%s", arg);
		return 0;
	case 'S':
		strlist_add(&o->sets, arg);
		return 0;
	case OPT_QUICK: /* what --set says behind it counts */
		strlist_add(&o->sets, "boots=2");
		strlist_add(&o->sets, "repetitions=1");
		return 0;
	case 'n':
		o->dry_run = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->what)
			argp_error(state, "one table at a time");
		o->what = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "ID|ID/TABLE|EXPERIMENT",
	.doc = "Run the experiment that belongs to a published table and judge each row of it.\v"
	       "'schedbench published list' names the tables. A row is reproduced if the interval "
	       "measured excludes 0 and reaches the published change; no effect if the interval "
	       "lies within the smallest effect of interest. Exit status 1: not reproduced."};

/* "ID/TABLE": the table of that name; the rest of the published results goes with it. */
static const struct published_table *find_table(const struct published *p, const char *path,
						struct error *err)
{
	const char *name = strchr(path, '/') + 1;
	const struct published_table *t = published_find(p, name);

	if (!t)
		error_set(err, ERROR_USAGE, "'%s' has no table '%s' (schedbench published show %s)",
			  p->id, name, p->id);
	return t;
}

static struct published *load_published(const char *path, struct error *err)
{
	char *id = xstrndup(path, strcspn(path, "/"));
	struct published *p = NULL;

	published_load(&p, id, err);
	free(id);
	return p;
}

static void add_heading(const struct published *p, const struct published_table *t,
			const struct result *r, struct strbuf *out)
{
	const char *machine = t->machine ? t->machine : p->machine;

	strbuf_addf(out, "%s/%s: %s", p->id, t->name, p->title);
	if (p->author)
		strbuf_addf(out, " (%s%s%s)", p->author, p->date ? ", " : "",
			    p->date ? p->date : "");
	strbuf_addf(out, "\npublished on: %s\n", machine ? machine : "not said");
	strbuf_addf(out, "measured on:  %s, run %s\n", r->machine ? r->machine : "?", r->run_id);
	if (r->warning)
		strbuf_addf(out, "warning: %s\n", r->warning);
	strbuf_addch(out, '\n');
}

static void print_judgement(const struct options *o, const struct published *p,
			    const struct published_table *t, const struct result *r,
			    const struct judgement *j)
{
	struct strbuf out = STRBUF_INIT;
	bool color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");

	if (o->json) {
		json_t *root = judgement_json(j, &t->table, r, o->smallest);

		json_object_set_new(root, "id", json_string(p->id));
		json_object_set_new(root, "table", json_string(t->name));
		json_dumpf(root, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(root);
		return;
	}
	add_heading(p, t, r, &out);
	judgement_text(j, &t->table, r, o->smallest, color, &out);
	fputs(out.buf, stdout);
	strbuf_release(&out);
}

/* Compare run @run_id with the published table @path; *@holds: whether it is reproduced. */
static int judge_with(const struct options *o, struct store *store, const char *run_id,
		      const char *path, bool *holds, struct error *err)
{
	struct published *p = load_published(path, err);
	const struct published_table *t = p ? find_table(p, path, err) : NULL;
	const char *const runs[] = {run_id};
	const struct load_options load = {NULL, NULL, false};
	struct result *r = NULL;
	struct judgement j;
	int ret = -1;

	if (t && !result_load(&r, store, runs, 1, &load, err) &&
	    !judge_table(&j, &t->table, r, o->smallest, err)) {
		print_judgement(o, p, t, r, &j);
		*holds = judgement_holds(&j);
		judgement_release(&j);
		ret = 0;
	}
	if (r)
		result_free(r);
	published_free(p);
	return ret;
}

/* All tables of @paths, between blanks. */
static int judge_run(const struct options *o, struct store *store, const char *run_id,
		     const char *paths, bool *holds, struct error *err)
{
	int ret = 0;

	*holds = true;
	for (const char *p = paths + strspn(paths, " "); *p && !ret; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");
		char *path = xstrndup(p, len);
		bool one = false;

		if (p != paths && !o->json)
			putchar('\n');
		ret = judge_with(o, store, run_id, path, &one, err);
		*holds = *holds && one;
		free(path);
		p += len;
	}
	return ret;
}

/* Takes @e. */
static int measure(const struct options *o, struct experiment *e, bool *holds, struct error *err)
{
	struct execute_result result;
	struct store *store = NULL;
	char *path = xstrdup(e->published), *run_id = NULL;
	struct setup s;
	int ret = setup_init(&s, e, 0, err);

	if (!ret)
		ret = open_database(&store, o->db, STORE_WRITE, err);
	if (!ret)
		ret = run_new(&s, store, o->db, o->quiet, &run_id, &result, err);
	if (!ret)
		ret = judge_run(o, store, run_id, path, holds, err);
	store_close(store);
	setup_release(&s);
	free(run_id);
	free(path);
	return ret;
}

static int judge_stored(const struct options *o, bool *holds, struct error *err)
{
	struct store_run run = {0};
	struct experiment *e = NULL;
	struct store *store;
	const char *path = o->what;
	int ret;

	if (open_database(&store, o->db, STORE_READ, err))
		return -1;
	ret = store_run_find(store, o->run, &run, err);
	if (!ret && (!path || !strchr(path, '/'))) {
		ret = experiment_parse(&e, run.text, run.id, err);
		if (!ret && !e->published)
			ret = error_set(err, ERROR_USAGE,
					"run '%s' names no published table (say which: ID/TABLE)",
					run.id);
		path = !ret ? e->published : NULL;
	}
	if (!ret)
		ret = judge_run(o, store, run.id, path, holds, err);
	experiment_free(e);
	store_run_release(&run);
	store_close(store);
	return ret;
}

/* Does the experiment belong to ID, or to ID/TABLE? */
static bool belongs(const struct experiment *e, const char *what)
{
	size_t len = strlen(what);

	for (const char *p = e->published; p && *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");

		if (word >= len && !strncmp(p, what, len) && (word == len || p[len] == '/'))
			return true;
		p += word;
	}
	return false;
}

/* Names of the experiments that reproduce what is asked for; an experiment may be named itself. */
static int find_experiments(const struct options *o, struct strlist *names, struct error *err)
{
	struct key_value *kv;
	unsigned count;

	if (config_list(CONFIG_EXPERIMENT, &kv, &count, err))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		struct error ignored = ERROR_INIT;
		struct experiment *e;

		if (experiment_load(&e, kv[i].key, NULL, 0, &ignored))
			continue;
		if (belongs(e, o->what))
			strlist_add(names, kv[i].key);
		experiment_free(e);
	}
	key_values_free(kv, count);
	if (!names->count && (!strchr(o->what, '/') || strstr(o->what, ".yaml")))
		strlist_add(names, o->what);
	if (!names->count)
		return error_set(err, ERROR_USAGE,
				 "no experiment reproduces '%s' (see 'schedbench published list'; "
				 "an experiment says so with published: ID/TABLE)",
				 o->what);
	return 0;
}

static int reproduce_one(const struct options *o, const char *name, bool *holds, struct error *err)
{
	struct experiment *e;

	if (experiment_load(&e, name, (const char *const *)o->sets.items, (unsigned)o->sets.count,
			    err))
		return -1;
	if (!e->published) {
		experiment_free(e);
		return error_set(err, ERROR_USAGE,
				 "experiment '%s' names no published table (published: ID/TABLE)",
				 name);
	}
	if (o->dry_run) {
		printf("%s reproduces %s on %s\n", e->name, e->published, e->machine);
		experiment_free(e);
		*holds = true;
		return 0;
	}
	return measure(o, e, holds, err);
}

static int reproduce(const struct options *o, bool *holds, struct error *err)
{
	struct strlist names = STRLIST_INIT;
	int ret;

	*holds = false;
	if (o->run)
		return judge_stored(o, holds, err);
	ret = find_experiments(o, &names, err);
	*holds = true;
	for (size_t i = 0; !ret && i < names.count; i++) {
		bool one = false;

		if (i && !o->json && !o->dry_run)
			putchar('\n');
		ret = reproduce_one(o, names.items[i], &one, err);
		*holds = *holds && one;
	}
	strlist_release(&names);
	return ret;
}

int cmd_reproduce(int argc, char **argv, struct error *err)
{
	struct options o = {.smallest = 1, .sets = STRLIST_INIT};
	bool holds;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.what && !o.run)
		ret = error_set(err, ERROR_USAGE, "reproduce what? (%s)", argp.args_doc);
	else if (o.run && o.sets.count)
		ret = error_set(err, ERROR_USAGE,
				"a run is judged as it is (leave --set, --machine, "
				"--scale and --quick out)");
	else
		ret = reproduce(&o, &holds, err);
	if (!ret && !holds)
		ret = error_set(err, ERROR_BAD_NEWS, "not reproduced");
	strlist_release(&o.sets);
	return ret;
}
