// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "run/programs.h"
#include "run/setup.h"
#include "run/workload_check.h"
#include "topology/location.h"
#include "topology/machine_topology.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/xalloc.h"

static int load_kernels(struct setup *s, struct error *err)
{
	struct experiment *e = s->experiment;

	s->kernels = xcalloc(e->variants_count, sizeof(*s->kernels));
	s->images = xcalloc(e->variants_count, sizeof(*s->images));
	for (unsigned i = 0; i < e->variants_count; i++)
		if (kernel_load(&s->kernels[i], e->variants[i].kernel, err))
			return -1;
	return 0;
}

static int check_monitors(struct setup *s, struct error *err)
{
	for (unsigned i = 0; i < s->experiment->monitors_count; i++) {
		if (strcmp(s->experiment->monitors[i], "schedstat"))
			return error_set(err, ERROR_USAGE,
					 "monitor '%s' is not supported (schedstat is)",
					 s->experiment->monitors[i]);
		s->schedstat = true;
	}
	return 0;
}

int setup_workload_hash(const struct setup *s, char hex[SHA256_HEX_SIZE], struct error *err)
{
	struct strbuf all = STRBUF_INIT;
	int ret = file_sha256(s->workload_path, hex, err);

	if (ret || !s->originals.count)
		return ret;
	strbuf_addstr(&all, hex);
	for (size_t i = 0; !ret && i < s->originals.count; i++) {
		ret = file_sha256(s->originals.items[i], hex, err);
		strbuf_addf(&all, " %s", hex);
	}
	if (!ret)
		data_sha256(all.buf, all.len, hex);
	strbuf_release(&all);
	return ret;
}

static int resolve_pin(struct plan_case *c, hwloc_topology_t topology, struct error *err)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int ret = location_cpus(topology, c->cpus, cpus, err);

	if (!ret) {
		free(c->cpus);
		hwloc_bitmap_list_asprintf(&c->cpus, cpus);
	}
	hwloc_bitmap_free(cpus);
	return ret;
}

/* CPUs given as locations become lists of CPUs of the machine. */
static int resolve_pins(struct setup *s, struct error *err)
{
	hwloc_topology_t topology;
	int ret = 0;

	if (!plan_is_pinned(&s->plan))
		return 0;
	if (machine_topology(&topology, s->machine, err))
		return -1;
	for (unsigned i = 0; !ret && i < s->plan.cases_count; i++)
		if (s->plan.cases[i].cpus)
			ret = resolve_pin(&s->plan.cases[i], topology, err);
	hwloc_topology_destroy(topology);
	return ret ? error_prefix(err, "%s: pin on machine '%s': ", s->experiment->file,
				  s->machine->name)
		   : 0;
}

static int draw_seed(struct setup *s, uint64_t *seed, struct error *err)
{
	if (!*seed)
		*seed = s->experiment->seed;
	/* SQLite and YAML keep signed numbers: 62 bits are plenty. */
	while (!*seed) {
		if (getrandom(seed, sizeof(*seed), 0) != sizeof(*seed))
			return error_sys(err, errno, "cannot draw a seed");
		*seed >>= 2;
	}
	return 0;
}

/* By the program for this host, whatever the guest's is. */
static int check_workload(struct setup *s, struct error *err)
{
	char *program;
	int ret;

	if (s->machine->arch != ARCH_X86_64 && s->experiment->workload.backend == BACKEND_PEER)
		return error_set(err, ERROR_USAGE,
				 "backend peer runs programs of this host, and machine '%s' is %s "
				 "(use backend: own)",
				 s->machine->name, arch_name(s->machine->arch));
	program = program_path("schedbench-workload", err);
	ret = program ? workload_check(&s->plan, program, &s->originals, err) : -1;
	free(program);
	return ret;
}

int setup_init(struct setup *s, struct experiment *e, uint64_t seed, struct error *err)
{
	memset(s, 0, sizeof(*s));
	s->experiment = e;
	s->interrupt_fd = -1;
	if (check_monitors(s, err) || machine_load(&s->machine, e->machine, err) ||
	    (strcmp(e->scale, "1/1") && machine_scale(s->machine, e->scale, err)) ||
	    machine_check_tcg(s->machine, err) || load_kernels(s, err) || draw_seed(s, &seed, err))
		return -1;
	s->agent_path = guest_program_path(s->machine, "schedbench-agent", err);
	s->workload_path =
		s->agent_path ? guest_program_path(s->machine, "schedbench-workload", err) : NULL;
	if (!s->workload_path)
		return -1;
	plan_init(&s->plan, e, seed);
	if (resolve_pins(s, err) || check_workload(s, err))
		return -1;
	return setup_workload_hash(s, s->workload_sha256, err);
}

int setup_kernels(struct setup *s, struct error *err)
{
	for (unsigned i = 0; i < s->experiment->variants_count; i++)
		if (kernel_prepare(&s->images[i], s->kernels[i], err))
			return -1;
	s->interrupt_fd = interrupt_open(err);
	return s->interrupt_fd < 0 ? -1 : 0;
}

