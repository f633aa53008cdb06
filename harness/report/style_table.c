// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "util/xalloc.h"

/* The default: the layout that readers of mmtests know, with what it leaves out. */
enum { VALUE_WIDTH = 12, COLUMN_WIDTH = 23 };

struct table {
	const struct result *r;
	const struct report_options *opt;
	struct strbuf *out;
	struct cell_summary *summary; /* like result->cells */
	int decimals;
	int name_width, case_width;
	int *widths; /* of the columns */
};

enum row { ROW_MIN, ROW_MEAN, ROW_STDDEV, ROW_COEFFVAR, ROW_MAX, ROW_BEST, ROWS };

static int wider(int width, const char *text)
{
	int len = text ? (int)strlen(text) : 0;

	return len > width ? len : width;
}

static const char *row_name(const struct result *r, enum row row)
{
	switch (row) {
	case ROW_MIN:
		return "Min";
	case ROW_MEAN:
		return result_mean_name(r);
	case ROW_STDDEV:
		return "Stddev";
	case ROW_COEFFVAR:
		return "CoeffVar";
	case ROW_MAX:
		return "Max";
	case ROW_BEST:
		return result_mean_kind(r) == STATS_HMEAN ? "BHmean-95" : "BAmean-95";
	case ROWS:
		break;
	}
	return "";
}

static double row_value(const struct cell_summary *s, enum row row)
{
	const double values[ROWS] = {
		[ROW_MIN] = s->min,	      [ROW_MEAN] = s->mean, [ROW_STDDEV] = s->stddev,
		[ROW_COEFFVAR] = s->coeffvar, [ROW_MAX] = s->max,   [ROW_BEST] = s->best95,
	};

	return values[row];
}

static void measure(struct table *t)
{
	const struct result *r = t->r;

	t->name_width = 9;
	t->case_width = wider(0, r->case_label);
	for (size_t i = 0; i < r->cases_count; i++)
		t->case_width = wider(t->case_width, r->cases[i]);
	t->widths = xreallocarray(NULL, r->variants_count + 1, sizeof(*t->widths));
	for (size_t v = 0; v < r->variants_count; v++) {
		t->widths[v] = wider(COLUMN_WIDTH, r->variants[v]) + 1;
		t->widths[v] = wider(t->widths[v] - 1, r->variant_kernels[v]) + 1;
		for (size_t i = 0; i < r->cases_count; i++) {
			char text[400];

			snprintf(text, sizeof(text), "%.*f", t->decimals,
				 t->summary[i * r->variants_count + v].max);
			if (wider(0, text) + 12 > t->widths[v])
				t->widths[v] = wider(0, text) + 12;
		}
	}
}

static void print_heading(struct table *t)
{
	const struct result *r = t->r;
	struct strbuf *out = t->out;

	if (r->title)
		strbuf_addf(out, "%s\n", r->title);
	if (r->run_id)
		strbuf_addf(out, "run: %s\n", r->run_id);
	if (r->machine)
		strbuf_addf(out, "machine: %s\n", r->machine);
	if (r->warning)
		strbuf_addf(out, "warning: %s\n", r->warning);
	strbuf_addf(out, "%s%s%s%s%s%s, %s", r->workload ? r->workload : "", r->workload ? " " : "",
		    r->metric ? r->metric : "value", r->unit ? " (" : "", r->unit ? r->unit : "",
		    r->unit ? ")" : "", result_direction(r));
	if (result_is_even(r) && r->cases_count) {
		strbuf_addstr(out, "; n = ");
		if (r->boots && r->repetitions)
			strbuf_addf(out, "%u boots x %u repetitions", r->boots, r->repetitions);
		else
			cell_count_text(&t->summary[0], out);
	} else if (r->cases_count) {
		strbuf_addstr(out, "; n differs, see the rows n (boots x repetitions)");
	}
	strbuf_addstr(out, "\n\n");
}

