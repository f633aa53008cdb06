// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot_data.h"
#include "plot/plot_text.h"
#include "report/analysis.h"
#include "util/xalloc.h"

static void add_number(struct strbuf *out, double value)
{
	if (isfinite(value))
		strbuf_addf(out, "\t%.10g", value);
	else
		strbuf_addstr(out, "\t?");
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The smallest step between neighbours of sorted @x, as a share of the whole axis. */
static double narrowest(const double *x, size_t n)
{
	double step = INFINITY;

	for (size_t i = 1; i < n; i++)
		if (x[i] > x[i - 1])
			step = fmin(step, (x[i] - x[i - 1]) / (x[n - 1] - x[0]));
	return step;
}

bool plot_data_logarithmic(const struct result *r)
{
	size_t n = r->cases_count;
	bool better = false;
	double *x;

	if (!r->case_numbers || n < 2)
		return false;
	x = xcalloc(n, sizeof(*x));
	for (size_t i = 0; i < n; i++)
		x[i] = r->case_numbers[i];
	qsort(x, n, sizeof(*x), ascending);
	if (x[0] > 0 && x[n - 1] >= 4 * x[0]) {
		double linear = narrowest(x, n);

		for (size_t i = 0; i < n; i++)
			x[i] = log2(x[i]);
		better = narrowest(x, n) >= linear;
	}
	free(x);
	return better;
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

static size_t add_table(const struct result *r, enum plot_content content, struct strbuf *out)
{
	size_t drawn = 0;
	double v[3];

	plot_text_quote(out, r->case_label ? r->case_label : "case");
	strbuf_addstr(out, "\t\"x\"");
	for (size_t i = 0; i < r->variants_count; i++) {
		strbuf_addch(out, '\t');
		plot_text_quote(out, r->variants[i]);
		strbuf_addstr(out, "\t\"low\"\t\"high\"");
	}
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < r->cases_count; i++) {
		plot_text_quote(out, r->cases[i]);
		add_number(out, r->case_numbers ? r->case_numbers[i] : (double)i);
		for (size_t k = 0; k < r->variants_count; k++) {
			cell_numbers(r, i, k, content, v);
			/* The baseline's change against itself is not drawn. */
			drawn += isfinite(v[0]) && (k || content != CONTENT_CHANGE);
			for (int j = 0; j < 3; j++)
				add_number(out, v[j]);
		}
		strbuf_addch(out, '\n');
	}
	return drawn;
}

struct point {
	double x, y;
};

static int by_x(const void *a, const void *b)
{
	return ascending(&((const struct point *)a)->x, &((const struct point *)b)->x);
}

/* All cases fit one axis when samples are told in percent of this. */
static double cell_mean(const struct result *r, size_t kase, size_t variant)
{
	struct cell_summary s;

	cell_summarise(r, result_cell(r, kase, variant), &s);
	return s.mean;
}

static void add_block(const struct result *r, size_t variant, const char *second,
		      struct point *points, size_t n, struct strbuf *out)
{
	plot_text_quote(out, r->variants[variant]);
	strbuf_addch(out, '\t');
	plot_text_quote(out, second);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%.10g\t%.10g\n", points[i].x, points[i].y);
	if (!n)
		strbuf_addstr(out, "?\t?\n");
}

/* The empirical distribution function: a step of 1/n up at each sample, from 0 at the first. */
static size_t add_shares(const struct result *r, struct strbuf *out)
{
	size_t drawn = 0;

	for (size_t c = 0; c < r->cases_count; c++)
		for (size_t v = 0; v < r->variants_count; v++) {
			const struct result_cell *cell = result_cell(r, c, v);
			struct point *points = xcalloc(cell->count + 1, sizeof(*points));
			double scale = cell_mean(r, c, 0);
			size_t n = 0;

			for (size_t k = 0; k < cell->count; k++) {
				double x = 100 * cell->samples[k].value / scale;

				if (isfinite(x))
					points[++n].x = x;
			}
			qsort(points + 1, n, sizeof(*points), by_x);
			for (size_t i = 1; i <= n; i++)
				points[i].y = (double)i / n;
			points[0].x = n ? points[1].x : 0;
			strbuf_addstr(out, c || v ? "\n\n" : "");
			add_block(r, v, r->cases[c], points, n ? n + 1 : 0, out);
			drawn += n;
			free(points);
		}
	return drawn;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The times of all samples in order; the caller frees them. */
static int64_t *all_times(const struct result *r, size_t *count)
{
	int64_t *times = NULL;
	size_t cap = 0;

	*count = 0;
	for (size_t i = 0; i < r->cases_count * r->variants_count; i++)
		for (size_t k = 0; k < r->cells[i].count; k++) {
			xgrow(times, *count, cap);
			times[(*count)++] = r->cells[i].samples[k].time_ns;
		}
	if (*count)
		qsort(times, *count, sizeof(*times), by_time);
	return times;
}

/* Minutes since the first sample; of imported ones, which have no time, the place in their order.
 */
static double order_x(const struct result *r, int64_t time, const int64_t *times, size_t count)
{
	const int64_t *at;

	if (!r->imported)
		return (double)(time - times[0]) / 60e9;
	at = bsearch(&time, times, count, sizeof(*times), by_time);
	return at ? (double)(at - times + 1) : 0;
}

/* Each sample in percent of its own cell's mean: what is left is drift and noise. */
static size_t add_order(const struct result *r, struct strbuf *out)
{
	size_t drawn = 0, count;
	int64_t *times = all_times(r, &count);

	for (size_t v = 0; v < r->variants_count; v++) {
		struct point *points = NULL;
		size_t n = 0, cap = 0;

		for (size_t c = 0; c < r->cases_count; c++) {
			const struct result_cell *cell = result_cell(r, c, v);
			double scale = cell_mean(r, c, v);

			for (size_t k = 0; k < cell->count; k++) {
				const struct result_sample *s = &cell->samples[k];
				double percent = 100 * s->value / scale;

				if (!isfinite(percent))
					continue;
				xgrow(points, n, cap);
				points[n++] = (struct point){order_x(r, s->time_ns, times, count),
							     percent};
			}
		}
		if (n)
			qsort(points, n, sizeof(*points), by_x);
		strbuf_addstr(out, v ? "\n\n" : "");
		add_block(r, v, "percent", points, n, out);
		drawn += n;
		free(points);
	}
	free(times);
	return drawn;
}

const char *plot_data_order_axis(const struct result *r)
{
	return r->imported ? "number of the sample, as imported" : "minutes since the first sample";
}

static void add_comment(const struct result *r, enum plot_content content, struct strbuf *out)
{
	static const char *const columns[] = {
		[CONTENT_MEAN] = "for each variant its mean and the 95 % interval of it",
		[CONTENT_CHANGE] = "for each variant its change in percent (positive is better) "
				   "and the 95 % interval of it",
		[CONTENT_COEFFVAR] = "for each variant its standard deviation in percent of the "
				     "mean, three times",
		[CONTENT_SHARE] = "blocks for each case and variant: sample in percent of the "
				  "baseline's mean, share of samples not above",
		[CONTENT_ORDER] = "blocks for each variant: x, sample in percent of its own mean; "
				  "x: ",
	};

	strbuf_addstr(out, "# ");
	plot_text_add(out, r->title ? r->title : r->experiment);
	strbuf_addstr(out, "\n# ");
	plot_text_add(out, r->metric ? r->metric : "value");
	strbuf_addstr(out, r->unit ? ", " : "");
	plot_text_add(out, r->unit);
	strbuf_addf(out, ", %s, %s\n# %s%s\n", result_mean_name(r), result_direction(r),
		    columns[content], content == CONTENT_ORDER ? plot_data_order_axis(r) : "");
}

size_t plot_data(const struct result *r, enum plot_content content, struct strbuf *out)
{
	add_comment(r, content, out);
	if (content == CONTENT_SHARE)
		return add_shares(r, out);
	if (content == CONTENT_ORDER)
		return add_order(r, out);
	return add_table(r, content, out);
}
