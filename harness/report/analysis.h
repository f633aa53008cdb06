/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_ANALYSIS_H
#define SCHEDBENCH_REPORT_ANALYSIS_H

#include "report/report.h"
#include "stats/stats.h"

/* What the styles share: the statistics of one cell and its comparison with the baseline's. */
struct cell_summary {
	size_t n;
	size_t boots; /* different ones among the samples */
	double mean; /* by the result's statistic */
	double min, max, stddev, coeffvar;
	double best95; /* NaN for statistics that have no such mean */
};

/* What a comparison takes as independent. */
enum compare_unit {
	UNIT_NONE, /* a side has no sample, or too few */
	UNIT_SAMPLE, /* one boot on a side: boot-to-boot variance is not covered */
	UNIT_BOOT, /* means per boot */
};

struct cell_change {
	double percent; /* positive is better; NaN: a side is missing or the base is 0 */
	bool marked; /* by the rule of the options */
	enum compare_unit unit;
	size_t units[2]; /* how many, baseline and this variant */
	struct stats_test test; /* own rule, whatever the options' */
	double adjusted_p; /* test.p for the table as a whole, the same where no adjustment is asked
			      for */
	double low, high; /* interval of percent; NaN: none */
};

double report_alpha(const struct report_options *opt);
enum stats_mean result_mean_kind(const struct result *r);
/* "Amean", "Hmean", "Gmean", "Median" */
const char *result_mean_name(const struct result *r);
/* "lower is better" */
const char *result_direction(const struct result *r);

/* The values of a cell, in the order measured; the caller frees them. Never NULL. */
double *cell_values(const struct result_cell *cell);
void cell_summarise(const struct result *r, const struct result_cell *cell,
		    struct cell_summary *out);
/* Of case @kase, @variant against variant 0. */
void cell_compare(const struct result *r, size_t kase, size_t variant,
		  const struct report_options *opt, struct cell_change *out);

/*
 * The adjusted p of each cell, in the order of the result's cells, for report_options; NaN where
 * there was no test. All tests of all variants count as one family. The caller frees it; NULL:
 * no adjustment is asked for.
 */
double *result_adjust(const struct result *r, const struct report_options *opt);

/* Half width of the 1 - @alpha interval of a cell's mean: over its boots' means where there are two
 * or more, else over its samples; NaN with fewer than two. */
double cell_interval(const struct result *r, const struct result_cell *cell, double alpha);

/* Change in percent of the baseline, positive is better; NaN where there is none. */
double change_percent(double value, double base, enum better better);

/* Why a cell has no number: "failed", "timeout" or "missing"; NULL: it has one. */
const char *cell_word(const struct result_cell *cell);
/* Whether all cells hold the same number of samples and none failed. */
bool result_is_even(const struct result *r);

/* "3 boots x 5 repetitions" and the like. */
void cell_count_text(const struct cell_summary *s, struct strbuf *out);

/* Lines about cells that are not whole, one each: "overload, groups 4: 12 of 15 samples, ...". */
void result_remarks(const struct result *r, struct strbuf *out);

/* One line that explains the marks. */
void result_legend(const struct result *r, const struct report_options *opt, struct strbuf *out);

/* Ratio of each variant's geometric mean over the cases that have a number in all of the variant
 * and the baseline; @matched of them. NaN: none. */
double result_ratio_gmean(const struct result *r, size_t variant, size_t *matched);

/* Digits after the point that show the smallest mean with four digits, 2 to 9. */
int result_decimals(const struct result *r);

#endif
