// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "run/output.h"

static int samples(struct output *o, const char *line, struct error *err)
{
	output_line(o, false, line, strlen(line));
	return output_samples(o, "hackbench", BACKEND_OWN, err);
}

#define SAMPLE(metric, value)                                                                      \
	"{\"workload\":\"hackbench\",\"metric\":\"" metric                                         \
	"\",\"unit\":\"s\",\"better\":\"lower\",\"value\":" value "}"

static void test_good(void **state)
{
	struct output o = OUTPUT_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	output_line(&o, false, "Running in process mode", 23);
	output_line(&o, false, SAMPLE("wakeup-p99", "3"), strlen(SAMPLE("wakeup-p99", "3")));
	assert_int_equal(samples(&o, SAMPLE("time", "1.25"), &err), 0);
	assert_int_equal(o.values_count, 2);
	assert_string_equal(o.values[1].metric, "time");
	assert_string_equal(o.values[1].better, "lower");
	assert_float_equal(o.values[1].value, 1.25, 0);
	output_release(&o);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"Time: 1.2",
		"{",
		"{}",
		"{\"workload\":\"hackbench\",\"metric\":\"time\"}",
		SAMPLE("time", "null"),
		SAMPLE("time", "\"1.2\""),
		SAMPLE("time", "1e999"),
		SAMPLE("time", "NaN"),
		SAMPLE("", "1"),
		SAMPLE("a b", "1"),
		SAMPLE("\\u001b[31m", "1"),
		SAMPLE("\\u009b31m", "1"),
		SAMPLE("time\\u0000", "1"),
		SAMPLE("time", "Infinity"),
		SAMPLE("time", "[1]"),
		SAMPLE("time", "1") SAMPLE("rate", "2"),
		"{\"workload\":\"hackbench\",\"metric\":7,\"unit\":\"s\",\"better\":\"lower\","
		"\"value\":1}",
		"{\"workload\":\"hackbench\",\"metric\":\"time\",\"unit\":\"\",\"better\":"
		"\"lower\","
		"\"value\":1}",
		"{\"workload\":\"hackbench\",\"metric\":\"time\",\"unit\":\"s\\n\",\"better\":"
		"\"lower\",\"value\":1}",
		SAMPLE("time", "1") "x",
		SAMPLE("time", "1") "\n" SAMPLE("time", "2"),
		"{\"workload\":\"tbench\",\"metric\":\"time\",\"unit\":\"s\",\"better\":\"lower\","
		"\"value\":1}",
		"{\"workload\":\"hackbench\",\"metric\":\"time\",\"unit\":\"s\",\"better\":\"up\","
		"\"value\":1}",
		"{\"workload\":\"hackbench\",\"metric\":\"time\",\"unit\":\"s\",\"better\":"
		"\"lower\",\"value\":1,\"value\":2}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct output o = OUTPUT_INIT;
		struct error err = ERROR_INIT;

		if (samples(&o, bad[i], &err) != -1)
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(err.kind, ERROR_FAILED);
		output_release(&o);
	}
}

static void test_long_names_are_refused(void **state)
{
	char line[512], name[65];

	(void)state;
	for (int len = 64; len <= 65; len++) {
		struct output o = OUTPUT_INIT;
		struct error err = ERROR_INIT;

		memset(name, 'm', sizeof(name));
		snprintf(line, sizeof(line),
			 "{\"workload\":\"hackbench\",\"metric\":\"%.*s\",\"unit\":\"s\","
			 "\"better\":\"lower\",\"value\":1}",
			 len, name);
		assert_int_equal(samples(&o, line, &err), len == 64 ? 0 : -1);
		output_release(&o);
	}
}

/* A sample behind more text than is kept must not be missed in silence. */
static void test_too_much_text_is_an_error(void **state)
{
	struct output o = OUTPUT_INIT;
	struct error err = ERROR_INIT;
	size_t size = 1 << 20;
	char *noise = malloc(size);

	(void)state;
	memset(noise, 'x', size);
	output_line(&o, false, SAMPLE("time", "1"), strlen(SAMPLE("time", "1")));
	for (int i = 0; i < 17; i++)
		output_line(&o, true, noise, size);
	assert_int_equal(output_samples(&o, "hackbench", BACKEND_OWN, &err), 0);
	output_release(&o);
	for (int i = 0; i < 17; i++)
		output_line(&o, false, noise, size);
	assert_int_equal(samples(&o, SAMPLE("time", "1"), &err), -1);
	assert_string_equal(err.msg, "the workload printed more than 16 MiB");
	output_release(&o);
	free(noise);
}

#define OF_BACKEND(name)                                                                           \
	"{\"workload\":\"hackbench\",\"metric\":\"time\",\"unit\":\"s\",\"better\":\"lower\","     \
	"\"value\":1,\"backend\":\"" name "\"}"

static void test_backend(void **state)
{
	static const struct {
		const char *line;
		enum backend backend;
		int ret;
	} rows[] = {
		{SAMPLE("time", "1"), BACKEND_OWN, 0}, {SAMPLE("time", "1"), BACKEND_PEER, -1},
		{OF_BACKEND("own"), BACKEND_OWN, 0},   {OF_BACKEND("own"), BACKEND_PEER, -1},
		{OF_BACKEND("peer"), BACKEND_OWN, -1}, {OF_BACKEND("peer"), BACKEND_PEER, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct output o = OUTPUT_INIT;
		struct error err = ERROR_INIT;

		output_line(&o, false, rows[i].line, strlen(rows[i].line));
		assert_int_equal(output_samples(&o, "hackbench", rows[i].backend, &err),
				 rows[i].ret);
		output_release(&o);
	}
}

static void test_last_error(void **state)
{
	struct output o = OUTPUT_INIT;
	char *last = output_last_error(&o);

	(void)state;
	assert_string_equal(last, "");
	free(last);
	output_line(&o, true, "first", 5);
	output_line(&o, true, "the reason", 10);
	output_line(&o, true, "", 0);
	last = output_last_error(&o);
	assert_string_equal(last, "the reason");
	free(last);
	/* Escape sequences are for a terminal of the guest's own. */
	output_line(&o, true, "a\tb\x1b[2J\xff\x7f c\r", 12);
	output_line(&o, true, " ", 1);
	last = output_last_error(&o);
	assert_string_equal(last, "a b?[2J?? c");
	free(last);
	output_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_names_are_refused),
		cmocka_unit_test(test_too_much_text_is_an_error),
		cmocka_unit_test(test_last_error),
		cmocka_unit_test(test_backend),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
