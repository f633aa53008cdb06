// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/mmtests.h"
#include "util/xalloc.h"

char *log_line(struct mmtests_log *log)
{
	char *line = log->next, *end;

	if (!line || !*line)
		return NULL;
	end = strchrnul(line, '\n');
	log->next = *end ? end + 1 : end;
	*end = '\0';
	log->line++;
	return line;
}

unsigned log_words(char *line, char **words, unsigned max)
{
	unsigned n = 0;

	for (char *p = line + strspn(line, " \t\r"); *p; p += strspn(p, " \t\r")) {
		if (n < max)
			words[n] = p;
		n++;
		p += strcspn(p, " \t\r");
		if (*p)
			*p++ = '\0';
	}
	return n;
}

bool log_is_number(const char *word)
{
	char *end;

	if (!isdigit((unsigned char)word[strspn(word, "+-.")]))
		return false;
	return isfinite(strtod(word, &end)) && !*end;
}

bool log_value(struct mmtests_log *log, const char *word, bool zero, double *value)
{
	char *end;

	*log->why = '\0';
	*value = strtod(word, &end);
	if (end != word && !*end && isfinite(*value) && (*value > 0 || (zero && *value == 0)))
		return true;
	snprintf(log->why, sizeof(log->why), "line %u of the log: '%s' is no result", log->line,
		 import_quote(word).text);
	*value = NAN;
	return false;
}

bool log_tells_failure(const char *line)
{
	static const char *const signs[] = {
		"error:",	    "errno",	     "failed",	      "failure",
		"killed",	    "core dumped",   "cannot ",	      "can't ",
		"could not",	    "unable to",     "aborted",	      "bus error",
		"timed out",	    "refused",	     "no space left", "no such file",
		"not found",	    "out of memory", "terminated",    "segmentation fault",
		"temporarily",	    "broken pipe",   "reset by peer", "no response",
		"partial response", "not permitted", "are you sure",  "too many open files"};
	char *start = xstrndup(line, 1000);
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(signs) / sizeof(*signs); i++)
		found = strcasestr(start, signs[i]);
	free(start);
	return found;
}

void log_keep_failure(char **failure, const char *line)
{
	if (!*failure && log_tells_failure(line))
		*failure = xstrdup(import_quote(line + strspn(line, " \t")).text);
}

void log_add(const struct mmtests_log *log, const char *kase, unsigned metric, long repetition,
	     double value, const char *reason)
{
	const struct import_sample s = {.variant = log->variant,
					.kase = import_name(&log->imp->cases, kase),
					.metric = metric,
					.boot = log->boot,
					.repetition = repetition,
					.value = value,
					.reason = log->failed ? log->failed : reason};

	import_add(log->imp, &s);
}

int log_metric(const struct mmtests_log *log, const char *name, const char *unit, bool higher,
	       unsigned *metric, struct error *err)
{
	if (import_metric(log->imp, name, unit, higher, metric, err))
		return error_prefix(err, "%s: ", log->path);
	return 0;
}

char *log_case(const char *name, const char *start, const char *end)
{
	size_t a = strlen(start), digits;

	if (strncmp(name, start, a))
		return NULL;
	digits = strspn(name + a, "0123456789");
	return digits && digits < 10 && !strcmp(name + a + digits, end) ? xstrndup(name + a, digits)
									: NULL;
}
