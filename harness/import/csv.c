// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"
#include "import/import.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

#define MAX_FILE    (1u << 30)
#define MAX_COLUMNS 64
#define MAX_NUMBER  1000000000L /* of a boot or a repetition */

/* Cursor over a text that is cut in place: fields are NUL-terminated where they stand. */
struct reader {
	const char *path;
	char *p;
	unsigned line; /* of the row read last */
	unsigned next_line;
	char *fields[MAX_COLUMNS];
	unsigned count;
};

/* Read one field; *@last: it ends the row. -1: quotes that do not close. */
static int read_field(struct reader *r, char **field, bool *last)
{
	bool quoted = *r->p == '"';
	char *out, *in;

	*field = out = in = r->p + quoted;
	for (;; in++) {
		if (quoted && *in == '"' && in[1] == '"')
			in++;
		else if (quoted && *in == '"')
			break;
		else if (!*in || (!quoted && (*in == ',' || *in == '\n')))
			break;
		r->next_line += *in == '\n';
		*out++ = *in;
	}
	if (quoted && *in++ != '"')
		return -1;
	in += *in == '\r';
	*last = *in != ',';
	r->next_line += *in == '\n';
	r->p = in + (*in != '\0');
	if (!quoted && out > *field && out[-1] == '\r')
		out--;
	*out = '\0';
	return 0;
}

/* 1: a row, 0: the end. Empty lines are passed over. */
static int read_row(struct reader *r, struct error *err)
{
	bool last = false;

	while (*r->p == '\n' || *r->p == '\r') {
		r->next_line += *r->p == '\n';
		r->p++;
	}
	r->line = r->next_line;
	r->count = 0;
	if (!*r->p)
		return 0;
	while (!last) {
		if (r->count == MAX_COLUMNS)
			return error_set(err, ERROR_USAGE, "%s:%u: more than %d columns", r->path,
					 r->line, MAX_COLUMNS);
		if (read_field(r, &r->fields[r->count++], &last))
			return error_set(err, ERROR_USAGE, "%s:%u: a quote is not closed", r->path,
					 r->line);
	}
	return 1;
}

enum column {
	COL_VALUE,
	COL_VARIANT,
	COL_KERNEL,
	COL_CASE,
	COL_OPERATION,
	COL_BOOT,
	COL_REPETITION,
	COL_ITERATION,
	COL_METRIC,
	COL_UNIT,
	COL_BETTER,
	COL_WORKLOAD,
	COL_EXPERIMENT,
	COL_STATUS,
	COLUMNS
};

static const char *const column_names[COLUMNS] = {
	[COL_VALUE] = "value",		 [COL_VARIANT] = "variant",
	[COL_KERNEL] = "kernel",	 [COL_CASE] = "case",
	[COL_OPERATION] = "operation",	 [COL_BOOT] = "boot",
	[COL_REPETITION] = "repetition", [COL_ITERATION] = "iteration",
	[COL_METRIC] = "metric",	 [COL_UNIT] = "unit",
	[COL_BETTER] = "better",	 [COL_WORKLOAD] = "workload",
	[COL_EXPERIMENT] = "experiment", [COL_STATUS] = "status",
};

/* Where two columns mean the same, the first one wins: an export has both variant and kernel. */
static void use_other(int at[COLUMNS], enum column wanted, enum column other)
{
	if (at[wanted] < 0)
		at[wanted] = at[other];
}

static int read_header(struct reader *r, int at[COLUMNS], struct error *err)
{
	int got = read_row(r, err);

	if (got < 0)
		return -1;
	for (int c = 0; c < COLUMNS; c++) {
		at[c] = -1;
		for (unsigned i = 0; i < r->count; i++) {
			if (strcmp(r->fields[i], column_names[c]))
				continue;
			if (at[c] >= 0)
				return error_set(err, ERROR_USAGE,
						 "%s:%u: column '%s' is there twice", r->path,
						 r->line, column_names[c]);
			at[c] = i;
		}
	}
	use_other(at, COL_VARIANT, COL_KERNEL);
	use_other(at, COL_CASE, COL_OPERATION);
	use_other(at, COL_REPETITION, COL_ITERATION);
	if (at[COL_VALUE] < 0 || at[COL_VARIANT] < 0 || at[COL_CASE] < 0)
		return error_set(err, ERROR_USAGE,
				 "%s:1: the first line must name the columns value, variant (or "
				 "kernel) and case (or operation)",
				 r->path);
	return 0;
}

/* NULL: there is no such column, or nothing in it. */
static const char *get(const struct reader *r, const int at[COLUMNS], enum column c)
{
	const char *field = at[c] < 0 ? NULL : r->fields[at[c]];

	return field && *field ? field : NULL;
}

static int parse_number(const char *text, long least, long missing, long *number, struct error *err)
{
	char *end = NULL;

	*number = missing;
	if (!text)
		return 0;
	*number = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : -1;
	if (*number < least || *number > MAX_NUMBER || *end)
		return error_set(err, ERROR_USAGE, "'%s' is not a %s from %ld to %ld",
				 import_quote(text).text, least ? "boot" : "repetition", least,
				 MAX_NUMBER);
	return 0;
}

