// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a diff: what git and diff -u write around their hunks. */
#include "mail/diff.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

struct reader {
	struct diff *d;
	const struct diff_line *l;
	unsigned count, at;
	bool loose;
};

static void problem(struct diff *d, char *text)
{
	if (d->stats.problem)
		free(text);
	else
		d->stats.problem = text;
}

static void emit(struct reader *r)
{
	const struct diff_line *l = &r->l[r->at++];

	if (!r->d->stats.line)
		r->d->stats.line = l->source;
	strbuf_add(&r->d->text, l->s, l->len);
	strbuf_addch(&r->d->text, '\n');
}

static bool starts(const struct reader *r, unsigned i, const char *word)
{
	return i < r->count && diff_line_starts(&r->l[i], word);
}

static bool is_extended(const struct reader *r, unsigned i)
{
	static const char *const words[] = {"index ",
					    "old mode ",
					    "new mode ",
					    "new file mode ",
					    "deleted file mode ",
					    "similarity index ",
					    "dissimilarity index ",
					    "rename from ",
					    "rename to ",
					    "copy from ",
					    "copy to "};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
		if (starts(r, i, words[k]))
			return true;
	return false;
}

static bool is_names(const struct reader *r, unsigned i)
{
	struct hunk h;

	return starts(r, i, "--- ") && starts(r, i + 1, "+++ ") && i + 2 < r->count &&
	       hunk_header(&r->l[i + 2], &h);
}

static bool is_file(const struct reader *r, unsigned i)
{
	if (!starts(r, i, "diff --git "))
		return is_names(r, i);
	if (is_extended(r, i + 1) || is_names(r, i + 1))
		return true;
	/* The line itself may have been wrapped. */
	return starts(r, i + 1, "b/") && (is_extended(r, i + 2) || is_names(r, i + 2));
}

static void append_last(struct reader *r)
{
	const struct diff_line *l = &r->l[r->at++];
	struct strbuf *text = &r->d->text;

	text->len--;
	if (text->len && text->buf[text->len - 1] != ' ')
		strbuf_addch(text, ' ');
	strbuf_add(text, l->s, l->len);
	strbuf_addch(text, '\n');
	r->d->stats.repaired++;
}

static bool is_mode(const struct diff_line *l)
{
	return l->len == 6 && (!memcmp(l->s, "100644", 6) || !memcmp(l->s, "100755", 6));
}

/* "GIT binary patch": blocks of base85, each of them ended by a blank line. */
static void read_binary(struct reader *r)
{
	emit(r);
	while (starts(r, r->at, "literal ") || starts(r, r->at, "delta ")) {
		while (r->at < r->count && r->l[r->at].len)
			emit(r);
		if (r->at == r->count) {
			problem(r->d,
				xasprintf(
					"line %u: the binary patch ends here, without a blank line",
					r->l[r->at - 1].source));
			return;
		}
		emit(r);
	}
}

static void read_file_header(struct reader *r)
{
	if (starts(r, r->at, "diff --git ")) {
		emit(r);
		if (starts(r, r->at, "b/"))
			append_last(r);
	}
	while (is_extended(r, r->at)) {
		emit(r);
		if (r->at < r->count && is_mode(&r->l[r->at]))
			append_last(r);
	}
	if (starts(r, r->at, "GIT binary patch"))
		read_binary(r);
	if (starts(r, r->at, "Binary files ")) {
		problem(r->d,
			xasprintf("line %u: a binary file, whose content the mail does not hold",
				  r->l[r->at].source));
		emit(r);
	}
	if (is_names(r, r->at)) {
		emit(r);
		emit(r);
	}
	r->d->stats.files++;
}

static void read_hunk(struct reader *r)
{
	struct hunk h = {.text = STRBUF_INIT};
	struct diff *d = r->d;
	char *why = NULL;
	unsigned taken;

	hunk_header(&r->l[r->at], &h);
	taken = hunk_take(r->l + r->at, r->count - r->at, &h, &why);
	if (!d->stats.line)
		d->stats.line = r->l[r->at].source;
	if (taken) {
		strbuf_add(&d->text, h.text.buf, h.text.len);
		d->stats.hunks++;
		d->stats.added += h.added;
		d->stats.removed += h.removed;
		d->stats.repaired += h.repaired;
		d->context += h.context;
		d->stuffed += h.stuffed;
		d->stuffed_tabs += h.stuffed_tabs;
	} else {
		problem(d, why);
	}
	r->at += taken ? taken : 1;
	hunk_release(&h);
}

static bool is_hunk(const struct reader *r, unsigned i)
{
	struct hunk h;

	return i < r->count && hunk_header(&r->l[i], &h);
}

/* Behind a broken hunk, or remarks in a reply, the next one of the file may follow at a distance. */
static void read_file(struct reader *r)
{
	read_file_header(r);
	while (r->at < r->count && !is_file(r, r->at)) {
		if (is_hunk(r, r->at))
			read_hunk(r);
		else if (r->d->stats.problem || r->loose)
			r->at++;
		else
			break;
	}
}

static void read_orphans(struct reader *r)
{
	for (r->at = 0; r->at < r->count;) {
		if (!is_hunk(r, r->at)) {
			r->at++;
			continue;
		}
		problem(r->d, xasprintf("line %u: a hunk without the name of its file",
					r->l[r->at].source));
		read_hunk(r);
	}
}

/* A hunk behind the last one of a file, with something in between: lines have been lost. */
static void check_rest(struct reader *r)
{
	if (is_hunk(r, r->at))
		problem(r->d, xasprintf("line %u: a hunk that does not follow the one before it",
					r->l[r->at].source));
}

void diff_read(struct diff *d, const struct diff_line *l, unsigned count, bool loose)
{
	struct reader r = {.d = d, .l = l, .count = count, .loose = loose};

	*d = (struct diff){.text = STRBUF_INIT};
	while (r.at < count) {
		if (is_file(&r, r.at)) {
			read_file(&r);
		} else {
			if (d->stats.files)
				check_rest(&r);
			r.at++;
		}
	}
	if (!d->stats.files)
		read_orphans(&r);
}

void diff_release(struct diff *d)
{
	strbuf_release(&d->text);
	free(d->stats.problem);
	*d = (struct diff){.text = STRBUF_INIT};
}
