// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plot/plot_caption.h"
#include "plot/plot_data.h"
#include "plot/plot_text.h"
#include "util/xalloc.h"

#define UNKNOWN "\xef\xbf\xbd" /* U+FFFD */

static void assert_text(struct strbuf *got, const char *expected)
{
	assert_string_equal(got->buf, expected);
	strbuf_release(got);
}

static void what_is_no_text_is_replaced(void **state)
{
	/* The boundaries of RFC 3629, section 3 and 4. */
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain", "plain"},
		{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
		 "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7"},
		{"a\tb\nc\x01\x7f", "a b c  "},
		{"\xc2\x85x", " x"}, /* NEL, a control character of two bytes */
		{"\xff\xfe", UNKNOWN UNKNOWN},
		{"\xc0\xaf", UNKNOWN UNKNOWN}, /* overlong */
		{"\xe0\x9f\xbf", UNKNOWN UNKNOWN UNKNOWN},
		{"\xed\xa0\x80", UNKNOWN UNKNOWN UNKNOWN}, /* surrogate */
		{"\xf4\x90\x80\x80", UNKNOWN UNKNOWN UNKNOWN UNKNOWN}, /* above U+10FFFF */
		{"\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd"},
		{"\xe2\x82", UNKNOWN UNKNOWN}, /* cut */
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct strbuf out = STRBUF_INIT;

		plot_text_add(&out, cases[i].in);
		assert_text(&out, cases[i].out);
	}
}

static void quoted_text_reads_back(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	plot_text_quote(&out, "a\\n\"b\"\tc");
	assert_text(&out, "\"a\\\\n'b' c\"");
}

static void long_text_is_wrapped_or_cut(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	plot_text_wrap(&out, "one two  three four", 9);
	assert_text(&out, "one two\nthree\nfour");
	plot_text_wrap(&out, "ab abcdefghijkl m", 5);
	assert_text(&out, "ab\nabcde\nfghij\nkl m");
	plot_text_wrap(&out, "\xc3\xa9\xc3\xa9\xc3\xa9", 2);
	assert_text(&out, "\xc3\xa9\xc3\xa9\n\xc3\xa9");
	plot_text_shorten(&out, "0123456789", 10);
	assert_text(&out, "0123456789");
	plot_text_shorten(&out, "0123456789a", 10);
	assert_text(&out, "0123...89a");
}

static struct result *numbers(const double *values, size_t n)
{
	struct result *r = result_new(1, n);

	r->variants[0] = xstrdup("base");
	r->case_numbers = xcalloc(n, sizeof(double));
	for (size_t i = 0; i < n; i++) {
		r->case_numbers[i] = values[i];
		r->cases[i] = xasprintf("%g", values[i]);
	}
	return r;
}

