// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpumask.h"

/* Read digits at *@p; -1 if there are none or the number is too large for a mask. */
static int parse_number(const char **p)
{
	int v = 0;

	if (**p < '0' || **p > '9')
		return -1;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		v = v * 10 + (**p - '0');
		if (v >= CPUMASK_BITS)
			return -1;
	}
	return v;
}

int cpumask_parse(const char *name, const char *text, struct cpumask *mask, struct error *err)
{
	const char *p = text;

	memset(mask, 0, sizeof(*mask));
	for (;; p++) {
		int first = parse_number(&p), last = first;

		if (first >= 0 && *p == '-') {
			p++;
			last = parse_number(&p);
		}
		if (first < 0 || last < first)
			break;
		for (int i = first; i <= last; i++)
			cpumask_add(mask, i);
		if (!*p)
			return 0;
		if (*p != ',')
			break;
	}
	return error_set(err, ERROR_USAGE, "%s: '%s' is not a list like 0-3,7", name, text);
}

char *cpumask_format(const struct cpumask *mask, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = 0;
	for (int first = cpumask_first(mask); first >= 0;) {
		int last = first, next;

		while ((next = cpumask_next(mask, last)) == last + 1)
			last = next;
		if (len < size)
			len += (size_t)snprintf(buf + len, size - len,
						last > first ? "%s%d-%d" : "%s%d", len ? "," : "",
						first, last);
		first = next;
	}
	return buf;
}

int cpumask_count(const struct cpumask *mask)
{
	int n = 0;

	for (size_t i = 0; i < sizeof(mask->words) / sizeof(mask->words[0]); i++)
		n += __builtin_popcountl(mask->words[i]);
	return n;
}

bool cpumask_equal(const struct cpumask *a, const struct cpumask *b)
{
	return !memcmp(a, b, sizeof(*a));
}

bool cpumask_subset(const struct cpumask *part, const struct cpumask *whole)
{
	for (size_t i = 0; i < sizeof(part->words) / sizeof(part->words[0]); i++)
		if (part->words[i] & ~whole->words[i])
			return false;
	return true;
}

int cpumask_first(const struct cpumask *mask)
{
	return cpumask_next(mask, -1);
}

int cpumask_next(const struct cpumask *mask, int cpu)
{
	for (cpu++; cpu < CPUMASK_BITS; cpu++)
		if (cpumask_has(mask, cpu))
			return cpu;
	return -1;
}

int cpumask_get_affinity(pid_t tid, struct cpumask *mask, struct error *err)
{
	memset(mask, 0, sizeof(*mask));
	if (sched_getaffinity(tid, sizeof(*mask), (cpu_set_t *)mask))
		return error_sys(err, errno, "cannot read the CPU affinity");
	return 0;
}

int cpumask_set_affinity(const struct cpumask *mask, struct error *err)
{
	char asked[128], got[128];
	struct cpumask now;

	cpumask_format(mask, asked, sizeof(asked));
	if (sched_setaffinity(0, sizeof(*mask), (const cpu_set_t *)mask)) {
		if (errno == EINVAL)
			return error_set(err, ERROR_USAGE,
					 "none of the CPUs '%s' is online and inside the cpuset",
					 asked);
		return error_sys(err, errno, "cannot bind to the CPUs '%s'", asked);
	}
	if (cpumask_get_affinity(0, &now, err))
		return -1;
	if (!cpumask_equal(mask, &now))
		return error_set(err, ERROR_USAGE,
				 "CPUs '%s' asked for, only '%s' are online and inside the cpuset",
				 asked, cpumask_format(&now, got, sizeof(got)));
	return 0;
}
