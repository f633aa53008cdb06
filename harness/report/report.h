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

/* What is done about many rows, one of twenty of which is marked at 5 % where nothing changed. */
enum adjustment {
	ADJUST_NONE,
	ADJUST_HOLM, /* holds the chance of one false mark or more in the table */
	ADJUST_BH, /* Benjamini and Hochberg: holds the share of false ones among the marks */
};

/* The sets of rows that mmtests prints for its kinds of benchmarks. */
enum report_rows {
	ROWS_AUTO, /* by the workload */
	ROWS_MULTI, /* hackbench, netperf, stream */
	ROWS_NORMALISED, /* schbench, perf pipe */
	ROWS_LEFT_SKEW, /* tbench, dbench */
	ROWS_SINGLE, /* one row: the best sample */
};

struct report_options {
	enum significance significance;
	bool color;
	bool intervals; /* --ci */
	double alpha; /* level of the own rule; 0: 0.05 */
	enum adjustment adjust; /* of the own rule */
	const double *adjusted; /* what result_adjust() made of it; NULL: p as it is */

	/* Style mmtests only, its command line's --print-ratio, --print-significance, --no-compare
	 * and --format html. */
	bool ratio;
	bool significance_rows;
	bool no_compare;
	bool html;
	enum report_rows rows;
	const char *row_label; /* ROWS_SINGLE: NULL for "Ops" */
	int decimals; /* 0: by the workload; -1: none */
	int field; /* width of a value; 0: 18, legacy 12 */

	/* Remarks for stderr, one a line, about cells whose numbers say nothing; NULL: not wanted.
	 * The styles that have room for remarks print them themselves. */
	struct strbuf *notes;
};

#define REPORT_OPTIONS_INIT                                                                        \
	{                                                                                          \
		.significance = SIGNIFICANCE_OWN                                                   \
	}

/* "own", "mmtests", "mmtests-legacy", "none". */
int significance_parse(const char *name, enum significance *out, struct error *err);
/* "none", "holm", "bh". */
int adjustment_parse(const char *name, enum adjustment *out, struct error *err);

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
