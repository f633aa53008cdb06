// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outcome.h"
#include "tbench_mix.h"

const char *const tbench_load_names[TBENCH_KINDS] = {
	"NTCreateX",
	"Close",
	"Rename",
	"Unlink",
	"Deltree",
	"Mkdir",
	"Rmdir",
	"QUERY_PATH_INFORMATION",
	"QUERY_FILE_INFORMATION",
	"QUERY_FS_INFORMATION",
	"SET_FILE_INFORMATION",
	"FIND_FIRST",
	"WriteX",
	"ReadX",
	"LockX",
	"UnlockX",
	"Flush",
	"Sleep",
};

const char *const tbench_short_names[TBENCH_KINDS] = {
	"NTCreateX", "Close",	  "Rename",    "Unlink",  "Deltree",   "Mkdir",
	"Rmdir",     "Qpathinfo", "Qfileinfo", "Qfsinfo", "Sfileinfo", "Find",
	"WriteX",    "ReadX",	  "LockX",     "UnlockX", "Flush",     "Sleep",
};

/* Sizes: a fixed part, two bytes for each character of a path, and a number of the line. */
static const struct {
	uint32_t request, response;
	int paths; /* that the line has */
	int size_arg; /* index of the number that counts; -1: none */
	uint32_t request_per, response_per; /* bytes for each unit of it */
	bool payload;
} shapes[TBENCH_KINDS] = {
	[TBENCH_NTCREATEX] = {74, 87, 1, -1, 0, 0, false},
	[TBENCH_CLOSE] = {47, 39, 0, -1, 0, 0, false},
	[TBENCH_RENAME] = {47, 39, 2, -1, 0, 0, false},
	[TBENCH_UNLINK] = {43, 39, 1, -1, 0, 0, false},
	[TBENCH_DELTREE] = {0, 0, 1, -1, 0, 0, false},
	[TBENCH_MKDIR] = {43, 39, 1, -1, 0, 0, false},
	[TBENCH_RMDIR] = {43, 39, 1, -1, 0, 0, false},
	[TBENCH_QPATHINFO] = {55, 71, 1, -1, 0, 0, false},
	[TBENCH_QFILEINFO] = {59, 71, 0, -1, 0, 0, false},
	[TBENCH_QFSINFO] = {59, 71, 0, -1, 0, 0, false},
	[TBENCH_SFILEINFO] = {71, 47, 0, -1, 0, 0, false},
	[TBENCH_FIND] = {59, 39, 1, 2, 0, 90, false},
	[TBENCH_WRITEX] = {59, 55, 0, 2, 1, 0, true},
	[TBENCH_READX] = {59, 59, 0, 3, 0, 1, true},
	[TBENCH_LOCKX] = {51, 39, 0, -1, 0, 0, false},
	[TBENCH_UNLOCKX] = {51, 39, 0, -1, 0, 0, false},
	[TBENCH_FLUSH] = {41, 39, 0, -1, 0, 0, false},
	[TBENCH_SLEEP] = {0, 0, 0, 0, 1, 0, false},
};

enum { MAX_NUMBERS = 8 };

/* One line, taken apart; points into the text. */
struct line {
	const char *name, *status;
	size_t name_len, status_len;
	size_t path_bytes; /* of all paths together */
	int paths, numbers, names;
	uint64_t number[MAX_NUMBERS];
	int64_t at_us;
	bool odd; /* the last word is no path, no number and no status */
};

struct parser {
	const char *path;
	unsigned long line;
	size_t directory_len;
	struct error *err;
};

static int bad(const struct parser *p, const char *what, const char *word, size_t len)
{
	return error_set(p->err, ERROR_USAGE, "%s:%lu: %s '%.*s'", p->path, p->line, what,
			 (int)(len < 80 ? len : 80), word);
}

