// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "util/xalloc.h"

/*
 * The layout of the test reports by AMD on the mailing list, as of September 2023. Values are
 * relative to the baseline, improvements positive; where lower is better the change is the negated
 * growth, so that the baseline shows -0.00.
 */
struct section {
	const char *workload;
	const char *label; /* over the keys */
	const char *key; /* what follows the case */
	const char *units; /* NULL: from metric and unit */
	int min_width;
};

static const struct section sections[] = {
	{"hackbench", "Case:", "-groups", "Normalized time in seconds", 1},
	{"tbench", "Clients:", "", "Normalized throughput", 5},
	{"stream", "Test:", "", "Normalized Bandwidth, MB/s", 1},
	{"netperf", "Clients:", "-clients", "Normalized throughput", 1},
	{"schbench", "#workers:", "", "Normalized 99th percentile latency in us", 1},
};

/* Keys longer than this eat into the gap before the first value. */
enum { KEY_WIDTH_MAX = 10, GAP = 5, HEAD_WIDTH = 27, CELL_WIDTH = 20, RULE = 66 };

static const struct section *find_section(const struct result *r)
{
	static const struct section other = {"", "Case:", "", NULL, 1};

	for (size_t i = 0; r->workload && i < sizeof(sections) / sizeof(*sections); i++)
		if (!strcmp(sections[i].workload, r->workload))
			return &sections[i];
	return &other;
}

static void print_rule(struct strbuf *out)
{
	strbuf_addchars(out, '=', RULE);
	strbuf_addch(out, '\n');
}

static const char *statistic(const struct result *r)
{
	static const char *const names[] = {
		[STATS_AMEAN] = "AMean",
		[STATS_HMEAN] = "HMean",
		[STATS_GMEAN] = "GMean",
		[STATS_MEDIAN] = "Median",
	};

	return names[result_mean_kind(r)];
}

static void print_heading(const struct result *r, const char *units, struct strbuf *out)
{
	print_rule(out);
	strbuf_addf(out, "Test          : %s\n", r->workload ? r->workload : r->title);
	if (units)
		strbuf_addf(out, "Units         : %s\n", units);
	else
		strbuf_addf(out, "Units         : Normalized %s%s%s\n",
			    r->metric ? r->metric : "value", r->unit ? " in " : "",
			    r->unit ? r->unit : "");
	strbuf_addf(out, "Interpretation: %s is better\n",
		    r->better == BETTER_HIGHER ? "Higher" : "Lower");
	strbuf_addf(out, "Statistic     : %s\n", statistic(r));
	print_rule(out);
}

/* Improvement in percent; the sign of zero is part of the layout. */
static double improvement(const struct result *r, double ratio)
{
	double growth = (ratio - 1) * 100;

	return r->better == BETTER_HIGHER ? growth : -growth;
}

static void print_cell(const struct result *r, size_t kase, size_t variant, struct strbuf *out)
{
	const char *word = cell_word(result_cell(r, kase, variant));
	struct cell_summary base, s;
	double ratio;

	cell_summarise(r, result_cell(r, kase, 0), &base);
	cell_summarise(r, result_cell(r, kase, variant), &s);
	ratio = s.mean / base.mean;
	if (word || !isfinite(ratio)) {
		strbuf_addf(out, "%*s", CELL_WIDTH, word ? word : "no baseline");
		return;
	}
	strbuf_addf(out, "%4.2f [%6.2f]", ratio, improvement(r, ratio));
	if (isnan(s.coeffvar))
		strbuf_addstr(out, "(  n/a)");
	else
		strbuf_addf(out, "(%5.2f)", s.coeffvar);
}

static int key_width(const struct result *r, const struct section *section)
{
	size_t width = section->min_width;

	for (size_t i = 0; i < r->cases_count; i++)
		if (strlen(r->cases[i]) + strlen(section->key) > width)
			width = strlen(r->cases[i]) + strlen(section->key);
	return width > KEY_WIDTH_MAX && *section->key ? KEY_WIDTH_MAX : (int)width;
}

static void print_normalised(const struct result *r, struct strbuf *out)
{
	const struct section *section = find_section(r);
	int width = key_width(r, section);

	print_heading(r, section->units, out);
	strbuf_addstr(out, section->label);
	for (size_t v = 0; v < r->variants_count; v++) {
		int room = HEAD_WIDTH - (int)strlen("[pct imp](CV)");

		if ((int)strlen(r->variants[v]) >= room)
			strbuf_addch(out, ' ');
		strbuf_addf(out, "%*s[pct imp](CV)", room, r->variants[v]);
	}
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < r->cases_count; i++) {
		char *key = xasprintf("%s%s", r->cases[i], section->key);
		int over = (int)strlen(key) - width;

		strbuf_addf(out, "%*s", width, key);
		for (size_t v = 0; v < r->variants_count; v++) {
			int gap = v || over < 0 ? GAP : GAP - over;

			strbuf_addchars(out, ' ', gap < 1 ? 1 : gap);
			print_cell(r, i, v, out);
		}
		strbuf_addch(out, '\n');
		free(key);
	}
}

