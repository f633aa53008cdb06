// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/number.h"

/* JSON has no NaN and no infinity: null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Names come from anywhere: what is not UTF-8 becomes question marks. */
static json_t *text(const char *s)
{
	struct strbuf clean = STRBUF_INIT;
	json_t *j;

	if (!s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	for (; *s; s++)
		strbuf_addch(&clean, (unsigned char)*s < 0x80 ? *s : '?');
	j = json_string(clean.buf);
	strbuf_release(&clean);
	return j;
}

static json_t *change_json(const struct cell_change *c)
{
	static const char *const units[] = {
		[UNIT_NONE] = "none", [UNIT_SAMPLE] = "sample", [UNIT_BOOT] = "boot"};
	static const char *const verdicts[] = {[STATS_TOO_FEW] = "too few",
					       [STATS_NO_CHANGE] = "no change",
					       [STATS_CHANGE] = "change"};

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:[I,I], s:s, s:b}", "percent",
			 number(c->percent), "low", number(c->low), "high", number(c->high), "p",
			 number(c->test.p), "p_adjusted", number(c->adjusted_p), "df",
			 number(c->test.df), "unit", units[c->unit], "units",
			 (json_int_t)c->units[0], (json_int_t)c->units[1], "verdict",
			 verdicts[c->test.verdict], "marked", c->marked);
}

static json_t *cell_json(const struct result *r, size_t kase, size_t variant,
			 const struct report_options *opt)
{
	const struct result_cell *cell = result_cell(r, kase, variant);
	const char *word = cell_word(cell);
	struct cell_summary s;
	struct cell_change c;
	json_t *j;

	cell_summarise(r, cell, &s);
	cell_compare(r, kase, variant, opt, &c);
	j = json_pack("{s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "variant",
		      text(r->variants[variant]), "state", word ? word : "measured", "n",
		      (json_int_t)s.n, "boots", (json_int_t)s.boots, "planned",
		      (json_int_t)cell->planned, "failed", (json_int_t)cell->failed, "timeout",
		      (json_int_t)cell->timeout, "why", text(cell->why));
	json_object_set_new(j, "mean", number(s.mean));
	json_object_set_new(j, "min", number(s.min));
	json_object_set_new(j, "max", number(s.max));
	json_object_set_new(j, "stddev", number(s.stddev));
	json_object_set_new(j, "coeffvar", number(s.coeffvar));
	json_object_set_new(j, "change", variant ? change_json(&c) : json_null());
	return j;
}

static json_t *counters_json(const struct result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->counters_count; i++) {
		json_t *values = json_array();

		for (size_t v = 0; v < r->variants_count; v++)
			json_array_append_new(values, number(r->counters[i].values[v]));
		json_array_append_new(list, json_pack("{s:o, s:o}", "name",
						      text(r->counters[i].name), "values", values));
	}
	return list;
}

static json_t *variants_json(const struct result *r)
{
	json_t *list = json_array();

	for (size_t v = 0; v < r->variants_count; v++)
		json_array_append_new(list, json_pack("{s:o, s:o}", "name", text(r->variants[v]),
						      "kernel", text(r->variant_kernels[v])));
	return list;
}

/*
 * Samples are written directly: as JSON objects in memory a million of them would take a gigabyte.
 */
static void add_samples(const struct result_cell *cell, struct strbuf *out)
{
	for (size_t i = 0; i < cell->count; i++) {
		const struct result_sample *s = &cell->samples[i];

		strbuf_addstr(out, i ? ",\n{\"value\": " : "\n{\"value\": ");
		if (isfinite(s->value))
			number_add(out, s->value);
		else
			strbuf_addstr(out, "null");
		strbuf_addstr(out, ", \"boot\": ");
		number_add_integer(out, s->boot);
		strbuf_addstr(out, ", \"repetition\": ");
		number_add_integer(out, s->repetition);
		strbuf_addstr(out, ", \"time_ns\": ");
		number_add_integer(out, s->time_ns);
		strbuf_addch(out, '}');
	}
}

/* The object @j without its closing brace, so that one more member can follow; takes @j. */
static int add_open(json_t *j, const char *member, struct strbuf *out)
{
	char *dump = j ? json_dumps(j, JSON_REAL_PRECISION(17)) : NULL;

	json_decref(j);
	if (!dump)
		return -1;
	strbuf_add(out, dump, strlen(dump) - 1);
	strbuf_addf(out, ", \"%s\": [", member);
	free(dump);
	return 0;
}

static int add_case(const struct result *r, size_t kase, const struct report_options *opt,
		    struct strbuf *out)
{
	if (add_open(json_pack("{s:o}", "case", text(r->cases[kase])), "cells", out))
		return -1;
	for (size_t v = 0; v < r->variants_count; v++) {
		strbuf_addstr(out, v ? ",\n" : "\n");
		if (add_open(cell_json(r, kase, v, opt), "samples", out))
			return -1;
		add_samples(result_cell(r, kase, v), out);
		strbuf_addstr(out, "]}");
	}
	strbuf_addstr(out, "]}");
	return 0;
}

static json_t *result_json(const struct result *r)
{
	json_t *j = json_object();
	const struct {
		const char *key, *value;
	} texts[] = {
		{"title", r->title},
		{"experiment", r->experiment},
		{"run", r->run_id},
		{"machine", r->machine},
		{"warning", r->warning},
		{"workload", r->workload},
		{"backend", r->backend},
		{"metric", r->metric},
		{"unit", r->unit},
		{"better", r->better == BETTER_HIGHER ? "higher" : "lower"},
		{"statistic", result_mean_name(r)},
		{"case_label", r->case_label},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_object_set_new(j, texts[i].key, text(texts[i].value));
	json_object_set_new(j, "boots", json_integer(r->boots));
	json_object_set_new(j, "repetitions", json_integer(r->repetitions));
	json_object_set_new(j, "variants", variants_json(r));
	json_object_set_new(j, "counters", counters_json(r));
	return j;
}

static int print_json(const struct result *r, const struct report_options *opt, struct strbuf *out,
		      struct error *err)
{
	int ret = add_open(result_json(r), "cases", out);

	for (size_t i = 0; !ret && i < r->cases_count; i++) {
		strbuf_addstr(out, i ? ",\n" : "\n");
		ret = add_case(r, i, opt, out);
	}
	if (ret)
		return error_set(err, ERROR_FAILED, "cannot write the result as JSON");
	strbuf_addstr(out, "]}\n");
	return 0;
}

REPORT_STYLE(json) = {
	.name = "json",
	.summary = "everything: samples, statistics, changes",
	.print = print_json,
};
