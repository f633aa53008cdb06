// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of the tables with a change in every cell: mmtests, AMD, Intel and those like them. */
#include "published/rows.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

bool is_statistic(const char *word, unsigned len)
{
	static const char *const names[] = {"Amean",	    "Hmean",	   "Gmean",	"Min",
					    "Max",	    "Stddev",	   "HStddev",	"CoeffVar",
					    "HCoeffVar",    "Median",	   "Mean",	"Range",
					    "1st-qrtle",    "2nd-qrtle",   "3rd-qrtle", "TrimMean",
					    "Best99%Amean", "Best99%Hmean"};
	static const char *const stems[] = {"BAmean-", "BAmean.", "BHmean-", "BHmean.", "Pctile.",
					    "Max-",    "Best",	  "best-",   "HBest"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !memcmp(word, names[i], len))
			return true;
	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++)
		if (len > strlen(stems[i]) && !memcmp(word, stems[i], strlen(stems[i])) &&
		    isdigit((unsigned char)word[strlen(stems[i])]))
			return true;
	return false;
}

/* Marks behind the last cell: "^", "*", "**". */
static bool only_marks(const char *s)
{
	s = skip_blanks(s);
	return strlen(s) <= 3 && !s[strspn(s, "*^!#")];
}

/* "( 12.34%)" or "* 12.34%*" behind a value. */
static const char *percented_change(const char *s, struct cell *cell)
{
	bool star = *s == '*';

	if (*s != '(' && !star)
		return NULL;
	s = scan_change(s + 1, cell);
	if (!s || *(s = skip_blanks(s)) != (star ? '*' : ')'))
		return NULL;
	cell->significant = star;
	return s + 1;
}

static const char *percented_cell(const char *s, struct cell *cell)
{
	*cell = (struct cell){.text = ""};
	s = scan_number(s, cell);
	return s ? percented_change(skip_blanks(s), cell) : NULL;
}

/* "[ -0.00]( 1.89)" behind a value. */
static const char *amd_cell(const char *s, struct cell *cell)
{
	struct cell change = {.text = ""}, cv = {.text = ""};

	*cell = (struct cell){.text = ""};
	s = scan_number(s, cell);
	if (!s || *(s = skip_blanks(s)) != '[' || !(s = scan_number(skip_blanks(s + 1), &change)) ||
	    *(s = skip_blanks(s)) != ']')
		return NULL;
	s = skip_blanks(s + 1);
	if (*s != '(' || !(s = scan_number(skip_blanks(s + 1), &cv)) ||
	    *(s = skip_blanks(s)) != ')')
		return NULL;
	cell->has_change = cell->has_cv = true;
	cell->change = change.value;
	cell->change_step = change.step;
	cell->cv = cv.value;
	return s + 1;
}

/* "1.00 (  2.56)" or, from the second on, "-0.25 (  3.27)", a change. */
static const char *intel_cell(const char *s, struct cell *cell)
{
	struct cell cv = {.text = ""};

	*cell = (struct cell){.text = ""};
	s = scan_number(s, cell);
	if (!s || *(s = skip_blanks(s)) != '(' || !(s = scan_number(skip_blanks(s + 1), &cv)) ||
	    *(s = skip_blanks(s)) != ')')
		return NULL;
	cell->has_cv = true;
	cell->cv = cv.value;
	return s + 1;
}

typedef const char *(*cell_parser)(const char *s, struct cell *cell);

/* Cells from @s to the end of the line. */
static bool parse_cells(const char *s, cell_parser parse, struct parsed *row)
{
	for (row->count = 0; row->count < TABLE_MAX_CELLS; row->count++) {
		const char *next;

		s = skip_blanks(s);
		if (row->count && only_marks(s))
			break;
		row->at[row->count] = s;
		next = parse(s, &row->cells[row->count]);
		if (!next)
			return false;
		s = next;
	}
	row->mark = skip_blanks(s);
	return row->count && only_marks(s);
}

