// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/experiment.h"
#include "config/suggest.h"
#include "config/switches.h"
#include "config/values.h"
#include "util/xalloc.h"

/* More than any plan that anybody will wait for: a typing error or worse. */
enum { MAX_CASES = 100 * 1000, MAX_SAMPLES = 10 * 1000 * 1000 };

static int check_range(const struct document *doc, const char *key, unsigned value, unsigned min,
		       unsigned max, struct error *err)
{
	if (value < min || value > max)
		return document_error(doc, node_get(doc->root, key), err,
				      "'%s' must be %u to %u, not %u", key, min, max, value);
	return 0;
}

static int check_counts(const struct document *doc, const struct experiment *e, struct error *err)
{
	if (check_range(doc, "boots", e->boots, 1, 10000, err) ||
	    check_range(doc, "max_boots", e->max_boots, 0, 10000, err) ||
	    check_range(doc, "repetitions", e->repetitions, 1, 100000, err) ||
	    check_range(doc, "warmup", e->warmup, 0, 1000, err) ||
	    check_range(doc, "retries", e->retries, 0, 100, err))
		return -1;
	return 0;
}

static int check_name(const struct document *doc, const struct node *n, struct error *err)
{
	if (!is_name(n->value))
		return document_error(doc, n, err,
				      "'%.60s' is not a name (use letters, digits and . _ + -)",
				      n->value);
	return 0;
}

static int check_variants(const struct document *doc, const struct experiment *e, struct error *err)
{
	const struct node *variants = node_get(doc->root, "variants");

	for (unsigned i = 0; i < e->variants_count; i++) {
		const struct node *name = node_get(variants->items[i], "name");

		if (check_name(doc, name, err))
			return -1;
		for (unsigned j = 0; j < i; j++)
			if (!strcasecmp(e->variants[j].name, name->value))
				return document_error(
					doc, name, err,
					"variant '%s' is there twice (give each its own name)",
					name->value);
		if (switches_check(doc, variants->items[i], err))
			return -1;
	}
	return 0;
}

static int check_param_name(const struct document *doc, const struct node *n, struct error *err)
{
	if (!is_name(n->key) || strpbrk(n->key, "+."))
		return document_error(doc, n, err, "'%.60s' is not the name of a parameter",
				      n->key);
	return 0;
}

static int check_params(const struct document *doc, struct error *err)
{
	const struct node *params = node_get(node_get(doc->root, "workload"), "params");
	const struct node *sweep = node_get(doc->root, "sweep");

	for (unsigned i = 0; params && i < params->items_count; i++) {
		const struct node *n = params->items[i];

		if (check_param_name(doc, n, err))
			return -1;
		if (node_get(sweep, n->key))
			return document_error(doc, n, err,
					      "'%s' is a parameter and an axis of the sweep (keep "
					      "one)",
					      n->key);
	}
	return 0;
}

static int check_pin(const struct document *doc, const struct node *n, struct error *err)
{
	struct error reason = ERROR_INIT;
	unsigned highest;

	if (is_location(n->value) || !parse_cpu_list(n->value, &highest, &reason))
		return 0;
	return document_error(doc, n, err, "%s", reason.msg);
}

static int check_axis(const struct document *doc, const struct node *axis, struct error *err)
{
	if (check_param_name(doc, axis, err))
		return -1;
	for (unsigned i = 0; i < axis->items_count; i++) {
		const struct node *n = axis->items[i];

		for (unsigned j = 0; j < i; j++)
			if (!strcmp(axis->items[j]->value, n->value))
				return document_error(doc, n, err,
						      "'%.60s' is there twice in sweep '%s'",
						      n->value, axis->key);
		if (!strcmp(axis->key, "pin") && check_pin(doc, n, err))
			return -1;
	}
	return 0;
}

