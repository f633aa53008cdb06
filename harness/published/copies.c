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
	uint64_t h = 0xcbf29ce484222325u + t->style + 97 * (uint64_t)t->columns_count;
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

bool table_has_row(const struct table *t, const struct table *of, const struct row *r)
{
	uint64_t hash = hash_row(of, r);

	if (t->style != of->style || t->columns_count != of->columns_count)
		return false;
	for (unsigned i = 0; i < t->rows_count; i++)
		if (hash_row(t, &t->rows[i]) == hash)
			return true;
	return false;
}

/* The hashes of a table's rows in order of size: two tables are compared in one walk. */
struct sorted {
	uint64_t *hashes;
	unsigned count;
};

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static struct sorted sort_rows(const struct table *t)
{
	struct sorted s = {xcalloc(t->rows_count ? t->rows_count : 1, sizeof(*s.hashes)),
			   t->rows_count};

	for (unsigned i = 0; i < s.count; i++)
		s.hashes[i] = hash_row(t, &t->rows[i]);
	qsort(s.hashes, s.count, sizeof(*s.hashes), by_size);
	return s;
}

/* Has @whole every row of @part? */
static bool contains(const struct sorted *whole, const struct sorted *part)
{
	unsigned at = 0;

	for (unsigned i = 0; i < part->count; i++) {
		while (at < whole->count && whole->hashes[at] < part->hashes[i])
			at++;
		if (at == whole->count || whole->hashes[at] != part->hashes[i])
			return false;
	}
	return true;
}

/* A table that has the rows of @s or of which @s has all; UINT32_MAX: none. */
static unsigned find(const struct index *x, const struct sorted *kept, const struct sorted *s)
{
	unsigned tried = 0;

	for (unsigned r = 0; r < s->count && x->size; r++) {
		uint64_t hash = s->hashes[r];

		for (size_t i = hash & (x->size - 1); x->slots[i].hash;
		     i = (i + 1) & (x->size - 1)) {
			const struct sorted *other = &kept[x->slots[i].table];

			if (x->slots[i].hash != hash)
				continue;
			if (contains(other, s) || contains(s, other))
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

struct joiner {
	struct tables kept;
	struct sorted *sorted; /* of each of them */
	unsigned cap;
	struct index index;
};

/* A row that is there many times is led to from one place. */
static void add_rows(struct joiner *j, unsigned at)
{
	const struct sorted *s = &j->sorted[at];

	for (unsigned i = 0; i < s->count; i++)
		if (!i || s->hashes[i] != s->hashes[i - 1])
			add(&j->index, s->hashes[i], at);
}

static void join(struct joiner *j, struct table *t)
{
	struct sorted s = sort_rows(t);
	unsigned at = find(&j->index, j->sorted, &s);
	bool larger = at != UINT32_MAX && s.count > j->sorted[at].count;

	if (at == UINT32_MAX) {
		at = j->kept.count;
		xgrow(j->sorted, at, j->cap);
		xgrow(j->kept.items, j->kept.count, j->kept.cap);
		j->kept.items[j->kept.count++] = *t;
		j->sorted[at] = s;
		add_rows(j, at);
		return;
	}
	merge(&j->kept.items[at], t);
	free(larger ? j->sorted[at].hashes : s.hashes);
	if (larger) {
		j->sorted[at] = s;
		add_rows(j, at);
	}
}

void tables_join_copies(struct tables *tables)
{
	struct joiner j = {0};

	for (unsigned i = 0; i < tables->count; i++)
		join(&j, &tables->items[i]);
	for (unsigned i = 0; i < j.kept.count; i++)
		free(j.sorted[i].hashes);
	free(j.sorted);
	free(j.index.slots);
	free(tables->items);
	j.kept.cut = tables->cut;
	*tables = j.kept;
}
