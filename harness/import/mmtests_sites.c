// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"
#include "import/mmtests.h"
#include "import/tree.h"
#include "util/xalloc.h"

enum { MAX_SITES = 100 * 1000, MAX_STAMPS = 10 * 1000, MAX_TEST_NAME = 48 };

/* tests-timestamp of an iteration: when each test began, and when and with what status it ended. */
struct ends {
	struct strlist began, ended;
	struct strlist failures; /* "TEST why" */
	double start; /* NaN: it does not say */
	bool known; /* there is such a file */
};

static void release_ends(struct ends *e)
{
	strlist_release(&e->began);
	strlist_release(&e->ended);
	strlist_release(&e->failures);
}

static void take_end(struct ends *e, char **words, unsigned n)
{
	strlist_add(&e->ended, words[3]);
	if (n > 5 && strcmp(words[5], "0"))
		strlist_addf(&e->failures, "%s mmtests ended the test with status %s", words[3],
			     import_quote(words[5]).text);
}

/*
 * "start :: SECONDS", "test begin :: TEST SECONDS", "test end :: TEST SECONDS STATUS"; anything
 * else is of no concern.
 */
static void take_stamp(struct ends *e, char *line)
{
	char *words[6];
	unsigned n = log_words(line, words, 6);
	struct error err = ERROR_INIT;

	if (n > 2 && !strcmp(words[0], "start") && !strcmp(words[1], "::") &&
	    log_is_number(words[2]))
		e->start = strtod(words[2], NULL);
	if (n < 4 || strcmp(words[0], "test") || strcmp(words[2], "::") ||
	    import_check_case(words[3], &err) || e->began.count + e->ended.count > MAX_STAMPS)
		return;
	if (!strcmp(words[1], "begin"))
		strlist_add(&e->began, words[3]);
	else if (!strcmp(words[1], "end"))
		take_end(e, words, n);
}

static char *find_stamps(const char *iter, const struct strlist *names)
{
	static const char stamps[] = "tests-timestamp";
	int len = strlen(stamps);

	for (size_t i = 0; i < names->count; i++)
		if (tree_plain_length(names->items[i]) == len &&
		    !strncmp(names->items[i], stamps, len))
			return xasprintf("%s/%s", iter, names->items[i]);
	return NULL;
}

static int read_ends(struct ends *e, const struct tree *tree, const char *iter,
		     const struct strlist *names, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	struct mmtests_log log = {0};
	char *path = find_stamps(iter, names), *line;
	int ret;

	*e = (struct ends){.start = NAN};
	if (!path)
		return 0;
	e->known = true;
	ret = tree_read(tree, path, &text, err);
	log.next = text.buf;
	while (!ret && (line = log_line(&log)))
		take_stamp(e, line);
	strbuf_release(&text);
	free(path);
	return ret;
}

static char *failure_of(const struct ends *e, const char *test)
{
	size_t len = strlen(test);

	for (size_t i = 0; i < e->failures.count; i++)
		if (!strncmp(e->failures.items[i], test, len) && e->failures.items[i][len] == ' ')
			return xstrdup(e->failures.items[i] + len + 1);
	if (strlist_has(&e->began, test) && !strlist_has(&e->ended, test))
		return xstrdup("the test began and did not end");
	return NULL;
}

static int add_site(struct mmtests_sites *sites, const struct tree *tree,
		    const struct mmtests_site *site, const struct ends *e, struct error *err)
{
	struct mmtests_site *new;

	if (!is_name(site->test) || strlen(site->test) > MAX_TEST_NAME) {
		strlist_addf(tree->notes, "%s: not a test that schedbench reads, left out",
			     import_quote(site->test).text);
		return 0;
	}
	if (sites->count == MAX_SITES)
		return error_set(err, ERROR_USAGE, "more than %d tests and iterations", MAX_SITES);
	xgrow(sites->items, sites->count, sites->cap);
	new = &sites->items[sites->count++];
	*new = *site;
	new->test = xstrdup(site->test);
	new->path = site->path ? xstrdup(site->path) : NULL;
	new->failed = failure_of(e, site->test);
	import_name(&sites->tests, site->test);
	return 0;
}

