// SPDX-License-Identifier: GPL-2.0-or-later
/* Switches: set, read back, and put back however the agent or the harness ends. Needs root. */
#include "agent_test.h"

#include <sys/stat.h>

#include "agent/agent_journal.h"
#include "agent/agent_switch.h"

/* Two switches that nothing depends on. */
#define NAME  "kernel.printk_ratelimit_burst"
#define PATH  "/proc/sys/kernel/printk_ratelimit_burst"
#define NAME2 "kernel.printk_ratelimit"
#define PATH2 "/proc/sys/kernel/printk_ratelimit"
#define LIST  "/sys/kernel/mm/transparent_hugepage/shmem_enabled"

#define PAIR(k, v)                                                                                 \
	{                                                                                          \
		(char *)(k), (char *)(v)                                                           \
	}

static char *value_of(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (file_read(path, 4096, &text, &err))
		fail_msg("%s", err.msg);
	while (text.len && text.buf[text.len - 1] == '\n')
		text.buf[--text.len] = '\0';
	return strbuf_detach(&text);
}

static void assert_value(const char *path, const char *want)
{
	char *got = value_of(path);

	assert_string_equal(got, want);
	free(got);
}

/* Skips without root. */
static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("skipped: only root can change switches\n");
	skip();
}

static enum agent_status set(struct test_agent *t, const char *name, const char *value,
			     struct error *err)
{
	struct key_value kv = {(char *)name, (char *)value};

	return agent_set(t->client, ANSWER_MS, NULL, 0, &kv, 1, err);
}

/* Set NAME to 11 (10 by default, and whatever it was before). */
static char *set_11(struct test_agent *t)
{
	struct error err = ERROR_INIT;
	char *old;

	need_root();
	old = value_of(PATH);
	if (set(t, NAME, "11", &err) != AGENT_OK)
		fail_msg("%s", err.msg);
	assert_value(PATH, "11");
	assert_string_not_equal(old, "11");
	return old;
}

static void assert_no_journal(const struct test_agent *t)
{
	assert_false(journal_exists(t->folder));
}

static void bye_puts_back(void **state)
{
	struct test_agent *t = *state;
	char *old = set_11(t);
	struct error err = ERROR_INIT;

	assert_true(journal_exists(t->folder));
	/* A second change keeps the first value. */
	assert_int_equal(set(t, NAME, "12", &err), AGENT_OK);
	assert_value(PATH, "12");
	assert_int_equal(agent_bye(t->client, ANSWER_MS, &err), AGENT_OK);
	assert_value(PATH, old);
	assert_no_journal(t);
	free(old);
}

static void closed_stream_puts_back(void **state)
{
	struct test_agent *t = *state;
	char *old = set_11(t);

	test_agent_close(t);
	assert_int_equal(test_agent_wait(t), 0);
	assert_value(PATH, old);
	assert_no_journal(t);
	free(old);
}

static void closed_stream_puts_back_during_a_run(void **state)
{
	struct test_agent *t = *state;
	const char *run = "{\"id\":77,\"request\":\"run\",\"timeout_ms\":600000,"
			  "\"argv\":[\"sh\",\"-c\",\"echo; exec sleep 1000\"]}\n";
	char *old = set_11(t);

	assert_true(test_send(t, run, strlen(run)));
	json_decref(test_receive(t));
	test_agent_close(t);
	assert_int_equal(test_agent_wait(t), 0);
	assert_value(PATH, old);
	free(old);
}

static void signals_put_back(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct test_agent t;
		char *old;

		test_agent_start(&t, NULL);
		old = set_11(&t);
		kill(t.sp.pid, signals[i]);
		assert_int_equal(WEXITSTATUS(test_agent_wait(&t)), 3);
		assert_value(PATH, old);
		free(old);
		test_agent_remove(&t);
	}
}

