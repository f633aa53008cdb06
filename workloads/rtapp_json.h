/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_RTAPP_JSON_H
#define WORKLOADS_RTAPP_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/*
 * The JSON of rt-app's files: with comments (C and C++ style) and trailing commas, and with members
 * that keep their order, which is the order of events. A key that comes twice in an object is an
 * error, where rt-app silently drops the first value.
 */
enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_node {
	enum json_kind kind;
	unsigned line;
	char *key; /* of a member of an object */
	bool truth;
	double number;
	char *string;
	struct json_node *children; /* the first of an array or object */
	struct json_node *next; /* sibling */
};

/* Parse @text of @size bytes; messages begin with @name:LINE. json_free() frees it. */
struct json_node *json_parse(const char *name, const char *text, size_t size, struct error *err);
void json_free(struct json_node *node);

/* The member of that name, or NULL. */
const struct json_node *json_member(const struct json_node *object, const char *key);

#endif
