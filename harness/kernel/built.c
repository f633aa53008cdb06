// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/cache.h"
#include "kernel/image.h"
#include "kernel/built.h"
#include "util/file.h"
#include "util/xalloc.h"

static bool is_key(const char *text)
{
	return strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

static char *path_in(const char *kind, const char *name)
{
	struct error ignored = ERROR_INIT;
	char *folder = builds_folder(kind, &ignored);
	char *path = folder ? path_join(folder, name) : NULL;

	free(folder);
	return path;
}

static const char *info_text(const json_t *info, const char *key)
{
	const char *text = json_string_value(json_object_get(info, key));

	return text && *text && !strchr(text, '/') ? text : NULL;
}

int built_open(struct built *out, const char *key)
{
	char *folder = path_in("images", key), *info;
	const char *image, *release;

	*out = (struct built){0};
	if (!folder)
		return 0;
	info = path_join(folder, "info.json");
	out->folder = folder;
	out->info = json_load_file(info, 0, NULL);
	free(info);
	image = info_text(out->info, "image");
	release = info_text(out->info, "release");
	if (image && release) {
		out->image = path_join(folder, image);
		out->release = xstrdup(release);
		out->identity = xstrdup(key);
		out->modules = modules_folder(folder, release);
		if (path_exists(out->image))
			return 1;
	}
	built_release(out);
	return 0;
}

int built_find(struct built *out, const char *request)
{
	char *path = path_in("requests", request);
	struct error ignored = ERROR_INIT;
	struct strbuf key = STRBUF_INIT;
	int found = 0;

	if (path && path_exists(path) && !file_read(path, 128, &key, &ignored) && key.len) {
		key.buf[strcspn(key.buf, "\n")] = '\0';
		found = is_key(key.buf) && built_open(out, key.buf);
	}
	strbuf_release(&key);
	free(path);
	return found;
}

static json_t *recipe_of(const struct request *r, const char *key)
{
	char now[32] = "";
	time_t t = time(NULL);
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:O}", "name", r->kernel->name, "file",
			 r->kernel->file, "request", r->key, "image", key, "time", now, "inputs",
			 r->inputs);
}

int built_record(const struct request *r, const char *key, struct error *err)
{
	char *id = recipe_id(r->kernel);
	char *request = path_in("requests", r->key), *recipe = path_in("recipes", id);
	json_t *record = recipe_of(r, key);
	char *text = record ? json_dumps(record, JSON_INDENT(1)) : NULL;
	int ret;

	if (!request || !recipe || !text)
		ret = error_set(err, ERROR_FAILED, "cannot record what kernel '%s' was made of",
				r->kernel->name);
	else
		ret = file_write(request, key, strlen(key), err) ||
				      file_write(recipe, text, strlen(text), err)
			      ? -1
			      : 0;
	free(text);
	json_decref(record);
	free(recipe);
	free(request);
	free(id);
	return ret;
}

int built_copy(const char *from, const char *folder, const char *name, struct error *err)
{
	char *to = path_join(folder, name);
	struct strbuf data = STRBUF_INIT;
	int ret = file_read(from, 0, &data, err);

	if (!ret)
		ret = file_write(to, data.buf, data.len, err);
	strbuf_release(&data);
	free(to);
	return ret;
}

void built_release(struct built *b)
{
	free(b->folder);
	free(b->image);
	free(b->modules);
	free(b->release);
	free(b->identity);
	json_decref(b->info);
	*b = (struct built){0};
}
