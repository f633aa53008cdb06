// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "plot/plot.h"
#include "plot/plot_text.h"
#include "util/file.h"
#include "util/xalloc.h"

struct fixture {
	char *dir;
	struct result *r;
};

static int begin(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct result *r = result_new(2, 2);

	f->dir = xstrdup("/tmp/test-plot-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	f->r = r;
	r->title = xstrdup("a title with 'quotes', \"more\" and `touch HERE`\x01\xff");
	r->metric = xstrdup("time");
	r->unit = xstrdup("s");
	r->variants[0] = xstrdup("base");
	r->variants[1] = xstrdup("x\"; system(\"touch HERE\"); y=\"`touch HERE`");
	r->case_numbers = xcalloc(2, sizeof(double));
	for (size_t c = 0; c < 2; c++) {
		r->case_numbers[c] = c ? 8 : 1;
		r->cases[c] = xasprintf("%.0f", r->case_numbers[c]);
		for (unsigned i = 0; i < 8; i++) {
			struct result_sample s = {
				.value = 1 + c + i % 4, .boot = i / 4, .time_ns = i};

			result_cell_add(result_cell(r, c, i % 2), &s);
		}
	}
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;
	struct error err = ERROR_INIT;

	result_free(f->r);
	remove_tree(f->dir, &err);
	free(f->dir);
	free(f);
	return 0;
}

static void draw(const struct result *r, const struct plot_options *opt, const char *path,
		 struct strbuf *image)
{
	struct error err = ERROR_INIT;

	if (plot_result(r, opt, &err))
		fail_msg("%s: %s", opt->kind ? opt->kind : "lines", err.msg);
	if (path)
		assert_int_equal(file_read(path, 0, image, &err), 0);
}

/* Where each format says what it is and how large: PNG specification 11.2.2, SVG 5.1.2, PDF 7.7.3. */
static bool is_right_size(const char *format, const struct strbuf *image)
{
	static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x03\xe8\0\0\x02\x58";

	if (!strcmp(format, "png"))
		return image->len > sizeof(png) && !memcmp(image->buf, png, sizeof(png) - 1);
	if (!strcmp(format, "svg"))
		return !strncmp(image->buf, "<?xml", 5) &&
		       strstr(image->buf, "width=\"1000\" height=\"600\"");
	return !memcmp(image->buf, "%PDF-", 5) &&
	       memmem(image->buf, image->len, "/MediaBox [ 0 0 720 432 ]", 25);
}

static void every_kind_draws_in_every_format(void **state)
{
	static const char *const formats[] = {"png", "svg", "pdf"};
	struct fixture *f = *state;
	const char *kind;

	for (size_t k = 0; (kind = plot_kind_at(k, NULL)); k++)
		for (size_t i = 0; i < 3; i++) {
			char *path = xasprintf("%s/f.%s", f->dir, formats[i]);
			struct plot_options opt = {.kind = kind, .output = path};
			struct strbuf image = STRBUF_INIT;

			draw(f->r, &opt, path, &image);
			if (!is_right_size(formats[i], &image))
				fail_msg("%s as %s: not 1000 x 600", kind, formats[i]);
			strbuf_release(&image);
			free(path);
		}
}

static void names_are_data_and_never_code(void **state)
{
	struct fixture *f = *state;
	struct strbuf drawing = STRBUF_INIT, image = STRBUF_INIT;
	char *svg = path_join(f->dir, "f.svg"), *made = path_join(f->dir, "HERE");
	struct plot_options opt = {.text = true, .drawing = &drawing, .columns = 140};
	char here[4096];
	const char *kind;

	free(f->r->cases[1]);
	f->r->cases[1] = xstrdup("a_{s}\\101\\n`id`@");
	free(f->r->case_numbers);
	f->r->case_numbers = NULL;
	opt.output = svg;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(f->dir), 0);
	for (size_t k = 0; (kind = plot_kind_at(k, NULL)); k++) {
		strbuf_reset(&drawing);
		strbuf_reset(&image);
		opt.kind = kind;
		draw(f->r, &opt, svg, &image);
		assert_non_null(strstr(drawing.buf, "\"more\" and `touch HERE`"));
		assert_non_null(strstr(drawing.buf, "system('touch HERE')"));
		assert_non_null(strstr(image.buf, "system('touch HERE')"));
		if (strcmp(kind, "run-order"))
			assert_non_null(strstr(image.buf, "a_{s}\\101\\n`id`@"));
		assert_null(strchr(image.buf, '\x01'));
		assert_null(strchr(image.buf, '\xff'));
	}
	assert_int_equal(chdir(here), 0);
	assert_false(path_exists(made));
	strbuf_release(&drawing);
	strbuf_release(&image);
	free(svg);
	free(made);
}

static void the_terminal_shows_all_words_of_the_axes(void **state)
{
	struct fixture *f = *state;
	struct strbuf drawing = STRBUF_INIT;
	struct plot_options opt = {.text = true, .drawing = &drawing, .columns = 80, .rows = 24};

	f->r->case_label = xstrdup("groups");
	draw(f->r, &opt, NULL, NULL);
	assert_non_null(strstr(drawing.buf, "Amean time (s), lower is better"));
	assert_non_null(strstr(drawing.buf, " groups\n"));
	assert_null(strchr(drawing.buf, '\f'));
	assert_non_null(strstr(drawing.buf, " base "));
	for (char *line = drawing.buf, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (plot_text_length(line) > 80)
			fail_msg("too long: %s", line);
	}
	strbuf_release(&drawing);
}

