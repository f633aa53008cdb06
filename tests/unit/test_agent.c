// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent and the client together: programs are run as asked and nothing of them survives. */
#include "agent_test.h"

#include <sched.h>
#include <sys/utsname.h>

/* What a program printed. */
struct output {
	struct strbuf out, err;
	unsigned lines;
	size_t longest;
};

static void collect(void *arg, bool is_stderr, const char *line, size_t len)
{
	struct output *o = arg;
	struct strbuf *sb = is_stderr ? &o->err : &o->out;

	strbuf_add(sb, line, len);
	strbuf_addch(sb, '\n');
	o->lines++;
	if (len > o->longest)
		o->longest = len;
}

static void output_release(struct output *o)
{
	strbuf_release(&o->out);
	strbuf_release(&o->err);
}

#define OUTPUT_INIT                                                                                \
	{                                                                                          \
		STRBUF_INIT, STRBUF_INIT, 0, 0                                                     \
	}

static enum agent_status run_shell(struct test_agent *t, const char *script, unsigned timeout_ms,
				   struct output *o, struct agent_run_reply *reply,
				   struct error *err)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct agent_run_request req = {
		.argv = argv, .timeout_ms = timeout_ms, .on_line = collect, .arg = o};

	return agent_run(t->client, &req, reply, err);
}

/* Run @script to its end within 20 s. */
static void shell(struct test_agent *t, const char *script, struct output *o,
		  struct agent_run_reply *reply)
{
	struct error err = ERROR_INIT;

	if (run_shell(t, script, 20000, o, reply, &err) != AGENT_OK)
		fail_msg("%s", err.msg);
}

