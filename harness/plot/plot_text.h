/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PLOT_PLOT_TEXT_H
#define SCHEDBENCH_PLOT_PLOT_TEXT_H

#include <stddef.h>

#include "util/strbuf.h"

/*
 * Names and titles on their way into a figure. Whatever they hold, what arrives is UTF-8 (RFC 3629)
 * without control characters, since an SVG with anything else in it cannot be read.
 */

/* Append @text: a control character becomes a blank, a byte that is no UTF-8 becomes U+FFFD. */
void plot_text_add(struct strbuf *out, const char *text);

/* The same between double quotes, as gnuplot reads it from a data file: there it knows escapes
 * after a backslash, but none for the quote itself, which becomes a single one. */
void plot_text_quote(struct strbuf *out, const char *text);

/* Break at blanks into lines of at most @width characters; longer words are broken anywhere. */
void plot_text_wrap(struct strbuf *out, const char *text, size_t width);

/* Append @text as plot_text_add(), at most @width (8 or more) characters of it: "..." stands for
 * what is left out in the middle, since names often differ at the end. */
void plot_text_shorten(struct strbuf *out, const char *text, size_t width);

/* Characters of valid UTF-8. */
size_t plot_text_length(const char *text);

#endif
