// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plot/plot.h"
#include "report/analysis.h"
#include "util/file.h"
#include "util/xalloc.h"

/* One page that needs nothing else: the figures are in it as SVG. */
static const char style_sheet[] =
	"body{font-family:sans-serif;margin:2em;max-width:70em}"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
	"td,th{padding:.2em .8em;border-bottom:1px solid #ccc;text-align:right}"
	".better{background:#d5ecf7}.worse{background:#fbe3cf}.none{color:#777}"
	".warning{background:#fff3bf;padding:.5em}svg{max-width:100%;height:auto}";

static void add_text(struct strbuf *out, const char *text)
{
	for (; text && *text; text++) {
		switch (*text) {
		case '<':
			strbuf_addstr(out, "&lt;");
			break;
		case '>':
			strbuf_addstr(out, "&gt;");
			break;
		case '&':
			strbuf_addstr(out, "&amp;");
			break;
		case '"':
			strbuf_addstr(out, "&quot;");
			break;
		default:
			strbuf_addch(out, *text);
		}
	}
}

static void add_element(struct strbuf *out, const char *tag, const char *attribute,
			const char *text)
{
	if (!text)
		return;
	strbuf_addf(out, "<%s%s>", tag, attribute);
	add_text(out, text);
	strbuf_addf(out, "</%s>\n", tag);
}

static void add_heading(const struct result *r, struct strbuf *out)
{
	strbuf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
	add_element(out, "title", "", r->title ? r->title : "schedbench");
	strbuf_addf(out, "<style>%s</style></head><body>\n", style_sheet);
	add_element(out, "h1", "", r->title);
	add_element(out, "p", "", r->machine);
	add_element(out, "p", " class=\"warning\"", r->warning);
	strbuf_addf(out, "<p>%s of ", result_mean_name(r));
	add_text(out, r->metric ? r->metric : "value");
	if (r->unit) {
		strbuf_addstr(out, " (");
		add_text(out, r->unit);
		strbuf_addch(out, ')');
	}
	strbuf_addf(out, ", %s; n is boots x repetitions</p>\n<table><tr><th>",
		    result_direction(r));
	add_text(out, r->case_label ? r->case_label : "case");
	strbuf_addstr(out, "</th>");
	for (size_t v = 0; v < r->variants_count; v++) {
		strbuf_addstr(out, "<th>");
		add_text(out, r->variants[v]);
		if (r->variant_kernels[v]) {
			strbuf_addstr(out, "<br>");
			add_text(out, r->variant_kernels[v]);
		}
		strbuf_addstr(out, "</th><th>CV</th><th>n</th>");
		if (v)
			strbuf_addstr(out, "<th>change</th><th>interval</th>");
	}
	strbuf_addstr(out, "</tr>\n");
}

static void add_change(const struct result *r, size_t kase, size_t variant,
		       const struct report_options *opt, struct strbuf *out)
{
	struct cell_change c;

	cell_compare(r, kase, variant, opt, &c);
	if (isnan(c.percent))
		strbuf_addstr(out, "<td class=\"none\">n/a</td>");
	else
		strbuf_addf(out, "<td%s>%s%+.2f%%</td>",
			    !c.marked	    ? ""
			    : c.percent > 0 ? " class=\"better\""
					    : " class=\"worse\"",
			    c.marked ? "* " : "", c.percent);
	if (isnan(c.low))
		strbuf_addf(out, "<td class=\"none\">%s</td>",
			    c.unit == UNIT_NONE ? "need &gt;= 2" : "n/a");
	else
		strbuf_addf(out, "<td>%+.2f%% to %+.2f%%</td>", c.low, c.high);
}

static void add_cell(const struct result *r, size_t kase, size_t variant,
		     const struct report_options *opt, int decimals, struct strbuf *out)
{
	const char *word = cell_word(result_cell(r, kase, variant));
	struct cell_summary s;

	cell_summarise(r, result_cell(r, kase, variant), &s);
	if (word || isnan(s.mean))
		strbuf_addf(out, "<td class=\"none\">%s</td><td></td><td>", word ? word : "n/a");
	else if (isnan(s.coeffvar))
		strbuf_addf(out, "<td>%.*f</td><td>n/a</td><td>", decimals, s.mean);
	else
		strbuf_addf(out, "<td>%.*f</td><td>%.2f%%</td><td>", decimals, s.mean, s.coeffvar);
	cell_count_text(&s, out);
	strbuf_addstr(out, "</td>");
	if (variant)
		add_change(r, kase, variant, opt, out);
}

static void add_table(const struct result *r, const struct report_options *opt, struct strbuf *out)
{
	int decimals = result_decimals(r);

	for (size_t i = 0; i < r->cases_count; i++) {
		strbuf_addstr(out, "<tr><th>");
		add_text(out, r->cases[i]);
		strbuf_addstr(out, "</th>");
		for (size_t v = 0; v < r->variants_count; v++)
			add_cell(r, i, v, opt, decimals, out);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</table>\n");
}

/* One figure, without the XML declaration that has no place inside a page. */
static int add_figure(const struct result *r, const char *kind, const char *path,
		      struct strbuf *out, struct error *err)
{
	struct plot_options opt = {.kind = kind, .output = path};
	struct strbuf svg = STRBUF_INIT;
	const char *start;
	int ret = plot_result(r, &opt, err);

	if (!ret)
		ret = file_read(path, 0, &svg, err);
	unlink(path);
	start = strstr(svg.buf, "<svg");
	if (!ret && !start)
		ret = error_set(err, ERROR_FAILED, "gnuplot drew no SVG");
	if (!ret)
		strbuf_addf(out, "<figure>%s</figure>\n", start);
	strbuf_release(&svg);
	return ret;
}

static int add_figures(const struct result *r, struct strbuf *out, struct error *err)
{
	char dir[] = "/tmp/schedbench-html-XXXXXX", *path;
	const char *kind;
	int ret = 0;

	if (!mkdtemp(dir))
		return error_set(err, ERROR_FAILED, "cannot make a temporary folder in /tmp");
	path = path_join(dir, "figure.svg");
	for (size_t i = 0; !ret && (kind = plot_kind_at(i, NULL)); i++)
		if (!plot_is_empty(r, kind))
			ret = add_figure(r, kind, path, out, err);
	free(path);
	rmdir(dir);
	return ret;
}

static int print_html(const struct result *r, const struct report_options *opt, struct strbuf *out,
		      struct error *err)
{
	struct strbuf remarks = STRBUF_INIT;

	add_heading(r, out);
	add_table(r, opt, out);
	result_remarks(r, &remarks);
	result_legend(r, opt, &remarks);
	add_element(out, "pre", "", remarks.buf);
	strbuf_release(&remarks);
	if (add_figures(r, out, err))
		return -1;
	strbuf_addstr(out, "</body></html>\n");
	return 0;
}

REPORT_STYLE(html) = {
	.name = "html",
	.summary = "one page with the table and all figures in it",
	.print = print_html,
};
