// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mmtests.h"
#include "import/tree.h"
#include "util/xalloc.h"

/* A boot is what stands for independent repetition in the tables. */
#define NOTE "measured elsewhere, imported as it stood; boots are iterations of mmtests"

void import_set_release(struct import_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		import_release(&set->items[i]);
	free(set->items);
	strlist_release(&set->notes);
	memset(set, 0, sizeof(*set));
}

static bool belongs(const struct mmtests_benchmark *b, const char *test)
{
	return !strncmp(test, b->test, strlen(b->test));
}

/* What a tbench, say, is: all rows of the table have the same beginning. */
static bool is_known(const char *test)
{
	for (size_t i = 0; i < mmtests_benchmarks_count; i++)
		if (belongs(&mmtests_benchmarks[i], test))
			return true;
	return false;
}

static bool is_log(const struct mmtests_benchmark *b, const char *name)
{
	return !strncmp(name, b->log, strlen(b->log));
}

/* Does any reader of the test look at such a file? mmtests' list of protocols needs none. */
static bool is_read(const char *test, const char *name)
{
	char *plain = xstrndup(name, tree_plain_length(name));
	bool is = !strcmp(plain, "protocols");

	for (size_t i = 0; !is && i < mmtests_benchmarks_count; i++) {
		const struct mmtests_benchmark *b = &mmtests_benchmarks[i];

		is = belongs(b, test) &&
		     (is_log(b, plain) || (b->beside && !strcmp(plain, b->beside)));
	}
	free(plain);
	return is;
}

/* Files that nobody reads: one line for all of a test. */
static int note_unread(const struct mmtests_sites *sites, const struct tree *tree, const char *test,
		       struct error *err)
{
	char *first = NULL;
	unsigned count = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < sites->count; i++) {
		const struct mmtests_site *site = &sites->items[i];
		struct strlist names = STRLIST_INIT;

		if (strcmp(site->test, test) || !site->path)
			continue;
		ret = tree_list(tree, site->path, &names, err);
		for (size_t k = 0; k < names.count; k++)
			if (!is_read(test, names.items[k]) && !count++)
				first = xasprintf("%s/%s", site->path, names.items[k]);
		strlist_release(&names);
	}
	if (count)
		strlist_addf(tree->notes,
			     "%s: %u file%s that schedbench does not read, left out (%s%s)", test,
			     count, count == 1 ? "" : "s", first, count == 1 ? "" : " ...");
	free(first);
	return ret;
}

/* A log that is there packed and not packed would count twice. */
static int check_single(const struct tree *tree, const struct mmtests_site *site,
			const struct strlist *names, size_t i, struct error *err)
{
	static const char *const suffixes[] = {"", ".gz", ".xz", ".zst"};
	int len = tree_plain_length(names->items[i]);

	if (!names->items[i][len])
		return 0;
	for (size_t s = 0; s < sizeof(suffixes) / sizeof(*suffixes); s++) {
		char *other = xasprintf("%.*s%s", len, names->items[i], suffixes[s]);
		bool twice = strcmp(other, names->items[i]) && strlist_has(names, other);

		free(other);
		if (twice)
			return error_set(err, ERROR_USAGE,
					 "'%s/%s/%s' is there in another form too (keep one)",
					 tree->given, site->path, names->items[i]);
	}
	return 0;
}

/* The text of another file in the folder of the log, if it is there, packed or not. */
static int read_beside(const struct tree *tree, const struct mmtests_site *site, const char *name,
		       const struct strlist *names, struct strbuf *out, struct error *err)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < names->count; i++) {
		char *path;
		int ret;

		if (strncmp(names->items[i], name, len) ||
		    tree_plain_length(names->items[i]) != (int)len)
			continue;
		path = xasprintf("%s/%s", site->path, names->items[i]);
		ret = tree_read(tree, path, out, err);
		free(path);
		return ret;
	}
	return 0;
}

