// SPDX-License-Identifier: GPL-2.0-or-later
/* Diffs by part of a mail and level of quoting, and what format=flowed did to them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mail/diff.h"
#include "util/xalloc.h"

/* How the lines of a level are made of those of the mail. */
struct view {
	unsigned first, end; /* lines of the mail */
	unsigned level;
	bool tight; /* no blank behind the last ">" */
	bool unstuff, join; /* format=flowed: RFC 3676, 4.4 and 4.2 */
	const char *indent; /* before every line of the diff */
	unsigned indent_len;
};

struct view_lines {
	struct diff_line *items;
	unsigned count, cap;
	struct strbuf joined; /* lines that are not as they are in the mail */
	unsigned changed;
};

unsigned quote_depth(const struct mail_line *l, unsigned max, unsigned *at)
{
	unsigned depth = 0, i = 0;

	*at = 0;
	while (depth < max) {
		unsigned j = i;

		if (depth && j < l->len && l->text[j] == ' ')
			j++;
		if (j == l->len ||
		    (l->text[j] != '>' &&
		     !(l->text[j] == '|' && (j + 1 == l->len || l->text[j + 1] == ' '))))
			break;
		i = *at = j + 1;
		depth++;
	}
	return depth;
}

static void add_line(struct view_lines *v, struct diff_line line)
{
	xgrow(v->items, v->count, v->cap);
	v->items[v->count++] = line;
}

static bool is_blank(const struct mail_line *l, unsigned at)
{
	while (at < l->len && (l->text[at] == ' ' || l->text[at] == '\t'))
		at++;
	return at == l->len;
}

/* The text of the line at the view's level; false: it is of another one. */
static bool line_at(const struct view *view, const struct mail_line *l, struct diff_line *out)
{
	unsigned at;

	if (quote_depth(l, view->level, &at) < view->level)
		return false;
	if (view->level && !view->tight && at < l->len && l->text[at] == ' ')
		at++;
	if (l->len - at >= view->indent_len &&
	    !memcmp(l->text + at, view->indent, view->indent_len))
		at += view->indent_len;
	else if (view->indent_len && !is_blank(l, at))
		return false;
	else if (view->indent_len)
		at = l->len;
	*out = (struct diff_line){l->text + at, l->len - at, l->source, false};
	return true;
}

/* Soft ends of lines: the next one of the same level continues. The text moves while it grows. */
static void join_flowed(struct view_lines *v, const struct diff_line *line, bool *soft)
{
	bool signature = line->len == 3 && !memcmp(line->s, "-- ", 3);

	if (*soft && !line->gap && v->count) {
		v->items[v->count - 1].len += line->len;
		v->changed++;
	} else {
		add_line(v, (struct diff_line){NULL, line->len, line->source, line->gap});
	}
	strbuf_add(&v->joined, line->s, line->len);
	*soft = !signature && line->len && line->s[line->len - 1] == ' ';
}

static void view_make(struct view_lines *v, const struct view *view, const struct mail *m)
{
	bool gap = true, soft = false;
	const char *at;

	for (unsigned i = view->first; i < view->end; i++) {
		struct diff_line line;

		if (!line_at(view, &m->lines[i], &line)) {
			gap = true;
			continue;
		}
		line.gap = gap;
		gap = false;
		if (view->unstuff && line.len && *line.s == ' ') {
			line.s++;
			line.len--;
			v->changed++;
		}
		if (view->join)
			join_flowed(v, &line, &soft);
		else
			add_line(v, line);
	}
	at = v->joined.buf;
	for (unsigned i = 0; view->join && i < v->count; i++) {
		v->items[i].s = at;
		at += v->items[i].len;
	}
}

static void read_view(struct diff *d, const struct view *view, const struct mail *m)
{
	struct view_lines v = {.joined = STRBUF_INIT};

	view_make(&v, view, m);
	diff_read(d, v.items, v.count, view->level > 0);
	if (d->stats.hunks)
		d->stats.repaired += v.changed;
	free(v.items);
	strbuf_release(&v.joined);
}

