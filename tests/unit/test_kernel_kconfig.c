// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/kconfig.h"
#include "kernel/make_error.h"
#include "kernel_test.h"

static int merge(struct kconfig *out, char **entries, unsigned count, struct error *err)
{
	const struct kernel k = {.name = (char *)"k",
				 .file = (char *)"k.yaml",
				 .config = entries,
				 .config_count = count};

	*err = (struct error)ERROR_INIT;
	return kconfig_merge(out, &k, err);
}

static void the_last_line_wins(void **state)
{
	static const char fragment[] = "# a comment\n\nCONFIG_B=y\r\nCONFIG_A=m\n"
				       "# CONFIG_C is not set\n#CONFIG_D=y\nCONFIG_E=\"a b\"\n";
	char *folder = temporary_folder();
	char *path = put_file(folder, "f.config", fragment, strlen(fragment));
	char *entries[] = {(char *)"CONFIG_C=y", path, (char *)"CONFIG_A=0x1f",
			   (char *)"CONFIG_F=n"};
	struct strbuf text = STRBUF_INIT;
	struct kconfig c;
	struct error err;
	char *origin = xasprintf("%s:3", path);

	(void)state;
	assert_int_equal(merge(&c, entries, 4, &err), 0);
	kconfig_text(&c, &text);
	assert_string_equal(text.buf,
			    "CONFIG_A=0x1f\nCONFIG_B=y\n# CONFIG_C is not set\nCONFIG_E=\"a b\"\n"
			    "# CONFIG_F is not set\n");
	assert_string_equal(c.options[1].origin, origin);
	assert_string_equal(c.options[0].origin, "k.yaml");
	strbuf_release(&text);
	kconfig_release(&c);
	free(origin);
	free(path);
	remove_folder(folder);
}

static void lines_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = {
		"CONFIG_A",  "CONFIG_A= y", "config_a=y",    "y",	    "CONFIG_=y",
		"CONFIG_A=", " CONFIG_A=y", "CONFIG_A=$(x)", "CONFIG_A=\"", "CONFIG_A=y # no"};
	struct kconfig c;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *folder = temporary_folder();
		char *text = xasprintf("CONFIG_X=y\n%s\n", bad[i]);
		char *path = put_file(folder, "f.config", text, strlen(text));
		char *where = xasprintf("%s:2: '", path);

		assert_int_equal(merge(&c, &path, 1, &err), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.msg, where));
		free(where);
		free(path);
		free(text);
		remove_folder(folder);
	}
}

static void every_option_is_a_requirement(void **state)
{
	static const char dot_config[] = "#\n# Linux\n#\nCONFIG_A=y\n# CONFIG_B is not set\n"
					 "CONFIG_NR=64\nCONFIG_S=\"x y\"\nCONFIG_AB=m\n";
	static const struct {
		const char *line, *said; /* NULL: honoured */
	} cases[] = {{"CONFIG_A=y", NULL},
		     {"CONFIG_NR=64", NULL},
		     {"CONFIG_S=\"x y\"", NULL},
		     {"CONFIG_B=n", NULL},
		     {"# CONFIG_GONE is not set", NULL},
		     {"CONFIG_A=n", "CONFIG_A=n (k.yaml) became y"},
		     {"CONFIG_B=y", "CONFIG_B=y (k.yaml) became n"},
		     {"CONFIG_GONE=y", "CONFIG_GONE=y (k.yaml) became n"},
		     {"CONFIG_NR=6", "CONFIG_NR=6 (k.yaml) became 64"},
		     {"CONFIG_AB=y", "CONFIG_AB=y (k.yaml) became m"}};
	struct kconfig c;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *line = (char *)cases[i].line;

		assert_int_equal(merge(&c, &line, 1, &err), 0);
		assert_int_equal(kconfig_check(&c, dot_config, &err), cases[i].said ? -1 : 0);
		if (cases[i].said) {
			assert_int_equal(err.kind, ERROR_USAGE);
			if (!strstr(err.msg, cases[i].said))
				fail_msg("%s", err.msg);
		}
		kconfig_release(&c);
	}
}

static void many_refusals_are_counted(void **state)
{
	char *entries[12];
	struct kconfig c;
	struct error err;

	(void)state;
	for (unsigned i = 0; i < 12; i++)
		entries[i] = xasprintf("CONFIG_N%u=y", i);
	assert_int_equal(merge(&c, entries, 12, &err), 0);
	assert_int_equal(kconfig_check(&c, "", &err), -1);
	assert_non_null(strstr(err.msg, "kconfig refused 12 options: CONFIG_N0=y"));
	assert_non_null(strstr(err.msg, " and 4 more"));
	kconfig_release(&c);
	for (unsigned i = 0; i < 12; i++)
		free(entries[i]);
}

/* As gcc, ld and make word them. */
static void the_first_error_of_a_log(void **state)
{
	static const struct {
		const char *log, *said;
	} cases[] = {
		{"  CC      a.o\n../a.c: In function 'f':\n../a.c:3:5: warning: x\n"
		 "../a.c:12:2: error: 'y' undeclared\n../b.c:1:1: error: z\n"
		 "make[1]: *** [Makefile:1: a.o] Error 1\nmake: *** [Makefile:2: all] Error 2\n",
		 "kernel 'k' was not built: ../a.c:12:2: error: 'y' undeclared (log: "},
		{"make[1]: *** [x] Error 1\nld: a.o: in function `f':\na.c:(.text+0x5): undefined "
		 "reference to `g'\nmake: *** [vmlinux] Error 1\n",
		 ": a.c:(.text+0x5): undefined reference to `g' (log: "},
		{"elf.h:10:10: fatal error: gelf.h: No such file or directory\n",
		 "gelf.h: No such file or directory (package libelf-dev; log: "},
		{"/bin/sh: 1: lz4: not found\nmake: *** [x] Error 127\n", "(package lz4; log: "},
		{"make: *** No rule to make target 'bzImage'.  Stop.\n",
		 "make: *** No rule to make target 'bzImage'.  Stop. (log: "},
		{"as: a.o: No space left on device\n", "No space left on device (log: "},
		{"", "kernel 'k' was not built: make ended with exit status 2"}};
	char *folder = temporary_folder();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *log = put_file(folder, "log", cases[i].log, strlen(cases[i].log));
		struct error err = ERROR_INIT;

		assert_int_equal(make_explain("k", log, 2 << 8, &err), -1);
		assert_int_equal(err.kind, ERROR_FAILED);
		if (!strstr(err.msg, cases[i].said))
			fail_msg("%s", err.msg);
		free(log);
	}
	remove_folder(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_line_wins),
		cmocka_unit_test(lines_that_are_none_are_refused),
		cmocka_unit_test(every_option_is_a_requirement),
		cmocka_unit_test(many_refusals_are_counted),
		cmocka_unit_test(the_first_error_of_a_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
