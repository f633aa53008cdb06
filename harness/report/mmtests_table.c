// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/mmtests_table.h"
#include "util/xalloc.h"

static void add_row(struct mm_table *t, enum mm_stat stat, unsigned percent, const char *lower,
		    const char *higher)
{
	struct mm_row *row = &t->rows[t->rows_count++];
	const char *name = t->higher ? higher : lower;

	row->stat = stat;
	row->percent = percent;
	if (percent)
		snprintf(row->name, sizeof(row->name), "%s%c%u", name, t->legacy ? '-' : '.',
			 percent);
	else
		snprintf(row->name, sizeof(row->name), "%s", name);
}

static void add_spread(struct mm_table *t)
{
	add_row(t, MM_STDDEV, 0, "Stddev", t->legacy ? "Stddev" : "HStddev");
	add_row(t, MM_COEFFVAR, 0, "CoeffVar", t->legacy ? "CoeffVar" : "HCoeffVar");
}

static void add_best(struct mm_table *t, unsigned percent)
{
	add_row(t, MM_BEST, percent, "BAmean", "BHmean");
}

static void add_multi(struct mm_table *t)
{
	add_spread(t);
	add_row(t, MM_MAX, 0, "Max", "Max");
	if (t->legacy)
		add_best(t, 50);
	add_best(t, 95);
	if (t->legacy)
		add_best(t, 99);
}

static void add_normalised(struct mm_table *t, const unsigned *percents, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_best(t, percents[i]);
		add_row(t, MM_PERCENTILE, percents[i], "Pctile", "Pctile");
	}
	add_spread(t);
	add_row(t, MM_MAX, 0, "Max", "Max");
}

static void set_rows(struct mm_table *t, enum report_rows rows)
{
	static const unsigned normalised[] = {95}, skewed[] = {50, 75, 90, 99};

	if (rows == ROWS_SINGLE) {
		add_row(t, MM_FIRST, 0, "Ops", "Ops");
		if (t->opt->row_label)
			snprintf(t->rows[0].name, sizeof(t->rows[0].name), "%s", t->opt->row_label);
		return;
	}
	add_row(t, MM_MIN, 0, "Min", "Min");
	add_row(t, MM_MEAN, 0, "Amean", "Hmean");
	if (rows == ROWS_NORMALISED)
		add_normalised(t, normalised, 1);
	else if (rows == ROWS_LEFT_SKEW)
		add_normalised(t, skewed, 4);
	else
		add_multi(t);
}

/* What mmtests uses for its benchmarks of these names. */
static void set_layout(struct mm_table *t)
{
	static const struct {
		const char *workload;
		enum report_rows rows;
		int decimals;
	} layouts[] = {
		{"hackbench", ROWS_MULTI, 4},	  {"tbench", ROWS_LEFT_SKEW, 4},
		{"dbench", ROWS_LEFT_SKEW, 4},	  {"perfpipe", ROWS_NORMALISED, 4},
		{"schbench", ROWS_NORMALISED, 2}, {"pipe", ROWS_NORMALISED, 4},
	};
	enum report_rows rows = ROWS_MULTI;

	t->decimals = 2;
	for (size_t i = 0; t->r->workload && i < sizeof(layouts) / sizeof(*layouts); i++)
		if (!strcmp(layouts[i].workload, t->r->workload)) {
			rows = t->legacy ? ROWS_MULTI : layouts[i].rows;
			t->decimals = layouts[i].decimals;
		}
	if (t->opt->decimals)
		t->decimals = t->opt->decimals > 0 ? t->opt->decimals : 0;
	t->field = t->opt->field ? t->opt->field : t->legacy ? 12 : 18;
	set_rows(t, t->opt->rows ? t->opt->rows : rows);
}

