/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PLOT_PLOT_H
#define SCHEDBENCH_PLOT_PLOT_H

#include <stdbool.h>

#include "report/result.h"
#include "util/error.h"
#include "util/strbuf.h"

/*
 * Figures by gnuplot. Each kind is a script in the folder plots/ that a user can copy and change;
 * plots/README.md says what is handed to it. All names and titles reach gnuplot as data. The
 * scripts are those of $SCHEDBENCH_PLOTS, else of our own data (util/place.h).
 */
struct plot_options {
	const char *kind; /* NULL: "lines" */
	const char *output; /* .png, .svg or .pdf; written whole or not at all; NULL: none */
	const char *data; /* keep the data file here; NULL: do not */
	bool text; /* draw with characters, into @drawing */
	unsigned columns, rows; /* of the drawing with characters; 0: 100 x 30 */
	struct strbuf *drawing;
};

/* Kinds in the order in which help shows them: index 0, 1, ... until NULL. */
const char *plot_kind_at(size_t index, const char **summary);

/*
 * Draw everything that @opt asks for, a picture, a drawing with characters and the data file.
 * ERROR_USAGE for an unknown kind or extension; ERROR_FAILED where the result has nothing to draw
 * or gnuplot fails or is missing.
 */
int plot_result(const struct result *r, const struct plot_options *opt, struct error *err);

/* Whether @kind has nothing to draw: no sample, or a ratio of one variant. */
bool plot_is_empty(const struct result *r, const char *kind);

#endif
