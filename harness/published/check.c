// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Changes that follow from the printed values. A printed number stands for all that round to it, so
 * the change of two of them is known within what half a step of each does to it.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "published/assemble.h"

static double change_of(const struct cell *base, const struct cell *c, enum change_rule rule)
{
	double ratio = c->value / base->value;

	if (c->absolute)
		return c->value - base->value;
	return rule == CHANGE_SAVED ? 100 * (1 - ratio) : 100 * (ratio - 1);
}

static bool can_compute(const struct cell *base, const struct cell *c)
{
	return isfinite(base->value) && isfinite(c->value) && base->value != 0 && *base->text &&
	       *c->text;
}

/* Normalised tables print the baseline as exactly one. */
static bool is_one(const struct cell *base)
{
	return base->value == 1 && base->step <= 0.1;
}

static bool follows(const struct cell *base, const struct cell *c, enum change_rule rule)
{
	double ratio = fabs(c->value / base->value), base_step = is_one(base) ? 0 : base->step;
	double slack = 50 * (c->step + ratio * base_step) / fabs(base->value) + c->change_step / 2;

	if (c->absolute)
		slack = (c->step + base->step + c->change_step) / 2;
	return fabs(change_of(base, c, rule) - c->change) <= slack * (1 + 1e-9) + 1e-9;
}

static bool same_statistic(const struct row *a, const struct row *b)
{
	return !strcmp(a->statistic, b->statistic);
}

/* How many printed changes of the rows like @like follow by @rule. */
static unsigned votes(const struct table *t, const struct row *like, enum change_rule rule)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->rows_count; i++)
		for (unsigned k = 1; k < t->columns_count; k++) {
			const struct cell *base = &t->rows[i].cells[0], *c = &t->rows[i].cells[k];

			if (same_statistic(&t->rows[i], like) && c->has_change &&
			    can_compute(base, c))
				n += follows(base, c, rule);
		}
	return n;
}

static enum change_rule usual_rule(const struct table *t, const struct row *r)
{
	if (strchr("HBM", *r->statistic) && *r->statistic && strncmp(r->statistic, "BA", 2))
		return CHANGE_RELATIVE;
	if (*r->statistic)
		return CHANGE_SAVED;
	return t->direction == DIRECTION_LOWER ? CHANGE_SAVED : CHANGE_RELATIVE;
}

/* By which rule the author's tool computes: the heading says it, or most of the rows do. */
static enum change_rule find_rule(const struct table *t, const struct row *r)
{
	unsigned relative, saved;

	if (r->rule)
		return r->rule;
	if (t->style == STYLE_AMD && t->direction)
		return t->direction == DIRECTION_LOWER ? CHANGE_SAVED : CHANGE_RELATIVE;
	/* Rows before this one have been asked already. */
	for (const struct row *before = t->rows; before < r; before++)
		if (same_statistic(before, r))
			return before->rule;
	relative = votes(t, r, CHANGE_RELATIVE);
	saved = votes(t, r, CHANGE_SAVED);
	if (relative == saved)
		return usual_rule(t, r);
	return relative > saved ? CHANGE_RELATIVE : CHANGE_SAVED;
}

static bool in_list(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strncasecmp(word, *list, strlen(*list)))
			return true;
	return false;
}

/* Which way is better, where neither heading nor rule say it. */
static enum direction usual_direction(const struct table *t, const struct row *r)
{
	static const char *const rates[] = {"tbench", "netperf",	"stream", "unixbench",
					    "ycsb",   "DeathStarBench", NULL};
	static const char *const times[] = {"hackbench", "perfpipe", "cyclictest", "kernbench",
					    NULL};
	static const char *const units[] = {"s", "sec", "ms", "us", "usec", "seconds", NULL};

