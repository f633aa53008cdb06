// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "kernel/make_error.h"
#include "kernel/toolchain.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/subprocess.h"

#define SHOWN_MAX 300

/* What an error looks like, the most telling first: make's own lines only sum up. */
static const char *const marks[] = {": error: ",
				    ": fatal error: ",
				    "No space left on device",
				    "undefined reference to",
				    ": not found",
				    "Error: ",
				    "error: ",
				    "ld: ",
				    "*** ",
				    NULL};

static bool line_has(const char *line, size_t len, const char *text)
{
	return memmem(line, len, text, strlen(text)) != NULL;
}

static const char *find_line(const char *log, const char *mark, size_t *len)
{
	while (*log) {
		*len = strcspn(log, "\n");
		if (line_has(log, *len, mark))
			return log;
		log += *len + (log[*len] == '\n');
	}
	return NULL;
}

static const char *last_line(const char *log, size_t *len)
{
	const char *last = log;

	*len = 0;
	while (*log) {
		size_t n = strcspn(log, "\n");

		if (n) {
			last = log;
			*len = n;
		}
		log += n + (log[n] == '\n');
	}
	return last;
}

/* The first error of any kind that ends a compilation; of make's, those without another cause. */
static const char *first_error(const char *log, size_t *len)
{
	const char *line = NULL;

	for (const char *const *m = marks; *m && !line; m++)
		line = find_line(log, *m, len);
	return line ? line : last_line(log, len);
}

/* What a compiler quotes may hold anything. */
static void add_printable(struct strbuf *out, const char *line, size_t len)
{
	if (len > SHOWN_MAX)
		len = SHOWN_MAX;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = line[i];

		strbuf_addch(out, c < 32 || c == 127 ? ' ' : (char)c);
	}
}

int make_explain(const char *name, const char *log, int status, struct error *err)
{
	struct strbuf text = STRBUF_INIT, shown = STRBUF_INIT, how = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	const char *line, *package;
	size_t len = 0;

	subprocess_describe(status, &how);
	if (file_read(log, 0, &text, &ignored) || !text.len) {
		error_set(err, ERROR_FAILED, "kernel '%s' was not built: make ended with %s", name,
			  how.buf);
	} else {
		line = first_error(text.buf, &len);
		add_printable(&shown, line, len);
		package = package_for_error(shown.buf);
		error_set(err, ERROR_FAILED, "kernel '%s' was not built: %s (%s%s%slog: %s)", name,
			  shown.buf, package ? "package " : "", package ? package : "",
			  package ? "; " : "", log);
	}
	strbuf_release(&text);
	strbuf_release(&shown);
	strbuf_release(&how);
	return -1;
}
