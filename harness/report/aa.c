// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "report/aa.h"
#include "report/analysis.h"
#include "util/xalloc.h"

#define ALPHA 0.05
#define POWER 0.8

/* The boots of one cell: their means, and the squared deviations of the samples from them. */
struct boots {
	double *means;
	size_t count;
	double squares;
	size_t samples;
};

static void read_boots(struct boots *b, const struct result_cell *cell)
{
	double *sums = xcalloc(cell->count, sizeof(*sums));
	unsigned *ids = xcalloc(cell->count, sizeof(*ids)), *n = xcalloc(cell->count, sizeof(*n));
	size_t *of = xcalloc(cell->count, sizeof(*of));

	*b = (struct boots){.samples = cell->count};
	for (size_t i = 0; i < cell->count; i++) {
		size_t k = 0;

		while (k < b->count && ids[k] != cell->samples[i].boot)
			k++;
		if (k == b->count)
			ids[b->count++] = cell->samples[i].boot;
		of[i] = k;
		sums[k] += cell->samples[i].value;
		n[k]++;
	}
	for (size_t k = 0; k < b->count; k++)
		sums[k] /= n[k];
	for (size_t i = 0; i < cell->count; i++)
		b->squares += pow(cell->samples[i].value - sums[of[i]], 2);
	b->means = sums;
	free(ids);
	free(n);
	free(of);
}

static double pooled_within(const struct boots *a, const struct boots *b)
{
	double df = (double)(a->samples - a->count) + (double)(b->samples - b->count);

	return df > 0 ? sqrt((a->squares + b->squares) / df) : NAN;
}

/* Returns how many boots the side with fewer of them has. */
static size_t analyse_row(const struct result *r, size_t kase, struct aa_row *row)
{
	const struct report_options opt = {.significance = SIGNIFICANCE_OWN, .alpha = ALPHA};
	struct cell_change change;
	struct boots a, b;
	double sd;
	size_t least;

	cell_compare(r, kase, 1, &opt, &change);
	read_boots(&a, result_cell(r, kase, 0));
	read_boots(&b, result_cell(r, kase, 1));
	least = a.count < b.count ? a.count : b.count;
	row->mean = stats_amean(a.means, a.count);
	sd = least < 2 ? NAN
		       : sqrt((pow(stats_stddev(a.means, a.count), 2) +
			       pow(stats_stddev(b.means, b.count), 2)) /
			      2);
	row->between = 100 * sd / fabs(row->mean);
	row->within = 100 * pooled_within(&a, &b) / fabs(row->mean);
	row->change = change.percent;
	row->tested = change.unit == UNIT_BOOT && change.test.verdict != STATS_TOO_FEW;
	row->flagged = row->tested && change.test.verdict == STATS_CHANGE;
	row->detectable = 100 * stats_detectable(sd, least, ALPHA, POWER) / fabs(row->mean);
	free(a.means);
	free(b.means);
	return least;
}

/* @boots on each side, pooled: 2 @boots - 2 degrees of freedom. */
static void spread_interval(size_t boots, struct aa_summary *summary)
{
	double df = 2.0 * boots - 2;

	summary->spread_low = sqrt(df / gsl_cdf_chisq_Pinv(0.975, df));
	summary->spread_high = sqrt(df / gsl_cdf_chisq_Pinv(0.025, df));
}

void aa_analyse(const struct result *r, struct aa_row *rows, struct aa_summary *summary)
{
	size_t least = SIZE_MAX;
	unsigned n, k;

	*summary = (struct aa_summary){.rate = NAN,
				       .low = NAN,
				       .high = NAN,
				       .p = NAN,
				       .spread_low = NAN,
				       .spread_high = NAN};
	for (size_t i = 0; i < r->cases_count; i++) {
		size_t boots = analyse_row(r, i, &rows[i]);

		if (rows[i].tested && boots < least)
			least = boots;
		summary->tested += rows[i].tested;
		summary->flagged += rows[i].flagged;
	}
	n = summary->tested;
	k = summary->flagged;
	if (!n)
		return;
	spread_interval(least, summary);
	summary->rate = 100.0 * k / n;
	summary->low = k ? 100 * gsl_cdf_beta_Pinv(0.025, k, n - k + 1) : 0;
	summary->high = k < n ? 100 * gsl_cdf_beta_Pinv(0.975, k + 1, n - k) : 100;
	summary->p = k ? gsl_cdf_binomial_Q(k - 1, ALPHA, n) : 1;
}
