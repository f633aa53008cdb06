// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/schedstat.h"
#include "report/load_counters.h"
#include "util/xalloc.h"

/* The sum of one counter over the cases of one boot. */
struct sum {
	char *name;
	double value;
	size_t cases;
};

struct loader {
	struct result *r;
	int (*column)(void *ctx, const char *variant);
	void *ctx;
	/* Of the boot that is being read. */
	long long boot;
	int boot_column;
	struct sum *sums;
	size_t count, cap;
};

static struct result_counter *counter_of(struct result *r, const char *name)
{
	struct result_counter *c;
	size_t i;

	for (i = 0; i < r->counters_count; i++)
		if (!strcmp(r->counters[i].name, name))
			return &r->counters[i];
	r->counters = xreallocarray(r->counters, i + 1, sizeof(*r->counters));
	r->counters_count++;
	c = &r->counters[i];
	*c = (struct result_counter){
		.name = xstrdup(name),
		.values = xcalloc(r->variants_count, sizeof(double)),
		.boots = xcalloc(r->variants_count, sizeof(double *)),
		.boots_count = xcalloc(r->variants_count, sizeof(size_t)),
	};
	for (size_t v = 0; v < r->variants_count; v++)
		c->values[v] = NAN;
	return c;
}

static void add_mean(void *arg, const char *variant, const char *kase, const char *name,
		     double mean)
{
	struct loader *l = arg;
	double *values = counter_of(l->r, name)->values;
	int column = l->column(l->ctx, variant);

	(void)kase;
	if (column >= 0)
		values[column] = isnan(values[column]) ? mean : values[column] + mean;
}

void load_counter_rates(struct result *r)
{
	size_t counts = r->counters_count;
	struct schedstat_counter *c = xcalloc(counts + 1, sizeof(*c));
	struct schedstat_counter rates[SCHEDSTAT_RATES];

	for (size_t v = 0; v < r->variants_count; v++) {
		unsigned n = 0, found;

		for (size_t i = 0; i < counts; i++)
			if (!isnan(r->counters[i].values[v]))
				c[n++] = (struct schedstat_counter){r->counters[i].name,
								    r->counters[i].values[v]};
		found = schedstat_rates(c, n, rates);
		for (unsigned i = 0; i < found; i++)
			counter_of(r, rates[i].name)->values[v] = rates[i].value;
	}
	free(c);
}

static void append(struct result *r, const char *name, int column, double value)
{
	struct result_counter *c = counter_of(r, name);
	size_t n = c->boots_count[column]++;

	c->boots[column] = xreallocarray(c->boots[column], n + 1, sizeof(double));
	c->boots[column][n] = value;
}

/* A boot that lacks a case is no pass of the sweep, and would differ for that alone. */
static void end_boot(struct loader *l)
{
	struct schedstat_counter *whole = xcalloc(l->count + 1, sizeof(*whole));
	struct schedstat_counter rates[SCHEDSTAT_RATES];
	unsigned n = 0, found;

	for (size_t i = 0; i < l->count; i++)
		if (l->sums[i].cases == l->r->cases_count)
			whole[n++] = (struct schedstat_counter){l->sums[i].name, l->sums[i].value};
	found = schedstat_rates(whole, n, rates);
	for (unsigned i = 0; i < n && l->boot_column >= 0; i++)
		append(l->r, whole[i].name, l->boot_column, whole[i].value);
	for (unsigned i = 0; i < found && l->boot_column >= 0; i++)
		append(l->r, rates[i].name, l->boot_column, rates[i].value);
	free(whole);
	for (size_t i = 0; i < l->count; i++)
		free(l->sums[i].name);
	l->count = 0;
}

static void add_of_boot(void *arg, const char *variant, long long boot, const char *name,
			double value, unsigned cases)
{
	struct loader *l = arg;

	if (boot != l->boot)
		end_boot(l);
	l->boot = boot;
	l->boot_column = l->column(l->ctx, variant);
	xgrow(l->sums, l->count, l->cap);
	l->sums[l->count++] = (struct sum){xstrdup(name), value, cases};
}

int load_counters(struct result *r, struct store *store, const char *run_id,
		  int (*column)(void *ctx, const char *variant), void *ctx, struct error *err)
{
	struct loader l = {.r = r, .column = column, .ctx = ctx, .boot = -1};
	int ret = store_each_counter(store, run_id, add_mean, &l, err);

	if (!ret)
		ret = store_each_boot_counter(store, run_id, add_of_boot, &l, err);
	end_boot(&l);
	free(l.sums);
	return ret;
}
