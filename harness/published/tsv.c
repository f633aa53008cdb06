// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables as lines of tab separated values, one for each cell. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "published/archive.h"
#include "published/assemble.h"
#include "util/xalloc.h"

#define MAX_NUMBER 1e15 /* what a double holds to the last digit */

enum {
	GROUP,
	STATISTIC,
	CASE,
	COLUMN,
	VALUE,
	UNIT,
	CHANGE,
	CV,
	SIGNIFICANT,
	APPROXIMATE,
	LINE,
	FIELDS
};

static const char heading[] =
	"group\tstatistic\tcase\tcolumn\tvalue\tunit\tchange\tcv\tsignificant\tapproximate\tline";

bool table_style_from_name(const char *name, enum table_style *style)
{
	for (enum table_style s = 0; s < STYLE_COUNT_OF; s++)
		if (!strcmp(table_style_name(s), name)) {
			*style = s;
			return true;
		}
	return false;
}

bool direction_from_name(const char *name, enum direction *direction)
{
	for (enum direction d = DIRECTION_UNKNOWN; d <= DIRECTION_HIGHER; d++)
		if (!strcmp(direction_name(d), name)) {
			*direction = d;
			return true;
		}
	return false;
}

static void add_field(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		strbuf_addch(out, (unsigned char)*s < ' ' ? ' ' : *s);
	strbuf_addch(out, '\t');
}

/* As many digits as were printed. */
static void add_printed(struct strbuf *out, bool there, double value, double step)
{
	int digits = step > 0 && step < 1 ? (int)lround(-log10(step)) : 0;

	if (there && isfinite(value))
		strbuf_addf(out, "%.*f", digits, value);
	else if (there)
		strbuf_addstr(out, "NaN");
	strbuf_addch(out, '\t');
}

/* Of the last digit that is not zero, down to a millionth. */
static double step_of(double value)
{
	double step = 1;

	while (step > 1.5e-6 && fabs(value / step - round(value / step)) > 1e-7)
		step /= 10;
	return step;
}

static void add_cell(struct strbuf *out, const struct table *t, const struct row *r,
		     unsigned column)
{
	const struct cell *c = &r->cells[column];

	add_field(out, r->group);
	add_field(out, r->statistic);
	add_field(out, r->name);
	add_field(out, t->columns[column]);
	add_field(out, c->text);
	add_field(out, r->unit);
	add_printed(out, c->has_change, c->change, c->change_step);
	add_printed(out, c->has_cv, c->cv, step_of(c->cv));
	strbuf_addf(out, "%s\t%s\t%u\n", c->significant ? "yes" : "", c->approximate ? "yes" : "",
		    c->line);
}

void published_tsv(const struct table *t, struct strbuf *out)
{
	strbuf_addf(out, "%s\n", heading);
	for (unsigned r = 0; r < t->rows_count; r++)
		for (unsigned c = 0; c < t->columns_count; c++)
			add_cell(out, t, &t->rows[r], c);
}

struct reader {
	struct table *t;
	const char *path;
	unsigned line;
	char *fields[FIELDS];
	struct error *err;
};

static int bad(const struct reader *r, const char *what, const char *value)
{
	return error_set(r->err, ERROR_USAGE, "%s:%u: %s '%.80s'", r->path, r->line, what, value);
}

/* Splits @line in place. */
static int split(struct reader *r, char *line)
{
	unsigned n = 0;

	for (char *p = line; p; n++) {
		char *tab = strchr(p, '\t');

		if (n == FIELDS)
			return bad(r, "more fields than the heading names in", line);
		if (tab)
			*tab++ = '\0';
		r->fields[n] = p;
		p = tab;
	}
	return n == FIELDS ? 0 : bad(r, "fewer fields than the heading names in", line);
}

static int read_yes(struct reader *r, unsigned field, bool *value)
{
	*value = !strcmp(r->fields[field], "yes");
	return *value || !*r->fields[field]
		       ? 0
		       : bad(r, "neither 'yes' nor nothing:", r->fields[field]);
}

static int read_number(struct reader *r, unsigned field, struct cell *to, bool *there)
{
	const char *s = r->fields[field], *end;

	*to = (struct cell){.text = ""};
	*there = *s != '\0';
	if (!*there)
		return 0;
	end = scan_number(s, to);
	if (!end || *end)
		return bad(r, "no number:", s);
	return isfinite(to->value) && fabs(to->value) > MAX_NUMBER ? bad(r, "out of range:", s) : 0;
}

static int read_cell(struct reader *r, struct cell *c)
{
	struct cell change, cv;
	bool there;
	char *end;

	if (read_number(r, VALUE, c, &there) || read_number(r, CHANGE, &change, &c->has_change) ||
	    read_number(r, CV, &cv, &c->has_cv) || read_yes(r, SIGNIFICANT, &c->significant) ||
	    read_yes(r, APPROXIMATE, &c->approximate))
		return -1;
	if (!there)
		c->value = NAN;
	c->change = change.value;
	c->change_step = change.step;
	c->cv = cv.value;
	errno = 0;
	c->line = (unsigned)strtoul(r->fields[LINE], &end, 10);
	return *end || end == r->fields[LINE] || errno ? bad(r, "no line number:", r->fields[LINE])
						       : 0;
}

static bool same_row(const struct reader *r, const struct row *row)
{
	return !strcmp(row->group, r->fields[GROUP]) &&
	       !strcmp(row->statistic, r->fields[STATISTIC]) && !strcmp(row->name, r->fields[CASE]);
}

/* Cell @n of the table: a row begins with every first column. */
static int add(struct reader *r, unsigned n)
{
	struct table *t = r->t;
	unsigned column = n % t->columns_count;
	struct cell c;
	struct row *row;

	if (strcmp(t->columns[column], r->fields[COLUMN]))
		return bad(r, "not the column that is next:", r->fields[COLUMN]);
	if (read_cell(r, &c))
		return -1;
	if (!column) {
		struct parsed p = {.statistic = r->fields[STATISTIC], .name = r->fields[CASE]};

		p.style = t->style;
		p.count = t->columns_count;
		p.statistic_len = (unsigned)strlen(p.statistic);
		p.name_len = (unsigned)strlen(p.name);
		row = table_add_row(t, &p, c.line);
		free(row->group);
		row->group = xstrdup(r->fields[GROUP]);
		free(row->unit);
		row->unit = xstrdup(r->fields[UNIT]);
	}
	row = &t->rows[t->rows_count - 1];
	if (!same_row(r, row))
		return bad(r, "a row that begins before the last one has all columns:",
			   r->fields[CASE]);
	row->cells[column] = c;
	return 0;
}

int published_parse_tsv(struct table *t, const char *path, const char *text, struct error *err)
{
	struct reader r = {.t = t, .path = path, .line = 1, .err = err};
	char *copy = xstrdup(text), *line = copy, *next;
	unsigned cells = 0;
	int ret = 0;

	for (; !ret && line && *line; line = next, r.line++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (r.line == 1)
			ret = strcmp(line, heading)
				      ? bad(&r, "not the heading of a published table:", line)
				      : 0;
		else if (!(ret = split(&r, line)))
			ret = add(&r, cells++);
	}
	if (!ret && (!cells || cells % t->columns_count))
		ret = error_set(err, ERROR_USAGE, "%s:%u: the last row has no value for '%s'", path,
				r.line, t->columns[cells % t->columns_count]);
	free(copy);
	return ret;
}