static void hello_describes_this_host(void **state)
{
	struct test_agent *t = *state;
	struct error err = ERROR_INIT;
	struct agent_hello h;
	struct utsname u;

	uname(&u);
	assert_int_equal(agent_hello(t->client, ANSWER_MS, &h, &err), AGENT_OK);
	assert_string_equal(h.release, u.release);
	assert_string_equal(h.arch, u.machine);
	assert_int_equal(h.cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(strncmp(h.version, "Linux version ", 14), 0);
	assert_non_null(h.cmdline);
	assert_non_null(strstr(h.hwloc_xml, "<topology"));
	agent_hello_release(&h);
}

static void output_status_and_usage(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;

	shell(*state, "echo one; echo two >&2; printf three; exit 7", &o, &r);
	assert_string_equal(o.out.buf, "one\nthree\n");
	assert_string_equal(o.err.buf, "two\n");
	assert_int_equal(r.exit_status, 7);
	assert_int_equal(r.signal, 0);
	assert_false(r.timed_out);
	assert_true(r.wall_s > 0 && r.wall_s < 20);
	assert_true(r.max_rss_kb > 100);
	agent_run_reply_release(&r);
	output_release(&o);
}

/* 0.3 s of computing are 0.3 s of user and system time, whatever the wall says. */
static void usage_is_the_program_s(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;

	shell(*state, "exec perl -e 'while ((times)[0] + (times)[1] < 0.3) {}'", &o, &r);
	assert_int_equal(r.exit_status, 0);
	assert_true(r.user_s + r.system_s >= 0.29 && r.user_s + r.system_s < 0.6);
	assert_true(r.wall_s >= 0.28);
	agent_run_reply_release(&r);
	output_release(&o);
}

static void signals_are_told(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;

	shell(*state, "kill -SEGV $$", &o, &r);
	assert_int_equal(r.exit_status, -1);
	assert_int_equal(r.signal, SIGSEGV);
	agent_run_reply_release(&r);
	output_release(&o);
}

static void signals_of_the_program_are_at_their_defaults(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;

	shell(*state, "grep -E '^Sig(Blk|Ign)' /proc/self/status; readlink /proc/self/fd/0", &o,
	      &r);
	assert_string_equal(o.out.buf, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"
				       "/dev/null\n");
	agent_run_reply_release(&r);
	output_release(&o);
}

/* Pids that the script printed, one per line, must be gone. */
static void assert_all_dead(const struct output *o, unsigned count)
{
	const char *p = o->out.buf;

	for (unsigned i = 0; i < count; i++) {
		char *end;
		long pid = strtol(p, &end, 10);

		assert_true(end != p && pid > 1);
		assert_false(process_alive(pid));
		p = end;
	}
}

static void timeout_kills_every_descendant(void **state)
{
	struct test_agent *t = *state;
	struct output o = OUTPUT_INIT;
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	double start = monotonic_s();

	assert_int_equal(run_shell(t,
				   "sleep 1000 & echo $!\n"
				   "setsid sleep 1000 & echo $!\n"
				   "setsid sh -c 'trap \"\" TERM INT HUP; echo $$; sleep 1000' &\n"
				   "sleep 1000",
				   700, &o, &r, &err),
			 AGENT_OK);
	assert_true(r.timed_out);
	assert_int_equal(r.signal, SIGKILL);
	assert_true(r.wall_s >= 0.7 && r.wall_s < 10);
	assert_true(monotonic_s() - start < 10);
	assert_int_equal(o.lines, 3);
	assert_all_dead(&o, 3);
	agent_run_reply_release(&r);
	output_release(&o);
}

static void leaked_holders_of_stdout_do_not_hang_the_agent(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;
	double start = monotonic_s();

	/* A daemon: its parent ends first, its session is another. */
	shell(*state, "setsid sh -c '(sleep 1000 & echo $!) ; exit 0'; (sleep 1000 & echo $!)", &o,
	      &r);
	assert_int_equal(r.exit_status, 0);
	assert_false(r.timed_out);
	assert_true(monotonic_s() - start < 10);
	assert_int_equal(o.lines, 2);
	assert_all_dead(&o, 2);
	agent_run_reply_release(&r);
	output_release(&o);
}

static void much_output_arrives_whole(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;

	/* 10,000,000 bytes: 200,000 lines of 49 characters. */
	shell(*state, "perl -e 'printf \"%049d\\n\", $_ for 1..200000'", &o, &r);
	assert_int_equal(o.lines, 200000);
	assert_int_equal(o.out.len, 10000000);
	assert_string_equal(o.out.buf + 10000000 - 50,
			    "0000000000000000000000000000000000000000000200000\n");
	agent_run_reply_release(&r);
	output_release(&o);
}

static void long_lines_come_in_pieces(void **state)
{
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;
	size_t letters = 0;

	shell(*state, "perl -e 'print \"x\" x 3000000, \"\\nend\\n\"'", &o, &r);
	assert_true(o.longest <= 65536);
	for (size_t i = 0; i < o.out.len; i++)
		letters += o.out.buf[i] == 'x';
	assert_int_equal(letters, 3000000);
	assert_string_equal(o.out.buf + o.out.len - 5, "\nend\n");
	agent_run_reply_release(&r);
	output_release(&o);
}

static void binary_output_becomes_text(void **state)
{
	static const char want[] = "a\xef\xbf\xbd\xef\xbf\xbd"
				   "b\n\0c\xc3\xa9\n";
	struct output o = OUTPUT_INIT;
	struct agent_run_reply r;

	shell(*state, "printf 'a\\377\\300b\\n\\000c\\303\\251\\n'", &o, &r);
	assert_int_equal(o.out.len, sizeof(want) - 1);
	assert_memory_equal(o.out.buf, want, sizeof(want) - 1);
	agent_run_reply_release(&r);

	/* Every control character needs six bytes on the stream. */
	strbuf_reset(&o.out);
	shell(*state, "perl -e 'print \"\\001\" x 400000'", &o, &r);
	assert_true(o.out.len >= 400000);
	agent_run_reply_release(&r);
	output_release(&o);
}

static enum agent_status run_pinned(struct test_agent *t, const char *cpus, const char *mem,
				    struct output *o, struct error *err)
{
	const char *argv[] = {"grep", "Cpus_allowed_list", "/proc/self/status", NULL};
	struct agent_run_request req = {.argv = argv,
					.timeout_ms = 20000,
					.cpus = cpus,
					.mem = mem,
					.on_line = collect,
					.arg = o};
	struct agent_run_reply r;
	enum agent_status status = agent_run(t->client, &req, &r, err);

	if (status == AGENT_OK)
		agent_run_reply_release(&r);
	return status;
}

static void programs_are_pinned(void **state)
{
	struct output o = OUTPUT_INIT;
	struct error err = ERROR_INIT;
	char want[64];
	int last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	char cpu[16];

	snprintf(cpu, sizeof(cpu), "%d", last);
	snprintf(want, sizeof(want), "Cpus_allowed_list:\t%d\n", last);
	assert_int_equal(run_pinned(*state, cpu, "local", &o, &err), AGENT_OK);
	assert_string_equal(o.out.buf, want);
	output_release(&o);
}

static void what_cannot_be_pinned_is_refused(void **state)
{
	static const struct {
		const char *cpus, *mem, *says;
	} cases[] = {
		{"0-4095", NULL, "not all there"},
		{"4095", NULL, "not all there"},
		{"0-", NULL, "not a list of CPUs"},
		{"3-1", NULL, "not a list of CPUs"},
		{"", NULL, "not a list of CPUs"},
		{"0,", NULL, "not a list of CPUs"},
		{"99999999999", NULL, "not a list of CPUs"},
		{NULL, "bind:900", "cannot bind memory"},
		{NULL, "bind:", "is not bind:NODES"},
		{NULL, "locally", "is not bind:NODES"},
	};
	struct output o = OUTPUT_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = ERROR_INIT;

		assert_int_equal(run_pinned(*state, cases[i].cpus, cases[i].mem, &o, &err),
				 AGENT_REFUSED);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("'%s' does not say '%s'", err.msg, cases[i].says);
	}
	assert_int_equal(o.lines, 0);
	output_release(&o);
}

