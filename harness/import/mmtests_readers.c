// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mmtests.h"
#include "util/xalloc.h"

/*
 * tbench, throughput: lines of "clients operations MB/s MB/sec execute SECONDS sec ...", each the
 * mean since the start. mmtests takes them all for samples, the last one is the result.
 */
static int parse_tbench_tput(struct mmtests_log *log, struct error *err)
{
	char *clients = log_case(log->name, "benchlog-tput-", ""), *line, *words[5];
	const char *reason = "the log holds no throughput";
	double value = NAN;
	long repetition = 0;
	unsigned metric;
	int ret;

	if (!clients)
		return LOG_UNKNOWN;
	ret = log_metric(log, "throughput", "MB/s", true, &metric, err);
	while (!ret && (line = log_line(log))) {
		unsigned n = log_words(line, words, 5);

		if (n < 3 || !log_is_number(words[0]) || !log_is_number(words[1]) ||
		    (n > 4 && strcmp(words[4], "execute")))
			continue;
		reason = log_value(log, words[2], false, &value) ? NULL : log->why;
		if (!log->opt->last)
			log_add(log, clients, metric, repetition++, value, reason);
	}
	if (!ret && !repetition)
		log_add(log, clients, metric, 0, value, reason);
	free(clients);
	return ret;
}

/* tbench, loadfile: "ID completed in MS ms at time MS ms", one for each round of the load. */
static int parse_tbench_loadfile(struct mmtests_log *log, struct error *err)
{
	char *clients = log_case(log->name, "benchlog-loadfile-", ""), *line, *words[4];
	unsigned metric;
	double value;
	long n = 0;
	int ret;

	if (!clients)
		return LOG_UNKNOWN;
	ret = log_metric(log, "loadfile_time", "ms", false, &metric, err);
	while (!ret && (line = log_line(log))) {
		bool good;

		if (log_words(line, words, 4) < 5 || strcmp(words[1], "completed") ||
		    strcmp(words[2], "in"))
			continue;
		good = log_value(log, words[3], true, &value);
		log_add(log, clients, metric, n++, value, good ? NULL : log->why);
	}
	if (!ret && !n)
		log_add(log, clients, metric, 0, NAN, "no round of the load was completed");
	free(clients);
	return ret;
}

/* tbench, operations: "NAME COUNT MEAN MAX". */
static int parse_tbench_op(struct mmtests_log *log, struct error *err)
{
	char *clients = log_case(log->name, "benchlog-op-", ""), *line, *words[4];
	size_t before = log->imp->count;
	int ret = 0;

	if (!clients)
		return LOG_UNKNOWN;
	while (!ret && (line = log_line(log))) {
		unsigned metric;
		double value;
		bool good;
		char *name;

		if (log_words(line, words, 4) != 4 || !isalpha((unsigned char)*words[0]) ||
		    !log_is_number(words[1]) || strlen(words[0]) > 40)
			continue;
		name = xasprintf("latency_%s", import_quote(words[0]).text);
		ret = log_metric(log, name, "ms", false, &metric, err);
		good = log_value(log, words[2], true, &value);
		if (!ret)
			log_add(log, clients, metric, IMPORT_NEXT, value, good ? NULL : log->why);
		free(name);
	}
	if (!ret && log->imp->count == before)
		log_add(log, clients, 0, 0, NAN, "the log holds no operation");
	free(clients);
	return ret;
}

struct netperf_lines {
	double last, send, receive; /* NaN: no such line */
	const char *unit;
	char *failure;
};

static void netperf_line(struct netperf_lines *n, char *line)
{
	char *words[16];
	unsigned count, i = 0;

	if (strstr(line, "10^6bits") || strstr(line, "10^3bits"))
		n->unit = strstr(line, "10^6bits") ? "Mbit/s" : "kbit/s";
	else
		log_keep_failure(&n->failure, line);
	count = log_words(line, words, 16);
	while (i < count && i < 16 && log_is_number(words[i]))
		i++;
	if (!count || i < count)
		return;
	if (count > 4 && count <= 16)
		n->last = strtod(words[count - 1], NULL);
	if (count == 6)
		n->send = strtod(words[5], NULL);
	if (count == 4)
		n->receive = strtod(words[3], NULL);
}

