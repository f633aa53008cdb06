// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the table for a folder that holds samples.csv (kernel,operation,iteration,value) and
 * meta.txt (key=value), as mmtests would. Remarks go to stderr.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "util/file.h"
#include "util/xalloc.h"

struct row {
	char *kernel, *operation, *iteration;
	double value; /* NaN: not a number */
	bool number;
};

struct golden {
	char *meta;
	char *csv;
	struct row *rows;
	size_t count;
	char **kernels;
	size_t kernels_count;
};

static char *read_text(const char *dir, const char *name, struct error *err)
{
	char *path = path_join(dir, name);
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, 64 << 20, &text, err);

	free(path);
	return ret ? NULL : strbuf_detach(&text);
}

/* The value of @key in meta.txt; the caller frees it. */
static char *meta_get(const struct golden *g, const char *key, const char *missing)
{
	size_t len = strlen(key);

	for (const char *line = g->meta; line && *line;) {
		const char *end = strchrnul(line, '\n');

		if (!strncmp(line, key, len) && line[len] == '=')
			return xstrndup(line + len + 1, end - line - len - 1);
		line = *end ? end + 1 : NULL;
	}
	return xstrdup(missing);
}

/* Cut the next field of a line off; names hold no quotes. */
static char *field(char **line)
{
	char *start = *line, *comma = start ? strchr(start, ',') : NULL;

	if (comma)
		*comma++ = '\0';
	*line = comma;
	return start;
}

static int parse_line(struct golden *g, char *line, size_t number, size_t *cap, struct error *err)
{
	struct row row = {0};
	char *value, *end;

	line[strcspn(line, "\r")] = '\0';
	row.kernel = field(&line);
	row.operation = field(&line);
	row.iteration = field(&line);
	value = field(&line);
	if (!value)
		return error_set(err, ERROR_USAGE, "samples.csv:%zu: fewer than 4 columns", number);
	row.value = strtod(value, &end);
	row.number = end != value && !*end;
	xgrow(g->rows, g->count, *cap);
	g->rows[g->count++] = row;
	return 0;
}

static int parse_samples(struct golden *g, struct error *err)
{
	size_t cap = 0, number = 1;
	char *line = strchr(g->csv, '\n');

	while (line && *++line) {
		char *end = strchr(line, '\n');

		number++;
		if (end)
			*end = '\0';
		if (*line && parse_line(g, line, number, &cap, err))
			return -1;
		line = end;
	}
	return 0;
}

static void parse_kernels(struct golden *g)
{
	char *list = meta_get(g, "kernels", ""), *rest = list, *name;
	size_t cap = 0;

	while ((name = field(&rest))) {
		xgrow(g->kernels, g->kernels_count, cap);
		g->kernels[g->kernels_count++] = xstrdup(name);
	}
	free(list);
}

static size_t find_name(char **names, size_t n, const char *name)
{
	size_t i = 0;

	while (i < n && strcmp(names[i], name))
		i++;
	return i;
}

/* Operations in the order of the baseline, those that it lacks after them. */
static char **operations(const struct golden *g, size_t *count)
{
	char **names = NULL;
	size_t cap = 0;

	*count = 0;
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < g->count; i++) {
			bool base = !strcmp(g->rows[i].kernel, g->kernels[0]);

			if (base == others ||
			    find_name(names, *count, g->rows[i].operation) < *count)
				continue;
			xgrow(names, *count, cap);
			names[(*count)++] = xstrdup(g->rows[i].operation);
		}
	return names;
}

static struct result *make_result(const struct golden *g, char **cases, size_t count)
{
	struct result *r = result_new(g->kernels_count, count);
	char *preferred = meta_get(g, "preferred", "lower");

	r->better = strcmp(preferred, "higher") ? BETTER_LOWER : BETTER_HIGHER;
	free(preferred);
	for (size_t v = 0; v < g->kernels_count; v++)
		r->variants[v] = xstrdup(g->kernels[v]);
	for (size_t i = 0; i < count; i++)
		r->cases[i] = xstrdup(cases[i]);
	return r;
}

static struct result *plain_result(const struct golden *g)
{
	size_t count;
	char **cases = operations(g, &count);
	struct result *r = make_result(g, cases, count);

	for (size_t i = 0; i < g->count; i++) {
		const struct row *row = &g->rows[i];
		size_t v = find_name(r->variants, r->variants_count, row->kernel);
		size_t c = find_name(r->cases, count, row->operation);
		struct result_sample s = {.value = row->value, .boot = 1};

		if (v < r->variants_count && row->number)
			result_cell_add(result_cell(r, c, v), &s);
	}
	for (size_t i = 0; i < count; i++)
		free(cases[i]);
	free(cases);
	return r;
}

/* The counters of /proc/schedstat in the order of struct counts. */
enum counter {
	TTWU_COUNT,
	TTWU_LOCAL,
	SIS_SEARCH,
	SIS_DOMAIN_SEARCH,
	SIS_SCANNED,
	SIS_FAILED,
	RECENT_HIT,
	RECENT_MISS,
	CORE_SEARCH,
	CORE_MISS,
	COUNTERS,
};

