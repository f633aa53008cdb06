// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <unistd.h>

#include "run/programs.h"
#include "util/file.h"
#include "util/place.h"
#include "util/xalloc.h"

char *program_path(const char *name, struct error *err)
{
	char *folder = program_folder();
	char *beside = path_dirname(folder);
	char *places[] = {path_join(folder, name),
			  xasprintf("%s/libexec/schedbench/%s", beside, name),
			  path_join(SCHEDBENCH_LIBEXECDIR, name)};
	size_t count = sizeof(places) / sizeof(places[0]);
	char *found = NULL;

	for (size_t i = 0; i < count && !found; i++)
		if (access(places[i], X_OK) == 0)
			found = xstrdup(places[i]);
	if (!found)
		error_set(err, ERROR_FAILED,
			  "no program '%s' at '%s' or '%s' (run make, or make install)", name,
			  places[0], places[1]);
	for (size_t i = 0; i < count; i++)
		free(places[i]);
	free(folder);
	free(beside);
	return found;
}
