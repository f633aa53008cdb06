// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "bench.h"

const char *database_path(const char *option)
{
	const char *env = getenv("SCHEDBENCH_DB");

	if (option)
		return option;
	return env && *env ? env : DEFAULT_DB;
}

int open_database(struct store **out, const char *option, enum store_mode mode, struct error *err)
{
	return store_open(out, database_path(option), mode, err);
}