/* Tests have a folder logs. */
static int find_tests(struct mmtests_sites *sites, const struct tree *tree, const struct ends *e,
		      const struct strlist *names, const char *iter, struct mmtests_site site,
		      struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < names->count; i++) {
		char *folder = xasprintf("%s/%s", iter, names->items[i]);

		site.test = names->items[i];
		site.path = xasprintf("%s/logs", folder);
		if (tree_is_folder(tree, folder) && tree_is_folder(tree, site.path))
			ret = add_site(sites, tree, &site, e, err);
		free(site.path);
		free(folder);
	}
	return ret;
}

/* Those that only began are known from tests-timestamp. */
static int find_lost_tests(struct mmtests_sites *sites, const struct tree *tree,
			   const struct ends *e, const struct strlist *names,
			   struct mmtests_site site, struct error *err)
{
	int ret = 0;

	site.path = NULL;
	for (size_t i = 0; !ret && i < e->began.count; i++) {
		bool known = strlist_has(names, e->began.items[i]);

		for (size_t j = 0; !known && j < i; j++)
			known = !strcmp(e->began.items[i], e->began.items[j]);
		site.test = e->began.items[i];
		if (!known)
			ret = add_site(sites, tree, &site, e, err);
	}
	return ret;
}

static int find_in_iteration(struct mmtests_sites *sites, const struct tree *tree, const char *path,
			     const struct mmtests_site *site, struct error *err)
{
	struct strlist names = STRLIST_INIT;
	struct ends ends = {0};
	int ret = tree_list(tree, path, &names, err);

	if (!ret)
		ret = read_ends(&ends, tree, path, &names, err);
	if (!ret && !ends.known)
		sites->untold++;
	if (!ret)
		ret = find_tests(sites, tree, &ends, &names, path, *site, err);
	if (!ret)
		ret = find_lost_tests(sites, tree, &ends, &names, *site, err);
	release_ends(&ends);
	strlist_release(&names);
	return ret;
}

static bool is_iteration(const char *name)
{
	char *number = log_case(name, "iter-", "");
	bool is = number;

	free(number);
	return is;
}

/* The names of the iterations in the folder of a kernel. */
static int list_iterations(const struct tree *tree, const char *kernel, struct strlist *iterations,
			   struct error *err)
{
	struct strlist names = STRLIST_INIT;
	int ret = tree_list(tree, kernel, &names, err);

	for (size_t i = 0; !ret && i < names.count; i++) {
		char *path = xasprintf("%s/%s", kernel, names.items[i]);

		if (is_iteration(names.items[i]) && tree_is_folder(tree, path))
			strlist_add(iterations, names.items[i]);
		free(path);
	}
	strlist_release(&names);
	return ret;
}

static int find_in_kernel(struct mmtests_sites *sites, const struct tree *tree, const char *folder,
			  const char *name, struct error *err)
{
	struct strlist iterations = STRLIST_INIT;
	struct mmtests_site site = {0};
	int ret = list_iterations(tree, folder, &iterations, err);

	if (!ret && import_check_variant(name, err))
		ret = error_prefix(err, "in '%s': ", tree->given);
	if (!ret)
		site.variant = import_name(&sites->variants, name);
	for (size_t i = 0; !ret && i < iterations.count; i++) {
		char *path = xasprintf("%s/%s", folder, iterations.items[i]);

		site.boot = strtol(iterations.items[i] + strlen("iter-"), NULL, 10);
		ret = find_in_iteration(sites, tree, path, &site, err);
		free(path);
	}
	strlist_release(&iterations);
	return ret;
}

struct kernel {
	const char *name;
	double start; /* of its first iteration; NaN: not known */
	size_t place; /* by name */
};