static int parse_value(const char *text, double *value, struct error *err)
{
	char *end = NULL;

	*value = text && !isspace((unsigned char)*text) ? strtod(text, &end) : NAN;
	if (!isfinite(*value) || *end)
		return error_set(err, ERROR_USAGE, "'%s' is not a number",
				 import_quote(text ? text : "").text);
	return 0;
}

static int parse_status(const char *text, struct import_sample *s, struct error *err)
{
	if (!text || !strcmp(text, "ok"))
		return 0;
	s->timeout = !strcmp(text, "timeout");
	s->reason = s->timeout ? "it took too long" : "it failed";
	if (s->timeout || !strcmp(text, "failed"))
		return 0;
	return error_set(err, ERROR_USAGE, "status '%s' is not ok, failed or timeout",
			 import_quote(text).text);
}

static int parse_metric(struct import *imp, const struct reader *r, const int at[COLUMNS],
			unsigned *metric, struct error *err)
{
	const char *name = get(r, at, COL_METRIC), *unit = get(r, at, COL_UNIT);
	const char *better = get(r, at, COL_BETTER);

	if (better && strcmp(better, "lower") && strcmp(better, "higher"))
		return error_set(err, ERROR_USAGE, "better is 'lower' or 'higher', not '%s'",
				 import_quote(better).text);
	if ((name && import_check_case(name, err)) || (unit && import_check_case(unit, err)))
		return -1;
	return import_metric(imp, name ? name : "value", unit ? unit : "-",
			     better && !strcmp(better, "higher"), metric, err);
}

static int check_names(const char *variant, const char *kase, struct error *err)
{
	if (!variant)
		return error_set(err, ERROR_USAGE, "the variant is missing");
	if (!kase)
		return error_set(err, ERROR_USAGE, "the case is missing");
	return import_check_variant(variant, err) || import_check_case(kase, err) ? -1 : 0;
}

static void keep(char **slot, const char *text)
{
	if (!*slot && text)
		*slot = xstrdup(text);
}

static int take_row(struct import *imp, const struct reader *r, const int at[COLUMNS],
		    const char *wanted, struct error *err)
{
	const char *variant = get(r, at, COL_VARIANT), *kase = get(r, at, COL_CASE);
	const char *metric = get(r, at, COL_METRIC);
	struct import_sample s = {.value = NAN, .line = r->line};

	if (wanted && strcmp(metric ? metric : "value", wanted))
		return 0;
	if (check_names(variant, kase, err) ||
	    parse_number(get(r, at, COL_BOOT), 1, 1, &s.boot, err) ||
	    parse_number(get(r, at, COL_REPETITION), 0, IMPORT_NEXT, &s.repetition, err) ||
	    parse_status(get(r, at, COL_STATUS), &s, err) ||
	    (!s.reason && parse_value(get(r, at, COL_VALUE), &s.value, err)) ||
	    parse_metric(imp, r, at, &s.metric, err))
		return -1;
	keep(&imp->workload, get(r, at, COL_WORKLOAD));
	keep(&imp->title, get(r, at, COL_EXPERIMENT));
	if (!imp->name && imp->title && is_name(imp->title))
		imp->name = xstrdup(imp->title);
	s.variant = import_name(&imp->variants, variant);
	s.kase = import_name(&imp->cases, kase);
	import_add(imp, &s);
	return 0;
}

static int take_rows(struct import *imp, struct reader *r, const char *metric, struct error *err)
{
	int at[COLUMNS], ret;
	unsigned columns;

	if (read_header(r, at, err))
		return -1;
	columns = r->count;
	while ((ret = read_row(r, err)) > 0) {
		if (r->count != columns)
			return error_set(err, ERROR_USAGE,
					 "%s:%u: %u columns, the first line has %u", r->path,
					 r->line, r->count, columns);
		if (take_row(imp, r, at, metric, err))
			return error_prefix(err, "%s:%u: ", r->path, r->line);
	}
	return ret;
}

/* Pipes are files here: the output of another program may be read. A byte order mark is no text. */
static int check_text(struct reader *r, const struct strbuf *text, struct error *err)
{
	const char *zero = memchr(text->buf, '\0', text->len);
	unsigned line = 1;

	for (const char *p = text->buf; zero && p < zero; p++)
		line += *p == '\n';
	if (zero)
		return error_set(err, ERROR_USAGE, "%s:%u: a zero byte: this is not a text",
				 r->path, line);
	r->p = text->buf;
	if (!strncmp(r->p, "\xef\xbb\xbf", 3))
		r->p += 3;
	return 0;
}

int import_csv(struct import *imp, const char *path, const char *metric, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct reader r = {.path = path, .next_line = 1};
	int ret = file_read(path, MAX_FILE, &text, err);

	if (!ret)
		ret = check_text(&r, &text, err);
	if (!ret)
		ret = take_rows(imp, &r, metric, err);
	if (!ret && !imp->count && metric)
		ret = error_set(err, ERROR_USAGE, "'%s' holds no sample of metric '%s'", path,
				metric);
	keep(&imp->origin, path);
	keep(&imp->axis, "case");
	keep(&imp->workload, "imported");
	strbuf_release(&text);
	return ret;
}
