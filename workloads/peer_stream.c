// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdio.h>

#include "peer.h"
#include "peer_text.h"

/* STREAM 5.10: what it runs was decided when it was compiled. */

static int plan(const struct peer_job *job, struct peer_plan *p, struct error *err)
{
	int64_t threads = peer_number(job, "threads");

	/* From this many on its check compares infinities and passes them. */
	if (peer_number(job, "ntimes") >= 262)
		return error_set(
			err, ERROR_USAGE,
			"STREAM overflows at 262 iterations and validates that (--ntimes)");
	if (threads)
		snprintf(p->environment, sizeof(p->environment), "OMP_NUM_THREADS=%" PRId64,
			 threads);
	return peer_arg(&p->client, err, "stream");
}

static int check_work(const struct peer_job *job, const char *text, double *elements,
		      struct error *err)
{
	int64_t size = peer_number(job, "array-size"), ntimes = peer_number(job, "ntimes"),
		threads = peer_number(job, "threads");
	const char *counted = text;
	struct text_match m;

	if (text_only(text, "stream", "Array size = %n (elements), Offset = %n (elements)", &m,
		      err))
		return -1;
	*elements = m.numbers[0];
	if (size && *elements != (double)size)
		return error_set(err, ERROR_FAILED,
				 "stream was compiled for %.0f elements, not %" PRId64
				 " (-DSTREAM_ARRAY_SIZE=%" PRId64 ")",
				 *elements, size, size);
	if (text_only(text, "stream", "Each kernel will be executed %n times.", &m, err))
		return -1;
	if (m.numbers[0] != (double)ntimes)
		return error_set(err, ERROR_FAILED,
				 "stream was compiled for %.0f iterations, not %" PRId64
				 " (-DNTIMES=%" PRId64 ")",
				 m.numbers[0], ntimes, ntimes);
	if (!text_next(&counted, "Number of Threads counted = %n", &m))
		m.numbers[0] = 1; /* built without OpenMP */
	if (threads && m.numbers[0] != (double)threads)
		return error_set(err, ERROR_FAILED,
				 "stream ran with %.0f threads, not %" PRId64
				 " (is it built with -fopenmp?)",
				 m.numbers[0], threads);
	return 0;
}

static int check_valid(const char *text, struct error *err)
{
	char line[160];
	struct text_match m;

	if (text_find(text, "Failed Validation", line, sizeof(line)))
		return error_set(err, ERROR_FAILED, "stream says: %s", line);
	return text_only(text, "stream",
			 "Solution Validates: avg error less than %ne-%n on all three arrays", &m,
			 err);
}

static const struct {
	const char *row, *best, *worst;
	int words; /* read and written for each element */
} kernels[] = {
	{"Triad: %n %n %n %n", "triad_best", "triad_worst", 3},
	{"Copy: %n %n %n %n", "copy_best", "copy_worst", 2},
	{"Scale: %n %n %n %n", "scale_best", "scale_worst", 2},
	{"Add: %n %n %n %n", "add_best", "add_worst", 3},
};

static int read_text(const struct peer_job *job, const struct peer_output *o, unsigned count,
		     struct peer_values *values, struct error *err)
{
	struct text_match m;
	double elements;

	(void)count;
	if (check_work(job, o->out, &elements, err) || check_valid(o->out, err))
		return -1;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		if (text_only(o->out, "stream", kernels[i].row, &m, err))
			return -1;
		/* Best rate, mean, least and most time; below 20 us its clock decides. */
		if (m.numbers[0] <= 0 || m.numbers[2] < 20e-6)
			return error_set(err, ERROR_FAILED,
					 "stream took less than its clock can tell: %g s (larger "
					 "arrays)",
					 m.numbers[2]);
		if (peer_value(values, kernels[i].best, NULL, m.numbers[0], err) ||
		    peer_value(values, kernels[i].worst, NULL,
			       kernels[i].words * 8 * elements / 1e6 / m.numbers[3], err))
			return -1;
	}
	return 0;
}

static const struct peer_flag flags[] = {
	{.name = "array-size"},
	{.name = "ntimes"},
	{.name = "threads"},
	{.name = NULL},
};

static const char *const metrics[] = {"triad_best", "triad_worst", "copy_best",
				      "copy_worst", "scale_best",  "scale_worst",
				      "add_best",   "add_worst",   NULL};

PEER(stream) = {
	.workload = "stream",
	.programs = "stream",
	.source = "compile stream.c of www.cs.virginia.edu/stream and put it there",
	.metrics = metrics,
	.flags = flags,
	.note = "Size and iterations are compiled in: a program of others than asked for is an "
		"error. With\n"
		"  --array-size 0 any size will do, also one that fits into the caches.",
	.plan = plan,
	.read = read_text,
};
