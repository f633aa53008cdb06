// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "stats/mmtests.h"
#include "util/xalloc.h"

double report_alpha(const struct report_options *opt)
{
	return opt->alpha > 0 ? opt->alpha : 0.05;
}

enum stats_mean result_mean_kind(const struct result *r)
{
	enum stats_mean kind = r->better == BETTER_HIGHER ? STATS_HMEAN : STATS_AMEAN;

	if (r->statistic)
		stats_mean_by_name(r->statistic, &kind);
	return kind;
}

const char *result_mean_name(const struct result *r)
{
	static const char *const names[] = {
		[STATS_AMEAN] = "Amean",
		[STATS_HMEAN] = "Hmean",
		[STATS_GMEAN] = "Gmean",
		[STATS_MEDIAN] = "Median",
	};

	return names[result_mean_kind(r)];
}

const char *result_direction(const struct result *r)
{
	return r->better == BETTER_HIGHER ? "higher is better" : "lower is better";
}

double *cell_values(const struct result_cell *cell)
{
	double *values = xreallocarray(NULL, cell->count ? cell->count : 1, sizeof(*values));

	for (size_t i = 0; i < cell->count; i++)
		values[i] = cell->samples[i].value;
	return values;
}

static int by_boot(const void *a, const void *b)
{
	const struct result_sample *x = a, *y = b;

	return (x->boot > y->boot) - (x->boot < y->boot);
}

/* Usual, since samples come in the order measured; it saves sorting a million of them. */
static bool in_order(const struct result_cell *cell)
{
	for (size_t i = 1; i < cell->count; i++)
		if (cell->samples[i - 1].boot > cell->samples[i].boot)
			return false;
	return true;
}

/* The mean of each boot; the caller frees them. */
static double *boot_means(const struct result *r, const struct result_cell *cell, size_t *count)
{
	size_t n = cell->count;
	struct result_sample *sorted = xreallocarray(NULL, n ? n : 1, sizeof(*sorted));
	double *means = xreallocarray(NULL, n ? n : 1, sizeof(*means));
	double *values = xreallocarray(NULL, n ? n : 1, sizeof(*values));

	*count = 0;
	if (n)
		memcpy(sorted, cell->samples, n * sizeof(*sorted));
	if (!in_order(cell))
		qsort(sorted, n, sizeof(*sorted), by_boot);
	for (size_t i = 0, run; i < n; i += run) {
		for (run = 0; i + run < n && sorted[i + run].boot == sorted[i].boot; run++)
			values[run] = sorted[i + run].value;
		means[(*count)++] = stats_mean(result_mean_kind(r), values, run);
	}
	free(sorted);
	free(values);
	return means;
}

void cell_summarise(const struct result *r, const struct result_cell *cell,
		    struct cell_summary *out)
{
	double *values = cell_values(cell);
	enum stats_mean kind = result_mean_kind(r);
	size_t n = cell->count;

	*out = (struct cell_summary){.n = n, .best95 = NAN};
	free(boot_means(r, cell, &out->boots));
	out->mean = stats_mean(kind, values, n);
	out->min = stats_min(values, n);
	out->max = stats_max(values, n);
	out->stddev = stats_stddev(values, n);
	out->coeffvar = stats_coeffvar(values, n);
	if (kind == STATS_AMEAN || kind == STATS_HMEAN)
		out->best95 = stats_best_mean(values, n, 95, r->better == BETTER_HIGHER,
					      kind == STATS_HMEAN);
	free(values);
}

double cell_interval(const struct result *r, const struct result_cell *cell, double alpha)
{
	size_t n;
	double *x = boot_means(r, cell, &n), half;

	if (n < 2) {
		free(x);
		x = cell_values(cell);
		n = cell->count;
	}
	half = stats_mean_interval(stats_stddev(x, n), n, alpha);
	free(x);
	return half;
}

double change_percent(double value, double base, enum better better)
{
	double change = (value - base) * 100 / fabs(base);

	if (base == 0 || isnan(change))
		return NAN;
	if (change == 0)
		return 0;
	return better == BETTER_HIGHER ? change : -change;
}

/* Whether mmtests would mark it; without a band on either side its rule says nothing. */
static bool mmtests_marks(const struct result *r, const double *a, size_t na, const double *b,
			  size_t nb, bool legacy)
{
	struct mmtests_samples base, s;
	bool higher = r->better == BETTER_HIGHER, sound, marks;

	sound = mmtests_init(&base, a, na, higher, legacy);
	sound &= mmtests_init(&s, b, nb, higher, legacy);
	if (legacy)
		marks = sound && mmtests_legacy_differs(&base, &s);
	else
		marks = sound && base.has_band && s.has_band &&
			fabs(mmtests_band_distance(&base, &s)) > 1;
	mmtests_release(&base);
	mmtests_release(&s);
	return marks;
}

