// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages of web archives as text: enough of HTML for what such pages are made of. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mail/mail.h"
#include "mail/raw.h"
#include "util/xalloc.h"

struct page {
	struct raw *out;
	size_t start; /* of the line that is being made, in held */
	unsigned source;
	bool in_tag;
	char quote;
	char tag[12]; /* name of the tag, as far as it is known */
	unsigned tag_len;
	bool tag_named;
	char hidden[12]; /* inside of this element nothing is shown */
	bool pre;
};

bool raw_is_html(const struct raw *raw)
{
	for (unsigned i = 0; i < raw->count && i < 20; i++) {
		const struct raw_line *l = &raw->lines[i];
		char *s;
		bool is;

		if (line_is_blank(l))
			continue;
		s = line_copy(l);
		is = !strncasecmp(s, "<!doctype html", 14) || !strncasecmp(s, "<html", 5) ||
		     !strncasecmp(s, "<?xml", 5);
		free(s);
		return is;
	}
	return false;
}

/* Ends a line. Where it starts is known as an offset until the text has stopped to move. */
static void end_line(struct page *p)
{
	struct raw *out = p->out;

	if (out->count == MAIL_MAX_LINES)
		return;
	xgrow(out->lines, out->count, out->cap);
	out->lines[out->count++] =
		(struct raw_line){NULL, (unsigned)(out->held.len - p->start), p->source};
	p->start = out->held.len;
}

static void end_tag(struct page *p)
{
	static const char *const breaks[] = {"br",  "/p",  "/tr", "/div", "hr",
					     "/li", "/h1", "/h2", "/h3"};

	p->in_tag = false;
	p->tag[p->tag_len] = '\0';
	if (*p->hidden) {
		if (p->tag[0] == '/' && !strcasecmp(p->tag + 1, p->hidden))
			*p->hidden = '\0';
		return;
	}
	if (!strcasecmp(p->tag, "pre") || !strcasecmp(p->tag, "/pre"))
		p->pre = p->tag[0] != '/';
	if (!strcasecmp(p->tag, "script") || !strcasecmp(p->tag, "style") ||
	    !strcasecmp(p->tag, "title"))
		memcpy(p->hidden, p->tag, sizeof(p->hidden));
	for (size_t i = 0; !p->pre && i < sizeof(breaks) / sizeof(breaks[0]); i++)
		if (!strcasecmp(p->tag, breaks[i]))
			end_line(p);
}

static void in_tag(struct page *p, char c)
{
	if (p->quote) {
		p->quote = c == p->quote ? '\0' : p->quote;
		return;
	}
	if (c == '>') {
		end_tag(p);
	} else if ((c == '"' || c == '\'') && p->tag_named) {
		p->quote = c;
	} else if (isspace((unsigned char)c) || (c == '/' && p->tag_len)) {
		p->tag_named = true;
	} else if (!p->tag_named && p->tag_len + 1 < sizeof(p->tag)) {
		p->tag[p->tag_len++] = c;
	}
}

static void add_code_point(struct strbuf *out, unsigned long c)
{
	if (c == 0xa0)
		c = ' ';
	if (c < 0x80) {
		strbuf_addch(out, (char)(c && c != '\n' ? c : '?'));
	} else if (c < 0x800) {
		strbuf_addch(out, (char)(0xc0 | c >> 6));
		strbuf_addch(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		strbuf_addch(out, (char)(0xe0 | c >> 12));
		strbuf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
		strbuf_addch(out, (char)(0x80 | (c & 0x3f)));
	} else {
		strbuf_addch(out, '?');
	}
}

/* The entity at @s, which is "&": its length, 0 where it is none. */
static unsigned entity(const char *s, unsigned len, struct strbuf *out)
{
	static const struct {
		const char *name;
		unsigned code;
	} known[] = {{"lt", '<'},   {"gt", '>'},    {"amp", '&'},
		     {"quot", '"'}, {"apos", '\''}, {"nbsp", ' '}};
	const char *semicolon = memchr(s, ';', len < 12 ? len : 12);
	unsigned n = semicolon ? (unsigned)(semicolon - s) : 0;
	char name[12];

	if (n < 3)
		return 0;
	memcpy(name, s + 1, n - 1);
	name[n - 1] = '\0';
	if (name[0] == '#') {
		bool hex = name[1] == 'x' || name[1] == 'X';
		char *end;
		unsigned long c = strtoul(name + 1 + hex, &end, hex ? 16 : 10);

		if (*end || end == name + 1 + hex)
			return 0;
		add_code_point(out, c);
		return n + 1;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name)) {
			strbuf_addch(out, (char)known[i].code);
			return n + 1;
		}
	return 0;
}

static void page_line(struct page *p, const struct raw_line *l)
{
	p->source = l->source;
	for (unsigned i = 0; i < l->len; i++) {
		unsigned n;
		char c = l->s[i];
		bool tag = c == '<' && i + 1 < l->len &&
			   (isalpha((unsigned char)l->s[i + 1]) || l->s[i + 1] == '/' ||
			    l->s[i + 1] == '!');

		if (p->in_tag) {
			in_tag(p, c);
		} else if (tag) {
			p->in_tag = true;
			p->tag_named = false;
			p->tag_len = 0;
			p->quote = '\0';
		} else if (*p->hidden) {
			continue;
		} else if (c == '&' && (n = entity(l->s + i, l->len - i, &p->out->held))) {
			i += n - 1;
		} else {
			strbuf_addch(&p->out->held, c);
		}
	}
	if (p->in_tag)
		in_tag(p, ' ');
	else if (!*p->hidden)
		end_line(p);
}

void raw_from_html(struct raw *out, const struct raw_line *lines, unsigned count)
{
	struct page p = {.out = out};
	const char *at;

	out->held = (struct strbuf)STRBUF_INIT;
	xgrow(out->lines, out->count, out->cap); /* also of nothing there is an array */
	for (unsigned i = 0; i < count; i++)
		page_line(&p, &lines[i]);
	if (out->held.len > p.start)
		end_line(&p);
	at = out->held.buf;
	for (unsigned i = 0; i < out->count; i++) {
		out->lines[i].s = at;
		at += out->lines[i].len;
	}
}
