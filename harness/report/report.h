/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_REPORT_H
#define SCHEDBENCH_REPORT_REPORT_H

#include "report/result.h"
#include "util/error.h"
#include "util/strbuf.h"

/* How the marks of significance are decided. */
enum significance {
	SIGNIFICANCE_OWN, /* Welch on boot means, DESIGN: the boot is the unit of replication */
	SIGNIFICANCE_MMTESTS, /* the bands of 1.96 standard deviations do not overlap */
	SIGNIFICANCE_MMTESTS_LEGACY, /* pooled t test at 10 % */
	SIGNIFICANCE_NONE,
};

struct report_options {
	enum significance significance;
	bool color;
	bool intervals; /* --ci */
};

/*
 * A style is one file in this folder that registers itself:
 *
 *	REPORT_STYLE(csv) = {.name = "csv", .summary = "...", .print = print_csv};
 */
struct report_style {
	const char *name;
	const char *summary;
	int (*print)(const struct result *r, const struct report_options *opt, struct strbuf *out,
		     struct error *err);
};

#define REPORT_STYLE(id)                                                                           \
	static const struct report_style style_##id;                                               \
	static const struct report_style *const style_ptr_##id                                     \
		__attribute__((used, section("report_styles"))) = &style_##id;                     \
	static const struct report_style style_##id

/* By name; NULL with @err listing those there are. */
const struct report_style *report_style_find(const char *name, struct error *err);

/* In the order of their names: index 0, 1, ... until NULL. */
const struct report_style *report_style_at(size_t index);

#endif
