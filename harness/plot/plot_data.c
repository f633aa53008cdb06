// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_data.h"
#include "report/analysis.h"
#include "util/xalloc.h"

/* Text in double quotes; gnuplot knows no escape there, so quotes and controls are replaced. */
static void add_text(struct strbuf *out, const char *text)
{
	strbuf_addch(out, '"');
	for (; text && *text; text++) {
		unsigned char c = *text;

		if (c == '"')
			strbuf_addch(out, '\'');
		else
			strbuf_addch(out, c < 0x20 || c == 0x7f ? ' ' : (char)c);
	}
	strbuf_addch(out, '"');
}

static void add_number(struct strbuf *out, double value)
{
	if (isfinite(value))
		strbuf_addf(out, "\t%.10g", value);
	else
		strbuf_addstr(out, "\t?");
}

bool plot_data_logarithmic(const struct result *r)
{
	double low = INFINITY, high = 0;

	if (!r->case_numbers || r->cases_count < 2)
		return false;
	for (size_t i = 0; i < r->cases_count; i++) {
		if (!(r->case_numbers[i] > 0))
			return false;
		low = fmin(low, r->case_numbers[i]);
		high = fmax(high, r->case_numbers[i]);
	}
	return high >= 4 * low;
}

/* value, low, high */
static void cell_numbers(const struct result *r, size_t kase, size_t variant,
			 enum plot_content content, double v[3])
{
	const struct result_cell *cell = result_cell(r, kase, variant);
	const struct report_options opt = REPORT_OPTIONS_INIT;
	struct cell_summary s;
	struct cell_change c;
	double half;

	cell_summarise(r, cell, &s);
	if (content == CONTENT_MEAN) {
		half = cell_interval(r, cell, 0.05);
		v[0] = s.mean;
		v[1] = s.mean - half;
		v[2] = s.mean + half;
	} else if (content == CONTENT_COEFFVAR) {
		v[0] = v[1] = v[2] = s.coeffvar;
	} else {
		cell_compare(r, kase, variant, &opt, &c);
		v[0] = c.percent;
		v[1] = c.low;
		v[2] = c.high;
	}
	if (isfinite(v[0]) && !isfinite(v[1]))
		v[1] = v[2] = v[0];
}

static void add_table(const struct result *r, enum plot_content content, struct strbuf *out)
{
	double v[3];

	add_text(out, r->case_label ? r->case_label : "case");
	strbuf_addstr(out, "\t\"x\"");
	for (size_t i = 0; i < r->variants_count; i++) {
		strbuf_addch(out, '\t');
		add_text(out, r->variants[i]);
		strbuf_addstr(out, "\t\"low\"\t\"high\"");
	}
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < r->cases_count; i++) {
		add_text(out, r->cases[i]);
		add_number(out, r->case_numbers ? r->case_numbers[i] : (double)i);
		for (size_t k = 0; k < r->variants_count; k++) {
			cell_numbers(r, i, k, content, v);
			for (int j = 0; j < 3; j++)
				add_number(out, v[j]);
		}
		strbuf_addch(out, '\n');
	}
}

struct point {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	double x = ((const struct point *)a)->x, y = ((const struct point *)b)->x;

	return (x > y) - (x < y);
}

/* What a case's samples are divided by, so that all cases fit one axis: the baseline's mean. */
static double case_scale(const struct result *r, size_t kase)
{
	struct cell_summary s;

	cell_summarise(r, result_cell(r, kase, 0), &s);
	return s.mean;
}

static int64_t first_time(const struct result *r)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < r->cases_count * r->variants_count; i++)
		for (size_t k = 0; k < r->cells[i].count; k++)
			if (r->cells[i].samples[k].time_ns < first)
				first = r->cells[i].samples[k].time_ns;
	return first;
}

static size_t variant_points(const struct result *r, size_t variant, enum plot_content content,
			     struct point **points)
{
	size_t n = 0, cap = 0;
	int64_t start = first_time(r);

	*points = NULL;
	for (size_t i = 0; i < r->cases_count; i++) {
		const struct result_cell *cell = result_cell(r, i, variant);
		double scale = case_scale(r, i);

		for (size_t k = 0; k < cell->count; k++) {
			const struct result_sample *s = &cell->samples[k];
			double share = 100 * s->value / scale;
			double minutes = (double)(s->time_ns - start) / 60e9;

			if (!isfinite(share))
				continue;
			xgrow(*points, n, cap);
			(*points)[n++] = content == CONTENT_ORDER ? (struct point){minutes, share}
								  : (struct point){share, 0};
		}
	}
	if (n)
		qsort(*points, n, sizeof(**points), by_x);
	for (size_t i = 0; i < n && content == CONTENT_SHARE; i++)
		(*points)[i].y = (double)(i + 1) / n;
	return n;
}

static void add_blocks(const struct result *r, enum plot_content content, struct strbuf *out)
{
	for (size_t v = 0; v < r->variants_count; v++) {
		struct point *points;
		size_t n = variant_points(r, v, content, &points);

		strbuf_addstr(out, v ? "\n\n" : "");
		add_text(out, r->variants[v]);
		strbuf_addstr(out, "\t\"value\"\n");
		for (size_t i = 0; i < n; i++)
			strbuf_addf(out, "%.10g\t%.10g\n", points[i].x, points[i].y);
		if (!n)
			strbuf_addstr(out, "?\t?\n");
		free(points);
	}
}

void plot_data(const struct result *r, enum plot_content content, struct strbuf *out)
{
	if (content == CONTENT_SHARE || content == CONTENT_ORDER)
		add_blocks(r, content, out);
	else
		add_table(r, content, out);
}
