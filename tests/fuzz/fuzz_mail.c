// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mails are hostile until parsed. `make fuzz` builds this for libFuzzer (-DFUZZER); otherwise it is
 * a test: the files of tests/data/mail, and mutations of them from a fixed seed.
 *
 * What must hold of any input: no crash, no leak, lines of the file behind every line of the text
 * and every value of a table, and a diff that is whole has files.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mail/mail.h"
#include "published/published.h"

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

#include <dirent.h>
#include <time.h>

#include "util/file.h"

#define SEED	  20240102u
#define MUTATIONS 600 /* of each file */

/* xorshift32: the same everywhere. */
static uint32_t next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static size_t line_start(const char *s, size_t at)
{
	while (at && s[at - 1] != '\n')
		at--;
	return at;
}

/* One change of what mails suffer, or of what nobody would send. */
static void mutate(struct strbuf *sb, uint32_t *state)
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
	size_t at = sb->len ? next(state) % sb->len : 0, n = 1 + next(state) % 40;
	const char *piece = pieces[next(state) % (sizeof(pieces) / sizeof(pieces[0]))];
	struct strbuf out = STRBUF_INIT;

	switch (next(state) % 5) {
	case 0: /* a byte */
		if (sb->len)
			sb->buf[at] = (char)next(state);
		return;
	case 1: /* a piece that means something */
		strbuf_add(&out, sb->buf, at);
		strbuf_addstr(&out, piece);
		strbuf_add(&out, sb->buf + at, sb->len - at);
		break;
	case 2: /* some bytes less */
		strbuf_add(&out, sb->buf, at);
		if (at + n < sb->len)
			strbuf_add(&out, sb->buf + at + n, sb->len - at - n);
		break;
	case 3: /* the same, at the start of a line */
		at = line_start(sb->buf, at);
		strbuf_add(&out, sb->buf, at);
		strbuf_addstr(&out, piece);
		strbuf_add(&out, sb->buf + at, sb->len - at);
		break;
	default: /* cut off */
		strbuf_add(&out, sb->buf, at);
	}
	strbuf_release(sb);
	*sb = out;
}

static unsigned fuzz_file(const char *path, uint32_t *state)
{
	struct strbuf seed = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (file_read(path, 0, &seed, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	LLVMFuzzerTestOneInput((const uint8_t *)seed.buf, seed.len);
	for (int i = 0; i < MUTATIONS; i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_add(&sb, seed.buf, seed.len);
		for (uint32_t k = 0, n = 1 + next(state) % 8; k < n; k++)
			mutate(&sb, state);
		LLVMFuzzerTestOneInput((const uint8_t *)sb.buf, sb.len);
		strbuf_release(&sb);
	}
	strbuf_release(&seed);
	return 1 + MUTATIONS;
}

int main(void)
{
	struct dirent **entries;
	uint32_t state = SEED;
	unsigned inputs = 0;
	int n = scandir("tests/data/mail", &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = path_join("tests/data/mail", entries[i]->d_name);

		if (*entries[i]->d_name != '.')
			inputs += fuzz_file(path, &state);
		free(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	printf("1..1\n%s 1 - %u mails and broken mails are read\n", inputs ? "ok" : "not ok",
	       inputs);
	return inputs ? 0 : 1;
}

#endif
