// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "config/suggest.h"

enum { MAX_WORD = 64 };

static unsigned min_of(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][MAX_WORD + 1];
	size_t a_len = strlen(a), b_len = strlen(b);
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned *free_row = before;

		now[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			int x = tolower((unsigned char)a[i - 1]);
			int y = tolower((unsigned char)b[j - 1]);

			now[j] = min_of(last[j - 1] + (x != y), min_of(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				now[j] = min_of(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = free_row;
	}
	return last[b_len];
}

void suggestion_start(struct suggestion *s, const char *word)
{
	size_t len = strlen(word);

	s->word = word;
	s->best = NULL;
	s->distance = len / 3 + (len > 1 && len < 6);
}

void suggestion_add(struct suggestion *s, const char *candidate)
{
	unsigned d;

	if (strlen(s->word) > MAX_WORD || strlen(candidate) > MAX_WORD)
		return;
	d = distance(s->word, candidate);
	if (d > s->distance || (s->best && d == s->distance))
		return;
	s->best = candidate;
	s->distance = d;
}
