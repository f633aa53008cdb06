// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "target/console.h"
#include "util/file.h"
#include "util/xalloc.h"

/* The files were recorded from guests. */
static void load(const char *name, struct console_facts *facts, struct strbuf *text)
{
	char *path = xasprintf("tests/data/console/%s", name);

	console_read(text, path);
	assert_true(text->len > 0);
	console_scan(facts, text->buf, text->len);
	free(path);
}

static void scan(const char *name, struct console_facts *facts)
{
	struct strbuf text = STRBUF_INIT;

	load(name, facts, &text);
	strbuf_release(&text);
}

static void panic_without_a_root(void **state)
{
	struct console_facts f;

	(void)state;
	scan("panic-no-root.txt", &f);
	assert_true(f.panicked);
	assert_false(f.init_ended);
	assert_string_equal(f.panic,
			    "not syncing: VFS: Unable to mount root fs on unknown-block(0,0)");
	assert_int_equal(f.warnings, 0);
}

static void panic_shows_what_led_to_it(void **state)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	struct console_facts f;

	(void)state;
	load("panic-no-root.txt", &f, &text);
	console_last_lines(&out, text.buf, f.panic_end, 10, "> ");
	assert_string_equal(
		out.buf, "> [    2.658863] /dev/root: Can't open blockdev\n"
			 "> [    2.660128] Kernel panic - not syncing: VFS: Unable to mount root "
			 "fs on unknown-block(0,0)\n");
	strbuf_release(&text);
	strbuf_release(&out);
}

static void the_end_of_init_is_told_from_other_panics(void **state)
{
	struct console_facts f;

	(void)state;
	scan("init-ended.txt", &f);
	assert_true(f.panicked);
	assert_true(f.init_ended);
	assert_true(WIFEXITED(f.init_status));
	assert_int_equal(WEXITSTATUS(f.init_status), 1);
}

static void an_oops_is_named_with_its_panic(void **state)
{
	static const char text[] =
		"[    9.1] BUG: kernel NULL pointer dereference, address: 0000000000000008\r\n"
		"[    9.2] Oops: 0000 [#1] PREEMPT SMP PTI\r\n"
		"[    9.3] Kernel panic - not syncing: Fatal exception\r\n"
		"[    9.4] ---[ end Kernel panic - not syncing: Fatal exception ]---\r\n";
	struct console_facts f;

	(void)state;
	console_scan(&f, text, sizeof(text) - 1);
	assert_string_equal(f.panic, "not syncing: Fatal exception");
	assert_string_equal(f.oops,
			    "BUG: kernel NULL pointer dereference, address: 0000000000000008");
}

/* `grep -c` of the first lines of the reports gives the counts. */
static void stalls_and_lockups_are_warnings(void **state)
{
	struct console_facts f;

	(void)state;
	scan("rcu-stall.txt", &f);
	assert_false(f.panicked);
	assert_string_equal(f.oops, "");
	assert_int_equal(f.warnings, 2);
	scan("soft-lockup.txt", &f);
	assert_false(f.panicked);
	assert_string_equal(f.oops, "");
	assert_int_equal(f.warnings, 6);
}

static void a_silent_guest_has_nothing_to_tell(void **state)
{
	struct console_facts f;

	(void)state;
	console_scan(&f, "", 0);
	assert_false(f.panicked);
	assert_int_equal(f.warnings, 0);
	assert_string_equal(f.agent_line, "");
}

static void the_agent_s_last_line_is_kept(void **state)
{
	static const char text[] = "schedbench-agent: first\n[ 1.0] x\nschedbench-agent: cannot "
				   "load module 'a'\n[ 2.0] reboot: Power down\n";
	struct console_facts f;

	(void)state;
	console_scan(&f, text, sizeof(text) - 1);
	assert_string_equal(f.agent_line, "cannot load module 'a'");
}

static void check_lines(const char *text, size_t len, unsigned count, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	console_last_lines(&out, text, len, count, "");
	assert_string_equal(out.buf, expected);
	strbuf_release(&out);
}

#define CHECK_LINES(text, count, expected) check_lines(text, sizeof(text) - 1, count, expected)

static void last_lines_are_printable(void **state)
{
	(void)state;
	CHECK_LINES("one\r\n\r\n  \ntwo\nthree", 2, "two\nthree\n");
	CHECK_LINES("\033[2J\033[1;31mred\033[0m\tx\n", 5, "red x\n");
	CHECK_LINES("\033]0;title\007shown\n", 5, "shown\n");
	CHECK_LINES("\033]0;title\033\\shown\n", 5, "shown\n");
	CHECK_LINES("a\033[\nb\n", 5, "a\nb\n");
	CHECK_LINES("nul\0byte\b\x7f \xc3\xa9\n", 5, "nulbyte ??\n");
	CHECK_LINES("end\033", 5, "end\n");
	CHECK_LINES("end\033[1", 5, "end\n");
	CHECK_LINES("", 5, "");
}

static void long_lines_are_cut(void **state)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;

	(void)state;
	strbuf_addchars(&text, 'x', 100000);
	console_last_lines(&out, text.buf, text.len, 3, "");
	assert_int_equal(out.len, CONSOLE_LINE_MAX);
	strbuf_release(&text);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(panic_without_a_root),
		cmocka_unit_test(panic_shows_what_led_to_it),
		cmocka_unit_test(the_end_of_init_is_told_from_other_panics),
		cmocka_unit_test(an_oops_is_named_with_its_panic),
		cmocka_unit_test(stalls_and_lockups_are_warnings),
		cmocka_unit_test(a_silent_guest_has_nothing_to_tell),
		cmocka_unit_test(the_agent_s_last_line_is_kept),
		cmocka_unit_test(last_lines_are_printable),
		cmocka_unit_test(long_lines_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
