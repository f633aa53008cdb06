/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PLOT_PLOT_DATA_H
#define SCHEDBENCH_PLOT_PLOT_DATA_H

#include <stdbool.h>

#include "report/result.h"
#include "util/strbuf.h"

enum plot_content {
	CONTENT_MEAN, /* mean and its interval */
	CONTENT_CHANGE, /* change against the baseline in percent and its interval */
	CONTENT_COEFFVAR, /* spread in percent of the mean */
	CONTENT_SHARE, /* samples relative to the baseline's mean, share of those not above */
	CONTENT_ORDER, /* samples in the order measured, relative to their own mean */
};

/*
 * The data file: tab separated, '?' where there is nothing, after comments that say what it is. For
 * the first three one line for each case: label, x, and for each variant value, low, high; a
 * heading names the variants. For the others blocks with two blank lines between: CONTENT_SHARE
 * one for each case and variant, headed by the names of variant and case; CONTENT_ORDER one for
 * each variant, headed by its name. Returns how many points there are to draw.
 */
size_t plot_data(const struct result *r, enum plot_content content, struct strbuf *out);

/* What x is in CONTENT_ORDER: a time, or for imported samples, which have none, their number. */
const char *plot_data_order_axis(const struct result *r);

/*
 * Whether x is to be logarithmic: all cases are positive numbers that span a factor of 4 or more,
 * and the closest ones come to lie no closer than on a linear axis.
 */
bool plot_data_logarithmic(const struct result *r);

#endif
