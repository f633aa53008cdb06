// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "import/tree.h"
#include "import_test.h"

struct fixture {
	struct tree tree;
	struct strlist notes;
	struct strbuf text;
	struct error err;
};

static void open_tree(struct fixture *f, const char *dir)
{
	*f = (struct fixture){.text = STRBUF_INIT, .err = ERROR_INIT};
	assert_int_equal(tree_open(&f->tree, dir, &f->notes, &f->err), 0);
}

static void close_tree(struct fixture *f)
{
	tree_close(&f->tree);
	strlist_release(&f->notes);
	strbuf_release(&f->text);
}

/* The message of a file that cannot be read. */
static const char *refusal(struct fixture *f, const char *path)
{
	strbuf_reset(&f->text);
	f->err = (struct error)ERROR_INIT;
	assert_int_equal(tree_read(&f->tree, path, &f->text, &f->err), -1);
	return f->err.msg;
}

static void test_packed(void **state)
{
	static const char *const names[] = {"a", "b.gz", "c.xz", "d.zst"};
	struct fixture f;

	put(*state, "a", "one\ntwo\n");
	put(*state, "b", "one\ntwo\n");
	put(*state, "c", "one\ntwo\n");
	put(*state, "d", "one\ntwo\n");
	pack(*state, "b", "gzip");
	pack(*state, "c", "xz");
	pack(*state, "d", "zstd");
	open_tree(&f, *state);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		strbuf_reset(&f.text);
		assert_int_equal(tree_read(&f.tree, names[i], &f.text, &f.err), 0);
		assert_string_equal(f.text.buf, "one\ntwo\n");
		assert_int_equal(tree_plain_length(names[i]), 1);
	}
	close_tree(&f);
}

static void cut_short(const char *dir, const char *name, const char *copy)
{
	struct strbuf data = STRBUF_INIT;
	struct error err = ERROR_INIT;
	char *path = path_join(dir, name);

	assert_int_equal(file_read(path, 0, &data, &err), 0);
	put_bytes(dir, copy, data.buf, data.len - 9);
	strbuf_release(&data);
	free(path);
}

/* What was unpacked before the end is missing must not pass for the whole. */
static void test_damaged(void **state)
{
	static const char *const cut[] = {"cut1.gz", "cut2.xz", "cut3.zst", "noise.gz"};
	struct fixture f;

	put(*state, "b", "one two three four five six\n");
	put(*state, "c", "one two three four five six\n");
	put(*state, "d", "one two three four five six\n");
	pack(*state, "b", "gzip");
	pack(*state, "c", "xz");
	pack(*state, "d", "zstd");
	cut_short(*state, "b.gz", cut[0]);
	cut_short(*state, "c.xz", cut[1]);
	cut_short(*state, "d.zst", cut[2]);
	put(*state, cut[3], "this was never packed");
	put_bytes(*state, "zero", "a\nb\0c", 5);
	open_tree(&f, *state);
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		assert_non_null(strstr(refusal(&f, cut[i]), "cannot unpack it"));
		assert_non_null(strstr(f.err.msg, cut[i]));
		assert_int_equal(f.err.kind, ERROR_USAGE);
	}
	assert_non_null(strstr(refusal(&f, "zero"), "zero:2: a zero byte"));
	close_tree(&f);
}

/* 200 MiB of nothing in 200 KiB. */
static void test_too_much(void **state)
{
	char *big = path_join(*state, "big");
	struct fixture f;

	put(*state, "big", "");
	assert_int_equal(truncate(big, 200 << 20), 0);
	pack(*state, "big", "gzip");
	free(big);
	open_tree(&f, *state);
	assert_non_null(strstr(refusal(&f, "big.gz"), "more than 64 MiB"));
	assert_true(f.text.cap < 160 << 20);
	close_tree(&f);
}

static void test_links(void **state)
{
	struct fixture f;

	put(*state, "tree/in/file", "x");
	put(*state, "outside/file", "secret");
	link_to(*state, "in", "tree/good");
	link_to(*state, "../outside", "tree/out");
	link_to(*state, "loop", "tree/loop");
	link_to(*state, ".", "tree/self");
	link_to(*state, "../../outside/file", "tree/in/stolen");
	link_to(*state, "file", "tree/in/same");
	char *dir = path_join(*state, "tree");
	open_tree(&f, dir);
	free(dir);
	assert_int_equal(tree_kind(&f.tree, "in"), TREE_FOLDER);
	assert_int_equal(tree_kind(&f.tree, "good"), TREE_LINK_TO_FOLDER);
	assert_int_equal(tree_kind(&f.tree, "self"), TREE_LINK_TO_FOLDER);
	assert_int_equal(tree_kind(&f.tree, "in/file"), TREE_OTHER);
	assert_int_equal(tree_kind(&f.tree, "nope"), TREE_NOTHING);
	assert_int_equal(f.notes.count, 0);
	assert_int_equal(tree_kind(&f.tree, "out"), TREE_NOTHING);
	assert_int_equal(tree_kind(&f.tree, "loop"), TREE_NOTHING);
	assert_int_equal(f.notes.count, 2);
	assert_non_null(strstr(f.notes.items[0], "leaves the tree"));
	assert_non_null(strstr(f.notes.items[1], "symbolic links"));
	assert_non_null(strstr(refusal(&f, "in/stolen"), "leaves the tree"));
	assert_non_null(strstr(refusal(&f, "../outside/file"), "leaves the tree"));
	strbuf_reset(&f.text);
	assert_int_equal(tree_read(&f.tree, "in/same", &f.text, &f.err), 0);
	assert_string_equal(f.text.buf, "x");
	close_tree(&f);
}

/* Nobody writes into the pipe: opening it must not wait for somebody. */
static void test_no_plain_file(void **state)
{
	struct fixture f;
	char *fifo = path_join(*state, "fifo.gz");

	assert_int_equal(mkfifo(fifo, 0600), 0);
	free(fifo);
	open_tree(&f, *state);
	assert_non_null(strstr(refusal(&f, "fifo.gz"), "not a plain file"));
	assert_non_null(strstr(refusal(&f, "."), "not a plain file"));
	assert_non_null(strstr(refusal(&f, "nope"), "No such file"));
	close_tree(&f);
}

static void test_names(void **state)
{
	struct strlist names = STRLIST_INIT;
	struct fixture f;

	put(*state, "log-10", "");
	put(*state, "log-9", "");
	put(*state, ".hidden", "");
	put(*state, "bad\033[31m", "");
	open_tree(&f, *state);
	assert_int_equal(tree_list(&f.tree, ".", &names, &f.err), 0);
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "log-9");
	assert_string_equal(names.items[1], "log-10");
	assert_int_equal(f.notes.count, 1);
	assert_null(strchr(f.notes.items[0], '\033'));
	strlist_release(&names);
	close_tree(&f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_packed), TEST(test_damaged),	     TEST(test_too_much),
		TEST(test_links),  TEST(test_no_plain_file), TEST(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
