/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_CODEC_H
#define SCHEDBENCH_MAIL_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* Transfer encodings and charsets of mails: RFC 2045, RFC 2047. */

enum encoding {
	ENCODING_NONE,
	ENCODING_QUOTED_PRINTABLE,
	ENCODING_BASE64,
};

enum encoding encoding_of(const char *content_transfer_encoding);

/*
 * One line of quoted-printable, without its end of line; a soft break at its end is reported, not
 * added. What is no escape stays as it is.
 */
void quoted_printable_decode(const char *s, size_t len, struct strbuf *out, bool *soft_break);

/* Base64 that arrives in pieces; characters of no meaning are passed over, "=" ends a group. */
struct base64 {
	unsigned bits, count;
};
void base64_decode(struct base64 *state, const char *s, size_t len, struct strbuf *out);

/*
 * Bytes of @charset as UTF-8. Unknown charsets and those that are UTF-8 already are copied; bytes
 * that mean nothing become U+FFFD.
 */
void charset_to_utf8(const char *charset, const char *s, size_t len, struct strbuf *out);

/* A header field's value with the encoded words of RFC 2047 undone. The caller frees it. */
char *encoded_words_decode(const char *s);

/* The same bytes with what is no UTF-8 replaced by U+FFFD, for JSON. The caller frees it. */
char *utf8_clean(const char *s, size_t len);

#endif
