// SPDX-License-Identifier: GPL-2.0-or-later
/* Right values: the texts and encodings of RFC 2045, 2047, 3676 and 5322, and mails written by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mail/codec.h"
#include "mail/mail.h"
#include "util/xalloc.h"

static struct mailbox parse(const char *text)
{
	struct error err = ERROR_INIT;
	struct mailbox box;

	if (mailbox_parse(&box, "test", text, strlen(text), &err))
		fail_msg("%s", err.msg);
	return box;
}

static void same(const char *found, const char *want)
{
	if (!want)
		assert_null(found);
	else if (!found)
		fail_msg("nothing found, '%s' is right", want);
	else
		assert_string_equal(found, want);
}

/* The examples of RFC 2047, section 8, and its rule about blanks between encoded words. */
static void encoded_words(void **state)
{
	static const char *const cases[][2] = {
		{"(=?ISO-8859-1?Q?a?=)", "(a)"},
		{"(=?ISO-8859-1?Q?a?= b)", "(a b)"},
		{"(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)", "(ab)"},
		{"(=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=)", "(ab)"},
		{"(=?ISO-8859-1?Q?a_b?=)", "(a b)"},
		{"(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)", "(a b)"},
		{"=?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?= <keld@dkuug.dk>",
		 "Keld J\xc3\xb8rn Simonsen <keld@dkuug.dk>"},
		{"=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?=", "If you can read this yo"},
		{"=?utf-8?q?open", "=?utf-8?q?open"},
		{"=?utf-8?X?a?=", "=?utf-8?X?a?="},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *found = encoded_words_decode(cases[i][0]);

		assert_string_equal(found, cases[i][1]);
		free(found);
	}
}

static void quoted_printable(void **state)
{
	struct strbuf out = STRBUF_INIT;
	bool soft;

	(void)state;
	quoted_printable_decode("a=3Db=C3=AB  ", 13, &out, &soft);
	assert_string_equal(out.buf, "a=b\xc3\xab");
	assert_false(soft);
	strbuf_reset(&out);
	quoted_printable_decode("tail =", 6, &out, &soft);
	assert_string_equal(out.buf, "tail ");
	assert_true(soft);
	strbuf_reset(&out);
	quoted_printable_decode("50% = half =X", 13, &out, &soft);
	assert_string_equal(out.buf, "50% = half =X");
	strbuf_release(&out);
}