/* What is left of the cells: the rest of the line from the first word on that parses to the end. */
static bool split_row(const char *s, cell_parser parse, struct parsed *row)
{
	struct words w;

	scan_words(s, &w);
	for (unsigned i = 0; i < w.count; i++) {
		if (!strchr("+-.~0123456789nNiI", *w.start[i]) ||
		    !parse_cells(w.start[i], parse, row))
			continue;
		row->left = w.start[0];
		row->left_len = i ? (unsigned)(w.start[i - 1] + w.len[i - 1] - w.start[0]) : 0;
		row->name = row->left;
		row->name_len = row->left_len;
		return true;
	}
	return false;
}

bool parse_amd(const char *s, struct parsed *row)
{
	*row = (struct parsed){.style = STYLE_AMD, .certain = true};
	return strchr(s, '[') && split_row(s, amd_cell, row) && row->left_len && row->left_len < 60;
}

static void drop_colon(struct parsed *row)
{
	while (row->name_len &&
	       (row->name[row->name_len - 1] == ':' || row->name[row->name_len - 1] == ' '))
		row->name_len--;
}

/* "  1:  327.28   372.46 ( 13.80%)": the first column has no change. */
static bool take_bare_base(struct parsed *row)
{
	const char *end = row->left + row->left_len, *s = end;
	struct cell base = {.text = ""};

	while (s > row->left && s[-1] != ' ' && s[-1] != '\t')
		s--;
	if (s == row->left || scan_number(s, &base) != end || row->count == TABLE_MAX_CELLS)
		return false;
	memmove(row->cells + 1, row->cells, row->count * sizeof(*row->cells));
	memmove(row->at + 1, row->at, row->count * sizeof(*row->at));
	row->cells[0] = base;
	row->at[0] = s;
	row->count++;
	while (s > row->left && (s[-1] == ' ' || s[-1] == '\t'))
		s--;
	row->left_len = row->name_len = (unsigned)(s - row->left);
	return true;
}

static void split_statistic(struct parsed *row)
{
	unsigned n = 0;

	while (n < row->left_len && row->left[n] != ' ' && row->left[n] != '\t')
		n++;
	if (!is_statistic(row->left, n))
		return;
	row->statistic = row->left;
	row->statistic_len = n;
	while (n < row->left_len && (row->left[n] == ' ' || row->left[n] == '\t'))
		n++;
	row->name = row->left + n;
	row->name_len = row->left_len - n;
	row->certain = true;
}

bool parse_percented(const char *s, struct parsed *row)
{
	*row = (struct parsed){.style = STYLE_MMTESTS};
	if ((!strchr(s, '%') && !strstr(s, "pct")) || !split_row(s, percented_cell, row) ||
	    row->left_len > 100)
		return false;
	split_statistic(row);
	if (!row->statistic && memchr(row->left, ':', row->left_len) && take_bare_base(row))
		row->style = STYLE_COLON;
	drop_colon(row);
	/* Without a statistic it is a row if there are columns to compare, without a name too. */
	return row->count > 1 ? row->statistic || row->name_len : row->statistic && row->name_len;
}

bool parse_intel(const char *s, struct parsed *row)
{
	*row = (struct parsed){.style = STYLE_INTEL, .certain = true};
	if (!split_row(s, intel_cell, row) || row->count < 2 || !row->left_len)
		return false;
	for (unsigned i = 1; i < row->count; i++) {
		struct cell *c = &row->cells[i];

		c->has_change = true;
		c->change = c->value;
		c->change_step = c->step;
		c->value = NAN;
		c->text[0] = '\0';
	}
	return true;
}

/* "+- 0.31%", "(+/- 1.22%)" behind a value. */
static const char *spread(const char *s, struct cell *cell)
{
	struct cell cv = {.text = ""};
	bool paren = *s == '(';

	s = skip_blanks(s + paren);
	if (*s == PLUS_MINUS)
		s++;
	else if (!strncmp(s, "+-", 2))
		s += 2;
	else if (!strncmp(s, "+/-", 3))
		s += 3;
	else
		return NULL;
	s = scan_number(skip_blanks(s), &cv);
	if (!s || *(s = skip_blanks(s)) != '%')
		return NULL;
	s = skip_blanks(s + 1);
	if (paren && *s++ != ')')
		return NULL;
	cell->has_cv = true;
	cell->cv = cv.value;
	return s;
}