void setup_release(struct setup *s)
{
	for (unsigned i = 0; s->kernels && i < s->experiment->variants_count; i++) {
		kernel_free(s->kernels[i]);
		kernel_image_release(&s->images[i]);
	}
	free(s->kernels);
	free(s->images);
	if (s->interrupt_fd >= 0)
		close(s->interrupt_fd);
	plan_release(&s->plan);
	machine_free(s->machine);
	experiment_free(s->experiment);
	free(s->agent_path);
	free(s->workload_path);
	strlist_release(&s->originals);
	memset(s, 0, sizeof(*s));
}

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* "juno-r2: 6 CPUs (2 of capacity 1024, 4 of 383), QEMU guest (arm64, virtual time)" */
static char *clusters_line(const struct machine *m)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s: %u CPUs (", m->name, machine_cpus(m));
	for (unsigned i = 0; i < m->clusters_count; i++) {
		unsigned cpus = 0;

		for (unsigned cpu = 0; cpu < machine_cpus(m); cpu++)
			cpus += cluster_has(&m->clusters[i], cpu);
		strbuf_addf(&line, "%s%u of %s%u", i ? ", " : "", cpus, i ? "" : "capacity ",
			    m->clusters[i].capacity);
	}
	strbuf_addf(&line, "%s), QEMU guest (%s%s)", m->shared_cache ? ", one shared cache" : "",
		    arch_name(m->arch), m->time == TIME_VIRTUAL ? ", virtual time" : "");
	return strbuf_detach(&line);
}

char *setup_machine_line(const struct setup *s)
{
	const struct machine *m = s->machine;
	const struct topology *t = &m->topology;
	const char *scaled = strcmp(s->experiment->scale, "1/1") ? s->experiment->scale : NULL;
	char *dies = NULL, *line;

	if (m->type == MACHINE_HOST)
		return xasprintf("%s: %u CPUs", m->name, machine_cpus(m));
	if (m->clusters)
		return clusters_line(m);
	if (t->dies > 1)
		dies = xasprintf("%u dies x ", t->dies);
	line = xasprintf("%s: %u CPUs (%u package%s x %s%u core%s x %u thread%s), %u NUMA node%s, "
			 "QEMU guest%s%s%s",
			 m->name, machine_cpus(m), t->packages, plural(t->packages),
			 dies ? dies : "", t->cores, plural(t->cores), t->threads,
			 plural(t->threads), t->nodes, plural(t->nodes),
			 m->time == TIME_VIRTUAL ? " (virtual time)" : "", scaled ? ", scale " : "",
			 scaled ? scaled : "");
	free(dies);
	return line;
}

static json_t *switches(const struct key_value *kv, unsigned count, json_t *into)
{
	for (unsigned i = 0; i < count; i++)
		json_object_set_new(into, kv[i].key, json_string(kv[i].value));
	return into;
}

/* The variant's own switches after the recipe's, as they are set. */
static char *settings_text(const struct kernel *k, const struct variant *v)
{
	json_t *features = switches(k->features, k->features_count, json_object());
	json_t *sysctl = switches(k->sysctl, k->sysctl_count, json_object());
	json_t *all = json_object();
	char *text;

	json_object_set_new(all, "features", switches(v->features, v->features_count, features));
	json_object_set_new(all, "sysctl", switches(v->sysctl, v->sysctl_count, sysctl));
	text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(all);
	return text;
}

int setup_create_run(const struct setup *s, struct store *store, char **id, struct error *err)
{
	const struct experiment *e = s->experiment;
	struct store_new_variant *variants = xcalloc(e->variants_count, sizeof(*variants));
	char *line = setup_machine_line(s);
	struct store_new_run run = {.experiment = e->name,
				    .title = e->title,
				    .text = e->text,
				    .machine = s->machine->name,
				    .description = line,
				    .program_version = SCHEDBENCH_VERSION,
				    .workload_sha256 = s->workload_sha256,
				    .seed = s->plan.seed,
				    .boots = e->boots,
				    .repetitions = e->repetitions,
				    .variants = variants,
				    .variants_count = e->variants_count};
	int ret;

	for (unsigned i = 0; i < e->variants_count; i++)
		variants[i] = (struct store_new_variant){
			.name = e->variants[i].name,
			.kernel = s->kernels[i]->name,
			.release = s->images[i].release ? s->images[i].release : "",
			.identity = s->images[i].identity ? s->images[i].identity : "",
			.settings = settings_text(s->kernels[i], &e->variants[i])};
	ret = store_run_create(store, &run, id, err);
	for (unsigned i = 0; i < e->variants_count; i++)
		free((char *)variants[i].settings);
	free(variants);
	free(line);
	return ret;
}

static int check_variant(const struct setup *s, unsigned i, const struct store_variant *then,
			 struct error *err)
{
	const char *now = s->images[i].identity ? s->images[i].identity : "";

	if (strcmp(s->experiment->variants[i].name, then->name))
		return error_set(err, ERROR_USAGE, "the run has other variants than its text");
	if (strcmp(now, then->identity))
		return error_set(err, ERROR_USAGE,
				 "kernel '%s' was '%s' when the run began and is '%s' now (start a "
				 "new run)",
				 then->kernel, then->identity, now);
	return 0;
}

int setup_check_resume(const struct setup *s, struct store *store, const struct store_run *run,
		       struct error *err)
{
	struct store_variant *variants;
	unsigned count;
	int ret = 0;

	if (strcmp(run->workload_sha256, s->workload_sha256))
		return error_set(
			err, ERROR_USAGE,
			"schedbench-workload%s is not the program that run '%s' began with "
			"(start a new run)",
			s->originals.count ? ", or the original that it runs," : "", run->id);
	if (store_variants(store, run->id, &variants, &count, err))
		return -1;
	if (count != s->experiment->variants_count)
		ret = error_set(err, ERROR_USAGE, "the run has other variants than its text");
	for (unsigned i = 0; !ret && i < count; i++)
		ret = check_variant(s, i, &variants[i], err);
	store_variants_free(variants, count);
	return ret;
}
