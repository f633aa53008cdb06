// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mail/body.h"
#include "mail/codec.h"
#include "mail/diff.h"
#include "mail/split.h"
#include "mail/subject.h"
#include "util/file.h"
#include "util/xalloc.h"

/* The word behind @name at the start of a line of the text, hexadecimal and as long as a commit. */
static char *commit_line(const struct mail *m, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < m->lines_count; i++) {
		const struct mail_line *l = &m->lines[i];
		unsigned from = (unsigned)n, to;

		if (l->len < n + 7 || memcmp(l->text, name, n))
			continue;
		while (from < l->len && (l->text[from] == ' ' || l->text[from] == '\t'))
			from++;
		for (to = from; to < l->len && isxdigit((unsigned char)l->text[to]);)
			to++;
		if (to - from >= 7 && to - from <= 64)
			return xstrndup(l->text + from, to - from);
	}
	return NULL;
}

static char *decoded_field(const struct fields *f, const char *name)
{
	const char *value = fields_get(f, name);

	return value ? encoded_words_decode(value) : NULL;
}

static void from_fields(struct mail *m, const struct fields *f)
{
	const char *date = fields_get(f, "Date");

	m->subject = decoded_field(f, "Subject");
	m->author = decoded_field(f, "From");
	m->message_id = message_id_of(fields_get(f, "Message-ID"));
	m->in_reply_to = message_id_of(fields_get(f, "In-Reply-To"));
	message_ids_of(fields_get(f, "References"), &m->references);
	if (date)
		m->date = xstrndup(date, strcspn(date, "\t["));
}

static void read_raw(struct mail *m, struct body *b, const struct raw_line *l, unsigned count)
{
	struct fields f = {0};
	unsigned header = fields_parse(&f, l, count);

	from_fields(m, &f);
	body_add(b, &f, l + header, count - header);
	fields_release(&f);
}

/* "[First Last <address>]" */
static void read_archive(struct mail *m, const struct raw *raw, const struct segment *s)
{
	struct raw_line author = raw->lines[s->author];

	while (author.s[author.len - 1] != ']')
		author.len--;
	author.s++;
	author.len -= 2;
	m->author = line_copy(&author);
	m->subject = line_copy(&raw->lines[s->subject]);
}

/* "From: Somebody @ 2023-12-06  9:00 UTC (permalink / raw)", below it "  To: ..." */
static void read_thread(struct mail *m, const struct raw *raw, const struct segment *s)
{
	char *line = line_copy(&raw->lines[s->author]), *at = strstr(line, " @ ");
	char *utc;

	*at = '\0';
	m->author = xstrdup(line + strspn(line + 5, " ") + 5);
	utc = strstr(at + 3, " UTC");
	m->date = xstrndup(at + 3, utc ? (size_t)(utc + 4 - at - 3) : strlen(at + 3));
	if (s->subject != UINT_MAX) {
		char *subject = line_copy(&raw->lines[s->subject]);
		size_t skip = *subject == '*' ? 1 : 8;

		m->subject = xstrdup(subject + skip + strspn(subject + skip, " "));
		free(subject);
	}
	free(line);
}

static void read_mail(struct mail *m, const struct raw *raw, const struct segment *s)
{
	const struct raw_line *l = raw->lines + s->first;
	unsigned count = s->end - s->first;
	struct body b = {.text = STRBUF_INIT};
	struct fields none = {0};

	m->line = s->subject != UINT_MAX ? raw->lines[s->subject].source : count ? l->source : 1;
	if (s->kind == SEGMENT_RAW)
		read_raw(m, &b, l, count);
	else
		body_add(&b, &none, l, count);
	if (s->kind == SEGMENT_ARCHIVE)
		read_archive(m, raw, s);
	if (s->kind == SEGMENT_THREAD)
		read_thread(m, raw, s);
	body_finish(&b, m);
	if (!m->subject)
		m->subject = xstrdup("");
	subject_parse(m);
	m->time = m->date ? mail_date_parse(m->date) : MAIL_NO_TIME;
	m->base_commit = commit_line(m, "base-commit:");
	m->commit = s->commit ? xstrdup(s->commit) : commit_line(m, "Commit-ID:");
	mail_find_patches(m);
}

static void read_segments(struct mailbox *box, struct raw *raw)
{
	struct segments s = {0};

	segments_find(&s, raw);
	box->mails = xcalloc(s.count, sizeof(*box->mails));
	box->count = s.count;
	for (unsigned i = 0; i < s.count; i++)
		read_mail(&box->mails[i], raw, &s.items[i]);
	segments_release(&s);
}

/* Archives offer threads as .mbox.gz. */
static bool is_compressed(const void *data, size_t len)
{
	return len > 4 && (!memcmp(data, "\x1f\x8b", 2) || !memcmp(data, "BZh", 3) ||
			   !memcmp(data,
				   "\xfd"
				   "7zXZ",
				   5) ||
			   !memcmp(data, "\x28\xb5\x2f\xfd", 4));
}

int mailbox_parse(struct mailbox *box, const char *path, const void *data, size_t len,
		  struct error *err)
{
	struct raw raw = {.held = STRBUF_INIT}, page = {.held = STRBUF_INIT};
	int ret;

	*box = (struct mailbox){0};
	if (len > MAIL_MAX_BYTES)
		return error_set(err, ERROR_USAGE, "'%s' is larger than %u MiB (split it)", path,
				 MAIL_MAX_BYTES >> 20);
	if (is_compressed(data, len))
		return error_set(err, ERROR_USAGE, "'%s' is compressed (unpack it)", path);
	ret = raw_split(&raw, path, data, len, err);
	if (!ret && raw_is_html(&raw)) {
		raw_from_html(&page, raw.lines, raw.count);
		read_segments(box, &page);
	} else if (!ret) {
		read_segments(box, &raw);
	}
	box->path = xstrdup(path);
	raw_release(&raw);
	raw_release(&page);
	if (ret)
		mailbox_release(box);
	return ret;
}

static int read_stdin(struct strbuf *out, struct error *err)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot read standard input");
		strbuf_add(out, buf, (size_t)n);
		if (out->len > MAIL_MAX_BYTES)
			break;
	}
	return 0;
}

int mailbox_read(struct mailbox *box, const char *path, struct error *err)
{
	struct strbuf data = STRBUF_INIT;
	int ret;

	*box = (struct mailbox){0};
	if (!strcmp(path, "-"))
		ret = read_stdin(&data, err);
	else
		ret = file_read(path, MAIL_MAX_BYTES, &data, err);
	if (!ret)
		ret = mailbox_parse(box, path, data.buf, data.len, err);
	strbuf_release(&data);
	return ret;
}

static void release_mail(struct mail *m)
{
	free(m->subject);
	free(m->title);
	free(m->message_id);
	free(m->in_reply_to);
	strlist_release(&m->references);
	free(m->author);
	free(m->date);
	free(m->base_commit);
	free(m->commit);
	free(m->body);
	free(m->lines);
	for (unsigned i = 0; i < m->patches_count; i++) {
		free(m->patches[i].diff);
		free(m->patches[i].problem);
	}
	free(m->patches);
}

void mailbox_release(struct mailbox *box)
{
	for (unsigned i = 0; i < box->count; i++)
		release_mail(&box->mails[i]);
	free(box->mails);
	free(box->path);
	*box = (struct mailbox){0};
}
