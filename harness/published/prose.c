// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures that stand in sentences: before and after a patch. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "published/assemble.h"
#include "util/xalloc.h"

#define MAX_LABEL 40
#define MAX_NAME  60

static bool word_in(const char *s, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncasecmp(s, *list, n))
			return true;
	return false;
}

/* Unit behind a number: "%", "s", "MB/s"; its length. */
static size_t unit_length(const char *s)
{
	size_t n = 0;

	if (*s == '%')
		return 1;
	while (isalpha((unsigned char)s[n]) ||
	       (n && s[n] == '/' && isalpha((unsigned char)s[n + 1])))
		n++;
	return n < 12 ? n : 0;
}

/* "Before patch: ~19.3s", "After patch: ~18s (-6.7%)" */
static bool labelled_value(const char *s, const char *const *words, struct cell *cell,
			   char label[MAX_LABEL], char unit[12])
{
	const char *colon = strchr(s, ':');
	size_t n;

	s = skip_blanks(s);
	if (!colon || colon - s >= MAX_LABEL || !word_in(s, strcspn(s, " :"), words))
		return false;
	memcpy(label, s, (size_t)(colon - s));
	label[colon - s] = '\0';
	*cell = (struct cell){.text = ""};
	s = scan_number(skip_blanks(colon + 1), cell);
	if (!s)
		return false;
	s = skip_blanks(s);
	n = unit_length(s);
	memcpy(unit, s, n);
	unit[n] = '\0';
	s = skip_blanks(s + n);
	if (*s == '(' && (s = scan_change(s + 1, cell)))
		s = *s == ')' ? s + 1 : NULL;
	return s && (!*s || (*s == '.' && !s[1]));
}

/* The next line of the same level that is not blank, at most one further. */
static unsigned next_line(const struct scan *scan, unsigned i)
{
	for (unsigned n = 1; n < 3 && i + n < scan->count; n++) {
		const struct scan_line *l = &scan->lines[i + n];

		if (l->depth != scan->lines[i].depth || l->skip)
			return 0;
		if (*l->text)
			return n;
	}
	return 0;
}

static void two_columns(struct table *t, const char *name, size_t name_len,
			const struct cell *cells, const char *first, const char *second,
			unsigned line, unsigned second_line, const char *unit)
{
	struct parsed p = {.style = STYLE_PROSE,
			   .name = name,
			   .name_len = (unsigned)name_len,
			   .count = 2,
			   .rule = CHANGE_RELATIVE};
	struct row *r;

	p.cells[0] = cells[0];
	p.cells[1] = cells[1];
	r = table_add_row(t, &p, line);
	r->cells[1].line = second_line;
	free(r->unit);
	r->unit = xstrdup(unit);
	t->columns_count = 2;
	table_set_column(t, 0, first, strlen(first));
	table_set_column(t, 1, second, strlen(second));
	t->heading = xstrdup("");
	t->test = xstrdup("");
	t->unit = xstrdup(unit);
	t->statistic = xstrdup("");
}

static unsigned before_after(struct table *t, const struct scan *scan, unsigned i)
{
	static const char *const before[] = {"before",	"without",   "baseline", "base",
					     "vanilla", "unpatched", "old",	 NULL};
	static const char *const after[] = {"after", "with", "patched", "new", NULL};
	char labels[2][MAX_LABEL], units[2][12];
	struct cell cells[2];
	unsigned n;

	if (!labelled_value(scan->lines[i].text, before, &cells[0], labels[0], units[0]))
		return 0;
	n = next_line(scan, i);
	if (!n || !labelled_value(scan->lines[i + n].text, after, &cells[1], labels[1], units[1]) ||
	    strcmp(units[0], units[1]))
		return 0;
	two_columns(t, "", 0, cells, labels[0], labels[1], scan->lines[i].source,
		    scan->lines[i + n].source, units[0]);
	t->named = true;
	return n + 1;
}

/* What the sentence says has changed: the words before the verb, as far as a comma. */
static const char *subject_of(const char *start, const char *verb, size_t *len)
{
	const char *s = verb;

	while (s > start && !strchr(".,;:(", s[-1]) && verb - s < MAX_NAME)
		s--;
	if (s > start && !strchr(" .,;:(", s[-1]))
		while (s < verb && *s != ' ')
			s++;
	s = skip_blanks(s);
	if (!strncasecmp(s, "the ", 4))
		s += 4;
	while (s < verb && strchr("\"'` ", *s))
		s++;
	while (verb > s && strchr("\"'` ", verb[-1]))
		verb--;
	*len = (size_t)(verb - s);
	return s;
}

/* "A went from 6.03% to 19.61%", where "from" is at @from. */
static bool from_to(const char *start, const char *from, struct cell cells[2], const char **name,
		    size_t *name_len, char unit[12])
{
	static const char *const verbs[] = {"went",	 "goes",      "go",	   "going",
					    "gone",	 "drops",     "dropped",   "rises",
					    "rose",	 "increases", "increased", "decreases",
					    "decreased", "improves",  "improved",  "reduces",
					    "reduced",	 "falls",     "fell",	   "moves",
					    "moved",	 "changes",   "changed",   "grows",
					    "grew",	 "shrinks",   "shrank",	   "jumps",
					    "jumped",	 "degrades",  "degraded",  NULL};
	const char *verb = from, *s;
	size_t n;

	while (verb > start && verb[-1] != ' ')
		verb--;
	if (!word_in(verb, (size_t)(from - verb), verbs))
		return false;
	cells[0] = cells[1] = (struct cell){.text = ""};
	s = scan_number(skip_blanks(from + 5), &cells[0]);
	s = s ? skip_blanks(s) : NULL;
	n = s ? unit_length(s) : 0;
	if (!n)
		return false;
	memcpy(unit, s, n);
	unit[n] = '\0';
	s = skip_blanks(s + n);
	if (strncmp(s, "to ", 3))
		return false;
	s = scan_number(skip_blanks(s + 3), &cells[1]);
	s = s ? skip_blanks(s) : NULL;
	if (!s || unit_length(s) != n || strncmp(s, unit, n))
		return false;
	*name = subject_of(start, verb, name_len);
	return *name_len > 0;
}

static unsigned in_sentence(struct table *t, const struct scan *scan, unsigned i)
{
	const struct scan_line *l = &scan->lines[i];
	unsigned next = next_line(scan, i), taken = 0;
	struct strbuf text = STRBUF_INIT;
	size_t own = strlen(l->text);

	if (!strstr(l->text, " from") || !strpbrk(l->text, "0123456789"))
		if (next != 1 || !strstr(l->text, " from"))
			return 0;
	strbuf_addf(&text, "%s ", l->text);
	if (next == 1)
		strbuf_addstr(&text, scan->lines[i + 1].text);
	for (const char *from = text.buf; !taken && (from = strstr(from, " from ")); from++) {
		struct cell cells[2];
		const char *name;
		size_t name_len;
		char unit[12];

		if ((size_t)(from - text.buf) >= own)
			break;
		if (!from_to(text.buf, from, cells, &name, &name_len, unit))
			continue;
		two_columns(t, name, name_len, cells, "before", "after", l->source, l->source,
			    unit);
		taken = 1;
	}
	strbuf_release(&text);
	return taken;
}

unsigned prose_read(struct table *t, const struct scan *scan, unsigned i)
{
	unsigned lines = before_after(t, scan, i);

	return lines ? lines : in_sentence(t, scan, i);
}
