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
struct import_sample {
	unsigned variant, kase; /* indices into the lists */
	unsigned boot; /* from 1, within the variant */
	double value;
	char *reason; /* not NULL: a failed attempt, there is no value */
};

struct import {
	char *name, *title, *workload; /* of the experiment; workload is a name only */
	char *axis; /* what the cases are: "groups" */
	char *metric, *unit;
	bool higher; /* is better */
	char *origin; /* file or folder, for the machine's description */
	struct strlist variants, cases; /* in the order met */
	struct import_sample *samples;
	size_t count, cap;
};

void import_release(struct import *imp);

/* Add a sample; @reason not NULL: a failed one. Names are copied. */
void import_add(struct import *imp, const char *variant, const char *kase, unsigned boot,
		double value, const char *reason);

/*
 * A file of comma separated values (RFC 4180) with a header line. Columns by name, in any order:
 * value, variant (or kernel), case (or operation), boot (default 1), metric, unit, better,
 * workload, experiment, status (ok, failed, timeout). Others are left alone. What `compare --style
 * csv` prints comes back as it was. @metric: take this one; NULL: there must be one only.
 */
int import_csv(struct import *imp, const char *path, const char *metric, struct error *err);

/* All of it or nothing; the caller frees *@run_id. */
int import_store(struct store *store, const struct import *imp, char **run_id, struct error *err);

#endif
