// SPDX-License-Identifier: GPL-2.0-or-later
#include "histogram.h"

unsigned histogram_bucket(uint64_t value)
{
	unsigned bit;

	if (value < HISTOGRAM_EXACT)
		return (unsigned)value;
	bit = 63 - (unsigned)__builtin_clzll(value);
	if (bit > HISTOGRAM_TOP_BIT)
		return HISTOGRAM_BUCKETS - 1;
	/* The eight bits below the leading one number the buckets of this power of two. */
	return HISTOGRAM_EXACT + (bit - 9) * HISTOGRAM_SPLIT +
	       (unsigned)(value >> (bit - 8) & (HISTOGRAM_SPLIT - 1));
}

double histogram_middle(unsigned bucket)
{
	unsigned bit, part;
	double low, width;

	if (bucket < HISTOGRAM_EXACT)
		return bucket;
	bit = 9 + (bucket - HISTOGRAM_EXACT) / HISTOGRAM_SPLIT;
	part = (bucket - HISTOGRAM_EXACT) % HISTOGRAM_SPLIT;
	width = (double)(1ULL << (bit - 8));
	low = (double)(1ULL << bit) + part * width;
	return low + (width - 1) / 2;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->counts[i] += __atomic_load_n(&from->counts[i], __ATOMIC_RELAXED);
}

void histogram_subtract(struct histogram *into, const struct histogram *from)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->counts[i] -= from->counts[i];
}

uint64_t histogram_count(const struct histogram *h)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
		n += h->counts[i];
	return n;
}

double histogram_percentile(const struct histogram *h, double percent, uint64_t *below)
{
	double wanted = percent / 100 * (double)histogram_count(h);
	uint64_t seen = 0;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->counts[i];
		if (seen && (double)seen >= wanted) {
			if (below)
				*below = seen;
			return histogram_middle(i);
		}
	}
	if (below)
		*below = seen;
	return 0;
}
