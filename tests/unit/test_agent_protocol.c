// SPDX-License-Identifier: GPL-2.0-or-later
/* The form of the stream, and what an agent does with requests that are none. */
#include "agent_test.h"

#include "agent/agent_list.h"

static void assert_text(const char *raw, size_t len, const char *want)
{
	json_t *js = protocol_string(raw, len);

	assert_string_equal(json_string_value(js), want);
	json_decref(js);
}

/* Table 3-7 of the Unicode standard: first and last of each well-formed row, and just outside. */
static void utf8_is_what_the_standard_says(void **state)
{
	static const struct {
		const char *raw;
		bool valid;
	} cases[] = {
		{"", true},
		{"\x7f", true},
		{"\x80", false},
		{"\xc1\xbf", false}, /* overlong */
		{"\xc2\x80", true},
		{"\xdf\xbf", true},
		{"\xc2", false},
		{"\xe0\x9f\xbf", false}, /* overlong */
		{"\xe0\xa0\x80", true},
		{"\xed\x9f\xbf", true},
		{"\xed\xa0\x80", false}, /* surrogate */
		{"\xee\x80\x80", true},
		{"\xef\xbf\xbf", true},
		{"\xf0\x8f\xbf\xbf", false}, /* overlong */
		{"\xf0\x90\x80\x80", true},
		{"\xf4\x8f\xbf\xbf", true},
		{"\xf4\x90\x80\x80", false}, /* above U+10FFFF */
		{"\xf5\x80\x80\x80", false},
		{"\xff", false},
		{"\xe2\x82", false},
		{"\xf0\x90\x80", false},
		{"\xf0\x90\x80x", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *js = json_string(cases[i].raw);

		assert_int_equal(protocol_valid(cases[i].raw, strlen(cases[i].raw)),
				 cases[i].valid);
		/* jansson is of the same opinion. */
		assert_int_equal(js != NULL, cases[i].valid);
		json_decref(js);
	}
	assert_text("a\xff\xc3\xa9\xc3", 5, "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd");
}

static void cuts_part_no_sequence(void **state)
{
	const char *text = "ab\xe2\x82\xac"
			   "cd";

	(void)state;
	assert_int_equal(protocol_cut(text, 7, 10), 7);
	assert_int_equal(protocol_cut(text, 7, 7), 7);
	assert_int_equal(protocol_cut(text, 7, 6), 6);
	assert_int_equal(protocol_cut(text, 7, 5), 5);
	assert_int_equal(protocol_cut(text, 7, 4), 2);
	assert_int_equal(protocol_cut(text, 7, 3), 2);
	assert_int_equal(protocol_cut("\x80\x80\x80\x80\x80\x80\x80\x80", 8, 6), 6);
}

static void lines_are_cut_from_any_pieces(void **state)
{
	struct line_buffer lb = LINE_BUFFER_INIT;
	const char *text = "one\n\ntwo three\npart";
	size_t len, taken = 0;
	char *line;
	int p[2];
	char all[64] = "";

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	for (const char *c = text; *c; c++) {
		assert_int_equal(write(p[1], c, 1), 1);
		assert_int_equal(line_buffer_read(&lb, p[0]), 1);
		while (line_buffer_next(&lb, &line, &len) == 1)
			taken += snprintf(all + taken, sizeof(all) - taken, "[%s]%zu", line, len);
	}
	assert_string_equal(all, "[one]3[]0[two three]9");
	assert_int_equal(line_buffer_pending(&lb), 4);
	close(p[1]);
	assert_int_equal(line_buffer_read(&lb, p[0]), 0);
	close(p[0]);
	line_buffer_release(&lb);
}

static void lists_of_cpus(void **state)
{
	unsigned long mask[2];

	(void)state;
	assert_int_equal(list_parse("0-3,8", mask, 128), 0);
	assert_int_equal(mask[0], 0x10f);
	assert_int_equal(mask[1], 0);
	assert_int_equal(list_parse("63-64,127", mask, 128), 0);
	assert_int_equal(mask[0], 1ul << 63);
	assert_int_equal(mask[1], 1ul << 63 | 1);
	assert_int_equal(list_parse("128", mask, 128), -1);
	assert_int_equal(list_parse("1,,2", mask, 128), -1);
	assert_int_equal(list_parse("1-2-3", mask, 128), -1);
	assert_int_equal(list_parse(" 1", mask, 128), -1);
	assert_int_equal(list_parse("1\n", mask, 128), -1);
	assert_int_equal(list_parse("-1", mask, 128), -1);
}

/* Requests that are wrong in themselves are refused, and the next one is served. */
static void wrong_requests_are_refused(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"{\"id\":1}", "'request' must be a string"},
		{"{\"id\":1,\"request\":5}", "'request' must be a string"},
		{"{\"id\":1,\"request\":\"dance\"}", "unknown request 'dance'"},
		{"{\"id\":1,\"request\":\"probe\"}", "not supported by this version"},
		{"{\"id\":1,\"request\":\"kexec\"}", "not supported by this version"},
		{"{\"id\":1,\"request\":\"hello\",\"more\":1}", "more"},
		{"{\"id\":1,\"request\":\"bye\",\"more\":1}", "more"},
		{"{\"id\":1,\"request\":\"snapshot\"}", "files"},
		{"{\"id\":1,\"request\":\"snapshot\",\"files\":\"/etc\"}", "array"},
		{"{\"id\":1,\"request\":\"snapshot\",\"files\":[5]}", "absolute"},
		{"{\"id\":1,\"request\":\"snapshot\",\"files\":[\"x\"]}", "absolute"},
		{"{\"id\":1,\"request\":\"set\",\"sysctl\":[]}", "object"},
		{"{\"id\":1,\"request\":\"set\",\"sysctl\":{\"a\":1}}", "string"},
		{"{\"id\":1,\"request\":\"set\",\"features\":{\"a\":\"b\"}}", "boolean"},
		{"{\"id\":1,\"request\":\"set\",\"colour\":{}}", "colour"},
		{"{\"id\":1,\"request\":\"run\"}", "argv"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[],\"timeout_ms\":5}", "argv"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"\"],\"timeout_ms\":5}", "argv"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[1],\"timeout_ms\":5}", "argv"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":\"true\",\"timeout_ms\":5}", "argv"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"]}", "timeout_ms"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":0}",
		 "timeout_ms"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":1e3}",
		 "integer"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":99999999999}",
		 "timeout_ms"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":5,"
		 "\"env\":[\"=x\"]}",
		 "env"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":5,"
		 "\"env\":{}}",
		 "env"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":5,"
		 "\"cpus\":0}",
		 "integer"},
		{"{\"id\":1,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":5,"
		 "\"snapshots\":{}}",
		 "snapshots"},
	};
	struct test_agent *t = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(test_request(t, cases[i].line), cases[i].says);
}

