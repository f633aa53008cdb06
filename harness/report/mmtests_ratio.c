// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "report/mmtests_table.h"
#include "util/xalloc.h"

/* The table of ratios: one line for each operation, then means over them. */
struct ratio {
	double value, percent, distance;
};

static bool has_bands(const struct mm_table *t, size_t variant)
{
	for (size_t op = 0; op < t->ops_count; op++)
		if (mm_samples(t, op, variant)->has_band)
			return true;
	return false;
}

/*
 * The distance, positive where the value is larger than the baseline's. A variant that has no band
 * anywhere comes out as exactly one band away.
 */
static double distance(const struct mm_table *t, size_t op, size_t variant, bool bands)
{
	const struct mmtests_samples *base = mm_samples(t, op, 0), *s = mm_samples(t, op, variant);
	double d;

	if (t->legacy)
		d = mmtests_legacy_distance(s, base);
	else if (!bands)
		d = s->mean > base->mean ? 1 : s->mean < base->mean ? -1 : 0;
	else
		d = mmtests_band_distance(s, base);
	return isnan(d) ? 0 : d;
}

static struct ratio compare(const struct mm_table *t, size_t op, size_t variant, bool bands)
{
	const struct mm_row *row = &t->rows[t->rows_count > 1 ? 1 : 0];
	double base = mm_value(mm_samples(t, op, 0), row);
	double value = mm_value(mm_samples(t, op, variant), row);
	struct ratio x = {1, 0, 0};

	if (isnan(value) || isnan(base) || value == -1 || base == -1)
		return x;
	x.value = base == 0 ? 0 : value == 0 ? 1 : value / base;
	x.percent = mmtests_change(x.value, 1, t->higher);
	x.distance = distance(t, op, variant, bands);
	return x;
}

static void note_ratio(const struct mm_table *t, size_t op, size_t variant, bool bands)
{
	const struct mmtests_samples *base = mm_samples(t, op, 0), *s = mm_samples(t, op, variant);

	if (base->mean == 0)
		mm_note(t, "%s: the baseline is 0, there is no ratio", t->op_names[op]);
	else if (s->mean == 0)
		mm_note(t, "%s, %s: the value is 0; mmtests prints a ratio of 1", t->op_names[op],
			t->r->variants[variant]);
	if (!t->legacy && s->n && !(bands && s->has_band))
		mm_note(t, "%s, %s: one sample has no spread, the distance says nothing",
			t->op_names[op], t->r->variants[variant]);
}

static void print_line(const struct mm_table *t, size_t op, const struct ratio *ratios, bool bands)
{
	mm_line_begin(t);
	mm_put(t, "", "Ratio");
	mm_put(t, "", " %-*s", t->op_width, t->op_names[op]);
	for (size_t v = 0; v < t->r->variants_count; v++) {
		mm_put(t, "", "%*.*f", t->field, t->decimals, ratios[v].value);
		mm_put(t, "", " (%.2f%%)", ratios[v].percent);
		if (bands)
			mm_put(t, "", " (%+.2fs)", ratios[v].distance);
		else
			mm_put(t, "", " (NaNs)");
	}
	mm_line_end(t);
}

enum summary { DMEAN, DMIN, DMAX, GMEAN };

static double summarise(const struct mm_table *t, const struct ratio *ratios, size_t variant,
			enum summary kind)
{
	double sum = 0, product = 1, low = INFINITY, high = -INFINITY;
	size_t n = t->ops_count;

	for (size_t op = 0; op < n; op++) {
		const struct ratio *x = &ratios[op * t->r->variants_count + variant];

		sum += x->distance;
		low = fmin(low, x->distance);
		high = fmax(high, x->distance);
		product *= x->value != 0 ? x->value : 0.00001;
	}
	switch (kind) {
	case DMEAN:
		return sum / n;
	case DMIN:
		return low;
	case DMAX:
		return high;
	case GMEAN:
		break;
	}
	return product < 0 ? NAN : pow(product, 1.0 / n);
}

static void print_summary(const struct mm_table *t, const struct ratio *ratios, enum summary kind)
{
	static const char *const names[] = {"Dmean", "Dmin", "Dmax", "Gmean"};

	mm_line_begin(t);
	mm_put(t, "", "%-5s", names[kind]);
	mm_put(t, "", " %-*s", t->op_width, t->higher ? "Higher" : "Lower");
	for (size_t v = 0; v < t->r->variants_count; v++) {
		double value = summarise(t, ratios, v, kind);

		if (isnan(value))
			mm_put(t, "", "%*s", t->field, "NaN");
		else
			mm_put(t, "", "%*.*f", t->field, t->decimals, value);
		mm_put_undefined(t, "td ", " (0.00%)");
		mm_put_undefined(t, "td ", " (+0.00s)");
	}
	mm_line_end(t);
}

void mm_print_ratio(const struct mm_table *t)
{
	size_t variants = t->r->variants_count;
	struct ratio *ratios = xcalloc(t->ops_count * variants + 1, sizeof(*ratios));
	bool bands = t->rows_count > 1 && (t->legacy || has_bands(t, 0));

	for (size_t v = 0; v < variants; v++) {
		bool own = has_bands(t, v);

		for (size_t op = 0; op < t->ops_count; op++) {
			ratios[op * variants + v] = compare(t, op, v, own);
			note_ratio(t, op, v, own);
		}
	}
	mm_header(t, t->op_width + 6, t->field + 11);
	for (size_t op = 0; op < t->ops_count; op++)
		print_line(t, op, &ratios[op * variants], bands);
	for (enum summary kind = bands ? DMEAN : GMEAN; kind <= GMEAN; kind++)
		print_summary(t, ratios, kind);
	free(ratios);
}
