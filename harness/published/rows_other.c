// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of other kinds: 0-day's, lines of "name : value", percentages, counts of probes. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "published/rows.h"

/* "+- 3%" behind a value; where it is missing @cell stays and @s is returned. */
static const char *deviation(const char *s, struct cell *cell)
{
	struct cell cv = {.text = ""};
	const char *p = skip_blanks(s);

	if (*p != PLUS_MINUS)
		return s;
	p = scan_number(skip_blanks(p + 1), &cv);
	if (!p || *p != '%')
		return NULL;
	cell->has_cv = true;
	cell->cv = cv.value;
	return p + 1;
}

/* "-34.2%", or "+1.2" where the values are percentages themselves and the difference is told. */
static const char *lkp_change(const char *s, struct cell *cell)
{
	struct cell number = {.text = ""};
	const char *next = scan_change(s, cell);

	s = skip_blanks(s);
	if (next || (*s != '+' && *s != '-'))
		return next;
	next = scan_number(s, &number);
	if (!next)
		return NULL;
	cell->has_change = cell->absolute = true;
	cell->change = number.value;
	cell->change_step = number.step;
	return next;
}

/* "79317172 +- 2%  -34.2%  52217838 +- 3%  NAME": values are as they are, the change is relative. */
bool parse_lkp(const char *s, struct parsed *row)
{
	struct cell *base = &row->cells[0], *other = &row->cells[1];
	struct words w;

	*row = (struct parsed){.style = STYLE_LKP,
			       .certain = true,
			       .count = 2,
			       .mark = "",
			       .rule = CHANGE_RELATIVE};
	s = scan_number(skip_blanks(s), base);
	if (!s || !(s = deviation(s, base)) || (*s != ' ' && *s != '\t'))
		return false;
	s = lkp_change(s, other);
	if (!s || (*s != ' ' && *s != '\t') || !(s = scan_number(skip_blanks(s), other)) ||
	    !(s = deviation(s, other)))
		return false;
	scan_words(s, &w);
	if (w.count != 1 || !memchr(w.start[0], '.', w.len[0]))
		return false;
	row->left = row->name = w.start[0];
	row->left_len = row->name_len = w.len[0];
	return true;
}

/* "noticed a -19.0% regression of NAME on:" */
static bool lkp_sentence(const char *s, struct parsed *row)
{
	const char *at = strstr(s, "noticed a"), *end;

	if (!at)
		return false;
	at += 9 + (at[9] == 'n');
	at = scan_change(at, &row->cells[0]);
	if (!at)
		return false;
	row->mark = skip_blanks(at);
	end = strstr(row->mark, " of ");
	if (!end || (strncmp(row->mark, "regression", 10) && strncmp(row->mark, "improvement", 11)))
		return false;
	row->cells[0].value = NAN;
	row->left = row->name = end + 4;
	row->left_len = row->name_len = (unsigned)strcspn(end + 4, " \t:");
	return row->name_len > 0;
}

/* "testcase: change | NAME  -19.0% regression", in a table or a list of its own. */
bool parse_lkp_list(const char *s, struct parsed *row)
{
	const char *bar, *end;
	struct words w;

	*row = (struct parsed){.style = STYLE_LKP_LIST, .certain = true, .count = 1};
	s = skip_blanks(s);
	if (lkp_sentence(s, row))
		return true;
	if (strncmp(s, "testcase: change", 16) || !(bar = strchr(s, '|')))
		return false;
	scan_words(bar + 1, &w);
	if (w.count && w.len[w.count - 1] == 1 && *w.start[w.count - 1] == '|')
		w.count--;
	if (w.count < 3)
		return false;
	end = scan_change(w.start[w.count - 2], &row->cells[0]);
	if (!end || end != w.start[w.count - 2] + w.len[w.count - 2])
		return false;
	row->cells[0].value = NAN;
	row->left = row->name = w.start[0];
	row->left_len = row->name_len =
		(unsigned)(w.start[w.count - 3] + w.len[w.count - 3] - w.start[0]);
	row->mark = w.start[w.count - 1];
	return !strncmp(row->mark, "regression", 10) || !strncmp(row->mark, "improvement", 11);
}

/* "[diff: -1.50%]" or "[%diff: -1.50%]" at the end of a line. */
static const char *bracket_diff(const char *s, struct cell *cell)
{
	s = skip_blanks(s);
	if (strncmp(s, "[diff:", 6) && strncmp(s, "[%diff:", 7))
		return NULL;
	s = scan_change(strchr(s, ':') + 1, cell);
	return s && *(s = skip_blanks(s)) == ']' ? s + 1 : NULL;
}

