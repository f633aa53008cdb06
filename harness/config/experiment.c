// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "config/experiment.h"
#include "config/find.h"
#include "config/schema.h"
#include "util/file.h"
#include "util/xalloc.h"

/* What the file says; the duration is kept apart. */
struct experiment_file {
	struct experiment e;
	char *timeout;
	char *precision;
};

enum { POINTER = CYAML_FLAG_POINTER, MAYBE = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL };

static const cyaml_strval_t backends[] = {{"own", BACKEND_OWN}, {"peer", BACKEND_PEER}};
static const cyaml_strval_t orders[] = {{"blocks", ORDER_BLOCKS}, {"sequential", ORDER_SEQUENTIAL}};

static const cyaml_schema_field_t variant_fields[] = {
	CYAML_FIELD_STRING_PTR("name", POINTER, struct variant, name, 1, 40),
	CYAML_FIELD_STRING_PTR("kernel", POINTER, struct variant, kernel, 1, 1024),
	CYAML_FIELD_SEQUENCE("features", MAYBE, struct variant, features, &schema_key_value, 0,
			     256),
	CYAML_FIELD_SEQUENCE("sysctl", MAYBE, struct variant, sysctl, &schema_key_value, 0, 256),
	CYAML_FIELD_END};

static const cyaml_schema_value_t variant_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct variant, variant_fields)};

static const cyaml_schema_field_t workload_fields[] = {
	CYAML_FIELD_STRING_PTR("name", POINTER, struct workload_config, name, 1, 64),
	CYAML_FIELD_ENUM("backend", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct workload_config,
			 backend, backends, 2),
	CYAML_FIELD_SEQUENCE("params", MAYBE, struct workload_config, params, &schema_key_value, 0,
			     128),
	CYAML_FIELD_END};

static const cyaml_schema_field_t axis_fields[] = {
	CYAML_FIELD_STRING_PTR("key", POINTER, struct sweep_axis, param, 1, 64),
	CYAML_FIELD_SEQUENCE("value", POINTER, struct sweep_axis, values, &schema_string, 1, 1024),
	CYAML_FIELD_END};

static const cyaml_schema_value_t axis_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct sweep_axis, axis_fields)};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("name", POINTER, struct experiment_file, e.name, 1, 64),
	CYAML_FIELD_STRING_PTR("title", POINTER, struct experiment_file, e.title, 1, 200),
	CYAML_FIELD_STRING_PTR("published", MAYBE, struct experiment_file, e.published, 3, 200),
	CYAML_FIELD_STRING_PTR("machine", POINTER, struct experiment_file, e.machine, 1, 1024),
	CYAML_FIELD_STRING_PTR("scale", POINTER, struct experiment_file, e.scale, 1, 16),
	CYAML_FIELD_SEQUENCE("variants", POINTER, struct experiment_file, e.variants,
			     &variant_schema, 1, 64),
	CYAML_FIELD_MAPPING("workload", CYAML_FLAG_DEFAULT, struct experiment_file, e.workload,
			    workload_fields),
	CYAML_FIELD_SEQUENCE("sweep", MAYBE, struct experiment_file, e.sweep, &axis_schema, 1, 8),
	CYAML_FIELD_STRING_PTR("pin", POINTER, struct experiment_file, e.pin, 1, 1024),
	CYAML_FIELD_STRING_PTR("metric", MAYBE, struct experiment_file, e.metric, 1, 64),
	CYAML_FIELD_STRING_PTR("statistic", MAYBE, struct experiment_file, e.statistic, 1, 64),
	CYAML_FIELD_UINT("boots", CYAML_FLAG_DEFAULT, struct experiment_file, e.boots),
	CYAML_FIELD_STRING_PTR("precision", MAYBE, struct experiment_file, precision, 1, 16),
	CYAML_FIELD_UINT("max_boots", CYAML_FLAG_OPTIONAL, struct experiment_file, e.max_boots),
	CYAML_FIELD_UINT("repetitions", CYAML_FLAG_DEFAULT, struct experiment_file, e.repetitions),
	CYAML_FIELD_ENUM("order", CYAML_FLAG_STRICT, struct experiment_file, e.order, orders, 2),
	CYAML_FIELD_UINT("warmup", CYAML_FLAG_DEFAULT, struct experiment_file, e.warmup),
	CYAML_FIELD_STRING_PTR("timeout", POINTER, struct experiment_file, timeout, 1, 32),
	CYAML_FIELD_UINT("retries", CYAML_FLAG_DEFAULT, struct experiment_file, e.retries),
	CYAML_FIELD_UINT("seed", CYAML_FLAG_OPTIONAL, struct experiment_file, e.seed),
	CYAML_FIELD_SEQUENCE("monitors", MAYBE, struct experiment_file, e.monitors, &schema_string,
			     0, 32),
	CYAML_FIELD_END};

