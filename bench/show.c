// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

struct options {
	const char *run, *db;
	bool json;
};

static const struct argp_option option_table[] = {
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{"db", 'd', "FILE", 0, "Database; default: $SCHEDBENCH_DB or " DEFAULT_DB, 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'd':
		o->db = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->run)
			argp_error(state, "one run at a time");
		o->run = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {.options = option_table,
				 .parser = parse,
				 .args_doc = "[RUN]",
				 .doc = "Show what a run consists of: experiment, machine, "
					"kernels, switches, every boot and "
					"how it ended. RUN defaults to the last one."};

static void format_time(int64_t ns, char *buf, size_t size)
{
	time_t t = ns / 1000000000;
	struct tm tm;

	localtime_r(&t, &tm);
	strftime(buf, size, "%Y-%m-%d %H:%M:%S %z", &tm);
}

/* Of a run: what its text says; NULL where that is not known any more. */
static struct experiment *experiment_of(const struct store_run *r)
{
	struct error ignored = ERROR_INIT;
	struct experiment *e;

	return experiment_parse(&e, r->text, r->id, &ignored) ? NULL : e;
}

static const char *backend_of(const struct experiment *e)
{
	return e->workload.backend == BACKEND_PEER ? "peer" : "own";
}

static void print_workload(const struct store_run *r)
{
	struct experiment *e = experiment_of(r);

	if (e)
		printf("workload    %s, backend %s%s\n", e->workload.name, backend_of(e),
		       e->workload.backend == BACKEND_PEER ? ": the original tool" : "");
	experiment_free(e);
}

static void print_text(const struct store_run *r, unsigned good, unsigned bad,
		       const struct store_variant *v, unsigned variants, const struct store_boot *b,
		       unsigned boots)
{
	char when[64];

	format_time(r->started_ns, when, sizeof(when));
	printf("run         %s\nstate       %s\nexperiment  %s: %s\nmachine     %s\n", r->id,
	       r->state, r->experiment, r->title, r->description);
	print_workload(r);
	if (*r->accel)
		printf("run on      %s: %s\n", r->accel, r->note);
	printf("started     %s\nseed        %llu\nsamples     %u good, %u failed or cut off\n"
	       "program     schedbench %s, workloads %.12s\n",
	       when, (unsigned long long)r->seed, good, bad, r->program_version,
	       r->workload_sha256);
	printf("\nvariants\n");
	for (unsigned i = 0; i < variants; i++)
		printf("  %s: kernel %s, %s, switches %s\n", v[i].name, v[i].kernel,
		       *v[i].release ? v[i].release : "release not known yet", v[i].settings);
	printf("\nboots\n");
	for (unsigned i = 0; i < boots; i++) {
		printf("  %s boot %u: %s, %u repetitions", b[i].variant, b[i].number, b[i].state,
		       b[i].repetitions);
		if (b[i].boot_s > 0)
			printf(", up after %.1f s", b[i].boot_s);
		if (b[i].warnings)
			printf(", %u kernel warnings", b[i].warnings);
		printf("%s%s\n", *b[i].reason ? "\n    " : "", b[i].reason);
	}
}

#define FAILURES_SHOWN 20

/* Repetitions that failed, as they come from the store: lines of text, or elements of @list. */
struct failures {
	json_t *list; /* NULL: text */
	unsigned count;
};

static void add_failure(void *arg, const struct store_sample *s)
{
	struct failures *f = arg;
	const char *reason = s->reason ? s->reason : "";

	if (s->metric)
		return;
	f->count++;
	if (f->list)
		json_array_append_new(f->list,
				      json_pack("{s:s, s:i, s:s, s:i, s:s, s:s}", "variant",
						s->variant, "boot", (int)s->boot_number, "case",
						s->kase, "repetition", (int)s->repetition, "status",
						s->status, "reason", reason));
	else if (f->count <= FAILURES_SHOWN)
		printf("%s  %s boot %u, %s, repetition %u: %s: %s\n",
		       f->count == 1 ? "\nfailures\n" : "", s->variant, s->boot_number, s->kase,
		       s->repetition + 1, s->status, reason);
}

static void print_json(const struct store_run *r, unsigned good, unsigned bad,
		       const struct store_variant *v, unsigned variants, const struct store_boot *b,
		       unsigned boots, json_t *failures)
{
	json_t *vs = json_array(), *bs = json_array(), *root;
	struct experiment *e = experiment_of(r);

	for (unsigned i = 0; i < variants; i++)
		json_array_append_new(vs,
				      json_pack("{s:s, s:s, s:s, s:o}", "name", v[i].name, "kernel",
						v[i].kernel, "release", v[i].release, "switches",
						json_loads(v[i].settings, 0, NULL)));
	for (unsigned i = 0; i < boots; i++)
		json_array_append_new(bs, json_pack("{s:s, s:i, s:s, s:s, s:s, s:i, s:i, s:f}",
						    "variant", b[i].variant, "boot",
						    (int)b[i].number, "state", b[i].state, "reason",
						    b[i].reason, "release", b[i].release,
						    "warnings", (int)b[i].warnings, "repetitions",
						    (int)b[i].repetitions, "boot_s", b[i].boot_s));
	root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:i, s:i}", "run",
			 r->id, "state", r->state, "experiment", r->experiment, "title", r->title,
			 "machine", r->description, "accel", r->accel, "note", r->note, "seed",
			 (json_int_t)r->seed, "started_ns", (json_int_t)r->started_ns, "ended_ns",
			 (json_int_t)r->ended_ns, "good", (int)good, "bad", (int)bad);
	if (e)
		json_object_update_new(root, json_pack("{s:s, s:s}", "workload", e->workload.name,
						       "backend", backend_of(e)));
	experiment_free(e);
	json_object_set_new(root, "variants", vs);
	json_object_set_new(root, "boots", bs);
	json_object_set(root, "failures", failures);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
}

static int show(struct store *store, const struct options *o, struct error *err)
{
	struct store_variant *variants = NULL;
	struct store_boot *boots = NULL;
	struct store_run run = {0};
	struct failures failures = {.list = o->json ? json_array() : NULL};
	unsigned good = 0, bad = 0;
	unsigned variants_count = 0, boots_count = 0;
	int ret = store_run_find(store, o->run ? o->run : "last", &run, err);

	if (!ret)
		ret = store_run_count(store, run.id, &good, &bad, err);
	if (!ret)
		ret = store_variants(store, run.id, &variants, &variants_count, err);
	if (!ret)
		ret = store_boots(store, run.id, &boots, &boots_count, err);
	if (!ret && !o->json)
		print_text(&run, good, bad, variants, variants_count, boots, boots_count);
	if (!ret)
		ret = store_each_sample(store, run.id, add_failure, &failures, err);
	if (!ret && o->json)
		print_json(&run, good, bad, variants, variants_count, boots, boots_count,
			   failures.list);
	else if (!ret && failures.count > FAILURES_SHOWN)
		printf("  ... and %u more (--json shows all)\n", failures.count - FAILURES_SHOWN);
	json_decref(failures.list);
	store_variants_free(variants, variants_count);
	store_boots_free(boots, boots_count);
	store_run_release(&run);
	return ret;
}

int cmd_show(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct store *store;
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (open_database(&store, o.db, STORE_READ, err))
		return -1;
	ret = show(store, &o, err);
	store_close(store);
	return ret;
}
