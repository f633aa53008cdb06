// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/analysis.h"

void cell_count_text(const struct cell_summary *s, struct strbuf *out)
{
	if (s->boots && s->n % s->boots == 0)
		strbuf_addf(out, "%zu x %zu", s->boots, s->n / s->boots);
	else
		strbuf_addf(out, "%zu in %zu", s->n, s->boots);
}

static void remark_cell(const struct result *r, size_t kase, size_t variant, struct strbuf *out)
{
	const struct result_cell *cell = result_cell(r, kase, variant);

	if (!cell->failed && !cell->timeout && cell->count >= cell->planned && cell->count)
		return;
	strbuf_addf(out, "%s, %s %s: ", r->variants[variant],
		    r->case_label ? r->case_label : "case", r->cases[kase]);
	if (cell->planned)
		strbuf_addf(out, "%zu of %zu samples", cell->count, cell->planned);
	else if (cell->count)
		strbuf_addf(out, "%zu samples", cell->count);
	else
		strbuf_addstr(out, "no samples");
	if (cell->failed)
		strbuf_addf(out, ", %zu failed", cell->failed);
	if (cell->timeout)
		strbuf_addf(out, ", %zu cut off by the timeout", cell->timeout);
	if (cell->why)
		strbuf_addf(out, " (%s)", cell->why);
	strbuf_addch(out, '\n');
}

void result_remarks(const struct result *r, struct strbuf *out)
{
	for (size_t v = 0; v < r->variants_count; v++)
		for (size_t i = 0; i < r->cases_count; i++)
			remark_cell(r, i, v, out);
}

/* Which units the own rule used over the whole table. */
static void used_units(const struct result *r, const struct report_options *opt, bool used[3])
{
	struct cell_change c;

	for (size_t v = 1; v < r->variants_count; v++)
		for (size_t i = 0; i < r->cases_count; i++) {
			if (cell_word(result_cell(r, i, 0)) || cell_word(result_cell(r, i, v)))
				continue;
			cell_compare(r, i, v, opt, &c);
			used[c.unit] = true;
		}
}

static void own_legend(const struct result *r, const struct report_options *opt, struct strbuf *out)
{
	bool used[3] = {false};
	double alpha = report_alpha(opt);

	used_units(r, opt, used);
	if (used[UNIT_BOOT])
		strbuf_addf(out, "; *x%%*: p < %g, Welch's t test on boot means", alpha);
	if (used[UNIT_SAMPLE])
		strbuf_addf(out,
			    "; *x%%*: p < %g, Welch's t test on the samples of one boot, so "
			    "boot-to-boot variance is not covered",
			    alpha);
	if (opt->adjusted)
		strbuf_addf(out, "; p adjusted for all rows of the table (%s)",
			    opt->adjust == ADJUST_HOLM ? "Holm" : "Benjamini-Hochberg");
	if (used[UNIT_NONE])
		strbuf_addstr(out, "; need >= 2 samples on both sides for a test");
}

void result_legend(const struct result *r, const struct report_options *opt, struct strbuf *out)
{
	if (r->variants_count < 2)
		return;
	strbuf_addf(out, "(x%%): change against %s, positive is better", r->variants[0]);
	switch (opt->significance) {
	case SIGNIFICANCE_OWN:
		own_legend(r, opt, out);
		break;
	case SIGNIFICANCE_MMTESTS:
		strbuf_addstr(out, "; *x%*: the bands of 1.96 standard deviations do not overlap");
		break;
	case SIGNIFICANCE_MMTESTS_LEGACY:
		strbuf_addstr(out, "; *x%*: t test on all samples at 10 %");
		break;
	case SIGNIFICANCE_NONE:
		break;
	}
	strbuf_addch(out, '\n');
}
