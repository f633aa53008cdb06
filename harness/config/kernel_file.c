// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/find.h"
#include "config/schema.h"
#include "config/switches.h"
#include "config/values.h"
#include "util/file.h"
#include "util/xalloc.h"

static const cyaml_schema_field_t source_fields[] = {
	CYAML_FIELD_STRING_PTR("debian-image", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			       struct kernel, package, 2, 128),
	CYAML_FIELD_STRING_PTR("suite", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel,
			       suite, 1, 64),
	CYAML_FIELD_STRING_PTR("image", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel,
			       image, 1, 1024),
	CYAML_FIELD_STRING_PTR("modules", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel,
			       modules, 1, 1024),
	CYAML_FIELD_END};

/* The source's members lie in struct kernel itself, so that its mapping is loaded apart. */
struct kernel_file {
	struct kernel k;
	struct kernel source;
};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct kernel_file, k.name, 1, 64),
	CYAML_FIELD_STRING_PTR("title", CYAML_FLAG_POINTER, struct kernel_file, k.title, 1, 200),
	CYAML_FIELD_MAPPING("source", CYAML_FLAG_DEFAULT, struct kernel_file, source,
			    source_fields),
	CYAML_FIELD_STRING_PTR("cmdline", CYAML_FLAG_POINTER, struct kernel_file, k.cmdline, 0,
			       1024),
	CYAML_FIELD_SEQUENCE("features", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct kernel_file, k.features, &schema_key_value, 0, 256),
	CYAML_FIELD_SEQUENCE("sysctl", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct kernel_file,
			     k.sysctl, &schema_key_value, 0, 256),
	CYAML_FIELD_END};

static const cyaml_schema_value_t top = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct kernel_file, fields)};

static const char *const later[] = {"patches", "config",	"git",	"commit", "tarball",
				    "base",    "debian-source", "make", NULL};

static const struct schema schema = {&top, later};

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
	free(stem);
	*running = false;
	if (!source || source->type != NODE_SCALAR)
		return 0;
	if (strcmp(source->value, "running"))
		return document_error(doc, source, err,
				      "source '%.60s' is not known (write running, {debian-image: "
				      "PACKAGE, suite: SUITE} or {image: FILE, modules: FOLDER})",
				      source->value);
	*running = true;
	source->type = NODE_MAPPING;
	free(source->value);
	source->value = NULL;
	return 0;
}

static bool is_package_name(const char *s)
{
	return isalnum((unsigned char)*s) &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.+-") == strlen(s);
}

static int check_debian_image(const struct document *doc, const struct node *source,
			      const struct kernel *k, struct error *err)
{
	if (k->image || k->modules)
		return document_error(doc, source, err,
				      "'debian-image' and '%s' are two sources (choose one)",
				      k->image ? "image" : "modules");
	if (!is_package_name(k->package))
		return document_error(doc, node_get(source, "debian-image"), err,
				      "'%s' is not the name of a Debian package", k->package);
	if (!k->suite)
		return document_error(doc, source, err,
				      "key 'suite' is missing (such as bookworm)");
	if (!is_package_name(k->suite))
		return document_error(doc, node_get(source, "suite"), err,
				      "'%s' is not the name of a Debian suite (such as bookworm)",
				      k->suite);
	return 0;
}

static void make_path_absolute(char **path, const char *folder)
{
	char *absolute = *path ? config_absolute(folder, *path) : NULL;

	free(*path);
	*path = absolute;
}

static int check_source(const struct document *doc, struct kernel *k, bool running,
			struct error *err)
{
	const struct node *source = node_get(doc->root, "source");
	char *folder;

	if (running) {
		k->source = KERNEL_RUNNING;
		return 0;
	}
	if (k->package) {
		k->source = KERNEL_DEBIAN_IMAGE;
		return check_debian_image(doc, source, k, err);
	}
	if (!k->image)
		return document_error(doc, source, err,
				      "'source' needs 'debian-image' and 'suite', or 'image'");
	if (k->suite)
		return document_error(doc, node_get(source, "suite"), err,
				      "'suite' belongs to 'debian-image' (leave it out)");
	k->source = KERNEL_IMAGE;
	folder = path_dirname(doc->origin);
	make_path_absolute(&k->image, folder);
	make_path_absolute(&k->modules, folder);
	free(folder);
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
	if (ret || check_source(doc, k, running, err))
		return -1;
	if (running && *k->cmdline)
		return document_error(doc, node_get(doc->root, "cmdline"), err,
				      "the running kernel's command line is what it is (leave it "
				      "out)");
	return switches_check(doc, doc->root, err);
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
	k->package = f->source.package;
	k->suite = f->source.suite;
	k->image = f->source.image;
	k->modules = f->source.modules;
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
