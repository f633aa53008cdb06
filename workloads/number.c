// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* Length of [-]digits[.digits] at the start of @text; 0 if there is none. */
static size_t decimal_length(const char *text, bool fraction)
{
	size_t n = text[0] == '-', digits = 0;

	for (; isdigit((unsigned char)text[n]); n++)
		digits++;
	if (fraction && text[n] == '.') {
		for (n++; isdigit((unsigned char)text[n]); n++)
			digits++;
	}
	return digits ? n : 0;
}

static int not_a_number(const char *name, const char *text, const char *what, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s: '%s' is not %s", name, text, what);
}

static int out_of_range(const char *name, const char *text, int64_t min, int64_t max,
			struct error *err)
{
	if (max == INT64_MAX)
		return error_set(err, ERROR_USAGE,
				 "%s: '%s' is out of range (at least %" PRId64 ")", name, text,
				 min);
	return error_set(err, ERROR_USAGE, "%s: '%s' is out of range (%" PRId64 " to %" PRId64 ")",
			 name, text, min, max);
}

int number_int(const char *name, const char *text, int64_t min, int64_t max, int64_t *value,
	       struct error *err)
{
	size_t len = decimal_length(text, false);
	long long v;

	if (!len || text[len])
		return not_a_number(name, text, "a whole number", err);
	errno = 0;
	v = strtoll(text, NULL, 10);
	if (errno || v < min || v > max)
		return out_of_range(name, text, min, max, err);
	*value = v;
	return 0;
}

int number_real(const char *name, const char *text, double min, double max, double *value,
		struct error *err)
{
	size_t len = decimal_length(text, true);
	double v;

	if (!len || text[len])
		return not_a_number(name, text, "a number", err);
	v = strtod(text, NULL);
	if (!(v >= min && v <= max))
		return error_set(err, ERROR_USAGE, "%s: '%s' is out of range (%g to %g)", name,
				 text, min, max);
	*value = v;
	return 0;
}

int number_size(const char *name, const char *text, int64_t min, int64_t max, int64_t *value,
		struct error *err)
{
	static const char suffixes[] = "KMG";
	size_t len = decimal_length(text, false);
	const char *suffix;
	int shift = 0;
	long long v;

	if (len && text[len]) {
		suffix = strchr(suffixes, toupper((unsigned char)text[len]));
		if (suffix && !text[len + 1])
			shift = 10 * (int)(suffix - suffixes + 1);
	}
	if (!len || (text[len] && !shift))
		return not_a_number(name, text, "a number of bytes (K, M, G may follow)", err);
	errno = 0;
	v = strtoll(text, NULL, 10);
	if (errno || __builtin_mul_overflow(v, 1LL << shift, &v) || v < min || v > max)
		return out_of_range(name, text, min, max, err);
	*value = v;
	return 0;
}

int64_t number_unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{"ns", 1},
		{"us", 1000},
		{"ms", 1000000},
		{"s", 1000000000},
		{"m", 60 * 1000000000LL},
		{"h", 3600 * 1000000000LL},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].ns;
	return 0;
}

int number_time(const char *name, const char *text, const char *unit, int64_t min, int64_t max,
		int64_t *value, struct error *err)
{
	size_t len = decimal_length(text, true);
	int64_t scale = len ? number_unit_ns(text[len] ? text + len : unit) : 0;
	double ns;

	if (!scale)
		return not_a_number(name, text, "a time (ns, us, ms, s, m, h may follow)", err);
	/* strtod() would read on over an exponent; decimal_length() has seen that none follows. */
	ns = strtod(text, NULL) * (double)scale;
	if (!(ns >= (double)min && ns <= (double)max))
		return error_set(err, ERROR_USAGE, "%s: '%s' is out of range (%g s to %g s)", name,
				 text, (double)min / 1e9, (double)max / 1e9);
	*value = llround(ns);
	return 0;
}
