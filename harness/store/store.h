/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_STORE_STORE_H
#define SCHEDBENCH_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/*
 * One SQLite file holds everything that was measured: WAL, synchronous=FULL, foreign keys on. A
 * repetition is committed with its samples, counters and artifacts in one transaction before the
 * next one starts, so that the store itself is the journal of a run: what is there was measured,
 * and resuming means running what is not there.
 */
struct store; /* opaque */

enum store_mode { STORE_READ, STORE_WRITE };

/*
 * STORE_WRITE creates the file and its folder and migrates an older schema; STORE_READ wants it to
 * be there, and needs no permission to write. A file that is no database, is another program's, or
 * was written by a newer schedbench is an error.
 */
int store_open(struct store **out, const char *path, enum store_mode mode, struct error *err);
void store_close(struct store *s);

/* Folder that artifact paths are relative to: the one of the database. */
const char *store_directory(const struct store *s);

/*
 * Everything stored from begin to end becomes one transaction: all of it or, with @ret not 0,
 * nothing. For imports; a run commits each repetition.
 */
int store_bulk_begin(struct store *s, struct error *err);
int store_bulk_end(struct store *s, int ret, struct error *err);

struct store_new_variant {
	const char *name;
	const char *kernel; /* name of the recipe */
	const char *release, *identity; /* of the image; "" where not known before it boots */
	const char *settings; /* JSON: features and sysctl */
};

struct store_new_run {
	const char *experiment, *title, *text; /* text: the experiment file as run */
	const char *machine, *description; /* name, and one line that describes it */
	const char *program_version, *workload_sha256;
	uint64_t seed;
	unsigned boots, repetitions;
	const struct store_new_variant *variants;
	unsigned variants_count;
};

/* Create a run with its experiment, machine, kernels and variants; *@id is freed by the caller. */
int store_run_create(struct store *s, const struct store_new_run *run, char **id,
		     struct error *err);

struct store_run {
	char *id, *experiment, *title, *text, *machine, *description, *accel, *note;
	char *state; /* running | done | incomplete | interrupted */
	char *program_version, *workload_sha256;
	uint64_t seed;
	unsigned boots, repetitions;
	int64_t started_ns, ended_ns; /* CLOCK_REALTIME; 0: not ended */
};

/* @id: a run's id, the unique beginning of one, or "last". */
int store_run_find(struct store *s, const char *id, struct store_run *out, struct error *err);
/* The newest run of the experiment of this name that is not done; no such run is an error. */
int store_run_find_unfinished(struct store *s, const char *experiment, struct store_run *out,
			      struct error *err);
/* Newest first. */
int store_run_list(struct store *s, struct store_run **out, unsigned *count, struct error *err);
/* Repetitions of a run without warm-up: stored as ok, and as failed or timeout. */
int store_run_count(struct store *s, const char *run_id, unsigned *good, unsigned *bad,
		    struct error *err);
void store_run_release(struct store_run *run);
void store_runs_free(struct store_run *runs, unsigned count);
/* How the machine is run and what that is not good for: known once it has booted. */
int store_run_set_accel(struct store *s, const char *run_id, const char *accel, const char *note,
			struct error *err);
int store_run_set_state(struct store *s, const char *run_id, const char *state, struct error *err);

struct store_variant {
	char *name, *kernel, *release, *identity, *settings;
};
int store_variants(struct store *s, const char *run_id, struct store_variant **out, unsigned *count,
		   struct error *err);
void store_variants_free(struct store_variant *v, unsigned count);

/* A physical boot of a variant: number is its place in the plan, several attempts may share it. */
int store_boot_begin(struct store *s, const char *run_id, const char *variant, unsigned number,
		     int64_t *boot, struct error *err);

struct store_boot_facts {
	const char *release, *version, *cmdline, *features, *hwloc_xml;
	double boot_s; /* from the start of the machine to the agent's hello */
};
int store_boot_facts(struct store *s, int64_t boot, const struct store_boot_facts *facts,
		     struct error *err);

/* @state: ok, or how it ended (panic, hang ...); @reason NULL for ok. */
int store_boot_end(struct store *s, int64_t boot, const char *state, const char *reason,
		   unsigned warnings, struct error *err);

/* Boots of a run that nobody ended, since schedbench was killed: they did not go on without it. */
int store_boots_abandon(struct store *s, const char *run_id, struct error *err);

struct store_artifact {
	const char *kind; /* console, output, schedstat-before ... */
	const char *path; /* relative to store_directory() */
	char sha256[65];
	int64_t bytes;
};
int store_artifact_add(struct store *s, int64_t boot, const struct store_artifact *artifact,
		       struct error *err);

struct store_value {
	const char *metric, *unit, *better; /* better: lower | higher */
	double value;
};

struct store_counter {
	const char *name;
	double value;
};

/* One repetition of one case. */
struct store_repetition {
	const char *kase;
	unsigned repetition;
	bool warmup;
	const char *status; /* ok | failed | timeout */
	const char *reason; /* NULL for ok */
	const struct store_value *values; /* one at least for ok, else none */
	unsigned values_count;
	const struct store_counter *counters;
	unsigned counters_count;
	const struct store_artifact *artifacts;
	unsigned artifacts_count;
	double wall_s, user_s, system_s;
	int64_t max_rss_kb, voluntary_switches, involuntary_switches;
};
int store_repetition_add(struct store *s, int64_t boot, const struct store_repetition *rep,
			 struct error *err);

/* Every stored repetition, whatever its status: what a resumed run does not do again. */
typedef void (*store_done_fn)(void *arg, const char *variant, unsigned boot_number,
			      const char *kase, unsigned repetition, bool ok);
int store_each_done(struct store *s, const char *run_id, store_done_fn fn, void *arg,
		    struct error *err);

/* Every sample of a run without warm-up, boot by boot in the order measured; failures have metric
 * NULL. */
struct store_sample {
	const char *variant, *kase, *status, *reason, *metric, *unit, *better;
	int64_t boot; /* the physical boot */
	unsigned boot_number; /* its place in the plan */
	unsigned repetition;
	double value;
	int64_t time_ns;
};
typedef void (*store_sample_fn)(void *arg, const struct store_sample *sample);
int store_each_sample(struct store *s, const char *run_id, store_sample_fn fn, void *arg,
		      struct error *err);

/* The mean over the good repetitions of each counter, by variant and case, in order of arrival. */
typedef void (*store_counter_fn)(void *arg, const char *variant, const char *kase, const char *name,
				 double mean);
int store_each_counter(struct store *s, const char *run_id, store_counter_fn fn, void *arg,
		       struct error *err);

/* The sum over the @cases of a boot of the means over its repetitions; boot by boot. */
typedef void (*store_boot_counter_fn)(void *arg, const char *variant, long long boot,
				      const char *name, double value, unsigned cases);
int store_each_boot_counter(struct store *s, const char *run_id, store_boot_counter_fn fn,
			    void *arg, struct error *err);

/* What earlier runs of an experiment took on a machine: mean seconds a boot and a repetition; 0
 * where nothing is known. */
int store_estimate(struct store *s, const char *experiment, const char *machine, double *boot_s,
		   double *repetition_s, struct error *err);

/* Boots of a run in the order they were started, for `show`. */
struct store_boot {
	char *variant, *state, *reason, *release;
	unsigned number, warnings, repetitions;
	double boot_s;
};
int store_boots(struct store *s, const char *run_id, struct store_boot **out, unsigned *count,
		struct error *err);
void store_boots_free(struct store_boot *boots, unsigned count);

#endif