static int read_log(struct import *imp, const struct mmtests_benchmark *b, const struct tree *tree,
		    const struct mmtests_site *site, const struct strlist *names, const char *file,
		    const struct mmtests_options *opt, struct error *err)
{
	struct strbuf beside = STRBUF_INIT;
	char *path = xasprintf("%s/%s", site->path, file);
	char *given = xasprintf("%s/%s", tree->given, path);
	char *name = xstrndup(file, tree_plain_length(file));
	struct strbuf text = STRBUF_INIT;
	struct mmtests_log log = {.imp = imp,
				  .opt = opt,
				  .path = given,
				  .name = name,
				  .test = site->test,
				  .variant = site->variant,
				  .boot = site->boot,
				  .failed = site->failed};
	int ret = tree_read(tree, path, &text, err);

	if (!ret && b->beside)
		ret = read_beside(tree, site, b->beside, names, &beside, err);
	log.next = text.buf;
	log.beside = beside.buf;
	if (!ret)
		ret = b->parse(&log, err);
	if (ret == LOG_UNKNOWN) {
		strlist_addf(tree->notes, "%s: not a log that schedbench reads, left out", given);
		ret = 0;
	}
	strbuf_release(&text);
	strbuf_release(&beside);
	free(path);
	free(given);
	free(name);
	return ret;
}

static int read_site(struct import *imp, const struct mmtests_benchmark *b, const struct tree *tree,
		     const struct mmtests_site *site, const struct mmtests_options *opt,
		     struct error *err)
{
	struct strlist names = STRLIST_INIT;
	int ret = tree_list(tree, site->path, &names, err);

	for (size_t i = 0; !ret && i < names.count; i++) {
		if (!is_log(b, names.items[i]))
			continue;
		ret = check_single(tree, site, &names, i, err);
		if (!ret)
			ret = read_log(imp, b, tree, site, &names, names.items[i], opt, err);
	}
	strlist_release(&names);
	return ret;
}

static long first_repetition(const struct import *imp)
{
	long first = imp->count ? imp->samples[0].repetition : 0;

	for (size_t i = 0; i < imp->count; i++)
		if (imp->samples[i].repetition < first)
			first = imp->samples[i].repetition;
	return first;
}

/* An iteration that left nothing has failed in every case that others have. */
static void add_lost(struct import *imp, const struct mmtests_site *site)
{
	struct import_sample s = {.variant = site->variant,
				  .boot = site->boot,
				  .repetition = first_repetition(imp),
				  .value = NAN};

	s.reason = site->failed ? site->failed : "mmtests left no log of it";
	for (size_t i = 0; i < imp->cases.list.count; i++) {
		s.kase = i;
		import_add(imp, &s);
	}
}

static bool has_good(const struct import *imp)
{
	for (size_t i = 0; i < imp->count; i++)
		if (!imp->samples[i].reason)
			return true;
	return false;
}

static int read_part(struct import *imp, const struct mmtests_benchmark *b, const char *test,
		     const struct mmtests_sites *sites, const struct tree *tree,
		     const struct mmtests_options *opt, struct error *err)
{
	bool *lost = xcalloc(sites->count, sizeof(*lost));
	unsigned none;
	int ret = 0;

	for (size_t i = 0; i < sites->variants.list.count; i++)
		import_name(&imp->variants, sites->variants.list.items[i]);
	for (size_t i = 0; !ret && i < sites->count; i++) {
		const struct mmtests_site *site = &sites->items[i];
		size_t before = imp->count;

		if (strcmp(site->test, test))
			continue;
		if (site->path)
			ret = read_site(imp, b, tree, site, opt, err);
		lost[i] = imp->count == before;
	}
	if (!ret && b->finish)
		b->finish(imp, opt);
	for (size_t i = 0; !ret && i < sites->count; i++)
		if (lost[i])
			add_lost(imp, &sites->items[i]);
	if (!ret && imp->count && !imp->metrics_count)
		ret = import_metric(imp, b->metric ? b->metric : "none", "-", false, &none, err);
	free(lost);
	return ret;
}

