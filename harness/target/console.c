// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/console.h"

#define READ_MAX (16 << 20)
#define AGENT	 "schedbench-agent: "
#define PANIC	 "Kernel panic - "

static const char escape = 0x1b;

/* First byte after the escape sequence at @p: "ESC [ ... letter", "ESC ] ... BEL", "ESC x". */
static const char *skip_escape(const char *p, const char *end)
{
	bool command;

	p++;
	if (p == end)
		return p;
	command = *p == ']';
	if (*p++ != '[' && !command)
		return p;
	while (p < end && *p != '\n' && *p != escape && *p != '\a' &&
	       (command || *p < '@' || *p > '~'))
		p++;
	/* The final letter belongs to it, a new line or another escape does not. */
	return p < end && *p != '\n' && *p != escape ? p + 1 : p;
}

/* The next line as printable ASCII in @line, NULL at the end; returns where to go on. */
static const char *next_line(const char *p, const char *end, char line[CONSOLE_LINE_MAX])
{
	size_t n = 0;

	if (p >= end)
		return NULL;
	while (p < end && *p != '\n') {
		unsigned char c = *p;

		if (c == (unsigned char)escape) {
			p = skip_escape(p, end);
			continue;
		}
		p++;
		if (c == '\t')
			c = ' ';
		if (c < ' ' || c == 0x7f)
			continue;
		if (n < CONSOLE_LINE_MAX - 1)
			line[n++] = c < 0x7f ? c : '?';
	}
	line[n] = '\0';
	return p < end ? p + 1 : p;
}

static bool is_blank(const char *line)
{
	return line[strspn(line, " ")] == '\0';
}

static void copy(char out[CONSOLE_LINE_MAX], const char *s)
{
	snprintf(out, CONSOLE_LINE_MAX, "%s", s);
}

static bool is_warning(const char *line)
{
	/* The first line of each report; both words have to be in it. */
	static const char *const warnings[][2] = {
		{"INFO: rcu", "detected stall"},	  {"INFO: rcu", "detected expedited stall"},
		{"BUG: soft lockup", "stuck for"},	  {"BUG: workqueue lockup", "stuck for"},
		{"INFO: task ", "blocked for more than"},
	};

	for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++)
		if (strstr(line, warnings[i][0]) && strstr(line, warnings[i][1]))
			return true;
	return false;
}

/* Where a report of a fault of the kernel's own starts in @line, NULL: nowhere. */
static const char *find_oops(const char *line)
{
	static const char *const faults[] = {"BUG: ", "kernel BUG at ", "general protection fault",
					     "Oops: "};
	const char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(faults) / sizeof(faults[0]); i++)
		found = strstr(line, faults[i]);
	return found;
}

/* "not syncing: Attempted to kill init! exitcode=0x0000000b" */
static void note_panic(struct console_facts *facts, const char *reason)
{
	const char *killed = strstr(reason, "Attempted to kill init!");
	const char *code = killed ? strstr(killed, "exitcode=0x") : NULL;

	facts->panicked = true;
	copy(facts->panic, reason);
	facts->init_ended = killed;
	if (code)
		facts->init_status = (int)strtoul(code + strlen("exitcode="), NULL, 16);
}

static void scan_line(struct console_facts *facts, const char *line, size_t line_end)
{
	const char *panic = strstr(line, PANIC);
	const char *agent = strstr(line, AGENT);

	if (is_warning(line)) {
		facts->warnings++;
		return;
	}
	if (agent)
		copy(facts->agent_line, agent + strlen(AGENT));
	if (facts->panicked)
		return;
	if (!facts->oops[0] && find_oops(line))
		copy(facts->oops, find_oops(line));
	if (panic) {
		note_panic(facts, panic + strlen(PANIC));
		facts->panic_end = line_end;
	}
}

void console_scan(struct console_facts *facts, const char *text, size_t len)
{
	const char *end = text + len;
	char line[CONSOLE_LINE_MAX];

	*facts = (struct console_facts){0};
	for (const char *p = text; (p = next_line(p, end, line));)
		scan_line(facts, line, p - text);
}

static size_t count_lines(const char *text, const char *end)
{
	char line[CONSOLE_LINE_MAX];
	size_t n = 0;

	for (const char *p = text; (p = next_line(p, end, line));)
		n += !is_blank(line);
	return n;
}

void console_last_lines(struct strbuf *out, const char *text, size_t len, unsigned count,
			const char *indent)
{
	const char *end = text + len;
	size_t left = count_lines(text, end);
	char line[CONSOLE_LINE_MAX];

	for (const char *p = text; (p = next_line(p, end, line));) {
		if (is_blank(line))
			continue;
		if (left-- <= count)
			strbuf_addf(out, "%s%s\n", indent, line);
	}
}

void console_read(struct strbuf *text, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n = 1;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_size > READ_MAX)
		lseek(fd, st.st_size - READ_MAX, SEEK_SET);
	while (n > 0 && text->len < READ_MAX) {
		strbuf_reserve(text, 65536);
		n = read(fd, text->buf + text->len, 65536);
		if (n > 0)
			text->len += n;
	}
	text->buf[text->len] = '\0';
	close(fd);
}
