// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "published/judge.h"

static const char *color_of(enum verdict v)
{
	switch (v) {
	case VERDICT_REPRODUCED:
	case VERDICT_SAME_DIRECTION:
		return "\033[32m";
	case VERDICT_OPPOSITE:
	case VERDICT_NO_EFFECT:
		return "\033[31m";
	default:
		return "";
	}
}

static int name_width(const struct judgement *j, const struct table *t)
{
	size_t width = 4;

	for (unsigned i = 0; i < j->count; i++) {
		size_t len = strlen(j->rows[i].row->name) + strlen(j->rows[i].row->group) + 1;

		if (t->columns_count > 2)
			len += 2 + strlen(t->columns[j->rows[i].column]);
		if (len > width)
			width = len;
	}
	return (int)width;
}

static void add_name(const struct judged_row *row, const struct table *t, int width,
		     struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_addf(&name, "%s%s%s", row->row->group, *row->row->group ? " " : "", row->row->name);
	if (t->columns_count > 2)
		strbuf_addf(&name, ": %s", t->columns[row->column]);
	strbuf_addf(out, "%-*s", width, name.buf);
	strbuf_release(&name);
}

static void add_measured(const struct judged_row *row, int decimals, struct strbuf *out)
{
	if (isnan(row->value) || isnan(row->base)) {
		strbuf_addf(out, "  %12s %12s %9s  %-21s", "-", "-", "", "");
		return;
	}
	strbuf_addf(out, "  %12.*f %12.*f %+8.2f%%", decimals, row->base, decimals, row->value,
		    row->change.percent);
	if (isnan(row->change.low))
		strbuf_addf(out, "  %-21s", "[no interval]");
	else
		strbuf_addf(out, "  [%+8.2f%%, %+8.2f%%]", row->change.low, row->change.high);
}

static void add_row(const struct judged_row *row, const struct table *t, int width, int decimals,
		    bool color, struct strbuf *out)
{
	const char *on = color && row->claimed ? color_of(row->verdict) : "";

	add_name(row, t, width, out);
	strbuf_addf(out, "  %11s %11s %+8.2f%%", row->row->cells[0].text,
		    row->row->cells[row->column].text, row->published);
	add_measured(row, decimals, out);
	strbuf_addf(out, "  %s%s%s%s\n", on, verdict_name(row->verdict), *on ? "\033[0m" : "",
		    row->claimed ? "" : " (no claim)");
}

static void add_summary(const struct judgement *j, double smallest, struct strbuf *out)
{
	bool any = false;

	strbuf_addf(out, "\n%u of %u rows claim %g %% or more", j->claimed, j->count, smallest);
	for (int v = VERDICTS - 1; v >= 0; v--) {
		if (!j->verdicts[v])
			continue;
		strbuf_addf(out, "%s %u %s", any ? "," : ":", j->verdicts[v],
			    verdict_name((enum verdict)v));
		any = true;
	}
	strbuf_addf(out, "\n%s\n",
		    judgement_holds(j) ? "reproduced: the claims that could be decided hold"
				       : "not reproduced");
}

void judgement_text(const struct judgement *j, const struct table *t, const struct result *r,
		    double smallest, bool color, struct strbuf *out)
{
	int width = name_width(j, t), decimals = result_decimals(r);

	strbuf_addf(out, "%*s  %23s %9s  %25s\n", width, "", "published", "", "measured");
	strbuf_addf(out, "%-*s  %11s %11s %9s  %12s %12s %9s  %-21s  verdict\n", width, "case",
		    t->columns_count ? t->columns[0] : "",
		    t->columns_count == 2 ? t->columns[1] : "", "change", r->variants[0],
		    r->variants_count == 2 ? r->variants[1] : "", "change", "95 % interval");
	for (unsigned i = 0; i < j->count; i++)
		add_row(&j->rows[i], t, width, decimals, color, out);
	add_summary(j, smallest, out);
	strbuf_addf(out,
		    "changes: positive is better (%s %s); reproduced: the interval reaches the "
		    "published change; no effect: it lies within +/- %g %%\n",
		    r->metric ? r->metric : "value", result_direction(r), smallest);
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *judgement_json(const struct judgement *j, const struct table *t, const struct result *r,
		       double smallest)
{
	json_t *rows = json_array(), *counts = json_object();

	for (unsigned i = 0; i < j->count; i++) {
		const struct judged_row *row = &j->rows[i];

		json_array_append_new(
			rows,
			json_pack(
				"{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s}",
				"group", row->row->group, "case", row->row->name, "column",
				t->columns[row->column], "variant", r->variants[row->column],
				"published_base", number(row->row->cells[0].value),
				"published_value", number(row->row->cells[row->column].value),
				"published_change", number(row->published), "base",
				number(row->base), "value", number(row->value), "change",
				json_pack("[o, o, o]",
					  number(isnan(row->value) ? NAN : row->change.percent),
					  number(isnan(row->value) ? NAN : row->change.low),
					  number(isnan(row->value) ? NAN : row->change.high)),
				"smallest", number(smallest), "claimed", row->claimed, "verdict",
				verdict_name(row->verdict)));
	}
	for (int v = 0; v < VERDICTS; v++)
		json_object_set_new(counts, verdict_name((enum verdict)v),
				    json_integer(j->verdicts[v]));
	return json_pack("{s:s?, s:s?, s:s?, s:b, s:i, s:o, s:o}", "run", r->run_id, "machine",
			 r->machine, "warning", r->warning, "holds", judgement_holds(j), "claimed",
			 (int)j->claimed, "verdicts", counts, "rows", rows);
}
