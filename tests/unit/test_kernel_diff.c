// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/diff.h"

#define HUNK(line)	      "@@ -3,3 +3,3 @@ int f(void)\n one\n-" line "\n+2\n three\n"
#define PATCH(old, new, line) "--- " old "\n+++ " new "\n" HUNK(line)

static int check(const char *text, struct error *err)
{
	*err = (struct error)ERROR_INIT;
	return diff_check("x.patch", text, strlen(text), err);
}

static void what_stays_in_the_tree_is_taken(void **state)
{
	static const char *const good[] = {
		PATCH("a/kernel/sched/fair.c", "b/kernel/sched/fair.c", "two"),
		PATCH("/dev/null", "b/new.c\t2020-01-01 00:00:00", "two"),
		PATCH("a/..x/y", "b/..x/y", "two"),
		PATCH("\"a/caf\\303\\251\"", "\"b/caf\\303\\251\"", "two"),
		"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
		/* Lines of a hunk that look like headers. */
		"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n--- /etc/passwd\n+++ ../../x\n",
		"some words first\n\n" PATCH("a/x", "b/x", "two")};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (check(good[i], &err))
			fail_msg("%zu: %s", i, err.msg);
}

static void what_leaves_it_is_refused(void **state)
{
	static const char *const bad[] = {
		PATCH("a/x", "b/../../x", "two"), PATCH("/etc/passwd", "/etc/passwd", "two"),
		PATCH("a/.git/config", "b/.git/config", "two"),
		PATCH("a/sub/.GIT/hooks/x", "b/sub/.GIT/hooks/x", "two"),
		PATCH("\"a/\\056\\056/x\"", "\"b/\\056\\056/x\"", "two"),
		PATCH("a/x/..", "b/x/..", "two"),
		"diff --git a/../x b/../x\nold mode 100644\nnew mode 100755\n",
		"diff --git a/x b/x\nrename from x\nrename to ../x\n",
		"diff --git a/x b/x\ncopy from /x\ncopy to x\n",
		/* After a hunk that is over. */
		PATCH("a/x", "b/x", "two") "--- a/../y\n+++ b/../y\n" HUNK("two")};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(check(bad[i], &err), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		if (!strstr(err.msg, "patch 'x.patch' is refused: its path '") ||
		    !strstr(err.msg, "leaves the source tree"))
			fail_msg("%zu: %s", i, err.msg);
	}
}

static void what_is_no_diff_is_told(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(check("", &err), -1);
	assert_string_equal(err.msg, "patch 'x.patch' holds no diff");
	assert_int_equal(check("--- a/x\n+++ b/x\n@@ -9999 garbage\n", &err), -1);
	assert_int_equal(diff_check("x.patch", "@@ -1 +1 @@\0", 12, &err), -1);
	assert_string_equal(err.msg, "patch 'x.patch' is not a text");
	/* Numbers beyond all bounds, and a hunk that is cut off. */
	check("--- a/x\n+++ b/x\n@@ -99999999999999999999,4294967295 +1,18446744073709551615 "
	      "@@\n-x",
	      &err);
}

static void explained(const char *patch, unsigned line, const char *content, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(diff_explain(patch, strlen(patch), "x", line, content, &out), 0);
	assert_string_equal(out.buf, expected);
	strbuf_release(&out);
}

static void a_failed_hunk_is_explained(void **state)
{
	static const char patch[] = PATCH("a/x", "b/x", "\ttwo");
	struct strbuf out = STRBUF_INIT;

	(void)state;
	explained(patch, 3, "a\nb\none\n\tTWO\nthree\n",
		  "expects 'two' where line 4 is 'TWO' (2 of 3 lines are there)");
	/* Moved, and of two places the nearer one. */
	explained(patch, 3, "one\n2\nthree\n\n\none\nx\nthree\n",
		  "expects 'two' where line 2 is '2' (2 of 3 lines are there)");
	explained(patch, 3, "a\none",
		  "expects 'two' where the file ends, at line 2 (1 of 3 lines are there)");
	explained(patch, 3, "",
		  "expects 'one' where the file ends, at line 0 (0 of 3 lines are there)");
	explained(patch, 3, "z\nz\nz\none\n\ttwo\nthree\n",
		  "is found at line 4, and its place is not certain");
	explained(patch, 3, "one\n\033[2J\001\nthree\n",
		  "expects 'two' where line 2 is '?[2J?' (2 of 3 lines are there)");
	assert_int_equal(diff_explain(patch, strlen(patch), "y", 3, "one\n", &out), -1);
	assert_int_equal(diff_explain(patch, strlen(patch), "x", 4, "one\n", &out), -1);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stays_in_the_tree_is_taken),
		cmocka_unit_test(what_leaves_it_is_refused),
		cmocka_unit_test(what_is_no_diff_is_told),
		cmocka_unit_test(a_failed_hunk_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
