// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "run/progress.h"
#include "util/clock.h"

void progress_init(struct progress *p, FILE *out, unsigned total, unsigned done_before)
{
	*p = (struct progress){.out = out,
			       .tty = out && isatty(fileno(out)),
			       .total = total,
			       .done = done_before,
			       .done_before = done_before,
			       .start_s = monotonic_s()};
}

double progress_eta(const struct progress *p)
{
	unsigned here = p->done - p->done_before;

	if (!here)
		return -1;
	return (monotonic_s() - p->start_s) / here * (p->total - p->done);
}

void format_seconds(double s, char *buf, size_t size)
{
	long t = (long)(s + 0.5);

	if (t < 60)
		snprintf(buf, size, "%lds", t);
	else if (t < 3600)
		snprintf(buf, size, "%ldm %02lds", t / 60, t % 60);
	else
		snprintf(buf, size, "%ldh %02ldm", t / 3600, t % 3600 / 60);
}

static void show(struct progress *p, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static void show(struct progress *p, const char *fmt, va_list ap)
{
	char text[256], eta[32] = "";
	double left = progress_eta(p);
	int n;

	if (!p->out || !p->tty)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	if (left >= 0)
		format_seconds(left, eta, sizeof(eta));
	n = fprintf(p->out, "\r[%u/%u] %s%s%s", p->done, p->total, text, *eta ? ", ETA " : "", eta);
	/* Blank out what a longer line before has left. */
	for (int i = n; i < (int)p->width; i++)
		fputc(' ', p->out);
	p->width = n > 0 ? n : 0;
	fflush(p->out);
}

void progress_status(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	show(p, fmt, ap);
	va_end(ap);
}

void progress_step(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	p->done++;
	va_start(ap, fmt);
	show(p, fmt, ap);
	va_end(ap);
}

void progress_end(struct progress *p)
{
	p->total = p->done;
}

void progress_finish(struct progress *p)
{
	if (p->out && p->width)
		fprintf(p->out, "\r%*s\r", (int)p->width, "");
	p->width = 0;
}

void progress_note(struct progress *p, const char *fmt, ...)
{
	char eta[32];
	double left = progress_eta(p);
	va_list ap;

	if (!p->out)
		return;
	progress_finish(p);
	fprintf(p->out, "[%u/%u] ", p->done, p->total);
	va_start(ap, fmt);
	vfprintf(p->out, fmt, ap);
	va_end(ap);
	if (left >= 0 && p->done < p->total) {
		format_seconds(left, eta, sizeof(eta));
		fprintf(p->out, ", ETA %s", eta);
	}
	fputc('\n', p->out);
	fflush(p->out);
}
