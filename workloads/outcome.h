/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_OUTCOME_H
#define WORKLOADS_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum better { BETTER_LOWER, BETTER_HIGHER };

/* One kind of value that a generator gives. */
struct metric {
	const char *name;
	const char *unit;
	enum better better;
	const char *summary;
};

#define METRIC_END                                                                                 \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/* What the workers of a run used, from their creation to their end. */
struct usage {
	double user_s, system_s;
	uint64_t voluntary_switches, involuntary_switches;
};

enum {
	OUTCOME_VALUES = 1024,
	OUTCOME_TEXT = 1 << 20,
};

/*
 * The result of a run. It lies in memory shared by the process that runs the generator and the one
 * that prints: nothing is printed before all the work is known to be done.
 */
struct outcome {
	struct error err;
	bool complete; /* the generator returned 0 */
	bool forced; /* `null` wants the program to end without a result, with @exit_status */
	int exit_status;
	uint64_t wall_ns; /* the interval that the generator measures */
	uint64_t ops; /* work done, in the unit of the generator */
	struct usage usage;
	size_t nvalues;
	struct {
		const struct metric *metric;
		double value;
	} values[OUTCOME_VALUES];
	size_t text_len;
	char text[OUTCOME_TEXT]; /* lines for humans and for parsers of the original tool */
};

/* In shared memory, all zero; NULL with @err set. Lives as long as the process. */
struct outcome *outcome_new(struct error *err);

/*
 * Add a value of @metric. Values that are not finite, and more than there is room for, are
 * failures: -1 with @err set.
 */
int outcome_value(struct outcome *out, const struct metric *metric, double value,
		  struct error *err);

/* Add to the text; what does not fit makes outcome_text_fits() false. */
void outcome_printf(struct outcome *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool outcome_text_fits(const struct outcome *out);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t now_ns(void);

/* Zeroed memory that worker processes share with who created them; NULL with @err set. */
void *shared_alloc(size_t size, struct error *err);

#endif
