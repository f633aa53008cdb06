// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "dhry.h"
#include "number.h"
#include "preflight.h"
#include "sysfile.h"

enum test { DHRY2REG, SYSCALL, PIPE, CONTEXT1, SPAWN, EXECL };
enum variant { MIX, CLOSE, GETPID };

enum {
	PIPE_BYTES = 512,
	DHRY_BATCH = 1000, /* iterations between two looks at the stop flag */
};

struct unixbench {
	int test, variant;
	int64_t copies, duration_ns; /* 0: the default of the test */
};

/* What one copy has done. */
struct copy_result {
	uint64_t count, ns;
};

struct bench {
	const struct unixbench *params;
	int64_t duration_ns;
	int results; /* memory file of one struct copy_result for each copy: it survives execve() */
};

static const struct {
	const char *title;
	int64_t seconds; /* default duration */
	double baseline; /* rate of the SPARCstation 20-61; 0: our loop is another one */
} tests[] = {
	[DHRY2REG] = {"Dhrystone-like loop, not Dhrystone", 10, 0},
	[SYSCALL] = {"System Call Overhead", 10, 15000},
	[PIPE] = {"Pipe Throughput", 10, 12440},
	[CONTEXT1] = {"Pipe-based Context Switching", 10, 4000},
	[SPAWN] = {"Process Creation", 30, 126},
	[EXECL] = {"Execl Throughput", 30, 43},
};

static int save(int fd, unsigned index, uint64_t count, uint64_t ns, struct error *err)
{
	struct copy_result r = {.count = count, .ns = ns};

	if (pwrite(fd, &r, sizeof(r), (off_t)(index * sizeof(r))) == sizeof(r))
		return 0;
	return error_sys(err, errno, "cannot save the count");
}

/* Each loop counts until the run is stopped; UINT64_MAX is a failure with @err set. */

static uint64_t loop_dhry(const struct worker *w)
{
	uint64_t count = 0;
	struct dhry d;

	dhry_init(&d);
	for (; !crew_stopped(w); count += DHRY_BATCH)
		dhry_loop(&d, DHRY_BATCH);
	return count;
}

static uint64_t loop_syscall(const struct worker *w, enum variant variant, struct error *err)
{
	uint64_t count = 0;

	for (; !crew_stopped(w); count++) {
		if (variant != GETPID && close(dup(0))) {
			error_sys(err, errno, "cannot duplicate a descriptor");
			return UINT64_MAX;
		}
		if (variant != CLOSE)
			syscall(SYS_getpid);
		if (variant == MIX) {
			(void)getuid();
			(void)umask(022);
		}
	}
	return count;
}

static uint64_t loop_pipe(const struct worker *w, const int fds[2], struct error *err)
{
	char buf[PIPE_BYTES] = {0};
	uint64_t count = 0;

	for (; !crew_stopped(w); count++)
		if (channel_write(fds[1], buf, sizeof(buf), err) ||
		    channel_read(fds[0], buf, sizeof(buf), err))
			return UINT64_MAX;
	return count;
}

static uint64_t loop_spawn(const struct worker *w, struct error *err)
{
	uint64_t count = 0;

	for (; !crew_stopped(w); count++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(0);
		if (pid < 0 || waitpid(pid, &status, 0) != pid) {
			error_sys(err, errno, "cannot create a process and wait for it");
			return UINT64_MAX;
		}
		if (status) {
			error_set(err, ERROR_FAILED, "a created process ended with status %d",
				  status);
			return UINT64_MAX;
		}
	}
	return count;
}

/* The other side of context1: numbers come back as they are, in order. */
static _Noreturn void echo(int in, int out)
{
	unsigned long number, expected = 0;
	struct error ignored;

	while (read(in, &number, sizeof(number)) == sizeof(number)) {
		if (number != expected++)
			_exit(1);
		if (channel_write(out, &number, sizeof(number), &ignored))
			break;
	}
	_exit(0);
}

static pid_t start_echo(int there[2], int back[2], struct error *err)
{
	pid_t parent = getpid(), pid;

	if (channel_open(CHANNEL_PIPE, there, err) || channel_open(CHANNEL_PIPE, back, err))
		return -1;
	pid = fork();
	if (pid < 0) {
		error_sys(err, errno, "cannot create the other process");
	} else if (!pid) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(1);
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	return pid;
}

static uint64_t loop_context1(const struct worker *w, int out, int in, struct error *err)
{
	unsigned long number = 0, answer;

	for (; !crew_stopped(w); number++) {
		if (channel_write(out, &number, sizeof(number), err) ||
		    channel_read(in, &answer, sizeof(answer), err))
			return UINT64_MAX;
		if (answer != number) {
			error_set(err, ERROR_FAILED, "%lu came back as %lu", number, answer);
			return UINT64_MAX;
		}
	}
	return number;
}

