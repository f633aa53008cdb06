// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/protocol.h"

#define READ_SIZE 65536

void line_buffer_release(struct line_buffer *lb)
{
	strbuf_release(&lb->buf);
	lb->start = lb->scanned = 0;
}

ssize_t line_buffer_read(struct line_buffer *lb, int fd)
{
	ssize_t n;

	strbuf_consume(&lb->buf, lb->start);
	lb->scanned -= lb->start;
	lb->start = 0;
	strbuf_reserve(&lb->buf, READ_SIZE);
	n = read(fd, lb->buf.buf + lb->buf.len, READ_SIZE);
	if (n > 0)
		lb->buf.len += n;
	lb->buf.buf[lb->buf.len] = '\0';
	return n;
}

int line_buffer_next(struct line_buffer *lb, char **line, size_t *len)
{
	char *from = lb->buf.buf + lb->scanned;
	char *nl = memchr(from, '\n', lb->buf.len - lb->scanned);
	size_t end = nl ? (size_t)(nl - lb->buf.buf) : lb->buf.len;

	lb->scanned = end;
	if (end - lb->start > PROTOCOL_LINE_MAX)
		return -1;
	if (!nl)
		return 0;
	*nl = '\0';
	*line = lb->buf.buf + lb->start;
	*len = end - lb->start;
	lb->start = lb->scanned = end + 1;
	return 1;
}

size_t line_buffer_pending(const struct line_buffer *lb)
{
	return lb->buf.len - lb->start;
}

/*
 * Length of the UTF-8 sequence at @s as RFC 3629 defines it, 0 where there is none: no overlong
 * forms, no surrogates, nothing above U+10FFFF.
 */
static size_t sequence_length(const unsigned char *s, size_t left)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t len;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (len > left)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

bool protocol_valid(const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = sequence_length((const unsigned char *)text + i, len - i);
		if (!n)
			return false;
	}
	return true;
}

json_t *protocol_string(const char *text, size_t len)
{
	struct strbuf clean = STRBUF_INIT;
	json_t *js;

	if (protocol_valid(text, len))
		return json_stringn_nocheck(text, len);
	for (size_t i = 0; i < len;) {
		size_t n = sequence_length((const unsigned char *)text + i, len - i);

		if (n)
			strbuf_add(&clean, text + i, n);
		else
			strbuf_addstr(&clean, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	js = json_stringn_nocheck(clean.buf, clean.len);
	strbuf_release(&clean);
	return js;
}

size_t protocol_cut(const char *text, size_t len, size_t max)
{
	size_t n = max;

	if (len <= max)
		return len;
	while (n > 0 && max - n < 3 && (text[n] & 0xc0) == 0x80)
		n--;
	/* Not UTF-8 at all: any place is as good. */
	return (text[n] & 0xc0) == 0x80 ? max : n;
}

json_t *protocol_decode(const char *line, size_t len, size_t flags)
{
	json_t *msg;

	/* jansson skips bytes that are zero where JSON allows none. */
	if (memchr(line, '\0', len))
		return NULL;
	msg = json_loadb(line, len, flags | JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(msg))
		return msg;
	json_decref(msg);
	return NULL;
}

int protocol_encode(struct strbuf *out, const json_t *msg)
{
	char *text = json_dumps(msg, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0;
	int ret = -1;

	if (text && len <= PROTOCOL_LINE_MAX) {
		strbuf_add(out, text, len);
		strbuf_addch(out, '\n');
		ret = 0;
	}
	free(text);
	return ret;
}
