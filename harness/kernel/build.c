// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernel/build.h"
#include "kernel/built.h"
#include "kernel/cache.h"
#include "kernel/image.h"
#include "kernel/objects.h"
#include "kernel/request.h"
#include "util/file.h"
#include "util/xalloc.h"

static char *path_of(const struct kernel *k, const char *kind, struct error *err)
{
	char *folder = builds_folder(kind, err), *id = recipe_id(k);
	char *path = folder ? path_join(folder, id) : NULL;

	free(id);
	free(folder);
	return path;
}

/* Bytes of the files of a tree, as git knows them. */
static unsigned long long tree_size(const struct source *s, const char *tree)
{
	const char *const args[] = {"ls-tree", "-r", "--format=%(objectsize)", tree, NULL};
	struct strbuf out = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	unsigned long long sum = 0;

	if (!git_run(&s->repo, args, &out, NULL, &ignored))
		for (const char *p = out.buf; *p; p += strcspn(p, "\n") + 1)
			sum += strtoull(p, NULL, 10);
	strbuf_release(&out);
	return sum;
}

/* The files of the source, and objects that take a third of that for a small configuration. */
static int check_space(const struct source *s, const struct objects *o, const char *tree,
		       struct error *err)
{
	bool files = !path_exists(s->repo.index), fresh = !path_exists(o->dot_config);
	unsigned long long size = files || fresh ? tree_size(s, tree) : 0;

	return check_free_space(s->folder, (files ? size + size / 8 : 0) + (fresh ? size / 3 : 0),
				err);
}

/* The hash of everything that went in: the files with their patches and the final .config. */
static char *image_key(const struct request *r, const char *tree, const char *dot_config)
{
	char *config = short_hash(dot_config, 64);
	char *text = xasprintf("%s\n%s\n%s\n%s\n%s\n", r->kernel->name, tree, config,
			       r->toolchain.arch, r->toolchain.identity);
	char *key = short_hash(text, 40);

	free(text);
	free(config);
	return key;
}

static json_t *patch_names(const struct request *r)
{
	json_t *names = json_array();

	for (size_t i = 0; i < r->reverts.count; i++) {
		char *name = xasprintf("revert of %.12s", r->reverts.items[i]);

		json_array_append_new(names, json_string(name));
		free(name);
	}
	for (unsigned i = 0; i < r->patches.count; i++)
		json_array_append_new(names, json_string_nocheck(r->patches.items[i].name));
	return names;
}

static int write_info(const struct objects *o, const char *folder, const char *release,
		      struct error *err)
{
	const struct request *r = o->r;
	char *path = path_join(folder, "info.json"), *text;
	json_t *info = json_object();
	int ret;

	json_object_set_new(info, "name", json_string(r->kernel->name));
	json_object_set_new(info, "release", json_string(release));
	json_object_set_new(info, "image", json_string(r->toolchain.image));
	json_object_set_new(info, "arch", json_string(r->toolchain.arch));
	json_object_set_new(info, "source", json_string(r->source.identity));
	json_object_set_new(info, "patches", patch_names(r));
	json_object_set_new(info, "toolchain", json_string(r->toolchain.identity));
	json_object_set_new(info, "compiled", json_integer(o->compiled));
	json_object_set_new(info, "seconds", json_real(o->seconds));
	json_object_set_new(info, "bytes", json_integer((json_int_t)folder_size(folder)));
	json_object_set_new(info, "time", json_integer((json_int_t)time(NULL)));
	text = json_dumps(info, JSON_INDENT(1));
	ret = text ? file_write(path, text, strlen(text), err)
		   : error_set(err, ERROR_FAILED, "cannot describe kernel '%s'", r->kernel->name);
	free(text);
	json_decref(info);
	free(path);
	return ret;
}

