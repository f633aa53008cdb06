/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_IMPORT_MMTESTS_H
#define SCHEDBENCH_IMPORT_MMTESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "import/import.h"

/*
 * Result trees of mmtests: DIR/KERNEL/iter-N/TEST/logs/..., or DIR itself with the iter-N. Each
 * kernel is a variant; each iter-N takes the place of a boot, though mmtests does not start the
 * machine anew. Samples are what mmtests takes for samples, but for those that failed.
 */
struct mmtests_options {
	const char *benchmark; /* only the test of this name; NULL: all that are known */
	const char
		*kernels; /* comma separated, in this order; NULL: all, the first measured first */
	unsigned iterations; /* of hackbench in a log; 0: what most logs hold */
	bool last; /* tbench: the last line of a throughput log, not each of them */
};

/* One run for each test, or for each part of one (tbench: throughput, loadfile, operations). */
struct import_set {
	struct import *items;
	size_t count, cap;
	struct strlist notes; /* what was left out, and why; there on errors too */
};

/* A tree without a single good sample is an error (ERROR_USAGE), and so is a damaged file. */
int import_mmtests(struct import_set *set, const char *dir, const struct mmtests_options *opt,
		   struct error *err);
void import_set_release(struct import_set *set);

/* What follows is between the files of this folder: a log that is being read, and its readers. */
struct mmtests_log {
	struct import *imp;
	const struct mmtests_options *opt;
	const char *path; /* for messages */
	const char *name; /* without the suffix of a packed file */
	const char *test;
	const char *beside; /* the text of the other file that the reader wants; "": not there */
	char *next; /* what is left of the text, cut into lines in place */
	unsigned line;
	unsigned variant;
	long boot;
	const char *failed; /* not NULL: why nothing that this iteration measured counts */
	char why[160]; /* of log_value() */
};

enum { LOG_TAKEN = 0, LOG_UNKNOWN = 1 }; /* or -1: an error */

struct mmtests_benchmark {
	const char *test; /* beginning of the test's name */
	const char *part; /* added to the name of the run where a test has several */
	const char *log; /* beginning of the names of its logs */
	const char *beside; /* NULL, or the name of a file in their folder that explains them */
	const char *workload, *axis;
	const char *metric; /* of the table by default; NULL: there is one only */
	const char *note; /* what tables must say of the samples; NULL: nothing */
	/* LOG_UNKNOWN: by its name it is not such a log. */
	int (*parse)(struct mmtests_log *log, struct error *err);
	/* NULL, or what needs the samples of all logs */
	void (*finish)(struct import *imp, const struct mmtests_options *opt);
};

extern const struct mmtests_benchmark mmtests_benchmarks[];
extern const size_t mmtests_benchmarks_count;

/* The next line, NULL at the end. */
char *log_line(struct mmtests_log *log);
/* Cut @line into at most @max words; the number of words there are. */
unsigned log_words(char *line, char **words, unsigned max);
/* Is it a word like 12 or 1.5e3, and nothing else? */
bool log_is_number(const char *word);
/* A result: finite and above 0 (@zero: or 0). Where it is not, log->why says so. */
bool log_value(struct mmtests_log *log, const char *word, bool zero, double *value);
/* A line that tells of a failure, whoever printed it. */
bool log_tells_failure(const char *line);
/* Keep a copy of the first line that does, for a reason. */
void log_keep_failure(char **failure, const char *line);
/* A sample, or with @reason a failed one; the iteration's own failure comes first. */
void log_add(const struct mmtests_log *log, const char *kase, unsigned metric, long repetition,
	     double value, const char *reason);
int log_metric(const struct mmtests_log *log, const char *name, const char *unit, bool higher,
	       unsigned *metric, struct error *err);
/* The number that the log's name gives between @start and @end, NULL: it has another form. */
char *log_case(const char *name, const char *start, const char *end);

struct tree;

struct mmtests_site {
	unsigned variant;
	char *test;
	long boot;
	char *path; /* KERNEL/iter-N/TEST/logs; NULL: the test left none */
	char *failed; /* NULL: not that anybody knows */
};

struct mmtests_sites {
	struct mmtests_site *items;
	size_t count, cap;
	struct import_names variants, tests;
	unsigned untold; /* iterations that do not say how their tests ended */
};

/* Every test of every iteration of every kernel wanted, and how mmtests says that it ended. */
int mmtests_find(struct mmtests_sites *sites, const struct tree *tree,
		 const struct mmtests_options *opt, struct error *err);
void mmtests_sites_release(struct mmtests_sites *sites);

/* In mmtests_hackbench.c and mmtests_schbench.c. */
int parse_hackbench(struct mmtests_log *log, struct error *err);
void finish_hackbench(struct import *imp, const struct mmtests_options *opt);
int parse_schbench(struct mmtests_log *log, struct error *err);

#endif
