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
#define MAX_BOOT    10000

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
	[COL_METRIC] = "metric",	 [COL_UNIT] = "unit",
	[COL_BETTER] = "better",	 [COL_WORKLOAD] = "workload",
	[COL_EXPERIMENT] = "experiment", [COL_STATUS] = "status",
};

static int read_header(struct reader *r, int at[COLUMNS], struct error *err)
{
	int got = read_row(r, err);

	if (got < 0)
		return -1;
	for (int c = 0; c < COLUMNS; c++) {
		at[c] = -1;
		for (unsigned i = 0; i < r->count; i++)
			if (!strcmp(r->fields[i], column_names[c]))
				at[c] = i;
	}
	if (at[COL_VARIANT] < 0)
		at[COL_VARIANT] = at[COL_KERNEL];
	if (at[COL_CASE] < 0)
		at[COL_CASE] = at[COL_OPERATION];
	if (at[COL_VALUE] < 0 || at[COL_VARIANT] < 0 || at[COL_CASE] < 0)
		return error_set(err, ERROR_USAGE,
				 "%s:1: the first line must name the columns value, variant (or "
				 "kernel) and case (or operation)",
				 r->path);
	return 0;
}

static const char *get(const struct reader *r, const int at[COLUMNS], enum column c)
{
	return at[c] < 0 || (unsigned)at[c] >= r->count ? NULL : r->fields[at[c]];
}

/* Names become columns, rows and file names: printable, not empty, not endless. */
static int check_word(const struct reader *r, const char *what, const char *word, struct error *err)
{
	if (!word || !*word || strlen(word) > 64)
		return error_set(err, ERROR_USAGE, "%s:%u: %s is missing or longer than 64 bytes",
				 r->path, r->line, what);
	for (const char *p = word; *p; p++)
		if (iscntrl((unsigned char)*p))
			return error_set(err, ERROR_USAGE, "%s:%u: %s holds a control character",
					 r->path, r->line, what);
	return 0;
}

/* What an experiment file would say about a variant, with the line of this file. */
static int check_variant(const struct reader *r, const char *variant, struct error *err)
{
	if (check_word(r, "the variant", variant, err))
		return -1;
	if (!is_name(variant) || strlen(variant) > 40)
		return error_set(err, ERROR_USAGE,
				 "%s:%u: variant '%s' is not a name (use up to 40 letters, digits "
				 "and . _ + -)",
				 r->path, r->line, variant);
	return 0;
}

static int parse_boot(const struct reader *r, const char *text, unsigned *boot, struct error *err)
{
	char *end;
	unsigned long n;

	*boot = 1;
	if (!text)
		return 0;
	n = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
	if (!n || *end || n > MAX_BOOT)
		return error_set(err, ERROR_USAGE, "%s:%u: '%.32s' is not a boot from 1 to %d",
				 r->path, r->line, text, MAX_BOOT);
	*boot = n;
	return 0;
}

static int parse_value(const struct reader *r, const char *text, double *value, struct error *err)
{
	char *end;

	*value = text && *text && !isspace((unsigned char)*text) ? strtod(text, &end) : NAN;
	if (!isfinite(*value) || *end)
		return error_set(err, ERROR_USAGE, "%s:%u: '%.32s' is not a number", r->path,
				 r->line, text ? text : "");
	return 0;
}

static void keep(char **slot, const char *text)
{
	if (!*slot && text && *text)
		*slot = xstrdup(text);
}

/* 1: the row is of another metric than the one wanted. */
static int check_metric(struct import *imp, const struct reader *r, const int at[COLUMNS],
			const char *wanted, struct error *err)
{
	const char *metric = get(r, at, COL_METRIC), *unit = get(r, at, COL_UNIT);
	const char *better = get(r, at, COL_BETTER);

	if (wanted && (!metric || strcmp(metric, wanted)))
		return 1;
	keep(&imp->metric, metric);
	keep(&imp->unit, unit);
	if (metric && imp->metric && strcmp(metric, imp->metric))
		return error_set(err, ERROR_USAGE,
				 "%s:%u: metric '%.64s' after '%.64s' (choose one with --metric)",
				 r->path, r->line, metric, imp->metric);
	if (better && strcmp(better, "lower") && strcmp(better, "higher"))
		return error_set(err, ERROR_USAGE, "%s:%u: better is 'lower' or 'higher'", r->path,
				 r->line);
	imp->higher = better && !strcmp(better, "higher");
	return 0;
}

static int take_row(struct import *imp, const struct reader *r, const int at[COLUMNS],
		    const char *wanted, struct error *err)
{
	const char *variant = get(r, at, COL_VARIANT), *kase = get(r, at, COL_CASE);
	const char *status = get(r, at, COL_STATUS);
	bool failed = status && *status && strcmp(status, "ok");
	double value = NAN;
	unsigned boot;
	int ret = check_metric(imp, r, at, wanted, err);

	if (ret)
		return ret > 0 ? 0 : -1;
	if (check_variant(r, variant, err) || check_word(r, "the case", kase, err) ||
	    parse_boot(r, get(r, at, COL_BOOT), &boot, err) ||
	    (!failed && parse_value(r, get(r, at, COL_VALUE), &value, err)))
		return -1;
	keep(&imp->workload, get(r, at, COL_WORKLOAD));
	keep(&imp->title, get(r, at, COL_EXPERIMENT));
	import_add(imp, variant, kase, boot, value, failed ? status : NULL);
	return 0;
}

int import_csv(struct import *imp, const char *path, const char *metric, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct reader r = {.path = path, .next_line = 1};
	int at[COLUMNS], ret;

	if (file_read(path, MAX_FILE, &text, err))
		return -1;
	r.p = text.buf;
	if (memchr(text.buf, '\0', text.len))
		ret = error_set(err, ERROR_USAGE, "'%s' is not a text", path);
	else
		ret = read_header(&r, at, err);
	while (!ret && (ret = read_row(&r, err)) > 0)
		ret = take_row(imp, &r, at, metric, err);
	keep(&imp->origin, path);
	keep(&imp->axis, "case");
	keep(&imp->metric, metric ? metric : "value");
	keep(&imp->unit, "-");
	keep(&imp->workload, "imported");
	strbuf_release(&text);
	return ret;
}
