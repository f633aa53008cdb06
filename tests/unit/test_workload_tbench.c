// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../workloads/tbench_load.h"

static const char client_txt[] = "/usr/share/dbench/client.txt";

static struct tbench_load load;
static struct error err;

static int parse(const char *text)
{
	char path[] = "/tmp/schedbench-load-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = tbench_load_read(path, 1, &load, &err);
	unlink(path);
	return rc;
}

static void expect_op(size_t i, enum tbench_kind kind, uint32_t request, uint32_t response,
		      uint32_t payload)
{
	assert_true(i < load.n);
	assert_int_equal(load.ops[i].kind, kind);
	assert_int_equal(load.ops[i].request, request);
	assert_int_equal(load.ops[i].response, response);
	assert_int_equal(load.ops[i].payload, payload);
}

/* Sizes of the protocol: 74 + 2f and so on, f = 1 + the length of the path. */
static void lines_have_the_sizes_of_the_protocol(void **state)
{
	(void)state;
	assert_int_equal(parse("# a comment\n"
			       "\n"
			       "Deltree \"\\clients\\client1\" NT_STATUS_OK\n"
			       "NTCreateX \"\\ab\" 0x1 0x2 16385 NT_STATUS_OK\n"
			       "ReadX 16385 0 4096 2048 NT_STATUS_OK\n"
			       "WriteX 16385 65534 7 7 NT_STATUS_OK\n"
			       "FIND_FIRST \"\\a b\" 260 1366 11 NT_STATUS_NO_SUCH_FILE\n"
			       "Rename \"\\ab\" \"\\abcd\" NT_STATUS_OK\n"
			       "Close 16385 0x00000000\n"
			       "Close 16385 *"),
			 0);
	assert_int_equal(load.n, 7);
	expect_op(0, TBENCH_NTCREATEX, 74 + 8, 87, 0);
	expect_op(1, TBENCH_READX, 59, 59 + 2048, 2048);
	expect_op(2, TBENCH_WRITEX, 59 + 7, 55, 7);
	expect_op(3, TBENCH_FIND, 59 + 2 * 5, 39 + 90 * 11, 0);
	expect_op(4, TBENCH_RENAME, 47 + 2 * 4 + 2 * 6, 39, 0);
	expect_op(5, TBENCH_CLOSE, 47, 39, 0);
	assert_int_equal(load.skipped, 0);
	assert_int_equal(load.largest, 59 + 2048);
}

static void client_names_sleeps_and_times_are_kept(void **state)
{
	(void)state;
	assert_int_equal(parse("0.5 Rename \"\\client1\\a\" \"\\client1\\b\" NT_STATUS_OK\n"
			       "Sleep 1500\n"
			       "Close 1 NT_STATUS_OK\n"),
			 0);
	assert_int_equal(load.ops[0].names, 2);
	assert_int_equal(load.ops[0].at_us, 500000);
	assert_int_equal(load.ops[1].kind, TBENCH_SLEEP);
	assert_int_equal(load.ops[1].request, 1500);
	assert_int_equal(load.ops[2].at_us, -1);
}

static void lines_without_a_status_are_skipped_and_counted(void **state)
{
	(void)state;
	assert_int_equal(parse("Close 1 NT_STATUS_OK\nClose 2\nFlush 1 WHATEVER\n"), 0);
	assert_int_equal(load.n, 1);
	assert_int_equal(load.skipped, 2);
}

static void what_cannot_be_replayed_is_an_error_with_its_line(void **state)
{
	static const char *const texts[] = {
		"Close 1 NT_STATUS_OK\nFrobnicate 1 NT_STATUS_OK\n",
		"Close 1 NT_STATUS_OK\nReadX 1 2 3 NT_STATUS_OK\n",
		"Close 1 NT_STATUS_OK\nNTCreateX \"\\a 1 NT_STATUS_OK\n",
		"Close 1 NT_STATUS_OK\nUnlink NT_STATUS_OK\n",
		"Close 1 NT_STATUS_OK\nReadX 1 2 3 99999999 NT_STATUS_OK\n",
		"Close 1 NT_STATUS_OK\nClose foo bar NT_STATUS_OK\n",
		"Close 1 NT_STATUS_OK\nLOOP 5\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(texts[i]), -1);
		assert_int_equal(err.kind, ERROR_USAGE);
		assert_non_null(strstr(err.msg, ":2: "));
	}
	assert_int_equal(parse("# nothing\n"), -1);
	assert_int_equal(tbench_load_read("/nonexistent", 1, &load, &err), -1);
}

/* The table of the mix was counted by another program; parser and table must agree. */
static void debians_loadfile_has_the_counts_of_the_mix(void **state)
{
	size_t rows;
	const struct tbench_mix_row *mix = tbench_mix_rows(&rows);
	static uint32_t counts[256];
	uint64_t total = 0;

	(void)state;
	if (access(client_txt, R_OK))
		skip();
	assert_int_equal(tbench_load_read(client_txt, 1, &load, &err), 0);
	assert_int_equal(load.skipped, 0);
	for (size_t i = 0; i < load.n; i++) {
		size_t r = 0;

		while (r < rows &&
		       (mix[r].kind != load.ops[i].kind || mix[r].request != load.ops[i].request ||
			mix[r].response != load.ops[i].response ||
			mix[r].payload != load.ops[i].payload))
			r++;
		assert_true(r < rows);
		counts[r]++;
	}
	for (size_t r = 0; r < rows; r++) {
		assert_int_equal(counts[r], mix[r].count);
		total += counts[r];
	}
	assert_int_equal(total, 458342);
}

static void the_sequence_has_the_shares_of_the_table(void **state)
{
	enum { N = 65536 };
	static uint8_t sequence[N], other[N];
	static uint32_t counts[256];
	struct random rnd = {.state = 1};
	size_t rows;
	const struct tbench_mix_row *mix = tbench_mix_rows(&rows);

	(void)state;
	tbench_mix_draw(sequence, N, &rnd);
	tbench_mix_draw(other, N, &rnd);
	assert_int_not_equal(memcmp(sequence, other, N), 0);
	for (size_t i = 0; i < N; i++)
		counts[sequence[i]]++;
	for (size_t r = 0; r < rows; r++) {
		double want = mix[r].count * (double)N / 458342;

		assert_true(counts[r] >= want - 1 && counts[r] <= want + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_the_sizes_of_the_protocol),
		cmocka_unit_test(client_names_sleeps_and_times_are_kept),
		cmocka_unit_test(lines_without_a_status_are_skipped_and_counted),
		cmocka_unit_test(what_cannot_be_replayed_is_an_error_with_its_line),
		cmocka_unit_test(debians_loadfile_has_the_counts_of_the_mix),
		cmocka_unit_test(the_sequence_has_the_shares_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
