// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/mmtests_table.h"

/*
 * The tables of mmtests, byte for byte. Where they hold a number that is none (a missing operation,
 * a spread of one sample) the layout leaves no room to say so: the notes of the options do.
 */

/* printf() of Perl writes NaN and Inf so. */
static void put_number(const struct mm_table *t, int width, int decimals, double value)
{
	if (isnan(value))
		mm_put(t, "", "%*s", width, "NaN");
	else if (isinf(value))
		mm_put(t, "", "%*s", width, value > 0 ? "Inf" : "-Inf");
	else
		mm_put(t, "", "%*.*f", width, decimals, value);
}

static void put_percent(const struct mm_table *t, double percent, bool marked)
{
	bool star = marked && !t->opt->html;
	const char *attribute = "";
	char text[400];

	if (marked)
		attribute = percent > 0 ? "bgcolor=\"#A0FFA0\"" : "bgcolor=\"#FFA0A0\"";
	if (isnan(percent))
		snprintf(text, sizeof(text), "%7s", "NaN");
	else if (isinf(percent))
		snprintf(text, sizeof(text), "%7s", percent > 0 ? "Inf" : "-Inf");
	else
		snprintf(text, sizeof(text), "%7.2f", percent);
	mm_put(t, attribute, " %c%s%%%c", star ? '*' : '(', text, star ? '*' : ')');
}

/* They pass the changes on as text, though not the distances. */
static double through_text(double percent)
{
	char digits[64];

	snprintf(digits, sizeof(digits), "%.15g", percent);
	return strtod(digits, NULL);
}

/*
 * The distance that decides on a mark under the rule of bands; 0 where there is none to compare. A
 * baseline without a band would make every distance a comparison with 0 there; here it is no
 * comparison.
 */
static double band_distance(const struct mm_table *t, size_t op, size_t variant)
{
	const struct mmtests_samples *base = mm_samples(t, op, 0), *s = mm_samples(t, op, variant);

	if (!variant || !base->has_band || !s->has_band)
		return 0;
	return mmtests_band_distance(base, s);
}

static void note_band(const struct mm_table *t, size_t op, size_t variant)
{
	const struct mmtests_samples *base = mm_samples(t, op, 0), *s = mm_samples(t, op, variant);

	if (!s->n || isnan(s->mean) || isnan(base->mean))
		return;
	if (base->has_band != s->has_band)
		mm_note(t, "%s, %s: need >= 2 samples on both sides, not marked", t->op_names[op],
			t->r->variants[variant]);
	else if (s->has_band && base->stddev == 0 && s->stddev == 0 && base->mean != s->mean)
		mm_note(t,
			"%s, %s: no spread on either side; the rule of mmtests takes the "
			"difference "
			"in units of the metric, so its mark means nothing (try --significance "
			"own)",
			t->op_names[op], t->r->variants[variant]);
}

static bool is_marked(const struct mm_table *t, size_t op, size_t variant)
{
	struct cell_change c;

	if (!variant)
		return false;
	if (t->opt->significance == SIGNIFICANCE_MMTESTS) {
		note_band(t, op, variant);
		return fabs(band_distance(t, op, variant)) > 1;
	}
	if (t->opt->significance == SIGNIFICANCE_MMTESTS_LEGACY)
		return mmtests_legacy_differs(mm_samples(t, op, 0), mm_samples(t, op, variant));
	cell_compare(t->r, t->ops[op], variant, t->opt, &c);
	return c.marked;
}

static void put_cell(const struct mm_table *t, const struct mm_row *row, size_t op, size_t variant)
{
	double value = mm_value(mm_samples(t, op, variant), row);
	double base = mm_value(mm_samples(t, op, 0), row);
	bool higher = t->higher && row->stat != MM_STDDEV && row->stat != MM_COEFFVAR;
	bool none = isnan(value) || value == -1 || base == -1;

	put_number(t, t->field, t->decimals, none ? 0 : value);
	if (t->opt->no_compare) {
		/* The headings span two cells; in text this one is nothing. */
		mm_put(t, "", "%s", "");
		return;
	}
	put_percent(t, none ? 0 : through_text(mmtests_change(value, base, higher)),
		    row->stat == MM_MEAN && is_marked(t, op, variant));
}

static void print_rows(const struct mm_table *t)
{
	for (size_t i = 0; i < t->rows_count; i++)
		for (size_t op = 0; op < t->ops_count; op++) {
			mm_line_begin(t);
			mm_put(t, "", "%-*s", t->name_width, t->rows[i].name);
			mm_put(t, "", " %-*s", t->op_width, t->op_names[op]);
			for (size_t v = 0; v < t->r->variants_count; v++)
				put_cell(t, &t->rows[i], op, v);
			mm_line_end(t);
		}
}

static void print_significance_rows(const struct mm_table *t)
{
	char zero[64];

	snprintf(zero, sizeof(zero), "%*.2f", t->field, 0.0);
	for (size_t op = 0; op < t->ops_count; op++) {
		mm_line_begin(t);
		mm_put(t, "", "%-*s", t->name_width, "Significant");
		mm_put(t, "", " %-*s", t->op_width, t->op_names[op]);
		for (size_t v = 0; v < t->r->variants_count; v++) {
			double d = band_distance(t, op, v);

			put_number(t, t->field, t->decimals, fabs(d) > 1);
			put_percent(t, d, false);
		}
		mm_put_undefined(t, "td", zero);
		mm_line_end(t);
	}
}

static int check_options(const struct report_options *opt, struct error *err)
{
	if (opt->significance_rows && opt->significance != SIGNIFICANCE_MMTESTS)
		return error_set(err, ERROR_USAGE,
				 "rows of significance belong to the rule of mmtests (add "
				 "--significance mmtests)");
	if (opt->significance_rows && (opt->ratio || opt->no_compare))
		return error_set(err, ERROR_USAGE,
				 "rows of significance go with the plain comparison only");
	if (opt->ratio && opt->no_compare)
		return error_set(err, ERROR_USAGE, "a table of ratios is a comparison");
	return 0;
}

static int print_mmtests(const struct result *r, const struct report_options *opt,
			 struct strbuf *out, struct error *err)
{
	struct mm_table t;

	if (check_options(opt, err) || mm_init(&t, r, opt, out, err))
		return -1;
	if (r->warning)
		mm_note(&t, "%s", r->warning);
	mm_top(&t);
	if (opt->ratio) {
		mm_print_ratio(&t);
	} else {
		mm_header(&t, t.name_width + 1 + t.op_width, t.field + (opt->no_compare ? 0 : 11));
		print_rows(&t);
		if (opt->significance_rows)
			print_significance_rows(&t);
	}
	mm_bottom(&t);
	mm_release(&t);
	return 0;
}

REPORT_STYLE(mmtests) = {
	.name = "mmtests",
	.summary = "the tables of mmtests, byte for byte with --significance mmtests",
	.print = print_mmtests,
};
