// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "report/analysis.h"
#include "report/load.h"
#include "report/report.h"

#define MAX_RUNS 16

struct options {
	const char *db;
	const char *runs[MAX_RUNS];
	struct compare_request request;
};

enum { OPT_CI = 256, OPT_FORCE, OPT_RATIO, OPT_SIGNIFICANCE_ROWS, OPT_NO_COMPARE, OPT_ADJUST };

static const struct argp_option option_table[] = {
	{"style", 's', "STYLE", 0, "Output style; 'schedbench list styles' shows them", 0},
	{"json", 'j', NULL, 0, "The same as --style json", 0},
	{"metric", 'm', "NAME", 0, "Metric, where the workload prints several", 0},
	{"statistic", 'S', "NAME", 0, "amean, hmean, gmean or median; default: by direction", 0},
	{"significance", 'x', "RULE", 0,
	 "Rule for the marks: own (default; Welch on boot means), mmtests, mmtests-legacy, none",
	 0},
	{"adjust", OPT_ADJUST, "METHOD", 0,
	 "Adjust the own rule's p for the number of rows: none (default), holm, bh", 0},
	{"ci", OPT_CI, NULL, 0, "Print 95 % intervals of the changes", 0},
	{"ratio", OPT_RATIO, NULL, 0, "Style mmtests: ratios instead of values", 0},
	{"significance-rows", OPT_SIGNIFICANCE_ROWS, NULL, 0,
	 "Style mmtests: rows that say what decided on the marks", 0},
	{"no-compare", OPT_NO_COMPARE, NULL, 0, "Style mmtests: values without percentages", 0},
	{"force", OPT_FORCE, NULL, 0, "Compare runs of different builds of the workloads", 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct compare_request *r = &o->request;

	switch (key) {
	case 's':
		r->style = arg;
		return 0;
	case 'j':
		r->style = "json";
		return 0;
	case 'm':
		r->metric = arg;
		return 0;
	case 'S':
		r->statistic = arg;
		return 0;
	case 'x':
		r->significance = arg;
		return 0;
	case OPT_ADJUST:
		r->adjust = arg;
		return 0;
	case OPT_CI:
		r->intervals = true;
		return 0;
	case OPT_FORCE:
		r->force = true;
		return 0;
	case OPT_RATIO:
		r->ratio = true;
		return 0;
	case OPT_SIGNIFICANCE_ROWS:
		r->significance_rows = true;
		return 0;
	case OPT_NO_COMPARE:
		r->no_compare = true;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (r->runs_count == MAX_RUNS)
			argp_error(state, "more than %d runs", MAX_RUNS);
		o->runs[r->runs_count++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "[RUN [RUN...]]",
	.doc = "Print the table of a run (default: the last one), or of several runs of one "
	       "experiment side by side.\vRUN is an id, the unique beginning of one, or 'last'."};

static int check_statistic(const char *name, struct error *err)
{
	static const char *const names[] = {"amean", "hmean", "gmean", "median"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			name = NULL;
	if (name)
		return error_set(err, ERROR_USAGE,
				 "no statistic '%s' (amean, hmean, gmean, median)", name);
	return 0;
}

static int check_layout(const struct compare_request *r, const char *style, struct error *err)
{
	if (!strcmp(style, "mmtests") || (!r->ratio && !r->significance_rows && !r->no_compare))
		return 0;
	return error_set(
		err, ERROR_USAGE,
		"style '%s' has no --ratio, --significance-rows and --no-compare (add --style "
		"mmtests)",
		style);
}

/* The rule for the marks, with what it is adjusted by. */
static int choose_rule(const struct compare_request *r, struct report_options *opt,
		       struct error *err)
{
	if ((r->significance && significance_parse(r->significance, &opt->significance, err)) ||
	    (r->adjust && adjustment_parse(r->adjust, &opt->adjust, err)))
		return -1;
	if (opt->adjust != ADJUST_NONE && opt->significance != SIGNIFICANCE_OWN)
		return error_set(err, ERROR_USAGE,
				 "only the own rule has a p to adjust (--adjust %s goes with "
				 "--significance own)",
				 r->adjust);
	return 0;
}

int print_comparison(struct store *store, const struct compare_request *request, struct error *err)
{
	struct strbuf out = STRBUF_INIT, notes = STRBUF_INIT;
	struct report_options opt = {
		.intervals = request->intervals,
		.ratio = request->ratio,
		.significance_rows = request->significance_rows,
		.no_compare = request->no_compare,
		.notes = &notes,
	};
	struct load_options load = {request->metric, request->statistic, request->force};
	const struct report_style *style;
	struct result *result;
	double *adjusted;
	int ret;

	opt.color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	style = report_style_find(request->style ? request->style : DEFAULT_STYLE, err);
	if (!style || check_layout(request, style->name, err) ||
	    check_statistic(request->statistic, err) || choose_rule(request, &opt, err) ||
	    result_load(&result, store, request->runs, request->runs_count, &load, err))
		return -1;
	opt.adjusted = adjusted = result_adjust(result, &opt);
	/* Some styles copy another tool's table to the byte and have no place to say it. */
	if (result->backend && !strcmp(result->backend, "peer"))
		strbuf_addstr(&notes, "backend peer: the values are those of the original tool\n");
	ret = style->print(result, &opt, &out, err);
	if (!ret)
		fwrite(out.buf, 1, out.len, stdout);
	fputs(notes.buf, stderr);
	free(adjusted);
	strbuf_release(&notes);
	strbuf_release(&out);
	result_free(result);
	return ret;
}

/* Who reads JSON gets JSON also where there is no result. */
static void print_json_error(const struct error *err)
{
	json_t *root = json_pack("{s:s%, s:i}", "error", err->msg, strlen(err->msg), "exit_status",
				 (int)err->kind);

	if (!root) /* not UTF-8 */
		root = json_pack("{s:s, s:i}", "error", "see stderr", "exit_status",
				 (int)err->kind);
	json_dumpf(root, stdout, 0);
	putchar('\n');
	json_decref(root);
}

int cmd_compare(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct store *store;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.request.runs_count)
		o.runs[o.request.runs_count++] = "last";
	o.request.runs = o.runs;
	ret = open_database(&store, o.db, STORE_READ, err);
	if (!ret) {
		ret = print_comparison(store, &o.request, err);
		store_close(store);
	}
	if (ret && o.request.style && !strcmp(o.request.style, "json"))
		print_json_error(err);
	return ret;
}
