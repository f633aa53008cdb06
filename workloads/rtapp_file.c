// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rtapp.h"
#include "rtapp_json.h"

enum { LARGEST_FILE = 4 << 20, NAMES = 256 };

struct reader {
	const char *name;
	struct rtapp_file *f;
	struct error *err;
	FILE *warnings;
	const char *barriers[NAMES]; /* names, pointing into the tree */
	const char *shared_timers[NAMES]; /* not "unique...": one thread only may have each */
	size_t nshared;
	const char *timers[NAMES]; /* of the task that is being read */
	size_t ntimers;
};

static int fail(const struct reader *r, const struct json_node *n, const char *what)
{
	return error_set(r->err, ERROR_USAGE, "%s:%u: '%.80s' %s", r->name, n->line,
			 n->key ? n->key : "", what);
}

static int no_memory(const struct reader *r)
{
	return error_sys(r->err, ENOMEM, "%s", r->name);
}

static int get_int(const struct reader *r, const struct json_node *n, int64_t min, int64_t max,
		   int64_t *value)
{
	if (n->kind != JSON_NUMBER || n->number != floor(n->number))
		return fail(r, n, "is not a whole number");
	if (n->number < (double)min || n->number > (double)max)
		return error_set(r->err, ERROR_USAGE,
				 "%s:%u: '%.80s' is out of range (%" PRId64 " to %" PRId64 ")",
				 r->name, n->line, n->key ? n->key : "", min, max);
	*value = (int64_t)n->number;
	return 0;
}

static int get_string(const struct reader *r, const struct json_node *n, const char **value)
{
	if (n->kind != JSON_STRING)
		return fail(r, n, "is not a string");
	*value = n->string;
	return 0;
}

static int get_copy(const struct reader *r, const struct json_node *n, char **value)
{
	const char *s = NULL;

	if (get_string(r, n, &s))
		return -1;
	*value = strdup(s);
	return *value ? 0 : no_memory(r);
}

static int get_cpus(const struct reader *r, const struct json_node *n, struct cpumask *mask)
{
	int64_t cpu;

	if (n->kind != JSON_ARRAY || !n->children)
		return fail(r, n, "is not a list of CPUs");
	for (const struct json_node *c = n->children; c; c = c->next) {
		if (c->kind != JSON_NUMBER || get_int(r, c, 0, CPUMASK_BITS - 1, &cpu))
			return fail(r, n, "has an element that is no CPU number");
		cpumask_add(mask, (int)cpu);
	}
	return 0;
}

static int get_policy(const struct reader *r, const struct json_node *n, int *policy)
{
	static const struct {
		const char *name;
		int policy;
	} known[] = {
		{"SCHED_OTHER", SCHED_OTHER}, {"SCHED_BATCH", SCHED_BATCH},
		{"SCHED_IDLE", SCHED_IDLE},   {"SCHED_FIFO", SCHED_FIFO},
		{"SCHED_RR", SCHED_RR},
	};
	const char *s = NULL;

	if (get_string(r, n, &s))
		return -1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, s))
			continue;
		*policy = known[i].policy;
		return 0;
	}
	return fail(r, n, "is none of SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR");
}

/* The index of @name in a list of names, which it is added to if it is new; -1: too many. */
static int intern(const char **names, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(names[i], name))
			return (int)i;
	if (*n == NAMES)
		return -1;
	names[*n] = name;
	return (int)(*n)++;
}

static const struct {
	const char *name;
	enum rtapp_event_kind kind;
} event_names[] = {
	/* "run" is a prefix of "runtime": the longer one first. */
	{"runtime", RTAPP_RUNTIME}, {"run", RTAPP_RUN},		{"sleep", RTAPP_SLEEP},
	{"timer", RTAPP_TIMER},	    {"barrier", RTAPP_BARRIER}, {"yield", RTAPP_YIELD},
};

