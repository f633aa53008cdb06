// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "peer.h"
#include "peer_text.h"

/* schbench in its three forms; the program does not say which one it is, its output does. */

#define NEW_HEADING "Wakeup Latencies percentiles"
#define OLD_HEADING "Latency percentiles"

/* A percentile of a block; 100 stands for the maximum. */
struct wanted {
	double percent;
	const char *metric;
};

/* The lines below the last heading that starts like this: reports of intervals come before it.
 * NULL: there is none. */
static const char *last_block(const char *text, const char *heading)
{
	const char *found = NULL;

	for (const char *p = text; *p;) {
		const char *line = p + strspn(p, " \t");
		size_t len = strcspn(p, "\n");
		bool ended = p[len] == '\n';

		p += len + ended;
		if (ended && !strncmp(line, heading, strlen(heading)))
			found = p;
	}
	return found;
}

/* "* 99.0th: 175 (2590 samples)" and older shapes of it, "min=1, max=10224". */
static bool match_row(const char *line, bool samples, double *percent, double *value)
{
	static const char *const with[] = {"%nth: %n (%n samples)", "* %nth: %n (%n samples)",
					   "*%nth: %n (%n samples)"};
	static const char *const without[] = {"%nth: %n", "* %nth: %n", "*%nth: %n"};
	struct text_match m;

	for (size_t i = 0; i < 3; i++)
		if (text_line(line, samples ? with[i] : without[i], &m)) {
			*percent = m.numbers[0];
			*value = m.numbers[1];
			return true;
		}
	if (!text_line(line, "min=%n, max=%n", &m))
		return false;
	*percent = 100;
	*value = m.numbers[1];
	return true;
}

static bool find_percentile(const char *block, bool samples, double wanted, double *value)
{
	double percent;

	while (match_row(block, samples, &percent, value)) {
		if (percent == wanted)
			return true;
		block += strcspn(block, "\n") + 1;
	}
	return false;
}

static int read_block(const char *text, const char *heading, bool samples,
		      const struct wanted *wanted, struct peer_values *values, struct error *err)
{
	const char *block = last_block(text, heading);
	double value;

	if (!block)
		return error_set(err, ERROR_FAILED, "schbench printed no '%s'", heading);
	for (; wanted->metric; wanted++) {
		if (!find_percentile(block, samples, wanted->percent, &value))
			return error_set(err, ERROR_FAILED,
					 "schbench printed no %gth percentile below '%s'",
					 wanted->percent, heading);
		if (peer_value(values, wanted->metric, NULL, value, err))
			return -1;
	}
	return 0;
}

static const char *report_of(const struct peer_output *o)
{
	return strstr(o->err, "percentiles (usec)") ? o->err : o->out;
}

static const struct wanted wakeup[] = {{99, "wakeup_p99"},  {50, "wakeup_p50"},
				       {90, "wakeup_p90"},  {99.9, "wakeup_p99_9"},
				       {100, "wakeup_max"}, {0, NULL}};
static const struct wanted request[] = {{99, "request_p99"},  {50, "request_p50"},
					{90, "request_p90"},  {99.9, "request_p99_9"},
					{100, "request_max"}, {0, NULL}};
static const struct wanted rps[] = {{50, "rps_p50"}, {20, "rps_p20"}, {90, "rps_p90"}, {0, NULL}};

static int read_transfer(const char *text, struct peer_values *values, struct error *err)
{
	struct text_match m;

	if (text_only(text, "schbench", "avg worker transfer: %n ops/sec %s", &m, err))
		return -1;
	if (m.numbers[0] <= 0)
		return error_set(err, ERROR_FAILED, "schbench transferred nothing");
	return peer_value(values, "transfer", NULL, m.numbers[0], err);
}

/* The line that only a run which came to its end prints. */
static int read_average(const char *text, struct peer_values *values, struct error *err)
{
	struct text_match m;

	if (text_only(text, "schbench", "average rps: %n", &m, err))
		return -1;
	if (m.numbers[0] <= 0)
		return error_set(err, ERROR_FAILED, "schbench completed no request");
	return peer_value(values, "average_rps", NULL, m.numbers[0], err);
}

static int read_new(const struct peer_job *job, const struct peer_output *o, unsigned count,
		    struct peer_values *values, struct error *err)
{
	const char *text = report_of(o);

	(void)count;
	if (!strstr(text, NEW_HEADING) && strstr(text, OLD_HEADING))
		return error_set(err, ERROR_FAILED,
				 "this schbench is an old one (use workload schbench-v1-2019 or "
				 "schbench-v1-2021)");
	if (read_block(text, NEW_HEADING, true, wakeup, values, err))
		return -1;
	if (peer_number(job, "pipe"))
		return read_transfer(text, values, err);
	return read_block(text, "Request Latencies percentiles", true, request, values, err) ||
			       read_block(text, "RPS percentiles", true, rps, values, err) ||
			       read_average(text, values, err)
		       ? -1
		       : 0;
}

static int read_v1(const struct peer_output *o, bool samples, struct peer_values *values,
		   struct error *err)
{
	static const struct wanted latency[] = {
		{99, "wakeup_p99"},	{50, "wakeup_p50"},  {75, "wakeup_p75"},
		{90, "wakeup_p90"},	{95, "wakeup_p95"},  {99.5, "wakeup_p99_5"},
		{99.9, "wakeup_p99_9"}, {100, "wakeup_max"}, {0, NULL}};
	const char *text = report_of(o), *block = last_block(text, OLD_HEADING);
	double unused;