static void print_header(struct table *t)
{
	const struct result *r = t->r;
	bool kernels = false;

	strbuf_addf(t->out, "%*s %-*s", t->name_width, "", t->case_width,
		    r->case_label ? r->case_label : "");
	for (size_t v = 0; v < r->variants_count; v++) {
		strbuf_addf(t->out, "%*s", t->widths[v], r->variants[v]);
		kernels |= r->variant_kernels[v] != NULL;
	}
	strbuf_addch(t->out, '\n');
	if (!kernels)
		return;
	strbuf_addf(t->out, "%*s %*s", t->name_width, "", t->case_width, "");
	for (size_t v = 0; v < r->variants_count; v++)
		strbuf_addf(t->out, "%*s", t->widths[v],
			    r->variant_kernels[v] ? r->variant_kernels[v] : "");
	strbuf_addch(t->out, '\n');
}

static void print_percent(struct table *t, double percent, bool marked)
{
	const char *on = "", *off = "";

	if (t->opt->color && marked) {
		on = percent > 0 ? "\033[32m" : "\033[31m";
		off = "\033[0m";
	}
	if (isnan(percent))
		strbuf_addstr(t->out, " (    n/a )");
	else
		strbuf_addf(t->out, " %s%c%7.2f%%%c%s", on, marked ? '*' : '(', percent,
			    marked ? '*' : ')', off);
}

static void print_cell(struct table *t, enum row row, size_t kase, size_t variant)
{
	const struct result *r = t->r;
	const struct cell_summary *s = &t->summary[kase * r->variants_count + variant];
	double base = row_value(&t->summary[kase * r->variants_count], row);
	double value = row_value(s, row);
	const char *word = cell_word(result_cell(r, kase, variant));
	struct cell_change c;

	if (word || isnan(value)) {
		strbuf_addf(t->out, "%*s", t->widths[variant], word ? word : "n/a");
		return;
	}
	strbuf_addf(t->out, "%*.*f", t->widths[variant] - 11, t->decimals, value);
	if (row == ROW_MEAN) {
		cell_compare(r, kase, variant, t->opt, &c);
		print_percent(t, c.percent, c.marked);
	} else {
		enum better better = row == ROW_STDDEV || row == ROW_COEFFVAR ? BETTER_LOWER
									      : r->better;

		print_percent(t, variant ? change_percent(value, base, better) : 0, false);
	}
}

static void print_row(struct table *t, enum row row)
{
	const struct result *r = t->r;

	for (size_t i = 0; i < r->cases_count; i++) {
		strbuf_addf(t->out, "%-*s %-*s", t->name_width, row_name(r, row), t->case_width,
			    r->cases[i]);
		for (size_t v = 0; v < r->variants_count; v++)
			print_cell(t, row, i, v);
		strbuf_addch(t->out, '\n');
	}
}

static void interval_text(const struct table *t, size_t kase, size_t variant, char *text,
			  size_t size)
{
	struct cell_change c;

	cell_compare(t->r, kase, variant, t->opt, &c);
	if (!variant)
		snprintf(text, size, "-");
	else if (isnan(c.low))
		snprintf(text, size, c.unit == UNIT_NONE ? "need >= 2" : "n/a");
	else
		snprintf(text, size, "%+.2f%% to %+.2f%%", c.low, c.high);
}

static void print_intervals(struct table *t)
{
	const struct result *r = t->r;
	char text[128];

	for (size_t i = 0; i < r->cases_count; i++) {
		strbuf_addf(t->out, "%-*s %-*s", t->name_width, "Interval", t->case_width,
			    r->cases[i]);
		for (size_t v = 0; v < r->variants_count; v++) {
			interval_text(t, i, v, text, sizeof(text));
			strbuf_addf(t->out, "%*s", t->widths[v], text);
		}
		strbuf_addch(t->out, '\n');
	}
}

