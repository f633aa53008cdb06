/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_CONFIG_H
#define SCHEDBENCH_CONFIG_CONFIG_H

#include <stdbool.h>

#include "util/error.h"

/*
 * Experiments, kernels and machines as their YAML files state them. Everything is validated when
 * it is loaded: unknown keys, wrong types, references to files that do not exist and values that
 * make no sense are errors of kind ERROR_USAGE that start with "FILE:LINE: " (or "--set KEY=VALUE:
 * "). Pointers are never NULL unless the comment says so; counts follow libcyaml's NAME_count.
 */

struct key_value {
	char *key;
	char *value; /* as written, without quotes */
};

/* One column of a table. */
struct variant {
	char *name;
	char *kernel; /* NAME of configs/kernels/NAME.yaml, or "running" */
	struct key_value *features; /* SIS_UTIL: false */
	unsigned features_count;
	struct key_value *sysctl;
	unsigned sysctl_count;
};

enum backend { BACKEND_OWN, BACKEND_PEER };

struct workload_config {
	char *name;
	enum backend backend;
	struct key_value *params; /* flag names of the generator: {pipe: true, loops: 1000} */
	unsigned params_count;
};

struct sweep_axis {
	char *param; /* a flag of the generator, or "pin" */
	char **values;
	unsigned values_count;
};

enum run_order { ORDER_BLOCKS, ORDER_SEQUENTIAL };

struct experiment {
	char *file; /* where it was read from */
	char *text; /* the file as read with --set applied: what the store keeps */
	char *name;
	char *title; /* default: the name */
	/* What of results/published this reproduces: "ID/TABLE" and others, between blanks; NULL:
	 * none. */
	char *published;
	char *machine; /* NAME of configs/machines/NAME.yaml, or "host" */
	char *scale; /* "1/4"; default "1/1"; emulated machines only */
	struct variant *variants;
	unsigned variants_count; /* >= 1, the first one is the baseline */
	struct workload_config workload;
	struct sweep_axis *sweep;
	unsigned sweep_count; /* 0: one case */
	char *pin; /* "all", a list of CPUs such as 0-3,8, or a location (topology/location.h) */
	char *metric; /* NULL: the first one the workload prints */
	char *statistic; /* amean | hmean | gmean | median; NULL: by the metric's direction */
	unsigned boots; /* per variant */
	double precision; /* 0.01 for 1%: add boots until every interval is within that; 0: do not */
	unsigned max_boots; /* with precision: at most so many */
	unsigned repetitions; /* per boot */
	enum run_order order;
	unsigned warmup; /* repetitions per case and boot that are measured and marked, not used */
	unsigned timeout_ms; /* per sample */
	unsigned retries; /* per boot */
	unsigned long long seed; /* 0: drawn at the start of a run and stored */
	char **monitors;
	unsigned monitors_count;
};

enum machine_type { MACHINE_HOST, MACHINE_QEMU };
enum accel_choice { ACCEL_AUTO, ACCEL_KVM, ACCEL_TCG };

struct topology {
	unsigned packages, dies, cores,
		threads; /* dies per package, cores per die, threads per core */
	unsigned nodes; /* NUMA nodes, spread evenly over the packages */
	unsigned near, far; /* distance to a node of the same package, of another; 10 is local */
};

enum kernel_arch { ARCH_X86_64, ARCH_ARM64 };
enum machine_time { TIME_REAL, TIME_VIRTUAL };

/* CPUs with a cache of the second level of their own. */
struct cpu_cluster {
	char *cpus; /* "0,3-5" */
	unsigned capacity; /* of each CPU, 1024 for the fastest */
};

struct machine {
	char *file; /* NULL for the built-in "host" */
	char *name;
	char *title;
	enum machine_type type;
	enum kernel_arch arch;
	enum machine_time time; /* TIME_VIRTUAL: the guest's clock counts instructions */
	struct topology topology; /* MACHINE_QEMU; of clusters: one package */
	struct cpu_cluster *clusters; /* ARCH_ARM64 */
	unsigned clusters_count;
	bool shared_cache; /* the clusters share one cache instead */
	unsigned memory_mb;
	enum accel_choice accel;
	char *cpu; /* QEMU's -cpu; NULL: the default of the target */
	char *cmdline; /* added to every kernel's; "" by default */
	unsigned boot_timeout_ms;
	char *scale; /* what machine_scale() was told; "1/1" before */
	struct topology full; /* before machine_scale() */
};

enum kernel_source {
	KERNEL_RUNNING,
	KERNEL_DEBIAN_IMAGE,
	KERNEL_IMAGE,
	/* built from source: */
	KERNEL_GIT,
	KERNEL_TARBALL,
	KERNEL_DEBIAN_SOURCE
};