/* Why the log is no result, NULL: it is one. What was sent and lost has not arrived. */
static const char *netperf_failure(const struct netperf_lines *n, bool datagrams)
{
	double value = datagrams ? n->receive : n->last;

	if (n->failure)
		return n->failure;
	if (isnan(value) || (datagrams && isnan(n->send)))
		return "netperf printed no result";
	return value <= 0 ? "nothing arrived" : NULL;
}

static int add_netperf(const struct mmtests_log *log, const char *size, long number,
		       const struct netperf_lines *n, struct error *err)
{
	bool rr = strstr(log->name, "_RR-") || strstr(log->name, "_CRR-");
	bool datagrams = !rr && (!strncmp(log->name, "UDP_", 4) || !strncmp(log->name, "DG_", 3));
	const char *failure = netperf_failure(n, datagrams);
	const char *unit = rr ? "trans/s" : n->unit ? n->unit : "-";
	unsigned metric, sent;

	if (failure) {
		log_add(log, size, 0, number, NAN, failure);
		return 0;
	}
	if (log_metric(log, datagrams ? "receive" : "throughput", unit, true, &metric, err) ||
	    (datagrams && log_metric(log, "send", unit, true, &sent, err)))
		return -1;
	log_add(log, size, metric, number, datagrams ? n->receive : n->last, NULL);
	if (datagrams)
		log_add(log, size, sent, number, n->send, NULL);
	return 0;
}

/* "PROTOCOL-SIZE.7": the size and the number. */
static char *netperf_size(const char *name, long *number)
{
	const char *dash = strrchr(name, '-'), *dot = strrchr(name, '.');
	char *repetition = dot ? log_case(dot, ".", "") : NULL;
	char *end = dot ? xstrdup(dot) : NULL;
	char *size = repetition && dash ? log_case(dash, "-", end) : NULL;

	*number = repetition ? strtol(repetition, NULL, 10) : 0;
	free(repetition);
	free(end);
	return size;
}

/* netperf, PROTOCOL-SIZE.NUMBER: tables of numbers; UDP streams have one line sent, one received. */
static int parse_netperf(struct mmtests_log *log, struct error *err)
{
	struct netperf_lines n = {.last = NAN, .send = NAN, .receive = NAN};
	char *line, *size;
	long number;
	int ret;

	size = netperf_size(log->name, &number);
	if (!size)
		return LOG_UNKNOWN;
	while ((line = log_line(log)))
		netperf_line(&n, line);
	ret = add_netperf(log, size, number, &n, err);
	free(size);
	free(n.failure);
	return ret;
}

/* "benchlog-CASE-_-7", the case a number or "_" */
static char *split_benchlog(const char *name, long *number)
{
	const char *dash = strrchr(name, '-');
	char *repetition = dash ? log_case(dash, "-", "") : NULL;
	char *end = xasprintf("-_%s", dash ? dash : ""), *kase = NULL, *none;

	if (repetition) {
		*number = strtol(repetition, NULL, 10);
		none = xasprintf("benchlog-_%s", end);
		kase = !strcmp(name, none) ? xstrdup("_") : log_case(name, "benchlog-", end);
		free(none);
	}
	free(repetition);
	free(end);
	return kase;
}

static const struct {
	const char *line, *metric;
} stream_kernels[] = {{"Triad:", "triad_best"},
		      {"Copy:", "copy_best"},
		      {"Scale:", "scale_best"},
		      {"Add:", "add_best"}};
enum { STREAM_KERNELS = sizeof(stream_kernels) / sizeof(*stream_kernels) };

