// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "import/import.h"
#include "util/xalloc.h"

/* Tables hold each variant and case: more than these is no table. */
enum { MAX_VARIANTS = 1000, MAX_CASES = 10 * 1000, MAX_CELLS = 1000 * 1000 };
enum { MAX_EXPERIMENT_NAME = 40 };

/* One repetition: samples of different metrics that were measured together. */
struct group {
	struct import_sample **samples; /* into order */
	unsigned count;
	unsigned boot; /* from 1 */
};

struct import_plan {
	const struct import *imp;
	struct experiment *experiment;
	struct import_sample **order; /* sorted: those of a repetition stand together */
	struct group *groups; /* in the order met */
	size_t groups_count;
	unsigned boots, repetitions; /* most of any */
	long first; /* number of the first repetition */
};

static int compare_long(long a, long b)
{
	return (a > b) - (a < b);
}

static int compare_boots(const struct import_sample *a, const struct import_sample *b)
{
	int ret = compare_long(a->variant, b->variant);

	return ret ? ret : compare_long(a->boot, b->boot);
}

/* The samples lie in one array in the order met, so the address is the last resort. */
static int by_metric(const void *pa, const void *pb)
{
	const struct import_sample *a = *(struct import_sample *const *)pa;
	const struct import_sample *b = *(struct import_sample *const *)pb;
	int ret = compare_boots(a, b);

	if (!ret)
		ret = compare_long(a->kase, b->kase);
	if (!ret)
		ret = compare_long(a->metric, b->metric);
	return ret ? ret : (a > b) - (a < b);
}

static int compare_repetitions(const struct import_sample *a, const struct import_sample *b)
{
	int ret = compare_boots(a, b);

	if (!ret)
		ret = compare_long(a->kase, b->kase);
	return ret ? ret : compare_long(a->repetition, b->repetition);
}

static int by_repetition(const void *pa, const void *pb)
{
	const struct import_sample *a = *(struct import_sample *const *)pa;
	const struct import_sample *b = *(struct import_sample *const *)pb;
	int ret = compare_repetitions(a, b);

	if (!ret)
		ret = compare_long(a->metric, b->metric);
	return ret ? ret : (a > b) - (a < b);
}

static int by_arrival(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	return (a->samples[0] > b->samples[0]) - (a->samples[0] < b->samples[0]);
}

/* Number what nobody numbered: within a metric of a case and boot, in the order met. */
static void number_repetitions(struct import_plan *b)
{
	const struct import_sample *last = NULL;
	long next = 0;

	qsort(b->order, b->imp->count, sizeof(*b->order), by_metric);
	for (size_t i = 0; i < b->imp->count; i++) {
		struct import_sample *s = b->order[i];

		if (!last || compare_boots(last, s) || last->kase != s->kase ||
		    last->metric != s->metric)
			next = 0;
		if (s->repetition == IMPORT_NEXT)
			s->repetition = next++;
		last = s;
	}
}

static int check_limits(const struct import *imp, struct error *err)
{
	size_t variants = imp->variants.list.count, cases = imp->cases.list.count;

	if (!imp->count)
		return error_set(err, ERROR_USAGE, "'%s' holds no sample", imp->origin);
	if (variants > MAX_VARIANTS || cases > MAX_CASES || variants * cases > MAX_CELLS)
		return error_set(err, ERROR_USAGE,
				 "'%s' has too much for a table (%zu variants, %zu cases)",
				 imp->origin, variants, cases);
	return 0;
}

static int twice(const struct import *imp, const struct import_sample *s, struct error *err)
{
	error_set(err, ERROR_USAGE, "repetition %ld of '%s', case '%s', is there twice",
		  s->repetition, imp->variants.list.items[s->variant],
		  imp->cases.list.items[s->kase]);
	return s->line ? error_prefix(err, "%s:%u: ", imp->origin, s->line) : -1;
}

/* Cut the sorted samples into repetitions and number the boots of each variant from 1. */
static int make_groups(struct import_plan *b, struct error *err)
{
	const struct import *imp = b->imp;
	struct import_sample *last = NULL;
	struct group *g = NULL;
	unsigned boot = 0;

	qsort(b->order, imp->count, sizeof(*b->order), by_repetition);
	for (size_t i = 0; i < imp->count; i++) {
		struct import_sample *s = b->order[i];

		if (!last || last->variant != s->variant)
			boot = 1;
		else if (last->boot != s->boot)
			boot++;
		if (!last || compare_repetitions(last, s)) {
			g = &b->groups[b->groups_count++];
			*g = (struct group){.samples = &b->order[i], .boot = boot};
		} else if (last->metric == s->metric) {
			return twice(imp, s, err);
		}
		g->count++;
		b->boots = boot > b->boots ? boot : b->boots;
		last = s;
	}
	return 0;
}

