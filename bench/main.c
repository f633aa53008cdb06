// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "util/xalloc.h"

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv, struct error *err);
};

static int cmd_help(int argc, char **argv, struct error *err);

static const struct command commands[] = {
	{"run", "run an experiment: boot its kernels, measure, store, print the table", cmd_run},
	{"compare", "print the table of a run, or of two runs side by side", cmd_compare},
	{"plot", "plot a run with gnuplot", cmd_plot},
	{"boot", "boot a kernel on a machine and run one command there", cmd_boot},
	{"doctor", "run a variant against itself: false alarms, smallest detectable effect",
	 cmd_doctor},
	{"import", "import results measured elsewhere", cmd_import},
	{"machine", "draw a machine's topology, or describe this host's", cmd_machine},
	{"pin", "print the CPUs that a location names on a machine", cmd_pin},
	{"reproduce", "run the experiment of a published table and judge each row", cmd_reproduce},
	{"mail", "take patches and tables from mails", cmd_mail},
	{"published", "results that were published in mails and are kept", cmd_published},
	{"kernel", "build kernels from source, patches and mails, and say what they are made of",
	 cmd_kernel},
	{"list", "list experiments, kernels, machines, workloads, styles or runs", cmd_list},
	{"show", "show what a run consists of", cmd_show},
	{"version", "print the version", cmd_version},
	{"help", "help about a command", cmd_help},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void print_usage(FILE *f)
{
	fputs("usage: schedbench COMMAND [ARGUMENTS]\n\n"
	      "Boots Linux kernels on CPU topologies, runs scheduler workloads and compares "
	      "them.\n\n",
	      f);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-9s  %s\n", commands[i].name, commands[i].summary);
	fputs("\n'schedbench COMMAND --help' explains the options of a command, 'schedbench help "
	      "config' the files.\n"
	      "Exit status: 0 fine, 1 bad news, 2 usage or configuration, 3 something failed, 130 "
	      "interrupted.\n",
	      f);
}

static int run_command(const struct command *c, int argc, char **argv, struct error *err)
{
	char *name = xasprintf("schedbench %s", c->name);
	char *first = argv[0];
	int ret;

	argv[0] = name;
	ret = c->run(argc, argv, err);
	argv[0] = first;
	free(name);
	return ret;
}

static int cmd_help(int argc, char **argv, struct error *err)
{
	char help[] = "--help";
	char *args[] = {argv[0], help, NULL};
	const struct command *c;

	if (argc < 2 || argv[1][0] == '-') {
		print_usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "config")) {
		print_help_config();
		return 0;
	}
	c = find_command(argv[1]);
	if (!c)
		return error_set(err, ERROR_USAGE, "no command '%s' (schedbench help lists them)",
				 argv[1]);
	return c->run == cmd_help ? cmd_help(1, argv, err) : run_command(c, 2, args, err);
}

int cmd_version(int argc, char **argv, struct error *err)
{
	(void)argv;
	if (argc > 1 && strcmp(argv[1], "--help"))
		return error_set(err, ERROR_USAGE, "version takes no arguments");
	printf("schedbench %s\n", SCHEDBENCH_VERSION);
	return 0;
}

/* A table that did not arrive must not look as if it had: a full disk shows at the flush. */
static int flush_stdout(struct error *err)
{
	if (fflush(stdout) || ferror(stdout))
		return error_sys(err, errno, "cannot write to standard output");
	return 0;
}

/* argp ends the program itself after --help. */
static void flush_at_exit(int status, void *arg)
{
	struct error err = ERROR_INIT;

	(void)arg;
	if (status || !flush_stdout(&err))
		return;
	fprintf(stderr, "schedbench: %s\n", err.msg);
	_exit(ERROR_FAILED);
}

int main(int argc, char **argv)
{
	struct error err = ERROR_INIT;
	const struct command *c;
	int ret;

	argp_err_exit_status = ERROR_USAGE;
	signal(SIGPIPE, SIG_IGN);
	on_exit(flush_at_exit, NULL);
	if (argc < 2) {
		print_usage(stderr);
		return ERROR_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = (char *)"help";
	if (!strcmp(argv[1], "--version"))
		argv[1] = (char *)"version";
	c = find_command(argv[1]);
	if (c)
		ret = run_command(c, argc - 1, argv + 1, &err);
	else
		ret = error_set(&err, ERROR_USAGE, "no command '%s' (schedbench help lists them)",
				argv[1]);
	if (!ret || err.kind == ERROR_BAD_NEWS) {
		struct error late = ERROR_INIT;

		if (flush_stdout(&late)) {
			err = late;
			ret = -1;
		}
	}
	if (!ret)
		return 0;
	fflush(stdout);
	if (*err.msg)
		fprintf(stderr, "schedbench: %s\n", err.msg);
	return err.kind ? (int)err.kind : ERROR_FAILED;
}
