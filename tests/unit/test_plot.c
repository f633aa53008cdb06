// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "plot/plot.h"
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
	r->title = xstrdup("a title with 'quotes', \"more\" and `touch HERE`");
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

static void every_kind_draws_in_every_format(void **state)
{
	static const struct {
		const char *name, *magic;
	} formats[] = {{"f.png", "\x89PNG"}, {"f.svg", "<?xml"}, {"f.pdf", "%PDF"}};
	struct fixture *f = *state;
	const char *kind;

	for (size_t k = 0; (kind = plot_kind_at(k, NULL)); k++)
		for (size_t i = 0; i < 3; i++) {
			char *path = path_join(f->dir, formats[i].name);
			struct plot_options opt = {.kind = kind, .output = path};
			struct strbuf image = STRBUF_INIT;
			struct error err = ERROR_INIT;

			if (plot_result(f->r, &opt, &err))
				fail_msg("%s: %s", kind, err.msg);
			assert_int_equal(file_read(path, 0, &image, &err), 0);
			assert_memory_equal(image.buf, formats[i].magic, strlen(formats[i].magic));
			strbuf_release(&image);
			free(path);
		}
}

static void names_are_data_and_never_code(void **state)
{
	struct fixture *f = *state;
	struct strbuf drawing = STRBUF_INIT;
	struct plot_options opt = {.text = true, .drawing = &drawing, .columns = 120};
	struct error err = ERROR_INIT;
	char here[4096], *made;

	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(f->dir), 0);
	if (plot_result(f->r, &opt, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(chdir(here), 0);
	assert_non_null(strstr(drawing.buf, "\"more\" and `touch HERE`"));
	assert_non_null(strstr(drawing.buf, "system('touch HERE')"));
	strbuf_release(&drawing);
	made = path_join(f->dir, "HERE");
	assert_false(path_exists(made));
	free(made);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_kind_draws_in_every_format, begin, end),
		cmocka_unit_test_setup_teardown(names_are_data_and_never_code, begin, end),
		cmocka_unit_test_setup_teardown(axes_have_units_and_the_data_file_is_kept, begin,
						end),
		cmocka_unit_test_setup_teardown(mistakes_are_named, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
