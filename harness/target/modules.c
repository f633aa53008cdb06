// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "target/modules.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

/* A file of this kind has some 200 kB for a full distribution kernel. */
#define LIST_MAX (64u << 20)

struct module {
	char *path; /* "kernel/drivers/virtio/virtio_pci.ko.xz" */
	char *needs; /* paths, separated by blanks */
	bool visited;
};

struct module_index {
	struct module *modules;
	size_t count, cap;
};

/* Does the file @path hold module @name? "kernel/a/virtio-rng.ko.xz" is virtio_rng. */
static bool is_module(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	size_t i;

	base = base ? base + 1 : path;
	for (i = 0; name[i]; i++) {
		char a = base[i] == '-' ? '_' : base[i];
		char b = name[i] == '-' ? '_' : name[i];

		if (a != b)
			return false;
	}
	return strncmp(base + i, ".ko", 3) == 0 && (base[i + 3] == '\0' || base[i + 3] == '.');
}

/* Paths become names in the guest and are opened on the host: none may leave the folder. */
static bool is_inside(const char *path)
{
	const char *p = path;

	if (*p == '/' || *p == '\0')
		return false;
	while (p) {
		if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
			return false;
		p = strchr(p, '/');
		p = p ? p + 1 : NULL;
	}
	return true;
}

static int parse_dep(struct module_index *index, const char *file, char *text, struct error *err)
{
	unsigned number = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *colon = strchr(line, ':');

		number++;
		if (!*line)
			continue;
		if (!colon)
			return error_set(err, ERROR_FAILED, "%s:%u: no ':' after the module's path",
					 file, number);
		*colon = '\0';
		if (!is_inside(line))
			return error_set(err, ERROR_FAILED,
					 "%s:%u: module path '%s' leaves the folder", file, number,
					 line);
		xgrow(index->modules, index->count, index->cap);
		index->modules[index->count++] = (struct module){
			.path = xstrdup(line),
			.needs = xstrdup(colon + 1),
		};
	}
	return 0;
}

static int load_dep(struct module_index *index, const char *dir, struct error *err)
{
	char *file = path_join(dir, "modules.dep");
	struct strbuf text = STRBUF_INIT;
	int ret;

	if (path_exists(file))
		ret = file_read(file, LIST_MAX, &text, err);
	else
		ret = error_set(err, ERROR_FAILED, "no modules.dep in '%s' (run depmod)", dir);
	if (!ret)
		ret = parse_dep(index, file, text.buf, err);
	strbuf_release(&text);
	free(file);
	return ret;
}

/* 1: @name is built in, 0: it is not. Kernels without the list have nothing built in to tell. */
static int is_builtin(const char *dir, const char *name, struct error *err)
{
	char *file = path_join(dir, "modules.builtin");
	struct strbuf text = STRBUF_INIT;
	char *line, *rest;
	int ret = 0;

	if (path_exists(file))
		ret = file_read(file, LIST_MAX, &text, err);
	rest = text.buf;
	while (!ret && text.len && (line = strsep(&rest, "\n")))
		ret = is_module(line, name);
	strbuf_release(&text);
	free(file);
	return ret;
}

static struct module *find_path(const struct module_index *index, const char *path)
{
	for (size_t i = 0; i < index->count; i++)
		if (strcmp(index->modules[i].path, path) == 0)
			return &index->modules[i];
	return NULL;
}

static struct module *find_name(const struct module_index *index, const char *name)
{
	for (size_t i = 0; i < index->count; i++)
		if (is_module(index->modules[i].path, name))
			return &index->modules[i];
	return NULL;
}

/*
 * What @m needs, then @m. Each module is visited once, which also ends the recursion where a
 * damaged file has a circle.
 */
static int add_module(struct strlist *out, const struct module_index *index, struct module *m,
		      struct error *err)
{
	char *needs, *rest, *path;
	int ret = 0;

	if (m->visited)
		return 0;
	m->visited = true;
	needs = rest = xstrdup(m->needs);
	while (!ret && (path = strsep(&rest, " "))) {
		struct module *needed = find_path(index, path);

		if (!*path)
			continue;
		if (needed)
			ret = add_module(out, index, needed, err);
		else
			ret = error_set(err, ERROR_FAILED,
					"module '%s' needs '%s', which modules.dep does not list",
					m->path, path);
	}
	free(needs);
	if (!ret)
		strlist_add(out, m->path);
	return ret;
}

static int resolve_one(struct strlist *out, const struct module_index *index, const char *dir,
		       const char *name, struct error *err)
{
	struct module *m = find_name(index, name);
	int builtin;

	if (m)
		return add_module(out, index, m, err);
	builtin = is_builtin(dir, name, err);
	if (builtin < 0)
		return -1;
	if (!builtin)
		return error_set(err, ERROR_FAILED,
				 "module '%s' is neither in '%s' nor built into the kernel", name,
				 dir);
	return 0;
}

int modules_resolve(struct strlist *out, const char *dir, const char *const *names,
		    struct error *err)
{
	struct module_index index = {0};
	int ret;

	if (!dir)
		return 0;
	ret = load_dep(&index, dir, err);
	for (; *names && !ret; names++)
		ret = resolve_one(out, &index, dir, *names, err);
	for (size_t i = 0; i < index.count; i++) {
		free(index.modules[i].path);
		free(index.modules[i].needs);
	}
	free(index.modules);
	return ret;
}
