// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/location.h"
#include "util/xalloc.h"

#define MAX_INDEX 1000000
#define MAX_TEXT  4096

enum term_op { TERM_ADD = 0, TERM_CLEAR = '~', TERM_AND = 'x', TERM_XOR = '^' };

/* Where objects are looked for: what they must lie within. */
struct within {
	hwloc_const_cpuset_t cpus;
	hwloc_const_nodeset_t nodes;
	const char *term; /* the whole one, for messages */
};

/* Indexes first, first + step ... below end, all modulo the number of objects if @wrap. */
struct range {
	unsigned first, step, end;
	bool wrap;
};

static int bad_term(const char *term, const char *why, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "'%.80s' is not a location: %s (write e.g. package:0, l3:0-3.core:0.pu:0, "
			 "numanode:1, all ~core:0, or a list of CPUs such as 0-3,8)",
			 term, why);
}

static bool read_index(const char **p, unsigned *value)
{
	unsigned long n = 0;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p); (*p)++) {
		n = n * 10 + (unsigned long)(**p - '0');
		if (n > MAX_INDEX)
			return false;
	}
	*value = (unsigned)n;
	return true;
}

static bool lies_within(const struct within *w, hwloc_obj_t obj)
{
	if (obj->cpuset && !hwloc_bitmap_iszero(obj->cpuset) &&
	    !hwloc_bitmap_isincluded(obj->cpuset, w->cpus))
		return false;
	if (obj->nodeset && !hwloc_bitmap_iszero(obj->nodeset) &&
	    !hwloc_bitmap_isincluded(obj->nodeset, w->nodes))
		return false;
	return obj->cpuset && !hwloc_bitmap_iszero(obj->cpuset);
}

/* The @index-th object of a level that lies within; NULL: there are fewer. */
static hwloc_obj_t object_within(hwloc_topology_t t, const struct within *w, int depth,
				 unsigned index)
{
	for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_depth(t, depth, o));)
		if (lies_within(w, o) && !index--)
			return o;
	return NULL;
}

static unsigned count_within(hwloc_topology_t t, const struct within *w, int depth)
{
	unsigned n = 0;

	for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_depth(t, depth, o));)
		n += lies_within(w, o);
	return n;
}

/* The level of the last-level cache, or -1. */
static int llc_depth(hwloc_topology_t t)
{
	static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
						  HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE};

	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (hwloc_get_type_depth(t, caches[i]) >= 0)
			return hwloc_get_type_depth(t, caches[i]);
	return -1;
}

static int find_level(hwloc_topology_t t, const char *name, const char *term, int *depth,
		      struct error *err)
{
	hwloc_obj_type_t type;

	if (!strcmp(name, "ccd")) {
		*depth = llc_depth(t);
		if (*depth < 0)
			return error_set(err, ERROR_USAGE,
					 "'%.80s': the machine has no shared cache, so no ccd",
					 term);
		return 0;
	}
	if (hwloc_type_sscanf_as_depth(name, &type, t, depth))
		return bad_term(term, "that kind of object is not known", err);
	if (*depth == HWLOC_TYPE_DEPTH_UNKNOWN)
		return error_set(err, ERROR_USAGE, "'%.80s': the machine has no %s", term,
				 hwloc_obj_type_string(type));
	if (*depth == HWLOC_TYPE_DEPTH_MULTIPLE || (*depth < 0 && type != HWLOC_OBJ_NUMANODE))
		return bad_term(term, "that kind of object has no CPUs of its own", err);
	return 0;
}

/* One range of a list; what follows it must be a comma, a point or the end. */
static int read_range(const char **p, unsigned count, const char *term, struct range *r,
		      struct error *err)
{
	static const struct {
		const char *word;
		unsigned first, step;
	} words[] = {{"all", 0, 1}, {"even", 0, 2}, {"odd", 1, 2}};
	unsigned n;

	*r = (struct range){.step = 1, .end = count};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(*p, words[i].word, strlen(words[i].word))) {
			*p += strlen(words[i].word);
			r->first = words[i].first;
			r->step = words[i].step;
			return 0;
		}
	if (!read_index(p, &r->first))
		return bad_term(term, "an index is missing or too large", err);
	r->end = r->first + 1;
	if (**p == '-') {
		(*p)++;
		r->end = count;
		if (isdigit((unsigned char)**p)) {
			if (!read_index(p, &n) || n < r->first)
				return bad_term(term, "a range ends before it begins", err);
			r->end = n + 1;
		}
	} else if (**p == ':') {
		(*p)++;
		if (!read_index(p, &n) || !n || n > count)
			return bad_term(term, "more objects are asked for than there are", err);
		r->end = r->first + n;
		r->wrap = true;
	}
	return 0;
}

static int add_objects(hwloc_topology_t t, const struct within *w, const char *path,
		       hwloc_bitmap_t out, struct error *err);

