// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/raw.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mail/mail.h"
#include "util/xalloc.h"

static void add_line(struct raw *raw, const char *s, size_t len, unsigned source)
{
	xgrow(raw->lines, raw->count, raw->cap);
	raw->lines[raw->count++] = (struct raw_line){s, (unsigned)len, source};
}

int raw_split(struct raw *raw, const char *path, const char *data, size_t len, struct error *err)
{
	const char *end = len ? data + len : data;
	bool crlf = false;

	/* Also of nothing there is an array to count from. */
	xgrow(raw->lines, raw->count, raw->cap);

	for (const char *p = data; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);

		if (n > MAIL_MAX_LINE)
			return error_set(err, ERROR_USAGE,
					 "%s:%u: a line of more than %u KiB is in no mail", path,
					 raw->count + 1, MAIL_MAX_LINE >> 10);
		if (raw->count == MAIL_MAX_LINES)
			return error_set(err, ERROR_USAGE, "'%s' has more than %u lines (split it)",
					 path, MAIL_MAX_LINES);
		if (!raw->count)
			crlf = n && p[n - 1] == '\r';
		add_line(raw, p, n - (crlf && n && p[n - 1] == '\r'), raw->count + 1);
		p += n + 1;
		if (!nl)
			break;
	}
	return 0;
}

void raw_release(struct raw *raw)
{
	free(raw->lines);
	strbuf_release(&raw->held);
	*raw = (struct raw){.held = STRBUF_INIT};
}

bool line_is_blank(const struct raw_line *l)
{
	for (unsigned i = 0; i < l->len; i++)
		if (!isspace((unsigned char)l->s[i]))
			return false;
	return true;
}

bool line_starts(const struct raw_line *l, const char *word)
{
	size_t n = strlen(word);

	return l->len >= n && !strncasecmp(l->s, word, n);
}

char *line_copy(const struct raw_line *l)
{
	const char *s = l->s;
	size_t n = l->len;
	char *copy;

	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	copy = xmalloc(n + 1);
	for (size_t i = 0; i < n; i++)
		copy[i] = s[i] ? s[i] : '?';
	copy[n] = '\0';
	return copy;
}

bool line_is_field(const struct raw_line *l)
{
	unsigned i = 0;

	while (i < l->len && i < 80 &&
	       (isalnum((unsigned char)l->s[i]) || l->s[i] == '-' || l->s[i] == '_'))
		i++;
	return i && i < l->len && l->s[i] == ':' &&
	       (i + 1 == l->len || l->s[i + 1] == ' ' || l->s[i + 1] == '\t');
}

void fields_add(struct fields *f, const char *name, const char *value)
{
	xgrow(f->items, f->count, f->cap);
	f->items[f->count++] = (struct field){xstrdup(name), xstrdup(value)};
}

/* A field and the lines that continue it; the fold is one blank. */
static unsigned parse_field(struct fields *f, const struct raw_line *l, unsigned count)
{
	const char *colon = memchr(l->s, ':', l->len);
	struct raw_line rest = {colon + 1, (unsigned)(l->s + l->len - colon - 1), 0};
	char *name = xstrndup(l->s, (size_t)(colon - l->s));
	struct strbuf value = STRBUF_INIT;
	unsigned n = 0;

	do {
		char *piece = line_copy(n ? &l[n] : &rest);

		if (n && value.len)
			strbuf_addch(&value, ' ');
		strbuf_addstr(&value, piece);
		free(piece);
		n++;
	} while (n < count && l[n].len && (l[n].s[0] == ' ' || l[n].s[0] == '\t') &&
		 !line_is_blank(&l[n]));
	fields_add(f, name, value.buf);
	free(name);
	strbuf_release(&value);
	return n;
}

unsigned fields_parse(struct fields *f, const struct raw_line *l, unsigned count)
{
	unsigned i = 0;

	while (i < count && l[i].len && !line_is_blank(&l[i])) {
		if (line_is_field(&l[i]))
			i += parse_field(f, l + i, count - i);
		else if (line_starts(&l[i], "From ") || line_starts(&l[i], ">From ") ||
			 l[i].s[0] == ' ' || l[i].s[0] == '\t')
			i++;
		else
			return i; /* the blank line is missing: this is the body already */
	}
	return i < count ? i + 1 : i;
}

const char *fields_get(const struct fields *f, const char *name)
{
	for (unsigned i = 0; i < f->count; i++)
		if (!strcasecmp(f->items[i].name, name))
			return f->items[i].value;
	return NULL;
}

void fields_release(struct fields *f)
{
	for (unsigned i = 0; i < f->count; i++) {
		free(f->items[i].name);
		free(f->items[i].value);
	}
	free(f->items);
	*f = (struct fields){0};
}

/* The value at @s, quoted or not; @end is behind it. */
static char *parameter_value(const char *s, const char **end)
{
	struct strbuf out = STRBUF_INIT;

	if (*s != '"') {
		size_t n = strcspn(s, "; \t");

		*end = s + n;
		return xstrndup(s, n);
	}
	for (s++; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		strbuf_addch(&out, *s);
	}
	*end = *s ? s + 1 : s;
	return strbuf_detach(&out);
}

char *field_parameter(const char *value, const char *name)
{
	size_t n = strlen(name);
	const char *p = value ? strchr(value, ';') : NULL;

	while (p) {
		const char *end;
		char *found;
		bool ours;

		p += 1 + strspn(p + 1, " \t");
		ours = !strncasecmp(p, name, n) && p[n] == '=';
		p += strcspn(p, "=;");
		if (*p != '=') {
			p = *p ? p : NULL;
			continue;
		}
		found = parameter_value(p + 1, &end);
		if (ours)
			return found;
		free(found);
		p = strchr(end, ';');
	}
	return NULL;
}
