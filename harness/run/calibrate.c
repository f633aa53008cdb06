// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "run/calibrate.h"
#include "run/programs.h"
#include "util/strbuf.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define CALIBRATE_TIMEOUT_MS 120000

static const char *param(const struct experiment *e, const char *key)
{
	for (unsigned i = 0; i < e->workload.params_count; i++)
		if (!strcmp(e->workload.params[i].key, key))
			return e->workload.params[i].value;
	for (unsigned i = 0; i < e->sweep_count; i++)
		if (!strcmp(e->sweep[i].param, key))
			return e->sweep[i].values[0];
	return NULL;
}

static bool lacks_rate(const struct experiment *e)
{
	const char *model = param(e, "work-model");

	return !strcmp(e->workload.name, "juno") && e->workload.backend == BACKEND_OWN &&
	       !param(e, "rate") && !param(e, "calibrate") && (!model || strcmp(model, "cputime"));
}

static int read_rate(const char *text, double *rate, struct error *err)
{
	json_t *root = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);

	*rate = json_number_value(json_object_get(root, "value"));
	json_decref(root);
	return *rate >= 1 ? 0
			  : error_set(err, ERROR_FAILED,
				      "schedbench-workload juno --calibrate gave no rate");
}

int calibrate_workload(const struct experiment *e, char **set, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	char *program;
	double rate;
	int ret;

	*set = NULL;
	if (!lacks_rate(e))
		return 0;
	if (strcmp(e->machine, "host"))
		return error_set(
			err, ERROR_USAGE,
			"juno needs the rate of a CPU of '%s' (measure it once there with "
			"'schedbench-workload juno --calibrate' and write params: {rate: N}, "
			"or use work-model: cputime)",
			e->machine);
	program = program_path("schedbench-workload", err);
	if (!program)
		return -1;
	ret = subprocess_output((const char *const[]){program, "juno", "--calibrate", "--json",
						      NULL},
				CALIBRATE_TIMEOUT_MS, &out, err);
	if (!ret)
		ret = read_rate(out.buf, &rate, err);
	if (!ret)
		*set = xasprintf("workload.params.rate=%.0f", rate);
	strbuf_release(&out);
	free(program);
	return ret ? -1 : 1;
}
