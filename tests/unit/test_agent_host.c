// SPDX-License-Identifier: GPL-2.0-or-later
/* The host as a target: boots, ends and the names of its ends. */
#include "agent_test.h"

#include "agent/agent_journal.h"
#include "target/target.h"

#define PATH "/proc/sys/kernel/printk_ratelimit_burst"

struct host {
	struct target *target;
	struct agent_client *client;
	char folder[64];
	char *program, *console;
	struct machine machine;
	struct kernel_image kernel;
	struct target_spec spec;
};

static int setup(void **state)
{
	struct host *h = xcalloc(1, sizeof(*h));
	struct error err = ERROR_INIT;

	snprintf(h->folder, sizeof(h->folder), "/tmp/schedbench-test-XXXXXX");
	assert_non_null(mkdtemp(h->folder));
	setenv("SCHEDBENCH_RUN_DIR", h->folder, 1);
	h->program = built("schedbench-agent");
	h->console = path_join(h->folder, "console");
	h->machine = (struct machine){.name = (char *)"host", .type = MACHINE_HOST};
	h->spec = (struct target_spec){.machine = &h->machine,
				       .kernel = &h->kernel,
				       .kernel_cmdline = "",
				       .console_log = h->console,
				       .agent_path = h->program,
				       .workload_path = "/bin/echo",
				       .interrupt_fd = -1};
	if (target_boot(&h->target, &h->spec, &err))
		fail_msg("%s", err.msg);
	h->client = agent_client_new(target_fd(h->target), target_end_fd(h->target), -1);
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	struct host *h = *state;
	struct error err = ERROR_INIT;

	agent_client_free(h->client);
	target_shutdown(h->target, 10000);
	remove_tree(h->folder, &err);
	free(h->program);
	free(h->console);
	free(h);
	return 0;
}

static void remember_pid(void *arg, bool is_stderr, const char *line, size_t len)
{
	(void)len;
	if (!is_stderr)
		*(pid_t *)arg = atoi(line);
}

/* Run a script; the last number that it prints goes to *@pid. */
static enum agent_status shell(struct host *h, const char *script, unsigned timeout_ms, pid_t *pid,
			       struct error *err)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct agent_run_request req = {.argv = argv,
					.timeout_ms = timeout_ms,
					.grace_ms = 1,
					.on_line = remember_pid,
					.arg = pid};
	struct agent_run_reply r;
	enum agent_status status = agent_run(h->client, &req, &r, err);

	if (status == AGENT_OK)
		agent_run_reply_release(&r);
	return status;
}

static void assert_dies(pid_t pid)
{
	assert_true(pid > 1);
	for (int i = 0; i < 1000 && process_alive(pid); i++)
		usleep(10000);
	assert_false(process_alive(pid));
}

static char *text_of(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(file_read(path, 4096, &text, &err), 0);
	return strbuf_detach(&text);
}

static void boots_and_says_bye(void **state)
{
	struct host *h = *state;
	struct strbuf why = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct agent_hello hello;

	assert_string_equal(target_accel(h->target), "host");
	assert_string_equal(target_note(h->target), "this host");
	assert_int_equal(target_console_warnings(h->target), 0);
	assert_int_equal(agent_hello(h->client, ANSWER_MS, &hello, &err), AGENT_OK);
	agent_hello_release(&hello);
	assert_int_equal(agent_bye(h->client, ANSWER_MS, &err), AGENT_OK);
	assert_int_equal(target_diagnose(h->target, false, &why), TARGET_OFF);
	strbuf_release(&why);
}

/* Shutdown without bye: as after Ctrl-C. */
static void shutdown_kills_and_puts_back(void **state)
{
	struct host *h = *state;
	struct key_value kv = {(char *)"kernel.printk_ratelimit_burst", (char *)"11"};
	struct error err = ERROR_INIT;
	char *before, *now;
	double start;

	if (geteuid())
		skip();
	before = text_of(PATH);
	assert_int_equal(agent_set(h->client, ANSWER_MS, NULL, 0, &kv, 1, &err), AGENT_OK);
	start = monotonic_s();
	target_shutdown(h->target, 10000);
	h->target = NULL;
	assert_true(monotonic_s() - start < 5);
	now = text_of(PATH);
	assert_string_equal(now, before);
	free(before);
	free(now);
}

