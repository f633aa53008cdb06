// SPDX-License-Identifier: GPL-2.0-or-later
#include "published/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mail/diff.h"
#include "util/xalloc.h"

bool text_is_blank(const char *s)
{
	return !*skip_blanks(s);
}

const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* Bytes that stand for one character of ours: no-break space, minus, plus-minus. */
static unsigned replace(const char *s, size_t len, char *with)
{
	static const struct {
		const char *bytes;
		char with;
	} known[] = {
		{"\xc2\xa0", ' '},	  {"\xe2\x88\x92", '-'},	{"\xe2\x80\x93", '-'},
		{"\xc2\xb1", PLUS_MINUS}, {"\xef\xbf\xbd", PLUS_MINUS}, {"\xc4\x85", PLUS_MINUS},
		{"\xb1", PLUS_MINUS}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t n = strlen(known[i].bytes);

		if (len >= n && !memcmp(s, known[i].bytes, n)) {
			*with = known[i].with;
			return (unsigned)n;
		}
	}
	*with = *s ? *s : '?';
	return 1;
}

/* Copies the line to @to, which has room; returns its length. */
static size_t copy_line(char *to, const struct mail_line *l, unsigned *depth)
{
	unsigned at;
	size_t n = 0;

	*depth = quote_depth(l, MAIL_MAX_QUOTES, &at);
	if (l->len - at > SCAN_MAX_LINE)
		return 0;
	if (*depth && at < l->len && l->text[at] == ' ')
		at++;
	while (at < l->len) {
		if ((unsigned char)l->text[at] < 0x80)
			to[n++] = l->text[at] ? l->text[at] : '?', at++;
		else
			at += replace(l->text + at, l->len - at, &to[n++]);
	}
	while (n && isspace((unsigned char)to[n - 1]))
		n--;
	return n;
}

static bool has_source_mark(const char *s)
{
	return !strncmp(s, "diff --git ", 11) || !strncmp(s, "--- a/", 6) ||
	       !strncmp(s, "+++ b/", 6);
}

/* What hunks count is no table, whatever it looks like. */
static void skip_diffs(struct scan *scan)
{
	unsigned old_left = 0, new_left = 0, depth = 0;

	for (unsigned i = 0; i < scan->count; i++) {
		struct scan_line *l = &scan->lines[i];
		struct diff_line d = {l->text, (unsigned)strlen(l->text), l->source, false};
		struct hunk h = {.text = STRBUF_INIT};

		if (hunk_header(&d, &h)) {
			old_left = h.old_count;
			new_left = h.new_count;
			depth = l->depth;
			l->skip = true;
		} else if (l->depth == depth && (old_left || new_left) &&
			   (!*l->text || strchr(" +-\\", *l->text))) {
			l->skip = true;
			old_left -= old_left && *l->text != '+' && *l->text != '\\';
			new_left -= new_left && *l->text != '-' && *l->text != '\\';
		} else {
			old_left = new_left = 0;
			l->skip = has_source_mark(l->text);
		}
	}
}

void scan_mail(struct scan *scan, const struct mail *mail)
{
	size_t room = 1;
	char *to;

	for (unsigned i = 0; i < mail->lines_count; i++)
		room += mail->lines[i].len + 1;
	*scan = (struct scan){.mail = mail, .count = mail->lines_count};
	scan->text = to = xmalloc(room);
	scan->lines = xcalloc(scan->count ? scan->count : 1, sizeof(*scan->lines));
	for (unsigned i = 0; i < scan->count; i++) {
		struct scan_line *l = &scan->lines[i];

		l->text = to;
		l->source = mail->lines[i].source;
		to += copy_line(to, &mail->lines[i], &l->depth);
		*to++ = '\0';
	}
	skip_diffs(scan);
}

void scan_release(struct scan *scan)
{
	free(scan->lines);
	free(scan->text);
	*scan = (struct scan){0};
}

