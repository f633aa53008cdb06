// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/strbuf.h"
#include "util/xalloc.h"

/* Never written to: every function that writes reserves first. */
const char strbuf_empty[1];

void strbuf_release(struct strbuf *sb)
{
	if (sb->cap)
		free(sb->buf);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_reset(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->cap)
		sb->buf[0] = '\0';
}

void strbuf_reserve(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;

	if (need <= sb->cap)
		return;
	if (need < sb->cap * 2)
		need = sb->cap * 2;
	if (need < 64)
		need = 64;
	sb->buf = xreallocarray(sb->cap ? sb->buf : NULL, need, 1);
	sb->buf[sb->len] = '\0';
	sb->cap = need;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	strbuf_reserve(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_addchars(struct strbuf *sb, char c, size_t n)
{
	strbuf_reserve(sb, n);
	memset(sb->buf + sb->len, c, n);
	sb->len += n;
	sb->buf[sb->len] = '\0';
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	strbuf_reserve(sb, 64);
	va_copy(again, ap);
	n = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, ap);
	if (n >= 0 && (size_t)n >= sb->cap - sb->len) {
		strbuf_reserve(sb, n);
		n = vsnprintf(sb->buf + sb->len, sb->cap - sb->len, fmt, again);
	}
	va_end(again);
	if (n > 0)
		sb->len += n;
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_consume(struct strbuf *sb, size_t n)
{
	if (!n)
		return;
	memmove(sb->buf, sb->buf + n, sb->len - n + 1);
	sb->len -= n;
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s;

	strbuf_reserve(sb, 0);
	s = sb->buf;
	*sb = (struct strbuf)STRBUF_INIT;
	return s;
}
