// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "report/result.h"
#include "util/xalloc.h"

struct result *result_new(size_t variants, size_t cases)
{
	struct result *r = xcalloc(1, sizeof(*r));

	r->variants_count = variants;
	r->cases_count = cases;
	r->variants = xcalloc(variants, sizeof(*r->variants));
	r->variant_kernels = xcalloc(variants, sizeof(*r->variant_kernels));
	r->cases = xcalloc(cases, sizeof(*r->cases));
	r->cells = xcalloc(variants * cases, sizeof(*r->cells));
	return r;
}

struct result_cell *result_cell(const struct result *r, size_t kase, size_t variant)
{
	return &r->cells[kase * r->variants_count + variant];
}

void result_cell_add(struct result_cell *cell, const struct result_sample *sample)
{
	/* Grows at powers of two: the count alone tells when. */
	if ((cell->count & (cell->count - 1)) == 0)
		cell->samples = xreallocarray(cell->samples, cell->count ? cell->count * 2 : 1,
					      sizeof(*cell->samples));
	cell->samples[cell->count++] = *sample;
}

static void free_strings(char **strings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(strings[i]);
	free(strings);
}

void result_free(struct result *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->variants_count * r->cases_count; i++) {
		free(r->cells[i].samples);
		free(r->cells[i].why);
	}
	free(r->cells);
	for (size_t i = 0; i < r->counters_count; i++) {
		free(r->counters[i].name);
		free(r->counters[i].values);
		for (size_t v = 0; r->counters[i].boots && v < r->variants_count; v++)
			free(r->counters[i].boots[v]);
		free(r->counters[i].boots);
		free(r->counters[i].boots_count);
	}
	free(r->counters);
	free_strings(r->variants, r->variants_count);
	free_strings(r->variant_kernels, r->variants_count);
	free_strings(r->cases, r->cases_count);
	free(r->case_numbers);
	free(r->title);
	free(r->experiment);
	free(r->run_id);
	free(r->machine);
	free(r->warning);
	free(r->workload);
	free(r->metric);
	free(r->unit);
	free(r->case_label);
	free(r->statistic);
	free(r);
}