static void print_unixbench_row(const struct result *r, size_t kase,
				const struct report_options *opt, struct strbuf *out)
{
	char *name = xasprintf("unixbench-%s", r->cases[kase]);

	strbuf_addf(out, "%-9s %-28s", result_mean_name(r), name);
	free(name);
	for (size_t v = 0; v < r->variants_count; v++) {
		const char *word = cell_word(result_cell(r, kase, v));
		struct cell_summary s;
		struct cell_change c;

		cell_summarise(r, result_cell(r, kase, v), &s);
		cell_compare(r, kase, v, opt, &c);
		if (word || isnan(c.percent))
			strbuf_addf(out, "%15s           ", word ? word : "n/a");
		else
			strbuf_addf(out, "%15.2f %c%7.2f%%%c", s.mean, c.marked ? '*' : '(',
				    c.percent, c.marked ? '*' : ')');
	}
	strbuf_addch(out, '\n');
}

static void print_unixbench(const struct result *r, const struct report_options *opt,
			    struct strbuf *out)
{
	print_heading(r, "Various, Throughput", out);
	strbuf_addf(out, "Metric\t\tvariant%26s", r->variants[0]);
	for (size_t v = 1; v < r->variants_count; v++)
		strbuf_addf(out, "\t\t%14s", r->variants[v]);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < r->cases_count; i++)
		print_unixbench_row(r, i, opt, out);
}

/* A test with one number for each variant. */
static void print_single(const struct result *r, struct strbuf *out)
{
	struct cell_summary base, s;
	char *units = xasprintf("%s%s%s", r->metric ? r->metric : "value", r->unit ? ", " : "",
				r->unit ? r->unit : "");

	units[0] = (char)toupper((unsigned char)units[0]);
	print_heading(r, units, out);
	free(units);
	cell_summarise(r, result_cell(r, 0, 0), &base);
	for (size_t v = 0; v < r->variants_count; v++) {
		const char *word = cell_word(result_cell(r, 0, v));

		cell_summarise(r, result_cell(r, 0, v), &s);
		strbuf_addf(out, "%-16s: ", r->variants[v]);
		if (word || isnan(s.mean)) {
			strbuf_addf(out, "%s\n", word ? word : "n/a");
			continue;
		}
		strbuf_addf(out, "%.2f (var: ", s.mean);
		if (isnan(s.coeffvar))
			strbuf_addstr(out, "n/a) ");
		else
			strbuf_addf(out, "%.2f%%) ", s.coeffvar);
		if (v && isfinite(s.mean / base.mean))
			strbuf_addf(out, "[diff: %.2f%%]", (s.mean / base.mean - 1) * 100);
		strbuf_addch(out, '\n');
	}
}

static void print_pinning(const struct result *r, struct strbuf *out)
{
	char *units = xasprintf("Normalized %s, relative to %s", r->metric ? r->metric : "value",
				r->variants[0]);

	if (!strncmp(units, "Normalized ", 11))
		units[11] = (char)toupper((unsigned char)units[11]);
	print_heading(r, units, out);
	free(units);
	strbuf_addf(out, "%-16s%s", "Pinning", r->variants[0]);
	for (size_t v = 1; v < r->variants_count; v++)
		strbuf_addf(out, "     %s", r->variants[v]);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < r->cases_count; i++) {
		struct cell_summary base, s;
		const char *word = cell_word(result_cell(r, i, 0));

		cell_summarise(r, result_cell(r, i, 0), &base);
		strbuf_addf(out, "%-16s%s", r->cases[i], word ? word : "100%");
		for (size_t v = 1; v < r->variants_count; v++) {
			cell_summarise(r, result_cell(r, i, v), &s);
			word = cell_word(result_cell(r, i, v));
			if (word || !isfinite(s.mean / base.mean))
				strbuf_addf(out, "      %s", word ? word : "n/a");
			else
				strbuf_addf(out, "      %.2f%% [%%diff: %.2f%%]",
					    s.mean / base.mean * 100,
					    (s.mean / base.mean - 1) * 100);
		}
		strbuf_addch(out, '\n');
	}
}

static int print_amd(const struct result *r, const struct report_options *opt, struct strbuf *out,
		     struct error *err)
{
	(void)err;
	if (r->workload && !strncmp(r->workload, "unixbench", 9))
		print_unixbench(r, opt, out);
	else if (r->case_label && !strcmp(r->case_label, "pin"))
		print_pinning(r, out);
	else if (r->cases_count == 1)
		print_single(r, out);
	else
		print_normalised(r, out);
	if (opt->notes) {
		if (r->warning)
			strbuf_addf(opt->notes, "%s\n", r->warning);
		result_remarks(r, opt->notes);
	}
	return 0;
}

REPORT_STYLE(amd) = {
	.name = "amd",
	.summary = "the layout of AMD's reports on the list: normalised values, change, CV",
	.print = print_amd,
};
