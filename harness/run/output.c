// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/output.h"
#include "util/xalloc.h"

#define MAX_TEXT (16u << 20) /* kept of one stream; a generator prints a few lines */
#define MAX_NAME 64

void output_line(void *arg, bool is_stderr, const char *line, size_t len)
{
	struct output *o = arg;
	struct strbuf *sb = is_stderr ? &o->err : &o->out;

	if (sb->len + len + 1 > MAX_TEXT) {
		o->cut |= !is_stderr;
		return;
	}
	strbuf_add(sb, line, len);
	strbuf_addch(sb, '\n');
}

/* Names end up in tables and file names of plots: printable, without blanks, short. */
static bool good_name(const char *s)
{
	size_t len = strlen(s);

	if (!len || len > MAX_NAME)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s == 127)
			return false;
	return true;
}

static bool seen(const struct output *o, const char *metric)
{
	for (unsigned i = 0; i < o->values_count; i++)
		if (!strcmp(o->values[i].metric, metric))
			return true;
	return false;
}

/* A generator of another origin may not say; it is one of ours then. */
static int check_backend(json_t *line, enum backend backend, struct error *err)
{
	const char *name = json_string_value(json_object_get(line, "backend"));
	bool peer = name && !strcmp(name, "peer");

	if (peer == (backend == BACKEND_PEER))
		return 0;
	return error_set(err, ERROR_FAILED, "the workload printed a sample of backend %s",
			 peer ? "peer" : "own");
}

static int add_sample(struct output *o, json_t *line, const char *workload, enum backend backend,
		      struct error *err)
{
	const char *name = NULL, *metric = NULL, *unit = NULL, *better = NULL;
	double value;
	json_t *v;

	if (json_unpack(line, "{s:s, s:s, s:s, s:s, s:o}", "workload", &name, "metric", &metric,
			"unit", &unit, "better", &better, "value", &v) ||
	    !json_is_number(v) || !good_name(metric) || !good_name(unit))
		return error_set(err, ERROR_FAILED,
				 "the workload printed a sample that is not complete");
	if (strcmp(name, workload))
		return error_set(err, ERROR_FAILED, "the workload printed a sample of another one");
	if (check_backend(line, backend, err))
		return -1;
	if (strcmp(better, "lower") && strcmp(better, "higher"))
		return error_set(err, ERROR_FAILED,
				 "the workload printed a sample without a direction");
	value = json_number_value(v);
	if (!isfinite(value))
		return error_set(err, ERROR_FAILED, "the workload printed no finite value for '%s'",
				 metric);
	if (seen(o, metric))
		return error_set(err, ERROR_FAILED, "the workload printed '%s' twice", metric);
	xgrow(o->values, o->values_count, o->values_cap);
	o->values[o->values_count++] = (struct store_value){
		.metric = xstrdup(metric),
		.unit = xstrdup(unit),
		.better = !strcmp(better, "lower") ? "lower" : "higher",
		.value = value,
	};
	return 0;
}

int output_samples(struct output *o, const char *workload, enum backend backend, struct error *err)
{
	int ret = 0;

	/* What was left out may have been samples. */
	if (o->cut)
		return error_set(err, ERROR_FAILED, "the workload printed more than %u MiB",
				 MAX_TEXT >> 20);
	for (const char *p = o->out.buf; !ret && *p;) {
		size_t len = strcspn(p, "\n");

		if (*p == '{') {
			json_t *line = json_loadb(p, len, JSON_REJECT_DUPLICATES, NULL);

			if (line)
				ret = add_sample(o, line, workload, backend, err);
			else
				ret = error_set(err, ERROR_FAILED,
						"the workload printed malformed JSON");
			json_decref(line);
		}
		p += len + (p[len] == '\n');
	}
	if (!ret && !o->values_count)
		ret = error_set(err, ERROR_FAILED, "the workload ended well but printed no sample");
	return ret;
}

/* A line as printable ASCII; the caller frees. */
static char *printable(const char *line, size_t len)
{
	char *text = xstrndup(line, len);

	for (char *p = text; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = *p == '\t' ? ' ' : '?';
	return text;
}

char *output_last_error(const struct output *o)
{
	const char *end = o->err.buf + strlen(o->err.buf);
	const char *start;

	while (end > o->err.buf && strchr(" \t\r\n", end[-1]))
		end--;
	for (start = end; start > o->err.buf && start[-1] != '\n'; start--)
		;
	if (end - start > 300)
		end = start + 300;
	return printable(start, end - start);
}

void output_release(struct output *o)
{
	for (unsigned i = 0; i < o->values_count; i++) {
		free((char *)o->values[i].metric);
		free((char *)o->values[i].unit);
	}
	free(o->values);
	strbuf_release(&o->out);
	strbuf_release(&o->err);
	*o = (struct output)OUTPUT_INIT;
}
