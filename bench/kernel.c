// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "config/config.h"
#include "kernel/build.h"
#include "kernel/kernel.h"
#include "util/file.h"
#include "util/strlist.h"
#include "util/xalloc.h"

struct options {
	bool json, source;
	struct strlist names;
};

enum { OPT_SOURCE = 256 };

static const struct argp_option plain_options[] = {{"json", 'j', NULL, 0, "Print JSON", 0}, {0}};

static const struct argp_option rm_options[] = {
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{"source", OPT_SOURCE, NULL, 0,
	 "Also its source and objects, which other kernels may share: the next build starts anew",
	 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case OPT_SOURCE:
		o->source = true;
		return 0;
	case ARGP_KEY_ARG:
		strlist_add(&o->names, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void print_json(json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(value);
}

static void set_text(json_t *object, const char *key, const char *value)
{
	json_object_set_new(object, key, value ? json_string(value) : json_null());
}

/* What there is to say of a kernel that is ready. */
static json_t *ready_json(const struct kernel *k, const struct kernel_image *image)
{
	json_t *o = json_object();
	struct error ignored = ERROR_INIT;
	struct built b;

	set_text(o, "name", k->name);
	set_text(o, "image", image->image);
	set_text(o, "modules", image->modules);
	set_text(o, "release", image->release);
	set_text(o, "identity", image->identity);
	if (kernel_is_built(k) && build_lookup(&b, k, &ignored) == 1) {
		json_object_set(o, "build", b.info);
		built_release(&b);
	}
	return o;
}

static int build_one(const char *name, json_t *list, const struct options *o, struct error *err)
{
	struct kernel_image image;
	struct kernel *k;
	int ret;

	if (kernel_load(&k, name, err))
		return -1;
	ret = kernel_prepare(&image, k, err);
	if (!ret) {
		if (o->json)
			json_array_append_new(list, ready_json(k, &image));
		else
			printf("%s  %s  %s\n", k->name, image.release,
			       image.image ? image.image : "runs on this machine");
		fflush(stdout);
		kernel_image_release(&image);
	}
	kernel_free(k);
	return ret;
}

/* One that fails does not keep the others from being built; the first error is the answer. */
static int kernel_build(const struct options *o, struct error *err)
{
	json_t *list = json_array();
	int ret = 0;

	for (size_t i = 0; i < o->names.count; i++) {
		struct error now = ERROR_INIT;

		if (!build_one(o->names.items[i], list, o, &now))
			continue;
		if (!ret)
			*err = now;
		else
			fprintf(stderr, "schedbench: %s\n", now.msg);
		ret = -1;
		if (now.kind == ERROR_INTERRUPTED)
			break;
	}
	if (o->json && !ret)
		print_json(list);
	else
		json_decref(list);
	return ret;
}

static const char *state_of(const struct kernel *k, struct built *b, struct strlist *why)
{
	struct error err = ERROR_INIT;

	*b = (struct built){0};
	if (k->source == KERNEL_RUNNING)
		return "runs";
	if (k->source == KERNEL_IMAGE)
		return path_exists(k->image) ? "there" : "missing";
	if (!kernel_is_built(k))
		return kernel_is_cached(k) ? "fetched" : "not fetched";
	if (build_lookup(b, k, &err) == 1)
		return "built";
	if (err.kind || build_why(k, why, &err)) {
		strlist_add(why, err.msg);
		return "unknown";
	}
	return "not built";
}

static void list_one(const struct kernel *k, json_t *list, bool json)
{
	struct strlist why = STRLIST_INIT;
	struct built b;
	const char *state = state_of(k, &b, &why);
	double mb = json_number_value(json_object_get(b.info, "bytes")) / 1e6;

	if (json) {
		json_t *o = json_object();

		set_text(o, "name", k->name);
		set_text(o, "title", k->title);
		set_text(o, "state", state);
		set_text(o, "release", b.release);
		set_text(o, "why", why.count ? why.items[0] : NULL);
		json_object_set(o, "build", b.info ? b.info : json_null());
		json_array_append_new(list, o);
	} else if (b.info) {
		printf("%-24s %-11s %s, %.1f MB\n", k->name, state, b.release, mb);
	} else {
		printf("%-24s %-11s %s\n", k->name, state, why.count ? why.items[0] : k->title);
	}
	built_release(&b);
	strlist_release(&why);
}

static int kernel_list(const struct options *o, struct error *err)
{
	json_t *list = json_array();
	struct key_value *all;
	unsigned count;

	if (config_list(CONFIG_KERNEL, &all, &count, err))
		return -1;
	for (unsigned i = 0; i < count; i++) {
		struct error broken = ERROR_INIT;
		struct kernel *k;

		if (kernel_load(&k, all[i].key, &broken)) {
			fprintf(stderr, "schedbench: %s\n", broken.msg);
			continue;
		}
		list_one(k, list, o->json);
		kernel_free(k);
	}
	key_values_free(all, count);
	if (o->json)
		print_json(list);
	else
		json_decref(list);
	return 0;
}

static int must_be_built(const struct kernel *k, struct error *err)
{
	if (kernel_is_built(k))
		return 0;
	return error_set(err, ERROR_USAGE, "kernel '%s' is not built from source", k->name);
}

static int kernel_path(const struct kernel *k, const struct options *o, struct error *err)
{
	struct kernel_image image;

	if (!kernel_is_cached(k))
		return error_set(err, ERROR_FAILED,
				 "kernel '%s' is not there yet (schedbench kernel build %s)",
				 k->name, k->name);
	if (kernel_prepare(&image, k, err))
		return -1;
	if (o->json)
		print_json(ready_json(k, &image));
	else if (image.image)
		puts(image.image);
	kernel_image_release(&image);
	return 0;
}

static int kernel_log(const struct kernel *k, const struct options *o, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	char *path;
	int ret = must_be_built(k, err);

	if (ret)
		return -1;
	path = build_log(k);
	if (!path)
		return error_set(err, ERROR_FAILED, "kernel '%s' has no log: it was not built here",
				 k->name);
	if (o->json)
		print_json(json_pack("{s:s, s:s}", "name", k->name, "log", path));
	else
		ret = file_read(path, 0, &text, err);
	fwrite(text.buf, 1, text.len, stdout);
	strbuf_release(&text);
	free(path);
	return ret;
}

static int kernel_why(const struct kernel *k, const struct options *o, struct error *err)
{
	struct strlist why = STRLIST_INIT;
	int ret = must_be_built(k, err) || build_why(k, &why, err) ? -1 : 0;
	json_t *list = json_array();

	for (size_t i = 0; i < why.count && !ret; i++) {
		json_array_append_new(list, json_string(why.items[i]));
		if (!o->json)
			printf("%s: %s\n", k->name, why.items[i]);
	}
	if (!ret && o->json)
		print_json(json_pack("{s:s, s:b, s:O}", "name", k->name, "current", !why.count,
				     "why", list));
	else if (!ret && !why.count)
		printf("%s: up to date\n", k->name);
	json_decref(list);
	strlist_release(&why);
	return ret;
}

static int kernel_rm(const struct kernel *k, const struct options *o, struct error *err)
{
	unsigned long long bytes = 0;

	if (must_be_built(k, err) || build_remove(k, o->source, &bytes, err))
		return -1;
	if (o->json)
		print_json(json_pack("{s:s, s:I}", "name", k->name, "bytes", (json_int_t)bytes));
	else
		printf("%s: %.1f MB removed\n", k->name, bytes / 1e6);
	return 0;
}

/* The record goes first: what cannot be fetched again is said, and what was fetched stays. */
static int kernel_refresh(const struct kernel *k, const struct options *o, struct error *err)
{
	struct kernel_image image;

	if (kernel_forget(k, err) || kernel_prepare(&image, k, err))
		return -1;
	if (o->json)
		print_json(ready_json(k, &image));
	else
		printf("%s  %s  %s\n", k->name, image.release, image.image);
	kernel_image_release(&image);
	return 0;
}

static const struct command {
	const char *name, *summary, *args;
	const struct argp_option *options;
	int (*all)(const struct options *o, struct error *err);
	int (*one)(const struct kernel *k, const struct options *o, struct error *err);
} commands[] = {
	{"build", "build kernels, or fetch packaged ones; what is there is looked up", "NAME...",
	 plain_options, kernel_build, NULL},
	{"list", "list kernels, and which of them are built", "", plain_options, kernel_list, NULL},
	{"path", "print the path of a kernel's image", "NAME", plain_options, NULL, kernel_path},
	{"log", "print what the last build of a kernel said", "NAME", plain_options, NULL,
	 kernel_log},
	{"why", "say which input made a kernel out of date", "NAME", plain_options, NULL,
	 kernel_why},
	{"rm", "remove what was built", "NAME", rm_options, NULL, kernel_rm},
	{"refresh", "take the version that a suite or a branch at an address has now", "NAME",
	 plain_options, NULL, kernel_refresh},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	fputs("usage: schedbench kernel COMMAND [OPTION...] [NAME...]\n\n", stdout);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-7s  %s\n", commands[i].name, commands[i].summary);
	fputs("\n'schedbench kernel COMMAND --help' explains the options. What a kernel is made of "
	      "is\nwritten in configs/kernels/NAME.yaml (docs/kernels.md).\n",
	      stdout);
}

static int run_one(const struct command *c, const struct options *o, struct error *err)
{
	struct kernel *k;
	int ret;

	if (o->names.count != 1)
		return error_set(err, ERROR_USAGE,
				 "%s which kernel? (one NAME; schedbench kernel "
				 "list)",
				 c->name);
	if (kernel_load(&k, o->names.items[0], err))
		return -1;
	ret = c->one(k, o, err);
	kernel_free(k);
	return ret;
}

static int run(const struct command *c, int argc, char **argv, struct error *err)
{
	char *doc = xasprintf("%c%s.", c->summary[0] - 'a' + 'A', c->summary + 1);
	const struct argp argp = {
		.options = c->options, .parser = parse, .args_doc = c->args, .doc = doc};
	struct options o = {.names = STRLIST_INIT};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (c->one)
		ret = run_one(c, &o, err);
	else if (*c->args && !o.names.count)
		ret = error_set(err, ERROR_USAGE, "%s which kernel? (schedbench kernel list)",
				c->name);
	else if (!*c->args && o.names.count)
		ret = error_set(err, ERROR_USAGE, "%s takes no arguments", c->name);
	else
		ret = c->all(&o, err);
	strlist_release(&o.names);
	free(doc);
	return ret;
}

int cmd_kernel(int argc, char **argv, struct error *err)
{
	char *name;
	int ret;

	if (argc < 2)
		return error_set(err, ERROR_USAGE,
				 "kernel what? (build, list, path, log, why, rm, refresh)");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?")) {
		print_help();
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, argv[1])) {
			name = xasprintf("%s %s", argv[0], argv[1]);
			argv[1] = name;
			ret = run(&commands[i], argc - 1, argv + 1, err);
			free(name);
			return ret;
		}
	return error_set(err, ERROR_USAGE,
			 "no 'kernel %s' (build, list, path, log, why, rm, refresh)", argv[1]);
}