	for (size_t i = 0; units[i]; i++)
		if (!strcasecmp(r->unit, units[i]) || !strcasecmp(t->unit, units[i]))
			return DIRECTION_LOWER;
	if (in_list(t->test, rates))
		return DIRECTION_HIGHER;
	return in_list(t->test, times) ? DIRECTION_LOWER : DIRECTION_UNKNOWN;
}

/* mmtests and AMD print gains as positive: the rule of a row is its direction. */
static enum direction find_direction(const struct table *t, const struct row *r)
{
	if (t->style == STYLE_SCHBENCH && strcasestr(t->heading, "latenc"))
		return DIRECTION_LOWER;
	if (t->style == STYLE_SCHBENCH && strcasestr(t->heading, "rps"))
		return DIRECTION_HIGHER;
	if (t->style == STYLE_MMTESTS || t->style == STYLE_COLON || t->style == STYLE_DEVIATION ||
	    t->style == STYLE_BARE) {
		if (r->rule == CHANGE_SAVED)
			return DIRECTION_LOWER;
		if (t->style == STYLE_MMTESTS)
			return DIRECTION_HIGHER;
	}
	if (t->direction)
		return t->direction;
	return t->style == STYLE_OPS || t->style == STYLE_COUNTS || t->style == STYLE_LKP ||
			       t->style == STYLE_LKP_LIST
		       ? DIRECTION_UNKNOWN
		       : usual_direction(t, r);
}

/* A baseline differs from itself by nothing; a lone cell is no baseline. */
static bool base_follows(const struct table *t, const struct cell *c)
{
	return t->columns_count < 2 || !c->has_change || !isfinite(c->change) || c->change == 0;
}

static void check_row(const struct table *t, struct row *r)
{
	const struct cell *base = &r->cells[0];

	r->cells[0].flagged = r->flagged = !base_follows(t, base);
	for (unsigned k = 1; k < t->columns_count; k++) {
		struct cell *c = &r->cells[k];

		if (!can_compute(base, c))
			continue;
		c->recomputed = change_of(base, c, r->rule);
		c->has_recomputed = true;
		c->flagged = c->has_change && isfinite(c->change) && !follows(base, c, r->rule);
		r->flagged |= c->flagged;
	}
}

static void common_direction(struct table *t)
{
	enum direction all = t->rows_count ? t->rows[0].direction : DIRECTION_UNKNOWN;

	for (unsigned i = 1; i < t->rows_count; i++)
		if (t->rows[i].direction != all)
			return;
	if (!t->direction)
		t->direction = all;
}

/*
 * "0.71(-1.43)" does not say what stands in parentheses: it is a change where it follows from the
 * values in most of the cells, else it is how much the value varies.
 */
static void settle_bare(struct table *t)
{
	unsigned changes = 0, relative = votes(t, t->rows, CHANGE_RELATIVE),
		 saved = votes(t, t->rows, CHANGE_SAVED);

	for (unsigned i = 0; i < t->rows_count; i++)
		for (unsigned k = 1; k < t->columns_count; k++)
			changes += t->rows[i].cells[k].has_change;
	if (2 * relative > changes || 2 * saved > changes)
		return;
	for (unsigned i = 0; i < t->rows_count; i++)
		for (unsigned k = 0; k < t->columns_count; k++) {
			struct cell *c = &t->rows[i].cells[k];

			c->has_cv = c->has_change;
			c->cv = c->change;
			c->has_change = false;
		}
}

void table_check(struct table *t)
{
	bool compares = t->style != STYLE_OPS && t->style != STYLE_COUNTS &&
			t->style != STYLE_INTEL && t->style != STYLE_LKP_LIST &&
			t->style != STYLE_SCHBENCH;

	if (t->style == STYLE_BARE && t->rows_count)
		settle_bare(t);
	for (unsigned i = 0; i < t->rows_count; i++) {
		struct row *r = &t->rows[i];

		if (compares) {
			r->rule = find_rule(t, r);
			check_row(t, r);
		}
		r->direction = find_direction(t, r);
	}
	common_direction(t);
}
