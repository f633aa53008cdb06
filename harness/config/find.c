// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/document.h"
#include "config/find.h"
#include "config/suggest.h"
#include "config/values.h"
#include "util/file.h"
#include "util/place.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

struct kind {
	const char *word;
	const char *folder;
	const char *builtin; /* NULL: none */
	const char *builtin_title;
};

static const struct kind kinds[] = {
	[CONFIG_EXPERIMENT] = {"experiment", "experiments", NULL, NULL},
	[CONFIG_KERNEL] = {"kernel", "kernels", "running", "the kernel that runs on this machine"},
	[CONFIG_MACHINE] = {"machine", "machines", "host", "this machine"},
};

static const char suffix[] = ".yaml";

struct names {
	struct key_value *items;
	unsigned count, cap;
};

struct folders {
	char **items;
	unsigned count, cap;
};

static bool ends_in_suffix(const char *s)
{
	size_t len = strlen(s), end = strlen(suffix);

	return len > end && !strcmp(s + len - end, suffix);
}

bool config_is_path(const char *name)
{
	return strchr(name, '/') || ends_in_suffix(name);
}

char *config_stem(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *stem = xstrdup(slash ? slash + 1 : path);

	if (ends_in_suffix(stem))
		stem[strlen(stem) - strlen(suffix)] = '\0';
	return stem;
}

char *config_absolute(const char *folder, const char *path)
{
	char *real, *joined;

	if (path[0] == '/')
		return xstrdup(path);
	while (!strncmp(path, "./", 2))
		path += 2;
	real = realpath(folder, NULL);
	joined = path_join(real ? real : folder, path);
	free(real);
	return joined;
}

static void add_folder(struct folders *f, const char *base, const struct kind *kind)
{
	xgrow(f->items, f->count, f->cap);
	f->items[f->count++] = path_join(base, kind->folder);
}

static void search_path(struct folders *f, const struct kind *kind)
{
	const char *env = getenv("SCHEDBENCH_CONFIGS");
	char *data = data_folder("configs");

	for (const char *p = env; p && *p;) {
		size_t len = strcspn(p, ":");
		char *one = xstrndup(p, len);

		if (len)
			add_folder(f, one, kind);
		free(one);
		p += len + (p[len] == ':');
	}
	add_folder(f, "configs", kind);
	add_folder(f, data, kind);
	free(data);
}

static void folders_release(struct folders *f)
{
	for (unsigned i = 0; i < f->count; i++)
		free(f->items[i]);
	free(f->items);
}

void key_values_free(struct key_value *kv, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		free(kv[i].key);
		free(kv[i].value);
	}
	free(kv);
}

static bool names_has(const struct names *names, const char *name)
{
	for (unsigned i = 0; i < names->count; i++)
		if (!strcmp(names->items[i].key, name))
			return true;
	return false;
}

/* Takes over @name and @value; the first of a name counts, as in the search path. */
static void names_add(struct names *names, char *name, char *value)
{
	if (names_has(names, name)) {
		free(name);
		free(value);
		return;
	}
	xgrow(names->items, names->count, names->cap);
	names->items[names->count++] = (struct key_value){name, value};
}

/* Names with the paths of their files as values. */
static void collect(struct names *names, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *name;

		if (!ends_in_suffix(entry->d_name) || entry->d_name[0] == '.')
			continue;
		name = config_stem(entry->d_name);
		names_add(names, name, path_join(folder, entry->d_name));
	}
	if (dir)
		closedir(dir);
}

static void collect_all(struct names *names, const struct folders *f)
{
	for (unsigned i = 0; i < f->count; i++)
		collect(names, f->items[i]);
}

static void not_found(const struct kind *kind, const char *name, const struct folders *f,
		      struct error *err)
{
	struct strbuf searched = STRBUF_INIT;
	struct names names = {NULL, 0, 0};
	struct suggestion near;

	suggestion_start(&near, name);
	if (kind->builtin)
		suggestion_add(&near, kind->builtin);
	collect_all(&names, f);
	for (unsigned i = 0; i < names.count; i++)
		suggestion_add(&near, names.items[i].key);
	for (unsigned i = 0; i < f->count; i++)
		strbuf_addf(&searched, "%s%s", i ? ", " : "", f->items[i]);
	error_set(err, ERROR_USAGE, "no %s '%.64s' in %s%s%s%s", kind->word, name, searched.buf,
		  near.best ? " (did you mean '" : " (see 'schedbench list ",
		  near.best ? near.best : kind->folder, near.best ? "'?)" : "')");
	key_values_free(names.items, names.count);
	strbuf_release(&searched);
}

static char *find_path(const struct kind *kind, const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st)) {
		error_set(err, ERROR_USAGE, "cannot open %s file '%s': %s", kind->word, path,
			  strerror(errno));
		return NULL;
	}
	if (S_ISDIR(st.st_mode)) {
		error_set(err, ERROR_USAGE, "'%s' is a directory, not a file", path);
		return NULL;
	}
	return xstrdup(path);
}

char *config_find(enum config_kind kind, const char *name, struct error *err)
{
	const struct kind *k = &kinds[kind];
	struct folders f = {NULL, 0, 0};
	char *path = NULL;

	if (config_is_path(name))
		return find_path(k, name, err);
	search_path(&f, k);
	for (unsigned i = 0; i < f.count && !path && is_name(name); i++) {
		path = xasprintf("%s/%s%s", f.items[i], name, suffix);
		if (!path_exists(path)) {
			free(path);
			path = NULL;
		}
	}
	if (!path)
		not_found(k, name, &f, err);
	folders_release(&f);
	return path;
}

static char *title_of(const char *path, const char *name)
{
	struct error err = ERROR_INIT;
	struct document doc;
	const struct node *title;
	char *text;

	if (document_read(&doc, path, &err))
		return xasprintf("(%s)", err.msg);
	title = node_get(doc.root, "title");
	text = xstrdup(title && title->type == NODE_SCALAR ? title->value : name);
	document_release(&doc);
	return text;
}

static int by_name(const void *a, const void *b)
{
	const struct key_value *x = a, *y = b;

	return strcmp(x->key, y->key);
}

int config_list(enum config_kind kind, struct key_value **out, unsigned *count, struct error *err)
{
	const struct kind *k = &kinds[kind];
	struct folders f = {NULL, 0, 0};
	struct names names = {NULL, 0, 0};

	(void)err;
	search_path(&f, k);
	collect_all(&names, &f);
	folders_release(&f);
	for (unsigned i = 0; i < names.count; i++) {
		char *path = names.items[i].value;

		names.items[i].value = title_of(path, names.items[i].key);
		free(path);
	}
	if (k->builtin)
		names_add(&names, xstrdup(k->builtin), xstrdup(k->builtin_title));
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), by_name);
	*out = names.items;
	*count = names.count;
	return 0;
}
