// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "run/calibrate.h"
#include "run/execute.h"
#include "run/progress.h"
#include "run/setup.h"
#include "util/strbuf.h"
#include "util/strlist.h"
#include "util/xalloc.h"

struct options {
	const char *experiment, *db, *resume_id;
	struct strlist sets, variants;
	bool resume, dry_run, json, quiet;
};

enum { OPT_BOOTS = 256, OPT_REPS, OPT_RESUME, OPT_DRY_RUN };

static const struct argp_option option_table[] = {
	{"variant", 'v', "NAME", 0, "Run this variant only; may be repeated", 0},
	{"set", 's', "KEY=VALUE", 0,
	 "Change a field of the experiment, such as sweep.groups=[1,2]; may be repeated", 0},
	{"boots", OPT_BOOTS, "N", 0, "The same as --set boots=N", 0},
	{"reps", OPT_REPS, "N", 0, "The same as --set repetitions=N", 0},
	{"resume", OPT_RESUME, "RUN", OPTION_ARG_OPTIONAL,
	 "Complete a run, by its id or its experiment's name; default: the last one", 0},
	{"dry-run", OPT_DRY_RUN, NULL, 0, "Print the plan and what it will take; run nothing", 0},
	{"json", 'j', NULL, 0, "Print the plan or the result as JSON", 0},
	{"quiet", 'q', NULL, 0, "No progress on stderr", 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'v':
		strlist_add(&o->variants, arg);
		return 0;
	case 's':
		strlist_add(&o->sets, arg);
		return 0;
	case OPT_BOOTS:
		strlist_addf(&o->sets, "boots=%s", arg);
		return 0;
	case OPT_REPS:
		strlist_addf(&o->sets, "repetitions=%s", arg);
		return 0;
	case OPT_RESUME:
		o->resume = true;
		o->resume_id = arg;
		return 0;
	case OPT_DRY_RUN:
		o->dry_run = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->experiment)
			argp_error(state, "one experiment at a time");
		o->experiment = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {.options = option_table,
				 .parser = parse,
				 .args_doc = "EXPERIMENT\n--resume [RUN|EXPERIMENT]",
				 .doc = "Run an experiment: boot each variant's kernel on the "
					"machine, run the workload, store "
					"every sample, print the table.\v"
					"EXPERIMENT is a YAML file or the name of one in "
					"configs/experiments. A run that was "
					"interrupted keeps what it measured: --resume completes it "
					"without measuring anything "
					"twice."};

static int check_options(const struct options *o, struct error *err)
{
	if (!o->experiment && !o->resume)
		return error_set(err, ERROR_USAGE,
				 "which experiment? (schedbench list experiments)");
	if (o->resume && (o->sets.count || o->variants.count))
		return error_set(
			err, ERROR_USAGE,
			"a resumed run keeps its plan: --set, --boots, --reps and --variant "
			"do not go with --resume");
	return 0;
}

static int no_variant(const struct experiment *e, const char *name, struct error *err)
{
	struct strbuf known = STRBUF_INIT;

	for (unsigned i = 0; i < e->variants_count; i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", e->variants[i].name);
	error_set(err, ERROR_USAGE, "experiment '%s' has no variant '%s' (it has %s)", e->name,
		  name, known.buf);
	strbuf_release(&known);
	return -1;
}

static int check_variants(const struct experiment *e, const struct options *o, struct error *err)
{
	for (size_t w = 0; w < o->variants.count; w++) {
		bool found = false;

		for (unsigned i = 0; i < e->variants_count; i++)
			found |= !strcmp(e->variants[i].name, o->variants.items[w]);
		if (!found)
			return no_variant(e, o->variants.items[w], err);
	}
	return 0;
}

/* --variant as one more --set (JSON is YAML), so that the stored experiment says what was run. */
static int select_variants(struct experiment **e, const struct options *o, struct error *err)
{
	struct strlist sets = STRLIST_INIT;
	json_t *list = json_array();
	struct experiment *chosen;
	char *text;
	int ret = check_variants(*e, o, err);

	for (unsigned i = 0; i < (*e)->variants_count; i++)
		if (strlist_has(&o->variants, (*e)->variants[i].name))
			json_array_append_new(list, variant_json(&(*e)->variants[i], NULL));
	text = json_dumps(list, 0);
	json_decref(list);
	for (size_t i = 0; i < o->sets.count; i++)
		strlist_add(&sets, o->sets.items[i]);
	strlist_addf(&sets, "variants=%s", text);
	free(text);
	if (!ret)
		ret = experiment_load(&chosen, o->experiment, strlist_argv(&sets), sets.count, err);
	if (!ret) {
		experiment_free(*e);
		*e = chosen;
	}
	strlist_release(&sets);
	return ret;
}

/* What a generator wants measured once becomes a part of the experiment, and is kept with the run. */
static int calibrate(struct experiment *e, struct options *o, struct error *err)
{
	char *set;
	int ret = calibrate_workload(e, &set, err);

	if (ret <= 0)
		return ret;
	if (!o->quiet)
		fprintf(stderr, "%s, measured on this host, for all variants of this run\n", set);
	strlist_add(&o->sets, set);
	free(set);
	return 1;
}

static int load_once(struct experiment **e, const struct options *o, struct error *err)
{
	if (experiment_load(e, o->experiment, strlist_argv(&o->sets), o->sets.count, err))
		return -1;
	if (o->variants.count && select_variants(e, o, err)) {
		experiment_free(*e);
		return -1;
	}
	return 0;
}

static int load_new(struct experiment **e, struct options *o, struct error *err)
{
	int measured;

	if (load_once(e, o, err))
		return -1;
	if (o->dry_run)
		return 0;
	measured = calibrate(*e, o, err);
	if (!measured)
		return 0;
	experiment_free(*e);
	*e = NULL;
	return measured < 0 ? -1 : load_once(e, o, err);
}

/* By the run's id, with or without "=", by the name of its experiment, or simply the last one. */
static int find_resumed(const struct options *o, struct store *store, struct store_run *run,
			struct error *err)
{
	const char *name = o->resume_id ? o->resume_id : o->experiment;
	struct error ignored = ERROR_INIT;
	struct experiment *e;
	int ret;

	if (!name)
		return store_run_find(store, "last", run, err);
	if (!store_run_find(store, name, run, err))
		return 0;
	/* Not a run: the name of an experiment then, else the run is what is missing. */
	if (experiment_load(&e, name, NULL, 0, o->resume_id ? &ignored : err))
		return -1;
	ret = store_run_find_unfinished(store, e->name, run, err);
	experiment_free(e);
	return ret;
}

static void count_left(const struct plan *plan, unsigned *boots, unsigned *repetitions)
{
	*boots = *repetitions = 0;
	for (unsigned i = 0; i < plan->boots_count; i++) {
		*boots += plan->boots[i].left > 0;
		*repetitions += plan->boots[i].left;
	}
}

static void print_boot(const struct setup *s, unsigned i)
{
	const struct plan_boot *boot = &s->plan.boots[i];
	const struct variant *v = &s->experiment->variants[boot->variant];

	printf("  %2u  %s (%s), boot %u", i + 1, v->name, v->kernel, boot->number);
	if (!boot->left)
		printf(": done");
	else if (boot->left < s->plan.items_per_boot)
		printf(": %u of %u repetitions left", boot->left, s->plan.items_per_boot);
	putchar('\n');
}

static void print_total(const struct plan *plan, bool at_most, double boot_s, double rep_s)
{
	unsigned boots, total;
	char eta[32];

	count_left(plan, &boots, &total);
	printf("\n%s%u boots, %u repetitions%s", at_most ? "at most " : "", boots, total,
	       total < plan->boots_count * plan->items_per_boot ? " left" : "");
	if (rep_s > 0) {
		format_seconds(boot_s * boots + rep_s * total, eta, sizeof(eta));
		printf(", about %s as earlier runs took\n", eta);
	} else {
		printf("; no estimate: this experiment has not been run on this machine yet\n");
	}
}

static void print_text_plan(const struct setup *s, double boot_s, double rep_s)
{
	const struct plan *plan = &s->plan;
	char *line = setup_machine_line(s);

	printf("%s\nmachine   %s\nworkload  %s%s\nseed      %llu\n\ncases\n", s->experiment->title,
	       line, s->experiment->workload.name,
	       s->experiment->workload.backend == BACKEND_PEER ? " (backend peer: the original)"
							       : "",
	       (unsigned long long)plan->seed);
	for (unsigned i = 0; i < plan->cases_count; i++)
		printf("  %s%s%s\n", plan->cases[i].key, plan->cases[i].cpus ? " on CPUs " : "",
		       plan->cases[i].cpus ? plan->cases[i].cpus : "");
	if (s->experiment->precision > 0)
		printf("\nprecision: %g %%: %u to %u boots of each variant\n",
		       s->experiment->precision * 100, s->experiment->boots,
		       s->experiment->max_boots);
	printf("\nboots, in this order, each with %u repetition%s of every case%s\n",
	       s->experiment->repetitions, s->experiment->repetitions == 1 ? "" : "s",
	       s->experiment->warmup ? " after warm-up" : "");
	for (unsigned i = 0; i < plan->boots_count; i++)
		print_boot(s, i);
	for (unsigned i = 0; i < s->experiment->variants_count; i++)
		if (!kernel_is_cached(s->kernels[i]))
			printf("\nkernel %s has to be %s first\n", s->kernels[i]->name,
			       s->kernels[i]->source == KERNEL_DEBIAN_IMAGE ? "fetched" : "built");
	print_total(plan, s->experiment->precision > 0, boot_s, rep_s);
	free(line);
}

static void print_json_plan(const struct setup *s, double boot_s, double rep_s)
{
	const struct plan *plan = &s->plan;
	json_t *root = json_object(), *cases = json_array(), *boots = json_array();
	unsigned boots_left, left;

	count_left(plan, &boots_left, &left);
	for (unsigned i = 0; i < plan->cases_count; i++)
		json_array_append_new(cases, json_string(plan->cases[i].key));
	for (unsigned i = 0; i < plan->boots_count; i++)
		json_array_append_new(
			boots,
			json_pack("{s:s, s:i, s:i}", "variant",
				  s->experiment->variants[plan->boots[i].variant].name, "boot",
				  (int)plan->boots[i].number, "left", (int)plan->boots[i].left));
	json_object_set_new(root, "experiment", json_string(s->experiment->name));
	json_object_set_new(root, "machine", json_string(s->machine->name));
	json_object_set_new(root, "seed", json_integer((json_int_t)plan->seed));
	json_object_set_new(root, "cases", cases);
	json_object_set_new(root, "boots", boots);
	if (s->experiment->precision > 0) {
		json_object_set_new(root, "precision", json_real(s->experiment->precision));
		json_object_set_new(root, "least_boots", json_integer(s->experiment->boots));
		json_object_set_new(root, "most_boots", json_integer(s->experiment->max_boots));
	}
	json_object_set_new(root, "repetitions", json_integer(s->experiment->repetitions));
	json_object_set_new(root, "estimate_s",
			    rep_s > 0 ? json_real(boot_s * boots_left + rep_s * left)
				      : json_null());
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

/* The plan and, by what earlier runs in @store (NULL: none yet) took, how long it will take. */
static int print_plan(const struct setup *s, const struct options *o, struct store *store,
		      struct error *err)
{
	double boot_s = 0, rep_s = 0;

	if (store &&
	    store_estimate(store, s->experiment->name, s->machine->name, &boot_s, &rep_s, err))
		return -1;
	if (o->json)
		print_json_plan(s, boot_s, rep_s);
	else
		print_text_plan(s, boot_s, rep_s);
	return 0;
}

static int explain_failures(const char *run_id, const char *db, const struct execute_result *result,
			    struct error *err)
{
	unsigned boots = result->failed_boots, samples = result->failed_samples;
	char *words = database_words(db);
	int ret = 0;

	if (boots)
		ret = error_set(err, ERROR_FAILED,
				"%u boot%s failed (schedbench show %s%s; schedbench run "
				"--resume=%s%s tries again)",
				boots, boots == 1 ? "" : "s", run_id, words, run_id, words);
	else if (samples)
		ret = error_set(err, ERROR_FAILED, "%u repetition%s failed (schedbench show %s%s)",
				samples, samples == 1 ? "" : "s", run_id, words);
	free(words);
	return ret;
}

static int finish(struct store *store, const char *run_id, const struct options *o,
		  const struct execute_result *result, struct error *err)
{
	struct compare_request request = {
		.runs = &run_id, .runs_count = 1, .style = o->json ? "json" : NULL};

	if (print_comparison(store, &request, err))
		return -1;
	if (!o->quiet)
		fprintf(stderr, "schedbench: run %s is stored in '%s'\n", run_id,
			database_path(o->db));
	return explain_failures(run_id, o->db, result, err);
}

/* What was measured is kept whatever stops a run: say how to go on. */
static int explain_stop(const char *run_id, const char *db, struct error *err)
{
	char *words = database_words(db);
	char *rest =
		xasprintf("%s (what was measured is kept; schedbench run --resume=%s%s goes on)",
			  err->msg, run_id, words);

	error_set(err, err->kind, "%s", rest);
	free(rest);
	free(words);
	return -1;
}

static int execute(struct setup *s, struct store *store, const char *run_id, const char *db,
		   bool quiet, struct execute_result *result, struct error *err)
{
	if (!quiet)
		fprintf(stderr, "schedbench: run %s\n", run_id);
	return execute_run(s, store, run_id, quiet, result, err) ? explain_stop(run_id, db, err)
								 : 0;
}

int run_new(struct setup *s, struct store *store, const char *db, bool quiet, char **run_id,
	    struct execute_result *result, struct error *err)
{
	if (setup_kernels(s, err) || setup_create_run(s, store, run_id, err))
		return -1;
	return execute(s, store, *run_id, db, quiet, result, err);
}

static int start_new(struct options *o, struct error *err)
{
	struct execute_result result;
	struct experiment *e;
	struct store *store = NULL;
	struct setup s;
	char *run_id = NULL;
	int ret;

	if (load_new(&e, o, err))
		return -1;
	ret = setup_init(&s, e, 0, err);
	if (!ret && o->dry_run) {
		if (database_exists(o->db))
			ret = open_database(&store, o->db, STORE_READ, err);
		if (!ret)
			ret = print_plan(&s, o, store, err);
	} else if (!ret) {
		ret = open_database(&store, o->db, STORE_WRITE, err);
		if (!ret)
			ret = run_new(&s, store, o->db, o->quiet, &run_id, &result, err);
		if (!ret)
			ret = finish(store, run_id, o, &result, err);
	}
	store_close(store);
	setup_release(&s);
	free(run_id);
	return ret;
}

static int resume(const struct options *o, struct error *err)
{
	struct execute_result result;
	struct store_run run = {0};
	struct experiment *e;
	struct store *store;
	struct setup s;
	int ret;

	/* Without a database there is nothing to go on with, and none to be made. */
	if (open_database(&store, o->db,
			  o->dry_run || !database_exists(o->db) ? STORE_READ : STORE_WRITE, err))
		return -1;
	ret = find_resumed(o, store, &run, err);
	if (!ret)
		ret = experiment_parse(&e, run.text, run.id, err);
	if (!ret) {
		ret = setup_init(&s, e, run.seed, err);
		if (!ret && o->dry_run)
			ret = execute_left(&s, store, run.id, err) || print_plan(&s, o, store, err)
				      ? -1
				      : 0;
		else if (!ret)
			ret = setup_kernels(&s, err) || setup_check_resume(&s, store, &run, err) ||
					      execute(&s, store, run.id, o->db, o->quiet, &result,
						      err) ||
					      finish(store, run.id, o, &result, err)
				      ? -1
				      : 0;
		setup_release(&s);
	}
	store_run_release(&run);
	store_close(store);
	return ret;
}

int cmd_run(int argc, char **argv, struct error *err)
{
	struct options o = {.sets = STRLIST_INIT, .variants = STRLIST_INIT};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = check_options(&o, err);
	if (!ret)
		ret = o.resume ? resume(&o, err) : start_new(&o, err);
	strlist_release(&o.sets);
	strlist_release(&o.variants);
	return ret;
}
