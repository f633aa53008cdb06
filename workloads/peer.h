/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_PEER_H
#define WORKLOADS_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "workload.h"

/*
 * The original tools that our generators stand for. `--backend peer` runs the installed original
 * with the parameters of the generator and reads its output into values of the same metrics, so
 * that ours can be judged by it. An adapter is one file peer_*.c that registers itself:
 *
 *	PEER(hackbench) = {.workload = "hackbench", .programs = "hackbench", ...};
 */
enum {
	PEER_ARGS = 64,
	PEER_TEXT = 4096,
	PEER_PATH = 4096,
	PEER_VALUES = 64,
	PEER_COPIES = 4096,
};

/* What an adapter is asked for: a workload with its parameters, as option_parse() filled them. */
struct peer_job {
	const struct workload *workload;
	const void *params;
};

/* How a parameter of ours is said to the original. */
struct peer_flag {
	const char *name; /* ours */
	const char *flag; /* theirs; "": an argument without one; NULL: the adapter's @plan sees to
			     it */
	const char *unit; /* of times: a whole number of these is all that the original takes */
	bool changed_only; /* not all versions know it: said only when it is not the default */
};

/* A program with its arguments, argv[0] being the name to look for in PATH. */
struct peer_command {
	const char *argv[PEER_ARGS + 1];
	unsigned argc;
	char path[PEER_PATH]; /* where it was found */
	size_t used;
	char text[PEER_TEXT]; /* what argv points into */
};

/* What is executed. */
struct peer_plan {
	struct peer_command client, server; /* server.argc 0: none */
	unsigned copies; /* of the client, started at once */
	uint16_t port; /* where the server listens on 127.0.0.1 */
	const char *file; /* that the client reads, NULL: none */
	const char *folder_variable; /* of the environment: gets the folder of the client */
	char environment[64]; /* another NAME=VALUE for the client, "" for none */
	double limit_s; /* the original ends by itself before that; 0: unknown */
};

/* What one copy of the client left; texts end with a NUL byte. */
struct peer_output {
	const char *out, *err;
	double wall_s; /* from the release of all copies to the end of this one */
};

/* The values that were read out of it, by the name and the unit of the workload's metric. */
struct peer_values {
	size_t count;
	struct {
		const char *name;
		const char *unit; /* NULL: the metric of that name has but one */
		double value;
	} values[PEER_VALUES];
};

struct peer {
	const char *workload; /* name of the generator that stands for it */
	const char *programs; /* for --help: "tbench and tbench_srv" */
	const char *source; /* where they come from: "apt-get install rt-tests" */
	const char *const *metrics; /* of the workload's, those that its output gives; NULL ends */
	const struct peer_flag *flags; /* in the order of its arguments; NULL name ends */
	const char *note; /* for --help: what differs from ours; one paragraph */
	/* Name the programs and add what @flags cannot say, before those are added. */
	int (*plan)(const struct peer_job *job, struct peer_plan *plan, struct error *err);
	/*
	 * Pure: the texts of all copies, which have ended with status 0, to values. What is not
	 * the complete result of the work that was asked for is ERROR_FAILED, never a number.
	 */
	int (*read)(const struct peer_job *job, const struct peer_output *outputs, unsigned count,
		    struct peer_values *values, struct error *err);
};

#define PEER(id)                                                                                   \
	static const struct peer peer_##id;                                                        \
	static const struct peer *const peer_ptr_##id                                              \
		__attribute__((used, section("peer_table"))) = &peer_##id;                         \
	static const struct peer peer_##id

/* Of this workload; NULL: there is none. */
const struct peer *peer_of(const char *workload);

/*
 * The commands for @job. A parameter that the original does not have, unless it is left at its
 * default, or a value that it cannot take is ERROR_USAGE.
 */
int peer_plan(const struct peer *peer, const struct peer_job *job, struct peer_plan *plan,
	      struct error *err);

/* Find the programs in PATH and the file; what is not there is ERROR_USAGE with its source. */
int peer_find(const struct peer *peer, struct peer_plan *plan, struct error *err);

/* Print what peer_find() found: a JSON object for each program and file, or lines for humans. */
void peer_print(const struct peer_plan *plan, bool json);

/*
 * In the process of a run: start the server, run the copies of the client, read what they printed
 * into run->out. No process is left, even if this one is killed.
 */
int peer_run(const struct peer *peer, const struct peer_job *job, const struct peer_plan *plan,
	     struct run *run, struct error *err);

/* Check @values against the metrics of the workload and the adapter, and store them. */
int peer_store(const struct peer *peer, const struct peer_job *job,
	       const struct peer_values *values, struct outcome *out, struct error *err);

/* For adapters: parameters by the name of their option, which exists. Sets, flags and choices are
 * numbers too. */
int64_t peer_number(const struct peer_job *job, const char *name);
double peer_real(const struct peer_job *job, const char *name);
const char *peer_string(const struct peer_job *job, const char *name);

/* Add an argument; too many are ERROR_USAGE. */
int peer_arg(struct peer_command *command, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a value; more than there is room for are ERROR_FAILED. */
int peer_value(struct peer_values *values, const char *name, const char *unit, double value,
	       struct error *err);

#endif
