// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "run/adaptive.h"
#include "stats/adaptive.h"
#include "util/xalloc.h"

#define ALPHA 0.05

/* The samples of one cell of the table, as sums for each physical boot. */
struct boot_sum {
	int64_t boot;
	double sum;
	unsigned count;
};

struct cell {
	struct boot_sum *boots;
	unsigned count, cap;
};

struct cells {
	const struct plan *plan;
	char *metric;
	struct cell *items; /* [case * variants + variant] */
};

static struct boot_sum *boot_of(struct cell *c, int64_t boot)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->boots[i].boot == boot)
			return &c->boots[i];
	xgrow(c->boots, c->count, c->cap);
	c->boots[c->count] = (struct boot_sum){.boot = boot};
	return &c->boots[c->count++];
}

static struct cell *cell_at(const struct cells *cells, unsigned kase, unsigned variant)
{
	return &cells->items[kase * cells->plan->experiment->variants_count + variant];
}

static void collect(void *arg, const struct store_sample *s)
{
	struct cells *cells = arg;
	const struct experiment *e = cells->plan->experiment;
	int kase = plan_find_case(cells->plan, s->kase);
	struct boot_sum *sum;
	unsigned v;

	if (!s->metric || kase < 0)
		return;
	if (!cells->metric)
		cells->metric = xstrdup(s->metric);
	for (v = 0; v < e->variants_count && strcmp(e->variants[v].name, s->variant); v++)
		;
	if (v == e->variants_count || strcmp(cells->metric, s->metric))
		return;
	sum = boot_of(cell_at(cells, kase, v), s->boot);
	sum->sum += s->value;
	sum->count++;
}

static double *means(const struct cell *c)
{
	double *m = xcalloc(c->count, sizeof(*m));

	for (unsigned i = 0; i < c->count; i++)
		m[i] = c->boots[i].sum / c->boots[i].count;
	return m;
}

/*
 * One row: is its interval narrow enough? *@half: half its width, NaN where there is none. Blocks
 * are counted against max_boots, not boots: retries and resumed boots make a cell's boots more than
 * the blocks, failed ones fewer.
 */
static enum stats_stop decide_row(const struct cells *cells, unsigned kase, unsigned variant,
				  bool last, double *half)
{
	const struct cell *base = cell_at(cells, kase, 0), *other = cell_at(cells, kase, variant);
	double *a = means(base), *b = means(other);
	enum stats_stop stop = stats_stop(a, base->count, b, other->count,
					  cells->plan->experiment->precision, ALPHA,
					  last ? 0 : SIZE_MAX, half);

	free(a);
	free(b);
	return stop;
}

struct verdict {
	bool few; /* a row has too few boots to decide anything */
	unsigned wide; /* rows that are not decided */
	double widest;
	unsigned kase, variant; /* of the widest */
};

static void note_row(struct verdict *v, enum stats_stop stop, double half, unsigned kase,
		     unsigned variant)
{
	v->few |= stop == STATS_GO_FEW;
	if (stop == STATS_STOP_PRECISE)
		return;
	if (!v->wide || half > v->widest || (isnan(v->widest) && !isnan(half))) {
		v->widest = half;
		v->kase = kase;
		v->variant = variant;
	}
	v->wide++;
}

static void explain_width(const struct verdict *v, const struct plan *plan, struct strbuf *why)
{
	const struct experiment *e = plan->experiment;
	const char *variant = e->variants[v->variant].name, *kase = plan->cases[v->kase].key;

	if (isnan(v->widest))
		strbuf_addf(why,
			    "%s at %s has no interval (two boots on each side and a baseline "
			    "other than 0 are needed)",
			    variant, kase);
	else
		strbuf_addf(why, "%s at %s is known to +/- %.2g %%, %g %% is asked for", variant,
			    kase, v->widest * 100, e->precision * 100);
	if (v->wide > 1)
		strbuf_addf(why, " (and %u more)", v->wide - 1);
	if (v->few)
		strbuf_addf(why, "; fewer than %d boots decide nothing", STATS_ADAPTIVE_MIN_BOOTS);
}

static void explain(const struct verdict *v, const struct plan *plan, unsigned blocks, bool more,
		    struct strbuf *why)
{
	const char *plural = blocks == 1 ? "" : "s";

	if (v->wide) {
		strbuf_addf(why,
			    "%s after %u boot%s: ", more ? "one more block" : "max_boots reached",
			    blocks, plural);
		explain_width(v, plan, why);
	} else {
		strbuf_addf(why,
			    "precise enough after %u boot%s: every interval is within +/- %g %%",
			    blocks, plural, plan->experiment->precision * 100);
	}
}

int adaptive_decide(struct store *store, const char *run_id, const struct plan *plan,
		    unsigned blocks, bool *more, struct strbuf *why, struct error *err)
{
	const struct experiment *e = plan->experiment;
	unsigned count = plan->cases_count * e->variants_count;
	struct cells cells = {.plan = plan, .metric = e->metric ? xstrdup(e->metric) : NULL};
	struct verdict verdict = {.widest = NAN};
	int ret;

	cells.items = xcalloc(count, sizeof(*cells.items));
	ret = store_each_sample(store, run_id, collect, &cells, err);
	for (unsigned k = 0; !ret && k < plan->cases_count; k++) {
		for (unsigned v = 1; v < e->variants_count; v++) {
			double half = NAN;
			enum stats_stop stop =
				decide_row(&cells, k, v, blocks >= e->max_boots, &half);

			note_row(&verdict, stop, half, k, v);
		}
	}
	*more = verdict.wide && blocks < e->max_boots;
	explain(&verdict, plan, blocks, *more, why);
	for (unsigned i = 0; i < count; i++)
		free(cells.items[i].boots);
	free(cells.items);
	free(cells.metric);
	return ret;
}
