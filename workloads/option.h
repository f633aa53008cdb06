/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_OPTION_H
#define WORKLOADS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

enum option_type {
	OPTION_FLAG, /* bool */
	OPTION_SET, /* int: the flag stores @value; options of one field exclude each other */
	OPTION_INT, /* int64_t */
	OPTION_REAL, /* double */
	OPTION_SIZE, /* int64_t, bytes */
	OPTION_TIME, /* int64_t, nanoseconds; text without a suffix is in @unit */
	OPTION_STRING, /* const char *, points into argv or the table */
	OPTION_CHOICE, /* int: the index in @choices */
};

/*
 * One row of a table that parses, documents and reports the parameters of a generator. The default
 * is text and goes through the same parser as an argument. A table ends with a row without name.
 */
struct option_spec {
	char letter; /* 0: long form only */
	const char *name;
	enum option_type type;
	size_t offset; /* of the field in the structure of parameters */
	const char *unit;
	const char *preset; /* default; NULL: false, NULL or 0 */
	int64_t min, max;
	int value; /* OPTION_SET */
	const char *const *choices; /* OPTION_CHOICE, ends with NULL */
	bool positional; /* may also be given without its name */
	const char *help;
};

#define OPTION_END                                                                                 \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/*
 * Fill @params from the defaults and then from @argv[0..argc). @tables is a list of tables that ends
 * with NULL; @bases are the structures that they fill. ERROR_USAGE for anything not understood.
 */
int option_parse(const struct option_spec *const *tables, void *const *bases, int argc,
		 char *const *argv, struct error *err);

/* The lines of --help of one table. */
void option_help(const struct option_spec *table, FILE *out);

/* The parameters as one JSON object; times in the unit of their option. */
void option_json(const struct option_spec *table, const void *params, FILE *out);

#endif
