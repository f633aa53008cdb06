// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread repeats a table with every reply: one table, and all the places where it stands. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "published/assemble.h"
#include "util/xalloc.h"

/* Rows by hash, open addressing; the same row may be in several tables. */
struct index {
	struct slot {
		uint64_t hash; /* 0: empty */
		unsigned table;
	} * slots;
	size_t size, used;
};

static uint64_t hash_text(uint64_t h, const char *s)
{
	do
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	while (*s++);
	return h;
}

/* Everything of a row but where it stands. Names of prose differ with where a line was broken. */
static uint64_t hash_row(const struct table *t, const struct row *r)
{
	uint64_t h = 0xcbf29ce484222325u + t->style;
	char number[64];

	h = hash_text(h, r->group);
	h = hash_text(h, r->statistic);
	h = hash_text(h, t->style == STYLE_PROSE ? r->unit : r->name);
	for (unsigned i = 0; i < t->columns_count; i++) {
		const struct cell *c = &r->cells[i];

		snprintf(number, sizeof(number), "%s|%d%.6g|%d%.6g", c->text, c->has_change,
			 c->change, c->has_cv, c->cv);
		h = hash_text(h, number);
	}
	return h ? h : 1;
}

static void insert(struct index *x, uint64_t hash, unsigned table)
{
	size_t i = hash & (x->size - 1);

	while (x->slots[i].hash)
		i = (i + 1) & (x->size - 1);
	x->slots[i] = (struct slot){hash, table};
	x->used++;
}

static void grow(struct index *x)
{
	struct index larger = {.size = x->size ? x->size * 2 : 1024};

	larger.slots = xcalloc(larger.size, sizeof(*larger.slots));
	for (size_t i = 0; i < x->size; i++)
		if (x->slots[i].hash)
			insert(&larger, x->slots[i].hash, x->slots[i].table);
	free(x->slots);
	*x = larger;
}

static void add(struct index *x, uint64_t hash, unsigned table)
{
	if (x->used * 2 >= x->size)
		grow(x);
	insert(x, hash, table);
}

static bool has(const struct table *t, uint64_t hash)
{
	for (unsigned i = 0; i < t->rows_count; i++)
		if (hash_row(t, &t->rows[i]) == hash)
			return true;
	return false;
}

bool table_has_row(const struct table *t, const struct table *of, const struct row *r)
{
	return t->style == of->style && t->columns_count == of->columns_count &&
	       has(t, hash_row(of, r));
}

/* Has @whole every row of @part? */
static bool contains(const struct table *whole, const struct table *part)
{
	if (whole->columns_count != part->columns_count || whole->rows_count < part->rows_count)
		return false;
	for (unsigned i = 0; i < part->rows_count; i++)
		if (!has(whole, hash_row(part, &part->rows[i])))
			return false;
	return true;
}

/* A table that has the rows of @t or of which @t has all; UINT32_MAX: none. */
static unsigned find(const struct index *x, const struct tables *kept, const struct table *t)
{
	unsigned tried = 0;

	for (unsigned r = 0; r < t->rows_count && x->size; r++) {
		uint64_t hash = hash_row(t, &t->rows[r]);

		for (size_t i = hash & (x->size - 1); x->slots[i].hash;
		     i = (i + 1) & (x->size - 1)) {
			const struct table *other = &kept->items[x->slots[i].table];

			if (x->slots[i].hash != hash)
				continue;
			if (contains(other, t) || contains(t, other))
				return x->slots[i].table;
			/* What is made of one row repeated leads nowhere. */
			if (++tried > 64)
				return UINT32_MAX;
		}
	}
	return UINT32_MAX;
}

static void add_places(struct table *to, const struct table *from)
{
	for (unsigned i = 0; i < from->places_count; i++) {
		to->places = xreallocarray(to->places, to->places_count + 1, sizeof(*to->places));
		to->places[to->places_count++] = from->places[i];
	}
}

static unsigned names(const struct table *t)
{
	return t->named + (*t->heading != '\0') + (*t->test != '\0');
}

/*
 * @copy is put to @t. The one with more rows is kept, of two that are the same the one that is not
 * quoted, then the one of which more is known.
 */
static void merge(struct table *t, struct table *copy)
{
	bool better = copy->rows_count > t->rows_count;

	if (copy->rows_count == t->rows_count)
		better = !copy->places[0].quoted == !t->places[0].quoted ? names(copy) > names(t)
									 : !copy->places[0].quoted;
	if (better) {
		struct table swap = *t;

		*t = *copy;
		*copy = swap;
	}
	add_places(t, copy);
	table_release(copy);
}

void tables_join_copies(struct tables *tables)
{
	struct tables kept = {0};
	struct index x = {0};

	for (unsigned i = 0; i < tables->count; i++) {
		struct table *t = &tables->items[i];
		unsigned at = find(&x, &kept, t);
		unsigned rows = at == UINT32_MAX ? 0 : kept.items[at].rows_count;

		if (at == UINT32_MAX) {
			xgrow(kept.items, kept.count, kept.cap);
			at = kept.count;
			kept.items[kept.count++] = *t;
		} else {
			merge(&kept.items[at], t);
		}
		/* Rows that were not there before lead to the table from now on. */
		for (unsigned r = 0;
		     kept.items[at].rows_count > rows && r < kept.items[at].rows_count; r++)
			add(&x, hash_row(&kept.items[at], &kept.items[at].rows[r]), at);
	}
	free(tables->items);
	free(x.slots);
	*tables = kept;
}
