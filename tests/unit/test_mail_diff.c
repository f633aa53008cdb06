// SPDX-License-Identifier: GPL-2.0-or-later
/* Right values: diffs written by hand, and what was done to them on the way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mail/mail.h"
#include "util/xalloc.h"

#define HEADER "From: a@example.org\nSubject: [PATCH] x\n\n"

static struct mailbox parse(const char *body)
{
	struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	struct mailbox box;

	strbuf_addf(&sb, HEADER "%s", body);
	if (mailbox_parse(&box, "test", sb.buf, sb.len, &err))
		fail_msg("%s", err.msg);
	strbuf_release(&sb);
	return box;
}

static void gives(const char *body, const char *diff, unsigned quoted, unsigned repaired)
{
	struct mailbox box = parse(body);
	const struct mail_patch *p = box.mails[0].patches;

	assert_int_equal(box.mails[0].patches_count, 1);
	if (p->problem)
		fail_msg("%s", p->problem);
	assert_string_equal(p->diff, diff);
	assert_int_equal(p->quoted, quoted);
	assert_int_equal(p->repaired, repaired);
	mailbox_release(&box);
}

static void fails(const char *body, const char *problem)
{
	struct mailbox box = parse(body);

	assert_int_equal(box.mails[0].patches_count, 1);
	assert_non_null(box.mails[0].patches[0].problem);
	if (!strstr(box.mails[0].patches[0].problem, problem))
		fail_msg("'%s' is told, not '%s'", box.mails[0].patches[0].problem, problem);
	mailbox_release(&box);
}

static void none(const char *body)
{
	struct mailbox box = parse(body);

	assert_int_equal(box.mails[0].patches_count, 0);
	mailbox_release(&box);
}

#define NAMES "--- a/f.c\n+++ b/f.c\n"
#define WORD  "a_word_of_thirty_characters_____"

static void whole(void **state)
{
	const char *plain = NAMES "@@ -1,3 +1,3 @@ f\n a\n-b\n+c\n \n";
	const char *kinds =
		"diff --git a/n b/n\nnew file mode 100644\nindex 0000000..1234567\n"
		"--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
		"diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
		"diff --git a/o b/p\nsimilarity index 100%\nrename from o\nrename to p\n"
		"diff --git a/q b/q\ndeleted file mode 100644\nindex 1234567..0000000\n"
		"--- a/q\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-- a list\n-b\n";
	const char *binary = "diff --git a/b b/b\nnew file mode 100644\nindex "
			     "0000000..1234567\nGIT binary patch\n"
			     "literal 1\nIcmZQz00001\n\nliteral 0\nHcmV?d00001\n\n";
	char *body = xasprintf(
		"text\n---\n f.c | 2 +-\n\n%s-- \n2.39\n_______\nlist mailing list\n", plain);

	(void)state;
	gives(plain, plain, 0, 0);
	gives(body, plain, 0, 0);
	gives(kinds, kinds, 0, 0);
	gives(binary, binary, 0, 0);
	free(body);
}

static void no_diff(void **state)
{
	(void)state;
	none("text\n---\n f.c | 2 +-\n");
	none("one says 'diff --git a/x b/x' for this\n@@ of this\n--- and that\n");
	none("--- a/f.c\n+++ b/f.c\nand then nothing\n");
	none("diff --git a/x b/x\nis what one types\n");
}

static void quoted(void **state)
{
	(void)state;
	gives("> --- a/f.c\n> +++ b/f.c\n> @@ -1,2 +1,2 @@\n>  a\n> -b\n> +c\n",
	      NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", 1, 0);
	gives(">> --- a/f.c\n>> +++ b/f.c\n>> @@ -1,3 +1,3 @@\n>>  a\n>>\n>> -b\n>> +c\n",
	      NAMES "@@ -1,3 +1,3 @@\n a\n \n-b\n+c\n", 2, 0);
	/* No blank behind the sign. */
	gives(">--- a/f.c\n>+++ b/f.c\n>@@ -1,2 +1,2 @@\n> a\n>-b\n>+c\n",
	      NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", 1, 0);
	/* A remark between two hunks, and one inside of a hunk. */
	gives("> --- a/f.c\n> +++ b/f.c\n> @@ -1 +1 @@\n> -b\n> +c\n\nWhy?\n\n> @@ -9 +9 @@\n> "
	      "-d\n> +e\n",
	      NAMES "@@ -1 +1 @@\n-b\n+c\n@@ -9 +9 @@\n-d\n+e\n", 1, 0);
	fails("> --- a/f.c\n> +++ b/f.c\n> @@ -1,2 +1,2 @@\n>  a\n> -b\nWhy?\n> +c\n",
	      "line 8: the hunk '@@ -1,2 +1,2 @@' ends here");
	fails("> @@ -1 +1 @@\n> -b\n> +c\n", "line 4: a hunk without the name of its file");
}

