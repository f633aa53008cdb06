// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "report/analysis.h"
#include "util/xalloc.h"

/* One line for each case and variant, worst first. */
struct line {
	size_t kase, variant;
	const char *word;
	struct cell_change change;
};

/* Of a baseline of 0 there is no percentage, but still a direction. */
static bool is_better(const struct result *r, const struct cell_change *c)
{
	if (!isnan(c->percent))
		return c->percent > 0;
	return r->better == BETTER_HIGHER ? c->test.difference > 0 : c->test.difference < 0;
}

static const char *verdict(const struct result *r, const struct line *l)
{
	const char *word = cell_word(result_cell(r, l->kase, l->variant));

	if (word)
		return word;
	word = cell_word(result_cell(r, l->kase, 0));
	if (word)
		return "no baseline";
	if (l->change.marked)
		return is_better(r, &l->change) ? "improvement" : "regression";
	return l->change.unit == UNIT_NONE ? "too few" : "no change";
}

/* What has no number goes before everything: it is the worst news. Then regressions by size,
 * improvements by size at the end. */
static int worst_first(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	double p = x->change.percent, q = y->change.percent;

	if (isnan(p) || isnan(q))
		return isnan(q) - isnan(p);
	if (p != q)
		return p < q ? -1 : 1;
	return x->kase < y->kase ? -1 : x->kase > y->kase;
}

static struct line *collect(const struct result *r, const struct report_options *opt, size_t *count)
{
	struct line *lines = xcalloc(r->cases_count * r->variants_count + 1, sizeof(*lines));

	*count = 0;
	for (size_t v = 1; v < r->variants_count; v++)
		for (size_t i = 0; i < r->cases_count; i++) {
			struct line *l = &lines[(*count)++];

			l->kase = i;
			l->variant = v;
			cell_compare(r, i, v, opt, &l->change);
			l->word = verdict(r, l);
		}
	if (*count)
		qsort(lines, *count, sizeof(*lines), worst_first);
	return lines;
}

static void print_line(const struct result *r, const struct report_options *opt,
		       const struct line *l, int decimals, struct strbuf *out)
{
	const struct cell_change *c = &l->change;
	struct cell_summary base, s;

	cell_summarise(r, result_cell(r, l->kase, 0), &base);
	cell_summarise(r, result_cell(r, l->kase, l->variant), &s);
	if (isnan(c->percent))
		strbuf_addf(out, "%9s", "");
	else
		strbuf_addf(out, "%+8.2f%%", c->percent);
	strbuf_addf(out, "  %-11s  %s, %s %s", l->word, r->variants[l->variant],
		    r->case_label ? r->case_label : "case", r->cases[l->kase]);
	if (!isnan(c->percent))
		strbuf_addf(out, ": %.*f -> %.*f%s%s", decimals, base.mean, decimals, s.mean,
			    r->unit ? " " : "", r->unit ? r->unit : "");
	if (!isnan(c->low))
		strbuf_addf(out, " (%+.2f%% to %+.2f%%, %s = %.2g, n = %zu + %zu %s)", c->low,
			    c->high, opt->adjusted ? "adjusted p" : "p", c->adjusted_p, c->units[0],
			    c->units[1], c->unit == UNIT_BOOT ? "boots" : "samples of one boot");
	strbuf_addch(out, '\n');
}

static int print_summary(const struct result *r, const struct report_options *opt,
			 struct strbuf *out, struct error *err)
{
	int decimals = result_decimals(r);
	struct line *lines;
	size_t count;

	if (r->variants_count < 2)
		return error_set(err, ERROR_USAGE,
				 "a summary compares variants, and there is only one");
	strbuf_addf(out, "%s%s%s, %s; positive is better, worst first%s%s\n",
		    r->title ? r->title : "", r->title ? ": " : "", r->metric ? r->metric : "value",
		    result_direction(r), r->warning ? "; warning: " : "",
		    r->warning ? r->warning : "");
	lines = collect(r, opt, &count);
	for (size_t i = 0; i < count; i++)
		print_line(r, opt, &lines[i], decimals, out);
	free(lines);
	return 0;
}

REPORT_STYLE(summary) = {
	.name = "summary",
	.summary = "one line per case, worst first, in words",
	.print = print_summary,
};