/* "NAME : 304931.33 (var: 1.29%) [diff: -1.50%]": one column of a table, see assemble.c. */
bool parse_variance(const char *s, struct parsed *row)
{
	struct cell *cell = &row->cells[0], var = {.text = ""};
	const char *colon = strstr(s, ":"), *next;

	*row = (struct parsed){
		.style = STYLE_VARIANCE, .certain = true, .count = 1, .rule = CHANGE_RELATIVE};
	if (!strstr(s, "(var:") || !colon)
		return false;
	row->left = row->name = skip_blanks(s);
	s = scan_number(skip_blanks(colon + 1), cell);
	if (!s || strncmp(s = skip_blanks(s), "(var:", 5) || !(s = scan_change(s + 5, &var)) ||
	    *(s = skip_blanks(s)) != ')')
		return false;
	cell->has_cv = true;
	cell->cv = var.change;
	next = bracket_diff(s + 1, cell);
	row->mark = skip_blanks(next ? next : s + 1);
	while (colon > row->left && (colon[-1] == ' ' || colon[-1] == '\t'))
		colon--;
	row->left_len = row->name_len = (unsigned)(colon - row->left);
	return row->name_len && row->name_len < 60 && strlen(row->mark) <= 3;
}

/* "* 99.0th: 74880 (54 samples)": percentiles as schbench prints them. */
bool parse_percentile(const char *s, struct parsed *row)
{
	struct cell percentile = {.text = ""}, samples = {.text = ""};
	const char *end;

	*row = (struct parsed){.style = STYLE_SCHBENCH, .count = 1};
	s = skip_blanks(s);
	s = skip_blanks(s + (*s == '*'));
	row->left = row->name = s;
	end = scan_number(s, &percentile);
	if (!end || strncmp(end, "th:", 3))
		return false;
	row->left_len = row->name_len = (unsigned)(end + 2 - s);
	end = scan_number(skip_blanks(end + 3), &row->cells[0]);
	if (!end)
		return false;
	row->mark = skip_blanks(end);
	if (!*row->mark)
		return true;
	end = *row->mark == '(' ? scan_number(skip_blanks(row->mark + 1), &samples) : NULL;
	return end && strstr(end, "samples)");
}

/* "100%" alone in a word. */
static bool is_percent_word(const char *word, unsigned len, struct cell *cell)
{
	const char *end = scan_number(word, cell);

	return end && *end == '%' && end + 1 == word + len;
}

/* "1 CCD   100%   99.18% [%diff: -0.82%]": values that are percentages of the first. */
bool parse_percent(const char *s, struct parsed *row)
{
	struct words w;
	unsigned i = 0;
	const char *rest;

	*row = (struct parsed){.style = STYLE_PERCENT, .rule = CHANGE_RELATIVE, .mark = ""};
	scan_words(s, &w);
	while (i < w.count && !is_percent_word(w.start[i], w.len[i], &row->cells[0]))
		i++;
	if (!i || i > 4 || i == w.count)
		return false;
	row->left = row->name = w.start[0];
	row->left_len = row->name_len = (unsigned)(w.start[i - 1] + w.len[i - 1] - w.start[0]);
	for (; i < w.count && row->count < TABLE_MAX_CELLS; row->count++, i++) {
		row->cells[row->count] = (struct cell){.text = ""};
		if (!is_percent_word(w.start[i], w.len[i], &row->cells[row->count]))
			break;
		rest = bracket_diff(w.start[i] + w.len[i], &row->cells[row->count]);
		while (rest && i + 1 < w.count && w.start[i + 1] < rest)
			i++;
		row->certain |= rest != NULL;
	}
	return i == w.count && row->count > 1;
}

/* "88K probe:rebalance_domains_L37" and what was written behind it. */
bool parse_count(const char *s, struct parsed *row)
{
	const char *colon;
	struct words w;

	*row = (struct parsed){.style = STYLE_COUNTS, .certain = true, .count = 1};
	scan_words(s, &w);
	if (w.count < 2 || w.count == 64 ||
	    scan_number(w.start[0], &row->cells[0]) != w.start[0] + w.len[0] ||
	    row->cells[0].approximate || strchr("+-", *w.start[0]))
		return false;
	/* "00010" is no count. */
	if (*w.start[0] == '0' && w.len[0] > 1)
		return false;
	colon = memchr(w.start[1], ':', w.len[1]);
	if (!colon || colon == w.start[1] || colon + 1 == w.start[1] + w.len[1] ||
	    memchr(colon + 1, ':', (size_t)(w.start[1] + w.len[1] - colon - 1)))
		return false;
	for (unsigned i = 0; i < w.len[1]; i++)
		if (!isalnum((unsigned char)w.start[1][i]) && !strchr("_:-.", w.start[1][i]))
			return false;
	if (!isalpha((unsigned char)*w.start[1]) || !isalpha((unsigned char)colon[1]))
		return false;
	row->left = row->name = w.start[1];
	row->left_len = row->name_len = w.len[1];
	row->mark = w.count > 2 ? w.start[2] : "";
	return !*row->mark || *row->mark == '<' || *row->mark == '#' || *row->mark == '(';
}

bool parse_row(const char *s, bool intel, struct parsed *row)
{
	if (!strpbrk(s, "0123456789"))
		return false;
	return parse_amd(s, row) || parse_lkp_list(s, row) || parse_variance(s, row) ||
	       parse_lkp(s, row) || parse_deviation(s, row) || parse_percented(s, row) ||
	       parse_ops(s, row) || parse_percent(s, row) || parse_count(s, row) ||
	       (intel && parse_intel(s, row)) || parse_percentile(s, row) || parse_bare(s, row);
}
