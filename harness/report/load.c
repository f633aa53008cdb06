// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "report/load.h"
#include "report/load_counters.h"
#include "run/plan.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

/* One of the runs, with what is needed to place its samples. */
struct source {
	struct store_run run;
	struct experiment *experiment;
	struct plan plan;
	struct store_variant *variants;
	unsigned variants_count;
	unsigned first; /* column of its first variant */
	unsigned boots; /* asked for: with precision: as many as were needed */
};

struct loader {
	struct store *store;
	struct source *sources;
	unsigned count;
	const char *metric; /* wanted, NULL: the first one met */
	char *found_metric, *unit;
	bool higher;
	bool two_units; /* of one metric: its samples cannot stand in one table */
	struct strbuf metrics; /* names met, for messages */
	struct result *result;
	struct source *current;
};

static int column_of(const struct source *src, const char *variant)
{
	for (unsigned i = 0; i < src->variants_count; i++)
		if (!strcmp(src->variants[i].name, variant))
			return src->first + i;
	return -1;
}

static struct result_cell *cell_of(struct loader *l, const struct store_sample *s)
{
	int column = column_of(l->current, s->variant);
	int kase = plan_find_case(&l->current->plan, s->kase);

	return column < 0 || kase < 0 ? NULL : result_cell(l->result, kase, column);
}

static void note_metric(struct loader *l, const char *metric)
{
	char *needle = xasprintf(" %s,", metric);

	if (!strstr(l->metrics.buf, needle))
		strbuf_addstr(&l->metrics, needle);
	free(needle);
}

static void add_failure(struct result_cell *cell, const struct store_sample *s)
{
	if (!strcmp(s->status, "timeout"))
		cell->timeout++;
	else
		cell->failed++;
	if (!cell->why && s->reason)
		cell->why = xstrdup(s->reason);
}

static void add_sample(void *arg, const struct store_sample *s)
{
	struct loader *l = arg;
	struct result_cell *cell = cell_of(l, s);
	struct result_sample sample = {.value = s->value,
				       .boot = s->boot,
				       .repetition = s->repetition,
				       .time_ns = s->time_ns};

	if (!cell)
		return;
	if (s->boot_number > l->current->boots)
		l->current->boots = s->boot_number;
	if (!s->metric) {
		add_failure(cell, s);
		return;
	}
	note_metric(l, s->metric);
	if (!l->found_metric && (!l->metric || !strcmp(l->metric, s->metric))) {
		l->found_metric = xstrdup(s->metric);
		l->unit = xstrdup(s->unit);
		l->higher = !strcmp(s->better, "higher");
	}
	if (!l->found_metric || strcmp(l->found_metric, s->metric))
		return;
	l->two_units |= strcmp(l->unit, s->unit) != 0;
	result_cell_add(cell, &sample);
}

static int open_source(struct loader *l, struct source *src, const char *run, struct error *err)
{
	if (store_run_find(l->store, run, &src->run, err) ||
	    experiment_parse(&src->experiment, src->run.text, src->run.id, err) ||
	    store_variants(l->store, src->run.id, &src->variants, &src->variants_count, err))
		return -1;
	plan_init(&src->plan, src->experiment, src->run.seed);
	src->boots = src->run.boots;
	return 0;
}

static void close_source(struct source *src)
{
	plan_release(&src->plan);
	experiment_free(src->experiment);
	store_variants_free(src->variants, src->variants_count);
	store_run_release(&src->run);
}

/* The first word of @a that is not in @b, whatever their order; NULL for none. */
static const char *missing_word(const struct strlist *a, const struct strlist *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!strlist_has(b, a->items[i]))
			return a->items[i];
	return NULL;
}

/* Parameters that are not swept are not in the key of a case, and change it all the same. */
static int check_commands(const struct source *a, const struct source *b, unsigned kase,
			  struct error *err)
{
	const struct plan_case *x = &a->plan.cases[kase], *y = &b->plan.cases[kase];
	const char *one = missing_word(&x->argv, &y->argv);
	const char *two = missing_word(&y->argv, &x->argv);
	const char *what = "parameters";

	if (!one && !two) {
		what = "pin";
		one = x->cpus ? x->cpus : "all";
		two = y->cpus ? y->cpus : "all";
		if (!strcmp(one, two))
			return 0;
	}
	return error_set(err, ERROR_USAGE, "runs '%s' and '%s' have different %s ('%s', '%s')",
			 a->run.id, b->run.id, what, one ? one : "none", two ? two : "none");
}

