// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/strbuf.h"
#include "util/strlist.h"
#include "util/xalloc.h"

static void take(struct strlist *list, char *s)
{
	/* One more than needed, for the NULL at the end. */
	xgrow(list->items, list->count, list->cap);
	list->items[list->count++] = s;
	xgrow(list->items, list->count, list->cap);
	list->items[list->count] = NULL;
}

void strlist_add(struct strlist *list, const char *s)
{
	take(list, xstrdup(s));
}

void strlist_addf(struct strlist *list, const char *fmt, ...)
{
	struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	take(list, strbuf_detach(&sb));
}

bool strlist_has(const struct strlist *list, const char *s)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], s) == 0)
			return true;
	return false;
}

void strlist_release(struct strlist *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct strlist)STRLIST_INIT;
}

const char *const *strlist_argv(const struct strlist *list)
{
	return (const char *const *)list->items;
}
