// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/analysis.h"

/*
 * The comparison table of the kernel test robot: raw changes, so the sign does not say better or
 * worse. The first variant is compared with each other one, a table for each.
 */
static void print_heading(const struct result *r, size_t variant, struct strbuf *out)
{
	strbuf_addchars(out, '=', 89);
	strbuf_addf(out, "\ntestcase/metric/unit/statistic:\n  %s/%s/%s/%s\n\ncommit:\n",
		    r->workload ? r->workload : "-", r->metric ? r->metric : "-",
		    r->unit ? r->unit : "-", result_mean_name(r));
	for (size_t v = 0; v <= variant; v += variant)
		strbuf_addf(out, "  %s (\"%s\")\n", r->variants[v],
			    r->variant_kernels[v] ? r->variant_kernels[v] : r->variants[v]);
	strbuf_addf(out, "\n%16.16s %-27.27s\n---------------- ---------------------------\n",
		    r->variants[0], r->variants[variant]);
}

static void add_value(const struct cell_summary *s, struct strbuf *out)
{
	double spread = fabs(s->stddev / s->mean) * 100, size = fabs(s->mean);

	if (size < 1000)
		strbuf_addf(out, "%10.2f", s->mean);
	else if (size <= 1e8)
		strbuf_addf(out, "%10.0f", trunc(s->mean));
	else
		strbuf_addf(out, "%10.4g", s->mean);
	if (spread > 2)
		strbuf_addf(out, " \302\261%3.0f%%", spread);
	else
		strbuf_addstr(out, "      ");
}

static void add_change(const struct result *r, double old, double new, struct strbuf *out)
{
	double percent = (new - old) * 100 / old;

	if (r->unit && !strcmp(r->unit, "%"))
		strbuf_addf(out, "%+10.1f  ", new - old);
	else if (fabs(percent) >= 1e5)
		strbuf_addf(out, "%+10.2g%% ", percent);
	else
		strbuf_addf(out, "%+10.1f%% ", percent);
}

static void print_failures(const struct result *r, size_t variant, struct strbuf *out)
{
	bool heading = false;

	for (size_t i = 0; i < r->cases_count; i++) {
		const struct result_cell *a = result_cell(r, i, 0), *b = result_cell(r, i, variant);
		size_t bad_a = a->failed + a->timeout, bad_b = b->failed + b->timeout;
		size_t runs_a = a->count + bad_a, runs_b = b->count + bad_b;

		if (!bad_a && !bad_b)
			continue;
		if (!heading)
			strbuf_addstr(out, "       fail:runs  %reproduction    fail:runs\n"
					   "           |             |             |\n");
		heading = true;
		strbuf_addf(out, "%11zu:%-4zu%10.0f%% %11zu:%-4zu  %s.fail/%s\n", bad_a, runs_a,
			    100 * ((runs_b ? (double)bad_b / runs_b : 0) -
				   (runs_a ? (double)bad_a / runs_a : 0)),
			    bad_b, runs_b, r->workload ? r->workload : "test", r->cases[i]);
	}
}

static void print_metrics(const struct result *r, size_t variant, struct strbuf *out)
{
	strbuf_addstr(out, "         %stddev     %change         %stddev\n"
			   "             \\          |                \\\n");
	for (size_t i = 0; i < r->cases_count; i++) {
		struct cell_summary a, b;

		cell_summarise(r, result_cell(r, i, 0), &a);
		cell_summarise(r, result_cell(r, i, variant), &b);
		if (isnan(a.mean) || isnan(b.mean))
			continue;
		add_value(&a, out);
		add_change(r, a.mean, b.mean, out);
		add_value(&b, out);
		strbuf_addf(out, "  %s.%s/%s\n", r->workload ? r->workload : "test",
			    r->metric ? r->metric : "value", r->cases[i]);
	}
}

/* The layout has no place for a row whose mean does not exist. */
static void note_left_out(const struct result *r, size_t variant, struct strbuf *notes)
{
	for (size_t i = 0; i < r->cases_count; i++) {
		const struct result_cell *cell = result_cell(r, i, variant);
		struct cell_summary s;

		cell_summarise(r, cell, &s);
		if (cell->count && isnan(s.mean))
			strbuf_addf(notes, "%s, %s %s: not shown, no %s: there are samples <= 0\n",
				    r->variants[variant], r->case_label ? r->case_label : "case",
				    r->cases[i], result_mean_name(r));
	}
}

static int print_lkp(const struct result *r, const struct report_options *opt, struct strbuf *out,
		     struct error *err)
{
	if (r->variants_count < 2)
		return error_set(err, ERROR_USAGE,
				 "style 'lkp' compares variants, and there is only one");
	for (size_t v = 1; v < r->variants_count; v++) {
		if (v > 1)
			strbuf_addch(out, '\n');
		print_heading(r, v, out);
		print_failures(r, v, out);
		print_metrics(r, v, out);
	}
	if (opt->notes) {
		if (r->warning)
			strbuf_addf(opt->notes, "%s\n", r->warning);
		result_remarks(r, opt->notes);
		for (size_t v = 0; v < r->variants_count; v++)
			note_left_out(r, v, opt->notes);
	}
	return 0;
}

REPORT_STYLE(lkp) = {
	.name = "lkp",
	.summary = "the table of the kernel test robot",
	.print = print_lkp,
};
