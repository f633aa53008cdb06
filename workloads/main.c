// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "workload.h"

struct common_options {
	bool json, help;
};

static const struct option_spec common_option_table[] = {
	{.name = "json",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct common_options, json),
	 .help = "print one JSON object for each value instead of lines for humans"},
	{.letter = 'h',
	 .name = "help",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct common_options, help),
	 .help = "print this"},
	OPTION_END,
};

static int fail(const struct error *err)
{
	fprintf(stderr, "schedbench-workload: %s\n", err->msg);
	return err->kind;
}

static void usage(FILE *out)
{
	fputs("Usage: schedbench-workload WORKLOAD [OPTION]...\n"
	      "       schedbench-workload WORKLOAD --help\n"
	      "       schedbench-workload list [--json]\n"
	      "       schedbench-workload --version\n",
	      out);
}

static const char *better_name(enum better b)
{
	return b == BETTER_LOWER ? "lower" : "higher";
}

static void list_json(const struct workload *w)
{
	fputs("{\"name\":", stdout);
	json_string(stdout, w->name);
	fputs(",\"summary\":", stdout);
	json_string(stdout, w->summary);
	fputs(",\"metrics\":[", stdout);
	for (const struct metric *m = w->metrics; m->name; m++) {
		fputs(m == w->metrics ? "{\"name\":" : ",{\"name\":", stdout);
		json_string(stdout, m->name);
		fputs(",\"unit\":", stdout);
		json_string(stdout, m->unit);
		printf(",\"better\":\"%s\",\"summary\":", better_name(m->better));
		json_string(stdout, m->summary);
		putchar('}');
	}
	puts("]}");
}

static void list_text(const struct workload *w)
{
	printf("%-12s %s\n", w->name, w->summary);
	for (const struct metric *m = w->metrics; m->name; m++)
		printf("             %-20s %-8s %s is better: %s\n", m->name, m->unit,
		       better_name(m->better), m->summary);
}

static int list(int argc, char **argv)
{
	struct common_options common = {false, false};
	const struct option_spec *const tables[] = {common_option_table, NULL};
	void *const bases[] = {&common, NULL};
	struct error err;
	const struct workload *w;

	if (option_parse(tables, bases, argc, argv, &err))
		return fail(&err);
	if (common.help) {
		usage(stdout);
		return 0;
	}
	for (size_t i = 0; (w = workload_at(i)); i++) {
		if (common.json)
			list_json(w);
		else
			list_text(w);
	}
	return 0;
}

static void help(const struct workload *w)
{
	printf("Usage: schedbench-workload %s [OPTION]...\n\n%s\n\n%s\n\nOptions:\n", w->name,
	       w->summary, w->description);
	option_help(w->options, stdout);
	puts("\nOptions of all workloads:");
	option_help(place_option_table, stdout);
	option_help(common_option_table, stdout);
	puts("\nMetrics:");
	for (const struct metric *m = w->metrics; m->name; m++)
		printf("  %s [%s], %s is better\n          %s\n", m->name, m->unit,
		       better_name(m->better), m->summary);
	puts("\nTimes take a suffix ns, us, ms, s, m or h, sizes K, M or G.\n"
	     "Exit status: 0 there is a result, 2 usage, or more than this machine has, 3 the run "
	     "failed.");
}

/* The process that runs the generator: what it leaves, output apart, dies with its group. */
static _Noreturn void runner(const struct workload *w, const void *params, struct run *run,
			     pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct outcome *out = run->out;

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(ERROR_FAILED);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) {
		error_sys(&out->err, errno, "cannot use /dev/null");
		_exit(ERROR_FAILED);
	}
	if (w->run(params, run, &out->err))
		_exit(ERROR_FAILED);
	out->complete = true;
	_exit(0);
}

