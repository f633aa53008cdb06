/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_BODY_H
#define SCHEDBENCH_MAIL_BODY_H

#include "mail/mail.h"
#include "mail/raw.h"

/* The text of a mail: its parts one after the other, encodings undone, format=flowed as it is. */

struct body {
	struct strbuf text;
	struct body_line {
		size_t at;
		unsigned len, source, part;
		bool flowed;
	} * lines;
	unsigned count, cap, parts;
};

/* Add what @lines hold, as the fields @f say. Of alternatives the plain text is taken. */
void body_add(struct body *b, const struct fields *f, const struct raw_line *lines, unsigned count);

/* Hand text and lines to @m; @b is empty afterwards. */
void body_finish(struct body *b, struct mail *m);

#endif
