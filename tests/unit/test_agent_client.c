// SPDX-License-Identifier: GPL-2.0-or-later
/* The client against an agent that lies: whatever comes from a guest, it neither crashes nor hangs.
 */
#include "agent_test.h"

#include <pthread.h>

/* An agent that waits for one request and sends @bytes, then closes unless it shall stay. */
struct fake {
	int fd;
	const char *bytes;
	size_t len, piece; /* sent in pieces of this size; 0: at once */
	bool stay, forever; /* ... or sends the same again and again */
	pthread_t thread;
	int pair[2];
	struct agent_client *client;
};

static void *serve(void *arg)
{
	struct fake *f = arg;
	char request[65536];
	size_t sent = 0;

	if (read(f->pair[1], request, sizeof(request)) <= 0)
		return NULL;
	while (sent < f->len) {
		size_t want = f->piece && f->piece < f->len - sent ? f->piece : f->len - sent;
		ssize_t n = send(f->pair[1], f->bytes + sent, want, MSG_NOSIGNAL);

		if (n < 0)
			break;
		sent += n;
		if (f->forever && sent == f->len)
			sent = 0;
	}
	if (!f->stay)
		shutdown(f->pair[1], SHUT_RDWR);
	return NULL;
}

static void fake_start(struct fake *f, const char *bytes, size_t len)
{
	f->bytes = bytes;
	f->len = len;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, f->pair), 0);
	f->client = agent_client_new(f->pair[0], -1, -1);
	assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
}

static void fake_stop(struct fake *f)
{
	/* Wakes a fake that still writes. */
	shutdown(f->pair[0], SHUT_RDWR);
	pthread_join(f->thread, NULL);
	close(f->pair[0]);
	close(f->pair[1]);
	agent_client_free(f->client);
}

static unsigned lines_seen;

static void count_line(void *arg, bool is_stderr, const char *line, size_t len)
{
	(void)arg;
	(void)is_stderr;
	(void)line;
	(void)len;
	lines_seen++;
}

static enum agent_status run(struct fake *f, unsigned timeout_ms, struct agent_run_reply *r,
			     struct error *err)
{
	static const char *const argv[] = {"true", NULL};
	static const char *const files[] = {"/a", NULL};
	struct agent_run_request req = {.argv = argv,
					.timeout_ms = timeout_ms,
					.grace_ms = 1,
					.snapshots = files,
					.on_line = count_line};

	return agent_run(f->client, &req, r, err);
}

#define DONE                                                                                       \
	"{\"id\":1,\"ok\":true,\"timed_out\":false,\"exit_status\":0,\"signal\":null,"             \
	"\"wall_s\":1.5,\"user_s\":1,\"system_s\":0.25,\"max_rss_kb\":7,"                          \
	"\"voluntary_switches\":3,\"involuntary_switches\":4}\n"

static void good_replies_are_understood_in_any_pieces(void **state)
{
	const char *text = "{\"id\":1,\"event\":\"stdout\",\"lines\":[\"a\",\"b\"]}\n"
			   "{\"id\":1,\"event\":\"snapshot\",\"when\":\"after\",\"path\":\"/a\","
			   "\"text\":\"x\"}\n"
			   "{\"id\":1,\"event\":\"snapshot\",\"when\":\"after\",\"path\":\"/a\","
			   "\"text\":\"y\"}\n" DONE;

	(void)state;
	for (size_t piece = 0; piece < 70; piece += 7) {
		struct fake f = {.piece = piece};
		struct error err = ERROR_INIT;
		struct agent_run_reply r;

		lines_seen = 0;
		fake_start(&f, text, strlen(text));
		if (run(&f, 20000, &r, &err) != AGENT_OK)
			fail_msg("%s", err.msg);
		assert_int_equal(lines_seen, 2);
		assert_true(r.wall_s == 1.5 && r.user_s == 1 && r.system_s == 0.25);
		assert_int_equal(r.max_rss_kb, 7);
		assert_int_equal(r.voluntary_switches, 3);
		assert_int_equal(r.involuntary_switches, 4);
		assert_string_equal(json_string_value(json_object_get(r.after, "/a")), "xy");
		assert_true(json_is_null(json_object_get(r.before, "/a")));
		agent_run_reply_release(&r);
		fake_stop(&f);
	}
}

