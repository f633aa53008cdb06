/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_TESTS_IMPORT_MMTESTS_TEST_H
#define SCHEDBENCH_TESTS_IMPORT_MMTESTS_TEST_H

#include <math.h>

#include "import/mmtests.h"
#include "import_test.h"

struct fixture {
	struct import_set set;
	struct error err;
};

static const struct mmtests_options defaults;

static inline void import(struct fixture *f, const char *dir, const struct mmtests_options *opt)
{
	*f = (struct fixture){.err = ERROR_INIT};
	if (import_mmtests(&f->set, dir, opt, &f->err))
		fail_msg("%s", f->err.msg);
}

static inline const struct import *run_of(const struct fixture *f, const char *name)
{
	for (size_t i = 0; i < f->set.count; i++)
		if (!strcmp(f->set.items[i].name, name))
			return &f->set.items[i];
	fail_msg("no run %s", name);
	return NULL;
}

struct cell {
	unsigned good, failed;
	double sum, inverse; /* of the values, and of 1/value */
	const char *reason; /* of the first failed one */
};

/* What a case of a kernel holds of a metric, over all boots. */
static inline struct cell cell_of(const struct import *imp, const char *variant, const char *kase,
				  const char *metric)
{
	struct cell c = {0};

	for (size_t i = 0; i < imp->count; i++) {
		const struct import_sample *s = &imp->samples[i];

		if (strcmp(imp->variants.list.items[s->variant], variant) ||
		    strcmp(imp->cases.list.items[s->kase], kase))
			continue;
		if (s->reason) {
			c.failed++;
			c.reason = c.reason ? c.reason : s->reason;
		} else if (!strcmp(imp->metrics[s->metric].name, metric)) {
			c.good++;
			c.sum += s->value;
			c.inverse += 1 / s->value;
		}
	}
	return c;
}

static inline void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

#endif
