// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mail/codec.h"
#include "util/xalloc.h"

#define MAX_DEPTH 8 /* of parts in parts */
#define MAX_PARTS 1000

/* Bytes of a part with its transfer encoding undone, and the source of each of its lines. */
struct decoded {
	struct strbuf bytes;
	unsigned *source;
	unsigned count, cap;
};

static void new_line_from(struct decoded *d, unsigned source)
{
	xgrow(d->source, d->count, d->cap);
	d->source[d->count++] = source;
}

/* Sources for the line ends that have been added since @from. */
static void note_line_ends(struct decoded *d, size_t from, unsigned source)
{
	const char *p = d->bytes.buf + from, *end = d->bytes.buf + d->bytes.len;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		new_line_from(d, source);
		p++;
	}
}

static void decode_plain(struct decoded *d, const struct raw_line *l, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		strbuf_add(&d->bytes, l[i].s, l[i].len);
		strbuf_addch(&d->bytes, '\n');
		new_line_from(d, l[i].source);
	}
}

static void decode_quoted_printable(struct decoded *d, const struct raw_line *l, unsigned count)
{
	unsigned first = count ? l[0].source : 0;

	for (unsigned i = 0; i < count; i++) {
		size_t from = d->bytes.len;
		bool soft;

		quoted_printable_decode(l[i].s, l[i].len, &d->bytes, &soft);
		if (!soft)
			strbuf_addch(&d->bytes, '\n');
		note_line_ends(d, from, first);
		if (!soft && i + 1 < count)
			first = l[i + 1].source;
	}
}

static void decode_base64(struct decoded *d, const struct raw_line *l, unsigned count)
{
	struct base64 state = {0};

	for (unsigned i = 0; i < count; i++) {
		size_t from = d->bytes.len;

		/* What lists add below an encoded part is no part of it. */
		if (l[i].len && memchr(l[i].s, ' ', l[i].len))
			break;
		base64_decode(&state, l[i].s, l[i].len, &d->bytes);
		note_line_ends(d, from, l[i].source);
	}
	if (count)
		new_line_from(d, l[count - 1].source);
}

static void decode(struct decoded *d, const struct fields *f, const struct raw_line *l,
		   unsigned count)
{
	switch (encoding_of(fields_get(f, "Content-Transfer-Encoding"))) {
	case ENCODING_QUOTED_PRINTABLE:
		decode_quoted_printable(d, l, count);
		break;
	case ENCODING_BASE64:
		decode_base64(d, l, count);
		break;
	default:
		decode_plain(d, l, count);
	}
}

static void add_line(struct body *b, const struct raw_line *l, bool flowed)
{
	if (b->count == MAIL_MAX_LINES)
		return;
	xgrow(b->lines, b->count, b->cap);
	b->lines[b->count++] = (struct body_line){b->text.len, l->len, l->source, b->parts, flowed};
	strbuf_add(&b->text, l->s, l->len);
	strbuf_addch(&b->text, '\n');
}

/* Decoded text as lines; where the first of them ends in CRLF all may. */
static void split_decoded(struct raw *raw, const struct decoded *d, const struct strbuf *text)
{
	const char *p = text->buf, *end = p + text->len;
	bool crlf = false;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		unsigned at = raw->count < d->count ? raw->count : d->count - 1;
		bool cr = n && p[n - 1] == '\r';

		if (!raw->count)
			crlf = cr;
		xgrow(raw->lines, raw->count, raw->cap);
		raw->lines[raw->count++] = (struct raw_line){p, (unsigned)(n - (crlf && cr)),
							     d->count ? d->source[at] : 0};
		p += n + 1;
	}
}

static void add_text(struct body *b, const struct fields *f, const struct raw_line *l,
		     unsigned count)
{
	const char *type = fields_get(f, "Content-Type");
	char *charset = field_parameter(type, "charset");
	char *format = field_parameter(type, "format");
	bool html = type && !strncasecmp(type, "text/html", 9);
	struct decoded d = {.bytes = STRBUF_INIT};
	struct strbuf text = STRBUF_INIT;
	struct raw raw = {.held = STRBUF_INIT}, page = {.held = STRBUF_INIT};
	const struct raw *from = html ? &page : &raw;

	decode(&d, f, l, count);
	charset_to_utf8(charset, d.bytes.buf, d.bytes.len, &text);
	split_decoded(&raw, &d, &text);
	if (html)
		raw_from_html(&page, raw.lines, raw.count);
	for (unsigned i = 0; i < from->count; i++)
		add_line(b, &from->lines[i], format && !strcasecmp(format, "flowed"));
	b->parts++;
	raw_release(&raw);
	raw_release(&page);
	strbuf_release(&text);
	strbuf_release(&d.bytes);
	free(d.source);
	free(charset);
	free(format);
}

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = s ? strlen(s) : 0, m = strlen(suffix);

	return n >= m && !strcasecmp(s + n - m, suffix);
}

