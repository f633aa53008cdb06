// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "report/aa.h"
#include "report/load.h"
#include "util/strlist.h"
#include "util/xalloc.h"

/* Fewer false alarms than this by chance alone: the harness cries wolf. */
#define CRIES_WOLF 0.01

struct options {
	const char *experiment, *db;
	struct strlist sets;
	bool json, quiet;
};

enum { OPT_AA = 256, OPT_BOOTS, OPT_REPS };

static const struct argp_option option_table[] = {
	{"aa", OPT_AA, "EXPERIMENT", 0, "Run the experiment's first variant against itself", 0},
	{"set", 's', "KEY=VALUE", 0, "Change a field of the experiment; may be repeated", 0},
	{"boots", OPT_BOOTS, "N", 0, "The same as --set boots=N", 0},
	{"reps", OPT_REPS, "N", 0, "The same as --set repetitions=N", 0},
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{"quiet", 'q', NULL, 0, "No progress on stderr", 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_AA:
		o->experiment = arg;
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
		argp_error(state, "what is '%s'? (--aa EXPERIMENT)", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "--aa EXPERIMENT",
	.doc = "Run A against A: what the rule flags is a false alarm, and the spread tells the "
	       "smallest "
	       "effect that this machine finds with these settings.\v"
	       "Status 1: more false alarms than the nominal 5 % explain."};

/* The first variant twice, as one more --set: JSON is YAML. */
static int load_twice(struct experiment **out, const struct options *o, struct error *err)
{
	struct experiment *e;
	struct strlist sets = STRLIST_INIT;
	json_t *list;
	char *text;
	int ret;

	if (experiment_load(&e, o->experiment, strlist_argv(&o->sets), o->sets.count, err))
		return -1;
	list = json_array();
	for (int i = 0; i < 2; i++)
		json_array_append_new(list, variant_json(&e->variants[0], i ? "B" : "A"));
	text = json_dumps(list, 0);
	json_decref(list);
	for (size_t i = 0; i < o->sets.count; i++)
		strlist_add(&sets, o->sets.items[i]);
	strlist_addf(&sets, "variants=%s", text);
	free(text);
	experiment_free(e);
	ret = experiment_load(out, o->experiment, strlist_argv(&sets), sets.count, err);
	strlist_release(&sets);
	return ret;
}

static void print_number(double value, const char *unit)
{
	if (!isfinite(value))
		printf("  %9s", "unknown");
	else
		printf("  %7.2f %s", value, unit);
}

static void print_text(const struct result *r, const struct aa_row *rows,
		       const struct aa_summary *s)
{
	printf("%s: %s against itself, %s (%s)\nmachine: %s\n", r->title, r->variant_kernels[0],
	       r->metric, r->unit, r->machine);
	if (r->warning)
		printf("warning: %s\n", r->warning);
	printf("\n%-20s  %9s  %9s  %9s  %9s\n", r->case_label, "boot CV", "run CV", "change",
	       "finds");
	for (size_t i = 0; i < r->cases_count; i++) {
		printf("%-20s", r->cases[i]);
		print_number(rows[i].between, "%");
		print_number(rows[i].within, "%");
		print_number(rows[i].change, "%");
		print_number(rows[i].detectable, "%");
		printf("%s\n", rows[i].flagged ? "  false alarm" : "");
	}
	printf("\nboot CV, run CV: spread of the boots' means and of the runs in a boot; change: "
	       "measured,\nthough there is none; finds: smallest true change found in 80 %% of "
	       "such experiments\n");
	if (!s->tested)
		printf("false alarms: unknown, no row has two boots on each side (--boots 3)\n");
	else
		printf("false alarms: %u of %u rows, %.1f %%; 5 %% are nominal (95 %% interval of "
		       "the rate: %.1f to %.1f %%)\n",
		       s->flagged, s->tested, s->rate, s->low, s->high);
	if (s->tested)
		printf("the true boot CV is %.1f to %.1f times the one shown, and so is what is "
		       "found\n(95 %% interval; more --boots narrow it)\n",
		       s->spread_low, s->spread_high);
}

/* JSON has no NaN, and no infinity: a spread in percent of a mean of 0. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static void print_json(const struct result *r, const struct aa_row *rows,
		       const struct aa_summary *s)
{
	json_t *list = json_array(), *root;

	for (size_t i = 0; i < r->cases_count; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:b}", "case", r->cases[i],
					"boot_cv", number(rows[i].between), "run_cv",
					number(rows[i].within), "change", number(rows[i].change),
					"detectable", number(rows[i].detectable), "tested",
					rows[i].tested, "false_alarm", rows[i].flagged));
	root = json_pack("{s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "run", r->run_id,
			 "metric", r->metric, "tested", (int)s->tested, "false_alarms",
			 (int)s->flagged, "rate", number(s->rate), "rate_low", number(s->low),
			 "rate_high", number(s->high), "spread_low", number(s->spread_low),
			 "spread_high", number(s->spread_high), "rows", list);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

static int report(struct store *store, const char *run_id, const struct options *o,
		  struct aa_summary *alarms, struct error *err)
{
	const struct load_options load = {0};
	struct aa_row *rows;
	struct result *r;

	if (result_load(&r, store, &run_id, 1, &load, err))
		return -1;
	rows = xcalloc(r->cases_count, sizeof(*rows));
	aa_analyse(r, rows, alarms);
	(o->json ? print_json : print_text)(r, rows, alarms);
	free(rows);
	result_free(r);
	return 0;
}

/* Failures go first: what is missing may be what the alarms come from. */
static int judge(const struct aa_summary *alarms, const struct execute_result *result,
		 const char *run_id, const char *db, struct error *err)
{
	if (result->failed_boots || result->failed_samples) {
		char *words = database_words(db);

		error_set(err, ERROR_FAILED,
			  "%u boots and %u repetitions failed (schedbench show %s%s)",
			  result->failed_boots, result->failed_samples, run_id, words);
		free(words);
		return -1;
	}
	if (alarms->tested && alarms->p < CRIES_WOLF)
		return error_set(err, ERROR_BAD_NEWS,
				 "%u of %u rows are false alarms: something changes between equal "
				 "boots (schedbench plot --kind run-order shows drift)",
				 alarms->flagged, alarms->tested);
	return 0;
}

static int calibrate(const struct options *o, struct error *err)
{
	struct execute_result result = {0};
	struct store *store = NULL;
	struct aa_summary alarms;
	struct experiment *e;
	char *run_id = NULL;
	struct setup s;
	int ret;

	if (load_twice(&e, o, err))
		return -1;
	ret = setup_init(&s, e, 0, err);
	if (!ret)
		ret = open_database(&store, o->db, STORE_WRITE, err);
	if (!ret)
		ret = run_new(&s, store, o->db, o->quiet, &run_id, &result, err);
	if (!ret)
		ret = report(store, run_id, o, &alarms, err);
	if (!ret)
		ret = judge(&alarms, &result, run_id, o->db, err);
	store_close(store);
	setup_release(&s);
	free(run_id);
	return ret;
}

int cmd_doctor(int argc, char **argv, struct error *err)
{
	struct options o = {.sets = STRLIST_INIT};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.experiment)
		ret = error_set(err, ERROR_USAGE,
				"which experiment? (--aa EXPERIMENT; schedbench list experiments)");
	else
		ret = calibrate(&o, err);
	strlist_release(&o.sets);
	return ret;
}
