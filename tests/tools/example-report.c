// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints or plots a made-up result of any size, to look at layouts and to measure speed:
 *
 *	example-report STYLE|plot:KIND VARIANTS CASES BOOTS REPETITIONS [FILE.png|svg|pdf]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"
#include "report/report.h"
#include "util/xalloc.h"

/* Uniform in 0..1, the same numbers every time (Steele's splitmix64). */
static double uniform(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double bell(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(state);
	return sum;
}

static void fill(struct result *r, unsigned boots, unsigned repetitions)
{
	uint64_t state = 1;

	for (size_t v = 0; v < r->variants_count; v++)
		for (unsigned b = 0; b < boots; b++)
			for (size_t c = 0; c < r->cases_count; c++) {
				double mean = 0.3 * r->case_numbers[c] *
					      (1 - 0.04 * v * sin((double)c)) *
					      (1 + 0.01 * bell(&state));

				for (unsigned k = 0; k < repetitions; k++) {
					struct result_sample s = {
						.value = round(mean * (1 + 0.02 * bell(&state)) *
							       1e4) /
							 1e4,
						.boot = b + 1,
						.repetition = k + 1,
						.time_ns = (int64_t)((b * r->variants_count + v) *
									     r->cases_count +
								     c) *
								   30000000000LL +
							   k * 1000000000LL,
					};

					result_cell_add(result_cell(r, c, v), &s);
				}
				result_cell(r, c, v)->planned += repetitions;
			}
}

static struct result *make(size_t variants, size_t cases, unsigned boots, unsigned repetitions)
{
	static const char *const names[] = {"baseline",
					    "overload",
					    "6.12-sis-prune-v3r2",
					    "sched-eevdf-complete-long-name-of-a-branch-v3",
					    "p5 \"quoted\" `id`",
					    "p6_{sub}^{sup}"};
	struct result *r = result_new(variants, cases);

	r->title = xstrdup("hackbench, process, pipes: SIS_OVERLOAD against baseline");
	r->machine = xstrdup("2 packages x 2 cores x 2 threads, 2 nodes, QEMU (TCG)");
	r->warning =
		xstrdup("emulated machine (TCG): counters and placement are evidence, absolute "
			"times are not");
	r->workload = xstrdup("hackbench");
	r->metric = xstrdup("time");
	r->unit = xstrdup("s");
	r->case_label = xstrdup("groups");
	r->statistic = xstrdup("amean");
	r->boots = boots;
	r->repetitions = repetitions;
	r->case_numbers = xcalloc(cases, sizeof(*r->case_numbers));
	for (size_t v = 0; v < variants; v++) {
		r->variants[v] = xstrdup(names[v % 6]);
		r->variant_kernels[v] = xstrdup(v ? "6.12.43-amd64" : "6.1.0-38-amd64");
	}
	for (size_t c = 0; c < cases; c++) {
		r->case_numbers[c] = cases > 9 ? 1 + 16.0 * c : 1 << c;
		r->cases[c] = xasprintf("%.0f", r->case_numbers[c]);
	}
	fill(r, boots, repetitions);
	return r;
}

static int render(const struct result *r, const char *what, const char *file, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	const struct report_options opt = REPORT_OPTIONS_INIT;
	const struct report_style *style;
	int ret = -1;

	if (!strncmp(what, "plot:", 5)) {
		struct plot_options plot = {.kind = what + 5, .output = file, .drawing = &out};

		plot.text = !file;
		ret = plot_result(r, &plot, err);
	} else if ((style = report_style_find(what, err))) {
		ret = style->print(r, &opt, &out, err);
	}
	if (!ret && (fwrite(out.buf, 1, out.len, stdout) != out.len || fflush(stdout)))
		ret = error_set(err, ERROR_FAILED, "cannot write the report");
	strbuf_release(&out);
	return ret;
}

int main(int argc, char **argv)
{
	struct error err = ERROR_INIT;
	struct result *r;
	int ret;

	if (argc < 6) {
		fprintf(stderr, "usage: example-report STYLE|plot:KIND VARIANTS CASES BOOTS "
				"REPETITIONS [FILE]\n");
		return ERROR_USAGE;
	}
	r = make(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10),
		 strtoul(argv[5], NULL, 10));
	ret = render(r, argv[1], argc > 6 ? argv[6] : NULL, &err);
	if (ret)
		fprintf(stderr, "example-report: %s\n", err.msg);
	result_free(r);
	return ret ? (int)err.kind : 0;
}