static bool is_good(const struct group *g)
{
	for (unsigned i = 0; i < g->count; i++)
		if (g->samples[i]->reason)
			return false;
	return true;
}

/* The most good repetitions of any case in any boot; one at least. Before the groups are sorted. */
static unsigned most_good(const struct import_plan *b)
{
	const struct import_sample *last = NULL;
	unsigned most = 1, good = 0;

	for (size_t i = 0; i < b->groups_count; i++) {
		const struct import_sample *s = b->groups[i].samples[0];

		if (!last || compare_boots(last, s) || last->kase != s->kase)
			good = 0;
		good += is_good(&b->groups[i]);
		most = good > most ? good : most;
		last = s;
	}
	return most;
}

static int plan_samples(struct import_plan *b, struct import *imp, struct error *err)
{
	long most = LONG_MIN;

	b->imp = imp;
	b->first = LONG_MAX;
	if (check_limits(imp, err))
		return -1;
	b->order = xcalloc(imp->count, sizeof(*b->order));
	b->groups = xcalloc(imp->count, sizeof(*b->groups));
	for (size_t i = 0; i < imp->count; i++)
		b->order[i] = &imp->samples[i];
	number_repetitions(b);
	if (make_groups(b, err))
		return -1;
	for (size_t i = 0; i < imp->count; i++) {
		long r = imp->samples[i].repetition;

		most = r > most ? r : most;
		b->first = r < b->first ? r : b->first;
	}
	/* What is too much for an experiment is refused as such. */
	b->repetitions = most - b->first < UINT_MAX ? most - b->first + 1 : UINT_MAX;
	if (imp->retried)
		b->repetitions = most_good(b);
	qsort(b->groups, b->groups_count, sizeof(*b->groups), by_arrival);
	return 0;
}

/*
 * Names in an experiment are shorter than those of archived kernels, and have no @ as in the
 * columns NAME@RUN of runs compared side by side. The store keeps the real ones.
 */
static json_t *variant_names(const struct strlist *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++) {
		size_t len = strlen(list->items[i]);
		char *plain =
			len <= MAX_EXPERIMENT_NAME
				? xstrdup(list->items[i])
				: xasprintf("%.*s.%zu", MAX_EXPERIMENT_NAME - 8, list->items[i], i);

		for (char *p = plain; *p; p++)
			*p = *p == '@' ? '+' : *p;
		json_array_append_new(array,
				      json_pack("{s:s, s:s}", "name", plain, "kernel", "running"));
		free(plain);
	}
	return array;
}

static int case_names(const struct import *imp, json_t **out, struct error *err)
{
	*out = json_array();
	for (size_t i = 0; i < imp->cases.list.count; i++) {
		json_t *name = json_string(imp->cases.list.items[i]);

		if (!name)
			return error_set(err, ERROR_USAGE, "'%s' is not UTF-8 (in '%s')",
					 import_quote(imp->cases.list.items[i]).text, imp->origin);
		json_array_append_new(*out, name);
	}
	return 0;
}

static bool has_good_sample(const struct import *imp, size_t metric)
{
	for (size_t i = 0; i < imp->count; i++)
		if (!imp->samples[i].reason && imp->samples[i].metric == metric)
			return true;
	return false;
}

/* The one asked for; where nothing good was measured of it, the first one that has something. */
static const char *main_metric(const struct import *imp)
{
	size_t first = imp->metrics_count;

	for (size_t i = 0; i < imp->metrics_count; i++) {
		bool wanted = imp->metric && !strcmp(imp->metrics[i].name, imp->metric);

		if ((wanted || first == imp->metrics_count) && has_good_sample(imp, i))
			first = i;
		if (wanted && first == i)
			break;
	}
	return imp->metrics[first < imp->metrics_count ? first : 0].name;
}

/* The experiment that would have measured this, so that the run is one like any other. JSON is
 * YAML. */
static int plan_experiment(struct import_plan *b, struct error *err)
{
	const struct import *imp = b->imp;
	json_t *cases, *root;
	char *text = NULL;
	int ret = case_names(imp, &cases, err);

	root = json_pack("{s:s, s:s, s:s, s:o, s:s, s:{s:o}, s:I, s:I, s:s}", "name", imp->name,
			 "title", imp->title, "machine", "host", "variants",
			 variant_names(&imp->variants.list), "workload", imp->workload, "sweep",
			 imp->axis, cases, "boots", (json_int_t)b->boots, "repetitions",
			 (json_int_t)b->repetitions, "metric", main_metric(imp));
	if (!ret && !root)
		ret = error_set(err, ERROR_USAGE, "'%s' has a name that is not UTF-8", imp->origin);
	if (!ret) {
		text = json_dumps(root, JSON_INDENT(1));
		ret = experiment_parse(&b->experiment, text, "as an experiment", err);
		if (ret)
			error_prefix(err, "cannot import '%s': ", imp->origin);
	}
	json_decref(root);
	free(text);
	return ret;
}