static void start_import(struct import *imp, const struct mmtests_benchmark *b, const char *test,
			 const struct tree *tree)
{
	*imp = (struct import){.name = xasprintf("%s-%s", test, b->part),
			       .title = xasprintf("%s %s, measured with mmtests", test, b->part),
			       .workload = xstrdup(b->workload),
			       .axis = xstrdup(b->axis),
			       .origin = xstrdup(tree->given),
			       .metric = b->metric,
			       .note = b->note ? b->note : NOTE};
}

/* A test with one part only is named as it is. */
static void drop_part(struct import *imp, const char *test)
{
	free(imp->name);
	free(imp->title);
	imp->name = xstrdup(test);
	imp->title = xasprintf("%s, measured with mmtests", test);
}

static const char *first_reason(const struct import *imp)
{
	return imp->count && imp->samples[0].reason ? imp->samples[0].reason : "";
}

static int read_test(struct import_set *set, const char *test, const struct mmtests_sites *sites,
		     const struct tree *tree, const struct mmtests_options *opt, struct error *err)
{
	size_t before = set->count;
	int ret = note_unread(sites, tree, test, err);

	for (size_t i = 0; !ret && i < mmtests_benchmarks_count; i++) {
		const struct mmtests_benchmark *b = &mmtests_benchmarks[i];
		struct import imp;

		if (!belongs(b, test))
			continue;
		start_import(&imp, b, test, tree);
		ret = read_part(&imp, b, test, sites, tree, opt, err);
		if (ret || !imp.count) {
			import_release(&imp);
			continue;
		}
		if (!has_good(&imp))
			strlist_addf(&set->notes, "%s: every attempt failed (%s)", imp.name,
				     first_reason(&imp));
		xgrow(set->items, set->count, set->cap);
		set->items[set->count++] = imp;
	}
	if (!ret && set->count == before + 1)
		drop_part(&set->items[before], test);
	if (!ret && set->count == before)
		strlist_addf(&set->notes, "%s: no log that schedbench reads", test);
	return ret;
}

/* At least one good sample is worth a run; else say what there was instead. */
static int check_found(const struct import_set *set, const struct mmtests_sites *sites,
		       const struct tree *tree, const struct mmtests_options *opt,
		       struct error *err)
{
	for (size_t i = 0; i < set->count; i++)
		if (has_good(&set->items[i]))
			return 0;
	if (set->count)
		return error_set(err, ERROR_USAGE, "'%s': every attempt failed (%s: %s)",
				 tree->given, set->items[0].name, first_reason(&set->items[0]));
	if (opt->benchmark && !strlist_has(&sites->tests.list, opt->benchmark))
		return error_set(err, ERROR_USAGE, "no test '%s' in '%s'", opt->benchmark,
				 tree->given);
	return error_set(err, ERROR_USAGE,
			 "'%s' holds no log of hackbench, tbench, netperf, schbench, stream, "
			 "unixbench or perfpipe",
			 tree->given);
}

static int read_tests(struct import_set *set, const struct mmtests_sites *sites,
		      const struct tree *tree, const struct mmtests_options *opt, struct error *err)
{
	const struct strlist *tests = &sites->tests.list;

	for (size_t i = 0; i < tests->count; i++) {
		const char *test = tests->items[i];

		if (opt->benchmark && strcmp(opt->benchmark, test))
			continue;
		if (!is_known(test))
			strlist_addf(&set->notes, "%s: not a test that schedbench reads, left out",
				     test);
		else if (read_test(set, test, sites, tree, opt, err))
			return -1;
	}
	return check_found(set, sites, tree, opt, err);
}

int import_mmtests(struct import_set *set, const char *dir, const struct mmtests_options *opt,
		   struct error *err)
{
	struct mmtests_sites sites = {0};
	struct tree tree;
	int ret;

	if (tree_open(&tree, dir, &set->notes, err))
		return -1;
	ret = mmtests_find(&sites, &tree, opt, err);
	if (!ret)
		ret = read_tests(set, &sites, &tree, opt, err);
	mmtests_sites_release(&sites);
	tree_close(&tree);
	return ret;
}
