/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_FUZZ_MUTATE_H
#define SCHEDBENCH_FUZZ_MUTATE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What a fuzzer needs to be a test as well: `make fuzz` builds it for libFuzzer (-DFUZZER),
 * otherwise fuzz_folders() tries the files of some folders, and mutations of them from a fixed
 * seed.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,           \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#ifndef FUZZER

#include <dirent.h>

#include "util/file.h"

#define SEED	  20240102u
#define MUTATIONS 600 /* of each file */

/* xorshift32: the same everywhere. */
static uint32_t next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static size_t line_start(const char *s, size_t at)
{
	while (at && s[at - 1] != '\n')
		at--;
	return at;
}

/* One change: a byte, a piece that means something, some bytes less, an early end. */
static void mutate(struct strbuf *sb, const char *const *pieces, size_t count, uint32_t *state)
{
	size_t at = sb->len ? next(state) % sb->len : 0, n = 1 + next(state) % 40, rest = at;
	const char *piece = pieces[next(state) % count];
	unsigned kind = next(state) % 5;
	struct strbuf out = STRBUF_INIT;

	if (kind == 0 && sb->len) {
		sb->buf[at] = (char)next(state);
		return;
	}
	if (kind == 1)
		rest = at = line_start(sb->buf, at);
	if (kind == 3)
		rest = at + n < sb->len ? at + n : sb->len;
	strbuf_add(&out, sb->buf, at);
	if (kind < 3)
		strbuf_addstr(&out, piece);
	if (kind < 4)
		strbuf_add(&out, sb->buf + rest, sb->len - rest);
	strbuf_release(sb);
	*sb = out;
}

static unsigned fuzz_file(const char *path, const char *const *pieces, size_t count,
			  uint32_t *state)
{
	struct strbuf seed = STRBUF_INIT;
	struct error err = ERROR_INIT;

	if (file_read(path, 0, &seed, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	LLVMFuzzerTestOneInput((const uint8_t *)seed.buf, seed.len);
	for (int i = 0; i < MUTATIONS; i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_add(&sb, seed.buf, seed.len);
		for (uint32_t k = 0, n = 1 + next(state) % 8; k < n; k++)
			mutate(&sb, pieces, count, state);
		LLVMFuzzerTestOneInput((const uint8_t *)sb.buf, sb.len);
		strbuf_release(&sb);
	}
	strbuf_release(&seed);
	return 1 + MUTATIONS;
}

/* Files of @folder whose names end in @suffix; returns the number of inputs tried. */
static unsigned fuzz_folder(const char *folder, const char *suffix, const char *const *pieces,
			    size_t count)
{
	struct dirent **entries;
	uint32_t state = SEED;
	unsigned inputs = 0;
	int n = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		char *path = path_join(folder, name);

		if (*name != '.' && strlen(name) >= strlen(suffix) &&
		    !strcmp(name + strlen(name) - strlen(suffix), suffix))
			inputs += fuzz_file(path, pieces, count, &state);
		free(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return inputs;
}

#endif

#endif
