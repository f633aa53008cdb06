/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_DIFF_H
#define SCHEDBENCH_MAIL_DIFF_H

#include "mail/hunk.h"
#include "mail/mail.h"

/* Result of reading lines as a diff. */
struct diff {
	struct strbuf text;
	struct mail_patch stats; /* its @diff is not set, @problem is the caller's to free */
	unsigned context, stuffed, stuffed_tabs; /* see struct hunk */
};

/*
 * All files of a diff among @l. Hunks without a file are taken where there is no file at all, and
 * are a problem then. The first problem is told, and what can be read around it is in @d.
 * @loose: text may stand between the hunks of a file, as it does in replies.
 */
void diff_read(struct diff *d, const struct diff_line *l, unsigned count, bool loose);
void diff_release(struct diff *d);

/* Every diff in the text of @m, by part and level of quoting. */
void mail_find_patches(struct mail *m);

/* Levels of quoting before @l's text, at most @max; *@at is where the text of that level begins. */
unsigned quote_depth(const struct mail_line *l, unsigned max, unsigned *at);

#endif
