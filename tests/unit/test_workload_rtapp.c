// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../workloads/rtapp.h"
#include "../../workloads/rtapp_json.h"

static struct rtapp_file f;
static struct error err;

static int parse(const char *text)
{
	return rtapp_file_parse("x.json", text, strlen(text), &f, &err);
}

/* The message of a file that is refused. */
static const char *refused(const char *text)
{
	assert_int_equal(parse(text), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	rtapp_file_release(&f);
	return err.msg;
}

static void assert_says(const char *text, const char *what)
{
	const char *msg = refused(text);

	if (!strstr(msg, what))
		fail_msg("'%s' does not say '%s'", msg, what);
}

static void comments_and_trailing_commas_are_accepted(void **state)
{
	(void)state;
	assert_int_equal(parse("/* c */ {\n\"tasks\": { // c\n\"a\": {\"loop\": 2, \"run\": "
			       "5,},},}\n// end"),
			 0);
	assert_int_equal(f.ntasks, 1);
	assert_string_equal(f.warnings, "");
	rtapp_file_release(&f);
}

static void events_keep_their_order_and_match_by_prefix(void **state)
{
	static const enum rtapp_event_kind want[] = {RTAPP_RUN,	  RTAPP_SLEEP, RTAPP_RUNTIME,
						     RTAPP_TIMER, RTAPP_RUN,   RTAPP_YIELD};
	const struct rtapp_phase *p;

	(void)state;
	assert_int_equal(
		parse("{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {\"p\": {\"loop\": 3,"
		      "\"run0\": 100, \"sleep_b\": 7, \"runtime1\": 50,"
		      "\"timer\": {\"ref\": \"unique1\", \"period\": 900, \"mode\": \"absolute\"},"
		      "\"run1\": 200, \"yield\": \"\"}}}}}"),
		0);
	p = &f.tasks[0].phases[0];
	assert_int_equal(p->loop, 3);
	assert_int_equal(p->nevents, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p->events[i].kind, want[i]);
	assert_int_equal(p->events[0].us, 100);
	assert_int_equal(p->events[3].us, 900);
	assert_true(p->events[3].absolute);
	assert_int_equal(p->events[4].us, 200);
	assert_string_equal(f.warnings, "");
	rtapp_file_release(&f);
}

static void what_is_no_prefix_and_number_is_warned_about(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"tasks\": {\"a\": {\"loop\": 1,\n\"runn\": 5}}}"), 0);
	assert_non_null(strstr(f.warnings, "x.json:2: 'runn' is taken for a run event"));
	rtapp_file_release(&f);
}

static void tasks_have_what_the_file_says(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"global\": {\"duration\": 5, \"calibration\": 77, "
			       "\"default_policy\": \"SCHED_BATCH\","
			       "\"lock_pages\": true, \"logdir\": \"/l\", \"log_basename\": \"n\", "
			       "\"ftrace\": false},"
			       "\"tasks\": {\"a\": {\"instance\": 4, \"delay\": 9, \"cpus\": [0, "
			       "2], \"run\": 5},"
			       "\"b\": {\"policy\": \"SCHED_FIFO\", \"priority\": 3, \"barrier\": "
			       "\"x\", \"run\": 1},"
			       "\"c\": {\"instance\": 2, \"barrier\": \"x\", \"run\": 1}}}"),
			 0);
	assert_int_equal(f.duration_s, 5);
	assert_int_equal(f.ns_per_loop, 77);
	assert_true(f.lock_pages);
	assert_string_equal(f.logdir, "/l");
	assert_int_equal(f.tasks[0].instances, 4);
	assert_int_equal(f.tasks[0].delay_us, 9);
	assert_int_equal(f.tasks[0].policy, SCHED_BATCH);
	assert_int_equal(f.tasks[0].loop, -1);
	assert_int_equal(cpumask_count(&f.tasks[0].cpus), 2);
	assert_int_equal(f.tasks[1].policy, SCHED_FIFO);
	assert_int_equal(f.tasks[1].priority, 3);
	/* Three threads meet at the barrier. */
	assert_int_equal(f.nbarriers, 1);
	assert_int_equal(f.barrier_threads[0], 3);
	rtapp_file_release(&f);
	assert_int_equal(parse("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1}}, \"global\": "
			       "{\"calibration\": "
			       "\"CPU3\", \"logdir\": \"x\", \"log_size\": \"disable\"}}"),
			 0);
	assert_int_equal(f.ns_per_loop, 0);
	assert_int_equal(f.calibration_cpu, 3);
	assert_null(f.logdir);
	rtapp_file_release(&f);
}

