// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>

#include "util/file.h"
#include "util/place.h"
#include "util/xalloc.h"

char *program_folder(void)
{
	char *exe = realpath("/proc/self/exe", NULL);
	char *folder = exe ? path_dirname(exe) : xstrdup(".");

	free(exe);
	return folder;
}

/* The build folder lies in the source tree; unit tests lie one folder deeper. */
static char *source_tree(const char *folder)
{
	char *at = xstrdup(folder);

	for (int up = 0; up < 2; up++) {
		char *parent = path_dirname(at);
		char *mark = path_join(parent, "harness/config/config.h");
		bool found = path_exists(mark);

		free(mark);
		free(at);
		if (found)
			return parent;
		at = parent;
	}
	free(at);
	return NULL;
}

char *data_folder(const char *name)
{
	char *folder = program_folder();
	char *tree = source_tree(folder);
	char *beside = path_dirname(folder);
	char *path = tree ? path_join(tree, name)
			  : xasprintf("%s/share/schedbench/%s", beside, name);

	if (!tree && !path_exists(path)) {
		free(path);
		path = path_join(SCHEDBENCH_DATADIR, name);
	}
	free(folder);
	free(tree);
	free(beside);
	return path;
}
