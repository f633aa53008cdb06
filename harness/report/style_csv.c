// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/number.h"
#include "report/report.h"

/*
 * Every sample, one a line, in the order of variants, cases and measurement. Columns: experiment,
 * run, workload, metric, unit, better, variant, kernel, case, boot, repetition, time_ns, value.
 * RFC 4180 with a heading and LF.
 */
static void add_text(struct strbuf *out, const char *text)
{
	if (!text)
		return;
	if (!text[strcspn(text, ",\"\r\n")]) {
		strbuf_addstr(out, text);
		return;
	}
	strbuf_addch(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, *text);
	}
	strbuf_addch(out, '"');
}

static void add_columns(struct strbuf *out, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_text(out, texts[i]);
		strbuf_addch(out, ',');
	}
}

static void add_cell(const struct result *r, size_t kase, size_t variant, struct strbuf *out)
{
	const struct result_cell *cell = result_cell(r, kase, variant);
	const char *const texts[] = {
		r->experiment,
		r->run_id,
		r->workload,
		r->metric,
		r->unit,
		r->better == BETTER_HIGHER ? "higher" : "lower",
		r->variants[variant],
		r->variant_kernels[variant],
		r->cases[kase],
	};
	struct strbuf prefix = STRBUF_INIT;

	add_columns(&prefix, texts, sizeof(texts) / sizeof(*texts));
	for (size_t i = 0; i < cell->count; i++) {
		const struct result_sample *s = &cell->samples[i];

		strbuf_add(out, prefix.buf, prefix.len);
		number_add_integer(out, s->boot);
		strbuf_addch(out, ',');
		number_add_integer(out, s->repetition);
		strbuf_addch(out, ',');
		number_add_integer(out, s->time_ns);
		strbuf_addch(out, ',');
		if (isfinite(s->value))
			number_add(out, s->value);
		strbuf_addch(out, '\n');
	}
	strbuf_release(&prefix);
}

static int print_csv(const struct result *r, const struct report_options *opt, struct strbuf *out,
		     struct error *err)
{
	(void)opt;
	(void)err;
	strbuf_addstr(out, "experiment,run,workload,metric,unit,better,variant,kernel,case,boot,"
			   "repetition,time_ns,value\n");
	for (size_t v = 0; v < r->variants_count; v++)
		for (size_t i = 0; i < r->cases_count; i++)
			add_cell(r, i, v, out);
	return 0;
}

REPORT_STYLE(csv) = {
	.name = "csv",
	.summary = "every sample, one a line",
	.print = print_csv,
};
