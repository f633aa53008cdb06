// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/cache.h"
#include "kernel/source.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define UNPACK_TIMEOUT (20 * 60 * 1000)

int source_resolve(struct source *s, const struct kernel *k, bool offline, bool *known,
		   struct error *err)
{
	*s = (struct source){0};
	*known = true;
	switch (k->source) {
	case KERNEL_GIT:
		return source_git_resolve(s, k, offline, known, err);
	case KERNEL_TARBALL:
		return source_tarball_resolve(s, k, err);
	case KERNEL_DEBIAN_SOURCE:
		return source_debian_resolve(s, k, offline, known, err);
	case KERNEL_RUNNING:
	case KERNEL_IMAGE:
	case KERNEL_DEBIAN_IMAGE:
		break;
	}
	return error_set(err, ERROR_USAGE, "kernel '%s' is not built from source", k->name);
}

void source_release(struct source *s)
{
	free(s->identity);
	free(s->commit);
	free(s->key);
	free(s->folder);
	free(s->tree);
	git_repo_release(&s->repo);
	*s = (struct source){0};
}

int source_forget(const struct kernel *k, struct error *err)
{
	char *record = NULL;
	int ret = 0;

	if (k->source == KERNEL_GIT)
		record = source_git_record(k);
	else if (k->source == KERNEL_DEBIAN_SOURCE)
		record = source_debian_record(k);
	if (record)
		ret = resolved_forget(record, err);
	free(record);
	return ret;
}

int source_open(struct source *s, struct error *err)
{
	char *name = path_join("sources", s->key);

	s->folder = builds_folder(name, err);
	free(name);
	if (!s->folder)
		return -1;
	s->repo.dir = path_join(s->folder, "repo.git");
	s->repo.work = path_join(s->folder, "src");
	s->repo.index = path_join(s->folder, "index");
	return 0;
}

/* "tree" of the folder: git's name of what was imported, written when all of it was. */
static char *imported_tree(const struct source *s)
{
	char *path = path_join(s->folder, "tree"), *tree = NULL;
	struct error ignored = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;

	if (path_exists(path) && !file_read(path, 128, &text, &ignored) && text.len >= 40 &&
	    strspn(text.buf, "0123456789abcdef") == 40)
		tree = xstrndup(text.buf, 40);
	strbuf_release(&text);
	free(path);
	return tree;
}

static int remove_files(const struct source *s, struct error *err)
{
	if (remove_tree(s->repo.work, err) || remove_tree(s->repo.dir, err))
		return -1;
	if (unlink(s->repo.index) && errno != ENOENT)
		return error_sys(err, errno, "cannot remove '%s'", s->repo.index);
	return 0;
}

int source_make(struct source *s, const struct kernel *k, struct error *err)
{
	if (k->source == KERNEL_GIT)
		return source_git_make(s, k, err);
	s->tree = imported_tree(s);
	if (s->tree)
		return 0;
	if (remove_files(s, err))
		return -1;
	return k->source == KERNEL_TARBALL ? source_tarball_make(s, k, err)
					   : source_debian_make(s, k, err);
}

/* How much room an archive and the repository of its files take, seen from its size. */
static unsigned long long space_for(const char *path)
{
	size_t len = strlen(path);
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (len > 4 && !strcmp(path + len - 4, ".tar"))
		return st.st_size * 3ULL / 2;
	return st.st_size * 14ULL;
}

static int run_tar(const char *archive, const char *folder, struct error *err)
{
	const char *const argv[] = {"env",
				    "LC_ALL=C",
				    "tar",
				    "-xf",
				    archive,
				    "-C",
				    folder,
				    "--no-same-owner",
				    "--no-same-permissions",
				    "--force-local",
				    NULL};
	struct strbuf said = STRBUF_INIT;
	int status = 0;
	int ret = subprocess_capture(argv, UNPACK_TIMEOUT, NULL, &said, &status, err);

	if (!ret && status)
		ret = error_set(err, ERROR_FAILED, "cannot unpack '%s': %.*s", archive,
				(int)strcspn(said.buf, "\n"), said.buf);
	strbuf_release(&said);
	return ret;
}