/* The vectors of RFC 4648, section 10, whole and in pieces. */
static void base64(void **state)
{
	static const char *const cases[][2] = {{"Zg==", "f"},	      {"Zm8=", "fo"},
					       {"Zm9v", "foo"},	      {"Zm9vYg==", "foob"},
					       {"Zm9vYmE=", "fooba"}, {"Zm9vYmFy", "foobar"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t cut = 0; cut <= strlen(cases[i][0]); cut++) {
			struct strbuf out = STRBUF_INIT;
			struct base64 b = {0};

			base64_decode(&b, cases[i][0], cut, &out);
			base64_decode(&b, cases[i][0] + cut, strlen(cases[i][0]) - cut, &out);
			assert_string_equal(out.buf, cases[i][1]);
			strbuf_release(&out);
		}
}

static void charsets(void **state)
{
	static const struct {
		const char *charset, *bytes, *text;
	} cases[] = {
		{"iso-8859-1", "\xb1 2%", "\xc2\xb1 2%"},
		{"windows-1252", "\x80", "\xe2\x82\xac"},
		{"ISO-8859-15", "\xa4", "\xe2\x82\xac"},
		{"utf-8", "\xc3\xab", "\xc3\xab"},
		{"../../etc/x", "\xff", "\xff"},
		{NULL, "a", "a"},
		{"euc-jp", "\xa4\xff", "\xef\xbf\xbd\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf out = STRBUF_INIT;

		charset_to_utf8(cases[i].charset, cases[i].bytes, strlen(cases[i].bytes), &out);
		assert_string_equal(out.buf, cases[i].text);
		strbuf_release(&out);
	}
}

static void subject(const char *text, const char *title, bool reply, bool patch, unsigned version,
		    unsigned number, unsigned total)
{
	char *raw = xasprintf("From: a@example.org\nSubject: %s\n\nbody\n", text);
	struct mailbox box = parse(raw);
	const struct mail *m = box.mails;

	assert_string_equal(m->title, title);
	assert_int_equal(m->reply, reply);
	assert_int_equal(m->patch, patch);
	assert_int_equal(m->version, version);
	assert_int_equal(m->number, number);
	assert_int_equal(m->total, total);
	mailbox_release(&box);
	free(raw);
}

static void subjects(void **state)
{
	(void)state;
	subject("[PATCH] a: b", "a: b", false, true, 1, 0, 0);
	subject("[PATCH v3 4/4] a: b", "a: b", false, true, 3, 4, 4);
	subject("[PATCH 04/10] a: b", "a: b", false, true, 1, 4, 10);
	subject("[RFC PATCH v2 2/2] sched/fair: skip\n the hot", "sched/fair: skip the hot", false,
		true, 2, 2, 2);
	subject("[RFC,v4,0/3] a", "a", false, true, 4, 0, 3);
	subject("[RFC][PATCHv5 1/2] a", "a", false, true, 5, 1, 2);
	subject("Re: [PATCH 1/9] a: b", "a: b", true, true, 1, 1, 9);
	subject("[tip: sched/core] a: b", "a: b", false, false, 1, 0, 0);
	subject("[PATCH 6.1 12/34] a", "a", false, true, 1, 12, 34);
	subject("[PATCH 1/99999] a", "a", false, true, 1, 0, 0);
	subject("[PATCH a", "[PATCH a", false, false, 1, 0, 0);
	subject("", "", false, false, 1, 0, 0);
}

static void dates(void **state)
{
	/* Seconds by `date -d DATE +%s`. */
	static const struct {
		const char *date;
		int64_t time;
	} cases[] = {
		{"Tue, 02 Jan 2024 10:30:00 +0100", 1704187800},
		{"Tue, 2 Jan 2024 09:30:00 GMT", 1704187800},
		{"2 Jan 2024 04:30 -0500", 1704187800},
		{"Thu,  3 Dec 2020 14:11:18 +0000", 1607004678},
		{"Tue Jan  2 09:30:00 2024", 1704187800},
		{"yesterday", MAIL_NO_TIME},
		{"Thu, 99 Foo 2020", MAIL_NO_TIME},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *raw = xasprintf("From: a@example.org\nDate: %s\n\nbody\n", cases[i].date);
		struct mailbox box = parse(raw);

		assert_int_equal(box.mails[0].time, cases[i].time);
		mailbox_release(&box);
		free(raw);
	}
}

static void headers(void **state)
{
	struct mailbox box =
		parse("Received: from x\n\tby y\n"
		      "FROM: \"Jo Doe\" <jo@example.org>\n"
		      "Message-id:\n <one@example.org>\n"
		      "In-Reply-To: <zero@example.org> (a remark)\n"
		      "References: <a@example.org>\n <b@example.org>\t<c@example.org>\n"
		      "Subject: =?utf-8?q?Zo=C3=AB?=\n"
		      "\n"
		      "text\n\nbase-commit: 0123456789abcdef0123456789abcdef01234567\n");
	const struct mail *m = box.mails;

	(void)state;
	assert_int_equal(box.count, 1);
	same(m->author, "\"Jo Doe\" <jo@example.org>");
	same(m->message_id, "one@example.org");
	same(m->in_reply_to, "zero@example.org");
	assert_int_equal(m->references.count, 3);
	same(m->references.items[2], "c@example.org");
	same(m->subject, "Zo\xc3\xab");
	same(m->base_commit, "0123456789abcdef0123456789abcdef01234567");
	same(m->date, NULL);
	assert_int_equal(m->lines_count, 3);
	assert_int_equal(m->lines[0].source, 11);
	mailbox_release(&box);
}

static void mbox(void **state)
{
	struct mailbox box =
		parse("From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n"
		      "From: a@example.org\nSubject: [PATCH 1/2] one\n\n"
		      ">From the start\n>>From quoted\n> From not\n\n"
		      "From nobody here\n\n"
		      "From b@example.org Tue Jan  2 09:30:00 2024\n"
		      "From: b@example.org\nSubject: two\n\nbody\n");

	(void)state;
	assert_int_equal(box.count, 2);
	same(box.mails[0].commit, "0123456789abcdef0123456789abcdef01234567");
	assert_memory_equal(box.mails[0].lines[0].text, "From the start", 14);
	assert_memory_equal(box.mails[0].lines[1].text, ">From quoted", 12);
	assert_memory_equal(box.mails[0].lines[2].text, "> From not", 10);
	assert_memory_equal(box.mails[0].lines[4].text, "From nobody here", 16);
	same(box.mails[1].commit, NULL);
	same(box.mails[1].title, "two");
	assert_int_equal(box.mails[1].lines[0].source, 15);
	mailbox_release(&box);
}

static void quoted_printable_lines(void **state)
{
	struct mailbox box = parse("Content-Transfer-Encoding: quoted-printable\n"
				   "Subject: x\n\nfirst=\n line\nsecond=0Athird\nfourth\n");
	const struct mail_line *l = box.mails[0].lines;

	(void)state;
	assert_int_equal(box.mails[0].lines_count, 4);
	assert_int_equal(l[0].len, 10);
	assert_memory_equal(l[0].text, "first line", 10);
	assert_int_equal(l[0].source, 4);
	assert_int_equal(l[1].source, 6);
	assert_int_equal(l[2].source, 6);
	assert_int_equal(l[3].source, 7);
	mailbox_release(&box);
}

static void text_archive(void **state)
{
	struct mailbox box = parse("[PATCH v3] a: b\n\n[Jo Doe <jo@example.org>]\n\ntext\n\n"
				   "[References]\n\nmore\n\n"
				   "Re: [PATCH v3] a: b\n\n[Other]\n\n> text\nyes\n");

	(void)state;
	assert_int_equal(box.count, 2);
	same(box.mails[0].author, "Jo Doe <jo@example.org>");
	assert_int_equal(box.mails[0].version, 3);
	same(box.mails[1].author, "Other");
	assert_true(box.mails[1].reply);
	assert_int_equal(box.mails[1].line, 11);
	mailbox_release(&box);
}

static void hostile(void **state)
{
	static const char nul[] = "x\n\nFrom: a\0b @ 2024-01-02  9:30 UTC\n\nt\n";
	static const char authors[] = "S\n\n[A]\n\n[B]\n\n[C]\n\nt\n";
	struct error err = ERROR_INIT;
	struct strbuf sb = STRBUF_INIT;
	struct mailbox box;

	(void)state;
	strbuf_addchars(&sb, 'x', MAIL_MAX_LINE + 1);
	assert_int_equal(mailbox_parse(&box, "long", sb.buf, sb.len, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "long:1:"));
	strbuf_reset(&sb);
	strbuf_addchars(&sb, '\n', MAIL_MAX_LINES + 1);
	assert_int_equal(mailbox_parse(&box, "many", sb.buf, sb.len, &err), -1);
	strbuf_reset(&sb);
	/* Parts in parts, deeper than anybody nests them. */
	for (int i = 0; i < 100; i++)
		strbuf_addf(&sb, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i);
	strbuf_addstr(&sb, "\ntext\n");
	assert_int_equal(mailbox_parse(&box, "deep", sb.buf, sb.len, &err), 0);
	mailbox_release(&box);
	/* An author's line that could be a subject. */
	assert_int_equal(mailbox_parse(&box, "a", authors, sizeof(authors) - 1, &err), 0);
	assert_int_equal(box.count, 2);
	mailbox_release(&box);
	/* A NUL where the line is taken for a string. */
	assert_int_equal(mailbox_parse(&box, "nul", nul, sizeof(nul) - 1, &err), 0);
	assert_int_equal(box.count, 1);
	mailbox_release(&box);
	assert_int_equal(mailbox_parse(&box, "empty", "", 0, &err), 0);
	assert_int_equal(box.count, 1);
	assert_int_equal(box.mails[0].patches_count, 0);
	mailbox_release(&box);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encoded_words),
		cmocka_unit_test(quoted_printable),
		cmocka_unit_test(base64),
		cmocka_unit_test(charsets),
		cmocka_unit_test(subjects),
		cmocka_unit_test(dates),
		cmocka_unit_test(headers),
		cmocka_unit_test(mbox),
		cmocka_unit_test(quoted_printable_lines),
		cmocka_unit_test(text_archive),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