static int check_sweep(const struct document *doc, const struct experiment *e, struct error *err)
{
	const struct node *sweep = node_get(doc->root, "sweep");
	unsigned boots = e->max_boots > e->boots ? e->max_boots : e->boots;
	unsigned long long cases = 1, samples;

	for (unsigned i = 0; sweep && i < sweep->items_count; i++) {
		if (check_axis(doc, sweep->items[i], err))
			return -1;
		cases *= sweep->items[i]->items_count;
		if (cases > MAX_CASES)
			return document_error(doc, sweep, err, "the sweep has more than %d cases",
					      MAX_CASES);
	}
	samples = cases * e->variants_count * boots;
	samples *= e->repetitions + e->warmup;
	if (samples > MAX_SAMPLES)
		return document_error(doc, doc->root, err,
				      "%llu samples are asked for, more than %d (variants x boots "
				      "x cases x repetitions)",
				      samples, MAX_SAMPLES);
	return 0;
}

static bool is_table(const char *word, size_t len)
{
	const char *slash = memchr(word, '/', len);
	char *id, *table;
	bool good;

	if (!slash)
		return false;
	id = xstrndup(word, (size_t)(slash - word));
	table = xstrndup(slash + 1, len - (size_t)(slash - word) - 1);
	good = is_name(id) && is_name(table);
	free(id);
	free(table);
	return good;
}

/* Whether the tables are there is seen when they are reproduced: the figures may lie elsewhere. */
static int check_published(const struct document *doc, const struct experiment *e,
			   struct error *err)
{
	const char *p = e->published ? e->published : "";

	for (p += strspn(p, " "); *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");

		if (!is_table(p, len))
			return document_error(doc, node_get(doc->root, "published"), err,
					      "'%.*s' is not ID/TABLE of a published table (see "
					      "'schedbench published list')",
					      (int)(len < 60 ? len : 60), p);
		p += len;
	}
	return 0;
}

static int check_statistic(const struct document *doc, const struct experiment *e,
			   struct error *err)
{
	static const char *const names[] = {"amean", "hmean", "gmean", "median"};
	struct suggestion near;

	if (!e->statistic)
		return 0;
	suggestion_start(&near, e->statistic);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(e->statistic, names[i]))
			return 0;
		suggestion_add(&near, names[i]);
	}
	return document_error(doc, node_get(doc->root, "statistic"), err,
			      "'statistic' must be one of amean, hmean, gmean, median, not "
			      "'%.60s'%s%s%s",
			      e->statistic, near.best ? " (did you mean '" : "",
			      near.best ? near.best : "", near.best ? "'?)" : "");
}

static int check_monitors(const struct document *doc, const struct experiment *e, struct error *err)
{
	static const char *const later[] = {"probes", "perf", "vmstat", "turbostat", "ftrace"};
	const struct node *monitors = node_get(doc->root, "monitors");

	for (unsigned i = 0; i < e->monitors_count; i++) {
		const struct node *n = monitors->items[i];

		for (unsigned j = 0; j < sizeof(later) / sizeof(later[0]); j++)
			if (!strcmp(n->value, later[j]))
				return document_error(doc, n, err,
						      "monitor '%s' is not supported by this "
						      "version (schedstat is)",
						      n->value);
		if (strcmp(n->value, "schedstat"))
			return document_error(doc, n, err,
					      "unknown monitor '%.60s' (schedstat is known)",
					      n->value);
		if (i)
			return document_error(doc, n, err, "monitor '%s' is there twice", n->value);
	}
	return 0;
}

static int check_scale(const struct document *doc, const struct experiment *e, struct error *err)
{
	const struct node *n = node_get(doc->root, "scale");
	struct error reason = ERROR_INIT;
	unsigned num, den;

	if (parse_scale(e->scale, &num, &den, &reason))
		return document_error(doc, n, err, "%s", reason.msg);
	if (!strcmp(e->machine, "host") && num != den)
		return document_error(doc, n, err,
				      "'scale' needs an emulated machine, 'host' is real (leave it "
				      "out)");
	return 0;
}

