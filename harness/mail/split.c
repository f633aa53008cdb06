// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/split.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

static struct segment *add(struct segments *s, enum segment_kind kind, unsigned first)
{
	if (s->count)
		s->items[s->count - 1].end = first;
	xgrow(s->items, s->count, s->cap);
	s->items[s->count] = (struct segment){
		.kind = kind, .first = first, .subject = UINT_MAX, .author = UINT_MAX};
	return &s->items[s->count++];
}

void segments_release(struct segments *s)
{
	for (unsigned i = 0; i < s->count; i++)
		free(s->items[i].commit);
	free(s->items);
	*s = (struct segments){0};
}

/* "From ADDRESS ... 12:34:56 ... 2020": a word, and a time of day. */
static bool is_from_line(const struct raw_line *l)
{
	bool word = false;

	if (l->len < 20 || memcmp(l->s, "From ", 5) || l->s[5] == ' ')
		return false;
	for (unsigned i = 6; i + 5 < l->len; i++) {
		const char *t = l->s + i;

		word |= *t == ' ';
		if (word && isdigit((unsigned char)t[0]) && t[1] == ':' &&
		    isdigit((unsigned char)t[2]) && isdigit((unsigned char)t[3]) && t[4] == ':')
			return true;
	}
	return false;
}

static bool starts_mail(const struct raw *raw, unsigned i)
{
	return is_from_line(&raw->lines[i]) && (!i || line_is_blank(&raw->lines[i - 1])) &&
	       i + 1 < raw->count && line_is_field(&raw->lines[i + 1]);
}

/* The commit that git format-patch puts in place of an address. */
static char *from_commit(const struct raw_line *l)
{
	unsigned n = 0;

	while (5 + n < l->len && isxdigit((unsigned char)l->s[5 + n]))
		n++;
	return n == 40 && 5 + n < l->len && l->s[5 + n] == ' ' ? xstrndup(l->s + 5, 40) : NULL;
}

/* ">From " was "From " in the mail, ">>From " was ">From ". */
static void unquote_from(struct raw_line *l)
{
	unsigned n = 0;

	while (n < l->len && l->s[n] == '>')
		n++;
	if (n && l->len - n >= 5 && !memcmp(l->s + n, "From ", 5)) {
		l->s++;
		l->len--;
	}
}

static void find_mbox(struct segments *s, struct raw *raw)
{
	for (unsigned i = 0; i < raw->count; i++) {
		if (starts_mail(raw, i))
			add(s, SEGMENT_RAW, i)->commit = from_commit(&raw->lines[i]);
		else if (s->count)
			unquote_from(&raw->lines[i]);
	}
}

/*
 * A header in the middle of a page: fields without a gap, a From and two more that tell a mail.
 * *@end is the line behind them, or the one that cannot be in a header: none begins before it.
 */
static bool header_block(const struct raw *raw, unsigned i, unsigned *end)
{
	static const char *const others[] = {"Date:", "Subject:", "To:", "Message-ID:"};
	bool from = false, good = line_is_field(&raw->lines[i]);
	unsigned found = 0;

	for (; good && i < raw->count && !line_is_blank(&raw->lines[i]); i++) {
		const struct raw_line *l = &raw->lines[i];

		good = line_is_field(l) || l->s[0] == ' ' || l->s[0] == '\t';
		from |= line_starts(l, "From: ");
		for (unsigned k = 0; k < sizeof(others) / sizeof(others[0]); k++)
			found |= (unsigned)line_starts(l, others[k]) << k;
	}
	*end = i;
	return good && from && (found & (found - 1));
}

static void find_blocks(struct segments *s, const struct raw *raw)
{
	unsigned end;

	for (unsigned i = 0; i<raw->count; i = end> i ? end : i + 1)
		if (header_block(raw, i, &end))
			add(s, SEGMENT_RAW, i);
}

/* "From: Somebody @ 2023-12-06  9:00 UTC" heads the mails of a page of a whole thread. */
static bool is_thread_line(const struct raw_line *l)
{
	const char *at;

	if (!line_starts(l, "From: "))
		return false;
	at = memmem(l->s, l->len, " @ ", 3);
	return at && l->s + l->len - at > 13 && isdigit((unsigned char)at[3]) && at[7] == '-' &&
	       memmem(at, (size_t)(l->s + l->len - at), "UTC", 3);
}

