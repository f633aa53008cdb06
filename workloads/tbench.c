// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "crew.h"
#include "preflight.h"
#include "tbench_load.h"

enum {
	HELLO = 8, /* bytes of the exchange before the start */
	HEADER = 8, /* of a request; of a response it is 4 */
	SEQUENCE = 65536, /* draws from the mix, then all over again */
	PATIENCE_S = 60, /* for an answer */
};

struct tbench {
	int64_t clients, time_ns, warmup_ns, seed;
	const char *loadfile, *directory, *tcp_options;
};

/* What one client has done; in shared memory. */
struct client {
	uint64_t all_ops, all_bytes __attribute__((aligned(64))); /* since the start */
	uint64_t tick_max_ns; /* worst latency since it was last set to 0 */
	uint64_t bytes; /* within the measured time, as all below */
	struct {
		uint64_t n, sum_ns, max_ns;
	} kinds[TBENCH_KINDS];
};

struct bench {
	const struct tbench *params;
	struct tbench_load load; /* empty: the built-in mix */
	uint32_t largest;
	struct client *clients;
	int ends[2]; /* of the connection that is being created: server, client */
};

static const struct metric metrics[];

static void put32(char *to, uint32_t v)
{
	v = htonl(v);
	memcpy(to, &v, sizeof(v));
}

static uint32_t get32(const char *from)
{
	uint32_t v;

	memcpy(&v, from, sizeof(v));
	return ntohl(v);
}

/* Serve one exchange. 1: done, 0: the client has closed. */
static int serve(int fd, char *buf, uint32_t largest, struct error *err)
{
	uint32_t request, response;
	int rc = channel_receive(fd, buf, 4, 0, err);

	if (rc <= 0)
		return rc;
	request = get32(buf);
	if (request < HEADER - 4 || request > largest)
		return error_set(err, ERROR_FAILED, "a request of %u bytes", request);
	rc = channel_receive(fd, buf + 4, request, 0, err);
	if (rc <= 0)
		return rc ? rc : error_set(err, ERROR_FAILED, "half a request");
	response = get32(buf + 4);
	if (response > largest)
		return error_set(err, ERROR_FAILED, "a response of %u bytes is asked for",
				 response);
	put32(buf, response);
	return channel_send(fd, buf, response + 4, err) ? -1 : 1;
}

static int exchange(int fd, char *buf, uint32_t request, uint32_t response, struct error *err)
{
	int rc;

	put32(buf, request - 4);
	put32(buf + 4, response - 4);
	if (channel_send(fd, buf, request, err))
		return -1;
	rc = channel_receive(fd, buf, 4, 0, err);
	if (rc > 0 && get32(buf) != response - 4)
		return error_set(err, ERROR_FAILED, "a response of %u bytes instead of %u",
				 get32(buf) + 4, response);
	/* The content is of no use: it need not be copied. */
	if (rc > 0 && response > 4)
		rc = channel_receive(fd, buf, response - 4, MSG_TRUNC, err);
	if (rc == 0)
		return error_set(err, ERROR_FAILED, "the server is gone");
	return rc < 0 ? -1 : 0;
}

