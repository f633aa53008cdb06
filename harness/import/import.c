// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "import/import.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

void import_release(struct import *imp)
{
	for (size_t i = 0; i < imp->count; i++)
		free(imp->samples[i].reason);
	free(imp->samples);
	strlist_release(&imp->variants);
	strlist_release(&imp->cases);
	free(imp->name);
	free(imp->title);
	free(imp->workload);
	free(imp->axis);
	free(imp->metric);
	free(imp->unit);
	free(imp->origin);
	memset(imp, 0, sizeof(*imp));
}

static unsigned index_of(struct strlist *list, const char *name)
{
	/* Samples of one kind follow one another: look at the last one first. */
	for (size_t i = list->count; i--;)
		if (!strcmp(list->items[i], name))
			return i;
	strlist_add(list, name);
	return list->count - 1;
}

void import_add(struct import *imp, const char *variant, const char *kase, unsigned boot,
		double value, const char *reason)
{
	xgrow(imp->samples, imp->count, imp->cap);
	imp->samples[imp->count++] =
		(struct import_sample){.variant = index_of(&imp->variants, variant),
				       .kase = index_of(&imp->cases, kase),
				       .boot = boot,
				       .value = value,
				       .reason = reason ? xstrdup(reason) : NULL};
}

/* How often each (variant, case, boot) occurs: repetitions are numbered in the order met. */
struct numbering {
	const struct import *imp;
	unsigned boots; /* largest number */
	unsigned *next; /* [variant][case][boot] */
	unsigned repetitions; /* most of any */
};

static unsigned *next_of(const struct numbering *n, const struct import_sample *s)
{
	size_t cases = n->imp->cases.count;

	return &n->next[(s->variant * cases + s->kase) * n->boots + s->boot - 1];
}

static int number_samples(struct numbering *n, const struct import *imp, struct error *err)
{
	size_t cells;

	*n = (struct numbering){.imp = imp};
	for (size_t i = 0; i < imp->count; i++)
		if (imp->samples[i].boot > n->boots)
			n->boots = imp->samples[i].boot;
	cells = imp->variants.count * imp->cases.count;
	if (!imp->count)
		return error_set(err, ERROR_USAGE, "'%s' holds no sample", imp->origin);
	if (cells > 10 * 1000 * 1000 / n->boots)
		return error_set(err, ERROR_USAGE, "'%s' has too many variants, cases and boots",
				 imp->origin);
	n->next = xcalloc(cells * n->boots, sizeof(*n->next));
	for (size_t i = 0; i < imp->count; i++) {
		unsigned *next = next_of(n, &imp->samples[i]);

		if (++*next > n->repetitions)
			n->repetitions = *next;
	}
	memset(n->next, 0, cells * n->boots * sizeof(*n->next));
	return 0;
}

static json_t *names(const struct strlist *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_string(list->items[i]));
	return array;
}

/* The experiment that would have measured this, so that the run is one like any other. JSON is
 * YAML. */
static char *experiment_text(const struct import *imp, const struct numbering *n)
{
	json_t *root = json_object(), *variants = json_array(), *sweep = json_object();
	char *text;

	for (size_t i = 0; i < imp->variants.count; i++)
		json_array_append_new(variants,
				      json_pack("{s:s, s:s}", "name", imp->variants.items[i],
						"kernel", "running"));
	json_object_set_new(sweep, imp->axis, names(&imp->cases));
	json_object_set_new(root, "name", json_string(imp->name));
	json_object_set_new(root, "title", json_string(imp->title));
	json_object_set_new(root, "machine", json_string("host"));
	json_object_set_new(root, "variants", variants);
	json_object_set_new(root, "workload", json_string(imp->workload));
	json_object_set_new(root, "sweep", sweep);
	json_object_set_new(root, "boots", json_integer(n->boots));
	json_object_set_new(root, "repetitions", json_integer(n->repetitions));
	json_object_set_new(root, "metric", json_string(imp->metric));
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return text;
}

static int create_run(struct store *store, const struct import *imp, const struct experiment *e,
		      char **run_id, struct error *err)
{
	struct store_new_variant *variants = xcalloc(e->variants_count, sizeof(*variants));
	char *description = xasprintf("imported from %s", imp->origin);
	struct store_new_run run = {.experiment = e->name,
				    .title = e->title,
				    .text = e->text,
				    .machine = "imported",
				    .description = description,
				    .program_version = SCHEDBENCH_VERSION,
				    .workload_sha256 = "imported",
				    .seed = 1,
				    .boots = e->boots,
				    .repetitions = e->repetitions,
				    .variants = variants,
				    .variants_count = e->variants_count};
	int ret;

	for (unsigned i = 0; i < e->variants_count; i++)
		variants[i] = (struct store_new_variant){.name = e->variants[i].name,
							 .kernel = e->variants[i].name,
							 .release = e->variants[i].name,
							 .identity = "imported",
							 .settings = "{}"};
	ret = store_run_create(store, &run, run_id, err);
	if (!ret)
		ret = store_run_set_accel(store, *run_id, "imported",
					  "measured elsewhere, imported as it stood", err);
	free(description);
	free(variants);
	return ret;
}

static int add_sample(struct store *store, const struct import *imp, struct numbering *n,
		      const struct import_sample *s, const int64_t *boots, struct error *err)
{
	char *kase = xasprintf("%s=%s", imp->axis, imp->cases.items[s->kase]);
	const struct store_value value = {imp->metric, imp->unit, imp->higher ? "higher" : "lower",
					  s->value};
	const struct store_repetition rep = {.kase = kase,
					     .repetition = (*next_of(n, s))++,
					     .status = s->reason ? "failed" : "ok",
					     .reason = s->reason,
					     .values = &value,
					     .values_count = !s->reason};
	int ret =
		store_repetition_add(store, boots[s->variant * n->boots + s->boot - 1], &rep, err);

	free(kase);
	return ret;
}

static int fill_run(struct store *store, const struct import *imp, struct numbering *n,
		    const char *run_id, struct error *err)
{
	int64_t *boots = xcalloc(imp->variants.count * n->boots, sizeof(*boots));
	int ret = 0;

	for (size_t i = 0; !ret && i < imp->count; i++) {
		const struct import_sample *s = &imp->samples[i];
		int64_t *boot = &boots[s->variant * n->boots + s->boot - 1];

		if (!*boot)
			ret = store_boot_begin(store, run_id, imp->variants.items[s->variant],
					       s->boot, boot, err) ||
					      store_boot_end(store, *boot, "ok", NULL, 0, err)
				      ? -1
				      : 0;
		if (!ret)
			ret = add_sample(store, imp, n, s, boots, err);
	}
	free(boots);
	return ret ? -1 : store_run_set_state(store, run_id, "done", err);
}

int import_store(struct store *store, const struct import *imp, char **run_id, struct error *err)
{
	struct experiment *e = NULL;
	struct numbering n;
	char *text;
	int ret;

	*run_id = NULL;
	if (number_samples(&n, imp, err))
		return -1;
	text = experiment_text(imp, &n);
	ret = experiment_parse(&e, text, "as an experiment", err);
	if (ret)
		error_prefix(err, "cannot import '%s': ", imp->origin);
	else
		ret = store_bulk_begin(store, err);
	if (!ret) {
		ret = create_run(store, imp, e, run_id, err);
		if (!ret)
			ret = fill_run(store, imp, &n, *run_id, err);
		ret = store_bulk_end(store, ret, err);
	}
	free(text);
	free(n.next);
	experiment_free(e);
	return ret;
}
