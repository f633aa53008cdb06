/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_RUN_OUTPUT_H
#define SCHEDBENCH_RUN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "store/store.h"
#include "util/error.h"
#include "util/strbuf.h"

/* What one execution of a generator printed, as it arrives; and the samples in it. */
struct output {
	struct strbuf out, err; /* raw text of both streams */
	bool cut; /* stdout was longer than what is kept of it */
	struct store_value *values;
	unsigned values_count, values_cap;
};

#define OUTPUT_INIT                                                                                \
	{                                                                                          \
		STRBUF_INIT, STRBUF_INIT, false, NULL, 0, 0                                        \
	}

/* For agent_run_request.on_line; @arg is the struct output. */
void output_line(void *arg, bool is_stderr, const char *line, size_t len);

/*
 * Read the samples out of the lines that came: JSON objects with workload, metric, unit, better
 * and a finite value; other lines are left alone. No sample at all, one that is malformed, of
 * another workload or backend, a metric twice, or more text than is kept is an error.
 */
int output_samples(struct output *o, const char *workload, enum backend backend, struct error *err);

/*
 * The last line of stderr that holds something, for reasons; "" for none. Printable ASCII whatever
 * was printed: reasons reach terminals. The caller frees.
 */
char *output_last_error(const struct output *o);

void output_release(struct output *o);

#endif
