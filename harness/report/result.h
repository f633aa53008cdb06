/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_RESULT_H
#define SCHEDBENCH_REPORT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The result model: what every output style and every plot is made from. One metric of one
 * comparison: cases are rows, variants are columns, the first variant is the baseline.
 */
enum better { BETTER_LOWER, BETTER_HIGHER };

struct result_sample {
	double value;
	unsigned boot; /* number of the boot, unique within the variant */
	unsigned repetition;
	int64_t time_ns; /* CLOCK_REALTIME when it arrived: the order of measurement */
};

struct result_cell {
	struct result_sample *samples; /* good, measured, without warm-up; in the order measured */
	size_t count;
	size_t planned; /* boots x repetitions asked for */
	size_t failed; /* attempts that failed or whose boot failed */
	size_t timeout; /* attempts cut off */
	char *why; /* first reason of a failure, NULL */
};

/* Counters shown under the table, one value for each variant; NAN: this kernel has no such counter.
 */
struct result_counter {
	char *name; /* "SIS Search" */
	double *values; /* [variants] */
	double **boots; /* [variants][boots_count[variant]]: of each whole boot */
	size_t *boots_count;
};

struct result {
	char *title; /* heading */
	char *experiment;
	char *run_id;
	char *machine; /* one line: topology and how it is run */
	char *warning; /* "emulated machine (TCG) ...", NULL on real ones */
	const char *backend; /* "own", "peer"; NULL: not known */
	bool imported; /* measured elsewhere: the times of samples are those of the import */
	char *workload;
	char *metric; /* "time" */
	char *unit; /* "s" */
	char *case_label; /* what the cases are: "groups", "clients"; "case" for several axes */
	char *statistic; /* "amean", "hmean", "gmean", "median" */
	enum better better;
	unsigned boots, repetitions; /* asked for */
	char **variants;
	char **variant_kernels; /* release of each variant's kernel */
	size_t variants_count;
	char **cases;
	double *case_numbers; /* the case's value where all cases are numbers, else NULL */
	size_t cases_count;
	struct result_cell *cells; /* [case * variants_count + variant] */
	struct result_counter *counters;
	size_t counters_count;
};

struct result *result_new(size_t variants, size_t cases); /* strings NULL, cells empty */
struct result_cell *result_cell(const struct result *r, size_t kase, size_t variant);
void result_cell_add(struct result_cell *cell, const struct result_sample *sample);
void result_free(struct result *r);

#endif