static unsigned thread_subject(const struct raw *raw, unsigned from)
{
	for (unsigned i = from, n = 0; i-- && n < 50; n++)
		if (line_starts(&raw->lines[i], "* ") || line_starts(&raw->lines[i], "Subject: "))
			return i;
	return UINT_MAX;
}

static void find_thread(struct segments *s, const struct raw *raw)
{
	for (unsigned i = 0; i < raw->count; i++)
		if (is_thread_line(&raw->lines[i])) {
			struct segment *seg = add(s, SEGMENT_THREAD, i);

			seg->author = i;
			seg->subject = thread_subject(raw, i);
		}
}

/* "[First Last]" or "[First Last <address>]", alone on its line. */
static bool is_author_line(const struct raw_line *l)
{
	unsigned n = l->len;

	while (n && isspace((unsigned char)l->s[n - 1]))
		n--;
	return n >= 3 && n < 200 && l->s[0] == '[' && l->s[n - 1] == ']' &&
	       !isdigit((unsigned char)l->s[1]) && !memchr(l->s + 1, '[', n - 1) &&
	       !memchr(l->s, ':', n);
}

static bool same_line(const struct raw_line *a, const struct raw_line *b)
{
	return a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* A subject that belongs to the thread of line @first. */
static bool is_subject(const struct raw *raw, unsigned i, unsigned first)
{
	const struct raw_line *l = &raw->lines[i];

	return same_line(l, &raw->lines[first]) || line_starts(l, "Re: ") || line_starts(l, "[") ||
	       line_starts(l, "Fwd: ");
}

static bool is_archive_head(const struct raw *raw, unsigned i, unsigned first)
{
	return i + 3 < raw->count && !line_is_blank(&raw->lines[i]) &&
	       (!i || line_is_blank(&raw->lines[i - 1])) && line_is_blank(&raw->lines[i + 1]) &&
	       is_author_line(&raw->lines[i + 2]) && line_is_blank(&raw->lines[i + 3]) &&
	       is_subject(raw, i, first);
}

static void find_archive(struct segments *s, const struct raw *raw)
{
	unsigned first = 0;

	while (first < raw->count && line_is_blank(&raw->lines[first]))
		first++;
	if (!is_archive_head(raw, first, first) &&
	    !(first + 2 < raw->count && same_line(&raw->lines[first], &raw->lines[first + 2]) &&
	      is_archive_head(raw, first + 2, first)))
		return;
	for (unsigned i = first; i < raw->count; i++) {
		struct segment *seg;

		if (!is_archive_head(raw, i, first))
			continue;
		seg = add(s, SEGMENT_ARCHIVE, i + 3);
		if (s->count > 1)
			s->items[s->count - 2].end = i;
		seg->subject = i;
		seg->author = i + 2;
		i += 2; /* an author's line is no subject */
	}
}

static bool begins_with_header(const struct raw *raw)
{
	const struct raw_line *l = raw->lines, *end = raw->count ? l + raw->count : l;

	while (l < end && line_is_blank(l))
		l++;
	if (end - l < 2 || !line_is_field(l) || is_thread_line(l) || !l[1].len)
		return false;
	return line_is_field(l + 1) || l[1].s[0] == ' ' || l[1].s[0] == '\t';
}

void segments_find(struct segments *s, struct raw *raw)
{
	find_mbox(s, raw);
	/* A mail ahead of the first From_ line is one of them all the same. */
	if (s->count && s->items[0].first && begins_with_header(raw)) {
		add(s, SEGMENT_RAW, 0);
		s->items[s->count - 2].end = raw->count;
		s->items[s->count - 1].end = s->items[0].first;
	} else if (!s->count && begins_with_header(raw)) {
		add(s, SEGMENT_RAW, 0);
	}
	if (!s->count)
		find_archive(s, raw);
	if (!s->count)
		find_thread(s, raw);
	if (!s->count)
		find_blocks(s, raw);
	if (!s->count)
		add(s, SEGMENT_BARE, 0);
	for (unsigned i = 0; i < s->count; i++)
		if (!s->items[i].end)
			s->items[i].end = raw->count;
}