static const char *const counter_names[COUNTERS][2] = {
	{"ttwu_count", "ttwu_count"},	    {"ttwu_local", "ttwu_local"},
	{"sis_search", "sis_search"},	    {"sis_domain_search", "sis_domain_search"},
	{"sis_scanned", "sis_scanned"},	    {"sis_failed", "sis_failed"},
	{"sis_recent_hit", "recent_hit"},   {"sis_recent_miss", "recent_miss"},
	{"sis_core_search", "core_search"}, {"sis_core_miss", "core_miss"},
};

struct counts {
	double delta[COUNTERS]; /* NaN: this kernel does not count it */
};

static struct counts count_kernel(const struct golden *g, const char *kernel, const char *test)
{
	struct counts c;
	size_t len = strlen(test);

	for (size_t k = 0; k < COUNTERS; k++) {
		double ends[2] = {NAN, NAN};

		for (size_t i = 0; i < g->count; i++) {
			const struct row *row = &g->rows[i];
			const char *name = row->operation + len + 1;

			if (strcmp(row->kernel, kernel) || strncmp(row->operation, test, len) ||
			    row->operation[len] != ':')
				continue;
			if (!strcmp(name, counter_names[k][0]) ||
			    !strcmp(name, counter_names[k][1]))
				ends[!strcmp(row->iteration, "end")] = row->value;
		}
		c.delta[k] = ends[1] - ends[0];
	}
	return c;
}

static double percent(double part, double whole, double otherwise)
{
	return whole == 0 ? otherwise : 100 * part / whole;
}

enum { SCHEDSTAT_ROWS = 18 };

static const char *const schedstat_rows[SCHEDSTAT_ROWS] = {
	"TTWU Count",
	"TTWU Local",
	"SIS Search",
	"SIS Domain Search",
	"SIS Scanned",
	"SIS Domain Scanned",
	"SIS Failures",
	"SIS Core Search",
	"SIS Core Hit",
	"SIS Core Miss",
	"SIS Recent Used Hit",
	"SIS Recent Used Miss",
	"SIS Recent Attempts",
	"SIS Search Efficiency",
	"SIS Domain Search Eff",
	"SIS Fast Success Rate",
	"SIS Success Rate",
	"SIS Recent Success Rate",
};

static void schedstat_values(const struct counts *c, double v[SCHEDSTAT_ROWS])
{
	double d[COUNTERS], domain_scanned, attempts;

	/* The layout has no way to say that a kernel lacks a counter: it prints 0 and a note. */
	for (size_t k = 0; k < COUNTERS; k++)
		d[k] = isnan(c->delta[k]) ? 0 : c->delta[k];
	domain_scanned = d[SIS_SCANNED] - (d[SIS_SEARCH] - d[SIS_DOMAIN_SEARCH]);
	attempts = d[RECENT_HIT] + d[RECENT_MISS];
	v[0] = d[TTWU_COUNT];
	v[1] = d[TTWU_LOCAL];
	v[2] = d[SIS_SEARCH];
	v[3] = d[SIS_DOMAIN_SEARCH];
	v[4] = d[SIS_SCANNED];
	v[5] = domain_scanned;
	v[6] = d[SIS_FAILED];
	v[7] = d[CORE_SEARCH];
	v[8] = d[CORE_SEARCH] - d[CORE_MISS];
	v[9] = d[CORE_MISS];
	v[10] = d[RECENT_HIT];
	v[11] = d[RECENT_MISS];
	v[12] = attempts;
	v[13] = percent(d[SIS_SEARCH], d[SIS_SCANNED], 100);
	v[14] = percent(d[SIS_DOMAIN_SEARCH], d[SIS_SCANNED] == 0 ? 0 : domain_scanned, 100);
	v[15] = percent(d[SIS_SEARCH] - d[SIS_DOMAIN_SEARCH], d[SIS_SEARCH], 100);
	v[16] = percent(d[SIS_SEARCH] - d[SIS_FAILED], d[SIS_SEARCH], 100);
	v[17] = percent(d[RECENT_HIT], attempts, 0);
}

static int check_counts(const char *kernel, const struct counts *c, struct error *err)
{
	if (isnan(c->delta[TTWU_COUNT]) && isnan(c->delta[SIS_SEARCH]))
		return error_set(err, ERROR_FAILED, "kernel '%s' has no schedstat counters",
				 kernel);
	if (isnan(c->delta[SIS_SEARCH]) || isnan(c->delta[SIS_SCANNED]))
		return error_set(
			err, ERROR_FAILED,
			"kernel '%s' does not count searches for idle CPUs: its "
			"/proc/schedstat has no SIS fields (they need the kernel patch that "
			"adds them)",
			kernel);
	for (size_t k = 0; k < COUNTERS; k++)
		if (isnan(c->delta[k]))
			fprintf(stderr, "%s: no counter %s, shown as 0\n", kernel,
				counter_names[k][0]);
	return 0;
}