static void end_group(pid_t group)
{
	kill(-group, SIGKILL);
	/* As subreaper this process is the parent of all that is left, and waits for it. */
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static int execute(const struct workload *w, const void *params, struct run *run, struct error *err)
{
	pid_t self = getpid(), pid;
	int status;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return error_sys(err, errno, "cannot become a subreaper");
	pid = fork();
	if (pid < 0)
		return error_sys(err, errno, "cannot create a process");
	if (!pid)
		runner(w, params, run, self);
	setpgid(pid, pid);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_sys(err, errno, "cannot wait for the run");
	end_group(pid);
	if (WIFSIGNALED(status))
		return error_set(err, ERROR_FAILED, "the run was killed by signal %d (%s)",
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (run->out->complete || run->out->forced)
		return 0;
	*err = run->out->err;
	if (!err->kind)
		error_set(err, ERROR_FAILED, "the run ended with status %d and said nothing",
			  WEXITSTATUS(status));
	return -1;
}

static void print_json(const struct workload *w, const void *params, const struct run *run)
{
	const struct outcome *o = run->out;
	char cpus[4096];

	cpumask_format(&run->place->allowed, cpus, sizeof(cpus));
	for (size_t i = 0; i < o->nvalues; i++) {
		const struct metric *m = o->values[i].metric;

		printf("{\"workload\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"better\":\"%s\","
		       "\"value\":",
		       w->name, m->name, m->unit, better_name(m->better));
		json_real(stdout, o->values[i].value);
		fputs(",\"backend\":\"own\",\"params\":", stdout);
		option_json(w->options, params, stdout);
		fputs(",\"wall_s\":", stdout);
		json_real(stdout, (double)o->wall_ns / 1e9);
		printf(",\"user_s\":%.6f,\"system_s\":%.6f,\"voluntary_switches\":%" PRIu64
		       ",\"involuntary_switches\":%" PRIu64 ",\"ops\":%" PRIu64
		       ",\"cpus\":\"%s\",\"cgroup\":",
		       o->usage.user_s, o->usage.system_s, o->usage.voluntary_switches,
		       o->usage.involuntary_switches, o->ops, cpus);
		json_string(stdout, run->place->cgroup);
		printf(",\"online_cpus\":%d}\n", run->place->online_cpus);
	}
}

static int print_result(const struct workload *w, const void *params, const struct run *run,
			bool json, struct error *err)
{
	if (run->out->forced)
		return run->out->exit_status;
	if (!outcome_text_fits(run->out)) {
		error_set(err, ERROR_FAILED, "the result is longer than %d bytes", OUTCOME_TEXT);
		return fail(err);
	}
	if (json)
		print_json(w, params, run);
	else
		fwrite(run->out->text, 1, run->out->text_len, stdout);
	return 0;
}

static int run_workload(const struct workload *w, int argc, char **argv)
{
	struct common_options common = {false, false};
	struct place_options where = {NULL, NULL, BIND_NONE};
	struct place place = {.order = NULL};
	const struct option_spec *const tables[] = {w->options, place_option_table,
						    common_option_table, NULL};
	void *params = calloc(1, w->params_size + 1);
	void *const bases[] = {params, &where, &common, NULL};
	struct error err = {.kind = ERROR_NONE};
	struct run run = {.place = &place, .out = outcome_new(&err)};
	int rc;

	if (!params || !run.out)
		rc = fail(&err);
	else if (option_parse(tables, bases, argc, argv, &err))
		rc = fail(&err);
	else if (common.help)
		rc = (help(w), 0);
	else if (place_init(&place, &where, &err) || execute(w, params, &run, &err))
		rc = fail(&err);
	else
		rc = print_result(w, params, &run, common.json, &err);
	place_release(&place);
	free(params);
	return rc;
}

static int dispatch(int argc, char **argv)
{
	const struct workload *w;
	struct error err;

	if (argc < 2) {
		usage(stderr);
		return ERROR_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("schedbench-workload " SCHEDBENCH_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "list"))
		return list(argc - 2, argv + 2);
	w = workload_find(argv[1], &err);
	if (w && w->again && argc > 2 && !strcmp(argv[2], "--again"))
		return w->again(argc - 3, argv + 3);
	return w ? run_workload(w, argc - 2, argv + 2) : fail(&err);
}

int main(int argc, char **argv)
{
	int rc;

	signal(SIGPIPE, SIG_IGN);
	rc = dispatch(argc, argv);
	/* A result that did not arrive is no result: a full disk, a closed pipe. */
	if (fflush(stdout) || ferror(stdout) || (close(STDOUT_FILENO) && errno != EBADF)) {
		fprintf(stderr, "schedbench-workload: cannot write the output: %s\n",
			strerror(errno));
		return ERROR_FAILED;
	}
	return rc;
}
