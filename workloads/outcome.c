// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "outcome.h"

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void *shared_alloc(size_t size, struct error *err)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p != MAP_FAILED)
		return p;
	error_sys(err, errno, "cannot map %zu bytes of shared memory", size);
	return NULL;
}

struct outcome *outcome_new(struct error *err)
{
	return shared_alloc(sizeof(struct outcome), err);
}

int outcome_value(struct outcome *out, const struct metric *metric, double value, struct error *err)
{
	if (!isfinite(value))
		return error_set(err, ERROR_FAILED, "'%s' has no finite value", metric->name);
	if (out->nvalues == OUTCOME_VALUES)
		return error_set(err, ERROR_FAILED, "more than %d values", OUTCOME_VALUES);
	out->values[out->nvalues].metric = metric;
	out->values[out->nvalues++].value = value;
	return 0;
}

void outcome_printf(struct outcome *out, const char *fmt, ...)
{
	size_t left = out->text_len < OUTCOME_TEXT ? OUTCOME_TEXT - out->text_len : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(left ? out->text + out->text_len : NULL, left, fmt, ap);
	va_end(ap);
	if (n > 0)
		out->text_len += (size_t)n;
}

bool outcome_text_fits(const struct outcome *out)
{
	return out->text_len < OUTCOME_TEXT;
}
