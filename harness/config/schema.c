// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/schema.h"
#include "config/suggest.h"
#include "util/xalloc.h"

static const cyaml_schema_field_t key_value_fields[] = {
	CYAML_FIELD_STRING_PTR("key", CYAML_FLAG_POINTER, struct key_value, key, 1, 128),
	CYAML_FIELD_STRING_PTR("value", CYAML_FLAG_POINTER, struct key_value, value, 0, 1024),
	CYAML_FIELD_END};

const cyaml_schema_value_t schema_key_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct key_value, key_value_fields)};

const cyaml_schema_value_t schema_string = {CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, 1024)};

/* Where a line of the text given to libcyaml comes from. */
struct origin {
	const struct node *node;
	const cyaml_schema_value_t *schema;
};

struct loader {
	const struct schema *schema;
	const struct document *doc;
	struct strbuf text; /* JSON-like, so that libcyaml's line numbers can be led back */
	struct origin *lines; /* of line i + 1 */
	unsigned lines_count, lines_cap;
	unsigned failed_line; /* what libcyaml said, 0: nothing */
	struct error *err;
};

static int convert(struct loader *l, const cyaml_schema_value_t *s, const struct node *n);

static void end_line(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	strbuf_addch(&l->text, '\n');
	xgrow(l->lines, l->lines_count, l->lines_cap);
	l->lines[l->lines_count++] = (struct origin){n, s};
}

static const char *node_name(const struct node *n)
{
	return n->key ? n->key : "element";
}

static int unknown_key(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	struct strbuf known = STRBUF_INIT;
	struct suggestion near;

	for (const char *const *k = l->schema->later; *k; k++)
		if (!strcmp(*k, n->key))
			return document_error(
				l->doc, n, l->err,
				"'%s' is not supported by this version (leave it out)", n->key);
	suggestion_start(&near, n->key);
	for (const cyaml_schema_field_t *f = s->mapping.fields; f->key; f++) {
		suggestion_add(&near, f->key);
		strbuf_addf(&known, "%s%s", known.len ? ", " : "", f->key);
	}
	if (near.best)
		document_error(l->doc, n, l->err, "unknown key '%.60s' (did you mean '%s'?)",
			       n->key, near.best);
	else
		document_error(l->doc, n, l->err, "unknown key '%.60s' (known are %s)", n->key,
			       known.buf);
	strbuf_release(&known);
	return -1;
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_value_t *s, const char *key)
{
	for (const cyaml_schema_field_t *f = s->mapping.fields; f->key; f++)
		if (!strcmp(f->key, key))
			return f;
	return NULL;
}

static int convert_mapping(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	if (n->type != NODE_MAPPING)
		return document_error(l->doc, n, l->err, "'%s' must be a mapping such as {%s: ...}",
				      node_name(n), s->mapping.fields[0].key);
	strbuf_addch(&l->text, '{');
	end_line(l, s, n);
	for (unsigned i = 0; i < n->items_count; i++) {
		const struct node *item = n->items[i];
		const cyaml_schema_field_t *f = find_field(s, item->key);

		if (!f)
			return unknown_key(l, s, item);
		emit_quoted(&l->text, item->key);
		strbuf_addstr(&l->text, ": ");
		if (convert(l, &f->value, item))
			return -1;
	}
	for (const cyaml_schema_field_t *f = s->mapping.fields; f->key; f++)
		if (!(f->value.flags & CYAML_FLAG_OPTIONAL) && !node_get(n, f->key))
			return document_error(l->doc, n, l->err, "key '%s' is missing", f->key);
	strbuf_addstr(&l->text, "},");
	end_line(l, s, n);
	return 0;
}

/* {a: 1} becomes [{key: a, value: 1}]. */
static int convert_free_keys(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	const cyaml_schema_value_t *entry = s->sequence.entry;

	if (n->type != NODE_MAPPING)
		return document_error(l->doc, n, l->err,
				      "'%s' must be a mapping such as {name: value}", node_name(n));
	strbuf_addch(&l->text, '[');
	end_line(l, s, n);
	for (unsigned i = 0; i < n->items_count; i++) {
		const struct node *item = n->items[i];

		strbuf_addstr(&l->text, "{ \"key\": ");
		emit_quoted(&l->text, item->key);
		strbuf_addch(&l->text, ',');
		end_line(l, entry, item);
		strbuf_addstr(&l->text, "\"value\": ");
		if (convert(l, &entry->mapping.fields[1].value, item))
			return -1;
		strbuf_addstr(&l->text, "},");
		end_line(l, entry, item);
	}
	strbuf_addstr(&l->text, "],");
	end_line(l, s, n);
	return 0;
}

static int convert_sequence(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	const cyaml_schema_value_t *entry = s->sequence.entry;

	if (entry->type == CYAML_MAPPING && !strcmp(entry->mapping.fields[0].key, "key"))
		return convert_free_keys(l, s, n);
	if (n->type != NODE_SEQUENCE)
		return document_error(l->doc, n, l->err, "'%s' must be a list such as [%s]",
				      node_name(n),
				      entry->type == CYAML_MAPPING ? "{name: ...}" : "1, 2");
	strbuf_addch(&l->text, '[');
	end_line(l, s, n);
	for (unsigned i = 0; i < n->items_count; i++)
		if (convert(l, entry, n->items[i]))
			return -1;
	strbuf_addstr(&l->text, "],");
	end_line(l, s, n);
	return 0;
}