static void set_ops(struct mm_table *t)
{
	const struct result *r = t->r;

	t->ops = xreallocarray(NULL, r->cases_count + 1, sizeof(*t->ops));
	t->op_names = xreallocarray(NULL, r->cases_count + 1, sizeof(*t->op_names));
	for (size_t i = 0; i < r->cases_count; i++) {
		if (!result_cell(r, i, 0)->count) {
			mm_note(t, "%s: not shown, %s does not have it", r->cases[i],
				r->variants[0]);
			continue;
		}
		t->ops[t->ops_count] = i;
		t->op_names[t->ops_count++] = r->metric && !t->legacy
						      ? xasprintf("%s-%s", r->metric, r->cases[i])
						      : xstrdup(r->cases[i]);
	}
}

/* Remarks on what the layout shows as a number that is none. */
static void note_cell(const struct mm_table *t, size_t op, size_t variant, bool sound)
{
	const struct result *r = t->r;
	const struct result_cell *cell = result_cell(r, t->ops[op], variant);
	const char *name = t->op_names[op], *word = cell_word(cell);

	if (word)
		mm_note(t, "%s, %s: %s; mmtests prints 0", name, r->variants[variant], word);
	else if (!sound || isnan(mm_samples(t, op, variant)->mean))
		mm_note(t, "%s, %s: no harmonic mean, there are samples <= 0; mmtests prints 0",
			name, r->variants[variant]);
	if (!word && cell->failed + cell->timeout)
		mm_note(t, "%s, %s: %zu failed and %zu cut off, not in the numbers", name,
			r->variants[variant], cell->failed, cell->timeout);
}

static void set_samples(struct mm_table *t)
{
	const struct result *r = t->r;

	t->samples = xcalloc(r->cases_count * r->variants_count + 1, sizeof(*t->samples));
	for (size_t op = 0; op < t->ops_count; op++)
		for (size_t v = 0; v < r->variants_count; v++) {
			size_t at = t->ops[op] * r->variants_count + v;
			double *values = cell_values(&r->cells[at]);
			bool sound = mmtests_init(&t->samples[at], values, r->cells[at].count,
						  t->higher, t->legacy);

			note_cell(t, op, v, sound);
			free(values);
		}
}

int mm_init(struct mm_table *t, const struct result *r, const struct report_options *opt,
	    struct strbuf *out, struct error *err)
{
	*t = (struct mm_table){.r = r, .opt = opt, .out = out};
	t->higher = r->better == BETTER_HIGHER;
	t->legacy = opt->significance == SIGNIFICANCE_MMTESTS_LEGACY;
	set_layout(t);
	set_ops(t);
	set_samples(t);
	for (size_t i = 0; i < t->rows_count; i++)
		if ((int)strlen(t->rows[i].name) > t->name_width)
			t->name_width = (int)strlen(t->rows[i].name);
	for (size_t i = 0; i < t->ops_count; i++)
		if ((int)strlen(t->op_names[i]) > t->op_width)
			t->op_width = (int)strlen(t->op_names[i]);
	if (!t->ops_count) {
		mm_release(t);
		return error_set(err, ERROR_FAILED, "the baseline '%s' has no samples at all",
				 r->variants_count ? r->variants[0] : "");
	}
	return 0;
}

void mm_release(struct mm_table *t)
{
	for (size_t i = 0; i < t->r->cases_count * t->r->variants_count; i++)
		mmtests_release(&t->samples[i]);
	for (size_t i = 0; i < t->ops_count; i++)
		free(t->op_names[i]);
	free(t->samples);
	free(t->op_names);
	free(t->ops);
}

const struct mmtests_samples *mm_samples(const struct mm_table *t, size_t op, size_t variant)
{
	return &t->samples[t->ops[op] * t->r->variants_count + variant];
}

