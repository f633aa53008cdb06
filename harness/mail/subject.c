// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/subject.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "util/xalloc.h"

/* A number of at most four digits; *@end is behind it. 0: none. */
static unsigned small_number(const char *s, const char **end)
{
	unsigned value = 0, n = 0;

	while (n < 4 && isdigit((unsigned char)s[n]))
		value = value * 10 + (unsigned)(s[n++] - '0');
	*end = s + n;
	return isdigit((unsigned char)s[n]) ? 0 : value;
}

/* One word of "[PATCH v3 2/4]". */
static void bracket_word(struct mail *m, const char *word)
{
	const char *end;
	unsigned number, total;

	if (!strncasecmp(word, "PATCH", 5) || !strcasecmp(word, "RFC") || !strcasecmp(word, "RFT"))
		m->patch = true;
	/* "PATCHv3" is written too. */
	if (!strncasecmp(word, "PATCHv", 6) || !strncasecmp(word, "RFCv", 4))
		word += word[0] == 'P' || word[0] == 'p' ? 5 : 3;
	if ((*word == 'v' || *word == 'V') && isdigit((unsigned char)word[1])) {
		number = small_number(word + 1, &end);
		if (!*end)
			m->version = number;
		return;
	}
	if (!isdigit((unsigned char)*word))
		return;
	number = small_number(word, &end);
	if (*end != '/' || !isdigit((unsigned char)end[1]))
		return;
	total = small_number(end + 1, &end);
	if (!*end && total) {
		m->number = number;
		m->total = total;
	}
}

static void bracket_words(struct mail *m, const char *s, size_t len)
{
	char *copy = xstrndup(s, len), *save = NULL;

	for (char *w = strtok_r(copy, " ,\t", &save); w; w = strtok_r(NULL, " ,\t", &save))
		bracket_word(m, w);
	free(copy);
}

void subject_parse(struct mail *m)
{
	const char *s = m->subject;

	m->version = 1;
	for (;;) {
		const char *end;

		s += strspn(s, " \t");
		if (!strncasecmp(s, "re:", 3) || !strncasecmp(s, "aw:", 3)) {
			m->reply = true;
			s += 3;
		} else if (!strncasecmp(s, "fwd:", 4) || !strncasecmp(s, "fw:", 3)) {
			s = strchr(s, ':') + 1;
		} else if (*s == '[' && (end = strchr(s, ']'))) {
			bracket_words(m, s + 1, (size_t)(end - s - 1));
			s = end + 1;
		} else {
			break;
		}
	}
	m->title = xstrdup(s);
}

int64_t mail_date_parse(const char *s)
{
	static const char *const formats[] = {"%d %b %Y %H:%M:%S", "%d %b %Y %H:%M",
					      "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M",
					      "%b %d %H:%M:%S %Y"};
	const char *comma;

	s += strspn(s, " \t");
	comma = strchr(s, ',');
	if (comma && comma - s < 12)
		s = comma + 1 + strspn(comma + 1, " \t");
	else if (isalpha((unsigned char)*s) && strlen(s) > 4 && s[3] == ' ')
		s += 4;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct tm tm = {0}, zone = {0};
		const char *rest = strptime(s, formats[i], &tm);
		time_t t;

		if (!rest)
			continue;
		rest += strspn(rest, " ");
		if ((*rest == '+' || *rest == '-') && !strptime(rest, "%z", &zone))
			zone.tm_gmtoff = 0;
		t = timegm(&tm);
		return (int64_t)t - zone.tm_gmtoff;
	}
	return MAIL_NO_TIME;
}

void message_ids_of(const char *value, struct strlist *ids)
{
	while (value && (value = strchr(value, '<'))) {
		const char *end = strchr(value, '>');
		char *id;

		if (!end)
			return;
		id = xstrndup(value + 1, (size_t)(end - value - 1));
		if (*id && !strpbrk(id, " \t"))
			strlist_add(ids, id);
		free(id);
		value = end;
	}
}

char *message_id_of(const char *value)
{
	struct strlist ids = STRLIST_INIT;
	char *id = NULL;

	if (!value)
		return NULL;
	message_ids_of(value, &ids);
	if (ids.count)
		id = xstrdup(ids.items[0]);
	else if (value[strspn(value, " \t")])
		id = xstrndup(value + strspn(value, " \t"),
			      strcspn(value + strspn(value, " \t"), " \t"));
	strlist_release(&ids);
	return id;
}