/* The original's clock and its share of the work are not ours: no column beside the other. */
static int check_backends(const struct source *a, const struct source *b, struct error *err)
{
	bool peer = a->experiment->workload.backend == BACKEND_PEER;

	if (a->experiment->workload.backend == b->experiment->workload.backend)
		return 0;
	return error_set(err, ERROR_USAGE,
			 "runs '%s' and '%s' are of different backends (%s, %s): our generator and "
			 "the original are two workloads (print a table of each)",
			 a->run.id, b->run.id, peer ? "peer" : "own", peer ? "own" : "peer");
}

static int check_cases(const struct source *a, const struct source *b, struct error *err)
{
	if (check_backends(a, b, err))
		return -1;
	if (strcmp(a->experiment->workload.name, b->experiment->workload.name) ||
	    a->plan.cases_count != b->plan.cases_count)
		return error_set(err, ERROR_USAGE,
				 "runs '%s' and '%s' are of different workloads or cases",
				 a->run.id, b->run.id);
	for (unsigned i = 0; i < a->plan.cases_count; i++) {
		if (strcmp(a->plan.cases[i].key, b->plan.cases[i].key))
			return error_set(err, ERROR_USAGE,
					 "runs '%s' and '%s' have different cases ('%s', '%s')",
					 a->run.id, b->run.id, a->plan.cases[i].key,
					 b->plan.cases[i].key);
		if (check_commands(a, b, i, err))
			return -1;
	}
	return 0;
}

static int check_same(const struct source *a, const struct source *b, bool force, struct error *err)
{
	if (check_cases(a, b, err))
		return -1;
	if (strcmp(a->run.accel, b->run.accel) || strcmp(a->run.description, b->run.description))
		return error_set(err, ERROR_USAGE,
				 "runs '%s' and '%s' are of different machines ('%s' on %s, '%s' "
				 "on %s)",
				 a->run.id, b->run.id, a->run.description, a->run.accel,
				 b->run.description, b->run.accel);
	if (strcmp(a->run.workload_sha256, b->run.workload_sha256) && !force)
		return error_set(err, ERROR_USAGE,
				 "runs '%s' and '%s' used different builds of schedbench-workload "
				 "(--force compares them all the same)",
				 a->run.id, b->run.id);
	return 0;
}

/* "groups=4" is case 4 of axis groups; with several axes the key says it all. */
static void name_cases(struct result *r, const struct source *src)
{
	bool single = src->experiment->sweep_count == 1;
	bool numbers = single;

	r->case_label = xstrdup(single ? src->experiment->sweep[0].param : "case");
	r->case_numbers = xcalloc(r->cases_count, sizeof(*r->case_numbers));
	for (size_t i = 0; i < r->cases_count; i++) {
		const char *name = single ? src->experiment->sweep[0].values[i]
					  : src->plan.cases[i].key;
		char *end;

		r->cases[i] = xstrdup(name);
		r->case_numbers[i] = strtod(name, &end);
		numbers = numbers && *name && !*end && isfinite(r->case_numbers[i]);
	}
	if (!numbers) {
		free(r->case_numbers);
		r->case_numbers = NULL;
	}
}

static void name_variants(struct result *r, const struct loader *l)
{
	for (unsigned s = 0; s < l->count; s++) {
		const struct source *src = &l->sources[s];

		for (unsigned i = 0; i < src->variants_count; i++) {
			r->variants[src->first + i] =
				l->count == 1
					? xstrdup(src->variants[i].name)
					: xasprintf("%s@%s", src->variants[i].name, src->run.id);
			r->variant_kernels[src->first + i] = xstrdup(src->variants[i].release);
		}
	}
}

static char *warning_of(const struct loader *l)
{
	struct strbuf sb = STRBUF_INIT;

	if (strcmp(l->sources[0].run.accel, "host"))
		strbuf_addstr(&sb, l->sources[0].run.note);
	for (unsigned i = 0; i < l->count; i++) {
		if (strcmp(l->sources[i].run.workload_sha256, l->sources[0].run.workload_sha256))
			strbuf_addf(&sb, "%sthe runs used different builds of the workload program",
				    sb.len ? "; " : "");
		if (strcmp(l->sources[i].run.state, "done"))
			strbuf_addf(&sb, "%srun %s is %s", sb.len ? "; " : "", l->sources[i].run.id,
				    l->sources[i].run.state);
	}
	return sb.len ? strbuf_detach(&sb) : NULL;
}

