// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/schedstat.h"
#include "run/output.h"
#include "run/repetition.h"
#include "util/file.h"
#include "util/xalloc.h"

#define MAX_ARTIFACTS 4
#define NAME_LIMIT    100

/* What one repetition yields on its way into the store. */
struct record {
	struct output output;
	struct store_counter counters[SCHEDSTAT_MAX];
	unsigned counters_count;
	struct store_artifact artifacts[MAX_ARTIFACTS];
	unsigned artifacts_count;
};

int artifact_describe(struct store *store, const char *kind, const char *file,
		      struct store_artifact *a, struct error *err)
{
	char *path = path_join(store_directory(store), file);
	struct stat st;
	int ret = 0;

	a->kind = kind;
	a->path = file;
	if (stat(path, &st))
		ret = error_sys(err, errno, "cannot look at '%s'", path);
	else
		ret = file_sha256(path, a->sha256, err);
	a->bytes = ret ? 0 : st.st_size;
	free(path);
	return ret;
}

/* Case keys become file names: whatever is not harmless there is replaced, long ones are cut. */
static char *artifact_name(const struct repetition_spec *spec, const char *kind)
{
	char *name = xstrndup(spec->kase->key, NAME_LIMIT);
	char *path;

	for (char *p = name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=,-_",
			    *p))
			*p = '_';
	path = xasprintf("%s/c%u-%s.r%u.%s", spec->folder, spec->item->kase, name,
			 spec->item->repetition, kind);
	free(name);
	return path;
}

/* No fsync: the row holds the checksum, and a file lost with the power is told by it. */
static int keep(struct store *store, struct record *r, const struct repetition_spec *spec,
		const char *kind, const char *text, size_t len, struct error *err)
{
	struct store_artifact *a = &r->artifacts[r->artifacts_count];
	char *file = artifact_name(spec, kind);
	char *path = path_join(store_directory(store), file);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	int ret = 0;

	if (fd < 0 || write_all(fd, text, len))
		ret = error_sys(err, errno, "cannot write '%s'", path);
	if (fd >= 0 && close(fd) && !ret)
		ret = error_sys(err, errno, "cannot write '%s'", path);
	free(path);
	if (ret) {
		free(file);
		return -1;
	}
	*a = (struct store_artifact){.kind = kind, .path = file, .bytes = len};
	data_sha256(text, len, a->sha256);
	r->artifacts_count++;
	return 0;
}

static int keep_snapshot(struct store *store, struct record *r, const struct repetition_spec *spec,
			 const char *kind, json_t *files, struct error *err)
{
	json_t *text = json_object_get(files, SCHEDSTAT_FILE);

	if (!json_is_string(text))
		return 0;
	return keep(store, r, spec, kind, json_string_value(text), json_string_length(text), err);
}

/* Statistics that cannot be read are told once, as the reason in the progress; never as zeros. */
static void read_counters(struct record *r, const struct agent_run_reply *reply,
			  struct repetition_result *result)
{
	const char *before = json_string_value(json_object_get(reply->before, SCHEDSTAT_FILE));
	const char *after = json_string_value(json_object_get(reply->after, SCHEDSTAT_FILE));
	struct schedstat_delta delta;
	struct error err = ERROR_INIT;

	if (!before || !after)
		return;
	if (schedstat_diff(before, after, &delta, &err)) {
		snprintf(result->reason, sizeof(result->reason), "%.500s", err.msg);
		return;
	}
	for (unsigned i = 0; i < delta.counts; i++)
		r->counters[r->counters_count++] =
			(struct store_counter){delta.counters[i].name, delta.counters[i].value};
}

