// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "target/target.h"
#include "target/target_ops.h"

/* The linker puts the registrations side by side; weak, since a program may have none. */
extern const struct target_ops *const __start_target_kinds[] __attribute__((weak));
extern const struct target_ops *const __stop_target_kinds[] __attribute__((weak));

static const struct target_ops *find_ops(enum machine_type type)
{
	// cppcheck-suppress comparePointers
	for (const struct target_ops *const *p = __start_target_kinds; p < __stop_target_kinds; p++)
		if ((*p)->type == type)
			return *p;
	return NULL;
}

int target_boot(struct target **out, const struct target_spec *spec, struct error *err)
{
	const struct target_ops *ops = find_ops(spec->machine->type);

	*out = NULL;
	if (!ops)
		return error_set(err, ERROR_USAGE,
				 "machine '%s' is of a kind that this build cannot boot",
				 spec->machine->name);
	if (ops->boot(out, spec, err))
		return -1;
	(*out)->ops = ops;
	return 0;
}

int target_fd(const struct target *t)
{
	return t->fd;
}

int target_end_fd(const struct target *t)
{
	return t->end_fd;
}

const char *target_accel(const struct target *t)
{
	return t->accel;
}

const char *target_note(const struct target *t)
{
	return t->note;
}

void target_hold(struct target *t, bool hold)
{
	if (t->ops->hold)
		t->ops->hold(t, hold);
}

enum target_end target_diagnose(struct target *t, bool timed_out, struct strbuf *why)
{
	return t->ops->diagnose(t, timed_out, why);
}

const char *target_end_name(enum target_end end)
{
	static const char *const names[] = {
		[TARGET_RUNNING] = "running",	    [TARGET_OFF] = "off",
		[TARGET_PANIC] = "panic",	    [TARGET_HANG] = "hang",
		[TARGET_EARLY_EXIT] = "early-exit", [TARGET_QEMU_DIED] = "qemu-died",
	};

	return names[end];
}

unsigned target_console_warnings(const struct target *t)
{
	return t->ops->console_warnings ? t->ops->console_warnings(t) : 0;
}

void target_shutdown(struct target *t, int timeout_ms)
{
	if (t)
		t->ops->shutdown(t, timeout_ms);
}
