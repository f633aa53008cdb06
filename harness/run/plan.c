// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "run/plan.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Uniform below @n, without the bias of a plain remainder. */
static unsigned random_below(uint64_t *state, unsigned n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t r;

	do
		r = next_random(state);
	while (r >= limit);
	return r % n;
}

/* Fisher-Yates: a permutation of 0 .. @n - 1. */
static void shuffle(unsigned *order, unsigned n, uint64_t *state)
{
	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	for (unsigned i = n; i > 1; i--) {
		unsigned j = random_below(state, i);
		unsigned t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
}

/* A flag of the generator: true and false switch one on or leave it out. */
static void add_flag(struct plan_case *c, const char *key, const char *value)
{
	if (!strcmp(value, "true"))
		strlist_addf(&c->argv, "--%s", key);
	else if (strcmp(value, "false"))
		strlist_addf(&c->argv, "--%s=%s", key, value);
}

static void set_cpus(struct plan_case *c, const char *pin)
{
	free(c->cpus);
	c->cpus = strcmp(pin, "all") ? xstrdup(pin) : NULL;
}

static void init_case(struct plan_case *c, const struct experiment *e, unsigned index)
{
	struct strbuf key = STRBUF_INIT;

	strlist_add(&c->argv, "schedbench-workload");
	strlist_add(&c->argv, e->workload.name);
	strlist_add(&c->argv, "--json");
	if (e->workload.backend == BACKEND_PEER)
		strlist_add(&c->argv, "--backend=peer");
	set_cpus(c, e->pin);
	/* A generator may have a flag "pin" of its own; the axis of that name is the harness's. */
	for (unsigned i = 0; i < e->workload.params_count; i++)
		add_flag(c, e->workload.params[i].key, e->workload.params[i].value);
	for (unsigned a = 0, left = index; a < e->sweep_count; a++) {
		const struct sweep_axis *axis = &e->sweep[a];
		unsigned below = 1;

		for (unsigned b = a + 1; b < e->sweep_count; b++)
			below *= e->sweep[b].values_count;
		if (!strcmp(axis->param, "pin"))
			set_cpus(c, axis->values[left / below]);
		else
			add_flag(c, axis->param, axis->values[left / below]);
		strbuf_addf(&key, "%s%s=%s", a ? "," : "", axis->param, axis->values[left / below]);
		left %= below;
	}
	if (!e->sweep_count)
		strbuf_addstr(&key, "default");
	c->key = strbuf_detach(&key);
}

static void init_boots(struct plan *plan, const struct experiment *e)
{
	unsigned variants = e->variants_count;
	unsigned *order = xcalloc(variants, sizeof(*order));
	uint64_t state = plan->seed;
	unsigned n = 0;

	unsigned blocks = e->max_boots > e->boots ? e->max_boots : e->boots;

	plan->boots_count = variants * blocks;
	plan->boots = xcalloc(plan->boots_count, sizeof(*plan->boots));
	if (e->order == ORDER_SEQUENTIAL) {
		for (; n < plan->boots_count; n++)
			plan->boots[n] = (struct plan_boot){.variant = n / e->boots,
							    .number = n % e->boots + 1,
							    .left = plan->items_per_boot};
	} else {
		for (unsigned b = 1; b <= blocks; b++) {
			shuffle(order, variants, &state);
			for (unsigned v = 0; v < variants; v++)
				plan->boots[n++] = (struct plan_boot){.variant = order[v],
								      .number = b,
								      .left = plan->items_per_boot};
		}
	}
	free(order);
}

void plan_init(struct plan *plan, const struct experiment *e, uint64_t seed)
{
	memset(plan, 0, sizeof(*plan));
	plan->experiment = e;
	plan->seed = seed;
	plan->cases_count = 1;
	for (unsigned a = 0; a < e->sweep_count; a++)
		plan->cases_count *= e->sweep[a].values_count;
	plan->cases = xcalloc(plan->cases_count, sizeof(*plan->cases));
	for (unsigned i = 0; i < plan->cases_count; i++)
		init_case(&plan->cases[i], e, i);
	plan->items_per_boot = plan->cases_count * (e->warmup + e->repetitions);
	init_boots(plan, e);
}

bool plan_is_pinned(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->cases_count; i++)
		if (plan->cases[i].cpus)
			return true;
	return false;
}

void plan_release(struct plan *plan)
{
	for (unsigned i = 0; i < plan->cases_count; i++) {
		free(plan->cases[i].key);
		free(plan->cases[i].cpus);
		strlist_release(&plan->cases[i].argv);
	}
	free(plan->cases);
	free(plan->boots);
	memset(plan, 0, sizeof(*plan));
}

struct plan_item *plan_items(const struct plan *plan, const struct plan_boot *boot)
{
	const struct experiment *e = plan->experiment;
	unsigned rounds = e->warmup + e->repetitions;
	struct plan_item *items = xcalloc(plan->items_per_boot, sizeof(*items));
	unsigned *order = xcalloc(plan->cases_count, sizeof(*order));
	/* Each boot has an order of its own, whichever boots were run before it. */
	uint64_t state = plan->seed ^ ((uint64_t)boot->variant << 32 | boot->number);
	unsigned n = 0;

	for (unsigned i = 0; i < plan->items_per_boot; i++) {
		unsigned round = i / plan->cases_count;

		if (e->order == ORDER_SEQUENTIAL) {
			items[n++] =
				(struct plan_item){i / rounds, i % rounds, i % rounds < e->warmup};
			continue;
		}
		if (i % plan->cases_count == 0)
			shuffle(order, plan->cases_count, &state);
		items[n++] =
			(struct plan_item){order[i % plan->cases_count], round, round < e->warmup};
	}
	free(order);
	return items;
}

int plan_find_case(const struct plan *plan, const char *key)
{
	for (unsigned i = 0; i < plan->cases_count; i++)
		if (!strcmp(plan->cases[i].key, key))
			return i;
	return -1;
}
