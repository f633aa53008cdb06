/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_AA_H
#define SCHEDBENCH_REPORT_AA_H

#include <stdbool.h>

#include "report/result.h"

/* Calibration: what a result of the same variant twice says about the machine and the rule. */
struct aa_row {
	double mean;
	double between; /* CV of the boots' means, percent; NaN with fewer than two boots a side */
	double within; /* CV of the samples of a boot, percent, pooled; NaN: one sample a boot */
	double change; /* measured, percent, though there is none */
	bool tested; /* there were enough boots for the rule to say anything */
	bool flagged; /* a false alarm */
	double detectable; /* smallest effect found with 80 % probability, percent; NaN: unknown */
};

struct aa_summary {
	unsigned tested, flagged; /* rows */
	double rate; /* of false alarms, percent; like all of these NaN where nothing was tested */
	double low, high; /* 95 % interval of the rate, percent (Clopper, Pearson) */
	/* The true spread of the boots lies within low and high times the measured (95 %,
	 * chi-square, for the row with the fewest boots): few boots know little even of the noise.
	 */
	double spread_low, spread_high;
	double p; /* probability of so many false alarms or more at the nominal 5 % */
};

/*
 * Variant 1 of @r against variant 0, row by row into @rows [r->cases_count]. The detectable effect
 * is stats_detectable() of the boots' means at 5 % with as many boots as there were.
 */
void aa_analyse(const struct result *r, struct aa_row *rows, struct aa_summary *summary);

#endif
