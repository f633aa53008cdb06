/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_SCHEMA_H
#define SCHEDBENCH_CONFIG_SCHEMA_H

#include <cyaml/cyaml.h>

#include "config/config.h"
#include "config/document.h"

/*
 * Loads a document into a struct by its libcyaml schema, which is the only place that says which
 * keys there are and of what type. A mapping with free keys, {a: 1}, is described as a sequence
 * of a mapping whose fields are "key" and "value", in this order.
 */
struct schema {
	const cyaml_schema_value_t *top;
	const char *const *later; /* NULL-terminated keys that a later version will know */
};

/* *@data: allocated as @schema says, to be freed by the caller member by member (free()). */
int schema_load(const struct schema *schema, const struct document *doc, void **data,
		struct error *err);

/* For fields such as sysctl: a sequence of struct key_value. */
extern const cyaml_schema_value_t schema_key_value;
/* A sequence's element of type char *. */
extern const cyaml_schema_value_t schema_string;

#endif
