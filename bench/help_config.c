// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "bench.h"

struct key {
	const char *name, *def, *text; /* @def: default, "" if the key has to be there */
};

static const struct key experiment_keys[] = {
	{"name", "the file's", "name of runs"},
	{"title", "the name", "heading of tables and plots"},
	{"published", "none", "ID/TABLE that this reproduces; several between blanks"},
	{"machine", "", "NAME of configs/machines, a path, or host"},
	{"scale", "1/1", "of an emulated machine: the fraction of its cores that is kept"},
	{"variants", "",
	 "list of {name, kernel, features: {}, sysctl: {}}; the first is the baseline"},
	{"workload", "", "NAME, or {name, backend: own|peer, params: {FLAG: VALUE}}"},
	{"sweep", "none", "{FLAG: [VALUES]}: cases; several axes multiply; pin is one as well"},
	{"pin", "all", "CPUs to run on: 0-3,8 or a location such as l3:0.core:0-3"},
	{"metric", "the first", "of the workload"},
	{"statistic", "by direction", "amean, hmean, gmean or median"},
	{"boots", "3", "of each variant"},
	{"precision", "none", "1%: add boots until every interval is that narrow"},
	{"max_boots", "20", "with precision: at most so many"},
	{"repetitions", "5", "of each case in each boot"},
	{"order", "blocks", "blocks (randomised) or sequential"},
	{"warmup", "0", "repetitions that are measured and not used"},
	{"timeout", "120s", "of one repetition"},
	{"retries", "1", "of a boot that ended by itself"},
	{"seed", "random", "of the order; it is stored"},
	{"monitors", "none", "[schedstat]: counters before and after"},
	{NULL, NULL, NULL}};

static const struct key machine_keys[] = {
	{"name", "the file's", "has to be that of the file"},
	{"title", "the name", "one line"},
	{"type", "qemu", "qemu, or host: this machine"},
	{"arch", "x86_64", "x86_64 or arm64"},
	{"time", "real", "real, or virtual: the guest's clock counts instructions (arm64)"},
	{"topology", "",
	 "{packages: 1, dies: 1, cores, threads: 1, nodes: packages}; a die shares a cache"},
	{"distances", "20", "{near, far}: between NUMA nodes of a package, of two packages"},
	{"clusters", "none", "arm64, instead of a topology: list of {cpus, capacity}"},
	{"shared_cache", "false", "of clusters: one cache for all of them"},
	{"memory", "1G", "of the guest"},
	{"accel", "auto", "auto, kvm or tcg"},
	{"cpu", "by accel", "QEMU's -cpu"},
	{"cmdline", "none", "added to every kernel's"},
	{"boot_timeout", "300s", "until the agent answers"},
	{NULL, NULL, NULL}};

static const struct key kernel_keys[] = {
	{"name", "the file's", "has to be that of the file"},
	{"title", "the name", "one line"},
	{"source", "",
	 "{git, ref}, {tarball, sha256}, {debian-source, suite, version}, "
	 "{debian-image, suite} or {image, modules}"},
	{"patches", "none", "FILE.patch, mail:FILE, mail:MESSAGE-ID, mail:ID#2"},
	{"revert", "none", "commits of a git source"},
	{"config", "none", "fragments, and CONFIG_X=y; what kconfig drops is an error"},
	{"arch", "x86_64", "x86_64 or arm64"},
	{"cmdline", "none", "added to the machine's"},
	{"features", "none", "sched features, {SIS_UTIL: false}"},
	{"sysctl", "none", "{kernel.sched_migration_cost_ns: 500000}"},
	{NULL, NULL, NULL}};

static void print_keys(const char *what, const struct key *keys)
{
	printf("\n%s\n", what);
	for (; keys->name; keys++)
		printf("  %-12s  %-12s  %s\n", keys->name, *keys->def ? keys->def : "(needed)",
		       keys->text);
}

void print_help_config(void)
{
	printf("Files of YAML; a file says what differs from the defaults, unknown keys are "
	       "errors.\n"
	       "They are looked for in $SCHEDBENCH_CONFIGS, ./configs and the installed ones;\n"
	       "'schedbench list experiments|machines|kernels' shows them. Key, default, "
	       "meaning:\n");
	print_keys("experiments/NAME.yaml", experiment_keys);
	print_keys("machines/NAME.yaml", machine_keys);
	print_keys("kernels/NAME.yaml", kernel_keys);
}
