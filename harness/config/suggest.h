/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_SUGGEST_H
#define SCHEDBENCH_CONFIG_SUGGEST_H

#include <stddef.h>

/*
 * The near miss for "did you mean": add every candidate, then ask for the best. Distance is that
 * of optimal string alignment (insert, delete, replace, swap neighbours), upper and lower case
 * counting as equal; up to a third of the word may differ.
 */
struct suggestion {
	const char *word;
	const char *best; /* NULL: nothing is near */
	unsigned distance;
};

void suggestion_start(struct suggestion *s, const char *word);
/* @candidate must outlive @s. */
void suggestion_add(struct suggestion *s, const char *candidate);

#endif
