// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mmtests.h"
#include "util/xalloc.h"

enum { MAX_VALUES = 32 };

/*
 * schbench prints sections of percentiles ("Wakeup Latencies percentiles (usec) runtime 15 (s)")
 * and below them lines "99.0th: 1234 (56 samples)", some with a star. The report of
 * an interval ends with "current rps". The final one, with "average rps", covers an interval that
 * was cut short, or all of the run, so it is no sample beside the intervals.
 */
struct schbench {
	char *threads;
	const char *section; /* beginning of metrics; NULL: none that is known */
	struct {
		unsigned metric;
		double value;
	} values[MAX_VALUES]; /* of this interval */
	unsigned count;
	long repetition;
	char *failure;
};

static const char *section_of(const char *line)
{
	if (!strncmp(line, "Wakeup Latencies", 16) || !strncmp(line, "Latency percentiles", 19))
		return "wakeup";
	if (!strncmp(line, "Request Latencies", 17))
		return "request";
	return !strncmp(line, "RPS", 3) ? "rps" : NULL;
}

/* "99.9000" becomes 99_9, as schedbench's own metrics are named. */
static char *metric_name(const char *section, const char *percentile)
{
	char *name, *end;

	name = xasprintf("%s_p%.8s", section, percentile);
	if (strchr(name, '.')) {
		for (end = name + strlen(name); end[-1] == '0';)
			*--end = '\0';
		if (end[-1] == '.')
			end[-1] = '\0';
	}
	for (end = name; *end; end++)
		*end = *end == '.' ? '_' : *end;
	return name;
}

static void keep_value(const struct mmtests_log *log, struct schbench *b, unsigned metric,
		       double value)
{
	bool twice = b->count == MAX_VALUES;

	for (unsigned i = 0; !twice && i < b->count; i++)
		twice = b->values[i].metric == metric;
	if (!twice) {
		b->values[b->count].metric = metric;
		b->values[b->count++].value = value;
	} else if (!b->failure) {
		b->failure = xasprintf("line %u of the log: the report has this percentile twice",
				       log->line);
	}
}

static int take_percentile(struct mmtests_log *log, struct schbench *b, char *line,
			   struct error *err)
{
	char *words[3], *end, *name;
	unsigned n, star, metric;
	bool rps = b->section && !strcmp(b->section, "rps");
	double value;
	int ret;

	n = log_words(line, words, 3);
	star = n && !strcmp(words[0], "*");
	if (n && !star && *words[0] == '*')
		words[0]++; /* the format of 2019: "*99.0th:" */
	if (!b->section || n < star + 2u || !(end = strstr(words[star], "th:")) || end[3])
		return 0;
	*end = '\0';
	if (!log_is_number(words[star]))
		return 0;
	if (!log_value(log, words[star + 1], true, &value) && !b->failure)
		b->failure = xstrdup(log->why);
	name = metric_name(b->section, words[star]);
	ret = log_metric(log, name, rps ? "requests/s" : "usec", rps, &metric, err);
	if (!ret)
		keep_value(log, b, metric, value);
	free(name);
	return ret;
}

/* Intervals end with "current rps". */
static void end_interval(const struct mmtests_log *log, struct schbench *b)
{
	for (unsigned i = 0; i < b->count; i++)
		log_add(log, b->threads, b->values[i].metric, b->repetition, b->values[i].value,
			NULL);
	b->repetition += b->count > 0;
	b->count = 0;
	b->section = NULL;
}

static int take_line(struct mmtests_log *log, struct schbench *b, char *line, struct error *err)
{
	log_keep_failure(&b->failure, line);
	if (strstr(line, "percentiles")) {
		b->section = section_of(line);
		/* A report starts with this one: what no "current rps" ended is none. */
		if (b->section && !strcmp(b->section, "wakeup"))
			b->count = 0;
		return 0;
	}
	if (strncmp(line, "current rps", 11))
		return take_percentile(log, b, line, err);
	end_interval(log, b);
	return 0;
}

/* What failed in the end was not measured well before. */
static void fail_all(struct import *imp, size_t from, const char *reason)
{
	for (size_t i = from; i < imp->count; i++)
		if (!imp->samples[i].reason)
			imp->samples[i].reason = xstrdup(reason);
}

int parse_schbench(struct mmtests_log *log, struct error *err)
{
	struct schbench b = {.threads = log_case(log->name, "schbench-", ".log")};
	size_t before = log->imp->count;
	char *line;
	int ret = 0;

	if (!b.threads)
		return LOG_UNKNOWN;
	while (!ret && (line = log_line(log)))
		ret = take_line(log, &b, line, err);
	/* Shorter than an interval: the final report is about all of it. */
	if (!ret && !b.repetition)
		end_interval(log, &b);
	if (!ret && !b.repetition)
		log_add(log, b.threads, 0, 0, NAN,
			b.failure ? b.failure : "the log holds no percentiles");
	else if (!ret && b.failure)
		fail_all(log->imp, before, b.failure);
	free(b.failure);
	free(b.threads);
	return ret;
}
