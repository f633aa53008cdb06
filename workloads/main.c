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
#include "peer.h"
#include "workload.h"

enum backend { BACKEND_OWN, BACKEND_PEER };

struct common_options {
	bool json, help;
};

struct backend_options {
	bool dry_run;
	int backend; /* enum backend */
};

/* What is run: the generator itself, or the original that it stands for. */
struct task {
	const struct workload *workload;
	const void *params;
	const struct peer *peer; /* NULL: the generator */
	struct peer_plan plan; /* of the peer */
	struct run run;
};

static const char *const backend_names[] = {"own", "peer", NULL};

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

static const struct option_spec backend_option_table[] = {
	{.name = "backend",
	 .type = OPTION_CHOICE,
	 .offset = offsetof(struct backend_options, backend),
	 .preset = "own",
	 .choices = backend_names,
	 .help = "peer: run the installed original tool instead and read its output"},
	{.name = "dry-run",
	 .type = OPTION_FLAG,
	 .offset = offsetof(struct backend_options, dry_run),
	 .help = "with --backend peer: print the programs that would run"},
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

static void list_peer(const struct peer *peer)
{
	if (!peer) {
		fputs("null", stdout);
		return;
	}
	fputs("{\"programs\":", stdout);
	json_string(stdout, peer->programs);
	fputs(",\"source\":", stdout);
	json_string(stdout, peer->source);
	fputs(",\"metrics\":[", stdout);
	for (const char *const *m = peer->metrics; *m; m++) {
		if (m != peer->metrics)
			putchar(',');
		json_string(stdout, *m);
	}
	fputs("]}", stdout);
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
	fputs("],\"peer\":", stdout);
	list_peer(peer_of(w->name));
	puts("}");
}

static void list_text(const struct workload *w)
{
	printf("%-12s %s\n", w->name, w->summary);
	for (const struct metric *m = w->metrics; m->name; m++)
		printf("             %-20s %-8s %s is better: %s\n", m->name, m->unit,
		       better_name(m->better), m->summary);
	if (peer_of(w->name))
		printf("             original: %s (%s)\n", peer_of(w->name)->programs,
		       peer_of(w->name)->source);
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

static void help_peer(const struct peer *peer)
{
	if (!peer) {
		puts("\nThere is no original to run with --backend peer.");
		return;
	}
	printf("\nThe original (--backend peer): %s (%s).\n  Parameters:", peer->programs,
	       peer->source);
	for (const struct peer_flag *f = peer->flags; f->name; f++)
		printf(" --%s", f->name);
	fputs("\n  Metrics:", stdout);
	for (const char *const *m = peer->metrics; *m; m++)
		printf(" %s", *m);
	printf("\n  %s\n", peer->note);
}

static void help(const struct workload *w)
{
	printf("Usage: schedbench-workload %s [OPTION]...\n\n%s\n\n%s\n\nOptions:\n", w->name,
	       w->summary, w->description);
	option_help(w->options, stdout);
	puts("\nOptions of all workloads:");
	option_help(place_option_table, stdout);
	option_help(backend_option_table, stdout);
	option_help(common_option_table, stdout);
	puts("\nMetrics:");
	for (const struct metric *m = w->metrics; m->name; m++)
		printf("  %s [%s], %s is better\n          %s\n", m->name, m->unit,
		       better_name(m->better), m->summary);
	help_peer(peer_of(w->name));
	puts("\nTimes take a suffix ns, us, ms, s, m or h, sizes K, M or G.\n"
	     "Exit status: 0 there is a result, 2 usage, or more than this machine has, 3 the run "
	     "failed.");
}

static int run_backend(struct task *t, struct error *err)
{
	const struct peer_job job = {t->workload, t->params};

	if (t->peer)
		return peer_run(t->peer, &job, &t->plan, &t->run, err);
	return t->workload->run(t->params, &t->run, err);
}

/* The process that runs the generator: what it leaves, output apart, dies with its group. */
static _Noreturn void runner(struct task *t, pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct outcome *out = t->run.out;

	setpgid(0, 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(ERROR_FAILED);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) {
		error_sys(&out->err, errno, "cannot use /dev/null");
		_exit(ERROR_FAILED);
	}
	if (run_backend(t, &out->err))
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

static int execute(struct task *t, struct error *err)
{
	pid_t self = getpid(), pid;
	int status;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return error_sys(err, errno, "cannot become a subreaper");
	pid = fork();
	if (pid < 0)
		return error_sys(err, errno, "cannot create a process");
	if (!pid)
		runner(t, self);
	setpgid(pid, pid);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_sys(err, errno, "cannot wait for the run");
	end_group(pid);
	if (WIFSIGNALED(status))
		return error_set(err, ERROR_FAILED, "the run was killed by signal %d (%s)",
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (t->run.out->complete || t->run.out->forced)
		return 0;
	*err = t->run.out->err;
	if (!err->kind)
		error_set(err, ERROR_FAILED, "the run ended with status %d and said nothing",
			  WEXITSTATUS(status));
	return -1;
}

static void print_backend(const struct task *t)
{
	printf(",\"backend\":\"%s\"", backend_names[t->peer ? BACKEND_PEER : BACKEND_OWN]);
	if (!t->peer)
		return;
	fputs(",\"program\":", stdout);
	json_string(stdout, t->plan.client.path);
}

static void print_json_value(const struct task *t, size_t i, const char *cpus)
{
	const struct outcome *o = t->run.out;
	const struct metric *m = o->values[i].metric;

	printf("{\"workload\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\",\"better\":\"%s\","
	       "\"value\":",
	       t->workload->name, m->name, m->unit, better_name(m->better));
	json_real(stdout, o->values[i].value);
	print_backend(t);
	fputs(",\"params\":", stdout);
	option_json(t->workload->options, t->params, stdout);
	fputs(",\"wall_s\":", stdout);
	json_real(stdout, (double)o->wall_ns / 1e9);
	printf(",\"user_s\":%.6f,\"system_s\":%.6f,\"voluntary_switches\":%" PRIu64
	       ",\"involuntary_switches\":%" PRIu64,
	       o->usage.user_s, o->usage.system_s, o->usage.voluntary_switches,
	       o->usage.involuntary_switches);
	/* Of an original nobody has counted them. */
	if (!t->peer)
		printf(",\"ops\":%" PRIu64, o->ops);
	printf(",\"cpus\":\"%s\",\"cgroup\":", cpus);
	json_string(stdout, t->run.place->cgroup);
	printf(",\"online_cpus\":%d}\n", t->run.place->online_cpus);
}

static void print_json(const struct task *t)
{
	char cpus[4096];

	cpumask_format(&t->run.place->allowed, cpus, sizeof(cpus));
	for (size_t i = 0; i < t->run.out->nvalues; i++)
		print_json_value(t, i, cpus);
}

static int print_result(const struct task *t, bool json, struct error *err)
{
	const struct outcome *out = t->run.out;

	if (out->forced)
		return out->exit_status;
	if (!outcome_text_fits(out)) {
		error_set(err, ERROR_FAILED, "the result is longer than %d bytes", OUTCOME_TEXT);
		return fail(err);
	}
	if (json)
		print_json(t);
	else
		fwrite(out->text, 1, out->text_len, stdout);
	return 0;
}

static int prepare_peer(struct task *t, const struct place_options *where, struct error *err)
{
	const struct peer_job job = {t->workload, t->params};

	t->peer = peer_of(t->workload->name);
	if (!t->peer)
		return error_set(err, ERROR_USAGE, "'%s' has no original to run (use backend own)",
				 t->workload->name);
	/* A mask and a memory policy are inherited, a place for each worker is not. */
	if (where->bind != BIND_NONE)
		return error_set(err, ERROR_USAGE,
				 "--bind places the workers of our generators, not those of an "
				 "original (use --cpus)");
	return peer_plan(t->peer, &job, &t->plan, err) || peer_find(t->peer, &t->plan, err) ? -1
											    : 0;
}

/* All but parsing and printing. */
static int do_task(struct task *t, const struct backend_options *backend,
		   const struct place_options *where, struct place *place, struct error *err)
{
	if (backend->backend == BACKEND_PEER && prepare_peer(t, where, err))
		return -1;
	if (!t->peer && backend->dry_run)
		return error_set(err, ERROR_USAGE, "--dry-run needs --backend peer");
	if (backend->dry_run)
		return 0;
	return place_init(place, where, err) || execute(t, err) ? -1 : 0;
}

static int run_workload(const struct workload *w, int argc, char **argv)
{
	struct common_options common = {false, false};
	struct backend_options backend = {false, BACKEND_OWN};
	struct place_options where = {NULL, NULL, BIND_NONE};
	struct place place = {.order = NULL};
	const struct option_spec *const tables[] = {
		w->options, place_option_table, backend_option_table, common_option_table, NULL};
	void *params = calloc(1, w->params_size + 1);
	void *const bases[] = {params, &where, &backend, &common, NULL};
	struct error err = {.kind = ERROR_NONE};
	struct task task = {.workload = w,
			    .params = params,
			    .run = {.place = &place, .out = outcome_new(&err)}};
	int rc;

	if (!params || !task.run.out)
		rc = fail(&err);
	else if (option_parse(tables, bases, argc, argv, &err))
		rc = fail(&err);
	else if (common.help)
		rc = (help(w), 0);
	else if (do_task(&task, &backend, &where, &place, &err))
		rc = fail(&err);
	else if (backend.dry_run)
		rc = (peer_print(&task.plan, common.json), 0);
	else
		rc = print_result(&task, common.json, &err);
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
