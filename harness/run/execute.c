// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "run/adaptive.h"
#include "run/execute.h"
#include "run/progress.h"
#include "run/repetition.h"
#include "run/session.h"
#include "util/file.h"
#include "util/interrupt.h"
#include "util/xalloc.h"

/* One process's work on a run. */
struct execution {
	struct setup *setup;
	struct store *store;
	const char *run_id;
	bool *done; /* [boot of the plan][case][repetition] */
	struct progress progress;
	struct execute_result *result;
	bool schedstat_told;
};

static size_t done_index(const struct execution *x, unsigned boot, unsigned kase, unsigned rep)
{
	unsigned rounds = x->setup->experiment->warmup + x->setup->experiment->repetitions;

	return (size_t)boot * x->setup->plan.items_per_boot + (size_t)kase * rounds + rep;
}

static int find_boot(const struct execution *x, const char *variant, unsigned number)
{
	const struct plan *plan = &x->setup->plan;
	const struct experiment *e = x->setup->experiment;

	for (unsigned i = 0; i < plan->boots_count; i++)
		if (plan->boots[i].number == number &&
		    !strcmp(e->variants[plan->boots[i].variant].name, variant))
			return i;
	return -1;
}

static void mark_done(void *arg, const char *variant, unsigned boot_number, const char *kase,
		      unsigned repetition, bool ok)
{
	struct execution *x = arg;
	int boot = find_boot(x, variant, boot_number);
	int k = plan_find_case(&x->setup->plan, kase);
	unsigned rounds = x->setup->experiment->warmup + x->setup->experiment->repetitions;
	bool *done;

	if (boot < 0 || k < 0 || repetition >= rounds)
		return;
	done = &x->done[done_index(x, boot, k, repetition)];
	if (*done)
		return;
	*done = true;
	x->setup->plan.boots[boot].left--;
	x->result->failed_samples += !ok;
}

/* Run what is left of a boot. The repetition in progress is the most that can be lost. */
static enum agent_status run_items(struct execution *x, struct session *s, unsigned boot,
				   int64_t row, const char *folder, bool *store_failed,
				   struct error *err)
{
	struct plan *plan = &x->setup->plan;
	struct plan_item *items = plan_items(plan, &plan->boots[boot]);
	const struct experiment *e = x->setup->experiment;
	const char *variant = e->variants[plan->boots[boot].variant].name;
	enum agent_status status = AGENT_OK;

	for (unsigned i = 0; status == AGENT_OK && i < plan->items_per_boot; i++) {
		const struct plan_item *item = &items[i];
		const struct plan_case *kase = &plan->cases[item->kase];
		struct repetition_spec spec = {e, kase, item, row, folder};
		struct repetition_result result;
		size_t index = done_index(x, boot, item->kase, item->repetition);

		if (x->done[index])
			continue;
		if (interrupt_pending(x->setup->interrupt_fd)) {
			status = AGENT_INTERRUPTED;
			break;
		}
		status = repetition_run(s, x->store, &spec, &result, store_failed, err);
		if (status != AGENT_OK)
			break;
		x->done[index] = true;
		plan->boots[boot].left--;
		if (result.ok) {
			progress_step(&x->progress, "%s boot %u, %s: %.4g %s", variant,
				      plan->boots[boot].number, kase->key, result.value,
				      result.unit);
		} else {
			x->result->failed_samples++;
			progress_step(&x->progress, "%s", "");
		}
		if (*result.reason)
			progress_note(&x->progress, "%s, boot %u, %s, repetition %u: %s", variant,
				      plan->boots[boot].number, kase->key, item->repetition + 1,
				      result.reason);
	}
	free(items);
	return status;
}

static int store_facts(struct execution *x, struct session *s, int64_t row, struct error *err)
{
	struct store_boot_facts facts = {.release = s->hello.release,
					 .version = s->hello.version,
					 .cmdline = s->hello.cmdline,
					 .features = s->hello.features,
					 .hwloc_xml = s->hello.hwloc_xml,
					 .boot_s = s->boot_s};
	const char *accel = target_accel(s->target);
	struct store_run run;
	int ret;

	if (store_run_find(x->store, x->run_id, &run, err))
		return -1;
	if (*run.accel && strcmp(run.accel, accel))
		ret = error_set(err, ERROR_FAILED,
				"the run began on '%s' and this boot is on '%s': they are not "
				"comparable (start a new run)",
				run.accel, accel);
	else
		ret = *run.accel ? 0
				 : store_run_set_accel(x->store, x->run_id, accel,
						       target_note(s->target), err);
	store_run_release(&run);
	return ret ? -1 : store_boot_facts(x->store, row, &facts, err);
}

/* The console's log is complete only once the machine has ended. */
static int store_console(struct execution *x, int64_t row, const char *file, struct error *err)
{
	char *path = path_join(store_directory(x->store), file);
	struct store_artifact a;
	int ret = 0;

	if (path_exists(path))
		ret = artifact_describe(x->store, "console", file, &a, err) ||
				      store_artifact_add(x->store, row, &a, err)
			      ? -1
			      : 0;
	free(path);
	return ret;
}

