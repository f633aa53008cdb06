// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <unistd.h>

#include "monitor/schedstat.h"
#include "run/session.h"
#include "topology/machine_topology.h"
#include "topology/truth.h"
#include "util/clock.h"

#define SET_TIMEOUT_MS	60000
#define BYE_TIMEOUT_MS	30000
#define KILL_TIMEOUT_MS 1000

static void end_machine(struct session *s, int timeout_ms)
{
	agent_hello_release(&s->hello);
	agent_client_free(s->agent);
	target_shutdown(s->target, timeout_ms);
	memset(s, 0, sizeof(*s));
}

void session_fail(struct session *s, enum agent_status status, struct session_failure *failure,
		  struct error *err)
{
	struct strbuf why = STRBUF_INIT;
	enum target_end end;

	*failure = (struct session_failure){.state = "refused"};
	if (status == AGENT_INTERRUPTED) {
		failure->state = "interrupted";
		error_set(err, ERROR_INTERRUPTED, "interrupted");
	} else if (status == AGENT_LOST || status == AGENT_TIMEOUT) {
		end = target_diagnose(s->target, status == AGENT_TIMEOUT, &why);
		failure->state = target_end_name(end);
		failure->retry = true;
		error_set(err, ERROR_FAILED, "%s: %s", failure->state, why.buf);
	}
	failure->warnings = target_console_warnings(s->target);
	strbuf_release(&why);
	end_machine(s, KILL_TIMEOUT_MS);
}

/* Another kernel than the one asked for must never end up in its column. */
static enum agent_status verify_kernel(struct session *s, const struct session_spec *spec,
				       struct error *err)
{
	const char *want = spec->image->release;

	if (!want || !*want || !strcmp(want, s->hello.release))
		return AGENT_OK;
	error_set(err, ERROR_FAILED, "kernel '%s' runs where '%s' was to be booted",
		  s->hello.release, want);
	return AGENT_REFUSED;
}

/*
 * A guest with another topology than the profile's proves nothing about it. What this kernel does
 * not tell (no /proc/schedstat, no sysfs) is not compared.
 */
static enum agent_status verify_topology(struct session *s, const struct session_spec *spec,
					 struct error *err)
{
	static const char *const files[] = {SCHEDSTAT_FILE, NULL};
	enum agent_status status;
	hwloc_topology_t expected;
	const char *text;
	json_t *snapshot;
	int ret = 0;

	if (spec->machine->type != MACHINE_QEMU)
		return AGENT_OK;
	status = agent_snapshot(s->agent, SET_TIMEOUT_MS, files, &snapshot, err);
	if (status != AGENT_OK)
		return status;
	text = json_string_value(json_object_get(snapshot, SCHEDSTAT_FILE));
	ret = machine_topology(&expected, spec->machine, err);
	if (!ret) {
		if (s->hello.hwloc_xml)
			ret = truth_topology(expected, s->hello.hwloc_xml, err);
		if (!ret && text)
			ret = truth_domains(expected, text, err);
		hwloc_topology_destroy(expected);
	}
	json_decref(snapshot);
	return ret ? AGENT_REFUSED : AGENT_OK;
}

static enum agent_status set_switches(struct session *s, const struct session_spec *spec,
				      struct error *err)
{
	const struct kernel *k = spec->kernel;
	const struct variant *v = spec->variant;
	enum agent_status status = AGENT_OK;

	if (k->features_count || k->sysctl_count)
		status = agent_set(s->agent, SET_TIMEOUT_MS, k->features, k->features_count,
				   k->sysctl, k->sysctl_count, err);
	if (status == AGENT_OK && v && (v->features_count || v->sysctl_count))
		status = agent_set(s->agent, SET_TIMEOUT_MS, v->features, v->features_count,
				   v->sysctl, v->sysctl_count, err);
	return status;
}

static enum agent_status enable_schedstat(struct session *s, struct error *err)
{
	const struct key_value on = {(char *)SCHEDSTAT_SYSCTL, (char *)"1"};
	enum agent_status status = agent_set(s->agent, SET_TIMEOUT_MS, NULL, 0, &on, 1, err);

	s->schedstat = status == AGENT_OK;
	return status == AGENT_REFUSED ? AGENT_OK : status;
}

int session_open(struct session *s, const struct session_spec *spec,
		 struct session_failure *failure, struct error *err)
{
	struct target_spec ts = {.machine = spec->machine,
				 .kernel = spec->image,
				 .kernel_cmdline = spec->kernel->cmdline,
				 .console_log = spec->console_log,
				 .agent_path = spec->agent_path,
				 .workload_path = spec->workload_path,
				 .extra_files = spec->extra_files,
				 .terminal = spec->terminal,
				 .interrupt_fd = spec->interrupt_fd};
	double start = monotonic_s();
	enum agent_status status;

	memset(s, 0, sizeof(*s));
	if (target_boot(&s->target, &ts, err)) {
		*failure = (struct session_failure){
			.state = err->kind == ERROR_INTERRUPTED ? "interrupted" : "not-started"};
		return -1;
	}
	s->agent = agent_client_new(target_fd(s->target), target_end_fd(s->target),
				    spec->interrupt_fd);
	status = agent_hello(s->agent, spec->machine->boot_timeout_ms, &s->hello, err);
	s->boot_s = monotonic_s() - start;
	if (status == AGENT_OK)
		status = verify_kernel(s, spec, err);
	if (status == AGENT_OK)
		status = verify_topology(s, spec, err);
	target_hold(s->target, true);
	if (status == AGENT_OK)
		status = set_switches(s, spec, err);
	if (status == AGENT_OK && spec->schedstat)
		status = enable_schedstat(s, err);
	target_hold(s->target, false);
	if (status == AGENT_OK)
		return 0;
	session_fail(s, status, failure, err);
	return -1;
}

unsigned session_close(struct session *s)
{
	struct error ignored = ERROR_INIT;
	unsigned warnings = target_console_warnings(s->target);

	agent_bye(s->agent, BYE_TIMEOUT_MS, &ignored);
	end_machine(s, BYE_TIMEOUT_MS);
	return warnings;
}