static char *need_buffer(const struct bench *b, struct error *err)
{
	char *buf = mmap(NULL, b->largest + HEADER, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (buf != MAP_FAILED)
		return buf;
	error_sys(err, errno, "cannot map a buffer of %u bytes", b->largest + HEADER);
	return NULL;
}

static int server(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	int fd = b->ends[0], rc;
	char *buf = need_buffer(b, err);

	close(b->ends[1]); /* else the end of the client would not be seen */
	if (!buf)
		return -1;
	rc = serve(fd, buf, b->largest, err);
	if (rc <= 0)
		return rc ? rc : error_set(err, ERROR_FAILED, "the client is gone");
	if (crew_ready(w, err))
		return -1;
	while ((rc = serve(fd, buf, b->largest, err)) > 0)
		;
	return rc;
}

static void sleep_until(uint64_t ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Add one exchange to the statistics of the client; only it writes them. */
static void account(struct client *c, unsigned kind, uint64_t payload, uint64_t ns, bool measured)
{
	__atomic_store_n(&c->all_ops, c->all_ops + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->all_bytes, c->all_bytes + payload, __ATOMIC_RELAXED);
	if (ns > __atomic_load_n(&c->tick_max_ns, __ATOMIC_RELAXED))
		__atomic_store_n(&c->tick_max_ns, ns, __ATOMIC_RELAXED);
	if (!measured)
		return;
	c->bytes += payload;
	c->kinds[kind].n++;
	c->kinds[kind].sum_ns += ns;
	if (ns > c->kinds[kind].max_ns)
		c->kinds[kind].max_ns = ns;
}

/* The load of one client. */
struct player {
	const struct bench *b;
	struct client *c;
	int fd;
	char *buf;
	uint32_t name_bytes; /* that each client number adds to a request */
	uint64_t measure_ns, end_ns;
	uint64_t now; /* end of the last exchange */
};

/* 1: the time is over, which the exchange that crosses it does not count for. */
static int play_one(struct player *p, const struct tbench_op *op, struct error *err)
{
	uint64_t start = p->now;

	if (exchange(p->fd, p->buf, op->request + op->names * p->name_bytes, op->response, err))
		return -1;
	p->now = now_ns();
	if (p->now > p->end_ns)
		return 1;
	account(p->c, op->kind, op->payload, p->now - start, start >= p->measure_ns);
	return 0;
}

static int play_mix(struct player *p, const uint8_t *sequence, struct error *err)
{
	size_t rows;
	const struct tbench_mix_row *mix = tbench_mix_rows(&rows);
	int rc = 0;

	for (size_t i = 0; !rc; i = (i + 1) % SEQUENCE) {
		const struct tbench_mix_row *r = &mix[sequence[i]];
		struct tbench_op op = {.kind = r->kind,
				       .request = r->request,
				       .response = r->response,
				       .payload = r->payload};

		rc = play_one(p, &op, err);
	}
	return rc;
}

static int pause_until(struct player *p, uint64_t ns)
{
	sleep_until(ns < p->end_ns ? ns : p->end_ns);
	p->now = now_ns();
	return p->now > p->end_ns;
}

static int play_load(struct player *p, const struct tbench_load *load, struct error *err)
{
	int rc = 0;

	while (!rc) {
		uint64_t pass = p->now;

		for (size_t i = 0; i < load->n && !rc; i++) {
			const struct tbench_op *op = &load->ops[i];

			if (op->at_us >= 0)
				rc = pause_until(p, pass + (uint64_t)op->at_us * 1000);
			if (rc)
				break;
			if (op->kind == TBENCH_SLEEP)
				rc = pause_until(p, p->now + (uint64_t)op->request * 1000);
			else
				rc = play_one(p, op, err);
		}
	}
	return rc;
}

static uint32_t digits(unsigned n)
{
	return n < 10 ? 1 : 1 + digits(n / 10);
}

static int client(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	const struct tbench *t = b->params;
	unsigned id = w->index / 2;
	struct player p = {.b = b,
			   .c = &b->clients[id],
			   .fd = b->ends[1],
			   .buf = need_buffer(b, err),
			   .name_bytes = 2 * (digits(id) - 1)};
	struct random rnd = {.state = (uint64_t)t->seed + id};
	static uint8_t sequence[SEQUENCE]; /* of this process: clients are processes */
	int rc;

	close(b->ends[0]);
	if (!p.buf)
		return -1;
	if (!b->load.n)
		tbench_mix_draw(sequence, SEQUENCE, &rnd);
	if (exchange(p.fd, p.buf, HELLO, HELLO, err) || crew_ready(w, err))
		return -1;
	p.measure_ns = crew_start_ns(w) + (uint64_t)t->warmup_ns;
	p.end_ns = p.measure_ns + (uint64_t)t->time_ns;
	p.now = now_ns();
	rc = b->load.n ? play_load(&p, &b->load, err) : play_mix(&p, sequence, err);
	return rc < 0 ? -1 : 0;
}

static void name_worker(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "%s %u", index % 2 ? "client" : "server", index / 2);
}

/* Set the options named in @list on both ends. */
static int set_tcp_options(const char *list, const int ends[2], struct error *err)
{
	static const struct {
		const char *name;
		int level, option;
	} known[] = {
		{"TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY},
		{"TCP_QUICKACK", IPPROTO_TCP, TCP_QUICKACK},
		{"SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR},
		{"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE},
	};
	const size_t n = sizeof(known) / sizeof(known[0]);
	int on = 1;

	while (*list) {
		size_t len = strcspn(list, " ,"), i = 0;

		while (i < n && (strlen(known[i].name) != len || strncmp(known[i].name, list, len)))
			i++;
		if (len && i == n)
			return error_set(err, ERROR_USAGE,
					 "-T: '%.*s' is none of TCP_NODELAY, TCP_QUICKACK, "
					 "SO_REUSEADDR, SO_KEEPALIVE",
					 (int)len, list);
		for (int end = 0; end < 2 && len; end++)
			if (setsockopt(ends[end], known[i].level, known[i].option, &on, sizeof(on)))
				return error_sys(err, errno, "-T %s", known[i].name);
		list += len + (list[len] != 0);
	}
	return 0;
}

static int add_pair(struct crew *crew, struct bench *b, struct error *err)
{
	struct timeval patience = {.tv_sec = PATIENCE_S};

	if (channel_inet_pair(SOCK_STREAM, b->ends, err) ||
	    set_tcp_options(b->params->tcp_options, b->ends, err))
		return -1;
	if (setsockopt(b->ends[1], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		return error_sys(err, errno, "cannot set a timeout");
	if (crew_add(crew, server, b, err) || crew_add(crew, client, b, err))
		return -1;
	close(b->ends[0]);
	close(b->ends[1]);
	return 0;
}

/* A line a second, as dbench; what was done before the warm-up ended is not in the later rates. */
struct ticker {
	uint64_t base_bytes, base_ns, worst_ns;
};

static void tick(const struct bench *b, struct run *run, struct ticker *t, bool warm,
		 uint64_t start_ns)
{
	uint64_t ops = 0, bytes = 0, max = 0, now = now_ns();

	for (int64_t i = 0; i < b->params->clients; i++) {
		struct client *c = &b->clients[i];
		uint64_t worst = __atomic_exchange_n(&c->tick_max_ns, 0, __ATOMIC_RELAXED);

		ops += __atomic_load_n(&c->all_ops, __ATOMIC_RELAXED);
		bytes += __atomic_load_n(&c->all_bytes, __ATOMIC_RELAXED);
		max = worst > max ? worst : max;
	}
	outcome_printf(run->out,
		       "%4" PRId64 "  %8" PRIu64 "  %7.2f MB/sec  %s %3.0f sec  latency %.3f ms\n",
		       b->params->clients, ops,
		       (double)(bytes - t->base_bytes) / 1e6 / ((double)(now - t->base_ns) / 1e9),
		       warm ? "execute" : "warmup", (double)(now - start_ns) / 1e9,
		       (double)max / 1e6);
	if (!warm) {
		t->base_bytes = bytes;
		t->base_ns = now;
	}
}

/* Watch the run; the clients end by themselves. */
static int supervise(struct crew *crew, const struct bench *b, struct run *run, struct ticker *t,
		     struct error *err)
{
	const int64_t second = 1000000000;
	const struct tbench *p = b->params;
	int64_t end = p->warmup_ns + p->time_ns, at = 0;
	bool warm = !p->warmup_ns;

	t->base_ns = crew->start_ns;

	/* The last tick comes before the end: clients that are done are not "ended too early". */
	for (;;) {
		int64_t limit = at < p->warmup_ns ? p->warmup_ns : end;

		at = limit - at < second ? limit : at + second;
		if (at >= end)
			return 0;
		if (crew_sleep(crew, (uint64_t)at, err))
			return -1;
		tick(b, run, t, warm, crew->start_ns);
		warm = at >= p->warmup_ns;
	}
}

static int play(struct bench *b, struct run *run, struct error *err)
{
	struct crew_options opt = {.count = (unsigned)(2 * b->params->clients),
				   .name = name_worker};
	struct ticker t = {0};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (int64_t i = 0; i < b->params->clients && !rc; i++)
		rc = add_pair(&crew, b, err);
	if (!rc)
		rc = crew_start(&crew, err) || supervise(&crew, b, run, &t, err) ||
		     crew_wait(&crew, err);
	if (!rc)
		tick(b, run, &t, true, crew.start_ns);
	crew_release(&crew);
	return rc ? -1 : 0;
}

static int check(const struct bench *b, struct error *err)
{
	const struct needs needs = {
		.units = "clients",
		.flag = "",
		.size = (uint64_t)b->params->clients,
		.fds = {10, 0},
		.tasks = {2, 2},
		.memory = {1 << 20, 2 * ((160 << 10) + (uint64_t)b->largest) + SEQUENCE},
		.ports = {0, 2},
	};

	return preflight(&needs, err);
}

/* The metric of a kind of operation, after the fixed ones. */
enum { THROUGHPUT, OPS, MAX_LATENCY, FIRST_KIND };

static int report(const struct bench *b, struct run *run, struct error *err)
{
	const struct tbench *p = b->params;
	double seconds = (double)p->time_ns / 1e9;
	struct client all = {.bytes = 0};
	uint64_t ops = 0, worst = 0;

	for (int64_t i = 0; i < p->clients; i++) {
		all.bytes += b->clients[i].bytes;
		for (int k = 0; k < TBENCH_KINDS; k++) {
			const uint64_t max = b->clients[i].kinds[k].max_ns;

			all.kinds[k].n += b->clients[i].kinds[k].n;
			all.kinds[k].sum_ns += b->clients[i].kinds[k].sum_ns;
			all.kinds[k].max_ns = max > all.kinds[k].max_ns ? max : all.kinds[k].max_ns;
			worst = max > worst ? max : worst;
			ops += b->clients[i].kinds[k].n;
		}
	}
	if (!all.bytes)
		return error_set(err, ERROR_FAILED,
				 "no data was moved in %g s (give it more time: -t)", seconds);
	run->out->wall_ns = (uint64_t)p->time_ns;
	run->out->ops = ops;
	outcome_printf(run->out, "\n Operation      Count    AvgLat    MaxLat\n"
				 " ----------------------------------------\n");
	if (outcome_value(run->out, &metrics[THROUGHPUT], (double)all.bytes / 1e6 / seconds, err) ||
	    outcome_value(run->out, &metrics[OPS], (double)ops / seconds, err) ||
	    outcome_value(run->out, &metrics[MAX_LATENCY], (double)worst / 1e6, err))
		return -1;
	for (int k = 0; k < TBENCH_SLEEP; k++) {
		double mean = (double)all.kinds[k].sum_ns / (double)all.kinds[k].n / 1e6;

		if (!all.kinds[k].n)
			continue;
		outcome_printf(run->out, " %-12s %7" PRIu64 " %9.3f %9.3f\n", tbench_short_names[k],
			       all.kinds[k].n, mean, (double)all.kinds[k].max_ns / 1e6);
		if (outcome_value(run->out, &metrics[FIRST_KIND + k], mean, err))
			return -1;
	}
	if (b->load.skipped)
		outcome_printf(run->out, "\n%zu lines of the loadfile have no status: skipped\n",
			       b->load.skipped);
	outcome_printf(run->out,
		       "\nThroughput %g MB/sec  %" PRId64 " clients  %" PRId64
		       " procs  max_latency=%.3f ms\n",
		       (double)all.bytes / 1e6 / seconds, p->clients, p->clients,
		       (double)worst / 1e6);
	return 0;
}

static int prepare(struct bench *b, struct error *err)
{
	size_t rows;
	const struct tbench_mix_row *mix = tbench_mix_rows(&rows);

	if (b->params->loadfile) {
		if (tbench_load_read(b->params->loadfile, strlen(b->params->directory), &b->load,
				     err))
			return -1;
		/* Numbers of clients have up to ten digits, at most UINT8_MAX times. */
		b->largest = b->load.largest + 2 * 9 * UINT8_MAX;
	} else {
		for (size_t i = 0; i < rows; i++) {
			b->largest = mix[i].request > b->largest ? mix[i].request : b->largest;
			b->largest = mix[i].response > b->largest ? mix[i].response : b->largest;
		}
	}
	if (check(b, err))
		return -1;
	b->clients = shared_alloc((size_t)b->params->clients * sizeof(*b->clients), err);
	return b->clients ? 0 : -1;
}

static int tbench_run(const void *params, struct run *run, struct error *err)
{
	struct tbench p = *(const struct tbench *)params;
	struct bench b = {.params = &p};

	if (p.warmup_ns < 0)
		p.warmup_ns = p.time_ns / 5;
	if (prepare(&b, err) || play(&b, run, err))
		return -1;
	return report(&b, run, err);
}

#define FIELD(f) offsetof(struct tbench, f)
#define DAY	 (86400 * 1000000000LL)

static const struct option_spec options[] = {
	{.name = "clients",
	 .type = OPTION_INT,
	 .offset = FIELD(clients),
	 .preset = "1",
	 .min = 1,
	 .max = 100000,
	 .positional = true,
	 .help = "client processes, each with a server process of its own"},
	{.letter = 't',
	 .name = "timelimit",
	 .type = OPTION_TIME,
	 .offset = FIELD(time_ns),
	 .unit = "s",
	 .preset = "600",
	 .min = 1000000,
	 .max = DAY,
	 .help = "how long to measure, after the warm-up"},
	{.name = "warmup",
	 .type = OPTION_TIME,
	 .offset = FIELD(warmup_ns),
	 .unit = "s",
	 .preset = "-1",
	 .min = -1000000000,
	 .max = DAY,
	 .help = "run so long before measuring; -1: a fifth of the time limit"},
	{.letter = 'c',
	 .name = "loadfile",
	 .type = OPTION_STRING,
	 .offset = FIELD(loadfile),
	 .help = "replay this loadfile of dbench 4.00 instead of the built-in mix"},
	{.letter = 'D',
	 .name = "directory",
	 .type = OPTION_STRING,
	 .offset = FIELD(directory),
	 .preset = ".",
	 .help = "what stands in front of the paths of the loadfile: only its length matters"},
	{.letter = 'T',
	 .name = "tcp-options",
	 .type = OPTION_STRING,
	 .offset = FIELD(tcp_options),
	 .preset = "TCP_NODELAY SO_REUSEADDR",
	 .help = "socket options of both ends"},
	{.name = "seed",
	 .type = OPTION_INT,
	 .offset = FIELD(seed),
	 .preset = "1",
	 .min = 0,
	 .max = INT64_MAX,
	 .help = "of the order of operations in the mix"},
	OPTION_END,
};

#define LATENCY_OF(op)                                                                             \
	{                                                                                          \
		"latency_" op, "ms", BETTER_LOWER, "mean latency of this operation"                \
	}

static const struct metric metrics[] = {
	[THROUGHPUT] = {"throughput", "MB/s", BETTER_HIGHER,
			"bytes read and written, 1e6 a second"},
	[OPS] = {"ops_per_sec", "ops/s", BETTER_HIGHER, "exchanges of all kinds"},
	[MAX_LATENCY] = {"max_latency", "ms", BETTER_LOWER, "worst exchange"},
	[FIRST_KIND] = LATENCY_OF("NTCreateX"),
	LATENCY_OF("Close"),
	LATENCY_OF("Rename"),
	LATENCY_OF("Unlink"),
	LATENCY_OF("Deltree"),
	LATENCY_OF("Mkdir"),
	LATENCY_OF("Rmdir"),
	LATENCY_OF("Qpathinfo"),
	LATENCY_OF("Qfileinfo"),
	LATENCY_OF("Qfsinfo"),
	LATENCY_OF("Sfileinfo"),
	LATENCY_OF("Find"),
	LATENCY_OF("WriteX"),
	LATENCY_OF("ReadX"),
	LATENCY_OF("LockX"),
	LATENCY_OF("UnlockX"),
	LATENCY_OF("Flush"),
	METRIC_END,
};

WORKLOAD(tbench) = {
	.name = "tbench",
	.summary = "the network half of a file server: requests and responses over TCP loopback",
	.description =
		"Each client process sends the requests that a file server's client would send, to "
		"a\n"
		"server process of its own over 127.0.0.1, and waits for each response. Without a\n"
		"loadfile the operations are drawn from the mix of dbench's client.txt. Measured: "
		"exchanges\n"
		"that begin after the warm-up and end before the time limit.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct tbench),
	.run = tbench_run,
};