int experiment_check(const struct document *doc, const struct experiment *e, struct error *err)
{
	if (check_name(doc, node_get(doc->root, "name"), err) ||
	    check_name(doc, node_get(node_get(doc->root, "workload"), "name"), err) ||
	    check_scale(doc, e, err) || check_variants(doc, e, err) || check_params(doc, err) ||
	    check_counts(doc, e, err) || check_sweep(doc, e, err) ||
	    check_pin(doc, node_get(doc->root, "pin"), err) || check_published(doc, e, err) ||
	    check_statistic(doc, e, err) || check_monitors(doc, e, err))
		return -1;
	return 0;
}

/* @n's file was found or not, is valid or not: the message of the file itself needs no more. */
static int wrong_reference(const struct document *doc, const struct node *n, const char *path,
			   const struct error *reason, struct error *err)
{
	if (path) {
		*err = *reason;
		return -1;
	}
	return document_error(doc, n, err, "%s", reason->msg);
}

static int check_kernel(const struct document *doc, const struct node *n, const struct machine *m,
			struct error *err)
{
	struct error reason = ERROR_INIT, ignored = ERROR_INIT;
	struct kernel *k = NULL;
	bool running, fits;

	if (kernel_load(&k, n->value, &reason)) {
		char *path = config_find(CONFIG_KERNEL, n->value, &ignored);
		int ret = wrong_reference(doc, n, path, &reason, err);

		free(path);
		return ret;
	}
	running = k->source == KERNEL_RUNNING;
	fits = !machine_check_kernel(m, k, &reason);
	kernel_free(k);
	if (!fits)
		return document_error(doc, n, err, "%s", reason.msg);
	if (running && m->type != MACHINE_HOST)
		return document_error(doc, n, err,
				      "machine '%s' boots its own kernel, '%s' cannot be booted "
				      "(name one of 'schedbench list kernels')",
				      m->name, n->value);
	if (!running && m->type == MACHINE_HOST)
		return document_error(doc, n, err,
				      "machine '%s' runs its kernel already, '%s' cannot be booted "
				      "there (use 'running' or an emulated machine)",
				      m->name, n->value);
	return 0;
}

static int check_pin_on_machine(const struct document *doc, const struct node *n,
				const struct machine *m, struct error *err)
{
	unsigned highest;

	if (!is_location(n->value) && !parse_cpu_list(n->value, &highest, err) &&
	    highest >= machine_cpus(m))
		return document_error(doc, n, err, "CPU %u is not there: machine '%s' has 0-%u",
				      highest, m->name, machine_cpus(m) - 1);
	return 0;
}

static int check_on_machine(const struct document *doc, const struct experiment *e,
			    struct machine *m, struct error *err)
{
	const struct node *variants = node_get(doc->root, "variants");
	const struct node *axis = node_get(node_get(doc->root, "sweep"), "pin");
	struct error reason = ERROR_INIT;

	if (machine_scale(m, e->scale, &reason))
		return document_error(doc, node_get(doc->root, "scale"), err, "%s", reason.msg);
	for (unsigned i = 0; i < e->variants_count; i++)
		if (check_kernel(doc, node_get(variants->items[i], "kernel"), m, err))
			return -1;
	if (check_pin_on_machine(doc, node_get(doc->root, "pin"), m, err))
		return -1;
	for (unsigned i = 0; axis && i < axis->items_count; i++)
		if (check_pin_on_machine(doc, axis->items[i], m, err))
			return -1;
	return 0;
}

int experiment_check_references(const struct document *doc, const struct experiment *e,
				struct error *err)
{
	const struct node *n = node_get(doc->root, "machine");
	struct error reason = ERROR_INIT, ignored = ERROR_INIT;
	struct machine *m;
	int ret;

	if (machine_load(&m, n->value, &reason)) {
		char *path = config_find(CONFIG_MACHINE, n->value, &ignored);

		ret = wrong_reference(doc, n, path, &reason, err);
		free(path);
		return ret;
	}
	ret = check_on_machine(doc, e, m, err);
	machine_free(m);
	return ret;
}
