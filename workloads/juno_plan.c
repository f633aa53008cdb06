// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "juno.h"
#include "number.h"
#include "sysfile.h"

enum { BIGGEST = 1024 };

int64_t juno_capacity(const char *sys, int cpu)
{
	char path[512];
	int64_t v;

	snprintf(path, sizeof(path), "%s/cpu/cpu%d/cpu_capacity", sys, cpu);
	return sysfile_number(path, &v) || v < 1 ? BIGGEST : v;
}

/* The next word of a list "a,b,c"; false: there is none. */
static bool next_word(const char **list, char *word, size_t size)
{
	size_t len;

	if (!*list)
		return false;
	len = strcspn(*list, ",");
	snprintf(word, size, "%.*s", (int)(len < size ? len : size - 1), *list);
	*list = (*list)[len] ? *list + len + 1 : NULL;
	return true;
}

static int count_words(const char *list)
{
	int n = 1;

	for (; *list; list++)
		n += *list == ',';
	return n;
}

static int alloc_pins(struct juno_plan *plan, int tasks, struct error *err)
{
	plan->tasks = tasks;
	plan->pins = calloc((size_t)tasks, sizeof(*plan->pins));
	return plan->pins ? 0 : error_sys(err, ENOMEM, "cannot list %d tasks", tasks);
}

static int pin_by_list(const struct juno *p, struct juno_plan *plan, struct error *err)
{
	const char *list = p->pin;
	int n = count_words(list);
	char word[32];
	int64_t cpu;

	if (p->tasks && p->tasks != n)
		return error_set(err, ERROR_USAGE, "--pin: %d CPUs for %" PRId64 " tasks", n,
				 p->tasks);
	if (alloc_pins(plan, n, err))
		return -1;
	for (int i = 0; next_word(&list, word, sizeof(word)); i++) {
		if (number_int("--pin", word, 0, CPUMASK_BITS - 1, &cpu, err))
			return -1;
		if (!cpumask_has(&plan->allowed, (int)cpu))
			return error_set(err, ERROR_USAGE, "--pin: CPU %s may not be used", word);
		plan->pins[i] = (int)cpu;
	}
	return 0;
}

static int pin_automatically(const struct juno *p, struct juno_plan *plan, const char *sys,
			     struct error *err)
{
	int n = cpumask_count(&plan->allowed), fast = -1, slow = -1, i = 0;

	if (p->tasks && p->tasks != n)
		return error_set(err, ERROR_USAGE,
				 "--tasks %" PRId64 " on %d CPUs needs a layout (--pin)", p->tasks,
				 n);
	if (n < 2)
		return error_set(err, ERROR_USAGE, "needs two CPUs or more");
	if (alloc_pins(plan, n, err))
		return -1;
	for (int cpu = cpumask_first(&plan->allowed); cpu >= 0;
	     cpu = cpumask_next(&plan->allowed, cpu)) {
		if (fast < 0 || juno_capacity(sys, cpu) > juno_capacity(sys, fast))
			fast = cpu;
		if (slow < 0 || juno_capacity(sys, cpu) <= juno_capacity(sys, slow))
			slow = cpu;
	}
	plan->pins[i++] = fast;
	for (int cpu = cpumask_first(&plan->allowed); cpu >= 0;
	     cpu = cpumask_next(&plan->allowed, cpu))
		if (cpu != slow)
			plan->pins[i++] = cpu;
	return 0;
}

/* "10s@1024": time of a CPU of that capacity. */
static int parse_work(const struct juno *p, struct juno_plan *plan, struct error *err)
{
	const char *at = strchr(p->work, '@');
	int64_t ns, capacity = BIGGEST;
	char time[32];

	snprintf(time, sizeof(time), "%.*s", at ? (int)(at - p->work) : (int)sizeof(time) - 1,
		 p->work);
	if (number_time("--work", time, "s", 1000000, 86400 * 1000000000LL, &ns, err) ||
	    (at && number_int("--work", at + 1, 1, 1 << 20, &capacity, err)))
		return -1;
	plan->work_ns = (uint64_t)((double)ns * (double)capacity / BIGGEST);
	if (p->model == JUNO_CPUTIME)
		return 0;
	if (!p->rate)
		return error_set(
			err, ERROR_USAGE,
			"--rate is needed: measure it once with --calibrate, and give the same"
			" to all kernels");
	plan->steps = (uint64_t)((double)plan->work_ns / 1e9 * (double)p->rate);
	return 0;
}

/* One speed for each CPU number, the last one for all further ones; default: the capacities. */
static int parse_speeds(const struct juno *p, struct juno_plan *plan, const char *sys,
			struct error *err)
{
	const char *list = p->speed;
	char word[32];
	int64_t v = 0;

	if (p->model != JUNO_CPUTIME)
		return p->speed ? error_set(err, ERROR_USAGE, "--speed is for --work-model cputime")
				: 0;
	plan->speeds = calloc(CPUMASK_BITS, sizeof(*plan->speeds));
	if (!plan->speeds)
		return error_sys(err, ENOMEM, "cannot list the speeds");
	for (int cpu = 0; cpu < CPUMASK_BITS; cpu++) {
		if (next_word(&list, word, sizeof(word)) &&
		    number_int("--speed", word, 1, 1 << 20, &v, err))
			return -1;
		if (!p->speed && cpumask_has(&plan->allowed, cpu))
			v = juno_capacity(sys, cpu);
		plan->speeds[cpu] = v;
	}
	return 0;
}

int juno_plan(const struct juno *p, const struct cpumask *allowed, const char *sys,
	      struct juno_plan *plan, struct error *err)
{
	int rc;

	*plan = (struct juno_plan){.allowed = *allowed, .spare = *allowed};
	if (!strcmp(p->pin, "auto"))
		rc = pin_automatically(p, plan, sys, err);
	else
		rc = pin_by_list(p, plan, err);
	if (rc || parse_work(p, plan, err) || parse_speeds(p, plan, sys, err))
		return -1;
	for (int i = 0; i < plan->tasks; i++)
		plan->spare.words[plan->pins[i] / CPUMASK_WORD] &=
			~(1UL << (plan->pins[i] % CPUMASK_WORD));
	return 0;
}

void juno_plan_release(struct juno_plan *plan)
{
	free(plan->pins);
	free(plan->speeds);
}
