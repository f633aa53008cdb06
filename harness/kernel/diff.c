// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel/diff.h"
#include "util/xalloc.h"

#define SHOWN_MAX 100 /* bytes of a line that a message quotes */

/* Goes through the lines of a diff, telling headers from the lines of hunks. */
struct walk {
	const char *p, *end;
	const char *line; /* the one just read, without its newline */
	size_t len;
	unsigned old_left, new_left; /* lines of the hunk to come */
	unsigned old_start; /* of the hunk */
	bool in_hunk; /* @line is part of one */
	bool hunk_starts; /* @line is its @@ line */
};

static bool starts(const struct walk *w, const char *prefix)
{
	size_t len = strlen(prefix);

	return w->len >= len && !memcmp(w->line, prefix, len);
}

/* "12,7" or "12"; false where there is no number. */
static bool read_range(const char **p, unsigned *start, unsigned *count)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*start = strtoul(*p, &end, 10);
	*count = 1;
	if (*end == ',' && isdigit((unsigned char)end[1]))
		*count = strtoul(end + 1, &end, 10);
	*p = end;
	return true;
}

/* @@ -12,7 +12,9 @@ */
static bool read_hunk_header(struct walk *w)
{
	char text[128];
	size_t len = w->len < sizeof(text) - 1 ? w->len : sizeof(text) - 1;
	const char *p = text + strlen("@@ -");
	unsigned old_start, old_count, new_start, new_count;

	memcpy(text, w->line, len);
	text[len] = '\0';
	if (!read_range(&p, &old_start, &old_count) || strncmp(p, " +", 2))
		return false;
	p += 2;
	if (!read_range(&p, &new_start, &new_count))
		return false;
	w->old_start = old_start;
	w->old_left = old_count;
	w->new_left = new_count;
	return true;
}

static void count_hunk_line(struct walk *w)
{
	char c = w->len ? *w->line : ' ';

	if (c == '\\')
		return;
	if (c != '+' && w->old_left)
		w->old_left--;
	if (c != '-' && w->new_left)
		w->new_left--;
}

static bool next_line(struct walk *w)
{
	const char *newline;

	if (w->p >= w->end)
		return false;
	newline = memchr(w->p, '\n', w->end - w->p);
	w->line = w->p;
	w->len = (newline ? newline : w->end) - w->p;
	w->p += w->len + (newline != NULL);
	w->in_hunk = w->old_left || w->new_left;
	w->hunk_starts = false;
	if (w->in_hunk)
		count_hunk_line(w);
	else if (starts(w, "@@ -"))
		w->hunk_starts = read_hunk_header(w);
	return true;
}

/* Undo git's quoting: "a/b\\302\\265". The caller frees it. */
static char *unquote(const char *text, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 1; i < len && text[i] != '"'; i++) {
		unsigned value = 0, digits = 0;

		if (text[i] != '\\') {
			strbuf_addch(&out, text[i]);
			continue;
		}
		while (digits < 3 && i + 1 < len && text[i + 1] >= '0' && text[i + 1] <= '7') {
			value = value * 8 + (text[++i] - '0');
			digits++;
		}
		if (digits)
			strbuf_addch(&out, (char)value);
		else if (i + 1 < len)
			strbuf_addch(&out, text[++i]);
	}
	return strbuf_detach(&out);
}

/* The path after a header's keyword: up to a tab, which dates follow. The caller frees it. */
static char *header_path(const struct walk *w, size_t skip)
{
	const char *text = w->line + skip;
	size_t len = w->len - skip;
	const char *tab = memchr(text, '\t', len);

	if (len && *text == '"')
		return unquote(text, len);
	if (tab)
		len = tab - text;
	while (len && (text[len - 1] == '\r' || text[len - 1] == ' '))
		len--;
	return xstrndup(text, len);
}

static bool leaves_tree(const char *path)
{
	if (!strcmp(path, "/dev/null"))
		return false;
	if (*path == '/')
		return true;
	while (*path) {
		size_t len = strcspn(path, "/");

		if ((len == 2 && !strncmp(path, "..", 2)) ||
		    (len == 4 && !strncasecmp(path, ".git", 4)))
			return true;
		path += len + (path[len] == '/');
	}
	return false;
}

static int check_path(const char *name, const struct walk *w, size_t skip, struct error *err)
{
	char *path = header_path(w, skip);
	int ret = 0;

	if (leaves_tree(path))
		ret = error_set(err, ERROR_USAGE,
				"patch '%s' is refused: its path '%.200s' leaves the source tree",
				name, path);
	free(path);
	return ret;
}

/* "diff --git a/x b/y" names both on one line, blanks and all: every word is looked at. */
static int check_git_line(const char *name, const struct walk *w, struct error *err)
{
	const char *p = w->line, *end = w->line + w->len;
	int ret = 0;

	while (p < end && !ret) {
		const char *blank = memchr(p, ' ', end - p);
		struct walk word = {.line = p, .len = (blank ? blank : end) - p};

		ret = check_path(name, &word, 0, err);
		p += word.len + 1;
	}
	return ret;
}

