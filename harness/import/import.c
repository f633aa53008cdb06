// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <jansson.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"
#include "import/import.h"
#include "util/xalloc.h"

#define MAX_NAME    120
#define MAX_METRICS 1000

struct known {
	char *name;
	unsigned index;
};

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static void free_known(void *node)
{
	struct known *k = node;

	free(k->name);
	free(k);
}

unsigned import_name(struct import_names *names, const char *name)
{
	struct known wanted = {.name = (char *)name}, *k;
	struct known **found = tfind(&wanted, &names->tree, compare_known);

	if (found)
		return (*found)->index;
	k = xcalloc(1, sizeof(*k));
	k->name = xstrdup(name);
	k->index = names->list.count;
	tsearch(k, &names->tree, compare_known);
	strlist_add(&names->list, name);
	return k->index;
}

void import_names_release(struct import_names *names)
{
	strlist_release(&names->list);
	tdestroy(names->tree, free_known);
}

void import_release(struct import *imp)
{
	for (size_t i = 0; i < imp->count; i++)
		free((char *)imp->samples[i].reason);
	for (size_t i = 0; i < imp->metrics_count; i++) {
		free(imp->metrics[i].name);
		free(imp->metrics[i].unit);
	}
	free(imp->samples);
	free(imp->metrics);
	import_names_release(&imp->variants);
	import_names_release(&imp->cases);
	free(imp->name);
	free(imp->title);
	free(imp->workload);
	free(imp->axis);
	free(imp->origin);
	free(imp->machine);
	memset(imp, 0, sizeof(*imp));
}

int import_metric(struct import *imp, const char *name, const char *unit, bool higher,
		  unsigned *index, struct error *err)
{
	size_t i = 0;

	while (i < imp->metrics_count && strcmp(imp->metrics[i].name, name))
		i++;
	*index = i;
	if (i == MAX_METRICS)
		return error_set(err, ERROR_USAGE, "more than %d metrics", MAX_METRICS);
	if (i == imp->metrics_count) {
		xgrow(imp->metrics, imp->metrics_count, imp->metrics_cap);
		imp->metrics[imp->metrics_count++] =
			(struct import_metric){xstrdup(name), xstrdup(unit), higher};
		return 0;
	}
	if (strcmp(imp->metrics[i].unit, unit))
		return error_set(err, ERROR_USAGE, "metric '%s' is in '%s' here and in '%s' before",
				 import_quote(name).text, import_quote(unit).text,
				 import_quote(imp->metrics[i].unit).text);
	if (imp->metrics[i].higher != higher)
		return error_set(err, ERROR_USAGE,
				 "%s is better for metric '%s' here, the other way round before",
				 higher ? "higher" : "lower", import_quote(name).text);
	return 0;
}

void import_add(struct import *imp, const struct import_sample *sample)
{
	xgrow(imp->samples, imp->count, imp->cap);
	imp->samples[imp->count] = *sample;
	if (sample->reason)
		imp->samples[imp->count].reason = xstrdup(sample->reason);
	imp->count++;
}

static bool is_utf8(const char *text)
{
	json_t *string = json_string(text);

	json_decref(string);
	return string;
}

struct import_quote import_quote(const char *text)
{
	struct import_quote q;
	size_t i = 0;

	for (; text[i] && i < sizeof(q.text) - 1; i++)
		q.text[i] = iscntrl((unsigned char)text[i]) || text[i] == '\'' ? '?' : text[i];
	/* Not the first half of a character. */
	while (text[i] && i && ((unsigned char)text[i] & 0xc0) == 0x80)
		i--;
	q.text[i] = '\0';
	for (char *p = q.text; *p && !is_utf8(q.text); p++)
		*p = (unsigned char)*p & 0x80 ? '?' : *p;
	return q;
}

int import_check_case(const char *name, struct error *err)
{
	if (!*name || strlen(name) > MAX_NAME)
		return error_set(err, ERROR_USAGE, "'%s' is not a name of 1 to %d bytes",
				 import_quote(name).text, MAX_NAME);
	for (const char *p = name; *p; p++)
		if (iscntrl((unsigned char)*p))
			return error_set(err, ERROR_USAGE, "'%s' holds a control character",
					 import_quote(name).text);
	return 0;
}

int import_check_variant(const char *name, struct error *err)
{
	char *plain;
	bool good;

	if (import_check_case(name, err))
		return -1;
	plain = xstrdup(name);
	for (char *p = plain; *p; p++)
		*p = *p == '@' ? '+' : *p;
	good = is_name(plain);
	free(plain);
	if (good)
		return 0;
	return error_set(err, ERROR_USAGE, "'%s' is not a name (use letters, digits and . _ + - @)",
			 import_quote(name).text);
}