static void the_axis_keeps_cases_apart(void **state)
{
	/* The groups of hackbench on 80 CPUs by mmtests: 1, 4, 7, 12, 21 and so on in steps of 31. */
	static const struct {
		double x[11];
		size_t n;
		bool logarithmic;
	} axes[] = {
		{{1, 2, 4, 8}, 4, true},
		{{8, 1, 4, 2}, 4, true},
		{{1, 4, 7, 12, 21, 30, 48, 79, 110, 141, 172}, 11, true},
		{{1, 17, 33, 49, 65, 81, 97}, 7, false},
		{{2, 3}, 2, false}, /* hardly a factor */
		{{0, 1, 2, 4, 8}, 5, false},
		{{-1, 1, 4}, 3, false},
		{{4}, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(axes) / sizeof(*axes); i++) {
		struct result *r = numbers(axes[i].x, axes[i].n);

		if (plot_data_logarithmic(r) != axes[i].logarithmic)
			fail_msg("axis %zu", i);
		result_free(r);
	}
}

static void add_boot(struct result *r, size_t kase, size_t variant, unsigned boot, double a,
		     double b)
{
	struct result_sample first = {.value = a, .boot = boot};
	struct result_sample second = {.value = b, .boot = boot, .repetition = 1};

	result_cell_add(result_cell(r, kase, variant), &first);
	result_cell_add(result_cell(r, kase, variant), &second);
}

static struct result *two_by_two(void)
{
	struct result *r = result_new(2, 2);

	r->title = xstrdup("title");
	r->metric = xstrdup("time");
	r->unit = xstrdup("s");
	r->case_label = xstrdup("groups");
	r->variants[0] = xstrdup("base");
	r->variants[1] = xstrdup("patched");
	r->cases[0] = xstrdup("one");
	r->cases[1] = xstrdup("two");
	return r;
}

static void means_and_intervals_are_those_of_the_boots(void **state)
{
	struct result *r = two_by_two();
	struct strbuf data = STRBUF_INIT;

	(void)state;
	/* Means of the boots 1, 2, 3. Half of the 95 % interval: t(0.975, 2) = 4.30265273 (any
	 * table of Student's distribution) times 1 / sqrt(3), 2.4841377. */
	for (unsigned b = 1; b <= 3; b++)
		add_boot(r, 0, 0, b, b - 0.5, b + 0.5);
	r->cells[3].failed = 1;
	assert_int_equal(plot_data(r, CONTENT_MEAN, &data), 1);
	assert_non_null(strstr(data.buf, "\n\"one\"\t0\t2\t-0.484137711"));
	assert_non_null(strstr(data.buf, "\t4.48413771"));
	assert_non_null(strstr(data.buf, "\n\"two\"\t1\t?\t?\t?\t?\t?\t?\n"));
	strbuf_release(&data);
	result_free(r);
}

static void distributions_step_up_at_each_sample(void **state)
{
	struct result *r = two_by_two();
	struct strbuf data = STRBUF_INIT;

	(void)state;
	add_boot(r, 0, 0, 1, 3, 1); /* mean 2: 50 % and 150 % of it */
	add_boot(r, 0, 1, 1, 1, 1);
	assert_int_equal(plot_data(r, CONTENT_SHARE, &data), 4);
	assert_non_null(strstr(data.buf, "\"base\"\t\"one\"\n50\t0\n50\t0.5\n150\t1\n\n\n"
					 "\"patched\"\t\"one\"\n50\t0\n50\t0.5\n50\t1\n\n\n"
					 "\"base\"\t\"two\"\n?\t?\n"));
	strbuf_reset(&data);
	assert_int_equal(plot_data(r, CONTENT_ORDER, &data), 4);
	assert_non_null(strstr(data.buf, "\"base\"\t\"percent\"\n0\t"));
	assert_non_null(strstr(data.buf, "\"patched\"\t\"percent\"\n0\t100\n0\t100\n"));
	strbuf_release(&data);
	result_free(r);
}

static void heading(const struct result *r, enum plot_content content, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	plot_caption_heading(r, content, 0, &out);
	assert_text(&out, expected);
}

static void captions_say_what_is_shown(void **state)
{
	struct result *r = two_by_two();
	struct strbuf out = STRBUF_INIT;

	(void)state;
	add_boot(r, 0, 0, 1, 1, 2);
	add_boot(r, 0, 1, 1, 2, 3);
	add_boot(r, 1, 1, 1, 2, 3);
	r->cells[2].timeout = 1;
	heading(r, CONTENT_MEAN,
		"title\n\nbars: 95 % interval over the samples of one boot, the variance between "
		"boots is not in it\nleft out: base, groups two (timeout)");
	heading(r, CONTENT_CHANGE,
		"title\n\nbars: 95 % interval over the samples of one boot, the variance between "
		"boots is not in it\nleft out: base, groups two (timeout); patched, groups two "
		"(no baseline)");
	for (size_t c = 0; c < 2; c++)
		for (size_t v = 0; v < 2; v++)
			add_boot(r, c, v, 2, 2, 3);
	r->warning = xstrdup("emulated");
	r->boots = r->repetitions = 2;
	add_boot(r, 1, 0, 3, 1, 2);
	heading(r, CONTENT_MEAN,
		"title\n\n2 boots x 2 repetitions; bars: 95 % interval over boots\nemulated");
	plot_caption_measure(r, CONTENT_MEAN, &out);
	assert_text(&out, "Amean time (s), lower is better");
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_text_is_replaced),
		cmocka_unit_test(quoted_text_reads_back),
		cmocka_unit_test(long_text_is_wrapped_or_cut),
		cmocka_unit_test(the_axis_keeps_cases_apart),
		cmocka_unit_test(means_and_intervals_are_those_of_the_boots),
		cmocka_unit_test(distributions_step_up_at_each_sample),
		cmocka_unit_test(captions_say_what_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
