/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_SPLIT_H
#define SCHEDBENCH_MAIL_SPLIT_H

#include "mail/raw.h"

/* Where the mails of a file are. */

enum segment_kind {
	SEGMENT_RAW, /* headers, a blank line, a body */
	SEGMENT_ARCHIVE, /* a subject, "[Author]", a body */
	SEGMENT_THREAD, /* one mail of a thread's page of public-inbox */
	SEGMENT_BARE, /* no header at all */
};

struct segment {
	enum segment_kind kind;
	unsigned first; /* index of the line of its header, or of its text */
	unsigned end; /* behind the last line */
	unsigned subject, author; /* SEGMENT_ARCHIVE, _THREAD: indexes of lines; UINT_MAX: none */
	char *commit; /* of a From_ line of git; NULL: none */
};

struct segments {
	struct segment *items;
	unsigned count, cap;
};

/* Undoes the ">From " of an mbox in @raw. */
void segments_find(struct segments *s, struct raw *raw);
void segments_release(struct segments *s);

#endif