static int finish_echo(pid_t pid, int out, struct error *err)
{
	int status;

	close(out);
	if (waitpid(pid, &status, 0) != pid)
		return error_sys(err, errno, "cannot wait for the other process");
	return status ? error_set(err, ERROR_FAILED, "the other process failed") : 0;
}

/*
 * Become the next image: `unixbench --again RESULTS INDEX START END COUNT`. COUNT is the number of
 * images started so far; times are those of CLOCK_MONOTONIC.
 */
static int next_image(const uint64_t numbers[5], struct error *err)
{
	static char name[] = "schedbench-workload", workload[] = "unixbench", again[] = "--again";
	char text[5][24];
	char *argv[9] = {name, workload, again};

	for (int i = 0; i < 5; i++) {
		snprintf(text[i], sizeof(text[i]), "%" PRIu64, numbers[i]);
		argv[3 + i] = text[i];
	}
	execv("/proc/self/exe", argv);
	return error_sys(err, errno, "cannot execute this program again");
}

static int again(int argc, char *const *argv)
{
	uint64_t numbers[5], now = now_ns();
	struct error err;

	if (argc != 5)
		return ERROR_USAGE;
	for (int i = 0; i < 5; i++) {
		int64_t v;

		if (number_int("--again", argv[i], 0, INT64_MAX, &v, &err))
			return ERROR_USAGE;
		numbers[i] = (uint64_t)v;
	}
	if (now >= numbers[3])
		return save((int)numbers[0], (unsigned)numbers[1], numbers[4], now - numbers[2],
			    &err)
			       ? ERROR_FAILED
			       : 0;
	numbers[4]++;
	next_image(numbers, &err);
	return ERROR_FAILED;
}

static int work_execl(const struct worker *w, const struct bench *b, struct error *err)
{
	uint64_t start = now_ns();
	const uint64_t numbers[5] = {(uint64_t)b->results, w->index, start,
				     start + (uint64_t)b->duration_ns, 1};

	return next_image(numbers, err);
}

static int copy_main(struct worker *w, struct error *err)
{
	const struct bench *b = w->arg;
	enum test test = (enum test)b->params->test;
	int there[2] = {-1, -1}, back[2] = {-1, -1};
	uint64_t count = UINT64_MAX, start;
	pid_t other = 0;

	if (test == PIPE && channel_open(CHANNEL_PIPE, there, err))
		return -1;
	if (test == CONTEXT1 && (other = start_echo(there, back, err)) < 0)
		return -1;
	if (crew_ready(w, err))
		return -1;
	start = now_ns();
	switch (test) {
	case DHRY2REG:
		count = loop_dhry(w);
		break;
	case SYSCALL:
		count = loop_syscall(w, (enum variant)b->params->variant, err);
		break;
	case PIPE:
		count = loop_pipe(w, there, err);
		break;
	case CONTEXT1:
		count = loop_context1(w, there[1], back[0], err);
		break;
	case SPAWN:
		count = loop_spawn(w, err);
		break;
	case EXECL:
		return work_execl(w, b, err);
	}
	if (count == UINT64_MAX || save(b->results, w->index, count, now_ns() - start, err))
		return -1;
	return other ? finish_echo(other, there[1], err) : 0;
}

static void name_copy(const void *ctx, unsigned index, char *buf, size_t size)
{
	(void)ctx;
	snprintf(buf, size, "copy %u", index);
}

static int play(struct bench *b, struct run *run, struct error *err)
{
	struct crew_options opt = {
		.count = (unsigned)b->params->copies, .barrier = CHANNEL_PIPE, .name = name_copy};
	struct crew crew;
	int rc = crew_init(&crew, run, &opt, err);

	for (int64_t i = 0; i < b->params->copies && !rc; i++)
		rc = crew_add(&crew, copy_main, b, err);
	if (!rc)
		rc = crew_start(&crew, err);
	if (!rc && b->params->test != EXECL) {
		rc = crew_sleep(&crew, (uint64_t)b->duration_ns, err);
		crew_stop(&crew);
	}
	if (!rc)
		rc = crew_wait(&crew, err);
	crew_release(&crew);
	return rc ? -1 : 0;
}

static int prepare(struct bench *b, struct error *err)
{
	const struct unixbench *p = b->params;
	bool two = p->test == CONTEXT1 || p->test == SPAWN;
	const struct needs needs = {.units = "copies",
				    .flag = "-c",
				    .size = (uint64_t)p->copies,
				    .fds = {16, 0},
				    .tasks = {2, two ? 2 : 1},
				    .memory = {1 << 20, two ? 256 << 10 : 128 << 10}};

	if (p->variant != MIX && p->test != SYSCALL)
		return error_set(err, ERROR_USAGE, "--variant is for the test syscall");
	if (preflight(&needs, err))
		return -1;
	if (p->test == DHRY2REG && !dhry_is_whole())
		return error_set(
			err, ERROR_FAILED,
			"the loop is faster than the work in it: the compiler left some out");
	b->results = memfd_create("results", 0);
	if (b->results < 0 ||
	    ftruncate(b->results, (off_t)((size_t)p->copies * sizeof(struct copy_result))))
		return error_sys(err, errno, "cannot create a memory file");
	return 0;
}