enum attempt { ATTEMPT_OK, ATTEMPT_FAILED, ATTEMPT_RETRY, ATTEMPT_ABORT };

/* With a working agent: run, then end the machine. */
static enum attempt use_session(struct execution *x, struct session *s, unsigned boot, int64_t row,
				const char *folder, struct session_failure *failure,
				struct error *err)
{
	bool store_failed = false;
	enum agent_status status;

	if (x->setup->schedstat && !s->schedstat && !x->schedstat_told) {
		x->schedstat_told = true;
		progress_note(&x->progress,
			      "kernel %s has no scheduler statistics: monitor "
			      "schedstat has nothing to read there",
			      s->hello.release);
	}
	if (store_facts(x, s, row, err)) {
		session_close(s);
		return ATTEMPT_ABORT;
	}
	status = run_items(x, s, boot, row, folder, &store_failed, err);
	if (status == AGENT_OK || store_failed) {
		failure->warnings = session_close(s);
		return store_failed ? ATTEMPT_ABORT : ATTEMPT_OK;
	}
	session_fail(s, status, failure, err);
	return status == AGENT_INTERRUPTED ? ATTEMPT_ABORT
	       : failure->retry		   ? ATTEMPT_RETRY
					   : ATTEMPT_FAILED;
}

static void open_spec(struct session_spec *spec, const struct execution *x, unsigned boot,
		      const char *console)
{
	const struct setup *s = x->setup;
	unsigned v = s->plan.boots[boot].variant;

	*spec = (struct session_spec){
		.machine = s->machine,
		.kernel = s->kernels[v],
		.image = &s->images[v],
		.variant = &s->experiment->variants[v],
		.console_log = console,
		.agent_path = s->agent_path,
		.workload_path = s->workload_path,
		.extra_files = s->originals.count ? strlist_argv(&s->originals) : NULL,
		.interrupt_fd = s->interrupt_fd,
		.schedstat = s->schedstat};
}

/* One physical boot; whatever becomes of it is stored under its row. */
static enum attempt attempt_boot(struct execution *x, unsigned boot, int64_t row,
				 const char *folder, struct error *err)
{
	char *file = xasprintf("%s/console.log", folder);
	char *console = path_join(store_directory(x->store), file);
	struct session_failure failure = {.state = "ok"};
	struct session_spec spec;
	struct session session;
	struct error store_err = ERROR_INIT;
	enum attempt ret;

	open_spec(&spec, x, boot, console);
	if (session_open(&session, &spec, &failure, err))
		ret = failure.retry ? ATTEMPT_RETRY
		      : err->kind == ERROR_FAILED && !strcmp(failure.state, "refused")
			      ? ATTEMPT_FAILED
			      : ATTEMPT_ABORT;
	else
		ret = use_session(x, &session, boot, row, folder, &failure, err);
	if ((store_console(x, row, file, &store_err) ||
	     store_boot_end(x->store, row,
			    ret == ATTEMPT_ABORT && !strcmp(failure.state, "ok") ? "aborted"
										 : failure.state,
			    ret == ATTEMPT_OK ? NULL : err->msg, failure.warnings, &store_err)) &&
	    ret != ATTEMPT_ABORT) {
		*err = store_err;
		ret = ATTEMPT_ABORT;
	}
	free(console);
	free(file);
	return ret;
}

/* A build in the middle of a run would put another generator into the next guest. */
static int check_workload(const struct execution *x, struct error *err)
{
	char hash[SHA256_HEX_SIZE];

	if (setup_workload_hash(x->setup, hash, err))
		return -1;
	if (strcmp(hash, x->setup->workload_sha256))
		return error_set(err, ERROR_FAILED, "'%s'%s was changed during the run",
				 x->setup->workload_path,
				 x->setup->originals.count ? ", or the original," : "");
	return 0;
}

static enum attempt start_boot(struct execution *x, unsigned boot, struct error *err)
{
	const struct plan_boot *b = &x->setup->plan.boots[boot];
	const char *variant = x->setup->experiment->variants[b->variant].name;
	enum attempt ret = ATTEMPT_ABORT;
	char *folder, *path;
	int64_t row;

	if (check_workload(x, err) ||
	    store_boot_begin(x->store, x->run_id, variant, b->number, &row, err))
		return ATTEMPT_ABORT;
	folder = xasprintf("%s/boot-%04ld", x->run_id, (long)row);
	path = path_join(store_directory(x->store), folder);
	progress_status(&x->progress, "%s boot %u starts", variant, b->number);
	if (!make_directories(path, err))
		ret = attempt_boot(x, boot, row, folder, err);
	free(path);
	free(folder);
	return ret;
}

