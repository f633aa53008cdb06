// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "kernel/kconfig.h"
#include "util/file.h"
#include "util/xalloc.h"

#define PREFIX	     "CONFIG_"
#define NOT_SET	     " is not set"
#define FRAGMENT_MAX (4 << 20)
#define NAMED_MAX    8 /* dropped options that a message names */

static const char name_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

static size_t name_length(const char *line)
{
	size_t len = strlen(PREFIX);

	if (strncmp(line, PREFIX, len) || !strspn(line + len, name_chars))
		return 0;
	return len + strspn(line + len, name_chars);
}

static bool is_value(const char *v)
{
	size_t len = strlen(v);

	if (v[0] == '"')
		return len >= 2 && v[len - 1] == '"';
	return len && strspn(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
				"+._") == len;
}

static void set_option(struct kconfig *c, const char *name, size_t len, const char *value,
		       const char *origin)
{
	xgrow(c->options, c->count, c->cap);
	c->options[c->count] = (struct kconfig_option){.name = xstrndup(name, len),
						       .value = xstrdup(value),
						       .origin = xstrdup(origin),
						       .order = c->count};
	c->count++;
}

/* -1: neither an option nor a comment. */
static int take_line(struct kconfig *c, const char *line, const char *origin)
{
	size_t len;

	if (!*line)
		return 0;
	if (*line == '#') {
		const char *name = line + 1 + strspn(line + 1, " ");

		len = name_length(name);
		if (len && !strcmp(name + len, NOT_SET))
			set_option(c, name, len, "n", origin);
		return 0;
	}
	len = name_length(line);
	if (!len || line[len] != '=' || !is_value(line + len + 1))
		return -1;
	set_option(c, line, len, line + len + 1, origin);
	return 0;
}

static void trim(char *line)
{
	size_t len = strlen(line);

	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
}

static int read_fragment(struct kconfig *c, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	char *rest, *line;
	unsigned number = 0;
	int ret = file_read(path, FRAGMENT_MAX, &text, err);

	if (!ret && strlen(text.buf) != text.len)
		ret = error_set(err, ERROR_USAGE, "'%s' is not a text", path);
	rest = !ret && text.len ? text.buf : NULL;
	while (!ret && (line = strsep(&rest, "\n"))) {
		char *origin = xasprintf("%s:%u", path, ++number);

		trim(line);
		if (take_line(c, line, origin))
			ret = error_set(err, ERROR_USAGE,
					"%s: '%.60s' is neither CONFIG_NAME=VALUE nor a comment",
					origin, line);
		free(origin);
	}
	strbuf_release(&text);
	return ret;
}

static void free_option(struct kconfig_option *o)
{
	free(o->name);
	free(o->value);
	free(o->origin);
}

static int by_name(const void *a, const void *b)
{
	const struct kconfig_option *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	return diff ? diff : (x->order > y->order) - (x->order < y->order);
}

/* Of several lines about an option the last one stays. */
static void sort_options(struct kconfig *c)
{
	unsigned kept = 0;

	if (c->count)
		qsort(c->options, c->count, sizeof(*c->options), by_name);
	for (unsigned i = 0; i < c->count; i++) {
		if (i + 1 < c->count && !strcmp(c->options[i].name, c->options[i + 1].name))
			free_option(&c->options[i]);
		else
			c->options[kept++] = c->options[i];
	}
	c->count = kept;
}

int kconfig_merge(struct kconfig *out, const struct kernel *k, struct error *err)
{
	int ret = 0;

	*out = (struct kconfig){0};
	for (unsigned i = 0; i < k->config_count && !ret; i++) {
		const char *entry = k->config[i];

		if (entry[0] == '/')
			ret = read_fragment(out, entry, err);
		else if (take_line(out, entry, k->file ? k->file : k->name))
			ret = error_set(err, ERROR_USAGE, "%s: '%.60s' is not CONFIG_NAME=VALUE",
					k->file, entry);
	}
	if (ret)
		kconfig_release(out);
	else
		sort_options(out);
	return ret;
}

void kconfig_release(struct kconfig *config)
{
	for (unsigned i = 0; i < config->count; i++)
		free_option(&config->options[i]);
	free(config->options);
	*config = (struct kconfig){0};
}

void kconfig_text(const struct kconfig *config, struct strbuf *out)
{
	for (unsigned i = 0; i < config->count; i++) {
		const struct kconfig_option *o = &config->options[i];

		if (!strcmp(o->value, "n"))
			strbuf_addf(out, "# %s" NOT_SET "\n", o->name);
		else
			strbuf_addf(out, "%s=%s\n", o->name, o->value);
	}
}

char *kconfig_value(const char *dot_config, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = dot_config; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, len) && p[len] == '=')
			return xstrndup(p + len + 1, strcspn(p + len + 1, "\n"));
	}
	return xstrdup("n");
}

int kconfig_check(const struct kconfig *config, const char *dot_config, struct error *err)
{
	struct strbuf dropped = STRBUF_INIT;
	unsigned count = 0;
	int ret = 0;

	for (unsigned i = 0; i < config->count; i++) {
		const struct kconfig_option *o = &config->options[i];
		char *value = kconfig_value(dot_config, o->name);

		if (strcmp(value, o->value) && count++ < NAMED_MAX)
			strbuf_addf(&dropped, "%s%s=%s (%s) became %.40s", count > 1 ? ", " : "",
				    o->name, o->value, o->origin, value);
		free(value);
	}
	if (count > NAMED_MAX)
		strbuf_addf(&dropped, " and %u more", count - NAMED_MAX);
	if (count)
		ret = error_set(
			err, ERROR_USAGE,
			"kconfig refused %u option%s: %s (is it in this kernel, and what it "
			"depends on?)",
			count, count == 1 ? "" : "s", dropped.buf);
	strbuf_release(&dropped);
	return ret;
}
