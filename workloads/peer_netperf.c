// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "peer.h"
#include "peer_text.h"

/* netperf 2.5 and later, a netserver beside it. */

enum { TCP_RR, UDP_RR, TCP_STREAM }; /* in the order of the workload's choices */
enum { PORT = 12965 }; /* not the usual 12865, where a netserver of the system may be */

static const char *const names[] = {"TCP_RR", "UDP_RR", "TCP_STREAM"};

static int plan_server(struct peer_command *c, struct error *err)
{
	return peer_arg(c, err, "netserver") || peer_arg(c, err, "-D") || peer_arg(c, err, "-4") ||
			       peer_arg(c, err, "-L") || peer_arg(c, err, "127.0.0.1") ||
			       peer_arg(c, err, "-p") || peer_arg(c, err, "%d", PORT)
		       ? -1
		       : 0;
}

static int plan_global(const struct peer_job *job, struct peer_command *c, struct error *err)
{
	const char *cpus = peer_string(job, "bind-pair");

	if (peer_arg(c, err, "netperf") || peer_arg(c, err, "-4") || peer_arg(c, err, "-H") ||
	    peer_arg(c, err, "127.0.0.1") || peer_arg(c, err, "-p") ||
	    peer_arg(c, err, "%d", PORT) || peer_arg(c, err, "-t") ||
	    peer_arg(c, err, "%s", names[peer_number(job, "testname")]) || peer_arg(c, err, "-l") ||
	    peer_arg(c, err, "%" PRId64, peer_number(job, "testlen") / 1000000000))
		return -1;
	if (cpus && (peer_arg(c, err, "-T") || peer_arg(c, err, "%s", cpus)))
		return -1;
	return 0;
}

/* The letter and the value of a number that is not 0, which stands for netperf's default. */
static int add_number(const struct peer_job *job, struct peer_command *c, const char *name,
		      const char *letter, struct error *err)
{
	int64_t value = peer_number(job, name);

	if (!value)
		return 0;
	return peer_arg(c, err, "%s", letter) || peer_arg(c, err, "%" PRId64, value) ? -1 : 0;
}

static int plan_test(const struct peer_job *job, struct peer_command *c, struct error *err)
{
	bool stream = peer_number(job, "testname") == TCP_STREAM;

	if (peer_arg(c, err, "--") || add_number(job, c, "local-buffer", "-s", err) ||
	    add_number(job, c, "remote-buffer", "-S", err))
		return -1;
	if (stream && peer_number(job, "burst"))
		return error_set(err, ERROR_USAGE, "TCP_STREAM of netperf has no '--burst'");
	if (stream && (add_number(job, c, "send-size", "-m", err) ||
		       add_number(job, c, "receive-size", "-M", err)))
		return -1;
	if (!stream && (peer_number(job, "send-size") || peer_number(job, "receive-size")))
		return error_set(err, ERROR_USAGE,
				 "%s of netperf has no '--send-size' and '--receive-size' (use "
				 "--request-response)",
				 names[peer_number(job, "testname")]);
	if (!stream && (peer_arg(c, err, "-r") ||
			peer_arg(c, err, "%s", peer_string(job, "request-response")) ||
			add_number(job, c, "burst", "-b", err)))
		return -1;
	return peer_number(job, "nodelay") ? peer_arg(c, err, "-D") : 0;
}

static int plan(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	int64_t length = peer_number(job, "testlen"), pairs = peer_number(job, "pairs");

	if (length % 1000000000)
		return error_set(err, ERROR_USAGE,
				 "'--testlen' of netperf is a whole number of seconds");
	if (pairs > PEER_COPIES)
		return error_set(err, ERROR_USAGE, "more than %d pairs", PEER_COPIES);
	p->copies = (unsigned)pairs;
	p->port = PORT;
	p->limit_s = length > 0 ? 2 * (double)length / 1e9 + 60 : 0;
	return plan_server(&p->server, err) || plan_global(job, &p->client, err) ||
			       plan_test(job, &p->client, err)
		       ? -1
		       : 0;
}

