// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "util/xalloc.h"

extern const struct report_style *const __start_report_styles[];
extern const struct report_style *const __stop_report_styles[];

/* The styles lie in the section in link order; there are few, so the n-th name is simply sought. */
const struct report_style *report_style_at(size_t index)
{
	size_t count = __stop_report_styles - __start_report_styles;

	for (size_t i = 0; i < count; i++) {
		const struct report_style *style = __start_report_styles[i];
		size_t smaller = 0;

		for (size_t j = 0; j < count; j++)
			smaller += strcmp(__start_report_styles[j]->name, style->name) < 0;
		if (smaller == index)
			return style;
	}
	return NULL;
}

const struct report_style *report_style_find(const char *name, struct error *err)
{
	const struct report_style *style;
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; (style = report_style_at(i)) && strcmp(style->name, name); i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", style->name);
	if (!style)
		error_set(err, ERROR_USAGE, "no style '%s' (there are: %s)", name, names.buf);
	strbuf_release(&names);
	return style;
}

int adjustment_parse(const char *name, enum adjustment *out, struct error *err)
{
	static const char *const names[] = {
		[ADJUST_NONE] = "none", [ADJUST_HOLM] = "holm", [ADJUST_BH] = "bh"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			*out = (enum adjustment)i;
			return 0;
		}
	return error_set(err, ERROR_USAGE, "no adjustment '%s' (there are: none, holm, bh)", name);
}

int significance_parse(const char *name, enum significance *out, struct error *err)
{
	static const char *const names[] = {
		[SIGNIFICANCE_OWN] = "own",
		[SIGNIFICANCE_MMTESTS] = "mmtests",
		[SIGNIFICANCE_MMTESTS_LEGACY] = "mmtests-legacy",
		[SIGNIFICANCE_NONE] = "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i])) {
			*out = (enum significance)i;
			return 0;
		}
	return error_set(
		err, ERROR_USAGE,
		"no significance rule '%s' (there are: own, mmtests, mmtests-legacy, none)", name);
}
