/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_BENCH_H
#define SCHEDBENCH_BENCH_H

#include <argp.h>
#include <jansson.h>

#include "run/execute.h"
#include "store/store.h"
#include "util/error.h"

/*
 * One subcommand is one file here. To add one: write cmd_NAME() in NAME.c, declare it below, add a
 * row to the table in main.c; tests/cli/schedbench-report.bats then asks it for its help.
 *
 * A subcommand gets its own arguments, argv[0] being "schedbench NAME". It returns 0, or -1
 * with the error that main() prints; the error's kind is the exit status.
 */
int cmd_boot(int argc, char **argv, struct error *err);
int cmd_compare(int argc, char **argv, struct error *err);
int cmd_doctor(int argc, char **argv, struct error *err);
int cmd_import(int argc, char **argv, struct error *err);
int cmd_reproduce(int argc, char **argv, struct error *err);
void print_help_config(void);
int cmd_machine(int argc, char **argv, struct error *err);
int cmd_pin(int argc, char **argv, struct error *err);
int cmd_kernel(int argc, char **argv, struct error *err);
int cmd_list(int argc, char **argv, struct error *err);
int cmd_mail(int argc, char **argv, struct error *err);
/* 'mail tables' of cmd_mail() */
int mail_tables(int argc, char **argv, struct error *err);
int cmd_plot(int argc, char **argv, struct error *err);
int cmd_published(int argc, char **argv, struct error *err);
int cmd_run(int argc, char **argv, struct error *err);
int cmd_show(int argc, char **argv, struct error *err);
int cmd_version(int argc, char **argv, struct error *err);

#define DEFAULT_DB "results/schedbench.db"

/* --db, else $SCHEDBENCH_DB, else DEFAULT_DB. */
const char *database_path(const char *option);
/* The words that name it in a command to type, " --db=FILE", or "" without the option; freed by
 * the caller. */
char *database_words(const char *option);
bool database_exists(const char *option);
int open_database(struct store **out, const char *option, enum store_mode mode, struct error *err);

/* A variant as an element of --set variants=[...] (JSON is YAML); @name: NULL, or another name. */
json_t *variant_json(const struct variant *v, const char *name);

/*
 * Run what @s describes as a new run and store it; prints progress on stderr only. *@run_id is
 * freed by the caller, also on failure.
 */
int run_new(struct setup *s, struct store *store, const char *db, bool quiet, char **run_id,
	    struct execute_result *result, struct error *err);

/* The style a command prints by default. */
#define DEFAULT_STYLE "table"

struct compare_request {
	const char *const *runs;
	unsigned runs_count;
	const char *style; /* NULL: DEFAULT_STYLE */
	const char *metric, *statistic; /* NULL: the experiment's */
	const char *significance; /* NULL: own */
	const char *adjust; /* NULL: none */
	bool intervals, force;
	bool ratio, significance_rows, no_compare; /* style mmtests */
};

/* Load runs and print them to stdout in a style. */
int print_comparison(struct store *store, const struct compare_request *request, struct error *err);

#endif