static void axes_have_units_and_the_data_file_is_kept(void **state)
{
	struct fixture *f = *state;
	char *image = path_join(f->dir, "f.svg"), *data = path_join(f->dir, "d.tsv");
	struct plot_options opt = {.output = image, .data = data};
	struct strbuf text = STRBUF_INIT;
	struct error err = ERROR_INIT;

	assert_int_equal(plot_result(f->r, &opt, &err), 0);
	assert_int_equal(file_read(data, 0, &text, &err), 0);
	/* base has 1 and 3 of each boot: mean 2, no spread between boots */
	assert_non_null(strstr(text.buf, "\"1\"\t1\t2\t2\t2\t3\t3\t3\n"));
	strbuf_reset(&text);
	assert_int_equal(file_read(image, 0, &text, &err), 0);
	assert_non_null(strstr(text.buf, "Amean time (s), lower is better"));
	strbuf_release(&text);
	free(image);
	free(data);
}

static void mistakes_are_named(void **state)
{
	struct fixture *f = *state;
	struct plot_options bad_kind = {.kind = "pie", .output = "x.png"};
	struct plot_options bad_name = {.output = "x.jpg"};
	struct error err = ERROR_INIT;

	assert_int_equal(plot_result(f->r, &bad_kind, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "run-order"));
	assert_int_equal(plot_result(f->r, &bad_name, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, ".svg"));
}

static void expect_failure(const struct result *r, const struct plot_options *opt,
			   enum error_kind kind, const char *part)
{
	struct error err = ERROR_INIT;

	assert_int_equal(plot_result(r, opt, &err), -1);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.msg, part) || strchr(err.msg, '\n'))
		fail_msg("'%s' is not one line about '%s'", err.msg, part);
}

static void without_gnuplot_the_package_is_named(void **state)
{
	struct fixture *f = *state;
	char *path = path_join(f->dir, "f.png"), *old = xstrdup(getenv("PATH"));
	struct plot_options opt = {.output = path};

	assert_int_equal(setenv("PATH", f->dir, 1), 0);
	expect_failure(f->r, &opt, ERROR_FAILED, "gnuplot-nox");
	assert_int_equal(setenv("PATH", old, 1), 0);
	assert_false(path_exists(path));
	free(old);
	free(path);
}

static void what_cannot_be_written_is_named(void **state)
{
	struct fixture *f = *state;
	char *nowhere = path_join(f->dir, "missing/f.png"), *data = path_join(f->dir, "no/d.tsv");
	char *path = path_join(f->dir, "f.png");
	struct plot_options opt = {.output = nowhere};

	expect_failure(f->r, &opt, ERROR_FAILED, nowhere);
	opt = (struct plot_options){.output = path, .data = data};
	expect_failure(f->r, &opt, ERROR_FAILED, data);
	assert_false(path_exists(path));
	/* Nothing is left in the folder, so that it can be removed. */
	assert_int_equal(rmdir(f->dir), 0);
	assert_int_equal(mkdir(f->dir, 0700), 0);
	free(nowhere);
	free(path);
	free(data);
}

static void nothing_to_draw_is_said(void **state)
{
	struct fixture *f = *state;
	struct strbuf drawing = STRBUF_INIT;
	struct plot_options opt = {.kind = "ratio", .text = true, .drawing = &drawing};

	for (size_t c = 0; c < 2; c++)
		result_cell(f->r, c, 0)->count = 0;
	assert_true(plot_is_empty(f->r, "ratio"));
	assert_false(plot_is_empty(f->r, "lines"));
	expect_failure(f->r, &opt, ERROR_FAILED, "two variants");
	for (size_t c = 0; c < 2; c++)
		result_cell(f->r, c, 1)->count = 0;
	opt.kind = "bars";
	expect_failure(f->r, &opt, ERROR_FAILED, "nothing to plot");
}

static void a_changed_copy_of_the_scripts_is_used(void **state)
{
	static const char script[] = "set output ARG2\nset title 'mine'\nplot [0:2] 1\n";
	struct fixture *f = *state;
	struct strbuf drawing = STRBUF_INIT;
	struct plot_options opt = {.text = true, .drawing = &drawing};
	char *path = path_join(f->dir, "lines.gnuplot");
	struct error err = ERROR_INIT;

	assert_int_equal(setenv("SCHEDBENCH_PLOTS", f->dir, 1), 0);
	expect_failure(f->r, &opt, ERROR_FAILED, "SCHEDBENCH_PLOTS");
	assert_int_equal(file_write(path, script, sizeof(script) - 1, &err), 0);
	draw(f->r, &opt, NULL, NULL);
	assert_int_equal(unsetenv("SCHEDBENCH_PLOTS"), 0);
	assert_non_null(strstr(drawing.buf, "mine"));
	strbuf_release(&drawing);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_kind_draws_in_every_format, begin, end),
		cmocka_unit_test_setup_teardown(names_are_data_and_never_code, begin, end),
		cmocka_unit_test_setup_teardown(axes_have_units_and_the_data_file_is_kept, begin,
						end),
		cmocka_unit_test_setup_teardown(the_terminal_shows_all_words_of_the_axes, begin,
						end),
		cmocka_unit_test_setup_teardown(without_gnuplot_the_package_is_named, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_written_is_named, begin, end),
		cmocka_unit_test_setup_teardown(nothing_to_draw_is_said, begin, end),
		cmocka_unit_test_setup_teardown(a_changed_copy_of_the_scripts_is_used, begin, end),
		cmocka_unit_test_setup_teardown(mistakes_are_named, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