/* Events match by prefix, as rt-app has it; what is not prefix and number is probably a mistake. */
static int find_event(const struct reader *r, const struct json_node *n,
		      enum rtapp_event_kind *kind)
{
	for (size_t i = 0; i < sizeof(event_names) / sizeof(event_names[0]); i++) {
		size_t len = strlen(event_names[i].name);
		const char *rest = n->key + len;

		if (strncmp(n->key, event_names[i].name, len))
			continue;
		if (*rest && !isdigit((unsigned char)*rest) && *rest != '_')
			fprintf(r->warnings, "warning: %s:%u: '%s' is taken for a %s event\n",
				r->name, n->line, n->key, event_names[i].name);
		*kind = event_names[i].kind;
		return 0;
	}
	return fail(r, n, "is not known here");
}

static int read_timer(struct reader *r, const struct json_node *n, struct rtapp_event *e)
{
	const char *ref = NULL, *mode = "relative";

	if (n->kind != JSON_OBJECT)
		return fail(r, n, "is not an object");
	e->us = -1;
	for (const struct json_node *m = n->children; m; m = m->next) {
		int rc;

		if (!strcmp(m->key, "ref"))
			rc = get_string(r, m, &ref);
		else if (!strcmp(m->key, "period"))
			rc = get_int(r, m, 1, INT64_C(86400000000), &e->us);
		else if (!strcmp(m->key, "mode"))
			rc = get_string(r, m, &mode);
		else
			rc = fail(r, m, "is not known in a timer");
		if (rc)
			return -1;
	}
	if (!ref || e->us < 0)
		return fail(r, n, "needs ref and period");
	e->absolute = !strcmp(mode, "absolute");
	if (!e->absolute && strcmp(mode, "relative"))
		return fail(r, n, "has a mode that is neither relative nor absolute");
	e->resource = intern(r->timers, &r->ntimers, ref);
	return e->resource < 0 ? fail(r, n, "is one timer too many") : 0;
}

static int read_event(struct reader *r, const struct json_node *n, struct rtapp_event *e)
{
	const char *s = NULL;

	if (find_event(r, n, &e->kind))
		return -1;
	switch (e->kind) {
	case RTAPP_RUN:
	case RTAPP_RUNTIME:
	case RTAPP_SLEEP:
		return get_int(r, n, 0, INT64_C(86400000000), &e->us);
	case RTAPP_TIMER:
		return read_timer(r, n, e);
	case RTAPP_BARRIER:
		if (get_string(r, n, &s))
			return -1;
		e->resource = intern(r->barriers, &r->f->nbarriers, s);
		return e->resource < 0 ? fail(r, n, "is one barrier too many") : 0;
	case RTAPP_YIELD:
		return 0;
	}
	return 0;
}

static size_t count_children(const struct json_node *n)
{
	size_t count = 0;

	for (n = n->children; n; n = n->next)
		count++;
	return count;
}

