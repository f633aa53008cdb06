/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_PROTOCOL_H
#define SCHEDBENCH_AGENT_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/strbuf.h"

/* What both ends of docs/protocol.md share: JSON texts, one per line, of a limited length. */
#define PROTOCOL_VERSION  1
#define PROTOCOL_LINE_MAX (1024 * 1024) /* bytes, without the newline */

/* Incoming bytes, cut into lines. */
struct line_buffer {
	struct strbuf buf;
	size_t start; /* of the first line that has not been taken */
	size_t scanned; /* no newline between start and here */
};

#define LINE_BUFFER_INIT                                                                           \
	{                                                                                          \
		STRBUF_INIT, 0, 0                                                                  \
	}

void line_buffer_release(struct line_buffer *lb);

/* Read once, whatever is there. As read(): bytes, 0 at the end, -1 with errno. */
ssize_t line_buffer_read(struct line_buffer *lb, int fd);

/*
 * Take the next line: 1 with *@line NUL-terminated, without its newline and valid until the next
 * read; 0: none complete yet; -1: longer than PROTOCOL_LINE_MAX.
 */
int line_buffer_next(struct line_buffer *lb, char **line, size_t *len);

/* Bytes that have not been taken yet. */
size_t line_buffer_pending(const struct line_buffer *lb);

/* UTF-8 throughout. */
bool protocol_valid(const char *text, size_t len);

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. */
json_t *protocol_string(const char *text, size_t len);

/* Largest n <= @max at which @text can be cut without parting a UTF-8 sequence; > 0 if @max > 3. */
size_t protocol_cut(const char *text, size_t len, size_t max);

/* The object that a line holds, NULL if it does not hold one; @flags of json_loadb(). */
json_t *protocol_decode(const char *line, size_t len, size_t flags);

/* Append @msg and a newline to @out. -1 and nothing appended: longer than PROTOCOL_LINE_MAX. */
int protocol_encode(struct strbuf *out, const json_t *msg);

#endif
