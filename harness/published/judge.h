/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PUBLISHED_JUDGE_H
#define SCHEDBENCH_PUBLISHED_JUDGE_H

#include "published/published.h"
#include "report/analysis.h"

/* What a measurement says of a published change. */
enum verdict {
	VERDICT_NOT_MEASURED, /* the run has no such case, or no number for it */
	VERDICT_INCONCLUSIVE, /* the interval is too wide to say */
	VERDICT_OPPOSITE, /* the interval excludes 0, on the other side */
	VERDICT_NO_EFFECT, /* the interval lies within the smallest effect of interest */
	VERDICT_SAME_DIRECTION, /* excludes 0, on the same side, but is smaller than published */
	VERDICT_REPRODUCED, /* the same side, and published lies within or is exceeded */
	VERDICTS,
};

const char *verdict_name(enum verdict v); /* "reproduced", "same direction" ... */

/*
 * Of a change in percent, positive is better, and the interval of the one measured; @smallest:
 * smallest effect of interest in percent. NaN for @low or @high: there is no interval.
 */
enum verdict verdict_of(double published, double low, double high, double smallest);

/* One row of a published table beside what was measured. */
struct judged_row {
	const struct row *row;
	unsigned column; /* of the table; the variant with the same index was measured */
	double published; /* change in percent, positive is better */
	bool claimed; /* at least the smallest effect of interest */
	long kase; /* index of the case in the result, -1: none */
	const struct result_counter *counter; /* where the row is one; its change has no better */
	double base, value; /* measured means; NaN: none */
	struct cell_change change;
	enum verdict verdict;
};

struct judgement {
	struct judged_row *rows;
	unsigned count;
	unsigned verdicts[VERDICTS]; /* of the claimed rows */
	unsigned claimed;
};

/*
 * Compare the rows of @t that state means with the cases of @r: the same name, or one that has all
 * of the case's values as words ("8-groups" is groups=8, "unixbench-pipe-512" is
 * test=pipe,copies=512); and rows that bear the name of a counter with that, boot by
 * boot. Columns stand for variants, in their order. ERROR_USAGE where nothing can be compared.
 */
int judge_table(struct judgement *j, const struct table *t, const struct result *r, double smallest,
		struct error *err);
void judgement_release(struct judgement *j);

/*
 * As a whole: reproduced (true) if no claimed row is the opposite or without effect, and at least
 * one of them is reproduced or has the same direction.
 */
bool judgement_holds(const struct judgement *j);

/* The change that a row publishes for @column, in percent, positive is better; NaN: none. */
double row_improvement(const struct table *t, const struct row *row, unsigned column);

/* The table for people; @color: for a terminal. */
void judgement_text(const struct judgement *j, const struct table *t, const struct result *r,
		    double smallest, bool color, struct strbuf *out);

/* {"rows": [...], "claimed": 3, "holds": true, ...} */
json_t *judgement_json(const struct judgement *j, const struct table *t, const struct result *r,
		       double smallest);

#endif
