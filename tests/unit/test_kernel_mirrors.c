// SPDX-License-Identifier: GPL-2.0-or-later
/* Right values: the formats and examples of sources.list(5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/mirrors.h"

static void same(const char *found, const char *want)
{
	if (!want)
		assert_null(found);
	else if (!found)
		fail_msg("nothing found, '%s' is right", want);
	else
		assert_string_equal(found, want);
}

static void check(void (*parse)(struct mirrors *, const char *), const char *text,
		  const char *debian, const char *security)
{
	struct mirrors m = {NULL, NULL};

	parse(&m, text);
	same(m.debian, debian);
	same(m.security, security);
	mirrors_release(&m);
}

static void one_line_sources(void **state)
{
	(void)state;
	check(mirrors_from_list,
	      "# deb http://old.example/debian bookworm main\n"
	      "deb-src http://src.example/debian bookworm main\n"
	      "deb http://ftp.example/debian/ bookworm main contrib # comment\n"
	      "deb http://second.example/debian bookworm main\n"
	      "deb http://sec.example/debian-security bookworm-security main",
	      "http://ftp.example/debian", "http://sec.example/debian-security");
	check(mirrors_from_list,
	      "deb [ arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg ] "
	      "https://art.example/debian-remote bookworm main\n",
	      "https://art.example/debian-remote", NULL);
	check(mirrors_from_list, "deb file:/srv/debian bookworm main\n", "file:/srv/debian", NULL);
}

static void deb822_sources(void **state)
{
	(void)state;
	check(mirrors_from_deb822,
	      "Types: deb deb-src\n# URIs: http://comment.example/debian\n"
	      "URIs: http://ftp.example/debian\nSuites: bookworm\n bookworm-updates\n"
	      "Components: main\n"
	      "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
	      " \n"
	      "types: deb\nuris:\n http://sec.example/debian-security\n"
	      "suites: bookworm-security\ncomponents: main\n",
	      "http://ftp.example/debian", "http://sec.example/debian-security");
	check(mirrors_from_deb822,
	      "Types: deb\nURIs: http://off.example/debian\nSuites: bookworm\n"
	      "Components: main\nEnabled: no\n",
	      NULL, NULL);
}

static void archives_of_others_are_passed_over(void **state)
{
	(void)state;
	check(mirrors_from_list,
	      "deb https://download.docker.com/linux/debian bookworm stable\n"
	      "deb [signed-by=/etc/apt/keyrings/x.gpg] https://packages.example/debian x main\n"
	      "deb https://packages.example/debian/12/prod bookworm main\n"
	      "deb http://archive.ubuntu.com/ubuntu noble main\n"
	      "deb cdrom:[Debian]/debian bookworm main\n",
	      NULL, NULL);
	check(mirrors_from_deb822,
	      "Types: deb\nURIs: https://packages.example/debian\nSuites: bookworm\n"
	      "Components: main\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n x\n",
	      NULL, NULL);
}

static void broken_text_names_nothing(void **state)
{
	static const char *const texts[] = {"",	     "\n\n",	    "deb",	 "deb [",
					    "deb ]", "deb [a=b]",   "deb [x\n]", "Types",
					    ":",     " lonely\n\n", "URIs:",	 "Types: deb"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		check(mirrors_from_list, texts[i], NULL, NULL);
		check(mirrors_from_deb822, texts[i], NULL, NULL);
	}
}

static void this_machine_has_mirrors(void **state)
{
	struct mirrors m;

	(void)state;
	mirrors_of_host(&m);
	assert_non_null(strstr(m.debian, ":/"));
	assert_non_null(strstr(m.security, ":/"));
	mirrors_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_sources),
		cmocka_unit_test(deb822_sources),
		cmocka_unit_test(archives_of_others_are_passed_over),
		cmocka_unit_test(broken_text_names_nothing),
		cmocka_unit_test(this_machine_has_mirrors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