/* A run of all four kernels: where one has no rate, or stream tells of a failure, none counts. */
static int add_stream(const struct mmtests_log *log, const char *threads, long number,
		      const double *values, const char *failure, struct error *err)
{
	unsigned metric;

	for (int i = 0; !failure && i < STREAM_KERNELS; i++)
		if (isnan(values[i]))
			failure = *log->why ? log->why : "stream printed no rate for each kernel";
	for (int i = 0; i < STREAM_KERNELS; i++) {
		if (log_metric(log, stream_kernels[i].metric, "MB/s", true, &metric, err))
			return -1;
		log_add(log, threads, metric, number, values[i], failure);
	}
	return 0;
}

/* stream: the best rate of each kernel stands in the second word. */
static int parse_stream(struct mmtests_log *log, struct error *err)
{
	double values[STREAM_KERNELS] = {NAN, NAN, NAN, NAN};
	char *threads, *line, *failure = NULL, *words[2];
	bool bad = false;
	long number;
	int ret;

	threads = split_benchlog(log->name, &number);
	if (!threads)
		return LOG_UNKNOWN;
	while ((line = log_line(log))) {
		log_keep_failure(&failure, line);
		if (log_words(line, words, 2) < 2)
			continue;
		for (int i = 0; !bad && i < STREAM_KERNELS; i++)
			if (!strcmp(words[0], stream_kernels[i].line))
				bad = !log_value(log, words[1], false, &values[i]);
	}
	ret = add_stream(log, threads, number, values, failure, err);
	free(failure);
	free(threads);
	return ret;
}

/* perf bench sched pipe: the word before usecs/op. */
static int parse_perfpipe(struct mmtests_log *log, struct error *err)
{
	char *kase, *line, *failure = NULL, *words[8];
	double value = NAN;
	unsigned metric;
	long number;
	int ret;

	kase = split_benchlog(log->name, &number);
	if (!kase)
		return LOG_UNKNOWN;
	ret = log_metric(log, "usecs_per_op", "usecs/op", false, &metric, err);
	while (!ret && (line = log_line(log))) {
		unsigned n;

		log_keep_failure(&failure, line);
		n = log_words(line, words, 8);
		for (unsigned i = 1; i < n && i < 8; i++)
			if (!strcmp(words[i], "usecs/op") &&
			    !log_value(log, words[i - 1], false, &value) && !failure)
				failure = xstrdup(log->why);
	}
	if (!ret)
		log_add(log, !strcmp(kase, "_") ? "pipe" : kase, metric, number, value,
			failure	       ? failure
			: isnan(value) ? "perf printed no usecs/op"
				       : NULL);
	free(failure);
	free(kase);
	return ret;
}

/*
 * The program that commands.log names, ".../pgms/context1 5"; without one, the test's own name.
 * Where it names several, *@other is another one.
 */
static char *program_of(const struct mmtests_log *log, char **other)
{
	const char *p = strstr(log->beside, "pgms/"), *dash = strchr(log->test, '-');
	char *program = NULL;

	*other = NULL;
	for (; p; p = strstr(p, "pgms/")) {
		char *name;

		p += strlen("pgms/");
		name = xstrndup(p, strcspn(p, " \t\r\n'\""));
		if (!*name || (program && (*other || !strcmp(name, program))))
			free(name);
		else if (program)
			*other = name;
		else
			program = name;
	}
	return program ? program : xstrdup(dash ? dash + 1 : log->test);
}

static void add_counts(struct mmtests_log *log, const char *program, unsigned metric,
		       const char *failed)
{
	bool told = false; /* a program may say in several lines that it failed */
	long number = 0;
	double loops;
	char *line;

	while ((line = log_line(log))) {
		bool count = !strncmp(line, "COUNT|", 6);

		if (count) {
			line += strlen("COUNT|");
			line[strcspn(line, "|")] = '\0';
			if (!log_value(log, line, false, &loops) && !failed)
				log_add(log, program, metric, number++, NAN, log->why);
			else
				log_add(log, program, metric, number++, loops, failed);
		} else if (!told && log_tells_failure(line)) {
			log_add(log, program, metric, number++, NAN, import_quote(line).text);
		}
		told = !count && (told || log_tells_failure(line));
	}
	if (!number)
		log_add(log, program, metric, 0, NAN, "the log holds no COUNT");
}

