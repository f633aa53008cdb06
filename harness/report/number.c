// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/number.h"

void number_add_integer(struct strbuf *out, int64_t value)
{
	char text[24], *at = text + sizeof(text);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--at = '-';
	strbuf_add(out, at, text + sizeof(text) - at);
}

/* Most samples have few decimals: millionths that divide back to the same number. */
static int add_millionths(struct strbuf *out, double value)
{
	double scaled = rint(value * 1e6);
	char text[8];
	int64_t whole;
	int digits = 6, rest;

	if (!(fabs(value) < 1e9) || scaled / 1e6 != value || (value == 0 && signbit(value)))
		return 0;
	whole = (int64_t)scaled / 1000000;
	rest = abs((int)((int64_t)scaled % 1000000));
	if (value < 0 && !whole)
		strbuf_addch(out, '-');
	number_add_integer(out, whole);
	if (!rest)
		return 1;
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	text[0] = '.';
	for (int i = digits; i > 0; i--, rest /= 10)
		text[i] = (char)('0' + rest % 10);
	strbuf_add(out, text, digits + 1);
	return 1;
}

void number_add(struct strbuf *out, double value)
{
	char text[40];
	int len;

	if (add_millionths(out, value))
		return;
	len = snprintf(text, sizeof(text), "%.15g", value);
	if (strtod(text, NULL) != value)
		len = snprintf(text, sizeof(text), "%.17g", value);
	strbuf_add(out, text, len);
}
