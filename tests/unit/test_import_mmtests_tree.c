// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees that lack something, or that somebody made to do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "import_mmtests_test.h"

#define TOTAL(time) "# Running 'sched/messaging' benchmark:\n\n     Total time: " time " [sec]\n"

static const char *refusal(struct fixture *f, const char *dir)
{
	*f = (struct fixture){.err = ERROR_INIT};
	assert_int_equal(import_mmtests(&f->set, dir, &defaults, &f->err), -1);
	import_set_release(&f->set);
	return f->err.msg;
}

static bool has_note(const struct fixture *f, const char *part)
{
	for (size_t i = 0; i < f->set.notes.count; i++)
		if (strstr(f->set.notes.items[i], part))
			return true;
	return false;
}

/* What did not end well does not count, whatever the logs hold. */
static void test_ends(void **state)
{
	struct fixture f;
	struct cell c;

	for (int i = 0; i < 4; i++) {
		char *log = xasprintf("a/iter-%d/hackbench/logs/hackbench-1", i);

		put(*state, log, TOTAL("2"));
		free(log);
	}
	put(*state, "a/iter-0/tests-timestamp",
	    "start :: 1\ntest begin :: hackbench 2\ntest end :: hackbench 3 0\nfinish :: 4\n");
	put(*state, "a/iter-1/tests-timestamp",
	    "start :: 1\ntest begin :: hackbench 2\ntest end :: hackbench 3 137\n");
	put(*state, "a/iter-2/tests-timestamp", "start :: 1\ntest begin :: hackbench 2\n");
	import(&f, *state, &defaults);
	c = cell_of(&f.set.items[0], "a", "1", "time");
	assert_int_equal(c.good, 2);
	assert_int_equal(c.failed, 2);
	assert_string_equal(c.reason, "mmtests ended the test with status 137");
	assert_string_equal(f.set.items[0].samples[2].reason, "the test began and did not end");
	assert_true(has_note(&f, "1 iteration without tests-timestamp"));
	import_set_release(&f.set);
}

/* A test that began and left nothing failed in each case; a kernel without it is just without. */
static void test_missing(void **state)
{
	struct fixture f;
	struct cell c;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "a/iter-0/hackbench/logs/hackbench-4", TOTAL("2"));
	put(*state, "b/iter-0/tests-timestamp", "test begin :: hackbench 2\n");
	put(*state, "c/iter-0/perfpipe/logs/benchlog-_-_-1", "  5 usecs/op\n");
	put(*state, "d/iter-0/hackbench/logs/protocols", "");
	import(&f, *state, &defaults);
	assert_int_equal(f.set.count, 2);
	assert_int_equal(f.set.items[0].variants.list.count, 4);
	c = cell_of(&f.set.items[0], "b", "4", "time");
	assert_int_equal(c.failed, 1);
	assert_string_equal(c.reason, "the test began and did not end");
	assert_int_equal(cell_of(&f.set.items[0], "c", "1", "time").failed, 0);
	assert_string_equal(cell_of(&f.set.items[0], "d", "1", "time").reason,
			    "mmtests left no log of it");
	import_set_release(&f.set);
}

