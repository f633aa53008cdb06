/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PLOT_PLOT_DATA_H
#define SCHEDBENCH_PLOT_PLOT_DATA_H

#include "report/result.h"
#include "util/strbuf.h"

enum plot_content {
	CONTENT_MEAN, /* mean and its interval */
	CONTENT_CHANGE, /* change against the baseline in percent and its interval */
	CONTENT_COEFFVAR, /* spread in percent of the mean */
	CONTENT_SHARE, /* samples and the share of those not above */
	CONTENT_ORDER, /* samples in the order measured, relative to their case */
};

/*
 * The data file: tab separated, '?' where there is nothing. For the first three one line for each
 * case: label, x, and for each variant value, low, high; a heading names the variants. For the
 * others a block for each variant (two blank lines between), headed by its name: x, value.
 */
void plot_data(const struct result *r, enum plot_content content, struct strbuf *out);

/* Whether x can be logarithmic: all cases are positive numbers and span a factor of 4 or more. */
bool plot_data_logarithmic(const struct result *r);

#endif