static const cyaml_schema_value_t top = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct experiment_file, fields)};

static const char *const later[] = {"quiet", "max", "significance", "memory", NULL};

static const struct schema schema = {&top, later};

static void strings_free(char **strings, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(strings[i]);
	free(strings);
}

static void variant_release(struct variant *v)
{
	free(v->name);
	free(v->kernel);
	key_values_free(v->features, v->features_count);
	key_values_free(v->sysctl, v->sysctl_count);
}

static void experiment_release(struct experiment *e)
{
	free(e->file);
	free(e->text);
	free(e->name);
	free(e->title);
	free(e->machine);
	free(e->scale);
	for (unsigned i = 0; i < e->variants_count; i++)
		variant_release(&e->variants[i]);
	free(e->variants);
	free(e->workload.name);
	key_values_free(e->workload.params, e->workload.params_count);
	for (unsigned i = 0; i < e->sweep_count; i++) {
		free(e->sweep[i].param);
		strings_free(e->sweep[i].values, e->sweep[i].values_count);
	}
	free(e->sweep);
	free(e->pin);
	free(e->published);
	free(e->metric);
	free(e->statistic);
	strings_free(e->monitors, e->monitors_count);
}

void experiment_free(struct experiment *e)
{
	if (!e)
		return;
	experiment_release(e);
	free(e);
}

