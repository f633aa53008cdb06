// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crew.h"
#include "histogram.h"
#include "number.h"
#include "preflight.h"

enum test { TCP_RR, UDP_RR, TCP_STREAM };

enum { END_TRIES = 10, LARGEST_DATAGRAM = 65507 };

struct netperf {
	int test; /* enum test */
	int64_t pairs, length_ns; /* negative: -seconds is a count */
	const char *sizes, *cpus; /* of -r and -T */
	int64_t send_size, receive_size, local_buffer, remote_buffer, burst, loss_ns;
	bool nodelay, allow_loss;
	int64_t banner, verbosity;
	int unit; /* index of "m", "k" */
};

/* What one pair has done; in shared memory, written by the client. */
struct pair_result {
	uint64_t transactions, bytes, losses, ns;
	struct histogram latency;
};

struct bench {
	const struct netperf *params;
	int64_t request, response; /* bytes */
	int64_t count; /* transactions or bytes; 0: by the clock */
	int client_cpu, server_cpu; /* -1: not bound */
	int64_t send_size, receive_size; /* of a stream: what one call moves */
	int send_buffer, receive_buffer; /* of the sockets, as the system says */
	struct pair_result *results;
	int ends[2]; /* of the connection that is being created: server, client */
};

static int bind_to(int cpu, struct error *err)
{
	struct cpumask mask = {{0}};

	if (cpu < 0)
		return 0;
	cpumask_add(&mask, cpu);
	return cpumask_set_affinity(&mask, err);
}

