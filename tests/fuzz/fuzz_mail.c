// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mails are hostile until parsed. `make fuzz` builds this for libFuzzer (-DFUZZER); otherwise it is
 * a test: the files of tests/data/mail, and mutations of them from a fixed seed.
 *
 * What must hold of any input: no crash, no leak, lines of the file behind every line of the text
 * and every value of a table, and a diff that is whole has files.
 */
#include "mail/mail.h"
#include "mutate.h"
#include "published/published.h"

static void check_patch(const struct mail_patch *p)
{
	CHECK(p->len == strlen(p->diff) || memchr(p->diff, '\0', p->len));
	CHECK(!p->len || p->diff[p->len - 1] == '\n');
	CHECK(p->files || p->hunks);
	CHECK(p->files || p->problem);
	CHECK(p->quoted <= MAIL_MAX_QUOTES);
	CHECK(p->line > 0);
}

static void check_mail(const struct mail *m)
{
	CHECK(m->subject && m->title && m->body);
	for (unsigned i = 0; i < m->lines_count; i++) {
		CHECK(m->lines[i].source > 0);
		CHECK(!memchr(m->lines[i].text, '\n', m->lines[i].len));
	}
	for (unsigned i = 0; i < m->patches_count; i++)
		check_patch(&m->patches[i]);
}

static void check_tables(const struct mailbox *box)
{
	struct strbuf out = STRBUF_INIT;
	struct tables tables;

	tables_read(&tables, box, 1);
	for (unsigned i = 0; i < tables.count; i++) {
		const struct table *t = &tables.items[i];

		CHECK(t->rows_count && t->places_count && t->columns_count <= TABLE_MAX_CELLS);
		CHECK(t->heading && t->test && t->unit && t->statistic);
		for (unsigned r = 0; r < t->rows_count; r++)
			for (unsigned c = 0; c < t->columns_count; c++)
				CHECK(t->columns[c] && t->rows[r].cells[c].line > 0);
	}
	tables_text(&tables, &out);
	tables_tsv(&tables, &out);
	json_decref(tables_json(&tables));
	strbuf_release(&out);
	tables_release(&tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	struct mailbox box;

	if (mailbox_parse(&box, "fuzz", data, size, &err)) {
		CHECK(*err.msg);
		return 0;
	}
	for (unsigned i = 0; i < box.count; i++)
		check_mail(&box.mails[i]);
	check_tables(&box);
	mailbox_release(&box);
	return 0;
}

#ifndef FUZZER

int main(void)
{
	static const char *const pieces[] = {"\n",
					     "> ",
					     "@@ -1,9 +1,9 @@\n",
					     "diff --git a/x b/x\n",
					     "--- a/x\n+++ b/x\n",
					     "\r",
					     "=",
					     "=?utf-8?Q?",
					     "From x 10:10:10 2020\nA: b\n",
					     "\xff",
					     "<pre>",
					     "&#",
					     "--inner",
					     "[A]\n\n",
					     "@@ -1,4000000000 +1 @@\n",
					     " ",
					     "+",
					     "-"};
	unsigned inputs =
		fuzz_folder("tests/data/mail", "", pieces, sizeof(pieces) / sizeof(pieces[0]));

	printf("1..1\n%s 1 - %u mails and broken mails are read\n", inputs ? "ok" : "not ok",
	       inputs);
	return inputs ? 0 : 1;
}

#endif
