// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands above a table: fields, headings, names of columns. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "published/assemble.h"
#include "util/xalloc.h"

void context_release(struct context *c)
{
	free(c->test);
	free(c->unit);
	free(c->statistic);
	free(c->benchmark);
	*c = (struct context){0};
}

static void end_block(struct context *c)
{
	char *benchmark = c->benchmark;

	c->benchmark = NULL;
	context_release(c);
	c->benchmark = benchmark;
}

static enum direction direction_in(const char *s)
{
	if (strcasestr(s, "lower is better") || strcasestr(s, "less is better") ||
	    strcasestr(s, "smaller is better"))
		return DIRECTION_LOWER;
	if (strcasestr(s, "higher is better") || strcasestr(s, "more is better") ||
	    strcasestr(s, "bigger is better"))
		return DIRECTION_HIGHER;
	return DIRECTION_UNKNOWN;
}

/* "Test          : hackbench": the value, where the line is that field. */
static const char *field_value(const char *s, const char *name)
{
	size_t n = strlen(name);

	s = skip_blanks(s);
	if (strncasecmp(s, name, n))
		return NULL;
	s = skip_blanks(s + n);
	return *s == ':' ? skip_blanks(s + 1) : NULL;
}

static void set(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

void context_line(struct context *c, const char *text)
{
	const char *value;

	/* "Test:" also heads the names of cases in AMD's tables. */
	if ((value = field_value(text, "Test")) && !strstr(value, "[pct")) {
		end_block(c);
		set(&c->test, value);
		c->block = true;
	}
	if (!c->block)
		return;
	if ((value = field_value(text, "Units")) || (value = field_value(text, "Unit")))
		set(&c->unit, value);
	if ((value = field_value(text, "Statistic")))
		set(&c->statistic, value);
	if ((value = field_value(text, "Interpretation")))
		c->direction = direction_in(value);
}

/* Words by which people name what they have run. */
static const char *const benchmarks[] = {
	"hackbench", "tbench4",	  "tbench",	  "dbench4",	"dbench",    "netperf",
	"schbench",  "unixbench", "perfpipe",	  "sysbench",	"specjbb",   "specjbb2005",
	"kernbench", "pgbench",	  "ycsb-mongodb", "ycsb",	"stress-ng", "DeathStarBench",
	"rt-app",    "uperf",	  "cyclictest",	  "mysql",	"redis",     "adrestia",
	"STREAM",    "stream-10", "stream-100",	  "perf-bench", "lmbench3",  "phoronix",
	NULL};

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *benchmark_in(const char *s)
{
	for (size_t i = 0; benchmarks[i]; i++) {
		size_t n = strlen(benchmarks[i]);
		/* "stream" in capitals is the benchmark, in small letters it is a word. */
		bool exact = isupper((unsigned char)*benchmarks[i]);

		for (const char *p = s; (p = strcasestr(p, benchmarks[i])); p++)
			if ((p == s || !is_word_char(p[-1])) && !is_word_char(p[n]) &&
			    (!exact || !strncmp(p, benchmarks[i], n)))
				return benchmarks[i];
	}
	return NULL;
}

void context_prose(struct context *c, const char *text)
{
	const char *s = skip_blanks(text), *benchmark = benchmark_in(s);

	if (*s == '=' || *s == '-')
		return;
	if (c->used)
		end_block(c);
	if (benchmark && !field_value(s, "Test"))
		set(&c->benchmark, benchmark);
}

static bool is_rule(const char *s)
{
	s = skip_blanks(s);
	return strlen(s) >= 3 && (!s[strspn(s, "-")] || !s[strspn(s, "=")]);
}

/* The lines above the first row that are of its level, nearest first; NULL: no more. */
static const char *line_above(const struct scan *scan, unsigned first, unsigned n)
{
	if (n > first || scan->lines[first - n].depth != scan->lines[first].depth ||
	    scan->lines[first - n].skip)
		return NULL;
	return scan->lines[first - n].text;
}

static void columns_from_words(struct table *t, const struct words *w, unsigned from)
{
	for (unsigned i = 0; i < t->columns_count; i++)
		table_set_column(t, i, w->start[from + i], w->len[from + i]);
	t->named = true;
}

/* "Case:  base[pct imp](CV)  other[pct imp](CV)" */
static bool amd_columns(struct table *t, const char *s)
{
	const char *found[TABLE_MAX_CELLS + 1];
	unsigned n = 0;

	for (const char *p = s; n <= TABLE_MAX_CELLS && (p = strstr(p, "[pct")); p++)
		found[n++] = p;
	if (n != t->columns_count)
		return false;
	for (unsigned i = 0; i < n; i++) {
		const char *start = found[i];

		while (start > s && start[-1] != ' ' && start[-1] != '\t')
			start--;
		table_set_column(t, i, start, (size_t)(found[i] - start));
	}
	t->named = true;
	return true;
}

/* "case  load  baseline(std%)  compare%( std%)" */
static bool intel_columns(struct table *t, const char *s)
{
	unsigned n = 0;

	for (const char *p = s; n < t->columns_count && (p = strchr(p, '(')); p++) {
		const char *start = p;

		if (!strstr(p, "std%)") || strchr(p, ')') < strstr(p, "std%"))
			continue;
		while (start > s && start[-1] != ' ' && start[-1] != '\t')
			start--;
		table_set_column(t, n++, start, (size_t)(p - start) - (p > start && p[-1] == '%'));
	}
	t->named = n == t->columns_count;
	return t->named;
}

static bool all_have_digits(const struct words *w)
{
	for (unsigned i = 0; i < w->count; i++) {
		unsigned n = 0;

		while (n < w->len[i] && !isdigit((unsigned char)w->start[i][n]))
			n++;
		if (n == w->len[i] || !memchr(w->start[i], '.', w->len[i]))
			return false;
	}
	return true;
}

/* Are these the names of kernels, and not a sentence of as many words? */
static bool are_names(const char *s, const struct words *w)
{
	unsigned gaps = 0;

	/* An archive that keeps no blanks leaves release numbers to be told by. */
	if (*s != ' ' && *s != '\t')
		return w->count > 1 && all_have_digits(w);
	for (unsigned i = 1; i < w->count; i++)
		gaps += w->start[i] - w->start[i - 1] - w->len[i - 1] >= 2 ||
			w->start[i][-1] == '\t';
	return w->count < 2 || gaps + 1 == w->count;
}

/* One or two lines of names, the second one below the first: "5.10-rc6" over "vanilla". */
static unsigned stacked_columns(struct table *t, const struct scan *scan, unsigned first)
{
	const char *low = line_above(scan, first, 1), *high = line_above(scan, first, 2);
	struct words lower, upper;

	if (!low)
		return 0;
	scan_words(low, &lower);
	if (lower.count == t->columns_count + 2 && !strncasecmp(lower.start[0], "Metric", 6)) {
		columns_from_words(t, &lower, 2);
		return 1;
	}
	upper.count = 0;
	if (high)
		scan_words(high, &upper);
	if (upper.count != t->columns_count || !are_names(high, &upper))
		upper.count = 0;
	if (lower.count != t->columns_count || (!upper.count && !are_names(low, &lower)))
		return 0;
	columns_from_words(t, &lower, 0);
	if (!upper.count)
		return 1;
	for (unsigned i = 0; i < t->columns_count; i++) {
		char *name = xasprintf("%.*s-%.*s", (int)upper.len[i], upper.start[i],
				       (int)lower.len[i], lower.start[i]);

		table_set_column(t, i, name, strlen(name));
		free(name);
	}
	return 2;
}

/* "Pinning  base  SIS_CACHE": words, the last ones of which name the columns. */
static unsigned plain_columns(struct table *t, const char *s)
{
	struct words w;

	if (!s)
		return 0;
	scan_words(s, &w);
	if (w.count != t->columns_count + 1)
		return 0;
	columns_from_words(t, &w, 1);
	return 1;
}

/* Where a field that may hold single blanks ends: at two of them, or a tab. */
static size_t field_length(const char *s)
{
	size_t n = 0;

	while (s[n] && s[n] != '\t' &&
	       !(s[n] == ' ' && (s[n + 1] == ' ' || s[n + 1] == '\t' || !s[n + 1])))
		n++;
	return n;
}

/* "grp  mainline (BASELINE)  with patch": names of several words, far from each other. */
static unsigned spaced_columns(struct table *t, const char *s)
{
	const char *start[TABLE_MAX_CELLS + 1];
	size_t len[TABLE_MAX_CELLS + 1];
	unsigned n = 0, skip;

	while (s && *(s = skip_blanks(s))) {
		if (n > TABLE_MAX_CELLS)
			return 0;
		start[n] = s;
		len[n] = field_length(s);
		if (len[n] > 40 || strchr(".,", s[len[n] - 1]))
			return 0; /* a sentence */
		s += len[n++];
	}
	if (n != t->columns_count && n != t->columns_count + 1)
		return 0;
	skip = n - t->columns_count;
	for (unsigned i = skip; i < n; i++)
		table_set_column(t, i - skip, start[i], len[i]);
	t->named = true;
	return 1;
}

/* 0-day's columns: two commits over two rules, a few lines above the first row. */
static bool lkp_columns(struct table *t, const struct scan *scan, unsigned first)
{
	const char *names, *rules = line_above(scan, first, 1);

	for (unsigned n = 2; n < 7 && rules; n++, rules = names) {
		struct words w, r;

		names = line_above(scan, first, n);
		if (!names)
			return false;
		scan_words(rules, &r);
		scan_words(names, &w);
		if (w.count != 2 || r.count != 2 || !is_rule(r.start[1]) ||
		    rules[strspn(rules, "- ")])
			continue;
		columns_from_words(t, &w, 0);
		return true;
	}
	return false;
}

/* Returns the number of lines that the names of the columns take. */
static unsigned find_columns(struct table *t, const struct scan *scan, unsigned first)
{
	const char *above = line_above(scan, first, 1);

	switch (t->style) {
	case STYLE_AMD:
		return above && (amd_columns(t, above) || plain_columns(t, above));
	case STYLE_INTEL:
		return above && intel_columns(t, above);
	case STYLE_LKP:
		lkp_columns(t, scan, first);
		return 0;
	case STYLE_DEVIATION:
	case STYLE_BARE:
		return spaced_columns(t, above);
	case STYLE_PERCENT:
		return plain_columns(t, above);
	case STYLE_MMTESTS:
	case STYLE_COLON:
	case STYLE_OPS:
		return stacked_columns(t, scan, first);
	default:
		return 0;
	}
}

static bool names_unit(const char *s)
{
	static const char *const units[] = {"usec",   "us",   "ms",	 "msec",
					    "sec",    "s",    "seconds", "ops/sec",
					    "MB/sec", "MB/s", "usecs",	 "Usecs"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(s, units[i]))
			return true;
	return false;
}

/* "schbench Wakeup Latency (usec)" */
static void unit_from_heading(struct table *t)
{
	const char *open = strrchr(t->heading, '('), *close = open ? strchr(open, ')') : NULL;
	char *word;

	if (!close || close[1])
		return;
	word = xstrndup(open + 1, (size_t)(close - open - 1));
	if (names_unit(word))
		set(&t->unit, word);
	free(word);
}

/* The signs that 0-day draws between its headings and its columns. */
static bool is_drawn(const char *s)
{
	while (*(s = skip_blanks(s))) {
		size_t n = strcspn(s, " \t");

		if (!(n == 1 && strchr("|\\", *s)) && *s != '%')
			return false;
		s += n;
	}
	return true;
}

static void find_heading(struct table *t, const struct scan *scan, unsigned first, unsigned above)
{
	struct parsed row;
	unsigned blanks = 0;
	const char *s;

	for (unsigned n = above + 1; (s = line_above(scan, first, n)) && n < above + 5; n++) {
		if (text_is_blank(s)) {
			if (++blanks > 1)
				break;
			continue;
		}
		if (is_rule(s) || is_drawn(s))
			continue;
		if (parse_row(s, false, &row))
			break; /* of another table */
		set(&t->heading, strlen(s) < 200 ? skip_blanks(s) : "");
		break;
	}
}

static void name_columns(struct table *t)
{
	for (unsigned i = 0; i < t->columns_count; i++)
		if (!t->columns[i])
			t->columns[i] = xasprintf("%u", i + 1);
}

/* Counts under "6.8-rc6" and a rule: the line above the rule, at most a few lines up. */
static void count_heading(struct table *t, const struct scan *scan, unsigned first)
{
	const char *name, *rule = line_above(scan, first, 1);

	for (unsigned n = 2; n < 7 && rule; n++, rule = name) {
		name = line_above(scan, first, n);
		if (!name || !is_rule(rule) || text_is_blank(name))
			continue;
		set(&t->heading, skip_blanks(name));
		table_set_column(t, 0, t->heading, strlen(t->heading));
		t->named = true;
		return;
	}
}

void table_describe(struct table *t, const struct scan *scan, unsigned first,
		    const struct context *c)
{
	const char *benchmark;

	t->heading = xstrdup("");
	if (t->style == STYLE_COUNTS)
		count_heading(t, scan, first);
	else
		find_heading(t, scan, first, find_columns(t, scan, first));
	t->test = xstrdup(c->test ? c->test : "");
	t->unit = xstrdup(c->unit ? c->unit : "");
	t->statistic = xstrdup(c->statistic ? c->statistic : "");
	t->direction = c->test ? c->direction : direction_in(t->heading);
	if (!c->test) {
		benchmark = benchmark_in(t->heading);
		if (!benchmark && t->style != STYLE_COUNTS && t->style != STYLE_LKP &&
		    t->style != STYLE_LKP_LIST)
			benchmark = c->benchmark;
		set(&t->test, benchmark ? benchmark : "");
		unit_from_heading(t);
	} else {
		set(&t->heading, c->test);
	}
	if (t->style == STYLE_SCHBENCH) {
		if (!*t->test)
			set(&t->test, "schbench");
		if (strstr(t->heading, "(usec)"))
			set(&t->unit, "usec");
	}
	name_columns(t);
}
