// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/codec.h"

#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/xalloc.h"

#define REPLACEMENT "\xef\xbf\xbd"

enum encoding encoding_of(const char *name)
{
	if (!name)
		return ENCODING_NONE;
	name += strspn(name, " \t");
	if (!strncasecmp(name, "quoted-printable", 16))
		return ENCODING_QUOTED_PRINTABLE;
	if (!strncasecmp(name, "base64", 6))
		return ENCODING_BASE64;
	return ENCODING_NONE;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

void quoted_printable_decode(const char *s, size_t len, struct strbuf *out, bool *soft_break)
{
	/* Blanks at the end of a line were added on the way: RFC 2045, 6.7 (3). */
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
		len--;
	*soft_break = len && s[len - 1] == '=';
	if (*soft_break)
		len--;
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '=' && len - i > 2 && hex_digit(s[i + 1]) >= 0 &&
		    hex_digit(s[i + 2]) >= 0) {
			strbuf_addch(out, (char)(hex_digit(s[i + 1]) * 16 + hex_digit(s[i + 2])));
			i += 2;
		} else {
			strbuf_addch(out, s[i]);
		}
	}
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

void base64_decode(struct base64 *state, const char *s, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		int digit = base64_digit(s[i]);

		if (s[i] == '=')
			*state = (struct base64){0};
		if (digit < 0)
			continue;
		state->bits = (state->bits << 6 | (unsigned)digit) & 0xffffff;
		if (state->count++) {
			unsigned shift = 6 - 2 * (state->count - 1);

			strbuf_addch(out, (char)(state->bits >> shift & 0xff));
		}
		if (state->count == 4)
			*state = (struct base64){0};
	}
}

static void latin1_to_utf8(const char *s, size_t len, struct strbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x80) {
			strbuf_addch(out, s[i]);
		} else {
			strbuf_addch(out, (char)(0xc0 | c >> 6));
			strbuf_addch(out, (char)(0x80 | (c & 0x3f)));
		}
	}
}

/* Charsets that are handed to iconv: what mails use, and none whose name a mail could make up. */
static const char *known_charset(const char *name)
{
	static const char *const known[] = {
		"iso-8859-2",	"iso-8859-3",	"iso-8859-4",	"iso-8859-5",	"iso-8859-6",
		"iso-8859-7",	"iso-8859-8",	"iso-8859-9",	"iso-8859-10",	"iso-8859-13",
		"iso-8859-14",	"iso-8859-15",	"iso-8859-16",	"windows-1250", "windows-1251",
		"windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
		"windows-1257", "windows-1258", "koi8-r",	"koi8-u",	"gb2312",
		"gbk",		"gb18030",	"big5",		"iso-2022-jp",	"euc-jp",
		"shift_jis",	"euc-kr",	"utf-16",	"utf-16le",	"utf-16be"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcasecmp(name, known[i]))
			return known[i];
	return NULL;
}

static void convert(iconv_t cd, const char *s, size_t len, struct strbuf *out)
{
	char *in = (char *)s;

	while (len) {
		char buf[1024];
		char *to = buf;
		size_t room = sizeof(buf);
		size_t ret = iconv(cd, &in, &len, &to, &room);

		strbuf_add(out, buf, sizeof(buf) - room);
		/* A full buffer goes on; what cannot be read is one byte that means nothing. */
		if (ret == (size_t)-1 && len && room >= 8) {
			strbuf_addstr(out, REPLACEMENT);
			in++;
			len--;
		}
	}
}

void charset_to_utf8(const char *charset, const char *s, size_t len, struct strbuf *out)
{
	const char *known = charset ? known_charset(charset) : NULL;
	iconv_t cd;

	if (charset && (!strcasecmp(charset, "iso-8859-1") || !strcasecmp(charset, "latin1"))) {
		latin1_to_utf8(s, len, out);
		return;
	}
	cd = known ? iconv_open("UTF-8", known) : (iconv_t)-1;
	if (cd == (iconv_t)-1) {
		strbuf_add(out, s, len);
		return;
	}
	convert(cd, s, len, out);
	iconv_close(cd);
}

/* "=?charset?Q?text?=" at @s: decoded into @out, and the number of bytes it takes; 0: it is none.
 */
static size_t encoded_word(const char *s, struct strbuf *out)
{
	const char *charset = s + 2, *kind, *text, *end;
	struct strbuf bytes = STRBUF_INIT;
	struct base64 state = {0};
	char name[32];
	size_t n;

	if (strncmp(s, "=?", 2))
		return 0;
	n = strcspn(charset, "?* \t\n");
	kind = strchr(charset, '?');
	if (!kind || !n || n >= sizeof(name) || !kind[1] || kind[2] != '?')
		return 0;
	text = kind + 3;
	end = strstr(text, "?=");
	if (!end || (size_t)(end - text) > 4096 || strcspn(text, " ") < (size_t)(end - text))
		return 0;
	memcpy(name, charset, n);
	name[n] = '\0';
	if (kind[1] == 'B' || kind[1] == 'b') {
		base64_decode(&state, text, (size_t)(end - text), &bytes);
	} else if (kind[1] == 'Q' || kind[1] == 'q') {
		bool soft;
		char *copy = xstrndup(text, (size_t)(end - text));

		for (char *p = copy; *p; p++)
			*p = *p == '_' ? ' ' : *p;
		quoted_printable_decode(copy, strlen(copy), &bytes, &soft);
		/* The encoding of words keeps the blanks at the end, that of lines does not. */
		for (size_t i = strlen(copy); i && copy[i - 1] == ' '; i--)
			strbuf_addch(&bytes, ' ');
		free(copy);
	} else {
		return 0;
	}
	charset_to_utf8(name, bytes.buf, bytes.len, out);
	strbuf_release(&bytes);
	return (size_t)(end + 2 - s);
}

char *encoded_words_decode(const char *s)
{
	struct strbuf out = STRBUF_INIT;
	size_t blanks = 0; /* behind an encoded word, and dropped when the next one follows */
	bool after_word = false;

	while (*s) {
		size_t before = out.len;
		size_t n = encoded_word(s, &out);

		if (n) {
			if (after_word && blanks) {
				memmove(out.buf + before - blanks, out.buf + before,
					out.len - before + 1);
				out.len -= blanks;
			}
			s += n;
			after_word = true;
			blanks = 0;
			continue;
		}
		if (*s == ' ' || *s == '\t')
			blanks++;
		else
			after_word = false, blanks = 0;
		strbuf_addch(&out, *s++);
	}
	return strbuf_detach(&out);
}

/* Length of the UTF-8 sequence at @s, 0 where there is none. */
static size_t utf8_sequence(const unsigned char *s, size_t len)
{
	size_t n;
	unsigned c;

	if (s[0] < 0x80)
		return s[0] ? 1 : 0;
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	c = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && c < 0x10000) || c > 0x10ffff)
		return 0;
	return c >= 0xd800 && c <= 0xdfff ? 0 : n;
}

char *utf8_clean(const char *s, size_t len)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < len;) {
		size_t n = utf8_sequence((const unsigned char *)s + i, len - i);

		if (n)
			strbuf_add(&out, s + i, n);
		else
			strbuf_addstr(&out, REPLACEMENT);
		i += n ? n : 1;
	}
	return strbuf_detach(&out);
}