static int add_range(hwloc_topology_t t, const struct within *w, int depth, const struct range *r,
		     unsigned count, const char *rest, hwloc_bitmap_t out, struct error *err)
{
	if (!count)
		return error_set(err, ERROR_USAGE, "'%.80s': there is no such object within",
				 w->term);
	if (r->first >= count || (!r->wrap && r->end > count))
		return error_set(err, ERROR_USAGE, "'%.80s': the indexes go from 0 to %u only",
				 w->term, count - 1);
	for (unsigned i = r->first; i < r->end; i += r->step) {
		hwloc_obj_t obj = object_within(t, w, depth, i % count);
		struct within inner = {obj->cpuset, obj->nodeset, w->term};

		if (!rest)
			hwloc_bitmap_or(out, out, obj->cpuset);
		else if (add_objects(t, &inner, rest, out, err))
			return -1;
	}
	return 0;
}

/* TYPE:INDEXES, or TYPE:INDEXES.REST for objects within those. */
static int add_objects(hwloc_topology_t t, const struct within *w, const char *path,
		       hwloc_bitmap_t out, struct error *err)
{
	const char *colon = strchr(path, ':'), *point = strchr(path, '.'), *p;
	unsigned count;
	int depth, ret;
	char *name;

	if (!colon || (point && point < colon))
		return bad_term(w->term, "a kind of object needs a colon and an index", err);
	name = xstrndup(path, (size_t)(colon - path));
	ret = find_level(t, name, w->term, &depth, err);
	free(name);
	if (ret)
		return -1;
	count = count_within(t, w, depth);
	p = colon;
	do {
		struct range r;

		p++;
		if (read_range(&p, count, w->term, &r, err))
			return -1;
		if (*p && *p != ',' && *p != '.')
			return bad_term(w->term, "something follows the indexes", err);
		if (add_range(t, w, depth, &r, count, point ? point + 1 : NULL, out, err))
			return -1;
	} while (*p == ',');
	return 0;
}

static int read_mask(const char *term, hwloc_bitmap_t out, struct error *err)
{
	if (strspn(term, "0123456789abcdefABCDEFx,") != strlen(term) ||
	    hwloc_bitmap_sscanf(out, term))
		return bad_term(term, "not a mask", err);
	return 0;
}

/* The CPUs of one term without its operator. */
static int read_term(hwloc_topology_t t, const char *term, hwloc_bitmap_t out, struct error *err)
{
	hwloc_obj_t root = hwloc_get_root_obj(t);
	struct within all = {root->cpuset, root->nodeset, term};

	if (!strcmp(term, "all") || !strcmp(term, "root"))
		return hwloc_bitmap_copy(out, root->cpuset);
	if (!strncmp(term, "0x", 2))
		return read_mask(term, out, err);
	if (term[0] && strspn(term, "0123456789,-") == strlen(term)) {
		if (hwloc_bitmap_list_sscanf(out, term) || hwloc_bitmap_weight(out) < 0)
			return bad_term(term, "not a list of CPUs", err);
		return 0;
	}
	return add_objects(t, &all, term, out, err);
}

static int apply_term(hwloc_topology_t t, const char *term, hwloc_bitmap_t cpus, struct error *err)
{
	enum term_op op = TERM_ADD;
	hwloc_bitmap_t set;
	int ret;

	if (*term == '~' || *term == '^' || *term == 'x' || *term == '+') {
		op = *term == '+' ? TERM_ADD : (enum term_op) * term;
		term++;
	}
	set = hwloc_bitmap_alloc();
	ret = read_term(t, term, set, err);
	if (!ret && op == TERM_ADD)
		hwloc_bitmap_or(cpus, cpus, set);
	else if (!ret && op == TERM_CLEAR)
		hwloc_bitmap_andnot(cpus, cpus, set);
	else if (!ret && op == TERM_AND)
		hwloc_bitmap_and(cpus, cpus, set);
	else if (!ret)
		hwloc_bitmap_xor(cpus, cpus, set);
	hwloc_bitmap_free(set);
	return ret;
}

static int check_result(hwloc_topology_t t, const char *text, hwloc_const_bitmap_t cpus,
			struct error *err)
{
	hwloc_const_bitmap_t all = hwloc_get_root_obj(t)->cpuset;
	hwloc_bitmap_t beyond = hwloc_bitmap_alloc();
	int first;

	hwloc_bitmap_andnot(beyond, cpus, all);
	first = hwloc_bitmap_first(beyond);
	hwloc_bitmap_free(beyond);
	if (first >= 0)
		return error_set(err, ERROR_USAGE,
				 "'%.80s': CPU %d is not there (the machine has %d CPUs up to %d)",
				 text, first, hwloc_bitmap_weight(all), hwloc_bitmap_last(all));
	if (hwloc_bitmap_iszero(cpus))
		return error_set(err, ERROR_USAGE, "'%.80s' leaves no CPU", text);
	return 0;
}

int location_cpus(hwloc_topology_t topology, const char *text, hwloc_bitmap_t cpus,
		  struct error *err)
{
	int ret = 0;

	hwloc_bitmap_zero(cpus);
	if (strlen(text) > MAX_TEXT)
		return error_set(err, ERROR_USAGE, "a location of more than %d characters",
				 MAX_TEXT);
	for (const char *p = text + strspn(text, " \t"); *p && !ret; p += strspn(p, " \t")) {
		size_t len = strcspn(p, " \t");
		char *term = xstrndup(p, len);

		ret = apply_term(topology, term, cpus, err);
		free(term);
		p += len;
	}
	return ret ? -1 : check_result(topology, text, cpus, err);
}