/* unixbenchd: "COUNT|loops|..." for each iteration, all of one program, in one log. */
static int parse_unixbench(struct mmtests_log *log, struct error *err)
{
	char *other, *program = program_of(log, &other), *failed = NULL;
	struct error unusual = ERROR_INIT;
	unsigned metric;
	int ret = log_metric(log, "loops", "loops", true, &metric, err);

	if (import_check_case(program, &unusual)) {
		free(program);
		program = xstrdup(log->test);
	}
	if (other)
		failed =
			xasprintf("commands.log names '%s' and '%s': whose counts these are is not "
				  "known",
				  import_quote(program).text, import_quote(other).text);
	if (!ret)
		add_counts(log, program, metric, failed);
	free(failed);
	free(other);
	free(program);
	return ret;
}

#define NETPERF(protocol)                                                                          \
	{                                                                                          \
		.test = "netperf", .part = protocol, .log = protocol "-", .workload = "netperf",   \
		.axis = "size", .parse = parse_netperf                                             \
	}

/* The part that people mean comes last: its run is the one that "last" names. */
const struct mmtests_benchmark mmtests_benchmarks[] = {
	{.test = "hackbench",
	 .part = "time",
	 .log = "hackbench-",
	 .workload = "hackbench",
	 .axis = "groups",
	 .parse = parse_hackbench,
	 .finish = finish_hackbench},
	{.test = "tbench",
	 .part = "op",
	 .log = "benchlog-op-",
	 .workload = "tbench",
	 .axis = "clients",
	 .parse = parse_tbench_op},
	{.test = "tbench",
	 .part = "loadfile",
	 .log = "benchlog-loadfile-",
	 .workload = "tbench",
	 .axis = "clients",
	 .parse = parse_tbench_loadfile},
	{.test = "tbench",
	 .part = "tput",
	 .log = "benchlog-tput-",
	 .workload = "tbench",
	 .axis = "clients",
	 .note = "measured elsewhere, imported as it stood; boots are iterations of mmtests, "
		 "samples "
		 "are means since the start of each and not independent",
	 .parse = parse_tbench_tput},
	NETPERF("SCTP_STREAM"),
	NETPERF("SCTP_RR"),
	NETPERF("STREAM_STREAM"),
	NETPERF("DG_STREAM"),
	NETPERF("STREAM_RR"),
	NETPERF("DG_RR"),
	NETPERF("TCP_CRR"),
	NETPERF("UDP_RR"),
	NETPERF("TCP_RR"),
	NETPERF("UDP_STREAM"),
	NETPERF("TCP_STREAM"),
	{.test = "schbench",
	 .part = "latency",
	 .log = "schbench-",
	 .workload = "schbench",
	 .axis = "threads",
	 .metric = "wakeup_p99",
	 .parse = parse_schbench},
	{.test = "stream",
	 .part = "rate",
	 .log = "benchlog-",
	 .workload = "stream",
	 .axis = "threads",
	 .parse = parse_stream},
	{.test = "unixbench",
	 .part = "loops",
	 .log = "unixbenchd",
	 .beside = "commands.log",
	 .workload = "unixbench",
	 .axis = "test",
	 .parse = parse_unixbench},
	{.test = "perfpipe",
	 .part = "time",
	 .log = "benchlog-",
	 .workload = "pipe",
	 .axis = "kind",
	 .parse = parse_perfpipe},
};
const size_t mmtests_benchmarks_count = sizeof(mmtests_benchmarks) / sizeof(*mmtests_benchmarks);