/* The folder that holds the Makefile: @folder, or the only one in it. */
static char *top_of_tree(const char *folder, const char *archive, struct error *err)
{
	char *makefile = path_join(folder, "Makefile"), *top = NULL;
	DIR *dir = opendir(folder);
	struct dirent *d;

	if (path_exists(makefile))
		top = xstrdup(folder);
	while (dir && !top && (d = readdir(dir))) {
		char *below = xasprintf("%s/%s/Makefile", folder, d->d_name);

		if (d->d_name[0] != '.' && path_exists(below))
			top = path_join(folder, d->d_name);
		free(below);
	}
	if (dir)
		closedir(dir);
	free(makefile);
	if (!top)
		error_set(err, ERROR_USAGE, "'%s' holds no kernel source (no Makefile at its top)",
			  archive);
	return top;
}

/* Small files go into one pack as well: there are eighty thousand of them. */
static int add_files(struct source *s, struct error *err)
{
	const char *const add[] = {"-c",  "core.bigFileThreshold=1",
				   "-c",  "core.compression=1",
				   "-c",  "core.autocrlf=false",
				   "-c",  "advice.addEmbeddedRepo=false",
				   "add", "-A",
				   "-f",  ".",
				   NULL};
	const char *const write_tree[] = {"write-tree", NULL};

	if (git_init(&s->repo, err) || git_run(&s->repo, add, NULL, NULL, err))
		return -1;
	s->tree = git_line(&s->repo, write_tree, err);
	return s->tree ? 0 : -1;
}

int source_import(struct source *s, const char *path, const char *label, struct error *err)
{
	char *unpacked = path_join(s->folder, "unpacked"), *record = path_join(s->folder, "tree");
	char *top = NULL;
	int ret = remove_tree(unpacked, err);

	if (!ret)
		ret = check_free_space(s->folder, space_for(path), err);
	if (!ret) {
		fprintf(stderr, "schedbench: unpacking %s\n", label);
		ret = make_directories(unpacked, err);
	}
	if (!ret)
		ret = run_tar(path, unpacked, err);
	if (!ret) {
		top = top_of_tree(unpacked, path, err);
		ret = top ? 0 : -1;
	}
	if (!ret && rename(top, s->repo.work))
		ret = error_sys(err, errno, "cannot rename '%s' to '%s'", top, s->repo.work);
	if (!ret)
		ret = add_files(s, err);
	if (!ret)
		ret = file_write(record, s->tree, strlen(s->tree), err);
	if (remove_tree(unpacked, ret ? &(struct error)ERROR_INIT : err))
		ret = -1;
	free(top);
	free(record);
	free(unpacked);
	return ret;
}

/* What a git that was killed has left. Nobody else works here: the folder is locked. */
static void remove_index_lock(const struct source *s)
{
	char *path = xasprintf("%s.lock", s->repo.index);

	unlink(path);
	free(path);
}

/*
 * read-tree keeps the files that are as the index says and as @tree wants them, their times
 * included. Refreshing comes first, so that files that somebody has touched are looked at.
 */
int source_checkout(const struct source *s, const char *tree, struct error *err)
{
	const char *const refresh[] = {"update-index", "-q", "--refresh", NULL};
	const char *const move[] = {"-c", "core.autocrlf=false", "read-tree", "--reset", "-u", tree,
				    NULL};
	const char *const clean[] = {"clean", "-ffdxq", NULL};
	struct error ignored = ERROR_INIT;

	remove_index_lock(s);
	if (make_directories(s->repo.work, err))
		return -1;
	/* Its status tells that files differ, which is what read-tree mends. */
	if (path_exists(s->repo.index))
		git_run(&s->repo, refresh, NULL, NULL, &ignored);
	if (git_run(&s->repo, move, NULL, NULL, err) || git_run(&s->repo, clean, NULL, NULL, err))
		return error_prefix(err, "cannot write the files of the source: ");
	return 0;
}
