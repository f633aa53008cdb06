// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench.h"
#include "plot/plot.h"
#include "report/load.h"

#define MAX_RUNS 16

struct options {
	const char *db;
	const char *runs[MAX_RUNS];
	unsigned runs_count;
	struct load_options load;
	struct plot_options plot;
};

enum { OPT_TEXT = 256, OPT_DATA, OPT_FORCE };

static const struct argp_option option_table[] = {
	{"output", 'o', "FILE", 0, "Picture to write: FILE.png, FILE.svg or FILE.pdf", 0},
	{"text", OPT_TEXT, NULL, 0, "Draw in the terminal with characters", 0},
	{"kind", 'k', "KIND", 0, "Kind of figure; default: lines", 0},
	{"data", OPT_DATA, "FILE", 0, "Keep the data that is plotted in FILE", 0},
	{"metric", 'm', "NAME", 0, "Metric, where the workload prints several", 0},
	{"force", OPT_FORCE, NULL, 0, "Compare runs of different builds of the workloads", 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->plot.output = arg;
		return 0;
	case OPT_TEXT:
		o->plot.text = true;
		return 0;
	case 'k':
		o->plot.kind = arg;
		return 0;
	case OPT_DATA:
		o->plot.data = arg;
		return 0;
	case 'm':
		o->load.metric = arg;
		return 0;
	case OPT_FORCE:
		o->load.force = true;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->runs_count == MAX_RUNS)
			argp_error(state, "more than %d runs", MAX_RUNS);
		o->runs[o->runs_count++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The kinds of figures stand behind the options in --help. */
static char *help_filter(int key, const char *text, void *input)
{
	struct strbuf sb = STRBUF_INIT;
	const char *kind, *summary;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	strbuf_addstr(&sb, "Kinds of figures:\n");
	for (size_t i = 0; (kind = plot_kind_at(i, &summary)); i++)
		strbuf_addf(&sb, "  %-8s %s\n", kind, summary);
	return strbuf_detach(&sb);
}

static const struct argp argp = {.options = option_table,
				 .parser = parse,
				 .args_doc = "[RUN [RUN...]]",
				 .doc = "Plot a run (default: the last one), or several runs of "
					"one experiment, with gnuplot.\v",
				 .help_filter = help_filter};

static void fit_terminal(struct plot_options *plot)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return;
	plot->columns = size.ws_col;
	plot->rows = size.ws_row > 12 ? size.ws_row - 2 : 0;
}

int cmd_plot(int argc, char **argv, struct error *err)
{
	struct strbuf drawing = STRBUF_INIT;
	struct options o = {.plot.drawing = &drawing};
	struct store *store;
	struct result *result;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.plot.output && !o.plot.text)
		return error_set(err, ERROR_USAGE,
				 "where to plot? (-o FILE.png, .svg or .pdf, or --text)");
	if (!o.runs_count)
		o.runs[o.runs_count++] = "last";
	fit_terminal(&o.plot);
	if (open_database(&store, o.db, STORE_READ, err))
		return -1;
	ret = result_load(&result, store, o.runs, o.runs_count, &o.load, err);
	if (!ret) {
		ret = plot_result(result, &o.plot, err);
		result_free(result);
	}
	if (!ret)
		fputs(drawing.buf, stdout);
	strbuf_release(&drawing);
	store_close(store);
	return ret;
}
