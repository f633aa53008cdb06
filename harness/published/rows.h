/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PUBLISHED_ROWS_H
#define SCHEDBENCH_PUBLISHED_ROWS_H

#include "published/scan.h"

/* One line as a row of a table. */

struct parsed {
	enum table_style style;
	const char *left; /* what stands before the cells: statistic and case, or a name */
	unsigned left_len;
	const char *statistic; /* points into @left, or NULL */
	unsigned statistic_len;
	const char *name;
	unsigned name_len;
	const char *mark; /* what stands behind the cells */
	struct cell cells[TABLE_MAX_CELLS];
	const char *at[TABLE_MAX_CELLS]; /* where the cells begin; NULL: not known */
	unsigned count;
	bool certain; /* a row even when it is alone */
	enum change_rule rule; /* that the style itself means */
};

/*
 * Each tries one style; false: the line is none of it. STYLE_INTEL rows are only told from other
 * numbers by their heading, which the caller has seen.
 */
bool parse_amd(const char *s, struct parsed *row);
bool parse_percented(const char *s, struct parsed *row); /* STYLE_MMTESTS, STYLE_COLON */
bool parse_ops(const char *s, struct parsed *row);
bool parse_intel(const char *s, struct parsed *row);
bool parse_deviation(const char *s, struct parsed *row);
bool parse_bare(const char *s, struct parsed *row);
bool parse_percentile(const char *s, struct parsed *row);
bool parse_lkp(const char *s, struct parsed *row);
bool parse_lkp_list(const char *s, struct parsed *row);
bool parse_variance(const char *s, struct parsed *row);
bool parse_percent(const char *s, struct parsed *row);
bool parse_count(const char *s, struct parsed *row);

/* The first of the styles that @s is a row of. */
bool parse_row(const char *s, bool intel, struct parsed *row);

/* Is @word one of the names that mmtests gives to statistics? */
bool is_statistic(const char *word, unsigned len);

#endif
