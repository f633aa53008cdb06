/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_STRLIST_H
#define SCHEDBENCH_UTIL_STRLIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A list of strings that grows, such as the arguments of a program. It owns copies of what is
 * added; once something has been added @items is NULL-terminated.
 */
struct strlist {
	char **items;
	size_t count;
	size_t cap;
};

#define STRLIST_INIT                                                                               \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

void strlist_add(struct strlist *list, const char *s);
void strlist_addf(struct strlist *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool strlist_has(const struct strlist *list, const char *s);
void strlist_release(struct strlist *list);

/* @items for an argv parameter. */
const char *const *strlist_argv(const struct strlist *list);

#endif