static void own_test(const struct result *r, const struct result_cell *base,
		     const struct result_cell *cell, double alpha, struct cell_change *out)
{
	double *a = boot_means(r, base, &out->units[0]), *b = boot_means(r, cell, &out->units[1]);

	out->unit = UNIT_BOOT;
	if (out->units[0] < 2 || out->units[1] < 2) {
		free(a);
		free(b);
		a = cell_values(base);
		b = cell_values(cell);
		out->units[0] = base->count;
		out->units[1] = cell->count;
		out->unit = UNIT_SAMPLE;
	}
	out->test = stats_compare(a, out->units[0], b, out->units[1], alpha);
	if (out->test.verdict == STATS_TOO_FEW)
		out->unit = UNIT_NONE;
	free(a);
	free(b);
}

void cell_compare(const struct result *r, size_t kase, size_t variant,
		  const struct report_options *opt, struct cell_change *out)
{
	const struct result_cell *base = result_cell(r, kase, 0);
	const struct result_cell *cell = result_cell(r, kase, variant);
	double *a = cell_values(base), *b = cell_values(cell), half;
	double old = stats_mean(result_mean_kind(r), a, base->count);

	*out = (struct cell_change){.low = NAN, .high = NAN, .adjusted_p = NAN};
	out->percent =
		change_percent(stats_mean(result_mean_kind(r), b, cell->count), old, r->better);
	own_test(r, base, cell, report_alpha(opt), out);
	half = out->test.half * 100 / fabs(old);
	if (variant && isfinite(half)) {
		out->low = out->percent - half;
		out->high = out->percent + half;
	}
	if (out->unit != UNIT_NONE)
		out->adjusted_p = out->test.p;
	if (variant && out->unit != UNIT_NONE && opt->adjusted) {
		out->adjusted_p = opt->adjusted[kase * r->variants_count + variant];
		out->test.verdict = out->adjusted_p < report_alpha(opt) ? STATS_CHANGE
									: STATS_NO_CHANGE;
	}
	if (opt->significance == SIGNIFICANCE_OWN)
		out->marked = out->test.verdict == STATS_CHANGE;
	else if (opt->significance != SIGNIFICANCE_NONE)
		out->marked = mmtests_marks(r, a, base->count, b, cell->count,
					    opt->significance == SIGNIFICANCE_MMTESTS_LEGACY);
	out->marked = out->marked && variant;
	free(a);
	free(b);
}

double *result_adjust(const struct result *r, const struct report_options *opt)
{
	struct report_options plain = {.significance = SIGNIFICANCE_OWN, .alpha = opt->alpha};
	size_t cells = r->cases_count * r->variants_count;
	struct cell_change c;
	double *p;

	if (opt->adjust == ADJUST_NONE)
		return NULL;
	p = xreallocarray(NULL, cells ? cells : 1, sizeof(*p));
	for (size_t i = 0; i < cells; i++) {
		size_t variant = i % r->variants_count;

		p[i] = NAN;
		if (!variant)
			continue;
		cell_compare(r, i / r->variants_count, variant, &plain, &c);
		p[i] = c.adjusted_p;
	}
	if (opt->adjust == ADJUST_HOLM)
		stats_adjust_holm(p, cells);
	else
		stats_adjust_bh(p, cells);
	return p;
}

const char *cell_word(const struct result_cell *cell)
{
	if (cell->count)
		return NULL;
	if (cell->timeout)
		return "timeout";
	return cell->failed ? "failed" : "missing";
}

bool result_is_even(const struct result *r)
{
	for (size_t i = 0; i < r->cases_count * r->variants_count; i++) {
		const struct result_cell *cell = &r->cells[i];

		if (cell->count != r->cells[0].count || cell->failed || cell->timeout ||
		    cell->count < cell->planned)
			return false;
	}
	return true;
}

static double cell_mean(const struct result *r, const struct result_cell *cell)
{
	double *values = cell_values(cell);
	double mean = stats_mean(result_mean_kind(r), values, cell->count);

	free(values);
	return mean;
}

double result_ratio_gmean(const struct result *r, size_t variant, size_t *matched)
{
	double *ratios = xreallocarray(NULL, r->cases_count + 1, sizeof(*ratios)), mean;

	*matched = 0;
	for (size_t i = 0; i < r->cases_count; i++) {
		double base = cell_mean(r, result_cell(r, i, 0));
		double mean_of_variant = cell_mean(r, result_cell(r, i, variant));

		if (base > 0 && mean_of_variant > 0)
			ratios[(*matched)++] = mean_of_variant / base;
	}
	mean = stats_gmean(ratios, *matched);
	free(ratios);
	return mean;
}

int result_decimals(const struct result *r)
{
	double least = INFINITY;
	int digits;

	for (size_t i = 0; i < r->cases_count * r->variants_count; i++) {
		double *values = cell_values(&r->cells[i]);
		double mean = fabs(stats_mean(result_mean_kind(r), values, r->cells[i].count));

		if (mean > 0 && mean < least)
			least = mean;
		free(values);
	}
	if (!isfinite(least))
		return 2;
	digits = 3 - (int)floor(log10(least));
	return digits < 2 ? 2 : digits > 9 ? 9 : digits;
}
