/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_DOCUMENT_H
#define SCHEDBENCH_CONFIG_DOCUMENT_H

#include <stdbool.h>

#include "util/error.h"
#include "util/strbuf.h"

/*
 * A YAML file as a tree that remembers where each node came from, so that every later message can
 * name the line. Only what configuration needs is accepted: one document of UTF-8, a mapping at
 * the top, scalar keys without duplicates, no anchors, aliases or tags, values on one line.
 */

enum node_type { NODE_SCALAR, NODE_MAPPING, NODE_SEQUENCE };

struct node {
	enum node_type type;
	bool plain; /* scalar written without quotes */
	unsigned line; /* of the key where the node is a mapping's member; starts at 1 */
	const char *set; /* the --set that made the node, NULL: the file */
	char *key; /* NULL: not a member of a mapping */
	char *value; /* scalars */
	struct node **items; /* mappings, sequences */
	unsigned items_count, items_cap;
};

struct document {
	char *origin; /* stands for the file in messages */
	struct node *root; /* a mapping */
};

/* Parse @len bytes of @text. All errors are ERROR_USAGE and start with "ORIGIN:LINE: ". */
int document_parse(struct document *doc, const char *origin, const char *text, size_t len,
		   struct error *err);
/* The same from the file @path, which is the origin. */
int document_read(struct document *doc, const char *path, struct error *err);
void document_release(struct document *doc);

/* Member @key of @mapping, NULL where there is none or @mapping is no mapping (or NULL). */
struct node *node_get(const struct node *mapping, const char *key);
/* A scalar that stands for nothing: written as an empty plain scalar, ~ or null. */
bool node_is_null(const struct node *n);

/* Add scalar @value as @key unless @mapping has that key; the line is the mapping's. */
void node_default(struct node *mapping, const char *key, const char *value);
/* Turn scalar member @key with value V into the mapping {@name: V}. */
void node_wrap(struct node *mapping, const char *key, const char *name);
void node_set_value(struct node *scalar, const char *value);

/*
 * Apply "key.sub=value": the value is read as YAML and replaces what the path names. Elements of
 * sequences are named by number (from 0) or by their "name". @set must outlive the document.
 */
int document_set(struct document *doc, const char *set, struct error *err);

/* ERROR_USAGE that starts with where @n comes from: "FILE:LINE: " or "--set KEY=VALUE: ". */
int document_error(const struct document *doc, const struct node *n, struct error *err,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The tree as YAML that document_parse() reads back to the same tree. */
void document_emit(const struct document *doc, struct strbuf *out);

/* Append @value in double quotes, escaped for YAML. */
void emit_quoted(struct strbuf *out, const char *value);

#endif
