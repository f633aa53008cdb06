// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "plot/plot_caption.h"
#include "plot/plot_text.h"
#include "report/analysis.h"

/* Characters that fit into the 900 pixels above the axes, in the sizes of plots/common.gnuplot. */
enum { TITLE_WIDTH = 86, CAPTION_WIDTH = 120, MEASURE_WIDTH = 56, NAME_WIDTH = 32, NAMED = 3 };

/* Why a cell is not in the figure; NULL: it is. */
static const char *absence(const struct result *r, size_t kase, size_t variant,
			   enum plot_content content)
{
	const char *word = cell_word(result_cell(r, kase, variant));
	bool relative = content == CONTENT_CHANGE || content == CONTENT_SHARE;

	if (!word && relative && cell_word(result_cell(r, kase, 0)))
		return "no baseline";
	return word;
}

/* What the interval of a cell takes as independent. */
static enum compare_unit cell_unit(const struct result *r, size_t kase, size_t variant,
				   enum plot_content content)
{
	const struct report_options opt = REPORT_OPTIONS_INIT;
	struct cell_change change;
	struct cell_summary s;

	if (content == CONTENT_CHANGE) {
		cell_compare(r, kase, variant, &opt, &change);
		return isfinite(change.low) ? change.unit : UNIT_NONE;
	}
	cell_summarise(r, result_cell(r, kase, variant), &s);
	return s.boots > 1 ? UNIT_BOOT : s.n > 1 ? UNIT_SAMPLE : UNIT_NONE;
}

static void add_bars(const struct result *r, enum plot_content content, struct strbuf *out)
{
	bool used[3] = {false};

	for (size_t v = content == CONTENT_CHANGE; v < r->variants_count; v++)
		for (size_t c = 0; c < r->cases_count; c++)
			if (!absence(r, c, v, content))
				used[cell_unit(r, c, v, content)] = true;
	if (used[UNIT_BOOT] && used[UNIT_SAMPLE])
		strbuf_addstr(out, "bars: 95 % interval, over boots where there are several, "
				   "else over the samples of the one boot");
	else if (used[UNIT_BOOT])
		strbuf_addstr(out, "bars: 95 % interval over boots");
	else if (used[UNIT_SAMPLE])
		strbuf_addstr(out, "bars: 95 % interval over the samples of one boot, the variance "
				   "between boots is not in it");
	else
		strbuf_addstr(out, "too few samples for intervals");
	if (used[UNIT_NONE] && (used[UNIT_BOOT] || used[UNIT_SAMPLE]))
		strbuf_addstr(out, "; none where there are too few");
}

static void add_left_out(const struct result *r, enum plot_content content, struct strbuf *out)
{
	const char *label = r->case_label ? r->case_label : "case";
	size_t n = 0;

	for (size_t v = 0; v < r->variants_count; v++)
		for (size_t c = 0; c < r->cases_count; c++) {
			const char *word = absence(r, c, v, content);

			if (!word || n++ >= NAMED)
				continue;
			strbuf_addstr(out, n > 1 ? "; " : "left out: ");
			plot_text_shorten(out, r->variants[v], NAME_WIDTH);
			strbuf_addf(out, ", %s ", label);
			plot_text_shorten(out, r->cases[c], NAME_WIDTH);
			strbuf_addf(out, " (%s)", word);
		}
	if (n > NAMED)
		strbuf_addf(out, "; and %zu more", n - NAMED);
}

static void add_line(struct strbuf *out, struct strbuf *line, size_t width)
{
	if (line->len) {
		strbuf_addch(out, '\n');
		plot_text_wrap(out, line->buf, width);
	}
	strbuf_reset(line);
}

void plot_caption_heading(const struct result *r, enum plot_content content, unsigned columns,
			  struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	size_t width = columns ? columns : CAPTION_WIDTH;

	plot_text_wrap(out,
		       r->title	       ? r->title
		       : r->experiment ? r->experiment
				       : "",
		       columns ? columns : TITLE_WIDTH);
	strbuf_addch(out, '\n');
	if (r->boots && r->repetitions)
		strbuf_addf(&line, "%u boots x %u repetitions", r->boots, r->repetitions);
	if (content == CONTENT_MEAN || content == CONTENT_CHANGE) {
		strbuf_addstr(&line, line.len ? "; " : "");
		add_bars(r, content, &line);
	}
	add_line(out, &line, width);
	add_left_out(r, content, &line);
	add_line(out, &line, width);
	strbuf_addstr(&line, r->warning ? r->warning : "");
	add_line(out, &line, width);
	strbuf_release(&line);
}

void plot_caption_measure(const struct result *r, enum plot_content content, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	const char *metric = r->metric ? r->metric : "value";

	switch (content) {
	case CONTENT_MEAN:
		strbuf_addf(&text, "%s %s", result_mean_name(r), metric);
		if (r->unit)
			strbuf_addf(&text, " (%s)", r->unit);
		strbuf_addf(&text, ", %s", result_direction(r));
		break;
	case CONTENT_CHANGE:
		strbuf_addf(&text, "change of %s against ", metric);
		plot_text_shorten(&text, r->variants[0], NAME_WIDTH);
		strbuf_addstr(&text, " (%), positive is better");
		break;
	case CONTENT_COEFFVAR:
		strbuf_addf(&text, "standard deviation of %s (%% of mean)", metric);
		break;
	case CONTENT_SHARE:
		strbuf_addf(&text, "%s (%% of mean of ", metric);
		plot_text_shorten(&text, r->variants[0], NAME_WIDTH);
		strbuf_addf(&text, "), %s", result_direction(r));
		break;
	case CONTENT_ORDER:
		strbuf_addf(&text, "%s (%% of its own mean), %s", metric, result_direction(r));
		break;
	}
	plot_text_wrap(out, text.buf, MEASURE_WIDTH);
	strbuf_release(&text);
}