static const struct metric metrics[] = {
	{"rate", "lps", BETTER_HIGHER, "loops of all copies per second"},
	{"index", "score", BETTER_HIGHER,
	 "10 for each multiple of UnixBench's base machine (not for dhry2reg: ours is another "
	 "loop)"},
	METRIC_END,
};

/* A tracer or a seccomp filter makes system calls many times dearer. */
static void note_tracing(struct outcome *out)
{
	char text[4096];
	const char *seccomp, *tracer;

	if (sysfile_read("/proc/self/status", text, sizeof(text)))
		return;
	seccomp = strstr(text, "\nSeccomp:\t");
	tracer = strstr(text, "\nTracerPid:\t");
	if ((seccomp && seccomp[10] != '0') || (tracer && tracer[12] != '0'))
		outcome_printf(out, "note: a tracer or a seccomp filter is at work\n");
}

static int report(const struct bench *b, struct run *run, struct error *err)
{
	const struct unixbench *p = b->params;
	double rate = 0, seconds = 0, baseline = tests[p->test].baseline;
	uint64_t count = 0;

	for (int64_t i = 0; i < p->copies; i++) {
		struct copy_result r;

		if (pread(b->results, &r, sizeof(r), (off_t)((size_t)i * sizeof(r))) != sizeof(r) ||
		    !r.count || !r.ns)
			return error_set(err, ERROR_FAILED, "copy %" PRId64 " has counted nothing",
					 i);
		count += r.count;
		rate += (double)r.count / ((double)r.ns / 1e9);
		seconds += (double)r.ns / 1e9 / (double)p->copies;
	}
	run->out->wall_ns = (uint64_t)(seconds * 1e9);
	run->out->ops = count;
	note_tracing(run->out);
	outcome_printf(run->out,
		       "COUNT|%" PRIu64 "|1|lps\n%-40s %12.1f lps   (%.1f s, 1 samples)\n", count,
		       tests[p->test].title, rate, seconds);
	if (outcome_value(run->out, &metrics[0], rate, err))
		return -1;
	if (baseline == 0)
		return 0;
	outcome_printf(run->out, "System Benchmarks Index Score (Partial Only) %28.1f\n",
		       rate / baseline * 10);
	return outcome_value(run->out, &metrics[1], rate / baseline * 10, err);
}

static int unixbench_run(const void *params, struct run *run, struct error *err)
{
	const struct unixbench *p = params;
	struct bench b = {.params = p,
			  .duration_ns = p->duration_ns ? p->duration_ns
							: tests[p->test].seconds * 1000000000};

	if (prepare(&b, err) || play(&b, run, err))
		return -1;
	return report(&b, run, err);
}

#define FIELD(f) offsetof(struct unixbench, f)

static const char *const test_names[] = {"dhry2reg", "syscall", "pipe", "context1",
					 "spawn",    "execl",	NULL};
static const char *const variant_names[] = {"mix", "close", "getpid", NULL};

static const struct option_spec options[] = {
	{.name = "test",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(test),
	 .preset = "pipe",
	 .choices = test_names,
	 .positional = true,
	 .help = "what one loop is (see above)"},
	{.letter = 'c',
	 .name = "copies",
	 .type = OPTION_INT,
	 .offset = FIELD(copies),
	 .preset = "1",
	 .min = 1,
	 .max = 1000000,
	 .help = "copies at once, as processes"},
	{.name = "duration",
	 .type = OPTION_TIME,
	 .offset = FIELD(duration_ns),
	 .unit = "s",
	 .preset = "0",
	 .min = 0,
	 .max = 86400 * 1000000000LL,
	 .help = "how long to count; 0: 10 s, for spawn and execl 30 s"},
	{.name = "variant",
	 .type = OPTION_CHOICE,
	 .offset = FIELD(variant),
	 .preset = "mix",
	 .choices = variant_names,
	 .help = "of syscall: all five calls, dup and close alone, getpid alone"},
	OPTION_END,
};

WORKLOAD(unixbench) = {
	.name = "unixbench",
	.summary =
		"the loops of UnixBench that concern the kernel: calls, pipes, switches, processes",
	.description =
		"dhry2reg   a loop of integer work, records and strings (not Dhrystone itself)\n"
		"syscall    dup, close, getpid, getuid and umask\n"
		"pipe       512 bytes into a pipe and out of it again, by one process: nobody is "
		"woken\n"
		"context1   a number to another process and back, through two pipes\n"
		"spawn      fork, exit of the child, wait\n"
		"execl      the program executes itself again\n"
		"Each copy counts from the release of all until it sees the end, over its own "
		"time.",
	.metrics = metrics,
	.options = options,
	.params_size = sizeof(struct unixbench),
	.run = unixbench_run,
	.again = again,
};
