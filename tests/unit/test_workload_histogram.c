// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../workloads/histogram.h"
#include "../../workloads/random.h"

static struct histogram h;

static void small_values_are_exact_and_zero_counts(void **state)
{
	static const uint64_t values[] = {0, 1, 511, 512, 1000000};
	uint64_t below;

	(void)state;
	memset(&h, 0, sizeof(h));
	for (size_t i = 0; i < 5; i++)
		histogram_add(&h, values[i]);
	assert_int_equal(histogram_count(&h), 5);
	/* n = 5: the 20th, 40th ... percentiles are the values themselves. */
	assert_true(histogram_percentile(&h, 20, &below) == 0);
	assert_int_equal(below, 1);
	assert_true(histogram_percentile(&h, 40, &below) == 1);
	assert_true(histogram_percentile(&h, 60, NULL) == 511);
	assert_true(fabs(histogram_percentile(&h, 80, NULL) / 512 - 1) <= 0.002);
	assert_true(fabs(histogram_percentile(&h, 100, &below) / 1e6 - 1) <= 0.002);
	assert_int_equal(below, 5);
	assert_true(histogram_percentile(&h, 0, NULL) == 0);
}

static void every_value_is_within_a_fifth_of_a_per_cent(void **state)
{
	struct random rnd = {.state = 1};

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t v = random_next(&rnd) >> (26 + i % 38);
		unsigned bucket = histogram_bucket(v);

		assert_true(bucket < HISTOGRAM_BUCKETS);
		assert_true(fabs(histogram_middle(bucket) - (double)v) <= 0.002 * (double)v);
	}
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket((1ULL << 39) - 1), HISTOGRAM_BUCKETS - 1);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void percentiles_are_those_of_the_sorted_values(void **state)
{
	static const double percents[] = {1, 20, 50, 75, 90, 95, 99, 99.5, 99.9};
	enum { N = 12345 };
	static uint64_t values[N];
	struct random rnd = {.state = 42};

	(void)state;
	memset(&h, 0, sizeof(h));
	for (int i = 0; i < N; i++) {
		values[i] = (uint64_t)(20000 * random_exponential(&rnd));
		histogram_add(&h, values[i]);
	}
	qsort(values, N, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double exact = (double)values[(int)ceil(percents[i] / 100 * N) - 1];

		assert_true(fabs(histogram_percentile(&h, percents[i], NULL) - exact) <=
			    0.002 * exact + 1e-9);
	}
}

static void an_earlier_state_can_be_subtracted(void **state)
{
	static struct histogram early;

	(void)state;
	memset(&h, 0, sizeof(h));
	histogram_add(&h, 7);
	early = h;
	histogram_add(&h, 9);
	histogram_subtract(&h, &early);
	assert_int_equal(histogram_count(&h), 1);
	assert_true(histogram_percentile(&h, 50, NULL) == 9);
	histogram_merge(&h, &early);
	assert_int_equal(histogram_count(&h), 2);
	memset(&h, 0, sizeof(h));
	assert_true(histogram_percentile(&h, 50, NULL) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_values_are_exact_and_zero_counts),
		cmocka_unit_test(every_value_is_within_a_fifth_of_a_per_cent),
		cmocka_unit_test(percentiles_are_those_of_the_sorted_values),
		cmocka_unit_test(an_earlier_state_can_be_subtracted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