static struct result *schedstat_result(const struct golden *g, struct error *err)
{
	struct result *r = make_result(g, (char **)schedstat_rows, SCHEDSTAT_ROWS);
	char *test = meta_get(g, "benchmark", "");
	double values[SCHEDSTAT_ROWS];
	int ret = 0;

	for (size_t v = 0; v < r->variants_count && !ret; v++) {
		struct counts c = count_kernel(g, r->variants[v], test);

		ret = check_counts(r->variants[v], &c, err);
		schedstat_values(&c, values);
		for (size_t i = 0; i < SCHEDSTAT_ROWS; i++) {
			struct result_sample s = {.value = values[i], .boot = 1};

			result_cell_add(result_cell(r, i, v), &s);
		}
	}
	free(test);
	if (ret) {
		result_free(r);
		return NULL;
	}
	return r;
}

static void set_options(const struct golden *g, struct report_options *opt)
{
	static const struct {
		const char *name;
		enum report_rows rows;
	} sets[] = {
		{"NormalisedLeftSkewops", ROWS_LEFT_SKEW},
		{"Normalisedops", ROWS_NORMALISED},
		{"Singleops", ROWS_SINGLE},
		{"Multiops", ROWS_MULTI},
	};
	char *stat = meta_get(g, "stat", "Multiops"), *options = meta_get(g, "options", "");
	char *mode = meta_get(g, "mode", "compare"), *precision = meta_get(g, "precision", "2");
	char *width = meta_get(g, "fieldlength", "0");

	opt->significance = strncmp(stat, "legacy", 6) ? SIGNIFICANCE_MMTESTS
						       : SIGNIFICANCE_MMTESTS_LEGACY;
	for (size_t i = sizeof(sets) / sizeof(*sets); i-- > 0;)
		if (strstr(stat, sets[i].name))
			opt->rows = sets[i].rows;
	opt->decimals = atoi(precision) ? atoi(precision) : 2;
	opt->field = atoi(width);
	opt->ratio = strstr(options, "--print-ratio") || !strcmp(mode, "ratio");
	opt->significance_rows = strstr(options, "--print-significance") ||
				 strstr(mode, "significance");
	opt->no_compare = strstr(options, "--no-compare") || strstr(mode, "no-compare") ||
			  strstr(mode, "nocompare") || !strncmp(mode, "monitor", 7);
	opt->html = strstr(options, "html") || strstr(mode, "html");
	if (!strcmp(mode, "monitor-duration"))
		opt->row_label = "Duration";
	free(stat);
	free(options);
	free(mode);
	free(precision);
	free(width);
}

static struct result *read_result(const struct golden *g, struct error *err)
{
	char *mode = meta_get(g, "mode", "compare");
	struct result *r = NULL;

	if (!g->kernels_count)
		error_set(err, ERROR_USAGE, "meta.txt: no kernels");
	else if (!strcmp(mode, "monitor-mmtests-schedstat"))
		r = schedstat_result(g, err);
	else if (!strncmp(mode, "monitor", 7) && strcmp(mode, "monitor-duration"))
		error_set(err, ERROR_USAGE, "meta.txt: no table for mode '%s'", mode);
	else
		r = plain_result(g);
	free(mode);
	return r;
}

static int print_case(struct golden *g, struct error *err)
{
	struct strbuf out = STRBUF_INIT, notes = STRBUF_INIT;
	struct report_options opt = {.notes = &notes};
	const struct report_style *style = report_style_find("mmtests", err);
	struct result *r;
	int ret = -1;

	set_options(g, &opt);
	r = style ? read_result(g, err) : NULL;
	if (r)
		ret = style->print(r, &opt, &out, err);
	result_free(r);
	fputs(notes.buf, stderr);
	if (!ret && (fputs(out.buf, stdout) == EOF || fflush(stdout)))
		ret = error_set(err, ERROR_FAILED, "cannot write the table");
	strbuf_release(&out);
	strbuf_release(&notes);
	return ret;
}

int main(int argc, char **argv)
{
	struct golden g = {0};
	struct error err = ERROR_INIT;
	int ret = -1;

	if (argc != 2) {
		fprintf(stderr, "usage: golden-case DIR\n");
		return ERROR_USAGE;
	}
	g.meta = read_text(argv[1], "meta.txt", &err);
	g.csv = g.meta ? read_text(argv[1], "samples.csv", &err) : NULL;
	if (g.csv && !parse_samples(&g, &err)) {
		parse_kernels(&g);
		ret = print_case(&g, &err);
	}
	if (ret)
		fprintf(stderr, "golden-case: %s\n", err.msg);
	for (size_t i = 0; i < g.kernels_count; i++)
		free(g.kernels[i]);
	free(g.kernels);
	free(g.rows);
	free(g.csv);
	free(g.meta);
	return ret ? (int)err.kind : 0;
}