/* By name where not all kernels say when they started. */
static void test_order(void **state)
{
	struct fixture f;

	put(*state, "x-10/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "x-9/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "x-8/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "x-10/iter-0/tests-timestamp", "start :: 100\n");
	put(*state, "x-9/iter-0/tests-timestamp", "start :: 300\n");
	import(&f, *state, &defaults);
	assert_string_equal(f.set.items[0].variants.list.items[0], "x-8");
	assert_string_equal(f.set.items[0].variants.list.items[2], "x-10");
	import_set_release(&f.set);
	put(*state, "x-8/iter-0/tests-timestamp", "start :: 200\n");
	import(&f, *state, &defaults);
	assert_string_equal(f.set.items[0].variants.list.items[0], "x-10");
	assert_string_equal(f.set.items[0].variants.list.items[1], "x-8");
	import_set_release(&f.set);
}

static void test_unknown(void **state)
{
	struct fixture f;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "a/iter-0/hackbench/logs/hackbench-4.orig", TOTAL("9"));
	put(*state, "a/iter-0/hackbench/logs/core", "x");
	put(*state, "a/iter-0/hackbench/logs/vmlinux", "x");
	put(*state, "a/iter-0/hackbench with blanks/logs/hackbench-1", TOTAL("2"));
	put(*state, "a/iter-0/kernbench/logs/kernbench.time", "x");
	put(*state, "a/iter-x/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "README", "x");
	put(*state, "notes/text", "x");
	import(&f, *state, &defaults);
	assert_int_equal(f.set.count, 1);
	assert_int_equal(f.set.items[0].count, 1);
	assert_true(has_note(&f, "hackbench-4.orig: not a log that schedbench reads"));
	assert_true(has_note(&f, "hackbench: 2 files that schedbench does not read, left out "
				 "(a/iter-0/hackbench/logs/core ...)"));
	assert_true(has_note(&f, "hackbench with blanks: not a test"));
	assert_true(has_note(&f, "kernbench: not a test"));
	assert_true(has_note(&f, "README: no results of a kernel"));
	assert_true(has_note(&f, "notes: no results of a kernel"));
	import_set_release(&f.set);
}

static void test_damaged(void **state)
{
	struct fixture f;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	put(*state, "a/iter-0/hackbench/logs/hackbench-4.gz", "\x1f\x8b\x08");
	assert_non_null(strstr(refusal(&f, *state), "hackbench-4.gz: 'gzip' cannot unpack it"));
	assert_int_equal(f.err.kind, ERROR_USAGE);
}

static void test_twice(void **state)
{
	struct fixture f;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	pack(*state, "a/iter-0/hackbench/logs/hackbench-1", "gzip");
	put(*state, "a/iter-0/hackbench/logs/hackbench-1", TOTAL("2"));
	assert_non_null(strstr(refusal(&f, *state), "is there in another form too"));
}

static void test_empty(void **state)
{
	struct fixture f;

	put(*state, "a/iter-0/hackbench/logs/hackbench-1", "");
	assert_non_null(strstr(refusal(&f, *state), "every attempt failed (hackbench: the log "
						    "holds no attempt)"));
	assert_non_null(strstr(refusal(&f, "/nonexistent"), "No such file"));
	assert_int_equal(f.err.kind, ERROR_FAILED);
}

/* A line of 8 MiB, what disturbs a terminal, and words without end. */
static void test_huge_lines(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct fixture f;
	struct cell c;

	strbuf_addstr(&text, TOTAL("2") "error: \033[31m");
	strbuf_addchars(&text, 'x', 8 << 20);
	strbuf_addstr(&text, "\n" TOTAL("4"));
	strbuf_addchars(&text, ' ', 8 << 20);
	strbuf_addstr(&text, "\n     Total time:");
	for (int i = 0; i < 1000 * 1000; i++)
		strbuf_addstr(&text, " 7");
	put_bytes(*state, "a/iter-0/hackbench/logs/hackbench-1", text.buf, text.len);
	put_bytes(*state, "a/iter-0/netperf-ipv4-tcp/logs/TCP_STREAM-64.1", text.buf, text.len);
	put_bytes(*state, "a/iter-0/schbench/logs/schbench-1.log", text.buf, text.len);
	put_bytes(*state, "a/iter-0/stream/logs/benchlog-1-_-1", text.buf, text.len);
	put_bytes(*state, "a/iter-0/unixbench-context1/logs/commands.log", text.buf, text.len);
	put_bytes(*state, "a/iter-0/unixbench-context1/logs/unixbenchd.log", text.buf, text.len);
	strbuf_release(&text);
	import(&f, *state, &defaults);
	c = cell_of(run_of(&f, "hackbench"), "a", "1", "time");
	assert_int_equal(c.good, 2);
	assert_near(c.sum, 11.0);
	assert_int_equal(c.failed, 1);
	assert_null(strchr(c.reason, '\033'));
	assert_true(strlen(c.reason) < 100);
	import_set_release(&f.set);
}

/* Reasons go into the store and into JSON: whole characters, and no half ones at the cut. */
static void test_quote(void **state)
{
	(void)state;
	assert_string_equal(import_quote("a\xe2\x80\x98z").text, "a\xe2\x80\x98z");
	assert_string_equal(import_quote("\xe2\x80\x98\xff'\033").text, "??????");
	assert_string_equal(import_quote(
				    "0123456789012345678901234567890123456789012345678901234567890"
				    "1\xe2\x80\x98z")
				    .text,
			    "01234567890123456789012345678901234567890123456789012345678901");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ends),    TEST(test_missing),	   TEST(test_order),
		TEST(test_unknown), TEST(test_damaged),	   TEST(test_twice),
		TEST(test_empty),   TEST(test_huge_lines), cmocka_unit_test(test_quote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
