// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <unistd.h>

#include "run/programs.h"
#include "util/file.h"
#include "util/xalloc.h"

char *program_path(const char *name, struct error *err)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *dir, *path;

	exe[n > 0 ? n : 0] = '\0';
	dir = path_dirname(exe);
	path = path_join(dir, name);
	if (access(path, X_OK)) {
		free(path);
		path = path_join(SCHEDBENCH_LIBEXECDIR, name);
	}
	if (access(path, X_OK)) {
		error_set(err, ERROR_FAILED,
			  "no program '%s' in '%s' or '%s' (run make, or make install)", name, dir,
			  SCHEDBENCH_LIBEXECDIR);
		free(path);
		path = NULL;
	}
	free(dir);
	return path;
}
