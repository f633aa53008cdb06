// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "peer.h"
#include "peer_text.h"

/* The programs of byte-unixbench, which print "COUNT|N|1|lps" at their end. */

static const struct {
	const char *program;
	int64_t seconds; /* that its driver lets it run */
	double baseline; /* rate of the SPARCstation 20-61 */
} tests[] = {
	{"dhry2reg", 10, 116700}, {"syscall", 10, 15000}, {"pipe", 10, 12440},
	{"context1", 10, 4000},	  {"spawn", 30, 126},	  {"execl", 30, 43},
};

static const char *const variants[] = {"mix", "close", "getpid"};

static const char *program_of(const struct peer_job *job)
{
	return tests[peer_number(job, "test")].program;
}

static int64_t seconds_of(const struct peer_job *job)
{
	int64_t ns = peer_number(job, "duration");

	return ns ? ns / 1000000000 : tests[peer_number(job, "test")].seconds;
}

static int plan(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	bool is_syscall = !strcmp(program_of(job), "syscall");
	int64_t copies = peer_number(job, "copies"), variant = peer_number(job, "variant");

	if (peer_number(job, "duration") % 1000000000)
		return error_set(err, ERROR_USAGE,
				 "'--duration' of UnixBench is a whole number of seconds");
	if (variant && !is_syscall)
		return error_set(err, ERROR_USAGE, "'%s' of UnixBench has no '--variant'",
				 program_of(job));
	if (copies > PEER_COPIES)
		return error_set(err, ERROR_USAGE, "more than %d copies of the original",
				 PEER_COPIES);
	p->copies = (unsigned)copies;
	p->limit_s = 2 * (double)seconds_of(job) + 60;
	/* execl executes itself by this name. */
	p->folder_variable = "UB_BINDIR";
	if (peer_arg(&p->client, err, "%s", program_of(job)) ||
	    peer_arg(&p->client, err, "%" PRId64, seconds_of(job)))
		return -1;
	return is_syscall ? peer_arg(&p->client, err, "%s", variants[variant]) : 0;
}

/* context1 prints a count of its child too: the same loops, not more of them. */
static int read_count(const struct peer_job *job, const char *text, double *value,
		      struct error *err)
{
	bool twice = !strcmp(program_of(job), "context1");
	struct text_match m, more;
	const char *rest = text;

	if (!text_next(&rest, "COUNT|%n|1|lps", &m))
		return error_set(err, ERROR_FAILED, "%s printed no line 'COUNT|N|1|lps'",
				 program_of(job));
	*value = m.numbers[0];
	while (text_next(&rest, "COUNT|%n|1|lps", &more)) {
		if (!twice || fabs(more.numbers[0] - *value) > 1)
			return error_set(err, ERROR_FAILED, "%s printed two counts, %.0f and %.0f",
					 program_of(job), *value, more.numbers[0]);
		twice = false;
	}
	/* One is what an optimiser leaves of a loop that nobody looks at. */
	if (*value > 1)
		return 0;
	return error_set(err, ERROR_FAILED,
			 "%s counted %.0f loops: it was optimised away (build it without -flto)",
			 program_of(job), *value);
}

/* Some know how long it took, for others the driver looks at the clock. */
static int read_rate(const struct peer_job *job, const struct peer_output *o, double *rate,
		     struct error *err)
{
	double asked = (double)seconds_of(job), count = 0, seconds = o->wall_s;
	const char *rest = o->err;
	struct text_match m;

	if (read_count(job, o->err, &count, err))
		return -1;
	if (text_next(&rest, "TIME|%n", &m))
		seconds = m.numbers[0];
	if (seconds < asked - 1)
		return error_set(err, ERROR_FAILED, "%s ran for %g s instead of %g s",
				 program_of(job), seconds, asked);
	*rate = count / seconds;
	return 0;
}

static int read_text(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	double baseline = tests[peer_number(job, "test")].baseline, sum = 0, rate = 0;
	char line[160];

	for (unsigned i = 0; i < count; i++) {
		if (text_find(o[i].err, "failed", line, sizeof(line)))
			return error_set(err, ERROR_FAILED, "%s says: %s", program_of(job), line);
		if (read_rate(job, &o[i], &rate, err))
			return -1;
		sum += rate;
	}
	return peer_value(values, "rate", NULL, sum, err) ||
			       peer_value(values, "index", NULL, sum / baseline * 10, err)
		       ? -1
		       : 0;
}

static const struct peer_flag flags[] = {
	{.name = "test"},    {.name = "copies"}, {.name = "duration"},
	{.name = "variant"}, {.name = NULL},
};

static const char *const metrics[] = {"rate", "index", NULL};

PEER(unixbench) = {
	.workload = "unixbench",
	.programs = "dhry2reg, syscall, pipe, context1, spawn, execl",
	.source = "byte-unixbench has them in UnixBench/pgms: add that to PATH",
	.metrics = metrics,
	.flags = flags,
	.note = "One pass of one test, without the pauses and the choice of passes of its driver "
		"Run. The rate\n"
		"  is the sum of the copies' counts over their times.",
	.plan = plan,
	.read = read_text,
};