static bool is_status(const char *word, size_t len)
{
	static const char *const starts[] = {"NT_STATUS_", "0x", "SUCCESS", "ERROR", "*"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (len >= strlen(starts[i]) && !strncmp(word, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static bool parse_number(const char *word, size_t len, uint64_t *value)
{
	char text[32], *end;

	if (!len || len >= sizeof(text) || !isdigit((unsigned char)word[0]))
		return false;
	memcpy(text, word, len);
	text[len] = 0;
	errno = 0;
	*value = strtoull(text, &end, text[0] == '0' && (text[1] == 'x') ? 16 : 10);
	return !errno && !*end;
}

static void count_names(struct line *l, const char *path, size_t len)
{
	static const char name[] = "client1";

	for (size_t i = 0; i + sizeof(name) - 1 <= len; i++)
		if (!strncmp(path + i, name, sizeof(name) - 1)) {
			l->names++;
			i += sizeof(name) - 2;
		}
}

/* The end of the word at @s: a path in quotes may contain blanks. */
static const char *end_of_word(const char *s, const char *end)
{
	if (*s == '"') {
		const char *quote = memchr(s + 1, '"', (size_t)(end - s - 1));

		return quote ? quote + 1 : NULL;
	}
	while (s < end && !isspace((unsigned char)*s))
		s++;
	return s;
}

static int take_word(const struct parser *p, struct line *l, const char *word, size_t len)
{
	uint64_t v;

	if (*word == '"') {
		l->paths++;
		l->path_bytes += p->directory_len + len - 2;
		count_names(l, word + 1, len - 2);
	} else if (parse_number(word, len, &v)) {
		if (l->numbers == MAX_NUMBERS)
			return bad(p, "too many numbers at", word, len);
		l->number[l->numbers++] = v;
	} else if (l->odd) {
		return bad(p, "not understood:", l->status, l->status_len);
	} else {
		l->odd = !is_status(word, len);
	}
	l->status = word;
	l->status_len = len;
	return 0;
}

/* A decimal number in front is the start time in seconds. */
static bool take_time(struct line *l, const char *word, size_t len)
{
	char text[32], *end;
	double at;

	if (!isdigit((unsigned char)word[0]) || len >= sizeof(text))
		return false;
	memcpy(text, word, len);
	text[len] = 0;
	at = strtod(text, &end);
	if (*end || !(at < 1e6))
		return false;
	l->at_us = (int64_t)(at * 1e6);
	return true;
}

/* 1: there is an operation, 0: nothing to do in this line. */
static int split(const struct parser *p, const char *s, const char *end, struct line *l)
{
	*l = (struct line){.at_us = -1};
	for (;;) {
		const char *stop;
		size_t len;

		while (s < end && isspace((unsigned char)*s))
			s++;
		if (s == end || (!l->name && *s == '#'))
			return l->name != NULL;
		stop = end_of_word(s, end);
		if (!stop)
			return bad(p, "no closing quote in", s, (size_t)(end - s));
		len = (size_t)(stop - s);
		if (!l->name && l->at_us < 0 && take_time(l, s, len)) {
			s = stop;
			continue;
		}
		if (!l->name) {
			l->name = s;
			l->name_len = len;
		} else if (take_word(p, l, s, len)) {
			return -1;
		}
		s = stop;
	}
}

static int find_kind(const struct line *l)
{
	for (int k = 0; k < TBENCH_KINDS; k++)
		if (strlen(tbench_load_names[k]) == l->name_len &&
		    !strncmp(tbench_load_names[k], l->name, l->name_len))
			return k;
	return -1;
}

/* 1: @op is filled, 0: the line is skipped. */
static int understand(const struct parser *p, const struct line *l, struct tbench_op *op)
{
	int kind = find_kind(l);
	uint64_t n = 0, request, response;

	if (kind < 0)
		return bad(p, "unknown operation", l->name, l->name_len);
	if (kind != TBENCH_SLEEP && (!l->status || !is_status(l->status, l->status_len)))
		return 0;
	if (l->paths != shapes[kind].paths)
		return bad(p, "wrong number of paths for", l->name, l->name_len);
	if (shapes[kind].size_arg >= l->numbers)
		return bad(p, "too few numbers for", l->name, l->name_len);
	if (shapes[kind].size_arg >= 0)
		n = l->number[shapes[kind].size_arg];
	if (n > TBENCH_LARGEST)
		return bad(p, "too large:", l->name, l->name_len);
	request = shapes[kind].request + 2 * l->path_bytes + n * shapes[kind].request_per;
	response = shapes[kind].response + n * shapes[kind].response_per;
	if (request > TBENCH_LARGEST || response > TBENCH_LARGEST)
		return bad(p, "too large:", l->name, l->name_len);
	*op = (struct tbench_op){.kind = (uint8_t)kind,
				 .names = (uint8_t)l->names,
				 .request = (uint32_t)request,
				 .response = (uint32_t)response,
				 .payload = shapes[kind].payload ? (uint32_t)n : 0,
				 .at_us = l->at_us};
	return 1;
}

static int parse(const struct parser *parser, const char *text, size_t size,
		 struct tbench_load *load)
{
	struct parser p = *parser;
	const char *end = text + size, *next;

	for (const char *s = text; s < end; s = next) {
		const char *newline = memchr(s, '\n', (size_t)(end - s));
		struct tbench_op *op = &load->ops[load->n];
		struct line l;
		int rc;

		next = newline ? newline + 1 : end;
		p.line++;
		rc = split(&p, s, newline ? newline : end, &l);
		if (!rc)
			continue;
		if (rc < 0 || (rc = understand(&p, &l, op)) < 0)
			return -1;
		load->skipped += rc == 0;
		if (!rc || op->kind == TBENCH_DELTREE)
			continue;
		load->n++;
		if (op->kind == TBENCH_SLEEP)
			continue;
		load->largest = op->request > load->largest ? op->request : load->largest;
		load->largest = op->response > load->largest ? op->response : load->largest;
	}
	if (!load->n || !load->largest)
		return error_set(p.err, ERROR_USAGE, "%s: no operations", p.path);
	return 0;
}

static size_t count_lines(const char *text, size_t size)
{
	size_t n = 1;

	for (const char *s = text; (s = memchr(s, '\n', size - (size_t)(s - text))); s++)
		n++;
	return n;
}

static const char *map_file(const char *path, size_t *size, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *text = MAP_FAILED;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		error_sys(err, errno, "cannot read '%s'", path);
	} else if (!S_ISREG(st.st_mode) || !st.st_size) {
		error_set(err, ERROR_USAGE, "'%s' is empty or no file", path);
	} else {
		*size = (size_t)st.st_size;
		text = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text == MAP_FAILED)
			error_sys(err, errno, "cannot map '%s'", path);
	}
	if (fd >= 0)
		close(fd);
	return text == MAP_FAILED ? NULL : text;
}

int tbench_load_read(const char *path, size_t directory_len, struct tbench_load *load,
		     struct error *err)
{
	struct parser p = {.path = path, .directory_len = directory_len, .err = err};
	size_t size;
	const char *text = map_file(path, &size, err);
	int rc = -1;

	memset(load, 0, sizeof(*load));
	if (!text)
		return -1;
	load->ops = shared_alloc(count_lines(text, size) * sizeof(*load->ops), err);
	if (load->ops)
		rc = parse(&p, text, size, load);
	munmap((void *)text, size);
	return rc;
}

const struct tbench_mix_row *tbench_mix_rows(size_t *n)
{
	*n = sizeof(tbench_mix) / sizeof(tbench_mix[0]);
	return tbench_mix;
}

void tbench_mix_draw(uint8_t *sequence, size_t n, struct random *rnd)
{
	uint64_t total = 0, seen = 0;
	size_t rows, at = 0;
	const struct tbench_mix_row *mix = tbench_mix_rows(&rows);

	for (size_t i = 0; i < rows; i++)
		total += mix[i].count;
	/* Row i ends where the cumulated share says: no rounding adds up. */
	for (size_t i = 0; i < rows; i++) {
		seen += mix[i].count;
		for (; at < seen * n / total; at++)
			sequence[at] = (uint8_t)i;
	}
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = random_next(rnd) % (i + 1);
		uint8_t swap = sequence[i];

		sequence[i] = sequence[j];
		sequence[j] = swap;
	}
}

_Static_assert(sizeof(tbench_mix) / sizeof(tbench_mix[0]) <= UINT8_MAX + 1, "rows are bytes");
