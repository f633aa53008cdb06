// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <math.h>

#include "peer.h"
#include "peer_text.h"

/* stress-ng --cpu N --cpu-load P. */

static int plan(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	struct peer_command *c = &p->client;
	double load = peer_real(job, "load");

	if (!peer_number(job, "cpu"))
		return error_set(err, ERROR_USAGE,
				 "stress-ng counts all CPUs of the machine where ours counts those "
				 "that may be used (say how many: --cpu N)");
	if (load != floor(load))
		return error_set(err, ERROR_USAGE, "'--load' of stress-ng is a whole number of %%");
	p->limit_s = 2 * (double)peer_number(job, "timeout") / 1e9 + 60;
	/* One method of work: the default takes turns with methods of very different length. */
	return peer_arg(c, err, "stress-ng") || peer_arg(c, err, "--metrics") ||
			       peer_arg(c, err, "--cpu-method") || peer_arg(c, err, "loop")
		       ? -1
		       : 0;
}

/* The row of the table of --metrics; versions differ in how much stands behind its first columns:
 * operations, seconds of wall, user and system time. */
static int find_row(const char *text, struct text_match *m, struct error *err)
{
	static const char *const patterns[] = {
		"stress-ng: %s [%n] cpu %n %n %n %n %n %n",
		"stress-ng: %s [%n] cpu %n %n %n %n %n %n %n",
		"stress-ng: %s [%n] cpu %n %n %n %n %n %n %n %n",
	};
	struct text_match each;
	unsigned found = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const char *rest = text;

		while (text_next(&rest, patterns[i], &each)) {
			*m = each;
			found++;
		}
	}
	if (found == 1)
		return 0;
	return error_set(err, ERROR_FAILED, "stress-ng printed %u rows of metrics for cpu, not one",
			 found);
}

static int read_text(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	int64_t workers = peer_number(job, "cpu");
	double asked = (double)peer_number(job, "timeout") / 1e9, real;
	struct text_match m;
	char line[160], bad[160];

	(void)count;
	if (text_find(o->err, "unsuccessful run", bad, sizeof(bad)))
		return error_set(err, ERROR_FAILED, "stress-ng says: %s", bad);
	snprintf(line, sizeof(line), "stress-ng: info: [%%n] dispatching hogs: %" PRId64 " cpu",
		 workers);
	if (text_only(o->err, "stress-ng", line, &m, err) || find_row(o->err, &m, err))
		return -1;
	real = m.numbers[2];
	if (real < 0.9 * asked)
		return error_set(err, ERROR_FAILED, "stress-ng ran for %g s instead of %g s", real,
				 asked);
	return peer_value(values, "duty", NULL,
			  100 * (m.numbers[3] + m.numbers[4]) / (real * (double)workers), err);
}

static const struct peer_flag flags[] = {
	{.name = "cpu", .flag = "--cpu"},
	{.name = "load", .flag = "--cpu-load"},
	{.name = "slice-ms", .flag = "--cpu-load-slice", .unit = "ms"},
	{.name = "timeout", .flag = "--timeout", .unit = "s"},
	{.name = NULL},
};

static const char *const metrics[] = {"duty", NULL};

PEER(cpuload) = {
	.workload = "cpuload",
	.programs = "stress-ng",
	.source = "apt-get install stress-ng",
	.metrics = metrics,
	.flags = flags,
	.note = "It says the CPU time of all workers together, in hundredths of a second. Until "
		"0.15.07 it is\n"
		"  to be compared with --mode cpu of ours, from 0.15.08 on with --mode wall.",
	.plan = plan,
	.read = read_text,
};