/* Buffers, sizes, seconds and the rate stand in one line; nothing else has so many numbers. */
static int read_rate(const struct peer_job *job, const struct peer_output *o, double *rate,
		     struct error *err)
{
	bool stream = peer_number(job, "testname") == TCP_STREAM;
	double asked = (double)peer_number(job, "testlen") / 1e9, seconds;
	struct text_match m;
	char line[160];

	if (text_find(o->out, "WARNING", line, sizeof(line)) ||
	    text_find(o->out, "rror", line, sizeof(line)) ||
	    text_find(o->err, "rror", line, sizeof(line)))
		return error_set(err, ERROR_FAILED, "netperf says: %s", line);
	if (stream && text_only(o->out, "netperf", "bytes bytes bytes secs. 10^6bits/sec", &m, err))
		return -1;
	if (text_only(o->out, "netperf", stream ? "%n %n %n %n %n" : "%n %n %n %n %n %n", &m, err))
		return -1;
	*rate = m.numbers[m.count - 1];
	seconds = m.numbers[m.count - 2];
	if (*rate <= 0)
		return error_set(err, ERROR_FAILED, "netperf printed a rate of 0");
	if (asked > 0 && (seconds < 0.9 * asked || seconds > 1.5 * asked + 1))
		return error_set(err, ERROR_FAILED, "netperf ran for %g s instead of %g s", seconds,
				 asked);
	return 0;
}

static int check_sizes(const struct peer_job *job, const char *text, struct error *err)
{
	const char *sizes = peer_string(job, "request-response");
	struct text_match m;
	int64_t request, response;
	char line[80];

	if (peer_number(job, "testname") == TCP_STREAM ||
	    sscanf(sizes, "%" SCNd64 ",%" SCNd64, &request, &response) != 2)
		return 0;
	snprintf(line, sizeof(line), "%%n %%n %" PRId64 " %" PRId64 " %%n %%n", request, response);
	return text_only(text, "netperf", line, &m, err);
}

static int read_text(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	bool stream = peer_number(job, "testname") == TCP_STREAM;
	double sum = 0, squares = 0, least = 0, most = 0, rate = 0;

	for (unsigned i = 0; i < count; i++) {
		if (read_rate(job, &o[i], &rate, err) || check_sizes(job, o[i].out, err))
			return -1;
		sum += rate;
		squares += rate * rate;
		least = !i || rate < least ? rate : least;
		most = rate > most ? rate : most;
	}
	return peer_value(values, "throughput", stream ? "Mbit/s" : "trans/s", sum, err) ||
			       peer_value(values, "pair_min", NULL, least, err) ||
			       peer_value(values, "pair_max", NULL, most, err) ||
			       peer_value(values, "jain", NULL, sum * sum / (count * squares), err)
		       ? -1
		       : 0;
}

static const struct peer_flag flags[] = {
	{.name = "testname"},	      {.name = "pairs"},
	{.name = "testlen"},	      {.name = "bind-pair"},
	{.name = "request-response"}, {.name = "burst"},
	{.name = "send-size"},	      {.name = "receive-size"},
	{.name = "local-buffer"},     {.name = "remote-buffer"},
	{.name = "nodelay"},	      {.name = NULL},
};

static const char *const metrics[] = {"throughput", "pair_min", "pair_max", "jain", NULL};

PEER(netperf) = {
	.workload = "netperf",
	.programs = "netperf and netserver",
	.source = "compile it from github.com/HewlettPackard/netperf, or Debian's non-free",
	.metrics = metrics,
	.flags = flags,
	.note = "Its pairs start one after another, each when it has asked the server, so the sum "
		"holds a skew.\n"
		"  UDP_RR waits for ever after a lost datagram and shows a low rate. --burst needs "
		"a netperf\n"
		"  configured with it.",
	.plan = plan,
	.read = read_text,
};
