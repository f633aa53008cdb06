// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "number.h"
#include "peer.h"

/* Set by the linker at both ends of the section that PEER() fills. */
extern const struct peer *const __start_peer_table[];
extern const struct peer *const __stop_peer_table[];

const struct peer *peer_of(const char *workload)
{
	for (const struct peer *const *p = __start_peer_table; p < __stop_peer_table; p++)
		if (!strcmp((*p)->workload, workload))
			return *p;
	return NULL;
}

static const struct option_spec *find_option(const struct peer_job *job, const char *name)
{
	for (const struct option_spec *s = job->workload->options; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	abort(); /* an adapter names an option that its workload does not have */
}

static const void *field_of(const struct peer_job *job, const struct option_spec *s)
{
	return (const char *)job->params + s->offset;
}

static int64_t number_of(const struct peer_job *job, const struct option_spec *s)
{
	const void *field = field_of(job, s);

	switch (s->type) {
	case OPTION_FLAG:
		return *(const bool *)field;
	case OPTION_SET:
		return *(const int *)field == s->value;
	case OPTION_CHOICE:
		return *(const int *)field;
	case OPTION_INT:
	case OPTION_SIZE:
	case OPTION_TIME:
		return *(const int64_t *)field;
	case OPTION_REAL:
	case OPTION_STRING:
		break;
	}
	abort();
}

int64_t peer_number(const struct peer_job *job, const char *name)
{
	return number_of(job, find_option(job, name));
}

double peer_real(const struct peer_job *job, const char *name)
{
	return *(const double *)field_of(job, find_option(job, name));
}

const char *peer_string(const struct peer_job *job, const char *name)
{
	return *(const char *const *)field_of(job, find_option(job, name));
}

int peer_arg(struct peer_command *c, struct error *err, const char *fmt, ...)
{
	size_t left = sizeof(c->text) - c->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(c->text + c->used, left, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= left || c->argc == PEER_ARGS)
		return error_set(err, ERROR_USAGE, "the arguments of '%s' are too long",
				 c->argc ? c->argv[0] : "the original");
	c->argv[c->argc++] = c->text + c->used;
	c->argv[c->argc] = NULL;
	c->used += (size_t)n + 1;
	return 0;
}

static bool is_switch(const struct option_spec *s)
{
	return s->type == OPTION_FLAG || s->type == OPTION_SET;
}

static bool same_value(const struct peer_job *a, const struct peer_job *b,
		       const struct option_spec *s)
{
	const char *x, *y;

	switch (s->type) {
	case OPTION_REAL:
		return !memcmp(field_of(a, s), field_of(b, s), sizeof(double));
	case OPTION_STRING:
		x = *(const char *const *)field_of(a, s);
		y = *(const char *const *)field_of(b, s);
		return x == y || (x && y && !strcmp(x, y));
	default:
		return number_of(a, s) == number_of(b, s);
	}
}

/* A switch that is off, since another one of its field is on, says nothing. */
static bool is_default(const struct peer_job *job, const struct peer_job *defaults,
		       const struct option_spec *s)
{
	return (is_switch(s) && !number_of(job, s)) || same_value(job, defaults, s);
}

static int add_time(struct peer_command *c, const struct peer_flag *f, int64_t ns,
		    struct error *err)
{
	int64_t unit = number_unit_ns(f->unit);

	if (ns % unit)
		return error_set(err, ERROR_USAGE, "'--%s' of %s is a whole number of %s", f->name,
				 c->argv[0], f->unit);
	return peer_arg(c, err, "%" PRId64, ns / unit);
}

static int add_value(struct peer_command *c, const struct peer_flag *f, const struct peer_job *job,
		     const struct option_spec *s, struct error *err)
{
	switch (s->type) {
	case OPTION_FLAG:
	case OPTION_SET:
		return 0;
	case OPTION_INT:
	case OPTION_SIZE:
		return peer_arg(c, err, "%" PRId64, number_of(job, s));
	case OPTION_TIME:
		return add_time(c, f, number_of(job, s), err);
	case OPTION_REAL:
		return peer_arg(c, err, "%.15g", *(const double *)field_of(job, s));
	case OPTION_STRING:
		return peer_arg(c, err, "%s", *(const char *const *)field_of(job, s));
	case OPTION_CHOICE:
		return peer_arg(c, err, "%s", s->choices[number_of(job, s)]);
	}
	abort();
}

static int add_flag(struct peer_command *c, const struct peer_flag *f, const struct peer_job *job,
		    const struct peer_job *defaults, struct error *err)
{
	const struct option_spec *s = find_option(job, f->name);
	bool unset = (is_switch(s) && !number_of(job, s)) ||
		     (s->type == OPTION_STRING && !*(const char *const *)field_of(job, s));

	if (!f->flag || unset || (f->changed_only && same_value(job, defaults, s)))
		return 0;
	if (*f->flag && peer_arg(c, err, "%s", f->flag))
		return -1;
	return add_value(c, f, job, s, err);
}

static const struct peer_flag *find_flag(const struct peer *peer, const char *name)
{
	for (const struct peer_flag *f = peer->flags; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static int check_known(const struct peer *peer, const struct peer_job *job,
		       const struct peer_job *defaults, struct error *err)
{
	for (const struct option_spec *s = job->workload->options; s->name; s++)
		if (!find_flag(peer, s->name) && !is_default(job, defaults, s))
			return error_set(err, ERROR_USAGE,
					 "the original of '%s', %s, has no '--%s' (leave it out, "
					 "or use backend own)",
					 peer->workload, peer->programs, s->name);
	return 0;
}

static int plan_for(const struct peer *peer, const struct peer_job *job,
		    const struct peer_job *defaults, struct peer_plan *plan, struct error *err)
{
	memset(plan, 0, sizeof(*plan));
	plan->copies = 1;
	if (check_known(peer, job, defaults, err) || peer->plan(job, plan, err))
		return -1;
	for (const struct peer_flag *f = peer->flags; f->name; f++)
		if (add_flag(&plan->client, f, job, defaults, err))
			return -1;
	return 0;
}

int peer_plan(const struct peer *peer, const struct peer_job *job, struct peer_plan *plan,
	      struct error *err)
{
	void *params = calloc(1, job->workload->params_size + 1);
	const struct option_spec *const tables[] = {job->workload->options, NULL};
	void *const bases[] = {params, NULL};
	const struct peer_job defaults = {job->workload, params};
	int rc;

	if (!params)
		return error_set(err, ERROR_FAILED, "no memory");
	rc = option_parse(tables, bases, 0, NULL, err) || plan_for(peer, job, &defaults, plan, err);
	free(params);
	return rc ? -1 : 0;
}

/* What execvp() would find; a guest's first process may have no PATH. */
static bool search_path(const char *name, char path[PEER_PATH])
{
	const char *folders = getenv("PATH");

	if (!folders || !*folders)
		folders = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	while (*folders) {
		size_t len = strcspn(folders, ":");
		int n = snprintf(path, PEER_PATH, "%.*s/%s", (int)len, folders, name);

		if (*path == '/' && n < PEER_PATH && !access(path, X_OK))
			return true;
		folders += len + (folders[len] == ':');
	}
	return false;
}

static int find_program(const struct peer *peer, struct peer_command *c, struct error *err)
{
	if (!c->argc || search_path(c->argv[0], c->path))
		return 0;
	return error_set(err, ERROR_USAGE, "no program '%s' in PATH (%s)", c->argv[0],
			 peer->source);
}

int peer_find(const struct peer *peer, struct peer_plan *plan, struct error *err)
{
	if (find_program(peer, &plan->client, err) || find_program(peer, &plan->server, err))
		return -1;
	if (plan->file && access(plan->file, R_OK))
		return error_set(err, ERROR_USAGE, "cannot read '%s' (%s)", plan->file,
				 peer->source);
	return 0;
}

static void print_command(const struct peer_command *c, const char *role, unsigned copies,
			  bool json)
{
	if (!c->argc)
		return;
	if (!json) {
		printf("%s: %s", role, c->path);
		for (unsigned i = 1; i < c->argc; i++)
			printf(" %s", c->argv[i]);
		if (copies > 1)
			printf(" (%u of them)", copies);
		putchar('\n');
		return;
	}
	fputs("{\"role\":", stdout);
	json_string(stdout, role);
	fputs(",\"path\":", stdout);
	json_string(stdout, c->path);
	printf(",\"copies\":%u,\"argv\":[", copies);
	for (unsigned i = 0; i < c->argc; i++) {
		if (i)
			putchar(',');
		json_string(stdout, c->argv[i]);
	}
	puts("]}");
}

void peer_print(const struct peer_plan *plan, bool json)
{
	print_command(&plan->server, "server", 1, json);
	print_command(&plan->client, "client", plan->copies, json);
	if (!plan->file)
		return;
	if (!json) {
		printf("file: %s\n", plan->file);
		return;
	}
	fputs("{\"role\":\"file\",\"path\":", stdout);
	json_string(stdout, plan->file);
	puts("}");
}

int peer_value(struct peer_values *v, const char *name, const char *unit, double value,
	       struct error *err)
{
	if (v->count == PEER_VALUES)
		return error_set(err, ERROR_FAILED, "more than %d values", PEER_VALUES);
	v->values[v->count].name = name;
	v->values[v->count].unit = unit;
	v->values[v->count++].value = value;
	return 0;
}

static bool gives(const struct peer *peer, const char *metric)
{
	for (const char *const *m = peer->metrics; *m; m++)
		if (!strcmp(*m, metric))
			return true;
	return false;
}

static const struct metric *find_metric(const struct peer_job *job, const char *name,
					const char *unit)
{
	for (const struct metric *m = job->workload->metrics; m->name; m++)
		if (!strcmp(m->name, name) && (!unit || !strcmp(m->unit, unit)))
			return m;
	abort(); /* an adapter gives a metric that its workload does not have */
}

int peer_store(const struct peer *peer, const struct peer_job *job, const struct peer_values *v,
	       struct outcome *out, struct error *err)
{
	if (!v->count)
		return error_set(err, ERROR_FAILED, "%s printed no value", peer->programs);
	for (size_t i = 0; i < v->count; i++) {
		const struct metric *m = find_metric(job, v->values[i].name, v->values[i].unit);

		if (!gives(peer, m->name))
			abort(); /* promised to the harness, which asks before it boots anything */
		if (outcome_value(out, m, v->values[i].value, err))
			return -1;
	}
	return 0;
}