static int create_run(struct store *store, const struct import_plan *b, char **run_id,
		      struct error *err)
{
	const struct import *imp = b->imp;
	const struct experiment *e = b->experiment;
	struct store_new_variant *variants = xcalloc(e->variants_count, sizeof(*variants));
	struct store_new_run run = {.experiment = e->name,
				    .title = e->title,
				    .text = e->text,
				    .machine = "imported",
				    .description = imp->machine,
				    .program_version = SCHEDBENCH_VERSION,
				    .workload_sha256 = "imported",
				    .seed = 1,
				    .boots = e->boots,
				    .repetitions = e->repetitions,
				    .variants = variants,
				    .variants_count = e->variants_count};
	int ret;

	for (unsigned i = 0; i < e->variants_count; i++) {
		const char *name = imp->variants.list.items[i];

		variants[i] = (struct store_new_variant){name, name, name, "imported", "{}"};
	}
	ret = store_run_create(store, &run, run_id, err);
	if (!ret)
		ret = store_run_set_accel(
			store, *run_id, "imported",
			imp->note ? imp->note : "measured elsewhere, imported as it stood", err);
	free(variants);
	return ret;
}

static int add_group(struct store *store, const struct import_plan *b, const struct group *g,
		     int64_t boot, struct error *err)
{
	const struct import *imp = b->imp;
	const struct import_sample *first = g->samples[0], *failed = NULL;
	char *kase = xasprintf("%s=%s", imp->axis, imp->cases.list.items[first->kase]);
	struct store_value *values = xcalloc(g->count, sizeof(*values));
	struct store_repetition rep = {.kase = kase, .values = values, .status = "ok"};
	int ret;

	rep.repetition = first->repetition - b->first;
	for (unsigned i = 0; i < g->count; i++) {
		const struct import_sample *s = g->samples[i];
		const struct import_metric *m = &imp->metrics[s->metric];

		if (s->reason && !failed)
			failed = s;
		values[i] = (struct store_value){m->name, m->unit, m->higher ? "higher" : "lower",
						 s->value};
	}
	if (failed) {
		rep.status = failed->timeout ? "timeout" : "failed";
		rep.reason = failed->reason;
	}
	rep.values_count = failed ? 0 : g->count;
	ret = store_repetition_add(store, boot, &rep, err);
	free(values);
	free(kase);
	return ret;
}

static int fill_run(struct store *store, const struct import_plan *b, const char *run_id,
		    struct error *err)
{
	const struct strlist *variants = &b->imp->variants.list;
	int64_t *boots = xcalloc(variants->count * b->boots, sizeof(*boots));
	int ret = 0;

	for (size_t i = 0; !ret && i < b->groups_count; i++) {
		const struct group *g = &b->groups[i];
		unsigned variant = g->samples[0]->variant;
		int64_t *boot = &boots[(size_t)variant * b->boots + g->boot - 1];

		if (!*boot) {
			ret = store_boot_begin(store, run_id, variants->items[variant], g->boot,
					       boot, err);
			if (!ret)
				ret = store_boot_end(store, *boot, "ok", NULL, 0, err);
		}
		if (!ret)
			ret = add_group(store, b, g, *boot, err);
	}
	free(boots);
	return ret ? -1 : store_run_set_state(store, run_id, "done", err);
}

int import_plan(struct import_plan **plan, struct import *imp, struct error *err)
{
	struct import_plan *p = xcalloc(1, sizeof(*p));

	*plan = NULL;
	if (plan_samples(p, imp, err) || plan_experiment(p, err)) {
		import_plan_free(p);
		return -1;
	}
	*plan = p;
	return 0;
}

void import_plan_free(struct import_plan *p)
{
	if (!p)
		return;
	free(p->order);
	free(p->groups);
	experiment_free(p->experiment);
	free(p);
}

static int store_plan(struct store *store, const struct import_plan *p, struct strlist *ids,
		      struct error *err)
{
	char *run_id = NULL;
	int ret = create_run(store, p, &run_id, err);

	if (!ret)
		ret = fill_run(store, p, run_id, err);
	if (!ret)
		strlist_add(ids, run_id);
	free(run_id);
	return ret;
}

int import_store(struct store *store, const struct import_plan *const *plans, size_t count,
		 struct strlist *ids, struct error *err)
{
	int ret = store_bulk_begin(store, err);

	if (ret)
		return -1;
	for (size_t i = 0; !ret && i < count; i++)
		ret = store_plan(store, plans[i], ids, err);
	return store_bulk_end(store, ret, err);
}