int diff_check(const char *name, const char *text, size_t len, struct error *err)
{
	static const char *const headers[] = {"--- ",	     "+++ ",	   "rename from ",
					      "rename to ",  "copy from ", "copy to ",
					      "rename old ", "rename new "};
	struct walk w = {.p = text, .end = text + len};
	bool found = false;

	if (memchr(text, '\0', len))
		return error_set(err, ERROR_USAGE, "patch '%s' is not a text", name);
	while (next_line(&w)) {
		found = found || w.hunk_starts || starts(&w, "diff --git ");
		if (w.in_hunk)
			continue;
		if (starts(&w, "diff --git ") && check_git_line(name, &w, err))
			return -1;
		for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
			if (starts(&w, headers[i]) && check_path(name, &w, strlen(headers[i]), err))
				return -1;
	}
	if (!found)
		return error_set(err, ERROR_USAGE, "patch '%s' holds no diff", name);
	return 0;
}

struct lines {
	const char **text;
	size_t *len;
	size_t count, cap, len_cap;
};

static void add_line(struct lines *l, const char *text, size_t len)
{
	size_t n = l->count;

	xgrow(l->text, n, l->cap);
	xgrow(l->len, n, l->len_cap);
	l->text[l->count] = text;
	l->len[l->count++] = len;
}

static void free_lines(struct lines *l)
{
	free(l->text);
	free(l->len);
}

static void split(struct lines *l, const char *content)
{
	while (*content) {
		size_t len = strcspn(content, "\n");

		add_line(l, content, len);
		content += len + (content[len] == '\n');
	}
}

static bool same_path(const struct walk *w, const char *path)
{
	char *have = header_path(w, strlen("--- "));
	const char *slash = strchr(have, '/');
	bool same = slash && !strcmp(slash + 1, path);

	free(have);
	return same;
}

/* The lines that the hunk expects. */
static bool find_hunk(const char *text, size_t len, const char *path, unsigned line,
		      struct lines *expected)
{
	struct walk w = {.p = text, .end = text + len};
	bool in_file = false, found = false;

	while (next_line(&w)) {
		if (found && !w.in_hunk)
			break;
		if (!w.in_hunk && (starts(&w, "--- ") || starts(&w, "+++ ")))
			in_file = same_path(&w, path) || (in_file && starts(&w, "+++ "));
		else if (w.hunk_starts)
			found = in_file && w.old_start == line;
		else if (found && w.in_hunk && (!w.len || *w.line == ' ' || *w.line == '-'))
			add_line(expected, w.len ? w.line + 1 : w.line, w.len ? w.len - 1 : 0);
	}
	return found || expected->count;
}

static bool same_line(const struct lines *a, size_t i, const struct lines *b, size_t j)
{
	return a->len[i] == b->len[j] && !memcmp(a->text[i], b->text[j], a->len[i]);
}

/* Where most of the lines are; of several such places the one nearest to @want. */
static size_t best_place(const struct lines *expected, const struct lines *file, size_t want,
			 size_t *same)
{
	size_t best = 0;

	*same = 0;
	for (size_t at = 0; at < file->count; at++) {
		size_t count = 0, far = at > want ? at - want : want - at;
		size_t best_far = best > want ? best - want : want - best;

		for (size_t i = 0; i < expected->count && at + i < file->count; i++)
			count += same_line(expected, i, file, at + i);
		if (count > *same || (count == *same && count && far < best_far)) {
			best = at;
			*same = count;
		}
	}
	return best;
}

/* As a message can hold it: one line, blanks at its ends left out. */
static void add_shown(struct strbuf *out, const char *text, size_t len)
{
	while (len && (*text == ' ' || *text == '\t')) {
		text++;
		len--;
	}
	for (size_t i = 0; i < len && i < SHOWN_MAX; i++) {
		unsigned char c = text[i];

		strbuf_addch(out, c == '\t' ? ' ' : (c < 32 || c == 127) ? '?' : (char)c);
	}
}

static void explain(const struct lines *expected, const struct lines *file, size_t want,
		    struct strbuf *out)
{
	size_t same, at = best_place(expected, file, want, &same), i = 0;

	while (i < expected->count && at + i < file->count && same_line(expected, i, file, at + i))
		i++;
	if (i == expected->count) {
		strbuf_addf(out, "is found at line %zu, and its place is not certain", at + 1);
		return;
	}
	strbuf_addstr(out, "expects '");
	add_shown(out, expected->text[i], expected->len[i]);
	if (at + i < file->count) {
		strbuf_addf(out, "' where line %zu is '", at + i + 1);
		add_shown(out, file->text[at + i], file->len[at + i]);
		strbuf_addch(out, '\'');
	} else {
		strbuf_addf(out, "' where the file ends, at line %zu", file->count);
	}
	strbuf_addf(out, " (%zu of %zu lines are there)", same, expected->count);
}

int diff_explain(const char *text, size_t len, const char *path, unsigned line, const char *content,
		 struct strbuf *out)
{
	struct lines expected = {0}, file = {0};
	bool found = find_hunk(text, len, path, line, &expected);

	split(&file, content);
	if (found && expected.count)
		explain(&expected, &file, line ? line - 1 : 0, out);
	free_lines(&expected);
	free_lines(&file);
	return found ? 0 : -1;
}