	if (strstr(text, NEW_HEADING))
		return error_set(err, ERROR_FAILED,
				 "this schbench is a new one (use workload schbench)");
	if (block && find_percentile(block, !samples, 50, &unused))
		return error_set(err, ERROR_FAILED,
				 "this schbench is the one of %s (use workload schbench-v1-%s)",
				 samples ? "2019" : "2021", samples ? "2019" : "2021");
	return read_block(text, OLD_HEADING, samples, latency, values, err);
}

static int read_2019(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	(void)job;
	(void)count;
	return read_v1(o, false, values, err);
}

static int read_2021(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	(void)job;
	(void)count;
	return read_v1(o, true, values, err);
}

static int plan_any(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	p->limit_s = 2 * (double)peer_number(job, "runtime") / 1e9 + 60;
	return peer_arg(&p->client, err, "schbench");
}

/* Below 30 seconds it drops the warm-up without a word. */
static int plan_warm(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	int64_t warmup = peer_number(job, "warmuptime"), time = peer_number(job, "runtime");

	if (warmup && time < 30 * 1000000000LL)
		return error_set(err, ERROR_USAGE,
				 "schbench forgets --warmuptime when --runtime is below 30 s "
				 "(--warmuptime 0, or a longer run)");
	if (plan_any(job, p, err))
		return -1;
	p->limit_s += 2 * (double)warmup / 1e9;
	return 0;
}

#define COMMON_FLAGS                                                                               \
	{.name = "message-threads", .flag = "-m"}, {.name = "runtime", .flag = "-r", .unit = "s"}, \
		{.name = "pipe", .flag = "-p", .changed_only = true},                              \
	{                                                                                          \
		.name = "rps", .flag = "-R", .changed_only = true                                  \
	}

#define INTERVAL_FLAGS                                                                             \
	{.name = "warmuptime", .flag = "-w", .unit = "s"},                                         \
		{.name = "intervaltime", .flag = "-i", .unit = "s", .changed_only = true},         \
	{                                                                                          \
		.name = "zerotime", .flag = "-z", .unit = "s", .changed_only = true                \
	}

/* Of the new one 0 stands for its default, of the old ones the number is always said. */
static const struct peer_flag new_flags[] = {
	COMMON_FLAGS,
	{.name = "threads", .flag = "-t", .changed_only = true},
	INTERVAL_FLAGS,
	{.name = "cache_footprint", .flag = "-F"},
	{.name = "operations", .flag = "-n"},
	{.name = "sleep_usec", .flag = "-s", .unit = "us", .changed_only = true},
	{.name = "no-locking", .flag = "-L"},
	{.name = "calibrate", .flag = "-C"},
	{.name = "auto-rps", .flag = "-A", .changed_only = true},
	{.name = "message-cpus", .flag = "-M"},
	{.name = "worker-cpus", .flag = "-W"},
	{.name = NULL},
};

#define V1_FLAGS                                                                                   \
	COMMON_FLAGS, {.name = "threads", .flag = "-t"},                                           \
		{.name = "cputime", .flag = "-c", .unit = "us"},                                   \
	{                                                                                          \
		.name = "sleeptime", .flag = "-s", .unit = "us"                                    \
	}

static const struct peer_flag flags_2019[] = {V1_FLAGS, {.name = NULL}};
static const struct peer_flag flags_2021[] = {V1_FLAGS, INTERVAL_FLAGS, {.name = NULL}};

static const char *const new_metrics[] = {
	"wakeup_p99",	 "wakeup_p50",	"wakeup_p90",  "wakeup_p99_9",
	"wakeup_max",	 "request_p99", "request_p50", "request_p90",
	"request_p99_9", "request_max", "rps_p50",     "rps_p20",
	"rps_p90",	 "average_rps", "transfer",    NULL};

static const char *const v1_metrics[] = {"wakeup_p99",	 "wakeup_p50", "wakeup_p75",
					 "wakeup_p90",	 "wakeup_p95", "wakeup_p99_5",
					 "wakeup_p99_9", "wakeup_max", NULL};

#define SOURCE                                                                                     \
	"compile it from git.kernel.org/pub/scm/linux/kernel/git/mason/schbench.git and put it "   \
	"there"

PEER(schbench) = {
	.workload = "schbench",
	.programs = "schbench",
	.source = SOURCE,
	.metrics = new_metrics,
	.flags = new_flags,
	.note = "With --rps it queues the requests of a second at its start and counts the wake-up "
		"at the end\n"
		"  as a latency; its request latency leaves out the wait in the queue.",
	.plan = plan_warm,
	.read = read_new,
};

PEER(schbench_2019) = {
	.workload = "schbench-v1-2019",
	.programs = "schbench",
	.source = SOURCE ", as it was in 2019",
	.metrics = v1_metrics,
	.flags = flags_2019,
	.note = "Latencies of 0 us are left out of its percentiles.",
	.plan = plan_any,
	.read = read_2019,
};

PEER(schbench_2021) = {
	.workload = "schbench-v1-2021",
	.programs = "schbench",
	.source = SOURCE ", as it was in 2021",
	.metrics = v1_metrics,
	.flags = flags_2021,
	.note = "Latencies of 0 us are left out of its percentiles.",
	.plan = plan_warm,
	.read = read_2021,
};
