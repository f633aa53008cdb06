// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "stats/adaptive.h"
#include "stats/stats.h"

double stats_relative_half(const double *a, size_t na, const double *b, size_t nb, double alpha)
{
	double base = fabs(stats_amean(a, na));

	return base > 0 ? stats_compare(a, na, b, nb, alpha).half / base : NAN;
}

enum stats_stop stats_stop(const double *a, size_t na, const double *b, size_t nb, double precision,
			   double alpha, size_t max, double *half)
{
	size_t boots = na < nb ? na : nb;
	double width = stats_relative_half(a, na, b, nb, alpha);

	if (half)
		*half = width;
	if (width <= precision && boots >= STATS_ADAPTIVE_MIN_BOOTS)
		return STATS_STOP_PRECISE;
	if (boots >= max)
		return width <= precision ? STATS_STOP_PRECISE : STATS_STOP_MAX;
	return boots < STATS_ADAPTIVE_MIN_BOOTS ? STATS_GO_FEW : STATS_GO_WIDE;
}
