// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "run/workload_check.h"
#include "util/strbuf.h"
#include "util/subprocess.h"

#define ASK_TIMEOUT_MS 10000

/* The program's own words, less its name, on one line. */
static int refused(const struct experiment *e, const struct plan_case *c, struct strbuf *said,
		   struct error *err)
{
	static const char prefix[] = "schedbench-workload: ";
	const char *text = said->buf;
	int len;

	if (!strncmp(text, prefix, sizeof(prefix) - 1))
		text += sizeof(prefix) - 1;
	len = (int)strcspn(text, "\n");
	if (!strncmp(text, "unknown workload", 16))
		return error_set(err, ERROR_USAGE, "%.*s", len, text);
	/* What ends in parentheses has a remedy already. */
	if (len && text[len - 1] == ')')
		return error_set(err, ERROR_USAGE, "workload '%s', case %s: %.*s", e->workload.name,
				 c->key, len, text);
	return error_set(err, ERROR_USAGE,
			 "workload '%s', case %s: %.*s (see schedbench-workload %s --help)",
			 e->workload.name, c->key, len, text, e->workload.name);
}

/* What the generator answers to the command line of the case with @option behind it. */
static int ask(const struct plan *plan, const struct plan_case *c, const char *program,
	       const char *option, struct strbuf *out, struct error *err)
{
	struct strlist argv = STRLIST_INIT;
	struct strbuf said = STRBUF_INIT;
	int status, ret;

	strlist_add(&argv, program);
	for (size_t i = 1; i < c->argv.count; i++)
		strlist_add(&argv, c->argv.items[i]);
	strlist_add(&argv, option);
	ret = subprocess_capture(strlist_argv(&argv), ASK_TIMEOUT_MS, out, &said, &status, err);
	if (!ret && status)
		ret = refused(plan->experiment, c, &said, err);
	strlist_release(&argv);
	strbuf_release(&said);
	return ret;
}

/* With --help a generator parses all of its command line and runs nothing. */
static int check_own(const struct plan *plan, const struct plan_case *c, const char *program,
		     struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = ask(plan, c, program, "--help", &out, err);

	strbuf_release(&out);
	return ret;
}

/* The paths of @line, what --dry-run says about one program or file. */
static void add_original(const char *line, size_t len, struct strlist *originals)
{
	json_t *root = json_loadb(line, len, 0, NULL);
	const char *path = json_string_value(json_object_get(root, "path"));

	if (path && !strlist_has(originals, path))
		strlist_add(originals, path);
	json_decref(root);
}

/* With --dry-run it makes the original's command line, and says what that takes. */
static int check_peer(const struct plan *plan, const struct plan_case *c, const char *program,
		      struct strlist *originals, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = ask(plan, c, program, "--dry-run", &out, err);

	for (const char *p = out.buf; !ret && *p;) {
		size_t len = strcspn(p, "\n");

		add_original(p, len, originals);
		p += len + (p[len] == '\n');
	}
	strbuf_release(&out);
	return ret;
}

static int check_case(const struct plan *plan, const struct plan_case *c, const char *program,
		      struct strlist *originals, struct error *err)
{
	if (plan->experiment->workload.backend == BACKEND_PEER)
		return check_peer(plan, c, program, originals, err);
	return check_own(plan, c, program, err);
}

/* Parameters are parsed one by one: each value of each axis once is enough, not each product. */
static int check_parameters(const struct plan *plan, const char *program, struct strlist *originals,
			    struct error *err)
{
	const struct experiment *e = plan->experiment;
	unsigned below = plan->cases_count;

	if (check_case(plan, &plan->cases[0], program, originals, err))
		return -1;
	for (unsigned a = 0; a < e->sweep_count; a++) {
		below /= e->sweep[a].values_count;
		for (unsigned v = 1; v < e->sweep[a].values_count; v++)
			if (check_case(plan, &plan->cases[v * below], program, originals, err))
				return -1;
	}
	return 0;
}

/* The metrics that @line, what the program lists about one workload, has; of the original those
 * that its output gives. */
static void add_metrics(const char *line, size_t len, const struct workload_config *workload,
			struct strlist *metrics)
{
	json_t *root = json_loadb(line, len, 0, NULL), *metric;
	const char *name = json_string_value(json_object_get(root, "name"));
	size_t i;

	if (!name || strcmp(name, workload->name))
		;
	else if (workload->backend == BACKEND_PEER)
		json_array_foreach (json_object_get(json_object_get(root, "peer"), "metrics"), i,
				    metric)
			strlist_add(metrics, json_string_value(metric));
	else
		json_array_foreach (json_object_get(root, "metrics"), i, metric)
			strlist_add(metrics, json_string_value(json_object_get(metric, "name")));
	json_decref(root);
}

static int check_metric(const struct experiment *e, const char *program, struct error *err)
{
	const char *argv[] = {program, "list", "--json", NULL};
	struct strlist metrics = STRLIST_INIT;
	struct strbuf out = STRBUF_INIT, names = STRBUF_INIT;
	int ret = subprocess_output(argv, ASK_TIMEOUT_MS, &out, err);

	for (const char *p = out.buf; !ret && *p;) {
		size_t len = strcspn(p, "\n");

		add_metrics(p, len, &e->workload, &metrics);
		p += len + (p[len] == '\n');
	}
	for (size_t i = 0; i < metrics.count; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", metrics.items[i]);
	if (!ret && !strlist_has(&metrics, e->metric))
		ret = error_set(err, ERROR_USAGE, "workload '%s'%s has no metric '%s' (it has %s)",
				e->workload.name,
				e->workload.backend == BACKEND_PEER ? " with backend peer" : "",
				e->metric, names.buf);
	strbuf_release(&names);
	strbuf_release(&out);
	strlist_release(&metrics);
	return ret;
}

/* What the harness says to the program itself would contradict it there. */
static int check_name(const char *name, struct error *err)
{
	static const char *const ours[] = {"backend", "dry-run", "json", "help"};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(name, ours[i]))
			return error_set(err, ERROR_USAGE, "'%s' is no parameter of a workload%s",
					 name,
					 i ? "" : " (it stands beside params: workload.backend)");
	return 0;
}

static int check_names(const struct experiment *e, struct error *err)
{
	for (unsigned i = 0; i < e->workload.params_count; i++)
		if (check_name(e->workload.params[i].key, err))
			return -1;
	for (unsigned i = 0; i < e->sweep_count; i++)
		if (check_name(e->sweep[i].param, err))
			return -1;
	return 0;
}

int workload_check(const struct plan *plan, const char *program, struct strlist *originals,
		   struct error *err)
{
	if (check_names(plan->experiment, err) || check_parameters(plan, program, originals, err))
		return -1;
	return plan->experiment->metric ? check_metric(plan->experiment, program, err) : 0;
}
