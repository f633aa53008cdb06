/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_HUNK_H
#define SCHEDBENCH_MAIL_HUNK_H

#include <stdbool.h>

#include "util/strbuf.h"

/* One hunk of a diff as a mail shows it, and what mail programs did to it undone. */

struct diff_line {
	const char *s; /* not NUL-terminated */
	unsigned len;
	unsigned source; /* line of the file */
	bool gap; /* something else stands between it and the one before */
};

struct hunk {
	unsigned old_count, new_count;
	struct strbuf text; /* with its "@@" line */
	unsigned added, removed, repaired;
	unsigned context, stuffed, stuffed_tabs; /* lines of context; with two blanks; and a tab */
};

bool diff_line_starts(const struct diff_line *l, const char *word);

/* "@@ -1,2 +3,4 @@"; sets the counts. */
bool hunk_header(const struct diff_line *l, struct hunk *h);

/*
 * The hunk whose "@@" line is the first of @l. Returns the number of lines it takes; 0 with
 * *@problem set, which names the line, where the counts of the header cannot be met.
 *
 * Lines that were wrapped are joined, and blanks that were lost at the start of a line are put
 * back, where just that leads to the counts.
 */
unsigned hunk_take(const struct diff_line *l, unsigned count, struct hunk *h, char **problem);
void hunk_release(struct hunk *h);

#endif
