/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_PEER_TEST_H
#define TESTS_PEER_TEST_H

/* clang-format off: cmocka.h needs what stands before it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../workloads/peer.h"

/* A peer with parameters, given as the words of a command line. */
struct peer_case {
	struct peer_job job;
	const struct peer *peer;
	void *params;
	char words[512];
};

static inline void case_open(struct peer_case *c, const char *workload, const char *words)
{
	struct error err = {.kind = ERROR_NONE};
	const struct option_spec *tables[2] = {NULL, NULL};
	char *argv[32], *save = NULL;
	void *bases[2] = {NULL, NULL};
	int argc = 0;

	c->peer = peer_of(workload);
	c->job.workload = workload_find(workload, &err);
	assert_non_null(c->peer);
	assert_non_null(c->job.workload);
	snprintf(c->words, sizeof(c->words), "%s", words);
	for (char *w = strtok_r(c->words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	c->params = calloc(1, c->job.workload->params_size + 1);
	c->job.params = c->params;
	tables[0] = c->job.workload->options;
	bases[0] = c->params;
	if (option_parse(tables, bases, argc, argv, &err))
		fail_msg("%s", err.msg);
}

/* The arguments of the client in one line, or what is wrong with the parameters. */
static inline const char *planned(const char *workload, const char *words)
{
	static char line[2048];
	static struct peer_plan plan;
	struct error err = {.kind = ERROR_NONE};
	struct peer_case c;
	size_t len = 0;

	case_open(&c, workload, words);
	if (peer_plan(c.peer, &c.job, &plan, &err)) {
		assert_int_equal(err.kind, ERROR_USAGE);
		snprintf(line, sizeof(line), "%s", err.msg);
	}
	for (unsigned i = 0; !err.kind && i < plan.client.argc; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s", i ? " " : "",
					plan.client.argv[i]);
	free(c.params);
	return line;
}

/* "time=0.044 ..." out of what the copies printed, or the reason why there is no result. */
static inline const char *read_copies(const char *workload, const char *words,
				      const struct peer_output *outputs, unsigned count)
{
	static char line[4096];
	struct error err = {.kind = ERROR_NONE};
	struct peer_values v = {.count = 0};
	struct peer_case c;
	size_t len = 0;

	case_open(&c, workload, words);
	if (c.peer->read(&c.job, outputs, count, &v, &err)) {
		assert_int_equal(err.kind, ERROR_FAILED);
		snprintf(line, sizeof(line), "%s", err.msg);
	}
	for (size_t i = 0; !err.kind && i < v.count; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s=%.10g", i ? " " : "",
					v.values[i].name, v.values[i].value);
	free(c.params);
	return line;
}

static inline const char *read_one(const char *workload, const char *words, const char *out,
				   const char *err)
{
	const struct peer_output o = {out, err, 2.0};

	return read_copies(workload, words, &o, 1);
}

#endif