/* Image, .config, System.map and log, beside the modules that are there already. */
static int collect(const struct objects *o, const char *folder, struct error *err)
{
	const struct toolchain *t = &o->r->toolchain;
	char *image = xasprintf("%s/arch/%s/boot/%s", o->folder, t->arch, t->image);
	char *map = path_join(o->folder, "System.map");
	char *release = objects_release_name(o, err);
	int ret = release ? 0 : -1;

	if (!ret && !path_exists(image))
		ret = error_set(err, ERROR_FAILED, "kernel '%s' was built without an image '%s'",
				o->r->kernel->name, image);
	if (!ret)
		ret = built_copy(image, folder, t->image, err) ||
				      built_copy(o->dot_config, folder, "config", err) ||
				      built_copy(o->log, folder, "build.log", err)
			      ? -1
			      : 0;
	if (!ret && path_exists(map))
		ret = built_copy(map, folder, "System.map", err);
	if (!ret)
		ret = write_info(o, folder, release, err);
	free(release);
	free(map);
	free(image);
	return ret;
}

/* Everything happens in a folder beside it, and only what is whole is renamed to its place. */
static int compile(struct objects *o, const char *dot_config, const char *key, struct error *err)
{
	char *images = builds_folder("images", err), *stage, *place;
	struct error ignored = ERROR_INIT;
	int ret;

	if (!images)
		return -1;
	stage = xasprintf("%s/.work-%ld", images, (long)getpid());
	place = path_join(images, key);
	ret = remove_tree(stage, err) || make_directories(stage, err) ? -1 : 0;
	if (!ret)
		ret = objects_compile(o, dot_config, stage, err);
	if (!ret)
		ret = collect(o, stage, err);
	if (!ret)
		ret = remove_tree(place, err);
	if (!ret && rename(stage, place))
		ret = error_sys(err, errno, "cannot rename '%s' to '%s'", stage, place);
	remove_tree(stage, &ignored);
	free(place);
	free(stage);
	free(images);
	return ret;
}

static void say_notes(const struct request *r)
{
	for (unsigned i = 0; i < r->patches.count; i++)
		if (*r->patches.items[i].note)
			fprintf(stderr, "schedbench: %s\n", r->patches.items[i].note);
}

static void say_built(const struct objects *o)
{
	fprintf(stderr, "schedbench: built '%s': %u file%s compiled in %.0f s\n",
		o->r->kernel->name, o->compiled, o->compiled == 1 ? "" : "s", o->seconds);
}

/* The files are those of @tree by now or will be; the final .config decides what is made. */
static int build_tree(struct request *r, struct objects *o, const char *tree, struct built *out,
		      struct error *err)
{
	struct strbuf dot_config = STRBUF_INIT;
	char *key = NULL;
	int ret = check_space(&r->source, o, tree, err);

	if (!ret)
		ret = source_checkout(&r->source, tree, err) || objects_seed(o, err) ||
				      objects_repair(o, err) ||
				      objects_configure(o, tree, &dot_config, err)
			      ? -1
			      : 0;
	if (!ret) {
		key = image_key(r, tree, dot_config.buf);
		if (!built_open(out, key)) {
			ret = compile(o, dot_config.buf, key, err);
			if (!ret)
				say_built(o);
		} else {
			built_release(out);
		}
	}
	if (!ret)
		ret = built_record(r, key, err);
	free(key);
	strbuf_release(&dot_config);
	return ret;
}

static int build_locked(struct request *r, int lock, const char *log, struct built *out,
			struct error *err)
{
	struct strbuf said = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	struct objects o = {0};
	char *tree = NULL;
	int ret = source_make(&r->source, r->kernel, err);

	if (!ret)
		ret = patches_apply(&r->source, &r->reverts, &r->patches, &tree, &said, err);
	if (file_write(log, said.buf, said.len, ret ? &ignored : err))
		ret = -1;
	if (ret && err->kind == ERROR_USAGE)
		error_prefix(err, "kernel '%s': ", r->kernel->name);
	if (!ret) {
		objects_open(&o, r, lock, log);
		ret = build_tree(r, &o, tree, out, err);
	}
	objects_release(&o);
	free(tree);
	strbuf_release(&said);
	return ret;
}

