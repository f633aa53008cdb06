// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "run/programs.h"
#include "run/session.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/strlist.h"
#include "util/xalloc.h"

struct options {
	const char *kernel, *machine, *cpus, *console, *timeout;
	bool verbose;
	char *const *command;
};

enum { OPT_CPUS = 256, OPT_CONSOLE };

static const struct argp_option option_table[] = {
	{"kernel", 'k', "KERNEL", 0, "Kernel; default: running on the machine host", 0},
	{"machine", 'm', "MACHINE", 0, "Machine; default: host", 0},
	{"cpus", OPT_CPUS, "LIST", 0, "Run the command on these CPUs, such as 0-3,8", 0},
	{"timeout", 't', "TIME", 0, "Kill the command after this time, such as 90s or 5m", 0},
	{"console", OPT_CONSOLE, "FILE", 0, "Keep the kernel's console in FILE", 0},
	{"verbose", 'v', NULL, 0, "Say on stderr what was booted, and how fast", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'k':
		o->kernel = arg;
		return 0;
	case 'm':
		o->machine = arg;
		return 0;
	case OPT_CPUS:
		o->cpus = arg;
		return 0;
	case 't':
		o->timeout = arg;
		return 0;
	case OPT_CONSOLE:
		o->console = arg;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		/* The first word that is no option begins the command, options of its own and all. */
		o->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARGUMENT...]]",
	.doc = "Boot a kernel on a machine, run one command there and return its status. Without a "
	       "command a guest gives a shell on this terminal.\v"
	       "A program of this host is carried into the guest with the libraries it needs; "
	       "schedbench-workload is there always, with a shell the usual small tools. Output "
	       "is passed on line by line, standard input is empty. Status 3 and a line on stderr "
	       "tell a machine that failed, 124 a command that was cut off, 128 + N one that "
	       "signal N ended."};

/* What both ways of using a booted machine need. */
struct boot {
	struct machine *machine;
	struct kernel *kernel;
	struct kernel_image image;
	struct session_spec spec;
	char *agent_path, *workload_path;
	struct strlist files;
};

/* What a shell is good for, beside what it has built in. */
static const char *const shell_files[] = {"/bin/sh",	      "/bin/cat",
					  "/bin/dmesg",	      "/bin/grep",
					  "/bin/ls",	      "/bin/mkdir",
					  "/bin/mount",	      "/bin/ps",
					  "/bin/rm",	      "/bin/sed",
					  "/bin/sleep",	      "/bin/uname",
					  "/usr/bin/awk",     "/usr/bin/chrt",
					  "/usr/bin/cut",     "/usr/bin/head",
					  "/usr/bin/nproc",   "/usr/bin/seq",
					  "/usr/bin/sort",    "/usr/bin/tail",
					  "/usr/bin/taskset", "/usr/bin/tr",
					  "/usr/bin/uniq",    "/usr/bin/wc",
					  "/sbin/sysctl",     NULL};

static bool is_shell(const char *command)
{
	static const char *const shells[] = {"sh", "dash", "bash", NULL};
	const char *slash = strrchr(command, '/');

	for (unsigned i = 0; shells[i]; i++)
		if (!strcmp(slash ? slash + 1 : command, shells[i]))
			return true;
	return false;
}

static void add_existing(struct strlist *files, const char *const *paths)
{
	for (; *paths; paths++)
		if (access(*paths, X_OK) == 0)
			strlist_add(files, *paths);
}

/* The command itself, if it is a program of this host; with or as a shell, what it may call. */
static void choose_files(struct boot *b, const struct options *o)
{
	if (b->machine->type == MACHINE_HOST)
		return;
	if (o->command) {
		if (strcmp(o->command[0], "schedbench-workload"))
			strlist_add(&b->files, o->command[0]);
		if (is_shell(o->command[0]) && b->machine->arch == ARCH_X86_64)
			add_existing(&b->files, shell_files);
		return;
	}
	if (access("/bin/busybox", X_OK) == 0)
		strlist_add(&b->files, "busybox");
	else
		add_existing(&b->files, shell_files);
}

