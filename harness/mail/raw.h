/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_RAW_H
#define SCHEDBENCH_MAIL_RAW_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "util/strbuf.h"

/* A file as lines, and headers, before anything is decoded. */

struct raw_line {
	const char *s; /* not NUL-terminated */
	unsigned len;
	unsigned source; /* line of the file, from 1 */
};

struct raw {
	struct raw_line *lines;
	unsigned count, cap;
	struct strbuf held; /* what the lines point into, where that is not the file */
};

/* Lines of @data, which has to stay. Where the first line ends in CRLF all may. */
int raw_split(struct raw *raw, const char *path, const char *data, size_t len, struct error *err);
void raw_release(struct raw *raw);

bool raw_is_html(const struct raw *raw);

/* What a page shows: tags and scripts gone, entities undone, lines from where they were. */
void raw_from_html(struct raw *out, const struct raw_line *lines, unsigned count);

bool line_is_blank(const struct raw_line *l);
bool line_starts(const struct raw_line *l, const char *word); /* any case */
char *line_copy(const struct raw_line *l); /* without blanks at its ends; "?" for NUL */

struct field {
	char *name;
	char *value; /* unfolded, not decoded */
};

struct fields {
	struct field *items;
	unsigned count, cap;
};

bool line_is_field(const struct raw_line *l);

/* Fields from the first line on, to the blank line that ends them. Returns the lines taken. */
unsigned fields_parse(struct fields *f, const struct raw_line *l, unsigned count);
void fields_add(struct fields *f, const char *name, const char *value);
const char *fields_get(const struct fields *f, const char *name); /* NULL: not there */
void fields_release(struct fields *f);

/* Parameter @name of a Content-Type or Content-Disposition; NULL: not there. The caller frees it. */
char *field_parameter(const char *value, const char *name);

#endif
