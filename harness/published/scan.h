/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_PUBLISHED_SCAN_H
#define SCHEDBENCH_PUBLISHED_SCAN_H

#include "published/published.h"

/* The lines of a mail as tables are read from them, and numbers in them. */

#define PLUS_MINUS    '\002' /* stands for the sign, whatever bytes it arrived in */
#define SCAN_MAX_LINE 2000 /* what is longer is no row */

struct scan_line {
	const char *text; /* without quoting and blanks at its end; NUL-terminated */
	unsigned source;
	unsigned depth; /* levels of quoting */
	bool skip; /* a line of a diff */
};

struct scan {
	const struct mail *mail;
	struct scan_line *lines;
	unsigned count;
	char *text;
};

void scan_mail(struct scan *scan, const struct mail *mail);
void scan_release(struct scan *scan);

bool text_is_blank(const char *s);
const char *skip_blanks(const char *s);

/*
 * A number at @s: sign, digits with "," between thousands, fraction, "NaN", "Inf", and K, M or G
 * with nothing behind. Returns what is behind it; NULL: none is there.
 */
const char *scan_number(const char *s, struct cell *cell);

/* A number and "%" or " pct", as a change of @cell. NULL: none. */
const char *scan_change(const char *s, struct cell *cell);

/* Words between blanks. */
struct words {
	const char *start[64];
	unsigned len[64];
	unsigned count;
};
void scan_words(const char *s, struct words *words);

#endif