static int prepare(struct boot *b, const struct options *o, struct error *err)
{
	const char *machine = o->machine ? o->machine : "host";

	if (machine_load(&b->machine, machine, err) || machine_check_tcg(b->machine, err))
		return -1;
	if (!o->kernel && b->machine->type != MACHINE_HOST)
		return error_set(err, ERROR_USAGE,
				 "which kernel? (--kernel NAME; schedbench list kernels)");
	if (!o->command && b->machine->type == MACHINE_HOST)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' is up already: give a command to run", machine);
	if (!o->command && !isatty(STDIN_FILENO))
		return error_set(err, ERROR_USAGE,
				 "a shell needs a terminal (give a command after --)");
	if (kernel_load(&b->kernel, o->kernel ? o->kernel : "running", err))
		return -1;
	if ((b->kernel->source == KERNEL_RUNNING) != (b->machine->type == MACHINE_HOST))
		return error_set(err, ERROR_USAGE, "kernel '%s' cannot be booted on machine '%s'",
				 b->kernel->name, b->machine->name);
	if (machine_check_kernel(b->machine, b->kernel, err))
		return -1;
	b->agent_path = guest_program_path(b->machine, "schedbench-agent", err);
	b->workload_path =
		b->agent_path ? guest_program_path(b->machine, "schedbench-workload", err) : NULL;
	if (!b->workload_path || kernel_prepare(&b->image, b->kernel, err))
		return -1;
	choose_files(b, o);
	return 0;
}

static void release(struct boot *b)
{
	machine_free(b->machine);
	kernel_free(b->kernel);
	kernel_image_release(&b->image);
	free(b->agent_path);
	free(b->workload_path);
	strlist_release(&b->files);
}

static void print_line(void *arg, bool is_stderr, const char *line, size_t len)
{
	FILE *f = is_stderr ? stderr : stdout;

	(void)arg;
	fwrite(line, 1, len, f);
	fputc('\n', f);
	fflush(f);
}

/* The command's status becomes ours; main() knows only the kinds of errors. */
static int finish(const struct agent_run_reply *reply)
{
	if (reply->timed_out)
		return 124;
	return reply->signal ? 128 + reply->signal : reply->exit_status;
}

static int run_command(struct session *s, const struct options *o, const unsigned timeout_ms,
		       int *status, struct error *err)
{
	static const char *const busybox[] = {"/bin/busybox", "sh", "-i", NULL};
	static const char *const sh[] = {"/bin/sh", "-i", NULL};
	static const char *const env[] = {"PATH=/bin:/usr/bin:/sbin:/usr/sbin", "TERM=vt100",
					  "HOME=/", NULL};
	bool have_busybox = access("/bin/busybox", X_OK) == 0;
	struct agent_run_request request = {.argv = o->command	   ? (const char *const *)o->command
						    : have_busybox ? busybox
								   : sh,
					    .env = o->command ? NULL : env,
					    .terminal = o->command ? NULL : TARGET_TERMINAL,
					    .cpus = o->cpus,
					    .timeout_ms = timeout_ms,
					    .on_line = print_line};
	struct agent_run_reply reply = {0};
	struct session_failure failure;
	enum agent_status got = agent_run(s->agent, &request, &reply, err);

	if (got == AGENT_OK) {
		*status = finish(&reply);
		agent_run_reply_release(&reply);
	}
	if (got == AGENT_OK || got == AGENT_REFUSED) {
		session_close(s);
		return got == AGENT_OK ? 0 : -1;
	}
	session_fail(s, got, &failure, err);
	return -1;
}

static int boot_and_run(struct boot *b, const struct options *o, unsigned timeout_ms,
			int interrupt_fd, int *status, struct error *err)
{
	struct session_failure failure;
	struct session session;

	b->spec = (struct session_spec){.machine = b->machine,
					.kernel = b->kernel,
					.image = &b->image,
					.console_log = o->console,
					.agent_path = b->agent_path,
					.workload_path = b->workload_path,
					.extra_files = b->files.count ? strlist_argv(&b->files)
								      : NULL,
					.terminal = !o->command,
					.interrupt_fd = interrupt_fd};
	if (session_open(&session, &b->spec, &failure, err))
		return -1;
	if (o->verbose)
		fprintf(stderr, "schedbench: %s on %s (%s), %u CPUs, up after %.1f s\n",
			session.hello.release, b->machine->name, target_accel(session.target),
			session.hello.cpus, session.boot_s);
	if (!o->command)
		fprintf(stderr, "schedbench: a shell on %s; 'exit' powers the machine off\r\n",
			b->machine->name);
	return run_command(&session, o, timeout_ms, status, err);
}

int cmd_boot(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct boot b = {.files = STRLIST_INIT};
	unsigned timeout_ms = INT_MAX / 2;
	int interrupt_fd, status = 0, ret = 0;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	if (o.timeout && parse_duration_ms(o.timeout, &timeout_ms, err)) {
		error_prefix(err, "--timeout: ");
		ret = -1;
	}
	if (!ret)
		ret = prepare(&b, &o, err);
	/* Until here an interruption ends the program as usual, a download with it. */
	interrupt_fd = ret ? -1 : interrupt_open(err);
	if (interrupt_fd < 0)
		ret = -1;
	else
		ret = boot_and_run(&b, &o, timeout_ms, interrupt_fd, &status, err);
	release(&b);
	if (!ret && status) {
		/* No message: the command said what there was to say. */
		err->kind = status;
		ret = -1;
	}
	return ret;
}
