// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "util/xalloc.h"

/* A table for pull requests and wikis: a row per case, three columns per variant. */
static void add_text(struct strbuf *out, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '\n') {
			strbuf_addch(out, ' ');
			continue;
		}
		if (*text == '|' || *text == '*' || *text == '_' || *text == '`' || *text == '<' ||
		    *text == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *text);
	}
}

static void print_header(const struct result *r, const struct report_options *opt,
			 struct strbuf *out)
{
	strbuf_addstr(out, "| ");
	add_text(out, r->case_label ? r->case_label : "case");
	for (size_t v = 0; v < r->variants_count; v++) {
		strbuf_addstr(out, " | ");
		add_text(out, r->variants[v]);
		strbuf_addstr(out, " | CV | n");
		if (v)
			strbuf_addstr(out, opt->intervals ? " | change | interval" : " | change");
	}
	strbuf_addstr(out, " |\n|---:");
	for (size_t v = 0; v < r->variants_count; v++)
		strbuf_addstr(out, !v		    ? "|---:|---:|---:"
				   : opt->intervals ? "|---:|---:|---:|---:|---:"
						    : "|---:|---:|---:|---:");
	strbuf_addstr(out, "|\n");
}

static void print_change(const struct result *r, size_t kase, size_t variant,
			 const struct report_options *opt, struct strbuf *out)
{
	struct cell_change c;

	cell_compare(r, kase, variant, opt, &c);
	if (isnan(c.percent))
		strbuf_addstr(out, " | n/a");
	else
		strbuf_addf(out, c.marked ? " | **%+.2f%%**" : " | %+.2f%%", c.percent);
	if (!opt->intervals)
		return;
	if (isnan(c.low))
		strbuf_addstr(out, c.unit == UNIT_NONE ? " | need >= 2" : " | n/a");
	else
		strbuf_addf(out, " | %+.2f%% to %+.2f%%", c.low, c.high);
}

static void print_cell(const struct result *r, size_t kase, size_t variant,
		       const struct report_options *opt, int decimals, struct strbuf *out)
{
	const char *word = cell_word(result_cell(r, kase, variant));
	struct cell_summary s;

	cell_summarise(r, result_cell(r, kase, variant), &s);
	if (word || isnan(s.mean))
		strbuf_addf(out, " | %s | | ", word ? word : "n/a");
	else if (isnan(s.coeffvar))
		strbuf_addf(out, " | %.*f | n/a | ", decimals, s.mean);
	else
		strbuf_addf(out, " | %.*f | %.2f%% | ", decimals, s.mean, s.coeffvar);
	cell_count_text(&s, out);
	if (variant)
		print_change(r, kase, variant, opt, out);
}

/* A paragraph for each line; the legend's mark is the bold one here. */
static void add_remarks(struct strbuf *out, const char *text)
{
	static const char mark[] = "*x%*";

	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, len), *found = strstr(line, mark);

		if (found)
			*found = '\0';
		add_text(out, line);
		if (found) {
			strbuf_addstr(out, "**x%**");
			add_text(out, found + strlen(mark));
		}
		strbuf_addstr(out, "\n\n");
		free(line);
		text += len + (text[len] != '\0');
	}
}

static int print_markdown(const struct result *r, const struct report_options *opt,
			  struct strbuf *out, struct error *err)
{
	int decimals = result_decimals(r);
	struct strbuf remarks = STRBUF_INIT;

	(void)err;
	if (r->title) {
		strbuf_addstr(out, "### ");
		add_text(out, r->title);
		strbuf_addstr(out, "\n\n");
	}
	if (r->machine) {
		add_text(out, r->machine);
		strbuf_addstr(out, "\n\n");
	}
	if (r->warning) {
		strbuf_addstr(out, "**Warning: ");
		add_text(out, r->warning);
		strbuf_addstr(out, "**\n\n");
	}
	strbuf_addf(out, "%s of %s%s%s%s, %s; n is boots x repetitions\n\n", result_mean_name(r),
		    r->metric ? r->metric : "value", r->unit ? " (" : "", r->unit ? r->unit : "",
		    r->unit ? ")" : "", result_direction(r));
	print_header(r, opt, out);
	for (size_t i = 0; i < r->cases_count; i++) {
		strbuf_addstr(out, "| ");
		add_text(out, r->cases[i]);
		for (size_t v = 0; v < r->variants_count; v++)
			print_cell(r, i, v, opt, decimals, out);
		strbuf_addstr(out, " |\n");
	}
	strbuf_addch(out, '\n');
	result_remarks(r, &remarks);
	result_legend(r, opt, &remarks);
	add_remarks(out, remarks.buf);
	strbuf_release(&remarks);
	return 0;
}

REPORT_STYLE(markdown) = {
	.name = "markdown",
	.summary = "a table for pull requests and wikis",
	.print = print_markdown,
};