static int build_request(struct request *r, struct built *out, struct error *err)
{
	char *log;
	int lock, ret;

	if (r->no_toolchain.kind) {
		*err = r->no_toolchain;
		return -1;
	}
	if (toolchain_check_tools(err) || source_open(&r->source, err))
		return -1;
	log = path_of(r->kernel, "logs", err);
	lock = log ? folder_lock(r->source.folder, r->kernel->name, err) : -1;
	ret = lock < 0 ? -1 : 0;
	/* Whoever had the lock may have built just this. */
	if (!ret && !built_find(out, r->key)) {
		say_notes(r);
		ret = build_locked(r, lock, log, out, err);
		if (!ret && !built_find(out, r->key))
			ret = error_set(err, ERROR_FAILED, "the cache lost kernel '%s' at once",
					r->kernel->name);
		out->fresh = !ret;
	}
	if (lock >= 0)
		close(lock);
	free(log);
	return ret;
}

int build_kernel(struct built *out, const struct kernel *k, struct error *err)
{
	struct request r;
	bool known;
	int ret;

	*out = (struct built){0};
	if (request_init(&r, k, false, &known, err))
		return -1;
	ret = built_find(out, r.key) ? 0 : build_request(&r, out, err);
	request_release(&r);
	return ret;
}

int build_lookup(struct built *out, const struct kernel *k, struct error *err)
{
	struct request r;
	bool known;
	int found;

	*out = (struct built){0};
	if (request_init(&r, k, true, &known, err))
		return -1;
	if (!known)
		return 0;
	found = built_find(out, r.key);
	request_release(&r);
	return found;
}

int build_why(const struct kernel *k, struct strlist *out, struct error *err)
{
	json_t *record = recipe_record(k);
	struct request r;
	struct built b;
	bool known;
	int ret = request_init(&r, k, true, &known, err);

	if (!ret && !known) {
		strlist_add(out, "its source has not been fetched yet");
	} else if (!ret) {
		if (built_find(&b, r.key))
			built_release(&b);
		else if (!record)
			strlist_add(out, "it has not been built yet");
		else if (json_equal(json_object_get(record, "inputs"), r.inputs))
			strlist_add(out, "its image was removed");
		else
			inputs_compare(json_object_get(record, "inputs"), r.inputs, out);
		request_release(&r);
	}
	json_decref(record);
	return ret;
}

char *build_log(const struct kernel *k)
{
	struct error ignored = ERROR_INIT;
	char *path = path_of(k, "logs", &ignored);

	if (path && !path_exists(path)) {
		free(path);
		path = NULL;
	}
	return path;
}

static int remove_counted(const char *path, unsigned long long *bytes, struct error *err)
{
	if (!path || !path_exists(path))
		return 0;
	*bytes += folder_size(path);
	return remove_tree(path, err);
}

static int remove_image(const struct kernel *k, unsigned long long *bytes, struct error *err)
{
	json_t *record = recipe_record(k);
	const char *key = json_string_value(json_object_get(record, "image"));
	const char *request = json_string_value(json_object_get(record, "request"));
	char *images = builds_folder("images", err), *requests = builds_folder("requests", err);
	char *log = path_of(k, "logs", err), *recipe = path_of(k, "recipes", err);
	char *image = key && !strchr(key, '/') && images ? path_join(images, key) : NULL;
	char *note = request && !strchr(request, '/') && requests ? path_join(requests, request)
								  : NULL;
	int ret = remove_counted(image, bytes, err) || remove_counted(note, bytes, err) ||
				  remove_counted(log, bytes, err) ||
				  remove_counted(recipe, bytes, err)
			  ? -1
			  : 0;

	free(note);
	free(image);
	free(recipe);
	free(log);
	free(requests);
	free(images);
	json_decref(record);
	return ret;
}

int build_remove(const struct kernel *k, bool source, unsigned long long *bytes, struct error *err)
{
	struct error unknown = ERROR_INIT;
	struct request r;
	bool known;
	int lock, ret = 0;

	*bytes = 0;
	if (source && !request_init(&r, k, true, &known, &unknown) && known) {
		ret = source_open(&r.source, err);
		lock = ret ? -1 : folder_lock(r.source.folder, k->name, err);
		ret = lock < 0 ? -1 : remove_counted(r.source.folder, bytes, err);
		if (lock >= 0)
			close(lock);
		request_release(&r);
	}
	return ret ? -1 : remove_image(k, bytes, err);
}