/* Each must end as AGENT_LOST with a message that says @says, and leave the client failed. */
static const struct {
	const char *bytes, *says;
} lies[] = {
	{"", "closed the stream"},
	{"{\"id\":1,\"ok\":true", "closed the stream"},
	{"\n", "not a JSON object"},
	{"garbage\n", "not a JSON object"},
	{"[1]\n", "not a JSON object"},
	{"{\"id\":1,\"id\":1,\"ok\":true}\n", "not a JSON object"},
	{"\xff\xfe\n", "not a JSON object"},
	{"{}\n", "without an id"},
	{"{\"id\":\"1\",\"ok\":true}\n", "without an id"},
	{"{\"id\":null}\n", "without an id"},
	{"{\"id\":null,\"ok\":false,\"error\":\"tired\\u001b[2J\"}\n", "gave up: tired?[2J"},
	{"{\"id\":0,\"ok\":true}\n", "answered request 0, not 1"},
	{"{\"id\":2,\"ok\":true}\n", "answered request 2, not 1"},
	{"{\"id\":1}\n", "neither ok nor why not"},
	{"{\"id\":1,\"ok\":1}\n", "neither ok nor why not"},
	{"{\"id\":1,\"ok\":false}\n", "neither ok nor why not"},
	{"{\"id\":1,\"ok\":false,\"error\":5}\n", "neither ok nor why not"},
	{"{\"id\":1,\"event\":5}\n", "unknown kind"},
	{"{\"id\":1,\"event\":\"dance\"}\n", "unknown kind"},
	{"{\"id\":1,\"event\":\"stdout\"}\n", "output without lines"},
	{"{\"id\":1,\"event\":\"stdout\",\"lines\":[1]}\n", "not text"},
	{"{\"id\":1,\"event\":\"snapshot\",\"path\":\"/a\",\"text\":\"x\"}\n", "not asked for"},
	{"{\"id\":1,\"event\":\"snapshot\",\"when\":\"before\",\"path\":\"/b\",\"text\":\"\"}\n",
	 "not asked for"},
	{"{\"id\":1,\"event\":\"snapshot\",\"when\":\"before\",\"path\":\"/a\"}\n", "not text"},
	{"{\"id\":1,\"event\":\"snapshot\",\"when\":3,\"path\":\"/a\",\"text\":\"\"}\n",
	 "not asked for"},
	{"{\"id\":1,\"ok\":true}\n", "wrong or missing member"},
	{"{\"id\":1,\"ok\":true,\"timed_out\":false,\"exit_status\":0,\"signal\":9,\"wall_s\":1,"
	 "\"user_s\":1,\"system_s\":1,\"max_rss_kb\":1,\"voluntary_switches\":1,"
	 "\"involuntary_switches\":1}\n",
	 "wrong or missing member"},
	{"{\"id\":1,\"ok\":true,\"timed_out\":false,\"exit_status\":0,\"signal\":null,"
	 "\"wall_s\":-1,\"user_s\":1,\"system_s\":1,\"max_rss_kb\":1,\"voluntary_switches\":1,"
	 "\"involuntary_switches\":1}\n",
	 "wrong or missing member"},
	{"{\"id\":1,\"ok\":true,\"timed_out\":false,\"exit_status\":256,\"signal\":null,"
	 "\"wall_s\":1,\"user_s\":1,\"system_s\":1,\"max_rss_kb\":1,\"voluntary_switches\":1,"
	 "\"involuntary_switches\":1}\n",
	 "wrong or missing member"},
	{"{\"id\":1,\"ok\":true,\"timed_out\":false,\"exit_status\":0,\"signal\":null,"
	 "\"wall_s\":1,\"user_s\":\"1\",\"system_s\":1,\"max_rss_kb\":1,"
	 "\"voluntary_switches\":1,\"involuntary_switches\":1}\n",
	 "wrong or missing member"},
};

