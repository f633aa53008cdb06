// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "kernel/cache.h"
#include "kernel/request.h"
#include "util/file.h"
#include "util/xalloc.h"

#define SCHEME "1" /* of what a build does with its inputs; a change of it is one of all keys */

char *recipe_id(const struct kernel *k)
{
	char *hash = short_hash(k->file, 8);
	char *id = xasprintf("%s-%s", k->name, hash);

	free(hash);
	return id;
}

json_t *recipe_record(const struct kernel *k)
{
	struct error ignored = ERROR_INIT;
	char *folder = builds_folder("recipes", &ignored), *id = recipe_id(k), *path;
	json_t *record = NULL;

	if (folder) {
		path = path_join(folder, id);
		record = json_load_file(path, 0, NULL);
		free(path);
	}
	free(id);
	free(folder);
	return record;
}

static void add_input(struct request *r, const char *kind, const char *name, const char *value)
{
	json_t *input = json_object();

	json_object_set_new(input, "kind", json_string(kind));
	json_object_set_new(input, "name", json_string(name));
	json_object_set_new(input, "value", json_string(value));
	if (!json_object_get(input, "name")) /* not UTF-8 */
		json_object_set_new(input, "name", json_string("?"));
	if (!json_object_get(input, "value"))
		json_object_set_new(input, "value", json_string("?"));
	json_array_append_new(r->inputs, input);
}

static void collect(struct request *r)
{
	struct strbuf text = STRBUF_INIT;
	char hex[SHA256_HEX_SIZE];
	char *dump;

	r->inputs = json_array();
	add_input(r, "scheme", "", SCHEME);
	add_input(r, "name", "", r->kernel->name);
	add_input(r, "source", "", r->source.identity);
	add_input(r, "arch", "", r->toolchain.arch);
	add_input(r, "toolchain", "", r->toolchain.identity);
	for (size_t i = 0; i < r->reverts.count; i++)
		add_input(r, "revert", r->reverts.items[i], "");
	for (unsigned i = 0; i < r->patches.count; i++) {
		data_sha256(r->patches.items[i].text, r->patches.items[i].len, hex);
		add_input(r, "patch", r->patches.items[i].name, hex);
	}
	for (unsigned i = 0; i < r->config.count; i++)
		add_input(r, "option", r->config.options[i].name, r->config.options[i].value);
	dump = json_dumps(r->inputs, JSON_COMPACT);
	strbuf_addstr(&text, dump);
	free(dump);
	r->key = short_hash(text.buf, 40);
	strbuf_release(&text);
}

static const char *input_value(const json_t *inputs, const char *kind)
{
	size_t i;
	json_t *input;

	json_array_foreach (inputs, i, input)
		if (!strcmp(json_string_value(json_object_get(input, "kind")), kind))
			return json_string_value(json_object_get(input, "value"));
	return NULL;
}

/* Without a compiler what was built before is still good. */
static int find_toolchain(struct request *r, struct error *err)
{
	json_t *record;
	const char *had;

	if (!toolchain_find(&r->toolchain, r->kernel->arch, &r->no_toolchain))
		return 0;
	record = recipe_record(r->kernel);
	had = input_value(json_object_get(record, "inputs"), "toolchain");
	if (had)
		r->toolchain.identity = xstrdup(had);
	json_decref(record);
	if (r->toolchain.identity)
		return 0;
	*err = r->no_toolchain;
	return -1;
}

static int resolve_reverts(struct request *r, struct error *err)
{
	for (unsigned i = 0; i < r->kernel->revert_count; i++) {
		char *commit = source_commit(r->kernel, r->kernel->revert[i], err);

		if (!commit)
			return -1;
		strlist_add(&r->reverts, commit);
		free(commit);
	}
	return 0;
}

int request_init(struct request *r, const struct kernel *k, bool offline, bool *known,
		 struct error *err)
{
	*r = (struct request){.kernel = k, .reverts = STRLIST_INIT};
	if (source_resolve(&r->source, k, offline, known, err))
		return -1;
	if (!*known) {
		request_release(r);
		return 0;
	}
	if (patches_load(&r->patches, k, offline, err) || resolve_reverts(r, err) ||
	    kconfig_merge(&r->config, k, err) || find_toolchain(r, err)) {
		request_release(r);
		return error_prefix(err, "kernel '%s': ", k->name);
	}
	collect(r);
	return 0;
}

void request_release(struct request *r)
{
	source_release(&r->source);
	strlist_release(&r->reverts);
	patches_release(&r->patches);
	kconfig_release(&r->config);
	toolchain_release(&r->toolchain);
	json_decref(r->inputs);
	free(r->key);
	*r = (struct request){0};
}

static const char *text_of(const json_t *input, const char *key)
{
	const char *text = json_string_value(json_object_get(input, key));

	return text ? text : "";
}

static const json_t *find_input(const json_t *inputs, const json_t *like)
{
	size_t i;
	json_t *input;

	json_array_foreach (inputs, i, input)
		if (!strcmp(text_of(input, "kind"), text_of(like, "kind")) &&
		    !strcmp(text_of(input, "name"), text_of(like, "name")))
			return input;
	return NULL;
}

static void say_changed(const json_t *was, const json_t *is, struct strlist *out)
{
	const char *kind = text_of(is, "kind"), *name = text_of(is, "name");

	if (!strcmp(kind, "option"))
		strlist_addf(out, "option %s was %s and is %s", name, text_of(was, "value"),
			     text_of(is, "value"));
	else if (!strcmp(kind, "patch"))
		strlist_addf(out, "patch '%s' changed", name);
	else
		strlist_addf(out, "%s was '%s' and is '%s'", kind, text_of(was, "value"),
			     text_of(is, "value"));
}

static void say_one_sided(const json_t *input, const char *what, struct strlist *out)
{
	const char *kind = text_of(input, "kind");

	if (!strcmp(kind, "option"))
		strlist_addf(out, "option %s=%s %s", text_of(input, "name"),
			     text_of(input, "value"), what);
	else
		strlist_addf(out, "%s '%s' %s", kind, text_of(input, "name"), what);
}

void inputs_compare(const json_t *before, const json_t *now, struct strlist *out)
{
	size_t i;
	json_t *input;

	json_array_foreach (now, i, input) {
		const json_t *was = find_input(before, input);

		if (!was)
			say_one_sided(input, "is new", out);
		else if (strcmp(text_of(was, "value"), text_of(input, "value")))
			say_changed(was, input, out);
	}
	json_array_foreach (before, i, input)
		if (!find_input(now, input))
			say_one_sided(input, "is gone", out);
	if (!out->count && !json_equal(before, now))
		strlist_add(out, "the order of the patches changed");
}
