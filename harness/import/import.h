/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_IMPORT_IMPORT_H
#define SCHEDBENCH_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"
#include "util/error.h"
#include "util/strlist.h"

/*
 * Results measured elsewhere, on their way into the store. A reader fills it, import_store() makes
 * a run of it that compare, plot and show treat like any other.
 */
struct import_metric {
	char *name, *unit;
	bool higher; /* is better */
};

/* Repetitions that nobody numbered are numbered in the order met. */
#define IMPORT_NEXT (-1L)

struct import_sample {
	unsigned variant, kase, metric; /* indices into the lists */
	long boot, repetition; /* labels: only their order counts for boots */
	double value;
	const char *reason; /* not NULL: a failed attempt, there is no value */
	bool timeout; /* of a failed one: it took too long */
	unsigned line; /* of the file, for messages; 0: none */
};

/* Names in the order met, found quickly. */
struct import_names {
	struct strlist list;
	void *tree;
};

struct import {
	char *name, *title, *workload; /* of the experiment; workload is a name only */
	char *axis; /* what the cases are: "groups" */
	char *origin; /* file or folder, for messages */
	char *machine; /* one line for the machine's description */
	const char *note; /* what tables say of it; NULL: measured elsewhere */
	bool retried; /* failed attempts were repeated until one was good: they are not planned */
	struct import_names variants, cases;
	struct import_metric *metrics;
	const char *metric; /* the experiment's; NULL, or nothing good of it: the first one */
	size_t metrics_count, metrics_cap;
	struct import_sample *samples;
	size_t count, cap;
};

void import_release(struct import *imp);

/* The index of a name, which is added where it is new. */
unsigned import_name(struct import_names *names, const char *name);
void import_names_release(struct import_names *names);

/* The same of a metric; another unit or direction than before is an error without a place. */
int import_metric(struct import *imp, const char *name, const char *unit, bool higher,
		  unsigned *index, struct error *err);

/* Add a sample; the reason is copied. */
void import_add(struct import *imp, const struct import_sample *sample);

/*
 * Names become columns, rows and parts of file names: printable and 1 to 120 bytes; those of
 * variants also made of letters, digits and . _ + - @. The message does not say where.
 */
int import_check_variant(const char *name, struct error *err);
int import_check_case(const char *name, struct error *err);

/* @text for a message: its beginning, with ? for what would disturb a terminal or is not UTF-8. */
struct import_quote {
	char text[64];
};
struct import_quote import_quote(const char *text);

/*
 * A file of comma separated values (RFC 4180) with a header line. Columns by name, in any order:
 * value, variant (or kernel), case (or operation), boot (default 1), repetition (or iteration;
 * default: in the order met), metric, unit, better, workload, experiment, status (ok, failed,
 * timeout). Others are left alone. What `compare --style csv` prints comes back as it was.
 * @metric: take only this one; NULL: all.
 */
int import_csv(struct import *imp, const char *path, const char *metric, struct error *err);

/*
 * What becomes of an import in the store: everything that can be refused is refused here, before
 * there is a database. The plan refers to @imp.
 */
struct import_plan;
int import_plan(struct import_plan **plan, struct import *imp, struct error *err);
void import_plan_free(struct import_plan *plan);

/* A run of each plan, its id added to @ids: all of them or nothing. */
int import_store(struct store *store, const struct import_plan *const *plans, size_t count,
		 struct strlist *ids, struct error *err);

#endif