/* Is it text, by its type, or by its name where the type says nothing? */
static bool is_text(const struct fields *f)
{
	const char *type = fields_get(f, "Content-Type");
	char *name = field_parameter(fields_get(f, "Content-Disposition"), "filename");
	bool ret;

	if (!name)
		name = field_parameter(type, "name");
	ret = !type || !strncasecmp(type, "text", 4) || has_suffix(name, ".patch") ||
	      has_suffix(name, ".diff") || has_suffix(name, ".txt");
	free(name);
	return ret;
}

/* "--BOUNDARY" (1), "--BOUNDARY--" (2) or another line (0). */
static int boundary_line(const struct raw_line *l, const char *boundary, size_t n)
{
	if (l->len < n + 2 || l->s[0] != '-' || l->s[1] != '-' || memcmp(l->s + 2, boundary, n))
		return 0;
	if (l->len >= n + 4 && l->s[n + 2] == '-' && l->s[n + 3] == '-')
		return 2;
	for (unsigned i = (unsigned)n + 2; i < l->len; i++)
		if (l->s[i] != ' ' && l->s[i] != '\t')
			return 0;
	return 1;
}

struct part {
	struct fields fields;
	const struct raw_line *lines;
	unsigned count;
};

static void add_part(struct part **parts, unsigned *count, const struct raw_line *l, unsigned n)
{
	struct part p = {.fields = {0}};
	unsigned header = fields_parse(&p.fields, l, n);

	p.lines = l + header;
	p.count = n - header;
	*parts = xreallocarray(*parts, *count + 1, sizeof(**parts));
	(*parts)[(*count)++] = p;
}

static struct part *split_parts(const struct raw_line *l, unsigned count, const char *boundary,
				unsigned *parts_count)
{
	struct part *parts = NULL;
	size_t n = strlen(boundary);
	unsigned start = 0;
	bool inside = false;

	*parts_count = 0;
	for (unsigned i = 0; i < count && *parts_count < MAX_PARTS; i++) {
		int kind = boundary_line(&l[i], boundary, n);

		if (!kind)
			continue;
		if (inside)
			add_part(&parts, parts_count, l + start, i - start);
		inside = kind == 1;
		start = i + 1;
	}
	/* A mail that was cut off has no last boundary. */
	if (inside && start < count)
		add_part(&parts, parts_count, l + start, count - start);
	return parts;
}

static void add_any(struct body *b, const struct fields *f, const struct raw_line *l,
		    unsigned count, unsigned depth);

static bool is_type(const struct part *p, const char *type)
{
	const char *t = fields_get(&p->fields, "Content-Type");

	return t && !strncasecmp(t, type, strlen(type));
}

/* Of alternatives the plain text, else the last one, which says most. */
static const struct part *choose(const struct part *parts, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (is_type(&parts[i], "text/plain") ||
		    !fields_get(&parts[i].fields, "Content-Type"))
			return &parts[i];
	return count ? &parts[count - 1] : NULL;
}

static void add_multipart(struct body *b, const char *type, const char *boundary,
			  const struct raw_line *l, unsigned count, unsigned depth)
{
	unsigned n;
	struct part *parts = split_parts(l, count, boundary, &n);
	bool alternative = !strncasecmp(type, "multipart/alternative", 21);
	const struct part *one = alternative ? choose(parts, n) : NULL;

	for (unsigned i = 0; i < n; i++)
		if (!alternative || &parts[i] == one)
			add_any(b, &parts[i].fields, parts[i].lines, parts[i].count, depth + 1);
	for (unsigned i = 0; i < n; i++)
		fields_release(&parts[i].fields);
	free(parts);
}

static void add_any(struct body *b, const struct fields *f, const struct raw_line *l,
		    unsigned count, unsigned depth)
{
	const char *type = fields_get(f, "Content-Type");
	char *boundary = field_parameter(type, "boundary");

	if (depth > MAX_DEPTH) {
		free(boundary);
		return;
	}
	if (type && boundary && *boundary && !strncasecmp(type, "multipart/", 10)) {
		add_multipart(b, type, boundary, l, count, depth);
	} else if (type && !strncasecmp(type, "message/rfc822", 14)) {
		struct fields inner = {0};
		unsigned header = fields_parse(&inner, l, count);

		add_any(b, &inner, l + header, count - header, depth + 1);
		fields_release(&inner);
	} else if (is_text(f)) {
		add_text(b, f, l, count);
	}
	free(boundary);
}

void body_add(struct body *b, const struct fields *f, const struct raw_line *lines, unsigned count)
{
	add_any(b, f, lines, count, 0);
}

void body_finish(struct body *b, struct mail *m)
{
	m->lines = xcalloc(b->count ? b->count : 1, sizeof(*m->lines));
	m->lines_count = b->count;
	m->body = strbuf_detach(&b->text);
	for (unsigned i = 0; i < b->count; i++)
		m->lines[i] = (struct mail_line){m->body + b->lines[i].at, b->lines[i].len,
						 b->lines[i].source, b->lines[i].part,
						 b->lines[i].flowed};
	free(b->lines);
	*b = (struct body){.text = STRBUF_INIT};
}
