/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_MAIL_H
#define SCHEDBENCH_MAIL_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/strbuf.h"
#include "util/strlist.h"

/*
 * Mails as they arrive, and the patches that they hold. Read are: one raw mail (RFC 5322, MIME with
 * quoted-printable and base64, charsets as iconv knows them), an mbox of several, pages of a web
 * archive saved as HTML or as text, text archives (subject, "[Author]", body), and a bare diff.
 *
 * Everything here is hostile until parsed: limits are below, and what goes beyond is an error.
 */
#define MAIL_MAX_BYTES	(64u << 20)
#define MAIL_MAX_LINE	(1u << 20)
#define MAIL_MAX_LINES	(4u << 20)
#define MAIL_MAX_QUOTES 16 /* levels of quoting that are looked into */

/* One line of the text of a mail, transfer encoding undone, without its end of line. */
struct mail_line {
	const char *text; /* into @body of the mail; not NUL-terminated */
	unsigned len;
	unsigned source; /* line of the file that it came from, from 1 */
	unsigned part; /* text part of the mail, from 0 */
	bool flowed; /* the part says format=flowed */
};

/* A diff in a mail: what one part says at one level of quoting. */
struct mail_patch {
	char *diff; /* as `git apply` takes it; ends in a newline */
	size_t len;
	unsigned line; /* first line in the file */
	unsigned quoted; /* levels of quoting; 0: the mail's own */
	unsigned files, hunks, added, removed;
	unsigned repaired; /* lines that a mail program had wrapped or whose blanks it had eaten */
	char *problem; /* why the diff is not whole, with "line N: "; NULL: it is whole */
};

struct mail {
	char *subject; /* as written; "" where there is none */
	char *title; /* subject without "Re:" and brackets */
	char *message_id, *in_reply_to; /* without <>; NULL: not there */
	struct strlist references;
	char *author; /* "Name <address>" or what there is of it; NULL: not there */
	char *date; /* as written; NULL: not there */
	int64_t time; /* of @date, seconds since 1970 UTC; MAIL_NO_TIME */
	char *base_commit; /* of "base-commit:"; NULL: not there */
	char *commit; /* of a From_ line of git or a "Commit-ID:"; NULL: not there */
	bool reply; /* "Re:" */
	bool patch; /* "[PATCH ...]" or "[RFC ...]" in the subject */
	unsigned version, number, total; /* "[PATCH v3 2/4]" is 3, 2, 4; [PATCH] is 1, 0, 0 */
	unsigned line; /* of the file, where it begins */
	char *body;
	struct mail_line *lines;
	unsigned lines_count;
	struct mail_patch *patches; /* the mail's own first, then by level of quoting */
	unsigned patches_count;
};

#define MAIL_NO_TIME INT64_MIN

struct mailbox {
	char *path; /* as given */
	struct mail *mails;
	unsigned count;
};

/* Read the mails of a file. "-" is standard input. Errors: ERROR_USAGE for what is no mail file. */
int mailbox_read(struct mailbox *box, const char *path, struct error *err);

/* The same of @len bytes; @path is for messages. */
int mailbox_parse(struct mailbox *box, const char *path, const void *data, size_t len,
		  struct error *err);
void mailbox_release(struct mailbox *box);

/* One patch to apply, and where it comes from. Everything is freed by mail_found_release(). */
struct mail_found_patch {
	const struct mail *mail;
	const struct mail_patch *patch;
};

struct mail_found {
	struct mailbox *boxes; /* files that were read */
	unsigned boxes_count;
	struct mail_found_patch *patches; /* in the order in which they are to be applied, >= 1 */
	unsigned count;
	unsigned *
		missing; /* numbers of the series before the first of @patches that are not there */
	unsigned missing_count;
	unsigned left_out; /* how many before it are there and were not asked for */
};

/* Where Message-Ids are looked up. */
struct mail_search {
	const char *folders; /* colon separated; NULL: $SCHEDBENCH_MAILS */
	bool offline; /* do not fetch */
	bool partial; /* also a diff that is not whole, and a quoted one */
};

/*
 * The patch that @reference names: a file, a Message-Id (with or without <>), or an address of
 * lore.kernel.org. "#2" behind it takes patch 2 of a series, or else the second patch of the file;
 * "#1-3" takes those in their order. Without a number there has to be one patch that is not a
 * reply's. A Message-Id is looked up in the folders, then in what was fetched before, then it is
 * fetched with b4.
 *
 * What is found is whole unless @search->partial. Errors: ERROR_USAGE for a reference that names
 * nothing or too much, ERROR_FAILED for a mail that cannot be had or whose diff is not whole.
 */
int mail_patch_find(struct mail_found *out, const char *reference, const struct mail_search *search,
		    struct error *err);
void mail_found_release(struct mail_found *found);

/*
 * What has to be applied before: "patch 4/4 of a series: 1/4, 2/4 and 3/4 come before it and are
 * not here", or which reference takes them along; "" where there is nothing. No error: the patch
 * may apply all the same. The caller frees it.
 */
char *mail_found_missing(const struct mail_found *found);

#endif