static char *need_buffer(int64_t size, struct error *err)
{
	char *buf = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (buf != MAP_FAILED)
		return buf;
	error_sys(err, errno, "cannot map a buffer of %" PRId64 " bytes", size);
	return NULL;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int serve_tcp_rr(const struct bench *b, int fd, char *buf, struct error *err)
{
	int rc;

	while ((rc = channel_receive(fd, buf, (size_t)b->request, 0, err)) > 0)
		if (channel_send(fd, buf, (size_t)b->response, err))
			return -1;
	return rc;
}

/* An empty datagram is the end, and is answered. */
static int serve_udp_rr(const struct bench *b, int fd, char *buf, struct error *err)
{
	for (;;) {
		struct sockaddr_in peer;
		socklen_t len = sizeof(peer);
		ssize_t n = recvfrom(fd, buf, (size_t)larger(b->request, b->response), 0,
				     (struct sockaddr *)&peer, &len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot receive");
		if (sendto(fd, buf, n ? (size_t)b->response : 0, 0, (struct sockaddr *)&peer, len) <
		    0)
			return error_sys(err, errno, "cannot send");
		if (!n)
			return 0;
	}
}

static int serve_stream(const struct bench *b, int fd, char *buf, struct error *err)
{
	for (;;) {
		ssize_t n = recv(fd, buf, (size_t)b->receive_size, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot receive");
		if (!n)
			return 0;
	}
}

static int server(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	char *buf = need_buffer(larger(larger(b->request, b->response), b->receive_size), err);

	close(b->ends[1]); /* else the end of the client would not be seen */
	if (!buf || bind_to(b->server_cpu, err) || crew_ready(w, err))
		return -1;
	switch ((enum test)b->params->test) {
	case TCP_RR:
		return serve_tcp_rr(b, b->ends[0], buf, err);
	case UDP_RR:
		return serve_udp_rr(b, b->ends[0], buf, err);
	case TCP_STREAM:
		return serve_stream(b, b->ends[0], buf, err);
	}
	return error_set(err, ERROR_FAILED, "unknown test");
}

/* One response. 1: it came, 0: it is lost (datagrams only). */
static int await_response(const struct bench *b, int fd, char *buf, struct error *err)
{
	ssize_t n;
	int rc;

	if (b->params->test == TCP_RR) {
		rc = channel_receive(fd, buf, (size_t)b->response, 0, err);
		return rc ? rc : error_set(err, ERROR_FAILED, "the server is gone");
	}
	do
		n = recv(fd, buf, (size_t)b->response, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		return error_sys(err, errno, "cannot receive");
	return 1;
}

/*
 * Transactions until the time or the count is reached. The one that the end cuts is not counted;
 * with --burst there are more outstanding, and a latency is the time between responses.
 */
static int request_loop(const struct bench *b, struct pair_result *r, int fd, char *buf,
			uint64_t start, struct error *err)
{
	uint64_t end = start + (uint64_t)larger(b->params->length_ns, 0), last = now_ns();
	size_t size = (size_t)b->request;

	for (int64_t i = 0; i < b->params->burst; i++)
		if (channel_send(fd, buf, size, err))
			return -1;
	for (;;) {
		uint64_t now;
		int rc;

		if (channel_send(fd, buf, size, err))
			return -1;
		rc = await_response(b, fd, buf, err);
		if (rc < 0)
			return -1;
		now = now_ns();
		if (!b->count && now > end) {
			r->ns = end - start;
			return 0;
		}
		r->losses += rc == 0;
		r->transactions += rc == 1;
		if (rc == 1)
			histogram_add(&r->latency, now - last);
		last = now;
		if (b->count && r->transactions == (uint64_t)b->count) {
			r->ns = now - start;
			return 0;
		}
	}
}

/* Tell the server of datagrams that it is over. */
static int end_datagrams(int fd, char *buf, size_t size, struct error *err)
{
	for (int i = 0; i < END_TRIES; i++) {
		ssize_t n;

		if (send(fd, buf, 0, 0) < 0)
			return error_sys(err, errno, "cannot send");
		do /* responses that were still on their way */
			n = recv(fd, buf, size, 0);
		while (n > 0 || (n < 0 && errno == EINTR));
		if (!n)
			return 0;
	}
	return error_set(err, ERROR_FAILED, "the server does not answer");
}

static int send_stream(const struct bench *b, struct pair_result *r, int fd, char *buf,
		       uint64_t start, struct error *err)
{
	uint64_t end = start + (uint64_t)larger(b->params->length_ns, 0);
	uint64_t size = (uint64_t)b->send_size, wanted = (uint64_t)b->count;

	while (wanted ? r->bytes < wanted : now_ns() < end) {
		uint64_t n = wanted && wanted - r->bytes < size ? wanted - r->bytes : size;

		if (channel_send(fd, buf, n, err))
			return -1;
		r->bytes += n;
	}
	/* The server closes when it has read everything. */
	if (shutdown(fd, SHUT_WR))
		return error_sys(err, errno, "cannot end the stream");
	if (channel_receive(fd, buf, 1, 0, err))
		return -1;
	r->ns = now_ns() - start;
	return 0;
}

/* Responses to requests of a burst are still on their way: the server closes after the last one. */
static int end_requests(int fd, char *buf, size_t size, struct error *err)
{
	ssize_t n;

	if (shutdown(fd, SHUT_WR))
		return error_sys(err, errno, "cannot end the connection");
	do
		n = recv(fd, buf, size, 0);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n ? error_sys(err, errno, "cannot receive") : 0;
}

static int client(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	struct pair_result *r = &b->results[w->index / 2];
	size_t size = (size_t)larger(larger(b->request, b->response), b->send_size);
	char *buf = need_buffer((int64_t)size, err);
	int fd = b->ends[1];

	close(b->ends[0]);
	memset(&r->latency, 0, sizeof(r->latency));
	if (!buf || bind_to(b->client_cpu, err) || crew_ready(w, err))
		return -1;
	if (b->params->test == TCP_STREAM)
		return send_stream(b, r, fd, buf, crew_start_ns(w), err);
	if (request_loop(b, r, fd, buf, crew_start_ns(w), err))
		return -1;
	return b->params->test == UDP_RR ? end_datagrams(fd, buf, size, err)
					 : end_requests(fd, buf, size, err);
}

static void name_worker(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "%s %u", index % 2 ? "client" : "server", index / 2);
}

static int set_buffers(int fd, int64_t size, struct error *err)
{
	int v = (int)size;

	if (!size)
		return 0; /* leave it to the kernel, which adapts it */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &v, sizeof(v)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &v, sizeof(v)))
		return error_sys(err, errno, "cannot set the socket buffers to %d bytes", v);
	return 0;
}

static int set_options(const struct netperf *p, const int ends[2], struct error *err)
{
	struct timeval loss = {.tv_sec = p->loss_ns / 1000000000,
			       .tv_usec = p->loss_ns % 1000000000 / 1000};
	int on = 1;

	if (set_buffers(ends[1], p->local_buffer, err) ||
	    set_buffers(ends[0], p->remote_buffer, err))
		return -1;
	for (int i = 0; i < 2 && p->nodelay; i++)
		if (setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
			return error_sys(err, errno, "cannot set TCP_NODELAY");
	if (p->test == UDP_RR && setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &loss, sizeof(loss)))
		return error_sys(err, errno, "cannot set a timeout");
	return 0;
}

static int buffer_size(int fd, int option, int *size, struct error *err)
{
	socklen_t len = sizeof(*size);

	if (getsockopt(fd, SOL_SOCKET, option, size, &len))
		return error_sys(err, errno, "cannot read the size of a socket buffer");
	return 0;
}

/*
 * The sizes of the buffers before a connection has changed them: what netperf reports, and the
 * default of what one call moves.
 */
static int read_sizes(struct bench *b, struct error *err)
{
	const struct netperf *p = b->params;
	int fd = socket(AF_INET, (p->test == UDP_RR ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	int rc;

	if (fd < 0)
		return error_sys(err, errno, "cannot open a socket");
	rc = set_buffers(fd, p->local_buffer, err) ||
	     buffer_size(fd, SO_SNDBUF, &b->send_buffer, err) ||
	     set_buffers(fd, p->remote_buffer, err) ||
	     buffer_size(fd, SO_RCVBUF, &b->receive_buffer, err);
	close(fd);
	b->send_size = p->send_size ? p->send_size : b->send_buffer;
	b->receive_size = p->receive_size ? p->receive_size : b->receive_buffer;
	return rc ? -1 : 0;
}

static int open_pair(struct bench *b, struct error *err)
{
	int type = b->params->test == UDP_RR ? SOCK_DGRAM : SOCK_STREAM;

	return channel_inet_pair(type, b->ends, err) || set_options(b->params, b->ends, err) ? -1
											     : 0;
}

static int play(struct bench *b, struct run *run, struct error *err)
{
	struct crew_options opt = {.count = (unsigned)(2 * b->params->pairs), .name = name_worker};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (int64_t i = 0; i < b->params->pairs && !rc; i++) {
		rc = open_pair(b, err) || crew_add(&crew, server, b, err) ||
		     crew_add(&crew, client, b, err);
		if (!rc) {
			close(b->ends[0]);
			close(b->ends[1]);
		}
	}
	if (!rc)
		rc = crew_start(&crew, err) || crew_wait(&crew, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

/* "REQ,RESP", or one number for both. */
static int parse_sizes(struct bench *b, struct error *err)
{
	int64_t max = b->params->test == UDP_RR ? LARGEST_DATAGRAM : 1 << 26;
	const char *comma = strchr(b->params->sizes, ',');
	char first[32];

	snprintf(first, sizeof(first), "%.*s",
		 comma ? (int)(comma - b->params->sizes) : (int)sizeof(first) - 1,
		 b->params->sizes);
	if (number_size("-r", first, 1, max, &b->request, err))
		return -1;
	return number_size("-r", comma ? comma + 1 : first, 1, max, &b->response, err);
}

/* "CLIENT,SERVER"; one of them may be missing, one number is for both. */
static int parse_cpus(struct bench *b, const struct place *place, struct error *err)
{
	const char *text = b->params->cpus, *comma = text ? strchr(text, ',') : NULL;
	int *const cpus[] = {&b->client_cpu, &b->server_cpu};
	int64_t v;

	b->client_cpu = b->server_cpu = -1;
	for (int i = 0; i < 2 && text; i++) {
		const char *from = comma && i ? comma + 1 : text;
		char word[16];

		snprintf(word, sizeof(word), "%.*s",
			 comma && !i ? (int)(comma - text) : (int)sizeof(word) - 1, from);
		if (!word[0])
			continue;
		if (number_int("-T", word, 0, CPUMASK_BITS - 1, &v, err))
			return -1;
		if (!cpumask_has(&place->allowed, (int)v))
			return error_set(err, ERROR_USAGE, "-T: CPU %s may not be used", word);
		*cpus[i] = (int)v;
	}
	if (text && place->bind != BIND_NONE)
		return error_set(err, ERROR_USAGE, "-T contradicts --bind");
	return 0;
}

static int check(const struct bench *b, struct error *err)
{
	const struct netperf *p = b->params;
	const struct needs needs = {
		.units = "pairs",
		.flag = "-n",
		.size = (uint64_t)p->pairs,
		.fds = {10, 0},
		.tasks = {2, 2},
		.memory = {1 << 20, (320 << 10) + sizeof(struct pair_result) +
					    2 * (uint64_t)larger(b->request, b->response) +
					    4 * (1 << 20)},
		.ports = {0, 2},
	};

	if (!p->length_ns || (p->length_ns < 0 && p->length_ns > -1000000000))
		return error_set(err, ERROR_USAGE, "-l: neither a time nor a count");
	if (p->test != TCP_RR && p->test != UDP_RR && p->burst)
		return error_set(err, ERROR_USAGE, "-b is for TCP_RR and UDP_RR");
	if (p->test == UDP_RR && p->nodelay)
		return error_set(err, ERROR_USAGE, "-D is for TCP");
	if (p->test != TCP_STREAM && (p->send_size || p->receive_size))
		return error_set(err, ERROR_USAGE, "-m and -M are for TCP_STREAM");
	return preflight(&needs, err);
}

static const struct metric metrics[] = {
	{"throughput", "trans/s", BETTER_HIGHER, "TCP_RR, UDP_RR: transactions of all pairs"},
	{"throughput", "Mbit/s", BETTER_HIGHER, "TCP_STREAM: 1e6 bits a second of all pairs"},
	{"pair_min", "trans/s", BETTER_HIGHER, "of the pair that did least (TCP_STREAM: Mbit/s)"},
	{"pair_max", "trans/s", BETTER_HIGHER, "of the pair that did most (TCP_STREAM: Mbit/s)"},
	{"jain", "index", BETTER_HIGHER, "fairness among the pairs: 1 all the same, 1/n only one"},
	{"latency_mean", "usec", BETTER_LOWER, "of a transaction"},
	{"latency_p50", "usec", BETTER_LOWER, "of a transaction"},
	{"latency_p99", "usec", BETTER_LOWER, "of a transaction"},
	{"losses", "datagrams", BETTER_LOWER, "UDP_RR with --allow-loss: no response in time"},
	METRIC_END,
};

enum {
	RATE_RR,
	RATE_STREAM,
	PAIR_MIN,
	PAIR_MAX,
	JAIN,
	LATENCY_MEAN,
	LATENCY_P50,
	LATENCY_P99,
	LOSSES
};

/* Of all pairs together. */
struct summary {
	double sum, squares, min, max, seconds;
	uint64_t transactions, bytes, losses;
	struct histogram latency;
};

static void summarise(const struct bench *b, struct summary *s)
{
	*s = (struct summary){.min = 0};
	for (int64_t i = 0; i < b->params->pairs; i++) {
		const struct pair_result *r = &b->results[i];
		double seconds = (double)r->ns / 1e9;
		double rate = b->params->test == TCP_STREAM ? (double)r->bytes * 8 / 1e6 / seconds
							    : (double)r->transactions / seconds;

		s->sum += rate;
		s->squares += rate * rate;
		s->min = !i || rate < s->min ? rate : s->min;
		s->max = rate > s->max ? rate : s->max;
		s->seconds = seconds > s->seconds ? seconds : s->seconds;
		s->transactions += r->transactions;
		s->bytes += r->bytes;
		s->losses += r->losses;
		histogram_merge(&s->latency, &r->latency);
	}
}

static void print_rr(const struct bench *b, const struct summary *s, struct outcome *out)
{
	if (b->params->banner)
		outcome_printf(out,
			       "%s REQUEST/RESPONSE TEST to 127.0.0.1 : first burst %" PRId64 "\n"
			       "Local /Remote\n"
			       "Socket Size   Request  Resp.   Elapsed  Trans.\n"
			       "Send   Recv   Size     Size    Time     Rate         \n"
			       "bytes  Bytes  bytes    bytes   secs.    per sec   \n\n",
			       b->params->test == TCP_RR ? "TCP" : "UDP", b->params->burst);
	outcome_printf(out,
		       "%-6d %-6d %-6" PRId64 "   %-6" PRId64 "  %-6.2f   %7.2f   \n%-6d %-6d\n",
		       b->send_buffer, b->receive_buffer, b->request, b->response, s->seconds,
		       s->sum, b->send_buffer, b->receive_buffer);
}

static void print_stream(const struct bench *b, const struct summary *s, struct outcome *out)
{
	bool kilo = b->params->unit == 1;

	if (b->params->banner)
		outcome_printf(out,
			       "TCP STREAM TEST to 127.0.0.1\n"
			       "Recv   Send    Send                          \n"
			       "Socket Socket  Message  Elapsed              \n"
			       "Size   Size    Size     Time     Throughput  \n"
			       "bytes  bytes   bytes    secs.    10^%dbits/sec  \n\n",
			       kilo ? 3 : 6);
	outcome_printf(out, "%6d %6d %6" PRId64 "    %-6.2f   %7.2f   \n", b->receive_buffer,
		       b->send_buffer, b->send_size, s->seconds, kilo ? s->sum * 1000 : s->sum);
}

static void print_text(const struct bench *b, const struct summary *s, struct outcome *out,
		       double jain)
{
	if (!b->params->verbosity) {
		outcome_printf(out, "%7.2f\n", s->sum);
		return;
	}
	if (b->params->test == TCP_STREAM)
		print_stream(b, s, out);
	else
		print_rr(b, s, out);
	if (b->params->pairs > 1)
		outcome_printf(out, "pairs %" PRId64 " min %.2f max %.2f jain %.4f\n",
			       b->params->pairs, s->min, s->max, jain);
	if (s->losses)
		outcome_printf(out, "lost %" PRIu64 " datagrams\n", s->losses);
}

static int report_rr(const struct bench *b, const struct summary *s, struct outcome *out,
		     struct error *err)
{
	double busy = (double)b->params->pairs * s->seconds * 1e6;

	if (outcome_value(out, &metrics[LATENCY_MEAN], busy / (double)s->transactions, err) ||
	    outcome_value(out, &metrics[LATENCY_P50],
			  histogram_percentile(&s->latency, 50, NULL) / 1000, err) ||
	    outcome_value(out, &metrics[LATENCY_P99],
			  histogram_percentile(&s->latency, 99, NULL) / 1000, err))
		return -1;
	if (b->params->test != UDP_RR)
		return 0;
	return outcome_value(out, &metrics[LOSSES], (double)s->losses, err);
}

static int report(const struct bench *b, struct run *run, struct error *err)
{
	static struct summary s;
	struct outcome *out = run->out;
	bool stream = b->params->test == TCP_STREAM;
	double jain;

	summarise(b, &s);
	if (s.losses && !b->params->allow_loss)
		return error_set(err, ERROR_FAILED,
				 "%" PRIu64
				 " datagrams were lost (--allow-loss to count them only)",
				 s.losses);
	if (stream ? !s.bytes : !s.transactions)
		return error_set(err, ERROR_FAILED, "nothing was transferred in %.3f s", s.seconds);
	jain = s.sum * s.sum / ((double)b->params->pairs * s.squares);
	out->wall_ns = (uint64_t)(s.seconds * 1e9);
	out->ops = stream ? s.bytes : s.transactions;
	print_text(b, &s, out, jain);
	if (outcome_value(out, &metrics[stream ? RATE_STREAM : RATE_RR], s.sum, err) ||
	    outcome_value(out, &metrics[PAIR_MIN], s.min, err) ||
	    outcome_value(out, &metrics[PAIR_MAX], s.max, err) ||
	    outcome_value(out, &metrics[JAIN], jain, err))
		return -1;
	return stream ? 0 : report_rr(b, &s, out, err);
}

static int netperf_run(const void *params, struct run *run, struct error *err)
{
	const struct netperf *p = params;
	struct bench b = {.params = p};

	b.count = p->length_ns < 0 ? -p->length_ns / 1000000000 : 0;
	if (parse_sizes(&b, err) || parse_cpus(&b, run->place, err) || read_sizes(&b, err) ||
	    check(&b, err))
		return -1;
	b.results = shared_alloc((size_t)p->pairs * sizeof(*b.results), err);
	if (!b.results || play(&b, run, err))
		return -1;
	return report(&b, run, err);
}

#define FIELD(f) offsetof(struct netperf, f)

static const char *const test_names[] = {"TCP_RR", "UDP_RR", "TCP_STREAM", NULL};
static const char *const unit_names[] = {"m", "k", NULL};

static const struct option_spec options[] = {
	{.letter = 't',
	 .name = "testname",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(test),
	 .preset = "TCP_RR",
	 .choices = test_names,
	 .help = "requests and responses over TCP or UDP, or a stream"},
	{.letter = 'n',
	 .name = "pairs",
	 .type = OPTION_INT,
	 .offset = FIELD(pairs),
	 .preset = "1",
	 .min = 1,
	 .max = 100000,
	 .help = "pairs of a client and a server process, all started at once"},
	{.letter = 'l',
	 .name = "testlen",
	 .type = OPTION_TIME,
	 .offset = FIELD(length_ns),
	 .unit = "s",
	 .preset = "10",
	 .min = INT64_MIN,
	 .max = 86400 * 1000000000LL,
	 .help = "how long; -N: so many transactions, or bytes, of each pair"},
	{.letter = 'r',
	 .name = "request-response",
	 .type = OPTION_STRING,
	 .offset = FIELD(sizes),
	 .unit = "bytes",
	 .preset = "1,1",
	 .help = "sizes of request and response"},
	{.letter = 'b',
	 .name = "burst",
	 .type = OPTION_INT,
	 .offset = FIELD(burst),
	 .preset = "0",
	 .min = 0,
	 .max = 1000,
	 .help = "further requests outstanding at any time"},
	{.letter = 'm',
	 .name = "send-size",
	 .type = OPTION_SIZE,
	 .offset = FIELD(send_size),
	 .unit = "bytes",
	 .preset = "0",
	 .min = 0,
	 .max = 1 << 26,
	 .help = "of each send of a stream; 0: the size of the socket buffer"},
	{.letter = 'M',
	 .name = "receive-size",
	 .type = OPTION_SIZE,
	 .offset = FIELD(receive_size),
	 .unit = "bytes",
	 .preset = "0",
	 .min = 0,
	 .max = 1 << 26,
	 .help = "of each receive of a stream; 0: the size of the socket buffer"},
	{.letter = 's',
	 .name = "local-buffer",
	 .type = OPTION_SIZE,
	 .offset = FIELD(local_buffer),
	 .unit = "bytes",
	 .preset = "0",
	 .min = 0,
	 .max = 1 << 30,
	 .help = "socket buffers of the client; 0: the kernel adapts them"},
	{.letter = 'S',
	 .name = "remote-buffer",
	 .type = OPTION_SIZE,
	 .offset = FIELD(remote_buffer),
	 .unit = "bytes",
	 .preset = "0",
	 .min = 0,
	 .max = 1 << 30,
	 .help = "socket buffers of the server; 0: the kernel adapts them"},
	{.letter = 'D',
	 .name = "nodelay",
	 .type = OPTION_FLAG,
	 .offset = FIELD(nodelay),
	 .help = "set TCP_NODELAY on both ends"},
	{.letter = 'T',
	 .name = "bind-pair",
	 .type = OPTION_STRING,
	 .offset = FIELD(cpus),
	 .help = "CPUs of client and server: 0,1 or 0, or ,1; one number is for both"},
	{.name = "allow-loss",
	 .type = OPTION_FLAG,
	 .offset = FIELD(allow_loss),
	 .help = "UDP_RR: count lost datagrams instead of failing"},
	{.name = "loss-timeout",
	 .type = OPTION_TIME,
	 .offset = FIELD(loss_ns),
	 .unit = "s",
	 .preset = "1",
	 .min = 1000000,
	 .max = 3600 * 1000000000LL,
	 .help = "UDP_RR: a response that takes longer is lost"},
	{.letter = 'f',
	 .name = "format",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(unit),
	 .preset = "m",
	 .choices = unit_names,
	 .help = "unit of the text of TCP_STREAM: 1e6 or 1e3 bits a second"},
	{.letter = 'P',
	 .name = "banner",
	 .type = OPTION_INT,
	 .offset = FIELD(banner),
	 .preset = "1",
	 .min = 0,
	 .max = 1,
	 .help = "0: no header above the numbers"},
	{.letter = 'v',
	 .name = "verbosity",
	 .type = OPTION_INT,
	 .offset = FIELD(verbosity),
	 .preset = "1",
	 .min = 0,
	 .max = 1,
	 .help = "0: print the rate alone"},
	OPTION_END,
};

WORKLOAD(netperf) = {
	.name = "netperf",
	.summary = "request/response and stream tests over TCP and UDP loopback, N pairs at once",
	.description = "Each pair is a client and a server process with one connection over "
		       "127.0.0.1, made\n"
		       "before the start. TCP_RR, UDP_RR: the client sends a request and waits for "
		       "the response.\n"
		       "TCP_STREAM: it sends as fast as it can; the draining of the stream is "
		       "inside the time.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct netperf),
	.run = netperf_run,
};
