// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../workloads/number.h"

static void whole_numbers_are_strict(void **state)
{
	static const char *const bad[] = {"",	 " 1",	"1 ",  "+1", "0x10", "1.5",
					  "abc", "1e3", "--1", "1k", "-",    "9223372036854775808"};
	struct error err;
	int64_t v;

	(void)state;
	assert_int_equal(number_int("-x", "42", 0, 100, &v, &err), 0);
	assert_int_equal(v, 42);
	assert_int_equal(number_int("-x", "-7", -10, 100, &v, &err), 0);
	assert_int_equal(v, -7);
	assert_int_equal(number_int("-x", "9223372036854775807", 0, INT64_MAX, &v, &err), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(number_int("-x", bad[i], INT64_MIN, INT64_MAX, &v, &err), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
	}
	assert_int_equal(number_int("-x", "101", 0, 100, &v, &err), -1);
	assert_string_equal(err.msg, "-x: '101' is out of range (0 to 100)");
}

static void reals_are_strict(void **state)
{
	static const char *const bad[] = {"", ".", "nan", "inf", "1e3", "1,5", "0x1p3", "1.5.2"};
	struct error err;
	double v;

	(void)state;
	assert_int_equal(number_real("-x", "1.5", 0, 2, &v, &err), 0);
	assert_true(v == 1.5);
	assert_int_equal(number_real("-x", ".25", 0, 2, &v, &err), 0);
	assert_true(v == 0.25);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(number_real("-x", bad[i], -1e9, 1e9, &v, &err), -1);
	assert_int_equal(number_real("-x", "2.1", 0, 2, &v, &err), -1);
}

static void sizes_take_powers_of_1024(void **state)
{
	struct error err;
	int64_t v;

	(void)state;
	assert_int_equal(number_size("-s", "100", 1, INT64_MAX, &v, &err), 0);
	assert_int_equal(v, 100);
	assert_int_equal(number_size("-s", "3k", 1, INT64_MAX, &v, &err), 0);
	assert_int_equal(v, 3072);
	assert_int_equal(number_size("-s", "2G", 1, INT64_MAX, &v, &err), 0);
	assert_int_equal(v, 2147483648LL);
	assert_int_equal(number_size("-s", "9999999999G", 1, INT64_MAX, &v, &err), -1);
	assert_int_equal(number_size("-s", "1KB", 1, INT64_MAX, &v, &err), -1);
	assert_int_equal(number_size("-s", "1.5K", 1, INT64_MAX, &v, &err), -1);
}

static void times_take_a_suffix_or_the_unit_of_the_option(void **state)
{
	static const struct {
		const char *text, *unit;
		int64_t ns;
	} good[] = {
		{"200ms", "s", 200000000}, {"1.5", "s", 1500000000},   {"30", "us", 30000},
		{"2m", "s", 120000000000}, {"1h", "s", 3600000000000}, {"7ns", "s", 7},
		{"0.5us", "s", 500},
	};
	struct error err;
	int64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(
			number_time("-t", good[i].text, good[i].unit, 0, INT64_MAX, &v, &err), 0);
		assert_int_equal(v, good[i].ns);
	}
	assert_int_equal(number_time("-t", "abc", "s", 0, INT64_MAX, &v, &err), -1);
	assert_int_equal(number_time("-t", "1 s", "s", 0, INT64_MAX, &v, &err), -1);
	assert_int_equal(number_time("-t", "-1", "s", 0, INT64_MAX, &v, &err), -1);
	assert_int_equal(number_time("-t", "1d", "s", 0, INT64_MAX, &v, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_are_strict),
		cmocka_unit_test(reals_are_strict),
		cmocka_unit_test(sizes_take_powers_of_1024),
		cmocka_unit_test(times_take_a_suffix_or_the_unit_of_the_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