static const char *word_number(const char *s, struct cell *cell)
{
	bool nan = !strncasecmp(s, "nan", 3);

	if ((!nan && strncasecmp(s, "inf", 3)) || isalnum((unsigned char)s[3]))
		return NULL;
	cell->value = nan ? NAN : INFINITY;
	cell->step = 0;
	return s + 3;
}

/* "e+08" behind the digits. */
static const char *exponent(const char *start, const char *s, struct cell *cell)
{
	char *end;

	if ((*s != 'e' && *s != 'E') || (s[1] != '+' && s[1] != '-') ||
	    !isdigit((unsigned char)s[2]) || !isdigit((unsigned char)s[3]))
		return s;
	cell->value = strtod(start, &end);
	cell->step *= pow(10, strtol(s + 1, NULL, 10));
	return end;
}

/* Digits, a fraction: the value and the step of the last digit. */
static const char *digits(const char *s, struct cell *cell)
{
	const char *start = s;
	double value = 0, step = 1;

	while (isdigit((unsigned char)*s) ||
	       (*s == ',' && s > start && isdigit((unsigned char)s[1]) &&
		isdigit((unsigned char)s[2]) && isdigit((unsigned char)s[3]))) {
		if (*s != ',')
			value = value * 10 + (*s - '0');
		s++;
	}
	if (s == start)
		return NULL;
	if (*s == '.' && isdigit((unsigned char)s[1])) {
		char *end;

		for (s++; isdigit((unsigned char)*s); s++)
			step /= 10;
		/* As strtod() rounds it, where no thousands stand in the way. */
		if (!memchr(start, ',', (size_t)(s - start)))
			value = strtod(start, &end);
		else
			for (const char *p = strchr(start, '.') + 1, *q = p; q < s; q++)
				value += (*q - '0') * pow(10, -(double)(q - p + 1));
	}
	cell->value = value;
	cell->step = step;
	return exponent(start, s, cell);
}

static const char *suffix(const char *s, struct cell *cell)
{
	static const char letters[] = "KMG";
	const char *letter = *s ? strchr(letters, *s == 'k' ? 'K' : *s) : NULL;

	if (!letter || isalnum((unsigned char)s[1]) || s[1] == '/' || s[1] == '%')
		return s;
	for (const char *p = letters; p <= letter; p++) {
		cell->value *= 1000;
		cell->step *= 1000;
	}
	return s + 1;
}

const char *scan_number(const char *s, struct cell *cell)
{
	const char *start = s, *end;
	bool negative = false;

	if (*s == '~') {
		cell->approximate = true;
		start = ++s;
	}
	if (*s == '+' || *s == '-')
		negative = *s++ == '-';
	end = word_number(s, cell);
	if (!end) {
		end = digits(s, cell);
		if (!end)
			return NULL;
		end = suffix(end, cell);
	}
	if (end - start >= CELL_TEXT)
		return NULL;
	if (negative)
		cell->value = -cell->value;
	memcpy(cell->text, start, (size_t)(end - start));
	cell->text[end - start] = '\0';
	return end;
}

const char *scan_change(const char *s, struct cell *cell)
{
	struct cell number = {.text = ""};

	s = scan_number(skip_blanks(s), &number);
	if (!s)
		return NULL;
	s = skip_blanks(s);
	/* Tables that say "pct" cut digits off instead of rounding. */
	if (*s == '%')
		cell->change_step = number.step;
	else if (!strncmp(s, "pct", 3))
		cell->change_step = 2 * number.step;
	else
		return NULL;
	cell->has_change = true;
	cell->change = number.value;
	return s + (*s == '%' ? 1 : 3);
}

void scan_words(const char *s, struct words *w)
{
	w->count = 0;
	while (*(s = skip_blanks(s)) && w->count < 64) {
		unsigned n = (unsigned)strcspn(s, " \t");

		w->start[w->count] = s;
		w->len[w->count++] = n;
		s += n;
	}
}