/* Paths in a kernel's file are seen from its folder, and absolute here. */
struct kernel {
	char *file; /* NULL for the built-in "running" */
	char *name;
	char *title;
	enum kernel_source source;
	char *package; /* KERNEL_DEBIAN_*: linux-image-cloud-amd64, linux-source-6.1 */
	char *suite; /* KERNEL_DEBIAN_*: bookworm */
	char *version; /* KERNEL_DEBIAN_SOURCE: of the package; NULL: the suite's */
	char *image; /* KERNEL_IMAGE: path of the bzImage */
	char *modules; /* KERNEL_IMAGE: folder that holds modules.dep; NULL: no modules */
	char *git, *ref; /* KERNEL_GIT: path of a clone, or an address; tag, branch or commit */
	char *tarball; /* KERNEL_TARBALL: path or address */
	char *sha256; /* KERNEL_TARBALL: of the file, lower case; NULL: not checked */
	char **patches; /* paths; or "mail:" with a path or Message-Id, "#NUMBER" behind it */
	unsigned patches_count;
	char **revert; /* KERNEL_GIT: commits */
	unsigned revert_count;
	char **config; /* paths of fragments and lines such as CONFIG_NUMA=y, later ones win */
	unsigned config_count;
	enum kernel_arch arch;
	char *cmdline;
	struct key_value *features;
	unsigned features_count;
	struct key_value *sysctl;
	unsigned sysctl_count;
};

/* The kinds of files, for lookup and listing. */
enum config_kind { CONFIG_EXPERIMENT, CONFIG_KERNEL, CONFIG_MACHINE };

/*
 * Path of NAME in the search path: the folders of $SCHEDBENCH_CONFIGS (separated by colons),
 * ./configs, the configs folder of the source tree the program was built in, the installed one;
 * each with experiments/, kernels/ or machines/ and .yaml added. A NAME that holds a slash or ends
 * in .yaml is a path. NULL with @err naming the folders that were searched and near misses ("did
 * you mean ..."). The built-in machine "host" and kernel "running" have no path.
 */
char *config_find(enum config_kind kind, const char *name, struct error *err);

/*
 * All names of a kind with their titles, sorted; key = name, value = title, or what is wrong with
 * the file in parentheses.
 */
int config_list(enum config_kind kind, struct key_value **out, unsigned *count, struct error *err);

/*
 * Load and check an experiment together with the machine and the kernels that it names; names that
 * are relative paths become paths from the experiment's folder, those of a @set absolute ones.
 * @sets: "key=value" or "key.sub=value", applied before validation, e.g. "sweep.groups=[1,2]",
 * "variants.patched.kernel=x" (an element by its name or its number from 0).
 */
int experiment_load(struct experiment **out, const char *name_or_path, const char *const *sets,
		    unsigned sets_count, struct error *err);
/*
 * The same from a text that experiment->text kept; @origin stands for the file in messages. The
 * machine and the kernels are not looked up: what a run used may be gone by now.
 */
int experiment_parse(struct experiment **out, const char *text, const char *origin,
		     struct error *err);
void experiment_free(struct experiment *e);

struct kernel;

int machine_load(struct machine **out, const char *name_or_path, struct error *err);
void machine_free(struct machine *m);
unsigned machine_cpus(const struct machine *m); /* of the host: those online */

bool cluster_has(const struct cpu_cluster *c, unsigned cpu);
/* Number of the cluster that @cpu is in; clusters_count: of none. */
unsigned machine_cluster_of(const struct machine *m, unsigned cpu);

/* Can this kernel be booted on this machine? ERROR_USAGE names what does not fit. */
int machine_check_kernel(const struct machine *m, const struct kernel *k, struct error *err);
const char *arch_name(enum kernel_arch arch); /* "x86_64", "arm64" */

/*
 * Shrink the topology of an emulated machine to the fraction @scale, "1/4": packages, nodes and
 * threads per core stay, cores per die go first, then dies. ERROR_USAGE where that leaves no
 * whole topology (naming the smallest scale that does) or more CPUs than the accelerator asked
 * for can carry. Once per machine.
 */
int machine_scale(struct machine *m, const char *scale, struct error *err);

/*
 * Can TCG carry this machine? QEMU 7.2 stops at 255 CPUs. The message names the largest scale
 * that fits. QEMU's PC under KVM stops there as well. To be asked before a machine is booted.
 */
int machine_check_tcg(const struct machine *m, struct error *err);

int kernel_load(struct kernel **out, const char *name_or_path, struct error *err);
/* Is it compiled here, from source? */
bool kernel_is_built(const struct kernel *k);
/* "git" and "tarball" may be addresses: with "://", or as scp writes them. */
bool kernel_source_is_address(const char *text);
void kernel_free(struct kernel *k);

void key_values_free(struct key_value *kv, unsigned count);

/* "1500ms", "120s", "2m", "1h"; a bare number is seconds. */
int parse_duration_ms(const char *text, unsigned *ms, struct error *err);

#endif
