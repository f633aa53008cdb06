// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/hunk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mail/codec.h"
#include "util/xalloc.h"

/* What is taken for the damage of a hunk. */
enum repair {
	REPAIR_NONE,
	REPAIR_WRAPPED, /* what begins like no line of a diff continues the line before */
	REPAIR_FOLDED, /* so does what could not stay on the line before at the width of the rest */
	REPAIR_MARGIN, /* what begins like no line of a diff has lost the blank of context */
	REPAIR_COUNT,
};

#define MAX_COUNT 10000000u

bool diff_line_starts(const struct diff_line *l, const char *word)
{
	size_t n = strlen(word);

	return l->len >= n && !memcmp(l->s, word, n);
}

/* "12" or "12,3" at @s. */
static const char *parse_range(const char *s, const char *end, unsigned *count)
{
	unsigned long values[2] = {0, 1};
	unsigned n = 0;

	for (; n < 2; n++) {
		const char *start = s;

		for (values[n] = 0; s < end && isdigit((unsigned char)*s) && values[n] < MAX_COUNT;
		     s++)
			values[n] = values[n] * 10 + (unsigned long)(*s - '0');
		if (s == start)
			return NULL;
		if (s == end || *s != ',')
			break;
		s++;
	}
	*count = n == 1 ? (unsigned)values[1] : 1;
	return s;
}

bool hunk_header(const struct diff_line *l, struct hunk *h)
{
	const char *s = l->s, *end = s + l->len;

	if (!diff_line_starts(l, "@@ -"))
		return false;
	s = parse_range(s + 4, end, &h->old_count);
	if (!s || end - s < 3 || memcmp(s, " +", 2))
		return false;
	s = parse_range(s + 2, end, &h->new_count);
	return s && end - s >= 3 && !memcmp(s, " @@", 3);
}

/* Lines at which every hunk is over. */
static bool ends_hunk(const struct diff_line *l, unsigned count)
{
	struct hunk h;

	if (l->gap || hunk_header(l, &h) || diff_line_starts(l, "diff --git ") ||
	    diff_line_starts(l, "Index: "))
		return true;
	if (l->len == 3 && !memcmp(l->s, "-- ", 3))
		return true;
	return count > 1 && diff_line_starts(l, "--- ") && diff_line_starts(l + 1, "+++ ");
}

static bool is_nbsp(const char *s, unsigned len)
{
	return len >= 2 && (unsigned char)s[0] == 0xc2 && (unsigned char)s[1] == 0xa0;
}

/* ' ', '+', '-', '\\', or '\0' for what begins like no line of a diff. */
static char kind_of(const struct diff_line *l)
{
	if (!l->len || is_nbsp(l->s, l->len))
		return ' ';
	return strchr(" +-\\", l->s[0]) && l->s[0] ? l->s[0] : '\0';
}

static void add_blanks_for_nbsp(struct hunk *h, const char **s, unsigned *len)
{
	while (is_nbsp(*s, *len) || (*len && (**s == ' ' || **s == '\t'))) {
		bool nbsp = **s != ' ' && **s != '\t';

		strbuf_addch(&h->text, nbsp ? ' ' : **s);
		*s += 1 + nbsp;
		*len -= 1 + nbsp;
	}
}

static void add_line(struct hunk *h, const struct diff_line *l, bool margin)
{
	const char *s = l->s;
	unsigned len = l->len;

	if (margin || !len)
		strbuf_addch(&h->text, ' ');
	h->repaired += margin;
	if (len && strchr("+-", *s) && *s && is_nbsp(s + 1, len - 1))
		strbuf_addch(&h->text, *s++), len--;
	if (is_nbsp(s, len)) {
		h->repaired++;
		add_blanks_for_nbsp(h, &s, &len);
	}
	strbuf_add(&h->text, s, len);
	strbuf_addch(&h->text, '\n');
	if (l->len && *l->s == ' ') {
		h->context++;
		h->stuffed += l->len > 1 && l->s[1] == ' ';
		h->stuffed_tabs += l->len > 2 && l->s[1] == ' ' && l->s[2] == '\t';
	}
}

static void join_line(struct hunk *h, const struct diff_line *l)
{
	h->text.len--;
	if (h->text.len && h->text.buf[h->text.len - 1] != ' ')
		strbuf_addch(&h->text, ' ');
	strbuf_add(&h->text, l->s, l->len);
	strbuf_addch(&h->text, '\n');
	h->repaired++;
}

static unsigned first_word(const struct diff_line *l)
{
	unsigned n = 0;

	while (n < l->len && l->s[n] != ' ')
		n++;
	return n;
}

/* Would the first word of @l have made the line before it longer than @width? */
static bool folded(const struct diff_line *l, unsigned width)
{
	const struct diff_line *before = l - 1;

	return before->len >= 40 &&
	       (before->s[before->len - 1] == ' ' || before->len + 1 + first_word(l) > width);
}

struct walk {
	const struct diff_line *l;
	unsigned count; /* of @l, from the "@@" line on */
	unsigned at;
	unsigned old_left, new_left;
	enum repair repair;
	unsigned width; /* REPAIR_FOLDED */
};

static bool joins(const struct walk *w)
{
	const struct diff_line *l = &w->l[w->at];

	if (w->repair == REPAIR_WRAPPED)
		return l->len && !kind_of(l) && l->s[0] != '\t';
	return w->repair == REPAIR_FOLDED && l->len &&
	       ((!kind_of(l) && l->s[0] != '\t') || folded(l, w->width));
}

