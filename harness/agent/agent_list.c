// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agent_list.h"

#define WORD_BITS (sizeof(unsigned long) * CHAR_BIT)

static int number(const char **p, size_t bits, size_t *out)
{
	size_t n = 0;

	if (!isdigit((unsigned char)**p))
		return -1;
	for (; isdigit((unsigned char)**p); (*p)++) {
		n = n * 10 + (**p - '0');
		if (n >= bits)
			return -1;
	}
	*out = n;
	return 0;
}

int list_parse(const char *text, unsigned long *mask, size_t bits)
{
	const char *p = text;
	size_t first, last;

	memset(mask, 0, (bits + WORD_BITS - 1) / WORD_BITS * sizeof(*mask));
	for (;; p++) {
		if (number(&p, bits, &first))
			return -1;
		last = first;
		if (*p == '-' && (p++, number(&p, bits, &last)))
			return -1;
		if (last < first)
			return -1;
		for (size_t i = first; i <= last; i++)
			mask[i / WORD_BITS] |= 1ul << i % WORD_BITS;
		if (!*p)
			return 0;
		if (*p != ',')
			return -1;
	}
}