static void missing_programs_are_refused(void **state)
{
	struct test_agent *t = *state;
	const char *argv[] = {"schedbench-no-such-program", NULL};
	struct agent_run_request req = {.argv = argv, .timeout_ms = 1000};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;

	assert_int_equal(agent_run(t->client, &req, &r, &err), AGENT_REFUSED);
	assert_string_equal(err.msg, "cannot run 'schedbench-no-such-program': "
				     "No such file or directory");
	argv[0] = "/etc/passwd";
	assert_int_equal(agent_run(t->client, &req, &r, &err), AGENT_REFUSED);
	assert_string_equal(err.msg, "cannot run '/etc/passwd': Permission denied");
}

static void workload_and_environment(void **state)
{
	struct test_agent *t = *state;
	const char *echo[] = {"schedbench-workload", "a b", NULL};
	const char *env[] = {"SB_TEST=x y", NULL}, *print[] = {"printenv", "SB_TEST", NULL};
	struct output o = OUTPUT_INIT;
	struct agent_run_request req = {
		.argv = echo, .timeout_ms = 20000, .on_line = collect, .arg = &o};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;

	/* The tests' agents have /bin/echo in its place. */
	assert_int_equal(agent_run(t->client, &req, &r, &err), AGENT_OK);
	agent_run_reply_release(&r);
	req.argv = print;
	req.env = env;
	assert_int_equal(agent_run(t->client, &req, &r, &err), AGENT_OK);
	agent_run_reply_release(&r);
	assert_string_equal(o.out.buf, "a b\nx y\n");
	output_release(&o);
}

static void snapshots_before_and_after(void **state)
{
	struct test_agent *t = *state;
	char *file = path_join(t->folder, "counter");
	const char *files[] = {file, "/nonexistent/file", NULL};
	const char *argv[] = {"cp", "/proc/sys/kernel/ostype", file, NULL};
	struct agent_run_request req = {.argv = argv, .timeout_ms = 20000, .snapshots = files};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	json_t *once;

	assert_int_equal(file_write(file, "1\n", 2, &err), 0);
	assert_int_equal(agent_run(t->client, &req, &r, &err), AGENT_OK);
	assert_string_equal(json_string_value(json_object_get(r.before, file)), "1\n");
	assert_string_equal(json_string_value(json_object_get(r.after, file)), "Linux\n");
	assert_true(json_is_null(json_object_get(r.before, "/nonexistent/file")));
	assert_true(json_is_null(json_object_get(r.after, "/nonexistent/file")));
	agent_run_reply_release(&r);

	assert_int_equal(agent_snapshot(t->client, ANSWER_MS, files, &once, &err), AGENT_OK);
	assert_string_equal(json_string_value(json_object_get(once, file)), "Linux\n");
	assert_true(json_is_null(json_object_get(once, "/nonexistent/file")));
	json_decref(once);
	free(file);
}

