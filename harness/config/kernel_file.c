// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/find.h"
#include "config/kernel_source.h"
#include "config/schema.h"
#include "config/switches.h"
#include "config/values.h"
#include "util/xalloc.h"

/* The source's members lie in struct kernel itself, so that its mapping is loaded apart. */
struct source {
	char *image_package, *source_package;
	struct kernel k;
};

static const cyaml_schema_field_t source_fields[] = {
	CYAML_FIELD_STRING_PTR("debian-image", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct source, image_package, 2, 128),
	CYAML_FIELD_STRING_PTR("debian-source", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct source, source_package, 2, 128),
	CYAML_FIELD_STRING_PTR("suite", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.suite, 1, 64),
	CYAML_FIELD_STRING_PTR("version", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.version, 1, 128),
	CYAML_FIELD_STRING_PTR("image", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.image, 1, 1024),
	CYAML_FIELD_STRING_PTR("modules", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.modules, 1, 1024),
	CYAML_FIELD_STRING_PTR("git", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.git, 1, 1024),
	CYAML_FIELD_STRING_PTR("ref", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.ref, 1, 256),
	CYAML_FIELD_STRING_PTR("tarball", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.tarball, 1, 1024),
	CYAML_FIELD_STRING_PTR("sha256", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct source,
			       k.sha256, 1, 64),
	CYAML_FIELD_END};

struct kernel_file {
	struct kernel k;
	struct source source;
};

static const cyaml_strval_t archs[] = {{"x86_64", ARCH_X86_64}, {"arm64", ARCH_ARM64}};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct kernel_file, k.name, 1, 64),
	CYAML_FIELD_STRING_PTR("title", CYAML_FLAG_POINTER, struct kernel_file, k.title, 1, 200),
	CYAML_FIELD_MAPPING("source", CYAML_FLAG_DEFAULT, struct kernel_file, source,
			    source_fields),
	CYAML_FIELD_SEQUENCE("patches", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct kernel_file, k.patches, &schema_string, 0, 256),
	CYAML_FIELD_SEQUENCE("revert", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
			     k.revert, &schema_string, 0, 256),
	CYAML_FIELD_SEQUENCE("config", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
			     k.config, &schema_string, 0, 1024),
	CYAML_FIELD_ENUM("arch", CYAML_FLAG_DEFAULT, struct kernel_file, k.arch, archs,
			 sizeof(archs) / sizeof(archs[0])),
	CYAML_FIELD_STRING_PTR("cmdline", CYAML_FLAG_POINTER, struct kernel_file, k.cmdline, 0,
			       1024),
	CYAML_FIELD_SEQUENCE("features", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct kernel_file, k.features, &schema_key_value, 0, 256),
	CYAML_FIELD_SEQUENCE("sysctl", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
			     k.sysctl, &schema_key_value, 0, 256),
	CYAML_FIELD_END};

static const cyaml_schema_value_t top = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct kernel_file, fields)};

static const char *const later[] = {"commit", "base", "make", NULL};

static const struct schema schema = {&top, later};

static void free_strings(char **items, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		free(items[i]);
	free(items);
}

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	free(k->file);
	free(k->name);
	free(k->title);
	free(k->package);
	free(k->suite);
	free(k->image);
	free(k->modules);
	free(k->version);
	free(k->git);
	free(k->ref);
	free(k->tarball);
	free(k->sha256);
	free_strings(k->patches, k->patches_count);
	free_strings(k->revert, k->revert_count);
	free_strings(k->config, k->config_count);
	free(k->cmdline);
	key_values_free(k->features, k->features_count);
	key_values_free(k->sysctl, k->sysctl_count);
	free(k);
}

static struct kernel *running_kernel(void)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	k->name = xstrdup("running");
	k->title = xstrdup("the kernel that runs on this machine");
	k->source = KERNEL_RUNNING;
	k->cmdline = xstrdup("");
	return k;
}

static int set_defaults(const struct document *doc, bool *running, struct error *err)
{
	struct node *root = doc->root;
	struct node *source = node_get(root, "source");
	char *stem = config_stem(doc->origin);
	const struct node *name;

	node_default(root, "name", stem);
	name = node_get(root, "name");
	node_default(root, "title", name->type == NODE_SCALAR ? name->value : stem);
	node_default(root, "cmdline", "");
	node_default(root, "arch", "x86_64");
	free(stem);
	*running = false;
	if (!source || source->type != NODE_SCALAR)
		return 0;
	if (strcmp(source->value, "running"))
		return document_error(doc, source, err,
				      "source '%.60s' is not known (write running, {debian-image: "
				      "PACKAGE, suite: SUITE}, {image: FILE, modules: FOLDER}, "
				      "{git: CLONE, ref: TAG}, {tarball: FILE, sha256: SUM} or "
				      "{debian-source: PACKAGE, suite: SUITE})",
				      source->value);
	*running = true;
	source->type = NODE_MAPPING;
	free(source->value);
	source->value = NULL;
	return 0;
}

static int check_kernel(const struct document *doc, struct kernel *k, bool running,
			struct error *err)
{
	const struct node *name = node_get(doc->root, "name");
	char *stem = config_stem(doc->origin);
	int ret = 0;

	if (!is_name(k->name))
		ret = document_error(doc, name, err,
				     "'%s' is not a name (use letters, digits and . _ + -)",
				     k->name);
	else if (strcmp(stem, k->name))
		ret = document_error(doc, name, err,
				     "name '%s' is not that of the file (call it %s.yaml)", k->name,
				     k->name);
	free(stem);
	if (ret || kernel_check_source(doc, running, k, err))
		return -1;
	if (running && *k->cmdline)
		return document_error(doc, node_get(doc->root, "cmdline"), err,
				      "the running kernel's command line is what it is (leave it "
				      "out)");
	return switches_check(doc, doc->root, err);
}

/* Of two packages one is dropped here and complained about later. */
static void take_source(struct kernel *k, struct source *source)
{
	k->package = source->image_package ? source->image_package : source->source_package;
	if (k->package != source->source_package)
		free(source->source_package);
	k->suite = source->k.suite;
	k->version = source->k.version;
	k->image = source->k.image;
	k->modules = source->k.modules;
	k->git = source->k.git;
	k->ref = source->k.ref;
	k->tarball = source->k.tarball;
	k->sha256 = source->k.sha256;
}

static int kernel_from_document(struct kernel **out, const struct document *doc, struct error *err)
{
	struct kernel_file *f;
	struct kernel *k;
	void *data;
	bool running;

	if (set_defaults(doc, &running, err) || schema_load(&schema, doc, &data, err))
		return -1;
	f = data;
	k = xcalloc(1, sizeof(*k));
	*k = f->k;
	k->file = xstrdup(doc->origin);
	take_source(k, &f->source);
	free(f);
	if (check_kernel(doc, k, running, err)) {
		kernel_free(k);
		return -1;
	}
	*out = k;
	return 0;
}

int kernel_load(struct kernel **out, const char *name_or_path, struct error *err)
{
	struct document doc;
	char *path;
	int ret;

	*out = NULL;
	if (!strcmp(name_or_path, "running")) {
		*out = running_kernel();
		return 0;
	}
	path = config_find(CONFIG_KERNEL, name_or_path, err);
	if (!path)
		return -1;
	ret = document_read(&doc, path, err);
	if (!ret) {
		ret = kernel_from_document(out, &doc, err);
		document_release(&doc);
	}
	free(path);
	return ret;
}