/* The stream itself is wrong: one error without an id, then the end. */
static void assert_gives_up(const char *bytes, size_t len, const char *says)
{
	struct test_agent t;
	json_t *msg;

	test_agent_start(&t, NULL);
	test_send(&t, bytes, len);
	msg = test_receive(&t);
	assert_non_null(msg);
	assert_true(json_is_null(json_object_get(msg, "id")));
	assert_refused(msg, says);
	assert_null(test_receive(&t));
	assert_int_equal(WEXITSTATUS(test_agent_wait(&t)), 3);
	test_agent_remove(&t);
}

static void malformed_streams_end_the_agent(void **state)
{
	static const char *const lines[] = {
		"\n",
		"hello\n",
		"{\n",
		"[]\n",
		"null\n",
		"\"x\"\n",
		"{\"id\":1,}\n",
		"{\"id\":1,\"id\":2,\"request\":\"hello\"}\n",
		"{\"id\":1} {\"id\":2}\n",
		"{\"id\":1,\"request\":\"\xff\"}\n",
		"{\"id\":1,\"request\":\"a\\u0000b\"}\n",
		"\177ELF\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_gives_up(lines[i], strlen(lines[i]), "not a JSON object");
	assert_gives_up("{\"request\":\"hello\"}\n", 20, "no integer 'id'");
	assert_gives_up("{\"id\":\"1\"}\n", 11, "no integer 'id'");
	assert_gives_up("{\"id\":1\0}\n", 10, "not a JSON object");
}

static void deep_nesting_ends_the_agent(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addchars(&sb, '[', 500000);
	strbuf_addch(&sb, '\n');
	assert_gives_up(sb.buf, sb.len, "not a JSON object");
	strbuf_release(&sb);
}

static void long_lines_end_the_agent(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	/* Just what is allowed is read as a line, and refused for what it says. */
	strbuf_addstr(&sb, "{\"id\":1,\"request\":\"");
	strbuf_addchars(&sb, 'x', PROTOCOL_LINE_MAX - sb.len - 2);
	strbuf_addstr(&sb, "\"}");
	assert_int_equal(sb.len, 1048576);
	{
		struct test_agent t;

		test_agent_start(&t, NULL);
		assert_refused(test_request(&t, sb.buf), "unknown request");
		test_agent_remove(&t);
	}
	strbuf_reset(&sb);
	strbuf_addchars(&sb, 'x', PROTOCOL_LINE_MAX + 1);
	assert_gives_up(sb.buf, sb.len, "longer than 1 MiB");
	strbuf_release(&sb);
}

/* Requests may be sent ahead; each gets its reply, in order. */
static void requests_sent_ahead_are_served_in_order(void **state)
{
	struct test_agent *t = *state;
	const char *text =
		"{\"id\":5,\"request\":\"run\",\"argv\":[\"true\"],\"timeout_ms\":9999}\n"
		"{\"id\":3,\"request\":\"probe\"}\n{\"id\":-4,\"request\":\"bye\"}\n";
	static const json_int_t ids[] = {5, 3, -4};

	assert_true(test_send(t, text, strlen(text)));
	for (size_t i = 0; i < 3; i++) {
		json_t *msg = test_receive(t);

		assert_int_equal(json_integer_value(json_object_get(msg, "id")), ids[i]);
		json_decref(msg);
	}
	assert_null(test_receive(t));
	assert_int_equal(test_agent_wait(t), 0);
}

#define AGENT_TEST(f) cmocka_unit_test_setup_teardown(f, agent_setup, agent_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_what_the_standard_says),
		cmocka_unit_test(cuts_part_no_sequence),
		cmocka_unit_test(lines_are_cut_from_any_pieces),
		cmocka_unit_test(lists_of_cpus),
		AGENT_TEST(wrong_requests_are_refused),
		cmocka_unit_test(malformed_streams_end_the_agent),
		cmocka_unit_test(deep_nesting_ends_the_agent),
		cmocka_unit_test(long_lines_end_the_agent),
		AGENT_TEST(requests_sent_ahead_are_served_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