static bool is_whole(const struct diff *d)
{
	return d->stats.files && !d->stats.problem;
}

/* Keep the better one of two readings in @best. */
static void prefer(struct diff *best, struct diff *other)
{
	if (!is_whole(other) || (is_whole(best) && best->stats.repaired <= other->stats.repaired)) {
		diff_release(other);
		return;
	}
	diff_release(best);
	*best = *other;
}

static bool is_stuffed(const struct diff *d, bool flowed)
{
	return d->context && d->context == d->stuffed && (flowed || d->stuffed_tabs);
}

static void read_level(struct diff *d, struct view view, const struct mail *m, bool flowed)
{
	struct diff other;

	read_view(d, &view, m);
	if (!d->stats.files && !d->stats.hunks)
		return;
	if (is_stuffed(d, flowed)) {
		view.unstuff = true;
		read_view(&other, &view, m);
		if (!is_whole(&other)) {
			diff_release(&other);
			view.join = true;
			read_view(&other, &view, m);
		}
		if (is_whole(&other)) {
			diff_release(d);
			*d = other;
			return;
		}
		diff_release(&other);
	}
	for (int i = 1; i < 4 && flowed && !is_whole(d); i++) {
		view.unstuff = i & 1;
		view.join = i & 2;
		read_view(&other, &view, m);
		prefer(d, &other);
	}
	if (view.level && (!is_whole(d) || d->stats.repaired)) {
		view.unstuff = view.join = false;
		view.tight = true;
		read_view(&other, &view, m);
		prefer(d, &other);
	}
}

/* The blanks before the first line of a diff that stands indented in the text. */
static void find_indent(struct view *view, const struct mail *m)
{
	for (unsigned i = view->first; i < view->end; i++) {
		const struct mail_line *l = &m->lines[i];
		struct diff_line rest = {l->text, l->len, l->source, false};

		while (rest.len && (*rest.s == ' ' || *rest.s == '\t'))
			rest.s++, rest.len--;
		if (rest.len == l->len ||
		    (!diff_line_starts(&rest, "diff --git ") && !diff_line_starts(&rest, "--- ")))
			continue;
		view->indent = l->text;
		view->indent_len = l->len - rest.len;
		return;
	}
}

static void add_patch(struct mail *m, struct diff *d, unsigned level)
{
	struct mail_patch *p;

	if (!d->stats.files && !d->stats.hunks) {
		diff_release(d);
		return;
	}
	m->patches = xreallocarray(m->patches, m->patches_count + 1, sizeof(*m->patches));
	p = &m->patches[m->patches_count++];
	*p = d->stats;
	p->len = d->text.len;
	p->diff = strbuf_detach(&d->text);
	p->quoted = level;
	d->stats.problem = NULL;
	diff_release(d);
}

static void read_own(struct diff *d, struct view view, const struct mail *m)
{
	bool flowed = view.first < view.end && m->lines[view.first].flowed;
	struct diff other;

	read_level(d, view, m, flowed);
	if (d->stats.files)
		return;
	find_indent(&view, m);
	if (!view.indent_len)
		return;
	read_level(&other, view, m, flowed);
	prefer(d, &other);
}

/* Level @level of every part. */
static void find_at_level(struct mail *m, unsigned level)
{
	struct view view = {.level = level, .indent = ""};

	while (view.first < m->lines_count) {
		struct diff d;

		view.end = view.first;
		while (view.end < m->lines_count &&
		       m->lines[view.end].part == m->lines[view.first].part)
			view.end++;
		if (level)
			read_level(&d, view, m, m->lines[view.first].flowed);
		else
			read_own(&d, view, m);
		add_patch(m, &d, level);
		view.first = view.end;
	}
}

void mail_find_patches(struct mail *m)
{
	unsigned deepest = 0, at;

	for (unsigned i = 0; i < m->lines_count; i++) {
		unsigned depth = quote_depth(&m->lines[i], MAIL_MAX_QUOTES, &at);

		deepest = depth > deepest ? depth : deepest;
	}
	for (unsigned level = 0; level <= deepest; level++)
		find_at_level(m, level);
}