static void wrapped(void **state)
{
	(void)state;
	/* What begins like no line of a diff. */
	gives(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+" WORD WORD " and\nthe rest of it\n",
	      NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+" WORD WORD " and the rest of it\n", 0, 1);
	gives(NAMES "@@ -1,3 +1,3 @@ " WORD " f(int a,\nint b)\n a\n-b\n+c\n \n",
	      NAMES "@@ -1,3 +1,3 @@ " WORD " f(int a, int b)\n a\n-b\n+c\n \n", 0, 1);
	/* Text that follows without a gap is not taken for the rest of a line. */
	gives(NAMES "@@ -1 +1 @@\n-b\n+c\nThanks\n", NAMES "@@ -1 +1 @@\n-b\n+c\n", 0, 0);
	/* What begins like one: only the counts and the width tell. */
	gives(NAMES "@@ -1,3 +1,3 @@\n a\n-b\n+" WORD WORD " x\n- " WORD "\n \n",
	      NAMES "@@ -1,3 +1,3 @@\n a\n-b\n+" WORD WORD " x - " WORD "\n \n", 0, 1);
	gives("diff --git a/" WORD "/f.c\nb/" WORD "/f.c\nindex 1234567..89abcde\n100644\n" NAMES
	      "@@ -1 +1 @@\n-a\n+b\n",
	      "diff --git a/" WORD "/f.c b/" WORD "/f.c\nindex 1234567..89abcde 100644\n" NAMES
	      "@@ -1 +1 @@\n-a\n+b\n",
	      0, 2);
}

static void blanks(void **state)
{
	(void)state;
	gives(NAMES "@@ -1,4 +1,4 @@\n a\n\n-b\n+c\n\n",
	      NAMES "@@ -1,4 +1,4 @@\n a\n \n-b\n+c\n \n", 0, 0);
	gives(NAMES "@@ -1,4 +1,4 @@\n{\n\ta;\n-b\n+c\n}\n",
	      NAMES "@@ -1,4 +1,4 @@\n {\n \ta;\n-b\n+c\n }\n", 0, 3);
	gives(NAMES "@@ -1,2 +1,2 @@\n\xc2\xa0\xc2\xa0 a\n-b\n+\xc2\xa0 c\n",
	      NAMES "@@ -1,2 +1,2 @@\n   a\n-b\n+  c\n", 0, 2);
	gives("Try:\n\n\t--- a/f.c\n\t+++ b/f.c\n\t@@ -1,3 +1,3 @@\n\t a\n\n\t-b\n\t+c\nor not.\n",
	      NAMES "@@ -1,3 +1,3 @@\n a\n \n-b\n+c\n", 0, 0);
	/* Stuffed by a program that does not say format=flowed. */
	gives(NAMES "@@ -1,3 +1,3 @@\n  \ta\n-\tb\n+\tc\n  }\n",
	      NAMES "@@ -1,3 +1,3 @@\n \ta\n-\tb\n+\tc\n }\n", 0, 2);
	/* Indented by two blanks, and meant so. */
	gives(NAMES "@@ -1,3 +1,3 @@\n  a\n-b\n+c\n  d\n",
	      NAMES "@@ -1,3 +1,3 @@\n  a\n-b\n+c\n  d\n", 0, 0);
}

static void broken(void **state)
{
	(void)state;
	fails(NAMES "@@ -1,3 +1,3 @@\n a\n-b\n+c\n", "line 9: the hunk '@@ -1,3 +1,3 @@' ends here "
						     "and lacks 1 of 3 old and 1 of 3 new lines");
	fails(NAMES "@@ -1,3 +1,3 @@\n a\n-b\n+c\n-- \n2.39\n", "line 9: the hunk");
	fails(NAMES "@@ -1,2 +1,2 @@\n a\n-b\n+c\n+d\n",
	      "line 10: the hunk '@@ -1,2 +1,2 @@' goes on behind");
	fails(NAMES "@@ -1,3 +1,3 @@\n a\n[snip]\n+c\n c\n d\n", "line 8: no line of the hunk");
	fails(NAMES "@@ -1 +1 @@\n-a\n+b\n\n@@ -9 +9 @@\n-c\n+d\n",
	      "line 10: a hunk that does not follow");
	fails("@@ -1 +1 @@\n-a\n+b\n", "line 4: a hunk without the name of its file");
	fails("diff --git a/b b/b\nindex 1234567..89abcde 100644\nBinary files a/b and b/b "
	      "differ\n",
	      "line 6: a binary file");
	none(NAMES "@@ -1,4000000000 +1 @@\n-a\n+b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),   cmocka_unit_test(no_diff), cmocka_unit_test(quoted),
		cmocka_unit_test(wrapped), cmocka_unit_test(blanks),  cmocka_unit_test(broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
