// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "published/judge.h"
#include "util/xalloc.h"

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[VERDICT_NOT_MEASURED] = "not measured",
		[VERDICT_INCONCLUSIVE] = "inconclusive",
		[VERDICT_OPPOSITE] = "opposite",
		[VERDICT_NO_EFFECT] = "no effect",
		[VERDICT_SAME_DIRECTION] = "same direction",
		[VERDICT_REPRODUCED] = "reproduced",
	};

	return names[v];
}

enum verdict verdict_of(double published, double low, double high, double smallest)
{
	bool better = published > 0;

	if (isnan(low) || isnan(high))
		return VERDICT_INCONCLUSIVE;
	if (low >= -smallest && high <= smallest)
		return VERDICT_NO_EFFECT;
	if (low <= 0 && high >= 0)
		return VERDICT_INCONCLUSIVE;
	if ((low > 0) != better)
		return VERDICT_OPPOSITE;
	/* Published within the interval, or the whole interval beyond it. */
	if (better ? high >= published : low <= published)
		return VERDICT_REPRODUCED;
	return VERDICT_SAME_DIRECTION;
}

static enum direction direction_of(const struct table *t, const struct row *row)
{
	return row->direction != DIRECTION_UNKNOWN ? row->direction : t->direction;
}

double row_improvement(const struct table *t, const struct row *row, unsigned column)
{
	const struct cell *base = &row->cells[0], *cell = &row->cells[column];
	enum direction direction = direction_of(t, row);
	double change = 100 * (cell->value / base->value - 1);

	if (direction == DIRECTION_UNKNOWN)
		return NAN;
	if (isnan(base->value) || isnan(cell->value) || base->value == 0)
		change = NAN;
	else if (direction == DIRECTION_LOWER)
		change = -change;
	if (!cell->has_change)
		return change;
	/* What is printed has more digits than what follows from rounded values. */
	if (!isnan(change) && change != 0)
		return copysign(cell->change, change);
	if (t->style == STYLE_AMD || t->style == STYLE_MMTESTS)
		return cell->change; /* by their definition */
	if (row->rule == CHANGE_RELATIVE && direction == DIRECTION_LOWER)
		return -cell->change;
	return row->rule == CHANGE_UNKNOWN ? NAN : cell->change;
}

static bool same_word(const char *a, size_t a_len, const char *b, size_t b_len)
{
	char *end_a, *end_b;
	double x = strtod(a, &end_a), y = strtod(b, &end_b);

	if (end_a == a + a_len && end_b == b + b_len)
		return x == y;
	return a_len == b_len && !strncasecmp(a, b, a_len);
}

/* Words of a name end at anything that is no letter, digit, point or underscore. */
static size_t word_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '.' || s[n] == '_')
		n++;
	return n;
}

static bool has_word(const char *name, const char *word, size_t len)
{
	while (*name) {
		size_t n = word_length(name);

		if (n && same_word(name, n, word, len))
			return true;
		name += n ? n : 1;
	}
	return false;
}

/* Does @name have all values of the case? "8", or "test=pipe,copies=512". */
static bool has_case(const char *name, const char *kase)
{
	bool any = false;

	while (*kase) {
		size_t len = strcspn(kase, ","), key = strcspn(kase, "=,");
		const char *value = kase[key] == '=' ? kase + key + 1 : kase;

		if (!has_word(name, value, (size_t)(kase + len - value)))
			return false;
		any = true;
		kase += len + (kase[len] == ',');
	}
	return any;
}

static long find_case(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->cases_count; i++)
		if (!strcasecmp(r->cases[i], name))
			return (long)i;
	for (size_t i = 0; i < r->cases_count; i++)
		if (has_case(name, r->cases[i]))
			return (long)i;
	/* A table of one result is the whole experiment. */
	return r->cases_count == 1 && !*name ? 0 : -1;
}

static bool states_mean(const struct row *row)
{
	static const char *const means[] = {"",	      "Amean",	   "Hmean",    "Gmean",
					    "Median", "BAmean-95", "BHmean-95"};

	for (size_t i = 0; i < sizeof(means) / sizeof(means[0]); i++)
		if (!strcmp(row->statistic, means[i]))
			return true;
	return false;
}