static void large_snapshots_arrive_whole(void **state)
{
	struct test_agent *t = *state;
	char *file = path_join(t->folder, "large");
	const char *files[] = {file, NULL};
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;
	const json_t *got;
	json_t *once;

	/* 2.1 MB of sequences of 1, 2, 3 and 4 bytes, so that pieces end within them. */
	for (int i = 0; i < 210000; i++)
		strbuf_addstr(&text, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_int_equal(file_write(file, text.buf, text.len, &err), 0);
	assert_int_equal(agent_snapshot(t->client, ANSWER_MS, files, &once, &err), AGENT_OK);
	got = json_object_get(once, file);
	assert_int_equal(json_string_length(got), text.len);
	assert_memory_equal(json_string_value(got), text.buf, text.len);
	json_decref(once);
	strbuf_release(&text);
	free(file);
}

static void snapshots_of_devices_are_refused(void **state)
{
	struct test_agent *t = *state;
	const char *files[] = {"/dev/zero", NULL};
	struct error err = ERROR_INIT;
	json_t *once;

	assert_int_equal(agent_snapshot(t->client, ANSWER_MS, files, &once, &err), AGENT_REFUSED);
	assert_string_equal(err.msg, "'/dev/zero' is not a regular file");
}

static long voluntary_switches(pid_t pid)
{
	char *path = xasprintf("/proc/%d/status", (int)pid);
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;
	const char *p;
	long n = -1;

	assert_int_equal(file_read(path, 0, &text, &err), 0);
	p = strstr(text.buf, "\nvoluntary_ctxt_switches:");
	assert_non_null(p);
	n = strtol(strchr(p, ':') + 1, NULL, 10);
	strbuf_release(&text);
	free(path);
	return n;
}

static void nobody_wakes_up_while_a_program_runs(void **state)
{
	struct test_agent *t = *state;
	const char *argv[] = {"sleep", "5", NULL};
	struct agent_run_request req = {.argv = argv, .timeout_ms = 60000};
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	long agent = voluntary_switches(t->sp.pid), harness = voluntary_switches(getpid());

	assert_int_equal(agent_run(t->client, &req, &r, &err), AGENT_OK);
	assert_true(r.wall_s >= 5);
	agent = voluntary_switches(t->sp.pid) - agent;
	harness = voluntary_switches(getpid()) - harness;
	assert_in_range(agent, 1, 9);
	assert_in_range(harness, 1, 9);
	agent_run_reply_release(&r);
}

/* The harness dies while a program runs: the agent kills it and ends. */
static void vanished_harness_ends_everything(void **state)
{
	struct test_agent *t = *state;
	json_t *msg;
	pid_t pid;
	const char *request = "{\"id\":1,\"request\":\"run\",\"timeout_ms\":600000,\"argv\":"
			      "[\"sh\",\"-c\",\"setsid sleep 1000 & echo $!; wait\"]}\n";

	assert_true(test_send(t, request, strlen(request)));
	msg = test_receive(t);
	assert_non_null(json_object_get(msg, "lines"));
	pid = atoi(json_string_value(json_array_get(json_object_get(msg, "lines"), 0)));
	assert_true(process_alive(pid));
	json_decref(msg);
	test_agent_close(t);
	assert_int_equal(test_agent_wait(t), 0);
	assert_false(process_alive(pid));
}

static void bye_ends_the_agent(void **state)
{
	struct test_agent *t = *state;
	struct error err = ERROR_INIT;

	assert_int_equal(agent_bye(t->client, ANSWER_MS, &err), AGENT_OK);
	assert_int_equal(test_agent_wait(t), 0);
	assert_int_equal(agent_bye(t->client, ANSWER_MS, &err), AGENT_LOST);
}

static void killed_agents_are_lost(void **state)
{
	struct test_agent *t = *state;
	struct output o = OUTPUT_INIT;
	struct error err = ERROR_INIT;
	struct agent_run_reply r;
	char *script = xasprintf("kill -9 %d; exec sleep 1000", (int)t->sp.pid);

	assert_int_equal(run_shell(t, script, 60000, &o, &r, &err), AGENT_LOST);
	assert_true(WIFSIGNALED(test_agent_wait(t)));
	free(script);
	output_release(&o);
}

#define AGENT_TEST(f) cmocka_unit_test_setup_teardown(f, agent_setup, agent_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AGENT_TEST(hello_describes_this_host),
		AGENT_TEST(output_status_and_usage),
		AGENT_TEST(usage_is_the_program_s),
		AGENT_TEST(signals_are_told),
		AGENT_TEST(signals_of_the_program_are_at_their_defaults),
		AGENT_TEST(timeout_kills_every_descendant),
		AGENT_TEST(leaked_holders_of_stdout_do_not_hang_the_agent),
		AGENT_TEST(much_output_arrives_whole),
		AGENT_TEST(long_lines_come_in_pieces),
		AGENT_TEST(binary_output_becomes_text),
		AGENT_TEST(programs_are_pinned),
		AGENT_TEST(what_cannot_be_pinned_is_refused),
		AGENT_TEST(missing_programs_are_refused),
		AGENT_TEST(workload_and_environment),
		AGENT_TEST(snapshots_before_and_after),
		AGENT_TEST(large_snapshots_arrive_whole),
		AGENT_TEST(snapshots_of_devices_are_refused),
		AGENT_TEST(nobody_wakes_up_while_a_program_runs),
		AGENT_TEST(vanished_harness_ends_everything),
		AGENT_TEST(bye_ends_the_agent),
		AGENT_TEST(killed_agents_are_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
