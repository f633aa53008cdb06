/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PLOT_PLOT_CAPTION_H
#define SCHEDBENCH_PLOT_PLOT_CAPTION_H

#include "plot/plot_data.h"

/*
 * The words of a figure. The heading is the title, an empty line, and what a reader must know: how
 * much was measured, what the bars are, what is left out, the warning about the machine. Lines
 * fit a picture or, where @columns is not 0, a terminal of that width.
 */
void plot_caption_heading(const struct result *r, enum plot_content content, unsigned columns,
			  struct strbuf *out);

/* What is measured, with unit and direction. */
void plot_caption_measure(const struct result *r, enum plot_content content, struct strbuf *out);

#endif
