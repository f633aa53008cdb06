// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "peer.h"
#include "peer_text.h"

/* tbench and tbench_srv of dbench 4.00, which always meet at port 7003. */

#define PORT	 7003
#define LOADFILE "/usr/share/dbench/client.txt"
#define SECOND	 1000000000LL

/* The server is given the same socket options, if they are not its default ones. */
static int plan_server(const struct peer_job *job, struct peer_command *c, struct error *err)
{
	return peer_arg(c, err, "tbench_srv") || peer_arg(c, err, "-t") ||
			       peer_arg(c, err, "%s", peer_string(job, "tcp-options"))
		       ? -1
		       : 0;
}

static int plan(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	int64_t time = peer_number(job, "timelimit");

	if (time < 2 * SECOND)
		return error_set(err, ERROR_USAGE,
				 "tbench measures from one second to another and needs 2 at least "
				 "(--timelimit 2)");
	p->file = peer_string(job, "loadfile");
	if (!p->file)
		p->file = LOADFILE;
	p->port = PORT;
	p->limit_s = 2.4 * (double)time / 1e9 + 60;
	return peer_arg(&p->client, err, "tbench") ||
			       peer_arg(&p->client, err, "%" PRId64, peer_number(job, "clients")) ||
			       peer_arg(&p->client, err, "127.0.0.1") ||
			       plan_server(job, &p->server, err)
		       ? -1
		       : 0;
}

/* It takes the first semaphore of a system, whose number is 0, for none, says so, and uses it. */
static const char *skip_false_alarm(const char *text)
{
	static const char alarm[] = "failed to create barrier semaphore";
	const char *found = strstr(text, alarm);

	return found ? found + sizeof(alarm) - 1 : text;
}

/* It goes on without clients that could not connect, and ends with status 0. */
static int check_clients(const struct peer_output *o, struct error *err)
{
	static const char *const troubles[] = {"failed", "ERROR", "refused", "No such file"};
	const char *out = skip_false_alarm(o->out);
	char line[160];

	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		if (text_find(out, troubles[i], line, sizeof(line)) ||
		    text_find(o->err, troubles[i], line, sizeof(line)))
			return error_set(err, ERROR_FAILED, "tbench says: %s", line);
	return 0;
}

static const struct {
	const char *op, *metric;
} ops[] = {
	{"NTCreateX", "latency_NTCreateX"}, {"Close", "latency_Close"},
	{"Rename", "latency_Rename"},	    {"Unlink", "latency_Unlink"},
	{"Deltree", "latency_Deltree"},	    {"Mkdir", "latency_Mkdir"},
	{"Rmdir", "latency_Rmdir"},	    {"Qpathinfo", "latency_Qpathinfo"},
	{"Qfileinfo", "latency_Qfileinfo"}, {"Qfsinfo", "latency_Qfsinfo"},
	{"Sfileinfo", "latency_Sfileinfo"}, {"Find", "latency_Find"},
	{"WriteX", "latency_WriteX"},	    {"ReadX", "latency_ReadX"},
	{"LockX", "latency_LockX"},	    {"UnlockX", "latency_UnlockX"},
	{"Flush", "latency_Flush"},
};

/* The rows of the table, and one value for each of those that took part. */
static int read_ops(const char *text, struct peer_values *values, struct error *err)
{
	struct text_match m, again;

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const char *rest = text;
		char row[64];

		snprintf(row, sizeof(row), "%s %%n %%n %%n", ops[i].op);
		if (!text_next(&rest, row, &m))
			continue;
		if (text_next(&rest, row, &again))
			return error_set(err, ERROR_FAILED, "tbench printed two rows of '%s'",
					 ops[i].op);
		/* Less than half a microsecond on average is what it cannot say. */
		if (m.numbers[0] > 0 && m.numbers[1] > 0 &&
		    peer_value(values, ops[i].metric, NULL, m.numbers[1], err))
			return -1;
	}
	return 0;
}

static int read_text(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	int64_t clients = peer_number(job, "clients");
	struct text_match m;
	char line[128];

	(void)count;
	snprintf(line, sizeof(line),
		 "Throughput %%n MB/sec %" PRId64 " clients %" PRId64 " procs max_latency=%%n ms",
		 clients, clients);
	if (check_clients(o, err) || text_only(o->out, "tbench", line, &m, err))
		return -1;
	if (m.numbers[0] <= 0)
		return error_set(err, ERROR_FAILED,
				 "tbench printed a throughput of 0: nothing was exchanged");
	return peer_value(values, "throughput", NULL, m.numbers[0], err) ||
			       peer_value(values, "max_latency", NULL, m.numbers[1], err) ||
			       read_ops(o->out, values, err)
		       ? -1
		       : 0;
}

static const struct peer_flag flags[] = {
	{.name = "clients"},
	{.name = "timelimit", .flag = "-t", .unit = "s"},
	{.name = "loadfile", .flag = "-c"},
	{.name = "directory", .flag = "-D"},
	{.name = "tcp-options", .flag = "-T"},
	{.name = NULL},
};

static const char *const metrics[] = {
	"throughput",	     "max_latency",	  "latency_NTCreateX", "latency_Close",
	"latency_Rename",    "latency_Unlink",	  "latency_Deltree",   "latency_Mkdir",
	"latency_Rmdir",     "latency_Qpathinfo", "latency_Qfileinfo", "latency_Qfsinfo",
	"latency_Sfileinfo", "latency_Find",	  "latency_WriteX",    "latency_ReadX",
	"latency_LockX",     "latency_UnlockX",	  "latency_Flush",     NULL,
};

PEER(tbench) = {
	.workload = "tbench",
	.programs = "tbench and tbench_srv",
	.source = "apt-get install dbench",
	.metrics = metrics,
	.flags = flags,
	.note = "It replays a loadfile, " LOADFILE " where none is named, and parses\n"
		"  its text as it goes; its warm-up is a fifth of the time limit. The server is "
		"started beside it\n"
		"  on port 7003, of all addresses.",
	.plan = plan,
	.read = read_text,
};
