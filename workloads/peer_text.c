// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_text.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
	while (blank(*p))
		p++;
	return p;
}

/* Behind the number at @p; NULL: there is none. */
static const char *match_number(const char *p, struct text_match *m)
{
	const char *start = p;

	if (!isdigit((unsigned char)*p) || m->count == TEXT_NUMBERS)
		return NULL;
	while (isdigit((unsigned char)*p))
		p++;
	if (*p == '.' && isdigit((unsigned char)p[1]))
		for (p++; isdigit((unsigned char)*p); p++)
			;
	/* The program never calls setlocale(): the point is the point. */
	m->numbers[m->count++] = strtod(start, NULL);
	return p;
}

static const char *match_word(const char *p)
{
	const char *start = p;

	while (*p && *p != '\n' && !blank(*p))
		p++;
	return p == start ? NULL : p;
}

/* Behind what @conversion, the letter after a percent sign, stands for. */
static const char *match_one(const char *p, char conversion, struct text_match *m)
{
	if (conversion == 'n')
		return match_number(p, m);
	if (conversion == 's')
		return match_word(p);
	return *p == conversion ? p + 1 : NULL;
}

bool text_line(const char *line, const char *pattern, struct text_match *m)
{
	const char *p = skip_blanks(line);

	m->count = 0;
	m->line = line;
	for (; *pattern && p; pattern++) {
		if (*pattern == '%')
			p = match_one(p, *++pattern, m);
		else if (*pattern == ' ')
			p = blank(*p) ? skip_blanks(p) : NULL;
		else
			p = *p == *pattern ? p + 1 : NULL;
	}
	return p && *skip_blanks(p) == '\n';
}

bool text_next(const char **text, const char *pattern, struct text_match *m)
{
	while (**text) {
		const char *line = *text;
		size_t len = strcspn(line, "\n");

		*text += len + (line[len] == '\n');
		if (text_line(line, pattern, m))
			return true;
	}
	return false;
}

int text_only(const char *text, const char *tool, const char *pattern, struct text_match *m,
	      struct error *err)
{
	struct text_match another;

	if (!text_next(&text, pattern, m))
		return error_set(err, ERROR_FAILED, "%s printed no line '%s' (%%n is a number)",
				 tool, pattern);
	if (text_next(&text, pattern, &another))
		return error_set(err, ERROR_FAILED, "%s printed two lines '%s' (%%n is a number)",
				 tool, pattern);
	return 0;
}

bool text_find(const char *text, const char *word, char *buf, size_t size)
{
	const char *found = strstr(text, word);

	if (!found)
		return false;
	while (found > text && found[-1] != '\n')
		found--;
	found = skip_blanks(found);
	snprintf(buf, size, "%.*s", (int)strcspn(found, "\n"), found);
	return true;
}
