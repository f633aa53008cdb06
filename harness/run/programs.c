// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <unistd.h>

#include "run/programs.h"
#include "util/file.h"
#include "util/place.h"
#include "util/xalloc.h"

static char *find_program(const char *name, const char *remedy, struct error *err)
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
		error_set(err, ERROR_FAILED, "no program '%s' at '%s' or '%s' (%s)", name,
			  places[0], places[1], remedy);
	for (size_t i = 0; i < count; i++)
		free(places[i]);
	free(folder);
	free(beside);
	return found;
}

char *program_path(const char *name, struct error *err)
{
	return find_program(name, "run make, or make install", err);
}

char *guest_program_path(const struct machine *m, const char *name, struct error *err)
{
	char *folder_name, *found;

	if (m->arch == ARCH_X86_64)
		return program_path(name, err);
	folder_name = path_join(arch_name(m->arch), name);
	found = find_program(folder_name, "run make deps-arm64 and make arm64", err);
	free(folder_name);
	return found;
}
