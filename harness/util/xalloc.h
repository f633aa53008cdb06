/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_XALLOC_H
#define SCHEDBENCH_UTIL_XALLOC_H

#include <stddef.h>

/*
 * Allocation that never returns NULL: out of memory ends the program with one line on stderr and
 * status 3. What was stored before stays stored, since the store commits every sample.
 */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Make room for one more element in @array of @n elements, *@cap allocated. */
#define xgrow(array, n, cap)                                                                       \
	do {                                                                                       \
		if ((n) == (cap)) {                                                                \
			(cap) = (cap) ? (cap)*2 : 8;                                               \
			(array) = xreallocarray((array), (cap), sizeof(*(array)));                 \
		}                                                                                  \
	} while (0)

#endif
