// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "plot/plot_text.h"

static bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the character at @s; 0 where they are no UTF-8 (overlong, surrogate, too large, cut). */
static size_t character(const unsigned char *s)
{
	uint32_t code;
	size_t len = *s < 0x80	 ? 1
		     : *s < 0xc2 ? 0
		     : *s < 0xe0 ? 2
		     : *s < 0xf0 ? 3
		     : *s < 0xf5 ? 4
				 : 0;

	if (len < 2)
		return len;
	code = *s & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if (!is_continuation(s[i]))
			return 0;
		code = code << 6 | (s[i] & 0x3fU);
	}
	if ((len == 3 && code < 0x800) || (len == 4 && (code < 0x10000 || code > 0x10ffff)))
		return 0;
	if ((code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe)
		return 0;
	return len;
}

static bool is_control(const unsigned char *s)
{
	return *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

void plot_text_add(struct strbuf *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (s && *s) {
		size_t len = character(s);

		if (!len)
			strbuf_addstr(out, "\xef\xbf\xbd");
		else if (is_control(s))
			strbuf_addch(out, ' ');
		else
			strbuf_add(out, s, len);
		s += len ? len : 1;
	}
}

void plot_text_quote(struct strbuf *out, const char *text)
{
	struct strbuf clean = STRBUF_INIT;

	plot_text_add(&clean, text);
	strbuf_addch(out, '"');
	for (const char *s = clean.buf; *s; s++) {
		if (*s == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *s == '"' ? '\'' : *s);
	}
	strbuf_addch(out, '"');
	strbuf_release(&clean);
}

size_t plot_text_length(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += !is_continuation((unsigned char)*text);
	return n;
}

/* Bytes of the first @count characters. */
static size_t bytes_of(const char *text, size_t count)
{
	const char *s = text;

	while (*s && count--)
		for (s++; is_continuation((unsigned char)*s); s++)
			;
	return s - text;
}

void plot_text_shorten(struct strbuf *out, const char *text, size_t width)
{
	struct strbuf clean = STRBUF_INIT;
	size_t len, head = (width - 2) / 2, tail = width - 3 - head;

	plot_text_add(&clean, text);
	len = plot_text_length(clean.buf);
	if (len <= width) {
		strbuf_addstr(out, clean.buf);
	} else {
		strbuf_add(out, clean.buf, bytes_of(clean.buf, head));
		strbuf_addstr(out, "...");
		strbuf_addstr(out, clean.buf + bytes_of(clean.buf, len - tail));
	}
	strbuf_release(&clean);
}

/* One word into a line that holds @column characters already; returns how many it holds then. */
static size_t add_word(struct strbuf *out, char *word, size_t column, size_t width)
{
	size_t len = plot_text_length(word);

	if (column && column + 1 + len > width) {
		strbuf_addch(out, '\n');
		column = 0;
	} else if (column) {
		strbuf_addch(out, ' ');
		column++;
	}
	while (len > width) {
		size_t bytes = bytes_of(word, width);

		strbuf_add(out, word, bytes);
		strbuf_addch(out, '\n');
		word += bytes;
		len -= width;
	}
	strbuf_addstr(out, word);
	return column + len;
}

void plot_text_wrap(struct strbuf *out, const char *text, size_t width)
{
	struct strbuf clean = STRBUF_INIT;
	size_t column = 0;
	char *word, *rest;

	plot_text_add(&clean, text);
	for (word = clean.buf; (rest = word + strcspn(word, " ")), *word; word = rest) {
		bool more = *rest;

		*rest = '\0';
		if (*word)
			column = add_word(out, word, column, width);
		rest += more;
	}
	strbuf_release(&clean);
}
