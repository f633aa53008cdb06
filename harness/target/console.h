/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TARGET_CONSOLE_H
#define SCHEDBENCH_TARGET_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

#define CONSOLE_LINE_MAX 240

/* What the console of a guest tells about it. */
struct console_facts {
	bool panicked;
	char panic[CONSOLE_LINE_MAX]; /* what follows "Kernel panic - " */
	size_t panic_end; /* offset of what comes after that line */
	char oops[CONSOLE_LINE_MAX]; /* first fault that the kernel reported of itself, or "" */
	bool init_ended; /* the panic is that process 1 ended */
	int init_status; /* as of waitpid */
	char agent_line[CONSOLE_LINE_MAX]; /* last thing the agent said, or "" */
	/*
	 * RCU stalls, soft lockups, stuck workqueues, hung tasks: a guest with more CPUs than its
	 * host prints them when its CPUs are not scheduled. They are no deaths.
	 */
	unsigned warnings;
};

/* @text is what a guest wrote: it may hold anything. */
void console_scan(struct console_facts *facts, const char *text, size_t len);

/*
 * Append the last @count lines that are not empty, each as printable ASCII after @indent. Escape
 * sequences of terminals and control characters are left out, long lines are cut.
 */
void console_last_lines(struct strbuf *out, const char *text, size_t len, unsigned count,
			const char *indent);

/* Read the console's file; of a very long one only the last 16 MiB. Unreadable: nothing. */
void console_read(struct strbuf *text, const char *path);

#endif
