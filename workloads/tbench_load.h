/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_TBENCH_LOAD_H
#define WORKLOADS_TBENCH_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "random.h"

/* In the order of dbench's table of results. */
enum tbench_kind {
	TBENCH_NTCREATEX,
	TBENCH_CLOSE,
	TBENCH_RENAME,
	TBENCH_UNLINK,
	TBENCH_DELTREE, /* no packet */
	TBENCH_MKDIR,
	TBENCH_RMDIR,
	TBENCH_QPATHINFO,
	TBENCH_QFILEINFO,
	TBENCH_QFSINFO,
	TBENCH_SFILEINFO,
	TBENCH_FIND,
	TBENCH_WRITEX,
	TBENCH_READX,
	TBENCH_LOCKX,
	TBENCH_UNLOCKX,
	TBENCH_FLUSH,
	TBENCH_SLEEP, /* not counted; @request is microseconds */
	TBENCH_KINDS,
};

/* As in the loadfile, and as in the results. */
extern const char *const tbench_load_names[TBENCH_KINDS];
extern const char *const tbench_short_names[TBENCH_KINDS];

/* The largest request or response that is accepted, in bytes. */
enum { TBENCH_LARGEST = 16 << 20 };

struct tbench_op {
	uint8_t kind; /* enum tbench_kind */
	uint8_t names; /* times that the request contains the number of the client */
	uint32_t request, response; /* bytes, with a number of one digit */
	uint32_t payload; /* bytes that count as throughput */
	int64_t at_us; /* start time within the pass of a paced replay; -1: at once */
};

struct tbench_mix_row {
	uint8_t kind;
	uint32_t request, response, payload, count;
};

struct tbench_load {
	struct tbench_op *ops; /* in shared memory: forks need not copy its mappings */
	size_t n;
	size_t skipped; /* lines whose last word is no status */
	uint32_t largest; /* bytes of the largest request or response */
};

/*
 * Read a loadfile of dbench 4.00. @directory_len is that of the directory in front of the paths
 * (1 for "."). What cannot be replayed is an error with file and line.
 */
int tbench_load_read(const char *path, size_t directory_len, struct tbench_load *load,
		     struct error *err);

/* The rows of the built-in mix. */
const struct tbench_mix_row *tbench_mix_rows(size_t *n);

/*
 * A shuffled sequence of @n rows of the mix, as numbers of rows: each as often as its share says,
 * to within one, so that any seed gives the same load.
 */
void tbench_mix_draw(uint8_t *sequence, size_t n, struct random *rnd);

#endif
