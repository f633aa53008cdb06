// SPDX-License-Identifier: GPL-2.0-or-later
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kernel/mirrors.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

#define DEFAULT_MIRROR	 "http://deb.debian.org/debian"
#define DEFAULT_SECURITY "http://deb.debian.org/debian-security"
#define BLANKS		 " \t\r\n"

/* One source, whichever of the two formats it was written in. */
struct source {
	struct strbuf types, uris, suites, components, signed_by, enabled;
};

static void source_release(struct source *s)
{
	strbuf_release(&s->types);
	strbuf_release(&s->uris);
	strbuf_release(&s->suites);
	strbuf_release(&s->components);
	strbuf_release(&s->signed_by);
	strbuf_release(&s->enabled);
	*s = (struct source){STRBUF_INIT, STRBUF_INIT, STRBUF_INIT,
			     STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
}

#define SOURCE_INIT                                                                                \
	{                                                                                          \
		STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT       \
	}

static bool has_word(const char *text, const char *word)
{
	size_t want = strlen(word), len;

	for (; *(text += strspn(text, BLANKS)); text += len) {
		len = strcspn(text, BLANKS);
		if (len == want && !strncmp(text, word, len))
			return true;
	}
	return false;
}

static bool ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

static bool is_fetchable(const char *uri)
{
	return !strncmp(uri, "http://", 7) || !strncmp(uri, "https://", 8) ||
	       !strncmp(uri, "file:/", 6);
}

static void keep_mirror(struct mirrors *m, const struct source *s, const char *uri)
{
	bool security = strstr(s->suites.buf, "-security") || strstr(uri, "security");
	char **mirror = security ? &m->security : &m->debian;

	if (*mirror || !is_fetchable(uri))
		return;
	if (s->signed_by.len ? !!strstr(s->signed_by.buf, "debian-archive")
			     : ends_in(uri, "/debian") || ends_in(uri, "/debian-security"))
		*mirror = xstrdup(uri);
}

static void consider(struct mirrors *m, const struct source *s)
{
	const char *p = s->uris.buf;
	size_t len;

	if (!has_word(s->types.buf, "deb") || !has_word(s->components.buf, "main") ||
	    has_word(s->enabled.buf, "no"))
		return;
	for (; *(p += strspn(p, BLANKS)); p += len) {
		char *uri;

		len = strcspn(p, BLANKS);
		uri = xstrndup(p, len);
		while (ends_in(uri, "/"))
			uri[strlen(uri) - 1] = '\0';
		keep_mirror(m, s, uri);
		free(uri);
	}
}

/* The next word of a line is moved to @out. */
static const char *take_word(const char *p, struct strbuf *out)
{
	size_t len;

	p += strspn(p, BLANKS);
	len = strcspn(p, BLANKS);
	strbuf_add(out, p, len);
	return p + len;
}

/* deb [OPTION=VALUE ...] URI SUITE COMPONENT ... */
static void consider_line(struct mirrors *m, const char *line)
{
	struct source s = SOURCE_INIT;
	const char *p = take_word(line, &s.types), *key;
	size_t len;

	p += strspn(p, BLANKS);
	if (*p == '[') {
		len = strcspn(p, "]");
		strbuf_add(&s.enabled, p, len);
		key = strstr(s.enabled.buf, "signed-by=");
		if (key)
			take_word(key, &s.signed_by);
		strbuf_reset(&s.enabled);
		p += len + (p[len] == ']');
	}
	p = take_word(p, &s.uris);
	p = take_word(p, &s.suites);
	strbuf_addstr(&s.components, p);
	consider(m, &s);
	source_release(&s);
}

void mirrors_from_list(struct mirrors *m, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *line = xstrndup(text, strcspn(text, "#\n"));

		consider_line(m, line);
		free(line);
		text += len + (text[len] == '\n');
	}
}

static struct strbuf *field_of(struct source *s, const char *line, size_t len)
{
	const struct {
		const char *name;
		struct strbuf *value;
	} fields[] = {{"Types", &s->types},	    {"URIs", &s->uris},
		      {"Suites", &s->suites},	    {"Components", &s->components},
		      {"Signed-By", &s->signed_by}, {"Enabled", &s->enabled}};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strlen(fields[i].name) == len && !strncasecmp(line, fields[i].name, len))
			return fields[i].value;
	return NULL;
}

/* Stanzas of "FIELD: value" with continuation lines that start with a blank. */
void mirrors_from_deb822(struct mirrors *m, const char *text)
{
	struct source s = SOURCE_INIT;
	struct strbuf *field = NULL;

	while (*text) {
		size_t len = strcspn(text, "\n"), name = strcspn(text, ":\n");

		if (strspn(text, " \t\r") >= len) {
			consider(m, &s);
			source_release(&s);
			field = NULL;
		} else if (*text == ' ' || *text == '\t') {
			if (field)
				strbuf_add(field, text, len);
		} else if (*text != '#') {
			field = field_of(&s, text, name);
			if (field && name < len)
				strbuf_add(field, text + name + 1, len - name - 1);
		}
		text += len + (text[len] == '\n');
	}
	consider(m, &s);
	source_release(&s);
}

static void read_files(struct mirrors *m, const char *pattern,
		       void (*parse)(struct mirrors *, const char *))
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct strbuf text = STRBUF_INIT;
		struct error ignored = ERROR_INIT;

		if (!file_read(found.gl_pathv[i], 1 << 20, &text, &ignored))
			parse(m, text.buf);
		strbuf_release(&text);
	}
	globfree(&found);
}

void mirrors_of_host(struct mirrors *m)
{
	*m = (struct mirrors){NULL, NULL};
	read_files(m, "/etc/apt/sources.list", mirrors_from_list);
	read_files(m, "/etc/apt/sources.list.d/*.sources", mirrors_from_deb822);
	read_files(m, "/etc/apt/sources.list.d/*.list", mirrors_from_list);
	if (!m->debian)
		m->debian = xstrdup(DEFAULT_MIRROR);
	if (!m->security)
		m->security = xstrdup(DEFAULT_SECURITY);
}

void mirrors_release(struct mirrors *m)
{
	free(m->debian);
	free(m->security);
	*m = (struct mirrors){NULL, NULL};
}
