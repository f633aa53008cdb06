/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_MMTESTS_TABLE_H
#define SCHEDBENCH_REPORT_MMTESTS_TABLE_H

#include "report/report.h"
#include "stats/mmtests.h"

/* The parts of style mmtests: what its tables are made from, and the printing of lines. */
enum mm_stat {
	MM_MIN,
	MM_MEAN,
	MM_STDDEV,
	MM_COEFFVAR,
	MM_MAX,
	MM_BEST,
	MM_PERCENTILE,
	MM_FIRST, /* the best sample: the one row of ROWS_SINGLE */
};

struct mm_row {
	enum mm_stat stat;
	unsigned percent; /* MM_BEST, MM_PERCENTILE */
	char name[64];
};

struct mm_table {
	const struct result *r;
	const struct report_options *opt;
	struct strbuf *out;
	bool higher, legacy;
	int field, decimals;
	struct mm_row rows[16];
	size_t rows_count;
	size_t *ops; /* cases that the baseline has, in order */
	char **op_names; /* of them */
	size_t ops_count;
	struct mmtests_samples *samples; /* like result->cells */
	int name_width, op_width;
};

int mm_init(struct mm_table *t, const struct result *r, const struct report_options *opt,
	    struct strbuf *out, struct error *err);
void mm_release(struct mm_table *t);
const struct mmtests_samples *mm_samples(const struct mm_table *t, size_t op, size_t variant);
double mm_value(const struct mmtests_samples *s, const struct mm_row *row);
/* A remark for report_options.notes. */
void mm_note(const struct mm_table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One piece of a line: as it is, or as a cell of HTML with @attribute. */
/* A value that mmtests leaves undefined: blanks as wide as the @zero it formats to, and in a page,
 * whose printer does not look, that zero. @element: "td " where the column has a format. */
void mm_put_undefined(const struct mm_table *t, const char *element, const char *zero);
void mm_put(const struct mm_table *t, const char *attribute, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void mm_line_begin(const struct mm_table *t);
void mm_line_end(const struct mm_table *t);
/* The two lines of the heading over columns of @width, after a label of @label_width. */
void mm_header(const struct mm_table *t, int label_width, int width);
/* What precedes and follows all lines. */
void mm_top(const struct mm_table *t);
void mm_bottom(const struct mm_table *t);

/* The table of --print-ratio. */
void mm_print_ratio(const struct mm_table *t);

#endif