static void next_agent_puts_back_after_kill_9(void **state)
{
	struct test_agent *t = *state, next;
	char *old = set_11(t), *line = xasprintf("%s: %s", PATH, old);
	json_t *hello, *restored;

	kill(t->sp.pid, SIGKILL);
	test_agent_wait(t);
	assert_value(PATH, "11");
	test_agent_start(&next, t->folder);
	hello = test_request(&next, "{\"id\":1,\"request\":\"hello\"}");
	restored = json_object_get(hello, "restored");
	assert_int_equal(json_array_size(restored), 1);
	assert_string_equal(json_string_value(json_array_get(restored, 0)), line);
	assert_value(PATH, old);
	assert_no_journal(t);
	json_decref(hello);
	test_agent_release(&next);
	free(line);
	free(old);
}

static void second_agent_is_refused(void **state)
{
	struct test_agent *t = *state, second;
	char *old = set_11(t);
	char *owner = xasprintf("pid %d", (int)t->sp.pid);
	struct error err = ERROR_INIT;

	/* Neither recovers what the living one has changed nor changes anything. */
	test_agent_start(&second, t->folder);
	assert_int_equal(set(&second, NAME2, "6", &err), AGENT_REFUSED);
	assert_non_null(strstr(err.msg, owner));
	assert_value(PATH, "11");
	assert_true(journal_exists(t->folder));

	/* Free again as soon as the first one is done. */
	assert_int_equal(agent_bye(t->client, ANSWER_MS, &err), AGENT_OK);
	test_agent_wait(t);
	assert_value(PATH, old);
	assert_int_equal(set(&second, NAME, "11", &err), AGENT_OK);
	assert_int_equal(agent_bye(second.client, ANSWER_MS, &err), AGENT_OK);
	assert_value(PATH, old);
	test_agent_release(&second);
	free(owner);
	free(old);
}

static void unknown_switches_are_refused(void **state)
{
	struct test_agent *t = *state;
	struct key_value feature = PAIR("SB_NO_SUCH_FEATURE", "true");
	struct error err = ERROR_INIT;

	need_root();
	assert_int_equal(set(t, "kernel.sb_no_such_sysctl", "1", &err), AGENT_REFUSED);
	assert_string_equal(err.msg, "this kernel has no sysctl 'kernel.sb_no_such_sysctl'");
	assert_int_equal(set(t, "kernel", "1", &err), AGENT_REFUSED);
	assert_int_equal(set(t, "kernel/../vm/swappiness", "1", &err), AGENT_REFUSED);
	assert_int_equal(set(t, "", "1", &err), AGENT_REFUSED);
	assert_int_equal(agent_set(t->client, ANSWER_MS, &feature, 1, NULL, 0, &err),
			 AGENT_REFUSED);
	assert_non_null(strstr(err.msg, "SB_NO_SUCH_FEATURE"));
	feature.value = (char *)"maybe";
	assert_int_equal(agent_set(t->client, ANSWER_MS, &feature, 1, NULL, 0, &err),
			 AGENT_REFUSED);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_no_journal(t);
}

/* All or nothing: the good one before the bad one is not left behind. */
static void failed_set_changes_nothing(void **state)
{
	struct test_agent *t = *state;
	struct key_value two[] = {PAIR(NAME, "11"), PAIR("kernel.sb_no_such_sysctl", "1")};
	struct key_value bad[] = {PAIR(NAME, "11"), PAIR(NAME2, "not-a-number")};
	struct error err = ERROR_INIT;
	char *old;

	need_root();
	old = value_of(PATH);
	assert_int_equal(agent_set(t->client, ANSWER_MS, NULL, 0, two, 2, &err), AGENT_REFUSED);
	assert_value(PATH, old);
	assert_int_equal(agent_set(t->client, ANSWER_MS, NULL, 0, bad, 2, &err), AGENT_REFUSED);
	assert_non_null(strstr(err.msg, "not-a-number"));
	assert_value(PATH, old);
	assert_no_journal(t);
	free(old);
}

/* The kernel clamps nothing here, but a value that it stores otherwise must not pass. */
static void value_that_reads_back_differently_is_refused(void **state)
{
	struct test_agent *t = *state;
	struct error err = ERROR_INIT;

	need_root();
	/* 12 junk: the kernel takes the number and ignores the rest. */
	assert_int_equal(set(t, NAME, "12 junk", &err), AGENT_REFUSED);
	assert_no_journal(t);
}

