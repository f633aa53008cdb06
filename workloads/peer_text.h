/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_PEER_TEXT_H
#define WORKLOADS_PEER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/*
 * Reading the lines that the originals print. A pattern is matched against whole lines, blanks at
 * both ends left aside:
 *
 *	%n	a number: digits with at most one point in between; no sign, comma, exponent, inf,
 *nan %s	a word: anything but blanks blank	one blank or more
 *	%%	a percent sign
 *
 * All else stands for itself. A line that was cut off in the middle of a number is still a number:
 * patterns therefore end with what the tool prints behind it, and a last line that has no end of
 * line does not count.
 */
enum { TEXT_NUMBERS = 16 };

struct text_match {
	unsigned count;
	double numbers[TEXT_NUMBERS]; /* of %n in turn */
	const char *line; /* where the line starts */
};

/* Does one line, up to '\n', match? */
bool text_line(const char *line, const char *pattern, struct text_match *m);

/*
 * The one line of @text that matches. None, or more than one, is ERROR_FAILED: "hackbench printed
 * no line 'Time: %n'". @tool names the original.
 */
int text_only(const char *text, const char *tool, const char *pattern, struct text_match *m,
	      struct error *err);

/* The next line that matches from *@text on, which moves behind it; false: none. */
bool text_next(const char **text, const char *pattern, struct text_match *m);

/* The first line that holds @word goes to @buf, cut; false: none. */
bool text_find(const char *text, const char *word, char *buf, size_t size);

#endif