/* Written into the document, so that the text kept with a run says what the run used. */
static void set_defaults(const struct document *doc)
{
	static const struct {
		const char *key, *value;
	} defaults[] = {{"scale", "1/1"},     {"pin", "all"},	   {"boots", "3"},
			{"repetitions", "5"}, {"order", "blocks"}, {"warmup", "0"},
			{"timeout", "120s"},  {"retries", "1"}};
	struct node *root = doc->root;
	char *stem = config_stem(doc->origin);
	const struct node *name;

	node_default(root, "name", stem);
	name = node_get(root, "name");
	node_default(root, "title", name->type == NODE_SCALAR ? name->value : stem);
	for (unsigned i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
		node_default(root, defaults[i].key, defaults[i].value);
	if (node_get(root, "precision"))
		node_default(root, "max_boots", "20");
	free(stem);
}

static void resolve_reference(const struct document *doc, struct node *n)
{
	char *folder, *path;

	if (!n || n->type != NODE_SCALAR || !config_is_path(n->value))
		return;
	folder = n->set ? xstrdup(".") : path_dirname(doc->origin);
	path = config_absolute(folder, n->value);
	node_set_value(n, path);
	free(path);
	free(folder);
}

/* Paths are seen from the file that holds them, those of the command line from where it was given. */
static void resolve_references(const struct document *doc)
{
	const struct node *variants = node_get(doc->root, "variants");

	resolve_reference(doc, node_get(doc->root, "machine"));
	for (unsigned i = 0; variants && i < variants->items_count; i++)
		resolve_reference(doc, node_get(variants->items[i], "kernel"));
}

static int convert_timeout(const struct document *doc, struct experiment_file *f, struct error *err)
{
	const struct node *n = node_get(doc->root, "timeout");
	struct error reason = ERROR_INIT;

	if (parse_duration_ms(f->timeout, &f->e.timeout_ms, &reason))
		return document_error(doc, n, err, "%s", reason.msg);
	if (!f->e.timeout_ms)
		return document_error(doc, n, err, "'timeout' must not be zero");
	return 0;
}

/* "1%" is 0.01; max_boots then has a default, written into the document like all others. */
static int convert_precision(const struct document *doc, struct experiment_file *f,
			     struct error *err)
{
	const struct node *n = node_get(doc->root, "precision");
	struct experiment *e = &f->e;
	double percent;
	char *end;

	if (!f->precision)
		return e->max_boots ? document_error(doc, node_get(doc->root, "max_boots"), err,
						     "'max_boots' needs 'precision'")
				    : 0;
	if (!strcmp(f->precision, "none")) {
		e->max_boots = 0;
		return 0;
	}
	percent = strtod(f->precision, &end);
	if (end == f->precision || strcmp(end, "%") || !(percent >= 0.01 && percent <= 100))
		return document_error(
			doc, n, err,
			"'%.20s' is not a precision (write 0.01%% to 100%%, such as 1%%, or none)",
			f->precision);
	if (e->order != ORDER_BLOCKS || e->variants_count < 2)
		return document_error(
			doc, n, err,
			"'precision' needs two variants and order: blocks (precision: "
			"none, or --set precision=none, measures 'boots' of each)");
	e->precision = percent / 100;
	if (e->max_boots < e->boots)
		return document_error(doc, node_get(doc->root, "max_boots"), err,
				      "'max_boots' must not be less than 'boots' (%u), not %u (20 "
				      "unless given)",
				      e->boots, e->max_boots);
	return 0;
}

/* A rule instead of a list is a thing of a later version, not a typing error. */
static int check_sweep_rules(const struct document *doc, struct error *err)
{
	const struct node *sweep = node_get(doc->root, "sweep");

	for (unsigned i = 0; sweep && sweep->type == NODE_MAPPING && i < sweep->items_count; i++) {
		const struct node *axis = sweep->items[i];

		if (axis->type == NODE_SCALAR && !strncmp(axis->value, "mmtests", 7))
			return document_error(doc, axis, err,
					      "rule '%.60s' is not supported by this version "
					      "(write a list such as [1, 4, 7])",
					      axis->value);
	}
	return 0;
}

static int experiment_from_document(struct experiment **out, const struct document *doc,
				    bool references, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct experiment_file *f;
	void *data;
	int ret;

	node_wrap(doc->root, "workload", "name");
	set_defaults(doc);
	if (references)
		resolve_references(doc);
	if (check_sweep_rules(doc, err) || schema_load(&schema, doc, &data, err))
		return -1;
	f = data;
	ret = convert_timeout(doc, f, err) || convert_precision(doc, f, err) ? -1 : 0;
	if (!ret)
		ret = experiment_check(doc, &f->e, err);
	if (!ret && references)
		ret = experiment_check_references(doc, &f->e, err);
	free(f->timeout);
	free(f->precision);
	if (ret) {
		experiment_release(&f->e);
	} else {
		*out = xcalloc(1, sizeof(**out));
		**out = f->e;
		(*out)->file = xstrdup(doc->origin);
		document_emit(doc, &text);
		(*out)->text = strbuf_detach(&text);
	}
	free(f);
	return ret;
}

static int apply_sets(struct document *doc, const char *const *sets, unsigned count,
		      struct error *err)
{
	/* The short form has to be a mapping before workload.params.loops=10 can be applied. */
	node_wrap(doc->root, "workload", "name");
	for (unsigned i = 0; i < count; i++)
		if (document_set(doc, sets[i], err))
			return -1;
	return 0;
}

int experiment_load(struct experiment **out, const char *name_or_path, const char *const *sets,
		    unsigned sets_count, struct error *err)
{
	char *path = config_find(CONFIG_EXPERIMENT, name_or_path, err);
	struct document doc;
	int ret;

	*out = NULL;
	if (!path)
		return -1;
	ret = document_read(&doc, path, err);
	free(path);
	if (ret)
		return ret;
	ret = apply_sets(&doc, sets, sets_count, err);
	if (!ret)
		ret = experiment_from_document(out, &doc, true, err);
	document_release(&doc);
	return ret;
}

int experiment_parse(struct experiment **out, const char *text, const char *origin,
		     struct error *err)
{
	struct document doc;
	int ret;

	*out = NULL;
	if (document_parse(&doc, origin, text, strlen(text), err))
		return -1;
	ret = experiment_from_document(out, &doc, false, err);
	document_release(&doc);
	return ret;
}