/* A boot with its retries: 0 whether it worked or was given up, -1 where the run cannot go on. */
static int run_boot(struct execution *x, unsigned boot, struct error *err)
{
	const struct plan_boot *b = &x->setup->plan.boots[boot];
	const char *variant = x->setup->experiment->variants[b->variant].name;
	unsigned tries = x->setup->experiment->retries + 1;

	for (unsigned try = 1; try <= tries; try++) {
		enum attempt ret = start_boot(x, boot, err);

		if (ret == ATTEMPT_ABORT)
			return -1;
		if (ret == ATTEMPT_OK) {
			progress_note(&x->progress, "%s boot %u/%u done", variant, b->number,
				      x->setup->plan.boots_count /
					      x->setup->experiment->variants_count);
			return 0;
		}
		progress_note(&x->progress, "%s boot %u failed (attempt %u of %u): %s", variant,
			      b->number, try, ret == ATTEMPT_RETRY ? tries : try, err->msg);
		if (ret == ATTEMPT_FAILED)
			break;
	}
	x->result->failed_boots++;
	return 0;
}

/* Two processes on one run would measure each other. */
static int lock_run(const struct execution *x, struct error *err)
{
	char *folder = path_join(store_directory(x->store), x->run_id);
	char *path = path_join(folder, "lock");
	int fd = -1;

	if (!make_directories(folder, err)) {
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0)
			error_sys(err, errno, "cannot open '%s'", path);
	}
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		error_set(err, ERROR_FAILED, "another schedbench is working on run '%s'",
			  x->run_id);
		close(fd);
		fd = -1;
	}
	free(path);
	free(folder);
	return fd;
}

/* Has a block been begun? Then it is completed without asking again. */
static bool block_begun(const struct execution *x, unsigned first)
{
	unsigned variants = x->setup->experiment->variants_count;

	for (unsigned v = 0; v < variants; v++)
		if (x->setup->plan.boots[first + v].left < x->setup->plan.items_per_boot)
			return true;
	return false;
}

/* After @blocks of them: is another one needed? The answer and its reason are told. */
static int decide(struct execution *x, unsigned blocks, bool *more, struct error *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = adaptive_decide(x->store, x->run_id, &x->setup->plan, blocks, more, &why, err);

	if (!ret && !*more)
		progress_end(&x->progress);
	if (!ret)
		progress_note(&x->progress, "%s", why.buf);
	strbuf_release(&why);
	return ret;
}

/* Before a block beyond `boots:`: 1 go on, 0 that is enough, -1 @err. */
static int another_block(struct execution *x, unsigned boot, struct error *err)
{
	const struct experiment *e = x->setup->experiment;
	unsigned blocks = boot / e->variants_count;
	bool more;

	if (boot % e->variants_count || blocks < e->boots || block_begun(x, boot))
		return 1;
	return decide(x, blocks, &more, err) ? -1 : more;
}

static int run_boots(struct execution *x, struct error *err)
{
	const struct plan *plan = &x->setup->plan;
	bool adaptive = x->setup->experiment->precision > 0, more;

	for (unsigned boot = 0; boot < plan->boots_count; boot++) {
		int go_on = adaptive ? another_block(x, boot, err) : 1;

		if (go_on <= 0)
			return go_on;
		if (plan->boots[boot].left && run_boot(x, boot, err))
			return -1;
	}
	/* With max_boots reached there is nothing to decide, but something to tell. */
	return adaptive ? decide(x, x->setup->experiment->max_boots, &more, err) : 0;
}

static int read_done(struct execution *x, struct error *err)
{
	const struct plan *plan = &x->setup->plan;

	x->done = xcalloc((size_t)plan->boots_count * plan->items_per_boot, sizeof(*x->done));
	return store_each_done(x->store, x->run_id, mark_done, x, err);
}

int execute_left(struct setup *setup, struct store *store, const char *run_id, struct error *err)
{
	struct execute_result unused = {0};
	struct execution x = {.setup = setup, .store = store, .run_id = run_id, .result = &unused};
	int ret = read_done(&x, err);

	free(x.done);
	return ret;
}

static int run_plan(struct execution *x, struct error *err)
{
	const struct plan *plan = &x->setup->plan;
	unsigned total = plan->boots_count * plan->items_per_boot;
	unsigned left = 0;

	if (store_run_set_state(x->store, x->run_id, "running", err) ||
	    store_boots_abandon(x->store, x->run_id, err) || read_done(x, err))
		return -1;
	for (unsigned i = 0; i < plan->boots_count; i++)
		left += plan->boots[i].left;
	progress_init(&x->progress, x->progress.out, total, total - left);
	return run_boots(x, err);
}

int execute_run(struct setup *setup, struct store *store, const char *run_id, bool quiet,
		struct execute_result *result, struct error *err)
{
	struct execution x = {.setup = setup, .store = store, .run_id = run_id, .result = result};
	struct error ignored = ERROR_INIT;
	const char *state;
	int lock = lock_run(&x, err);
	int ret;

	*result = (struct execute_result){0};
	if (lock < 0)
		return -1;
	x.progress.out = quiet ? NULL : stderr;
	ret = run_plan(&x, err);
	progress_finish(&x.progress);
	state = ret ? (err->kind == ERROR_INTERRUPTED ? "interrupted" : "incomplete")
		: result->failed_boots ? "incomplete"
				       : "done";
	if (store_run_set_state(store, run_id, state, ret ? &ignored : err))
		ret = -1;
	free(x.done);
	close(lock);
	return ret;
}