static void lies_lose_the_agent(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct fake f = {.stay = false};
		struct error err = ERROR_INIT;
		struct agent_run_reply r;
		struct agent_hello h;

		fake_start(&f, lies[i].bytes, strlen(lies[i].bytes));
		assert_int_equal(run(&f, 20000, &r, &err), AGENT_LOST);
		assert_null(r.before);
		if (!strstr(err.msg, lies[i].says))
			fail_msg("'%s' does not say '%s'", err.msg, lies[i].says);
		assert_int_equal(agent_hello(f.client, 1000, &h, &err), AGENT_LOST);
		assert_non_null(strstr(err.msg, "has failed before"));
		fake_stop(&f);
	}
}

static void output_outside_of_a_run_loses_the_agent(void **state)
{
	const char *text = "{\"id\":1,\"event\":\"stdout\",\"lines\":[\"a\"]}\n";
	struct fake f = {.stay = true};
	struct error err = ERROR_INIT;
	struct agent_hello h;

	(void)state;
	fake_start(&f, text, strlen(text));
	assert_int_equal(agent_hello(f.client, 20000, &h, &err), AGENT_LOST);
	assert_non_null(strstr(err.msg, "no program was running"));
	fake_stop(&f);
}

static void wrong_hellos_lose_the_agent(void **state)
{
#define HELLO(protocol, cpus, release)                                                             \
	"{\"id\":1,\"ok\":true,\"protocol\":" protocol ",\"cpus\":" cpus ",\"release\":" release   \
	",\"version\":\"v\",\"cmdline\":\"c\",\"arch\":\"a\",\"features\":null,\"hwloc\":null}\n"
	static const char *const hellos[] = {
		HELLO("2", "1", "\"r\""),	    HELLO("1", "0", "\"r\""),
		HELLO("1", "1e3", "\"r\""),	    HELLO("1", "1", "null"),
		HELLO("1", "1", "\"r\\u0000s\""),   HELLO("\"1\"", "1", "\"r\""),
		HELLO("1", "99999999999", "\"r\""),
	};
	struct error err = ERROR_INIT;
	struct agent_hello h;

	(void)state;
	for (size_t i = 0; i < sizeof(hellos) / sizeof(hellos[0]); i++) {
		struct fake f = {.stay = true};

		fake_start(&f, hellos[i], strlen(hellos[i]));
		assert_int_equal(agent_hello(f.client, 20000, &h, &err), AGENT_LOST);
		assert_null(h.release);
		fake_stop(&f);
	}
	{
		struct fake f = {.stay = true};
		const char *good = HELLO("1", "80", "\"6.1.0\"");

		fake_start(&f, good, strlen(good));
		assert_int_equal(agent_hello(f.client, 20000, &h, &err), AGENT_OK);
		assert_int_equal(h.cpus, 80);
		assert_string_equal(h.release, "6.1.0");
		assert_null(h.features);
		agent_hello_release(&h);
		fake_stop(&f);
	}
}

static void huge_lines_lose_the_agent(void **state)
{
	struct fake f = {.stay = true};
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct agent_run_reply r;

	(void)state;
	strbuf_addchars(&sb, '{', 8 * PROTOCOL_LINE_MAX);
	fake_start(&f, sb.buf, sb.len);
	assert_int_equal(run(&f, 20000, &r, &err), AGENT_LOST);
	assert_non_null(strstr(err.msg, "longer than 1 MiB"));
	fake_stop(&f);
	strbuf_release(&sb);
}

static void errors_are_refusals_and_the_stream_goes_on(void **state)
{
	const char *text = "{\"id\":1,\"ok\":false,\"error\":\"no\\nsuch\"}\n"
			   "{\"id\":2,\"ok\":true}\n";
	struct fake f = {.stay = true};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;

	(void)state;
	fake_start(&f, text, strlen(text));
	assert_int_equal(run(&f, 20000, &r, &err), AGENT_REFUSED);
	assert_string_equal(err.msg, "no?such");
	assert_int_equal(agent_bye(f.client, 1000, &err), AGENT_OK);
	fake_stop(&f);
}