static void print_counts(struct table *t)
{
	const struct result *r = t->r;

	for (size_t i = 0; i < r->cases_count; i++) {
		strbuf_addf(t->out, "%-*s %-*s", t->name_width, "n", t->case_width, r->cases[i]);
		for (size_t v = 0; v < r->variants_count; v++) {
			struct strbuf text = STRBUF_INIT;

			cell_count_text(&t->summary[i * r->variants_count + v], &text);
			strbuf_addf(t->out, "%*s", t->widths[v], text.buf);
			strbuf_release(&text);
		}
		strbuf_addch(t->out, '\n');
	}
}

static void print_counters(struct table *t)
{
	const struct result *r = t->r;
	int width = t->name_width + 1 + t->case_width;

	if (r->counters_count)
		strbuf_addch(t->out, '\n');
	for (size_t i = 0; i < r->counters_count; i++)
		width = wider(width, r->counters[i].name);
	for (size_t i = 0; i < r->counters_count; i++) {
		strbuf_addf(t->out, "%-*s", width, r->counters[i].name);
		for (size_t v = 0; v < r->variants_count; v++) {
			if (isnan(r->counters[i].values[v]))
				strbuf_addf(t->out, "%*s", t->widths[v], "not counted");
			else
				strbuf_addf(t->out, "%*.2f", t->widths[v],
					    r->counters[i].values[v]);
		}
		strbuf_addch(t->out, '\n');
	}
}

static void print_gmean(struct table *t)
{
	const struct result *r = t->r;

	if (r->cases_count < 2 || r->variants_count < 2)
		return;
	strbuf_addf(t->out, "%-*s %-*s%*s", t->name_width, "Gmean", t->case_width, "", t->widths[0],
		    "1.0000 (   0.00%)");
	for (size_t v = 1; v < r->variants_count; v++) {
		size_t matched;
		double ratio = result_ratio_gmean(r, v, &matched);

		if (isnan(ratio)) {
			strbuf_addf(t->out, "%*s", t->widths[v], "n/a");
			continue;
		}
		strbuf_addf(t->out, "%*.4f", t->widths[v] - 11, ratio);
		print_percent(t, change_percent(ratio, 1, r->better), false);
	}
	strbuf_addch(t->out, '\n');
	for (size_t v = 1; v < r->variants_count; v++) {
		size_t matched;

		result_ratio_gmean(r, v, &matched);
		if (matched < r->cases_count)
			strbuf_addf(
				t->out,
				"Gmean of %s is over %zu of %zu rows: those that both sides have\n",
				r->variants[v], matched, r->cases_count);
	}
}

static void print_all(struct table *t)
{
	print_heading(t);
	print_header(t);
	for (enum row row = ROW_MIN; row < ROWS; row++) {
		enum stats_mean kind = result_mean_kind(t->r);

		if (row == ROW_BEST && kind != STATS_AMEAN && kind != STATS_HMEAN)
			continue;
		print_row(t, row);
		if (row == ROW_MEAN && t->opt->intervals)
			print_intervals(t);
	}
	if (!result_is_even(t->r))
		print_counts(t);
	print_gmean(t);
	print_counters(t);
	strbuf_addch(t->out, '\n');
	result_remarks(t->r, t->out);
	result_legend(t->r, t->opt, t->out);
	if (t->opt->intervals)
		strbuf_addf(t->out, "Interval: %g %% interval of the change, by the same model\n",
			    100 * (1 - report_alpha(t->opt)));
}

static int print_table(const struct result *r, const struct report_options *opt, struct strbuf *out,
		       struct error *err)
{
	struct table t = {.r = r, .opt = opt, .out = out};
	size_t cells = r->cases_count * r->variants_count;

	(void)err;
	t.summary = xcalloc(cells ? cells : 1, sizeof(*t.summary));
	for (size_t i = 0; i < cells; i++)
		cell_summarise(r, &r->cells[i], &t.summary[i]);
	t.decimals = opt->decimals ? opt->decimals : result_decimals(r);
	if (t.decimals < 0)
		t.decimals = 0;
	measure(&t);
	print_all(&t);
	free(t.summary);
	free(t.widths);
	return 0;
}

REPORT_STYLE(table) = {
	.name = "table",
	.summary = "the layout of mmtests with units, sample counts and failures (default)",
	.print = print_table,
};