/* "ok", "failed" or "timeout", with a reason for the last two. */
static const char *judge(struct record *r, const struct agent_run_reply *reply,
			 const struct experiment *e, struct repetition_result *result)
{
	struct error err = ERROR_INIT;
	char *last = output_last_error(&r->output);
	const char *status = "failed";

	if (reply->timed_out) {
		status = "timeout";
		snprintf(result->reason, sizeof(result->reason), "not done after %g s",
			 e->timeout_ms / 1000.0);
	} else if (reply->signal) {
		snprintf(result->reason, sizeof(result->reason), "killed by signal %d (%s)",
			 reply->signal, strsignal(reply->signal));
	} else if (reply->exit_status) {
		snprintf(result->reason, sizeof(result->reason), "exit status %d%s%s",
			 reply->exit_status, *last ? ": " : "", last);
	} else if (output_samples(&r->output, e->workload.name, e->workload.backend, &err)) {
		snprintf(result->reason, sizeof(result->reason), "%.500s", err.msg);
	} else {
		status = "ok";
		result->ok = true;
		result->value = r->output.values[0].value;
		snprintf(result->unit, sizeof(result->unit), "%s", r->output.values[0].unit);
	}
	free(last);
	return status;
}

static int store_record(struct store *store, struct record *r, const struct repetition_spec *spec,
			const struct agent_run_reply *reply, struct repetition_result *result,
			struct error *err)
{
	const char *status = judge(r, reply, spec->experiment, result);
	struct store_repetition rep = {.kase = spec->kase->key,
				       .repetition = spec->item->repetition,
				       .warmup = spec->item->warmup,
				       .status = status,
				       .reason = result->ok ? NULL : result->reason,
				       .values = r->output.values,
				       .values_count = result->ok ? r->output.values_count : 0,
				       .counters = r->counters,
				       .artifacts = r->artifacts,
				       .wall_s = reply->wall_s,
				       .user_s = reply->user_s,
				       .system_s = reply->system_s,
				       .max_rss_kb = reply->max_rss_kb,
				       .voluntary_switches = reply->voluntary_switches,
				       .involuntary_switches = reply->involuntary_switches};

	if (result->ok)
		read_counters(r, reply, result);
	if (keep(store, r, spec, "out", r->output.out.buf, r->output.out.len, err) ||
	    (r->output.err.len &&
	     keep(store, r, spec, "err", r->output.err.buf, r->output.err.len, err)) ||
	    keep_snapshot(store, r, spec, "schedstat-before", reply->before, err) ||
	    keep_snapshot(store, r, spec, "schedstat-after", reply->after, err))
		return -1;
	rep.counters_count = r->counters_count;
	rep.artifacts_count = r->artifacts_count;
	return store_repetition_add(store, spec->boot, &rep, err);
}

static void record_release(struct record *r)
{
	output_release(&r->output);
	for (unsigned i = 0; i < r->artifacts_count; i++)
		free((char *)r->artifacts[i].path);
}

enum agent_status repetition_run(struct session *s, struct store *store,
				 const struct repetition_spec *spec,
				 struct repetition_result *result, bool *store_failed,
				 struct error *err)
{
	static const char *const schedstat_files[] = {SCHEDSTAT_FILE, NULL};
	struct record r = {.output = OUTPUT_INIT};
	struct agent_run_request request = {.argv = strlist_argv(&spec->kase->argv),
					    .cpus = spec->kase->cpus,
					    .timeout_ms = spec->experiment->timeout_ms,
					    .snapshots = s->schedstat ? schedstat_files : NULL,
					    .on_line = output_line,
					    .arg = &r.output};
	struct agent_run_reply reply = {0};
	enum agent_status status;

	memset(result, 0, sizeof(*result));
	*store_failed = false;
	status = agent_run(s->agent, &request, &reply, err);
	if (status == AGENT_REFUSED) {
		/* The program could not be started there: a failure of this case alone. */
		reply.exit_status = 127;
		output_line(&r.output, true, err->msg, strlen(err->msg));
		status = AGENT_OK;
	}
	if (status == AGENT_OK && store_record(store, &r, spec, &reply, result, err)) {
		*store_failed = true;
		status = AGENT_REFUSED;
	}
	agent_run_reply_release(&reply);
	record_release(&r);
	return status;
}
