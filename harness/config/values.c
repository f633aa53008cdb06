// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "config/config.h"
#include "config/values.h"

enum { MAX_MEMORY_MB = 16 * 1024 * 1024, MAX_CPU = 65535, MAX_DENOMINATOR = 65536 };

/* Decimal digits at *@text, which moves behind them; false: none there or more than @max. */
static bool read_number(const char **text, unsigned long long max, unsigned long long *out)
{
	const char *p = *text;
	unsigned long long value = 0;

	for (; isdigit((unsigned char)*p); p++) {
		value = value * 10 + (*p - '0');
		if (value > max)
			return false;
	}
	if (p == *text)
		return false;
	*text = p;
	*out = value;
	return true;
}

int parse_duration_ms(const char *text, unsigned *ms, struct error *err)
{
	static const struct {
		const char *name;
		unsigned factor;
	} units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}};
	const char *p = text;
	unsigned long long value;

	if (read_number(&p, UINT_MAX, &value))
		for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (strcmp(p, units[i].name))
				continue;
			if (value * units[i].factor > UINT_MAX)
				return error_set(err, ERROR_USAGE, "duration '%s' is too long",
						 text);
			*ms = value * units[i].factor;
			return 0;
		}
	return error_set(err, ERROR_USAGE,
			 "'%.60s' is not a duration (write a whole number with ms, s, m or h, such "
			 "as 120s)",
			 text);
}

int parse_memory_mb(const char *text, unsigned *mb, struct error *err)
{
	const char *p = text;
	unsigned long long value;

	if (read_number(&p, MAX_MEMORY_MB, &value) && (!strcmp(p, "M") || !strcmp(p, "G"))) {
		value *= *p == 'G' ? 1024 : 1;
		if (value && value <= MAX_MEMORY_MB) {
			*mb = value;
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "'%.60s' is not an amount of memory (write a whole number with M or G, up "
			 "to 16384G, such as 1024M)",
			 text);
}

int parse_scale(const char *text, unsigned *num, unsigned *den, struct error *err)
{
	const char *p = text;
	unsigned long long n, d;

	if (read_number(&p, MAX_DENOMINATOR, &n) && *p++ == '/' &&
	    read_number(&p, MAX_DENOMINATOR, &d) && !*p && n >= 1 && n <= d) {
		*num = n;
		*den = d;
		return 0;
	}
	return error_set(err, ERROR_USAGE,
			 "'%.60s' is not a scale (write a fraction up to 1, such as 1/4)", text);
}

static int bad_cpu_list(const char *text, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "'%.60s' is not a list of CPUs (write 'all', in ascending order 0-3,8, or "
			 "a location such as package:0 or l3:0-3.core:0)",
			 text);
}

bool is_location(const char *text)
{
	return strpbrk(text, ":~^ ") || !strncmp(text, "0x", 2) || !strcmp(text, "all") ||
	       !strcmp(text, "root");
}

int parse_cpu_list(const char *text, unsigned *highest, struct error *err)
{
	const char *p = text;
	long long last = -1;

	do {
		unsigned long long from, to;

		if (!read_number(&p, MAX_CPU, &from))
			return bad_cpu_list(text, err);
		to = from;
		if (*p == '-' && (p++, !read_number(&p, MAX_CPU, &to)))
			return bad_cpu_list(text, err);
		if ((long long)from <= last || to < from)
			return bad_cpu_list(text, err);
		last = to;
	} while (*p++ == ',');
	if (p[-1])
		return bad_cpu_list(text, err);
	*highest = last;
	return 0;
}

bool is_name(const char *s)
{
	return isalnum((unsigned char)*s) &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") ==
		       strlen(s);
}
