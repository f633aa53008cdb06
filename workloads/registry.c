// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "workload.h"

/* Set by the linker at both ends of the section that WORKLOAD() fills. */
extern const struct workload *const __start_workload_table[];
extern const struct workload *const __stop_workload_table[];

static size_t rank_of(const struct workload *w)
{
	size_t rank = 0;

	for (const struct workload *const *p = __start_workload_table; p < __stop_workload_table;
	     p++)
		rank += strcmp((*p)->name, w->name) < 0;
	return rank;
}

const struct workload *workload_at(size_t index)
{
	for (const struct workload *const *p = __start_workload_table; p < __stop_workload_table;
	     p++)
		if (rank_of(*p) == index)
			return *p;
	return NULL;
}

const struct workload *workload_find(const char *name, struct error *err)
{
	const struct workload *w;
	char all[512] = "";
	size_t len = 0;

	for (size_t i = 0; (w = workload_at(i)); i++) {
		if (!strcmp(w->name, name))
			return w;
		if (len < sizeof(all))
			len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "",
						w->name);
	}
	error_set(err, ERROR_USAGE, "unknown workload '%s' (there are: %s)", name, all);
	return NULL;
}