static const struct result_counter *find_counter(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->counters_count; i++)
		if (!strcasecmp(r->counters[i].name, name))
			return &r->counters[i];
	return NULL;
}

/* More or less, whatever is better. */
static double relative_change(const struct row *row, unsigned column)
{
	double base = row->cells[0].value, value = row->cells[column].value;

	return base > 0 ? 100 * (value / base - 1) : NAN;
}

static void judge_counter(struct judged_row *j, double smallest)
{
	const struct result_counter *c = j->counter;
	const size_t *n = c->boots_count;
	struct stats_test test;
	double half;

	j->base = c->values[0];
	j->value = c->values[j->column];
	if (isnan(j->base) || isnan(j->value) || j->base == 0)
		return;
	test = stats_compare(c->boots[0], n[0], c->boots[j->column], n[j->column], 0.05);
	half = test.half * 100 / fabs(j->base);
	j->change.percent = 100 * (j->value / j->base - 1);
	j->change.low = isfinite(half) ? j->change.percent - half : NAN;
	j->change.high = isfinite(half) ? j->change.percent + half : NAN;
	j->verdict = verdict_of(j->published, j->change.low, j->change.high, smallest);
}

static void judge_row(struct judged_row *j, const struct result *r, double smallest)
{
	const struct report_options opt = {.significance = SIGNIFICANCE_OWN};
	struct cell_summary base, cell;

	j->kase = find_case(r, j->row->name);
	if (j->kase < 0)
		return;
	cell_summarise(r, result_cell(r, (size_t)j->kase, 0), &base);
	cell_summarise(r, result_cell(r, (size_t)j->kase, j->column), &cell);
	if (!base.n || !cell.n)
		return;
	j->base = base.mean;
	j->value = cell.mean;
	cell_compare(r, (size_t)j->kase, j->column, &opt, &j->change);
	j->verdict = verdict_of(j->published, j->change.low, j->change.high, smallest);
}

int judge_table(struct judgement *j, const struct table *t, const struct result *r, double smallest,
		struct error *err)
{
	unsigned cap = 0, measured = 0;

	memset(j, 0, sizeof(*j));
	for (unsigned i = 0; i < t->rows_count; i++)
		for (unsigned c = 1; c < t->columns_count && c < r->variants_count; c++) {
			struct judged_row row = {.row = &t->rows[i],
						 .column = c,
						 .kase = -1,
						 .base = NAN,
						 .value = NAN};
			bool ops = t->style == STYLE_OPS;

			row.counter = find_counter(r, t->rows[i].name);
			row.published = row.counter || ops ? relative_change(&t->rows[i], c)
							   : row_improvement(t, &t->rows[i], c);
			row.claimed = fabs(row.published) >= smallest;
			if (isnan(row.published) || (!ops && !states_mean(&t->rows[i])))
				continue;
			if (row.counter)
				judge_counter(&row, smallest);
			else if (!ops)
				judge_row(&row, r, smallest);
			xgrow(j->rows, j->count, cap);
			j->rows[j->count++] = row;
			measured += row.verdict != VERDICT_NOT_MEASURED;
			j->claimed += row.claimed;
			if (row.claimed)
				j->verdicts[row.verdict]++;
		}
	if (measured)
		return 0;
	judgement_release(j);
	return error_set(
		err, ERROR_USAGE,
		"no case or counter of the run stands in the published table (see 'schedbench "
		"published show')");
}

void judgement_release(struct judgement *j)
{
	free(j->rows);
	memset(j, 0, sizeof(*j));
}

bool judgement_holds(const struct judgement *j)
{
	return !j->verdicts[VERDICT_OPPOSITE] && !j->verdicts[VERDICT_NO_EFFECT] &&
	       j->verdicts[VERDICT_REPRODUCED] + j->verdicts[VERDICT_SAME_DIRECTION] > 0;
}
