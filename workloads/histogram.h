/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_HISTOGRAM_H
#define WORKLOADS_HISTOGRAM_H

#include <stdint.h>

/*
 * Counts of values, nanoseconds or others: exact below 512, above that each power of two is cut
 * into 256 equal buckets, so that the middle of a bucket is off by at most 0.2 %. Every value is
 * counted, 0 too; those beyond the top (about 550 s) in the last bucket.
 */
enum {
	HISTOGRAM_EXACT = 512,
	HISTOGRAM_SPLIT = 256,
	HISTOGRAM_TOP_BIT = 38,
	HISTOGRAM_BUCKETS = HISTOGRAM_EXACT + (HISTOGRAM_TOP_BIT - 8) * HISTOGRAM_SPLIT,
};

struct histogram {
	uint32_t counts[HISTOGRAM_BUCKETS];
};

unsigned histogram_bucket(uint64_t value);
double histogram_middle(unsigned bucket);

/* One writer; readers in other threads see each count whole. */
static inline void histogram_add(struct histogram *h, uint64_t value)
{
	uint32_t *count = &h->counts[histogram_bucket(value)];

	__atomic_store_n(count, *count + 1, __ATOMIC_RELAXED);
}

/* @into += @from, @into -= @from (which is an earlier state of the same counts). */
void histogram_merge(struct histogram *into, const struct histogram *from);
void histogram_subtract(struct histogram *into, const struct histogram *from);

uint64_t histogram_count(const struct histogram *h);

/*
 * The middle of the first bucket at which the cumulated count reaches @percent of all, and through
 * @below, unless NULL, that count. 0 and 0 if there are no values. 0 % is the least, 100 % the
 * greatest value.
 */
double histogram_percentile(const struct histogram *h, double percent, uint64_t *below);

#endif