double mm_value(const struct mmtests_samples *s, const struct mm_row *row)
{
	if (!s->n)
		return NAN;
	switch (row->stat) {
	case MM_MIN:
		return mmtests_min(s);
	case MM_MEAN:
		return s->mean;
	case MM_STDDEV:
		return s->stddev;
	case MM_COEFFVAR:
		return mmtests_coeffvar(s);
	case MM_MAX:
		return mmtests_max(s);
	case MM_BEST:
		return mmtests_best_mean(s, row->percent);
	case MM_PERCENTILE:
		return mmtests_percentile(s, row->percent);
	case MM_FIRST:
		return s->best_first[0];
	}
	return NAN;
}

void mm_note(const struct mm_table *t, const char *fmt, ...)
{
	va_list ap;

	if (!t->opt->notes)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(t->opt->notes, fmt, ap);
	va_end(ap);
	strbuf_addch(t->opt->notes, '\n');
}

static void put_escaped(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			strbuf_addstr(out, "&lt;");
		else if (*text == '>')
			strbuf_addstr(out, "&gt;");
		else if (*text == '&')
			strbuf_addstr(out, "&amp;");
		else
			strbuf_addch(out, *text);
	}
}

void mm_put(const struct mm_table *t, const char *attribute, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	bool heading = t->opt->html && !strncmp(attribute, "colspan", 7);
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	if (t->opt->html) {
		strbuf_addf(t->out, "<%s %s>", heading ? "th" : "td", attribute);
		put_escaped(t->out, text.buf);
		strbuf_addstr(t->out, heading ? "</th>" : "</td>");
	} else {
		strbuf_add(t->out, text.buf, text.len);
	}
	strbuf_release(&text);
}

void mm_put_undefined(const struct mm_table *t, const char *element, const char *zero)
{
	if (t->opt->html)
		strbuf_addf(t->out, "<%s>%s</td>", element, zero);
	else
		strbuf_addf(t->out, "%*s", (int)strlen(zero), "");
}

void mm_line_begin(const struct mm_table *t)
{
	if (t->opt->html)
		strbuf_addstr(t->out, "<tr>");
}

void mm_line_end(const struct mm_table *t)
{
	strbuf_addstr(t->out, t->opt->html ? "</tr>\n" : "\n");
}

void mm_top(const struct mm_table *t)
{
	if (t->opt->html)
		strbuf_addstr(t->out, "<table class=\"resultsTable\">\n");
}

void mm_bottom(const struct mm_table *t)
{
	if (t->opt->html)
		strbuf_addstr(t->out, "</table>\n");
}

/*
 * Where mmtests cuts a name: at the first dash, or four characters later if "-rc" and a digit come
 * within as many characters as the position of the dash plus 3. -1 without a dash.
 */
static long split_at(const char *name)
{
	const char *dash = strchr(name, '-');
	long at = dash ? dash - name : -1, len = (long)strlen(name);

	if (at < 0)
		return -1;
	for (long i = at; i + 3 < len && i + 4 <= 2 * at + 3; i++)
		if (!strncmp(name + i, "-rc", 3) && isdigit((unsigned char)name[i + 3]))
			return at + 4 < len ? at + 4 : len;
	return at;
}

void mm_header(const struct mm_table *t, int label_width, int width)
{
	static const char heading[] = "colspan=\"2\" ";
	/* Without a dash mmtests prints the name twice, the first time without its last letter;
	 * that is only of use to those who want its bytes. */
	bool exact = t->opt->significance == SIGNIFICANCE_MMTESTS || t->legacy;

	for (int line = 0; line < 2; line++) {
		mm_line_begin(t);
		mm_put(t, heading, "%*s", label_width, "");
		for (size_t v = 0; v < t->r->variants_count; v++) {
			const char *name = t->r->variants[v];
			long len = (long)strlen(name), at = split_at(name);
			long first = at >= 0 ? at : exact && len ? len - 1 : 0;

			if (line == 0)
				mm_put(t, heading, "%*.*s", width, (int)first, name);
			else
				mm_put(t, heading, "%*s", width,
				       at + 1 <= len ? name + at + 1 : "");
		}
		mm_line_end(t);
	}
}