static int by_start(const void *pa, const void *pb)
{
	const struct kernel *a = pa, *b = pb;

	if (a->start < b->start || a->start > b->start)
		return a->start < b->start ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* A kernel without any iteration is none: *@is says so. */
static int look_at_kernel(const struct tree *tree, struct kernel *k, bool *is, struct error *err)
{
	struct strlist iterations = STRLIST_INIT, names = STRLIST_INIT;
	struct ends ends = {.start = NAN};
	int ret = list_iterations(tree, k->name, &iterations, err);

	*is = iterations.count;
	if (!ret && *is) {
		char *path = xasprintf("%s/%s", k->name, iterations.items[0]);

		ret = tree_list(tree, path, &names, err);
		if (!ret)
			ret = read_ends(&ends, tree, path, &names, err);
		free(path);
	}
	k->start = ends.start;
	release_ends(&ends);
	strlist_release(&names);
	strlist_release(&iterations);
	return ret;
}

static void sort_kernels(struct kernel *kernels, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (isnan(kernels[i].start))
			return; /* by name they are, as all cannot be told */
	if (count)
		qsort(kernels, count, sizeof(*kernels), by_start);
}

/* The folders with iterations in them. */
static int find_kernels(const struct tree *tree, const struct strlist *names,
			struct kernel *kernels, size_t *count, struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < names->count; i++) {
		enum tree_kind kind = tree_kind(tree, names->items[i]);
		struct kernel *k = &kernels[*count];
		bool is = false;

		*k = (struct kernel){.name = names->items[i], .place = i};
		if (kind == TREE_FOLDER)
			ret = look_at_kernel(tree, k, &is, err);
		*count += is;
		if (kind == TREE_LINK_TO_FOLDER)
			strlist_addf(tree->notes,
				     "%s: a symbolic link to another folder of the tree, left out",
				     k->name);
		else if (!ret && kind != TREE_NOTHING && !is)
			strlist_addf(tree->notes, "%s: no results of a kernel, left out", k->name);
	}
	return ret;
}

static int find_all_kernels(struct mmtests_sites *sites, const struct tree *tree, struct error *err)
{
	struct strlist names = STRLIST_INIT;
	struct kernel *kernels;
	size_t count = 0;
	int ret = tree_list(tree, ".", &names, err);

	kernels = xcalloc(names.count + 1, sizeof(*kernels));
	if (!ret)
		ret = find_kernels(tree, &names, kernels, &count, err);
	sort_kernels(kernels, count);
	for (size_t i = 0; !ret && i < count; i++)
		ret = find_in_kernel(sites, tree, kernels[i].name, kernels[i].name, err);
	strlist_release(&names);
	free(kernels);
	return ret;
}

static int find_wanted_kernel(struct mmtests_sites *sites, const struct tree *tree,
			      const char *name, struct error *err)
{
	struct strlist iterations = STRLIST_INIT;
	int ret = 0;

	if (import_check_variant(name, err))
		return error_prefix(err, "--kernels: ");
	if (strlist_has(&sites->variants.list, name))
		return error_set(err, ERROR_USAGE, "--kernels names '%s' twice", name);
	if (tree_is_folder(tree, name))
		ret = list_iterations(tree, name, &iterations, err);
	if (!ret && !iterations.count)
		ret = error_set(err, ERROR_USAGE,
				"no kernel '%s' in '%s' (a folder with iter-0 ... in it)", name,
				tree->given);
	if (!ret)
		ret = find_in_kernel(sites, tree, name, name, err);
	strlist_release(&iterations);
	return ret;
}

static int find_wanted_kernels(struct mmtests_sites *sites, const struct tree *tree,
			       const char *wanted, struct error *err)
{
	const char *p = wanted;
	int ret;

	for (;;) {
		size_t len = strcspn(p, ",");
		char *name = xstrndup(p, len);

		ret = find_wanted_kernel(sites, tree, name, err);
		free(name);
		if (ret || !p[len])
			return ret;
		p += len + 1;
	}
}

int mmtests_find(struct mmtests_sites *sites, const struct tree *tree,
		 const struct mmtests_options *opt, struct error *err)
{
	struct strlist iterations = STRLIST_INIT;
	int ret = list_iterations(tree, ".", &iterations, err);

	if (!ret && opt->kernels)
		ret = find_wanted_kernels(sites, tree, opt->kernels, err);
	else if (!ret && iterations.count)
		ret = find_in_kernel(sites, tree, ".", strrchr(tree->root, '/') + 1, err);
	else if (!ret)
		ret = find_all_kernels(sites, tree, err);
	strlist_release(&iterations);
	if (!ret && !sites->variants.list.count)
		ret = error_set(err, ERROR_USAGE,
				"'%s' is no result tree of mmtests (KERNEL/iter-0/TEST/logs)",
				tree->given);
	if (sites->untold)
		strlist_addf(
			tree->notes,
			"%u iteration%s without tests-timestamp: nothing says how the tests ended",
			sites->untold, sites->untold == 1 ? "" : "s");
	return ret;
}

void mmtests_sites_release(struct mmtests_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		free(sites->items[i].test);
		free(sites->items[i].path);
		free(sites->items[i].failed);
	}
	free(sites->items);
	import_names_release(&sites->variants);
	import_names_release(&sites->tests);
}
