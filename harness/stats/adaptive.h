/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_STATS_ADAPTIVE_H
#define SCHEDBENCH_STATS_ADAPTIVE_H

#include <stddef.h>

/*
 * When an experiment with `precision:` has seen enough boots. Stopping at the first narrow interval
 * favours boots that happen to lie together, which raises the rate of false alarms: from 3 boots on
 * to 7 %, from 8 on it stays within 6 % (bench-stats). So there is no decision before the 8th boot
 * of a variant.
 */
enum { STATS_ADAPTIVE_MIN_BOOTS = 8 };

enum stats_stop {
	STATS_GO_FEW, /* go on: fewer than the least number of boots */
	STATS_GO_WIDE, /* go on: the interval is wider than the precision */
	STATS_STOP_PRECISE,
	STATS_STOP_MAX, /* stop although the interval is too wide */
};

/* Half width of the 1 - @alpha interval of the change, as a fraction of the baseline's mean. NaN
 * with fewer than two boots on a side or a mean of 0. */
double stats_relative_half(const double *a, size_t na, const double *b, size_t nb, double alpha);

/*
 * Whether to measure one more boot of each variant, for one row; an experiment stops when all its
 * rows do. @a and @b are means per boot, @precision a fraction of the baseline's mean (0.01: 1 %),
 * @max boots per variant, which goes before the least number. @half, if not NULL, gets the half
 * width, for the line in the log that says why.
 */
enum stats_stop stats_stop(const double *a, size_t na, const double *b, size_t nb, double precision,
			   double alpha, size_t max, double *half);

#endif
