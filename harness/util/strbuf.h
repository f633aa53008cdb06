/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_STRBUF_H
#define SCHEDBENCH_UTIL_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

/*
 * A string that grows. @buf is never NULL and always NUL-terminated at @len (the content may hold
 * NUL bytes of its own). STRBUF_INIT needs no release until something is added.
 */
struct strbuf {
	char *buf;
	size_t len;
	size_t cap; /* 0: @buf is the shared empty string */
};

extern const char strbuf_empty[1];

#define STRBUF_INIT                                                                                \
	{                                                                                          \
		(char *)strbuf_empty, 0, 0                                                         \
	}

void strbuf_release(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb); /* empties, keeps the memory */
void strbuf_reserve(struct strbuf *sb, size_t extra);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addchars(struct strbuf *sb, char c, size_t n);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Drop the first @n bytes. */
void strbuf_consume(struct strbuf *sb, size_t n);
/* Hand the string to the caller, who frees it; @sb is empty afterwards. */
char *strbuf_detach(struct strbuf *sb);

#endif
