/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_PROGRESS_H
#define SCHEDBENCH_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Progress on stderr: one line that is rewritten on a terminal, else a line for each boot. It is
 * written when something has happened, never by a timer: nothing wakes up while a workload runs.
 */
struct progress {
	FILE *out; /* NULL: silent */
	bool tty;
	unsigned total, done; /* repetitions */
	unsigned done_before; /* of them by an earlier process */
	double start_s;
	unsigned width; /* of the line on the terminal */
};

void progress_init(struct progress *p, FILE *out, unsigned total, unsigned done_before);

/* What is being done now: "boot 2/6 debian-6.1". */
void progress_status(struct progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A repetition has ended. */
void progress_step(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A line that stays: a boot is over, something went wrong. */
void progress_note(struct progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Nothing more is to come, whatever the total was: with precision: it is the most there may be. */
void progress_end(struct progress *p);

/* Clear the line before other output. */
void progress_finish(struct progress *p);

/* Seconds left by what the repetitions so far took, boots included; negative: not known yet. */
double progress_eta(const struct progress *p);

/* "3m 20s" */
void format_seconds(double s, char *buf, size_t size);

#endif