static void silence_is_a_timeout(void **state)
{
	struct fake f = {.stay = true};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	double start = monotonic_s();

	(void)state;
	fake_start(&f, "{\"id\":1,", 8);
	assert_int_equal(run(&f, 200, &r, &err), AGENT_TIMEOUT);
	assert_true(monotonic_s() - start >= 0.2);
	assert_true(monotonic_s() - start < 10);
	fake_stop(&f);
}

/* An endless stream of output does not put the deadline off. */
static void babble_is_a_timeout(void **state)
{
	static const char line[] = "{\"id\":1,\"event\":\"stderr\",\"lines\":[\"x\"]}\n";
	struct fake f = {.forever = true};
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	double start = monotonic_s();

	(void)state;
	for (int i = 0; i < 10000; i++)
		strbuf_add(&sb, line, sizeof(line) - 1);
	fake_start(&f, sb.buf, sb.len);
	assert_int_equal(run(&f, 100, &r, &err), AGENT_TIMEOUT);
	assert_true(monotonic_s() - start < 10);
	fake_stop(&f);
	strbuf_release(&sb);
}

static void interrupts_are_noticed(void **state)
{
	struct fake f = {.stay = true};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	fake_start(&f, "", 0);
	agent_client_free(f.client);
	f.client = agent_client_new(f.pair[0], -1, p[0]);
	assert_int_equal(write(p[1], "x", 1), 1);
	assert_int_equal(run(&f, 20000, &r, &err), AGENT_INTERRUPTED);
	assert_int_equal(err.kind, ERROR_INTERRUPTED);
	close(p[0]);
	close(p[1]);
	fake_stop(&f);
}

/* The machine has ended already: what it said before that counts. */
static void last_words_are_heard(void **state)
{
	static const char *const words[] = {DONE, "{\"id\":1,"};
	static const enum agent_status want[] = {AGENT_OK, AGENT_LOST};

	(void)state;
	for (int i = 0; i < 2; i++) {
		int pair[2], end[2];
		struct fake f = {0};
		struct error err = ERROR_INIT;
		struct agent_run_reply r;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
		assert_int_equal(pipe2(end, O_CLOEXEC), 0);
		assert_true(write(pair[1], words[i], strlen(words[i])) > 0);
		close(end[1]); /* its reader hangs up: ended */
		f.client = agent_client_new(pair[0], end[0], -1);
		assert_int_equal(run(&f, 20000, &r, &err), want[i]);
		if (i == 0)
			agent_run_reply_release(&r);
		else
			assert_non_null(strstr(err.msg, "machine ended"));
		agent_client_free(f.client);
		close(pair[0]);
		close(pair[1]);
		close(end[0]);
	}
}

static void requests_that_do_not_fit_are_refused(void **state)
{
	struct fake f = {.stay = true};
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	const char *argv[2] = {NULL};
	struct agent_run_request req = {.argv = argv, .timeout_ms = 1000};
	struct agent_run_reply r;

	(void)state;
	strbuf_addchars(&sb, 'x', PROTOCOL_LINE_MAX);
	argv[0] = sb.buf;
	fake_start(&f, "", 0);
	assert_int_equal(agent_run(f.client, &req, &r, &err), AGENT_REFUSED);
	assert_non_null(strstr(err.msg, "does not fit"));
	fake_stop(&f);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_replies_are_understood_in_any_pieces),
		cmocka_unit_test(lies_lose_the_agent),
		cmocka_unit_test(output_outside_of_a_run_loses_the_agent),
		cmocka_unit_test(wrong_hellos_lose_the_agent),
		cmocka_unit_test(huge_lines_lose_the_agent),
		cmocka_unit_test(errors_are_refusals_and_the_stream_goes_on),
		cmocka_unit_test(silence_is_a_timeout),
		cmocka_unit_test(babble_is_a_timeout),
		cmocka_unit_test(interrupts_are_noticed),
		cmocka_unit_test(last_words_are_heard),
		cmocka_unit_test(requests_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