/* The title is what all styles and figures show. */
static void name_backend(struct result *r, const struct source *src)
{
	bool peer = src->experiment->workload.backend == BACKEND_PEER;

	r->imported = !strcmp(src->run.workload_sha256, "imported");
	if (!r->imported)
		r->backend = peer ? "peer" : "own";
	r->title = peer ? xasprintf("%s (backend peer: the original tool)", src->run.title)
			: xstrdup(src->run.title);
}

static void describe(struct result *r, const struct loader *l)
{
	const struct source *src = &l->sources[0];
	struct strbuf ids = STRBUF_INIT;

	name_backend(r, src);
	r->experiment = xstrdup(src->run.experiment);
	r->machine = xstrdup(src->run.description);
	r->workload = xstrdup(src->experiment->workload.name);
	r->repetitions = src->run.repetitions;
	for (unsigned i = 0; i < l->count; i++)
		strbuf_addf(&ids, "%s%s", i ? ", " : "", l->sources[i].run.id);
	r->run_id = strbuf_detach(&ids);
	r->warning = warning_of(l);
	name_cases(r, src);
	name_variants(r, l);
}

/* How many samples each cell should have, known once all of them have been seen. */
static void set_planned(struct result *r, const struct loader *l)
{
	r->boots = l->sources[0].boots;
	for (unsigned s = 0; s < l->count; s++)
		for (size_t c = 0; c < r->cases_count; c++)
			for (unsigned v = 0; v < l->sources[s].variants_count; v++)
				result_cell(r, c, l->sources[s].first + v)->planned =
					l->sources[s].boots * l->sources[s].run.repetitions;
}

static int current_column(void *arg, const char *variant)
{
	const struct loader *l = arg;

	return column_of(l->current, variant);
}

static int settle_metric(struct loader *l, const struct load_options *opt, struct error *err)
{
	struct result *r = l->result;
	const char *statistic = opt->statistic ? opt->statistic
					       : l->sources[0].experiment->statistic;

	if (!l->found_metric && l->metric && l->metrics.len)
		return error_set(err, ERROR_USAGE, "no metric '%s' in run '%s' (it has%.*s)",
				 l->metric, r->run_id, (int)l->metrics.len - 1, l->metrics.buf);
	if (l->two_units)
		return error_set(
			err, ERROR_USAGE,
			"metric '%s' has different units in run '%s' and cannot be compared "
			"(run the cases with each unit as an experiment of their own)",
			l->found_metric, r->run_id);
	r->metric = xstrdup(l->found_metric ? l->found_metric : l->metric ? l->metric : "none");
	r->unit = xstrdup(l->unit ? l->unit : "-");
	r->better = l->higher ? BETTER_HIGHER : BETTER_LOWER;
	r->statistic = xstrdup(statistic ? statistic : l->higher ? "hmean" : "amean");
	return 0;
}

static int fill(struct loader *l, const struct load_options *opt, struct error *err)
{
	unsigned columns = 0;

	for (unsigned i = 0; i < l->count; i++) {
		l->sources[i].first = columns;
		columns += l->sources[i].variants_count;
	}
	l->result = result_new(columns, l->sources[0].plan.cases_count);
	describe(l->result, l);
	l->metric = opt->metric ? opt->metric : l->sources[0].experiment->metric;
	for (unsigned i = 0; i < l->count; i++) {
		l->current = &l->sources[i];
		if (store_each_sample(l->store, l->current->run.id, add_sample, l, err) ||
		    load_counters(l->result, l->store, l->current->run.id, current_column, l, err))
			return -1;
	}
	set_planned(l->result, l);
	load_counter_rates(l->result);
	return settle_metric(l, opt, err);
}

int result_load(struct result **out, struct store *s, const char *const *runs, unsigned count,
		const struct load_options *opt, struct error *err)
{
	struct loader l = {.store = s, .count = 0, .metrics = STRBUF_INIT};
	int ret = 0;

	l.sources = xcalloc(count, sizeof(*l.sources));
	for (unsigned i = 0; !ret && i < count; i++) {
		l.count++;
		ret = open_source(&l, &l.sources[i], runs[i], err);
		if (!ret && i)
			ret = check_same(&l.sources[0], &l.sources[i], opt->force, err);
	}
	if (!ret)
		ret = fill(&l, opt, err);
	if (ret)
		result_free(l.result);
	else
		*out = l.result;
	for (unsigned i = 0; i < l.count; i++)
		close_source(&l.sources[i]);
	free(l.sources);
	free(l.found_metric);
	free(l.unit);
	strbuf_release(&l.metrics);
	return ret;
}
