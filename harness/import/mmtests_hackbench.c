// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mmtests.h"
#include "util/xalloc.h"

#define ATTEMPTS 5 /* mmtests tries as often for each iteration */

/*
 * The outputs of all attempts stand one after the other in hackbench-GROUPS, those that failed
 * too, and no exit status beside them.
 */
struct attempt {
	double time; /* NaN: none yet */
	char *failure; /* first line that tells of one */
	bool open, timed; /* something of it was seen, its time was */
};

static void close_attempt(const struct mmtests_log *log, struct attempt *a, const char *groups,
			  unsigned metric)
{
	const char *reason = a->failure;

	if (!a->open)
		return;
	if (!reason && isnan(a->time))
		reason = "the attempt ended without a time";
	log_add(log, groups, metric, IMPORT_NEXT, a->time, reason);
	free(a->failure);
	*a = (struct attempt){.time = NAN};
}

static bool starts_attempt(const char *line)
{
	return !strncmp(line, "# Running", 9) || !strncmp(line, "Running in", 10);
}

static void take_time(struct mmtests_log *log, const char *total, struct attempt *a)
{
	char *copy = xstrndup(strchr(total, ':') + 1, 200), *words[1];

	if (!log_words(copy, words, 1))
		*words = copy;
	if (!log_value(log, *words, false, &a->time) && !a->failure)
		a->failure = xstrdup(log->why);
	a->timed = true;
	free(copy);
}

static void take_line(struct mmtests_log *log, const char *line, struct attempt *a,
		      const char *groups, unsigned metric)
{
	const char *total = line + strspn(line, " \t");
	bool timed = !strncmp(total, "Total time:", 11) || !strncmp(line, "Time:", 5);

	if (starts_attempt(line) || (timed && a->timed))
		close_attempt(log, a, groups, metric);
	if (timed)
		take_time(log, total, a);
	else
		log_keep_failure(&a->failure, line);
	if (timed || a->failure || starts_attempt(line))
		a->open = true;
}

int parse_hackbench(struct mmtests_log *log, struct error *err)
{
	struct attempt a = {.time = NAN};
	size_t before = log->imp->count;
	char *groups = log_case(log->name, "hackbench-", ""), *line;
	unsigned metric;
	int ret;

	if (!groups)
		return LOG_UNKNOWN;
	log->imp->retried = true;
	ret = log_metric(log, "time", "s", false, &metric, err);
	while (!ret && (line = log_line(log)))
		take_line(log, line, &a, groups, metric);
	if (!ret)
		close_attempt(log, &a, groups, metric);
	if (!ret && log->imp->count == before)
		log_add(log, groups, metric, IMPORT_NEXT, NAN, "the log holds no attempt");
	free(a.failure);
	free(groups);
	return ret;
}

/* What a log holds: its samples stand together. */
struct count {
	size_t from, to;
	unsigned good;
	unsigned variant;
	long boot;
};

static size_t count_logs(const struct import *imp, struct count *counts)
{
	const struct import_sample *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < imp->count; i++) {
		const struct import_sample *s = &imp->samples[i];

		if (!last || s->variant != last->variant || s->boot != last->boot ||
		    s->kase != last->kase)
			counts[n++] =
				(struct count){.from = i, .variant = s->variant, .boot = s->boot};
		counts[n - 1].to = i + 1;
		counts[n - 1].good += !s->reason;
		last = s;
	}
	return n;
}

static int by_good(const void *a, const void *b)
{
	unsigned x = ((const struct count *)a)->good, y = ((const struct count *)b)->good;

	return (x > y) - (x < y);
}

/* The number of results that most logs hold, the smallest where several do; 0: all are empty. */
static unsigned usual_count(const struct count *counts, size_t n, size_t *logs)
{
	struct count *sorted = xcalloc(n + 1, sizeof(*sorted));
	unsigned usual = 0;

	*logs = 0;
	if (n)
		memcpy(sorted, counts, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_good);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && sorted[end].good == sorted[i].good;)
			end++;
		if (sorted[i].good && end - i > *logs) {
			*logs = end - i;
			usual = sorted[i].good;
		}
	}
	free(sorted);
	return usual;
}

/*
 * Nothing in a log tells a result of a failed attempt from a good one. A run asks for the same
 * number of each case, though: more is the sign of attempts that were repeated. Without being told
 * that number, believe it where every attempt was repeated to the end, or where most logs, and
 * others of the same run, hold the usual number.
 */
static bool was_retried(const struct count *counts, size_t n, size_t i, unsigned usual, size_t logs)
{
	if (counts[i].good == usual * ATTEMPTS)
		return true;
	for (size_t k = 0; logs > n / 2 && k < n; k++)
		if (counts[k].variant == counts[i].variant && counts[k].boot == counts[i].boot &&
		    counts[k].good == usual)
			return true;
	return false;
}

static void fail_log(struct import *imp, const struct count *c, unsigned usual)
{
	char *reason = xasprintf("%u results where %u were asked for: failed attempts were "
				 "repeated, and nothing tells which they are",
				 c->good, usual);

	for (size_t i = c->from; i < c->to; i++)
		if (!imp->samples[i].reason)
			imp->samples[i].reason = xstrdup(reason);
	free(reason);
}

void finish_hackbench(struct import *imp, const struct mmtests_options *opt)
{
	struct count *counts = xcalloc(imp->count + 1, sizeof(*counts));
	size_t n = count_logs(imp, counts), logs;
	unsigned usual = usual_count(counts, n, &logs);

	if (opt->iterations)
		usual = opt->iterations;
	for (size_t i = 0; i < n; i++)
		if (counts[i].good > usual &&
		    (opt->iterations || was_retried(counts, n, i, usual, logs)))
			fail_log(imp, &counts[i], usual);
	free(counts);
}