static void kernel_s_own_form_of_a_value_is_the_same(void **state)
{
	struct test_agent *t = *state;
	struct error err = ERROR_INIT;
	char *old = set_11(t), *printk;

	assert_int_equal(set(t, NAME, "0xc", &err), AGENT_OK);
	assert_value(PATH, "12");
	printk = value_of("/proc/sys/kernel/printk");
	assert_int_equal(set(t, "kernel/printk", "5 4  1 7", &err), AGENT_OK);
	assert_value("/proc/sys/kernel/printk", "5\t4\t1\t7");
	assert_int_equal(agent_bye(t->client, ANSWER_MS, &err), AGENT_OK);
	assert_value("/proc/sys/kernel/printk", printk);
	free(printk);
	free(old);
}

/* Of a list of choices the chosen one is compared, and put back. */
static void files_with_choices(void **state)
{
	struct test_agent *t = *state;
	char *before;
	json_t *reply;

	need_root();
	if (access(LIST, W_OK))
		skip();
	before = value_of(LIST);
	reply = test_request(t, "{\"id\":1,\"request\":\"set\",\"files\":{\"" LIST
				"\":\"within_size\"}}");
	assert_true(json_is_true(json_object_get(reply, "ok")));
	json_decref(reply);
	reply = test_request(t, "{\"id\":2,\"request\":\"set\",\"files\":{\"" LIST
				"\":\"sometimes\"}}");
	assert_refused(reply, "sometimes");
	test_agent_close(t);
	test_agent_wait(t);
	assert_value(LIST, before);
	free(before);
}

static void only_files_of_the_kernel_are_switches(void **state)
{
	static const char *const paths[] = {"/etc/passwd", "/sys/../etc/passwd", "relative",
					    "/sys/",	   "/proc/self/comm",	 "/sys/kernel/mm"};
	struct test_agent *t = *state;

	need_root();
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char *line = xasprintf("{\"id\":1,\"request\":\"set\",\"files\":{\"%s\":\"x\"}}",
				       paths[i]);

		assert_refused(test_request(t, line), paths[i]);
		free(line);
	}
}

static void bad_journals_are_told_and_kept(void **state)
{
	struct test_agent *t = *state;
	char *journal = path_join(t->folder, "journal");
	struct error err = ERROR_INIT;
	json_t *restored = json_array();

	assert_int_equal(file_write(journal, "[{\"path\":1}]", 12, &err), 0);
	assert_int_equal(switches_recover(t->folder, restored, &err), -1);
	assert_non_null(strstr(err.msg, "is not a journal"));
	assert_true(path_exists(journal));
	assert_int_equal(json_array_size(restored), 0);
	json_decref(restored);
	free(journal);
}

static void folders_that_others_can_write_to_are_refused(void **state)
{
	struct test_agent *t = *state;
	struct error err = ERROR_INIT;

	assert_int_equal(chmod(t->folder, 0777), 0);
	assert_int_equal(journal_lock(t->folder, &err), -1);
	assert_non_null(strstr(err.msg, "only its owner"));
}

#define AGENT_TEST(f) cmocka_unit_test_setup_teardown(f, agent_setup, agent_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AGENT_TEST(bye_puts_back),
		AGENT_TEST(closed_stream_puts_back),
		AGENT_TEST(closed_stream_puts_back_during_a_run),
		cmocka_unit_test(signals_put_back),
		AGENT_TEST(next_agent_puts_back_after_kill_9),
		AGENT_TEST(second_agent_is_refused),
		AGENT_TEST(unknown_switches_are_refused),
		AGENT_TEST(failed_set_changes_nothing),
		AGENT_TEST(value_that_reads_back_differently_is_refused),
		AGENT_TEST(kernel_s_own_form_of_a_value_is_the_same),
		AGENT_TEST(files_with_choices),
		AGENT_TEST(only_files_of_the_kernel_are_switches),
		AGENT_TEST(bad_journals_are_told_and_kept),
		AGENT_TEST(folders_that_others_can_write_to_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