/* Keys that a task without phases has beside its events. */
static bool is_task_key(const char *key)
{
	static const char *const keys[] = {"instance", "loop",	   "delay",  "cpus",
					   "policy",   "priority", "phases", NULL};

	for (int i = 0; keys[i]; i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

/* @task: the events stand in the task itself, among its own keys. */
static int read_phase(struct reader *r, const struct json_node *n, bool task, struct rtapp_phase *p)
{
	if (n->kind != JSON_OBJECT)
		return fail(r, n, "is not an object");
	p->loop = 1;
	p->events = calloc(count_children(n) + 1, sizeof(*p->events));
	if (!p->events)
		return no_memory(r);
	for (const struct json_node *m = n->children; m; m = m->next) {
		int rc = 0;

		if (task && is_task_key(m->key))
			continue;
		if (!task && !strcmp(m->key, "loop"))
			rc = get_int(r, m, -1, INT64_C(1) << 40, &p->loop);
		else if (!task && !strcmp(m->key, "cpus"))
			rc = get_cpus(r, m, &p->cpus);
		else
			rc = read_event(r, m, &p->events[p->nevents++]);
		if (rc)
			return -1;
	}
	if (!p->nevents)
		return fail(r, n, "has no events");
	return p->loop ? 0 : fail(r, n, "has a loop of 0");
}

static int read_phases(struct reader *r, const struct json_node *task, struct rtapp_task *t)
{
	const struct json_node *phases = json_member(task, "phases");
	size_t n = 1;

	if (phases && phases->kind != JSON_OBJECT)
		return fail(r, phases, "is not an object");
	if (phases)
		n = count_children(phases);
	t->phases = calloc(n + 1, sizeof(*t->phases));
	if (!t->phases)
		return no_memory(r);
	if (!phases) {
		t->nphases = 1;
		return read_phase(r, task, true, &t->phases[0]);
	}
	for (const struct json_node *m = phases->children; m; m = m->next)
		if (read_phase(r, m, false, &t->phases[t->nphases++]))
			return -1;
	for (const struct json_node *m = task->children; m; m = m->next)
		if (!is_task_key(m->key))
			return fail(r, m, "stands beside phases: it would not be executed");
	return t->nphases ? 0 : fail(r, phases, "is empty");
}

static int read_task_key(const struct reader *r, const struct json_node *m, struct rtapp_task *t)
{
	int64_t v;

	if (!strcmp(m->key, "instance"))
		return get_int(r, m, 1, 100000, &t->instances);
	if (!strcmp(m->key, "loop"))
		return get_int(r, m, -1, INT64_C(1) << 40, &t->loop);
	if (!strcmp(m->key, "delay"))
		return get_int(r, m, 0, INT64_C(86400000000), &t->delay_us);
	if (!strcmp(m->key, "cpus"))
		return get_cpus(r, m, &t->cpus);
	if (!strcmp(m->key, "policy"))
		return get_policy(r, m, &t->policy);
	if (!strcmp(m->key, "priority")) {
		if (get_int(r, m, -20, 99, &v))
			return -1;
		t->priority = (int)v;
	}
	return 0;
}

/* A timer that several threads share expires for whoever comes first: nobody wants that. */
static int check_shared_timers(struct reader *r, const struct json_node *n,
			       const struct rtapp_task *t)
{
	for (size_t i = 0; i < r->ntimers; i++) {
		size_t before = r->nshared;

		if (!strncmp(r->timers[i], "unique", 6))
			continue;
		if (t->instances > 1 || intern(r->shared_timers, &r->nshared, r->timers[i]) < 0 ||
		    r->nshared == before)
			return error_set(
				r->err, ERROR_USAGE,
				"%s:%u: timer '%.80s' is shared by several threads (call it "
				"\"unique...\" for one each)",
				r->name, n->line, r->timers[i]);
	}
	return 0;
}

static int check_priority(const struct reader *r, const struct json_node *n,
			  const struct rtapp_task *t)
{
	bool realtime = t->policy == SCHED_FIFO || t->policy == SCHED_RR;

	if (realtime && t->priority < 1)
		return fail(r, n, "needs a priority of 1 to 99 for its policy");
	if (!realtime && t->priority > 19)
		return fail(r, n, "has a priority that is no nice value (-20 to 19)");
	return t->loop ? 0 : fail(r, n, "has a loop of 0");
}

static void count_barriers(struct rtapp_file *f, const struct rtapp_task *t, int64_t *threads)
{
	for (size_t b = 0; b < f->nbarriers; b++) {
		bool meets = false;

		for (size_t p = 0; p < t->nphases; p++)
			for (size_t e = 0; e < t->phases[p].nevents; e++)
				meets |= t->phases[p].events[e].kind == RTAPP_BARRIER &&
					 t->phases[p].events[e].resource == (int)b;
		threads[b] += meets ? t->instances : 0;
	}
}

static int read_task(struct reader *r, const struct json_node *n, int policy, struct rtapp_task *t)
{
	/* Without a number of loops a task never ends: so does rt-app. */
	*t = (struct rtapp_task){.instances = 1, .loop = -1, .policy = policy};
	if (n->kind != JSON_OBJECT)
		return fail(r, n, "is not an object");
	if (strchr(n->key, '/'))
		return fail(r, n, "is part of the name of a file and must have no slash");
	t->name = strdup(n->key);
	if (!t->name)
		return no_memory(r);
	for (const struct json_node *m = n->children; m; m = m->next)
		if (is_task_key(m->key) && read_task_key(r, m, t))
			return -1;
	r->ntimers = 0;
	if (read_phases(r, n, t))
		return -1;
	t->ntimers = r->ntimers;
	return check_priority(r, n, t) || check_shared_timers(r, n, t) ? -1 : 0;
}

static int read_calibration(const struct reader *r, const struct json_node *n)
{
	char *end;
	long cpu;

	if (n->kind == JSON_NUMBER)
		return get_int(r, n, 1, 1000000, &r->f->ns_per_loop);
	if (n->kind != JSON_STRING || strncmp(n->string, "CPU", 3) ||
	    !isdigit((unsigned char)n->string[3]))
		return fail(r, n, "is neither a number of ns nor \"CPUn\"");
	cpu = strtol(n->string + 3, &end, 10);
	if (*end || cpu >= CPUMASK_BITS)
		return fail(r, n, "is neither a number of ns nor \"CPUn\"");
	r->f->calibration_cpu = (int)cpu;
	r->f->ns_per_loop = 0;
	return 0;
}

static int read_global_key(const struct reader *r, const struct json_node *m, int *policy,
			   bool *logs)
{
	if (!strcmp(m->key, "duration"))
		return get_int(r, m, -1, 86400, &r->f->duration_s);
	if (!strcmp(m->key, "calibration"))
		return read_calibration(r, m);
	if (!strcmp(m->key, "default_policy"))
		return get_policy(r, m, policy);
	if (!strcmp(m->key, "logdir"))
		return get_copy(r, m, &r->f->logdir);
	if (!strcmp(m->key, "log_basename"))
		return get_copy(r, m, &r->f->log_basename);
	if (!strcmp(m->key, "lock_pages")) {
		r->f->lock_pages = m->truth;
		return m->kind == JSON_BOOL ? 0 : fail(r, m, "is neither true nor false");
	}
	if (!strcmp(m->key, "log_size")) {
		*logs = m->kind != JSON_STRING || strcmp(m->string, "disable");
		if (*logs && (m->kind != JSON_STRING || strcmp(m->string, "file")))
			return fail(r, m,
				    "is neither \"file\" nor \"disable\": other sizes are not "
				    "supported");
		return 0;
	}
	if (!strcmp(m->key, "ftrace")) {
		if ((m->kind == JSON_BOOL && !m->truth) ||
		    (m->kind == JSON_STRING && !strcmp(m->string, "none")))
			return 0;
		return fail(r, m, "is not supported but as false or \"none\"");
	}
	return fail(r, m, "is not known in global");
}

static int read_global(const struct reader *r, const struct json_node *n, int *policy)
{
	bool logs = true;

	if (n && n->kind != JSON_OBJECT)
		return fail(r, n, "is not an object");
	for (const struct json_node *m = n ? n->children : NULL; m; m = m->next)
		if (read_global_key(r, m, policy, &logs))
			return -1;
	if (!logs) {
		free(r->f->logdir);
		r->f->logdir = NULL;
	}
	if (r->f->log_basename && strchr(r->f->log_basename, '/'))
		return error_set(r->err, ERROR_USAGE, "%s: log_basename has a slash", r->name);
	if (!r->f->log_basename && !(r->f->log_basename = strdup("rt-app")))
		return no_memory(r);
	return 0;
}

static int check_end(const struct reader *r)
{
	for (size_t i = 0; i < r->f->ntasks && r->f->duration_s < 0; i++) {
		const struct rtapp_task *t = &r->f->tasks[i];
		bool forever = t->loop < 0;

		for (size_t p = 0; p < t->nphases; p++)
			forever |= t->phases[p].loop < 0;
		if (forever)
			return error_set(
				r->err, ERROR_USAGE,
				"%s: task '%.80s' never ends (give it a loop, or a duration)",
				r->name, t->name);
	}
	return 0;
}

static int read_tree(struct reader *r, const struct json_node *root)
{
	const struct json_node *tasks;
	int policy = SCHED_OTHER;

	if (root->kind != JSON_OBJECT || !(tasks = json_member(root, "tasks")) ||
	    tasks->kind != JSON_OBJECT || !tasks->children)
		return error_set(r->err, ERROR_USAGE, "%s: no tasks", r->name);
	for (const struct json_node *m = root->children; m; m = m->next)
		if (m != tasks && strcmp(m->key, "global"))
			return fail(r, m, "is not known here");
	if (read_global(r, json_member(root, "global"), &policy))
		return -1;
	r->f->tasks = calloc(count_children(tasks), sizeof(*r->f->tasks));
	if (!r->f->tasks)
		return no_memory(r);
	for (const struct json_node *m = tasks->children; m; m = m->next)
		if (read_task(r, m, policy, &r->f->tasks[r->f->ntasks++]))
			return -1;
	r->f->barrier_threads = calloc(r->f->nbarriers + 1, sizeof(*r->f->barrier_threads));
	if (!r->f->barrier_threads)
		return no_memory(r);
	for (size_t i = 0; i < r->f->ntasks; i++)
		count_barriers(r->f, &r->f->tasks[i], r->f->barrier_threads);
	return check_end(r);
}

int rtapp_file_parse(const char *name, const char *text, size_t size, struct rtapp_file *f,
		     struct error *err)
{
	struct reader r = {.name = name, .f = f, .err = err};
	struct json_node *root;
	size_t len;
	int rc = -1;

	*f = (struct rtapp_file){.duration_s = -1};
	root = json_parse(name, text, size, err);
	if (!root)
		return -1;
	r.warnings = open_memstream(&f->warnings, &len);
	if (!r.warnings)
		no_memory(&r);
	else
		rc = read_tree(&r, root);
	if (r.warnings && fclose(r.warnings))
		rc = no_memory(&r);
	json_free(root);
	return rc;
}

int rtapp_file_read(const char *path, struct rtapp_file *f, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = -1;
	char *text = NULL;
	struct stat st;

	*f = (struct rtapp_file){.duration_s = -1};
	if (fd < 0 || fstat(fd, &st))
		error_sys(err, errno, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode) || st.st_size > LARGEST_FILE)
		error_set(err, ERROR_USAGE, "'%s' is no file, or larger than %d bytes", path,
			  LARGEST_FILE);
	else if (!(text = malloc((size_t)st.st_size + 1)))
		error_sys(err, ENOMEM, "cannot read '%s'", path);
	else if (read(fd, text, (size_t)st.st_size) != st.st_size)
		error_sys(err, errno ? errno : EIO, "cannot read '%s'", path);
	else
		rc = rtapp_file_parse(path, text, (size_t)st.st_size, f, err);
	if (fd >= 0)
		close(fd);
	free(text);
	return rc;
}

void rtapp_file_release(struct rtapp_file *f)
{
	for (size_t i = 0; i < f->ntasks; i++) {
		for (size_t p = 0; p < f->tasks[i].nphases; p++)
			free(f->tasks[i].phases[p].events);
		free(f->tasks[i].phases);
		free(f->tasks[i].name);
	}
	free(f->tasks);
	free(f->logdir);
	free(f->log_basename);
	free(f->barrier_threads);
	free(f->warnings);
}