static void mistakes_are_errors_with_their_line(void **state)
{
	(void)state;
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1,\n\"sleep\": 2,\n\"run\": 3}}}",
		    "x.json:3: 'run' comes twice, first in line 1");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1,\n\"frobnicate\": 1}}}",
		    "x.json:2: 'frobnicate' is not known here");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1}},\n\"global\": {\"bogus\": 1}}",
		    "x.json:2: 'bogus' is not known in global");
	assert_says("{\"tasks\": {\"a\": {\"run\": 1}}}", "never ends");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {\"p\": {\"loop\": -1, \"run\": "
		    "1}}}}}",
		    "never ends");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": -5}}}", "out of range");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1.5}}}", "not a whole number");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": \"1\"}}}", "not a whole number");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1}}}", "has no events");
	assert_says("{\"tasks\": {}}", "no tasks");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1, \"cpus\": [\"x\"]}}}",
		    "no CPU number");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1, \"policy\": \"SCHED_X\"}}}",
		    "none of SCHED_");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1, \"policy\": \"SCHED_RR\"}}}",
		    "needs a priority");
	assert_says("{\"tasks\": {\"a/b\": {\"loop\": 1, \"run\": 1}}}", "no slash");
	assert_says("{\"tasks\": {\"a\": {\"instance\": 2, \"loop\": 1, \"timer\": {\"ref\": "
		    "\"t\", \"period\": "
		    "5}}}}",
		    "shared by several threads");
	assert_says("{\"tasks\": {\"a\": {\"loop\": 1, \"phases\": {\"p\": {\"run\": 1}}, \"run\": "
		    "2}}}",
		    "stands beside phases");
	assert_says(
		"{\"tasks\": {\"a\": {\"loop\": 1, \"run\": 1}}, \"global\": {\"ftrace\": true}}",
		"is not supported");
}

static void broken_json_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"{\"a\"",
		"{\"a\":",
		"{\"a\": 1",
		"{\"a\": 1}}",
		"{a: 1}",
		"{\"a\": \"x}",
		"{\"a\": \"\\q\"}",
		"{\"a\": tru}",
		"{\"a\": 0x10}",
		"{\"a\": 1 \"b\": 2}",
		"/* {",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
		"{\"a\": nan}",
		"{\"a\": 1e999}",
		"\xff",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		refused(texts[i]);
}

/* Every beginning of a good file is a bad file, and none of them breaks the parser. */
static void cut_files_are_refused(void **state)
{
	static const char text[] =
		"{\"tasks\": {\"a\": {\"loop\": 2, \"cpus\": [0,1], \"phases\": {\"p\": "
		"{\"run\": 5, \"timer\": {\"ref\": \"unique\", \"period\": 3}, }}}} /* x */}";

	(void)state;
	assert_int_equal(rtapp_file_parse("x", text, sizeof(text) - 1, &f, &err), 0);
	rtapp_file_release(&f);
	for (size_t n = 0; n < sizeof(text) - 2; n++) {
		assert_int_equal(rtapp_file_parse("x", text, n, &f, &err), -1);
		rtapp_file_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comments_and_trailing_commas_are_accepted),
		cmocka_unit_test(events_keep_their_order_and_match_by_prefix),
		cmocka_unit_test(what_is_no_prefix_and_number_is_warned_about),
		cmocka_unit_test(tasks_have_what_the_file_says),
		cmocka_unit_test(mistakes_are_errors_with_their_line),
		cmocka_unit_test(broken_json_is_refused),
		cmocka_unit_test(cut_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