static void killed_agent_is_an_early_exit(void **state)
{
	struct host *h = *state;
	struct key_value kv = {(char *)"kernel.printk_ratelimit_burst", (char *)"11"};
	struct strbuf why = STRBUF_INIT;
	struct error err = ERROR_INIT;
	char *before = text_of(PATH), *now;
	pid_t pid = 0;

	if (geteuid() == 0)
		assert_int_equal(agent_set(h->client, ANSWER_MS, NULL, 0, &kv, 1, &err), AGENT_OK);
	/* A child that ignores the death of its parent, in another session. */
	assert_int_equal(shell(h,
			       "setsid sh -c 'trap \"\" HUP; echo $$; exec sleep 1000' & "
			       "sleep 0.3; kill -9 $PPID; wait",
			       60000, &pid, &err),
			 AGENT_LOST);
	assert_int_equal(target_diagnose(h->target, false, &why), TARGET_EARLY_EXIT);
	assert_string_equal(target_end_name(TARGET_EARLY_EXIT), "early-exit");
	assert_non_null(strstr(why.buf, "signal 9"));
	assert_dies(pid);
	now = text_of(PATH);
	assert_string_equal(now, before);
	assert_false(journal_exists(h->folder));
	free(before);
	free(now);
	strbuf_release(&why);
}

static void stopped_agent_is_a_hang(void **state)
{
	struct host *h = *state;
	struct strbuf why = STRBUF_INIT;
	struct error err = ERROR_INIT;
	pid_t pid = 0;

	assert_int_equal(shell(h,
			       "setsid sh -c 'echo $$; exec sleep 1000' & "
			       "sleep 0.3; kill -STOP $PPID; wait",
			       1000, &pid, &err),
			 AGENT_TIMEOUT);
	assert_int_equal(target_diagnose(h->target, true, &why), TARGET_HANG);
	assert_string_equal(target_end_name(TARGET_HANG), "hang");
	assert_non_null(strstr(why.buf, "no answer"));
	assert_dies(pid);
	strbuf_release(&why);
}

/* What the agent said last is part of the diagnosis. */
static void protocol_failure_is_an_early_exit_with_its_message(void **state)
{
	struct host *h = *state;
	struct strbuf why = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_true(send(target_fd(h->target), "garbage\n", 8, MSG_NOSIGNAL) == 8);
	assert_int_equal(agent_bye(h->client, ANSWER_MS, &err), AGENT_LOST);
	assert_int_equal(target_diagnose(h->target, false, &why), TARGET_EARLY_EXIT);
	assert_non_null(strstr(why.buf, "exit status 3\n"
					"schedbench-agent: a line is not a JSON object"));
	strbuf_release(&why);
}

static void other_kernels_and_missing_agents_are_errors(void **state)
{
	struct host *h = *state;
	struct kernel_image image = {.image = (char *)"/boot/vmlinuz-other"};
	struct target_spec spec = h->spec;
	struct error err = ERROR_INIT;
	struct target *t;

	spec.kernel = &image;
	assert_int_equal(target_boot(&t, &spec, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_null(t);
	spec = h->spec;
	spec.agent_path = "/nonexistent/schedbench-agent";
	assert_int_equal(target_boot(&t, &spec, &err), -1);
	assert_non_null(strstr(err.msg, "/nonexistent/schedbench-agent"));
}

#define HOST_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(boots_and_says_bye),
		HOST_TEST(shutdown_kills_and_puts_back),
		HOST_TEST(killed_agent_is_an_early_exit),
		HOST_TEST(stopped_agent_is_a_hang),
		HOST_TEST(protocol_failure_is_an_early_exit_with_its_message),
		HOST_TEST(other_kernels_and_missing_agents_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
