// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boot one guest and say how it went: for tests of the QEMU target and for measuring boots.
 * Prints "hello RELEASE CPUS cpus SECONDS s" once the agent has answered, then "end: NAME" and
 * the reason. Exit status 0 if the guest powered off when asked to, 1 if it ended otherwise, 2 if
 * it was never started.
 */
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/client.h"
#include "target/target.h"

struct options {
	struct machine machine;
	struct kernel_image kernel;
	struct target_spec spec;
	unsigned wait_s; /* for the guest to end by itself after hello */
	unsigned switches; /* how often to switch kernel.sched_schedstats after hello */
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int usage(void)
{
	fputs("usage: boot_guest --image FILE [--modules DIR --release R] --agent FILE\n"
	      "       [--workload FILE] [--topology PACKAGES,DIES,CORES,THREADS,NODES]\n"
	      "       [--memory MB] [--accel auto|kvm|tcg] [--cmdline TEXT] [--console FILE]\n"
	      "       [--timeout SECONDS] [--wait SECONDS] [--switches N]\n",
	      stderr);
	return 2;
}

static int parse_accel(const char *text)
{
	static const char *const names[] = {
		[ACCEL_AUTO] = "auto", [ACCEL_KVM] = "kvm", [ACCEL_TCG] = "tcg"};

	for (int i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	return -1;
}

static int parse_topology(struct topology *t, const char *text)
{
	t->near = t->far = 20;
	return sscanf(text, "%u,%u,%u,%u,%u", &t->packages, &t->dies, &t->cores, &t->threads,
		      &t->nodes) == 5
		       ? 0
		       : -1;
}

static int parse_option(struct options *o, int c, char *arg)
{
	int accel;

	switch (c) {
	case 'i':
		o->kernel.image = arg;
		return 0;
	case 'm':
		o->kernel.modules = arg;
		return 0;
	case 'r':
		o->kernel.release = arg;
		return 0;
	case 'a':
		o->spec.agent_path = arg;
		return 0;
	case 'w':
		o->spec.workload_path = arg;
		return 0;
	case 't':
		return parse_topology(&o->machine.topology, arg);
	case 'M':
		o->machine.memory_mb = strtoul(arg, NULL, 10);
		return 0;
	case 'A':
		accel = parse_accel(arg);
		o->machine.accel = accel < 0 ? ACCEL_AUTO : (enum accel_choice)accel;
		return accel < 0 ? -1 : 0;
	case 'c':
		o->spec.kernel_cmdline = arg;
		return 0;
	case 'C':
		o->spec.console_log = arg;
		return 0;
	case 'T':
		o->machine.boot_timeout_ms = strtoul(arg, NULL, 10) * 1000;
		return 0;
	case 'S':
		o->switches = strtoul(arg, NULL, 10);
		return 0;
	case 'W':
		o->wait_s = strtoul(arg, NULL, 10);
		return 0;
	default:
		return -1;
	}
}

static int parse(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{"image", required_argument, NULL, 'i'},
		{"modules", required_argument, NULL, 'm'},
		{"release", required_argument, NULL, 'r'},
		{"agent", required_argument, NULL, 'a'},
		{"workload", required_argument, NULL, 'w'},
		{"topology", required_argument, NULL, 't'},
		{"memory", required_argument, NULL, 'M'},
		{"accel", required_argument, NULL, 'A'},
		{"cmdline", required_argument, NULL, 'c'},
		{"console", required_argument, NULL, 'C'},
		{"timeout", required_argument, NULL, 'T'},
		{"switches", required_argument, NULL, 'S'},
		{"wait", required_argument, NULL, 'W'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		if (parse_option(o, c, optarg))
			return -1;
	return optind == argc && o->kernel.image && o->spec.agent_path ? 0 : -1;
}

static enum agent_status switch_stats(const struct options *o, struct target *t,
				      struct agent_client *client, struct error *err)
{
	enum agent_status status = AGENT_OK;
	double start = now();

	target_hold(t, true);
	for (unsigned i = 0; i < o->switches && status == AGENT_OK; i++) {
		struct key_value kv = {(char *)"kernel.sched_schedstats",
				       (char *)(i & 1 ? "0" : "1")};

		status = agent_set(client, 30000, NULL, 0, &kv, 1, err);
	}
	target_hold(t, false);
	printf("switches %u %.2f s\n", o->switches, now() - start);
	return status;
}

static enum agent_status talk(const struct options *o, struct target *t, double start,
			      struct error *err)
{
	struct agent_client *client =
		agent_client_new(target_fd(t), target_end_fd(t), o->spec.interrupt_fd);
	struct pollfd end = {.fd = target_end_fd(t), .events = POLLIN};
	struct agent_hello hello = {0};
	enum agent_status status = agent_hello(client, o->machine.boot_timeout_ms, &hello, err);

	if (status == AGENT_OK) {
		printf("hello %s %u cpus %.2f s\n", hello.release, hello.cpus, now() - start);
		fflush(stdout);
		agent_hello_release(&hello);
		if (o->switches)
			status = switch_stats(o, t, client, err);
		if (o->wait_s && poll(&end, 1, o->wait_s * 1000) == 1)
			status = AGENT_LOST;
	}
	if (status == AGENT_OK)
		status = agent_bye(client, 10000, err);
	agent_client_free(client);
	return status;
}

static int boot(const struct options *o)
{
	struct error err = ERROR_INIT;
	struct strbuf why = STRBUF_INIT;
	double start = now();
	enum agent_status status;
	struct target *t;

	if (target_boot(&t, &o->spec, &err)) {
		fprintf(stderr, "boot_guest: %s\n", err.msg);
		return 2;
	}
	printf("accel %s: %s\n", target_accel(t), target_note(t));
	fflush(stdout);
	status = talk(o, t, start, &err);
	if (status != AGENT_OK)
		printf("end: %s\n",
		       target_end_name(target_diagnose(t, status == AGENT_TIMEOUT, &why)));
	printf("%swarnings: %u\n", why.buf, target_console_warnings(t));
	target_shutdown(t, 10000);
	if (status == AGENT_OK)
		printf("end: off\n");
	printf("total %.2f s\n", now() - start);
	strbuf_release(&why);
	return status != AGENT_OK;
}

int main(int argc, char **argv)
{
	struct options o = {
		.machine = {.name = (char *)"test",
			    .type = MACHINE_QEMU,
			    .topology = {1, 1, 1, 1, 1},
			    .memory_mb = 512,
			    .cmdline = (char *)"",
			    .boot_timeout_ms = 60000},
	};

	o.spec = (struct target_spec){
		.machine = &o.machine, .kernel = &o.kernel, .interrupt_fd = -1};
	o.kernel.identity = NULL;
	if (parse(&o, argc, argv))
		return usage();
	o.kernel.identity = o.kernel.image;
	return boot(&o);
}