/* One line of the hunk into @h; false: it cannot be one. */
static bool step(struct walk *w, struct hunk *h)
{
	const struct diff_line *l = &w->l[w->at];
	char kind = kind_of(l);
	bool margin = false;

	if (joins(w)) {
		join_line(h, l);
		w->at++;
		return true;
	}
	/* Code begins with a tab where the blank of context is lost, prose does not. */
	if (!kind && w->repair != REPAIR_NONE && (w->repair == REPAIR_MARGIN || l->s[0] == '\t')) {
		kind = ' ';
		margin = true;
	}
	if (!kind || (kind != '+' && kind != '\\' && !w->old_left) ||
	    (kind != '-' && kind != '\\' && !w->new_left))
		return false;
	w->old_left -= kind == ' ' || kind == '-';
	w->new_left -= kind == ' ' || kind == '+';
	h->added += kind == '+';
	h->removed += kind == '-';
	add_line(h, l, margin);
	w->at++;
	return true;
}

/* Does the hunk go on behind what its header counts? */
static bool left_over(const struct walk *w)
{
	const struct diff_line *l = &w->l[w->at];
	char kind = w->at < w->count ? kind_of(l) : '\0';

	if (!kind || !l->len || ends_hunk(l, w->count - w->at))
		return false;
	if (kind == '-' && l->len > 1 && (l->s[1] == '-' || l->s[1] == ' '))
		return false; /* a signature's dashes, a list */
	return kind == '+' || kind == '-';
}

/*
 * Is the end of the last line on the next one? No count tells: the line is as wide as programs wrap
 * at, and what follows has no blank line before it and does not look like a list's footer.
 */
static bool tail_follows(const struct walk *w)
{
	const struct diff_line *l = &w->l[w->at];

	if (w->at == w->count || !l->len || kind_of(l) || *l->s == '\t' ||
	    diff_line_starts(l, "____") || ends_hunk(l, w->count - w->at))
		return false;
	return l[-1].len >= 50 && l[-1].len <= 80 && l[-1].len + 1 + first_word(l) > 68;
}

static void take_tail(struct walk *w, struct hunk *h)
{
	const struct diff_line *l = &w->l[w->at];

	if (w->at < w->count && diff_line_starts(l, "\\ "))
		add_line(h, l, false);
	else if (w->repair == REPAIR_WRAPPED && tail_follows(w))
		join_line(h, l);
	else
		return;
	w->at++;
}

static unsigned widest(const struct diff_line *l, unsigned count)
{
	unsigned width = 0;

	for (unsigned i = 1; i < count && !ends_hunk(&l[i], count - i); i++)
		width = l[i].len > width ? l[i].len : width;
	return width;
}

/* Start again with another idea of what has happened. False: the counts are not met. */
static bool attempt(struct walk *w, struct hunk *h, enum repair repair)
{
	h->text.len = 0;
	h->added = h->removed = h->repaired = h->context = h->stuffed = h->stuffed_tabs = 0;
	w->repair = repair;
	w->old_left = h->old_count;
	w->new_left = h->new_count;
	w->width = repair == REPAIR_FOLDED ? widest(w->l, w->count) : 0;
	strbuf_add(&h->text, w->l->s, w->l->len);
	strbuf_addch(&h->text, '\n');
	for (w->at = 1; w->old_left || w->new_left;)
		if (w->at == w->count || ends_hunk(&w->l[w->at], w->count - w->at) || !step(w, h))
			return false;
	take_tail(w, h);
	return !left_over(w) && !tail_follows(w);
}

static char *describe(const struct walk *w, const struct hunk *h)
{
	char *header = utf8_clean(w->l->s, first_word(w->l) ? w->l->len : 0), *end, *text;

	end = strstr(header + 2, "@@");
	if (end)
		end[2] = '\0';
	if (!w->old_left && !w->new_left)
		text = xasprintf("line %u: the hunk '%s' goes on behind the lines that it counts",
				 w->l[w->at].source, header);
	else if (w->at == w->count || ends_hunk(&w->l[w->at], w->count - w->at))
		text = xasprintf("line %u: the hunk '%s' ends here and lacks %u of %u old and %u "
				 "of %u new lines",
				 w->l[w->at - 1].source, header, w->old_left, h->old_count,
				 w->new_left, h->new_count);
	else
		text = xasprintf("line %u: no line of the hunk '%s', which lacks %u of %u old and "
				 "%u of %u new "
				 "lines (wrapped or cut by a mail program)",
				 w->l[w->at].source, header, w->old_left, h->old_count, w->new_left,
				 h->new_count);
	free(header);
	return text;
}

/* Does any line show the blank of context? Programs that strip it strip it everywhere. */
static bool has_margin(const struct diff_line *l, unsigned count)
{
	for (unsigned i = 1; i < count && !ends_hunk(&l[i], count - i); i++)
		if (l[i].len > 1 && l[i].s[0] == ' ')
			return true;
	return false;
}

unsigned hunk_take(const struct diff_line *l, unsigned count, struct hunk *h, char **problem)
{
	static const enum repair orders[][REPAIR_COUNT] = {
		{REPAIR_NONE, REPAIR_MARGIN, REPAIR_WRAPPED, REPAIR_FOLDED},
		{REPAIR_NONE, REPAIR_WRAPPED, REPAIR_FOLDED, REPAIR_MARGIN},
	};
	const enum repair *order = orders[has_margin(l, count)];
	struct walk w = {.l = l, .count = count};

	for (unsigned i = 0; i < REPAIR_COUNT; i++)
		if (attempt(&w, h, order[i]))
			return w.at;
	attempt(&w, h, REPAIR_NONE);
	*problem = describe(&w, h);
	h->text.len = 0;
	return 0;
}

void hunk_release(struct hunk *h)
{
	strbuf_release(&h->text);
	*h = (struct hunk){.text = STRBUF_INIT};
}