/* libcyaml reads "-1", " 7" and octal "010" as unsigned numbers, people do not. */
static bool is_decimal(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s) && (*s != '0' || !s[1]);
}

static int wrong_word(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	struct strbuf words = STRBUF_INIT;
	struct suggestion near;

	suggestion_start(&near, n->value);
	for (unsigned i = 0; i < s->enumeration.count; i++) {
		strbuf_addf(&words, "%s%s", i ? ", " : "", s->enumeration.strings[i].str);
		suggestion_add(&near, s->enumeration.strings[i].str);
	}
	document_error(l->doc, n, l->err, "'%s' must be one of %s, not '%.60s'%s%s%s", node_name(n),
		       words.buf, n->value, near.best ? " (did you mean '" : "",
		       near.best ? near.best : "", near.best ? "'?)" : "");
	strbuf_release(&words);
	return -1;
}

static int check_word(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	for (unsigned i = 0; i < s->enumeration.count; i++)
		if (!strcmp(s->enumeration.strings[i].str, n->value))
			return 0;
	return wrong_word(l, s, n);
}

static int convert_scalar(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	if (n->type != NODE_SCALAR)
		return document_error(l->doc, n, l->err, "'%s' must be a single value, not a %s",
				      node_name(n), n->type == NODE_MAPPING ? "mapping" : "list");
	if (node_is_null(n))
		return document_error(l->doc, n, l->err, "'%s' has no value", node_name(n));
	if (s->type == CYAML_UINT && !is_decimal(n->value))
		return document_error(l->doc, n, l->err, "'%s' must be a whole number, not '%.60s'",
				      node_name(n), n->value);
	if (s->type == CYAML_ENUM && check_word(l, s, n))
		return -1;
	emit_quoted(&l->text, n->value);
	strbuf_addch(&l->text, ',');
	end_line(l, s, n);
	return 0;
}

static int convert(struct loader *l, const cyaml_schema_value_t *s, const struct node *n)
{
	if (s->type == CYAML_MAPPING)
		return convert_mapping(l, s, n);
	if (s->type == CYAML_SEQUENCE)
		return convert_sequence(l, s, n);
	return convert_scalar(l, s, n);
}

/* The first line number of the backtrace is that of the innermost value. */
static void note_line(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
	__attribute__((format(printf, 3, 0)));

static void note_line(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct loader *l = ctx;
	char msg[512];
	const char *at;

	(void)level;
	vsnprintf(msg, sizeof(msg), fmt, args);
	at = strstr(msg, "(line: ");
	if (at && !l->failed_line)
		l->failed_line = strtoul(at + strlen("(line: "), NULL, 10);
}

/* Memory of libcyaml: running out of it ends the program as everywhere else. */
static void *cyaml_alloc(void *ctx, void *ptr, size_t size)
{
	(void)ctx;
	if (size)
		return xreallocarray(ptr, 1, size);
	free(ptr);
	return NULL;
}

static int explain(struct loader *l, cyaml_err_t e)
{
	const struct origin top = {l->doc->root, l->schema->top};
	const struct origin *o = &top;
	const char *name;

	if (l->failed_line && l->failed_line <= l->lines_count)
		o = &l->lines[l->failed_line - 1];
	name = node_name(o->node);
	switch (e) {
	case CYAML_ERR_INVALID_VALUE:
		return document_error(l->doc, o->node, l->err, "'%s' is out of range: '%.60s'",
				      name, o->node->value ? o->node->value : "");
	case CYAML_ERR_STRING_LENGTH_MIN:
		return document_error(l->doc, o->node, l->err, "'%s' is empty", name);
	case CYAML_ERR_STRING_LENGTH_MAX:
		return document_error(l->doc, o->node, l->err,
				      "'%s' is longer than %u characters: '%.40s...'", name,
				      o->schema->type == CYAML_STRING ? o->schema->string.max : 128,
				      o->node->value ? o->node->value : name);
	case CYAML_ERR_SEQUENCE_ENTRIES_MIN:
		return document_error(l->doc, o->node, l->err, "'%s' is empty", name);
	case CYAML_ERR_SEQUENCE_ENTRIES_MAX:
		return document_error(l->doc, o->node, l->err,
				      "'%s' belongs to a list that is too "
				      "long",
				      name);
	default:
		return document_error(l->doc, o->node, l->err, "'%s' is not accepted: %s", name,
				      cyaml_strerror(e));
	}
}

int schema_load(const struct schema *schema, const struct document *doc, void **data,
		struct error *err)
{
	struct loader l = {.schema = schema, .doc = doc, .text = STRBUF_INIT, .err = err};
	const cyaml_config_t config = {.log_fn = note_line,
				       .log_ctx = &l,
				       .mem_fn = cyaml_alloc,
				       .log_level = CYAML_LOG_ERROR,
				       .flags = CYAML_CFG_NO_ALIAS};
	cyaml_err_t e;
	int ret;

	*data = NULL;
	ret = convert(&l, schema->top, doc->root);
	if (!ret) {
		/* No comma after the outermost brace. */
		l.text.len -= strlen(",\n");
		e = cyaml_load_data((const uint8_t *)l.text.buf, l.text.len, &config, schema->top,
				    data, NULL);
		if (e != CYAML_OK)
			ret = explain(&l, e);
	}
	free(l.lines);
	strbuf_release(&l.text);
	return ret;
}