/* A value, its spread and, where it is one, the change: "( 149.28%)", "(+3.56%)", "0.7 %". */
static const char *deviation_cell(const char *s, struct cell *cell)
{
	const char *next;

	*cell = (struct cell){.text = ""};
	s = scan_number(s, cell);
	if (!s || !(s = spread(skip_blanks(s), cell)))
		return NULL;
	s = skip_blanks(s);
	if (*s == '(' && *skip_blanks(s + 1) == ')')
		return skip_blanks(s + 1) + 1;
	next = *s == '(' || *s == '*' ? percented_change(s, cell) : NULL;
	if (!next && (next = scan_change(s, cell)) && *next && *next != ' ' && *next != '\t')
		next = NULL;
	cell->has_change = next != NULL;
	return next ? next : s;
}

bool parse_deviation(const char *s, struct parsed *row)
{
	*row = (struct parsed){.style = STYLE_DEVIATION};
	if ((!strchr(s, PLUS_MINUS) && !strstr(s, "+-") && !strstr(s, "+/-")) ||
	    !split_row(s, deviation_cell, row) || !row->left_len || row->left_len > 100)
		return false;
	split_statistic(row);
	drop_colon(row);
	row->certain = row->count > 1;
	return true;
}

/* "0.71(-1.43)", nothing that says percent; the first value may stand alone, with a comma. */
static const char *bare_cell(const char *s, struct cell *cell)
{
	struct cell change = {.text = ""};

	*cell = (struct cell){.text = ""};
	s = scan_number(s, cell);
	if (s && *s == ',')
		return s + 1;
	if (!s || *s != '(' || !(s = scan_number(skip_blanks(s + 1), &change)) ||
	    *(s = skip_blanks(s)) != ')')
		return NULL;
	cell->has_change = true;
	cell->change = change.value;
	cell->change_step = change.step;
	s++;
	return *s == ',' ? s + 1 : s;
}

bool parse_bare(const char *s, struct parsed *row)
{
	*row = (struct parsed){.style = STYLE_BARE};
	if (!strchr(s, '(') || !split_row(s, bare_cell, row) || !row->left_len ||
	    row->left_len > 60 || !memchr(row->left, ':', row->left_len) ||
	    !row->cells[row->count - 1].has_change)
		return false;
	if (row->count == 1)
		take_bare_base(row);
	drop_colon(row);
	return row->count > 1 && row->name_len;
}

static bool is_ops_word(const char *word, unsigned len)
{
	return len == 3 && !memcmp(word, "Ops", 3);
}

static bool is_duration(const struct words *w)
{
	static const char *const names[] = {"User", "System", "Elapsed"};
	unsigned i = w->len[0] == 8 && !memcmp(w->start[0], "Duration", 8);

	for (size_t k = 0; k < 3 && i < w->count; k++)
		if (w->len[i] == strlen(names[k]) && !memcmp(w->start[i], names[k], w->len[i]))
			return w->count > i + 2;
	return false;
}

/* "Ops NAME OF SEVERAL WORDS 1.00 2.00", "Duration User 1.00 2.00": values alone. */
bool parse_ops(const char *s, struct parsed *row)
{
	struct words w;
	unsigned first;

	*row = (struct parsed){.style = STYLE_OPS, .certain = true};
	scan_words(s, &w);
	if (w.count < 3 || w.count == 64 ||
	    (!is_ops_word(w.start[0], w.len[0]) && !is_duration(&w)))
		return false;
	for (first = w.count; first > 1; first--) {
		struct cell probe = {.text = ""};
		const char *end = scan_number(w.start[first - 1], &probe);

		if (end != w.start[first - 1] + w.len[first - 1])
			break;
	}
	if (first == w.count || w.count - first > TABLE_MAX_CELLS ||
	    (first == 1 && is_ops_word(w.start[0], 3)))
		return false;
	for (unsigned i = first; i < w.count; i++)
		scan_number(w.start[i], &row->cells[row->count++]);
	row->left = w.start[0];
	row->left_len = (unsigned)(w.start[first - 1] + w.len[first - 1] - w.start[0]);
	row->statistic = first > 1 ? w.start[0] : NULL;
	row->statistic_len = first > 1 ? w.len[0] : 0;
	row->name = first > 1 ? w.start[1] : w.start[0];
	row->name_len = (unsigned)(row->left + row->left_len - row->name);
	row->mark = "";
	return true;
}
