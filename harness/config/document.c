// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config/document.h"
#include "util/file.h"
#include "util/xalloc.h"

/* A hundred times what a large experiment needs; hostile files end here. */
enum { MAX_BYTES = 256 * 1024, MAX_DEPTH = 8, MAX_ITEMS = 4096, MAX_VALUE = 4096, MAX_KEY = 128 };

static void node_free(struct node *n)
{
	if (!n)
		return;
	for (unsigned i = 0; i < n->items_count; i++)
		node_free(n->items[i]);
	free(n->items);
	free(n->key);
	free(n->value);
	free(n);
}

void document_release(struct document *doc)
{
	node_free(doc->root);
	free(doc->origin);
	*doc = (struct document){NULL, NULL};
}

/* Messages quote what files hold; a terminal must not obey it. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

static int error_at(struct error *err, const char *origin, unsigned line, const char *set,
		    const char *fmt, va_list ap) __attribute__((format(printf, 5, 0)));

static int error_at(struct error *err, const char *origin, unsigned line, const char *set,
		    const char *fmt, va_list ap)
{
	int n;

	if (set)
		n = snprintf(err->msg, sizeof(err->msg), "--set %.80s%s: ", set,
			     strlen(set) > 80 ? "..." : "");
	else
		n = snprintf(err->msg, sizeof(err->msg), "%.1000s:%u: ", origin, line);
	vsnprintf(err->msg + n, sizeof(err->msg) - n, fmt, ap);
	make_printable(err->msg);
	err->kind = ERROR_USAGE;
	return -1;
}

int document_error(const struct document *doc, const struct node *n, struct error *err,
		   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_at(err, doc->origin, n->line, n->set, fmt, ap);
	va_end(ap);
	return -1;
}

/* What is read right now: a file or the value of a --set. */
struct reader {
	yaml_parser_t yaml;
	const char *origin;
	const char *set;
	const char *text;
	size_t len;
	struct error *err;
};

static int reader_error(struct reader *r, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int reader_error(struct reader *r, unsigned line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_at(r->err, r->origin, line, r->set, fmt, ap);
	va_end(ap);
	return -1;
}

static unsigned line_of_offset(const struct reader *r, size_t offset)
{
	unsigned line = 1;

	for (size_t i = 0; i < offset && i < r->len; i++)
		line += r->text[i] == '\n';
	return line;
}

static int next_event(struct reader *r, yaml_event_t *event)
{
	const yaml_parser_t *y = &r->yaml;

	if (yaml_parser_parse(&r->yaml, event))
		return 0;
	if (y->error == YAML_READER_ERROR)
		return reader_error(r, line_of_offset(r, y->problem_offset),
				    "not a text in UTF-8 (%s)", y->problem);
	if (y->error == YAML_MEMORY_ERROR)
		return reader_error(r, 1, "out of memory");
	return reader_error(r, y->problem_mark.line + 1, "not valid YAML: %s%s%s", y->problem,
			    y->context ? " " : "", y->context ? y->context : "");
}

static struct node *node_new(const struct reader *r, enum node_type type, unsigned line)
{
	struct node *n = xcalloc(1, sizeof(*n));

	n->type = type;
	n->line = line;
	n->set = r ? r->set : NULL;
	return n;
}

static void node_append(struct node *parent, struct node *n)
{
	xgrow(parent->items, parent->items_count, parent->items_cap);
	parent->items[parent->items_count++] = n;
}

static int check_scalar(struct reader *r, const yaml_event_t *e, size_t max)
{
	const char *s = (const char *)e->data.scalar.value;
	size_t len = e->data.scalar.length;
	unsigned line = e->start_mark.line + 1;

	if (len > max)
		return reader_error(r, line, "'%.40s...' is longer than %zu characters", s, max);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f)
			return reader_error(r, line, "'%.40s' holds a %s (write it on one line)", s,
					    s[i] == '\n' ? "line break" : "control character");
	return 0;
}

/* Anchors multiply and tags change types: both are left out of what configuration may say. */
static int check_plainness(struct reader *r, const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (e->type) {
	case YAML_ALIAS_EVENT:
		anchor = e->data.alias.anchor;
		break;
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor)
		return reader_error(r, e->start_mark.line + 1,
				    "anchors and aliases ('%.40s') are not accepted (write the "
				    "value out)",
				    (const char *)anchor);
	if (tag)
		return reader_error(r, e->start_mark.line + 1,
				    "tags ('%.40s') are not accepted (leave it out)",
				    (const char *)tag);
	return 0;
}

static int read_node(struct reader *r, yaml_event_t *first, unsigned depth, struct node **out);

static int read_sequence(struct reader *r, struct node *n, unsigned depth)
{
	for (;;) {
		yaml_event_t e;
		struct node *item;
		bool end;
		int ret;

		if (next_event(r, &e))
			return -1;
		end = e.type == YAML_SEQUENCE_END_EVENT;
		ret = end ? 0 : read_node(r, &e, depth + 1, &item);
		yaml_event_delete(&e);
		if (end || ret)
			return ret;
		node_append(n, item);
		if (n->items_count > MAX_ITEMS)
			return reader_error(r, item->line, "more than %d elements", MAX_ITEMS);
	}
}

static int read_key(struct reader *r, const yaml_event_t *e, const struct node *n, char **key)
{
	unsigned line = e->start_mark.line + 1;
	const struct node *first;

	if (check_plainness(r, e))
		return -1;
	if (e->type != YAML_SCALAR_EVENT)
		return reader_error(r, line, "a key must be a word");
	if (check_scalar(r, e, MAX_KEY))
		return -1;
	first = node_get(n, (const char *)e->data.scalar.value);
	if (first)
		return reader_error(r, line, "key '%s' is there twice (first in line %u)",
				    first->key, first->line);
	*key = xstrdup((const char *)e->data.scalar.value);
	return 0;
}

static int read_member(struct reader *r, const yaml_event_t *key_event, struct node *n,
		       unsigned depth)
{
	char *key = NULL;
	struct node *item = NULL;
	yaml_event_t e;
	int ret;

	if (read_key(r, key_event, n, &key))
		return -1;
	if (next_event(r, &e)) {
		free(key);
		return -1;
	}
	ret = read_node(r, &e, depth + 1, &item);
	yaml_event_delete(&e);
	if (ret) {
		free(key);
		return -1;
	}
	item->key = key;
	item->line = key_event->start_mark.line + 1;
	node_append(n, item);
	if (n->items_count > MAX_ITEMS)
		return reader_error(r, item->line, "more than %d keys", MAX_ITEMS);
	return 0;
}

static int read_mapping(struct reader *r, struct node *n, unsigned depth)
{
	for (;;) {
		yaml_event_t e;
		bool end;
		int ret;

		if (next_event(r, &e))
			return -1;
		end = e.type == YAML_MAPPING_END_EVENT;
		ret = end ? 0 : read_member(r, &e, n, depth);
		yaml_event_delete(&e);
		if (end || ret)
			return ret;
	}
}

static int read_node(struct reader *r, yaml_event_t *first, unsigned depth, struct node **out)
{
	unsigned line = first->start_mark.line + 1;
	struct node *n;
	int ret;

	*out = NULL;
	if (check_plainness(r, first))
		return -1;
	if (depth > MAX_DEPTH)
		return reader_error(r, line, "more than %d levels deep", MAX_DEPTH);
	if (first->type == YAML_SCALAR_EVENT) {
		if (check_scalar(r, first, MAX_VALUE))
			return -1;
		n = node_new(r, NODE_SCALAR, line);
		n->value = xstrdup((const char *)first->data.scalar.value);
		n->plain = first->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		*out = n;
		return 0;
	}
	n = node_new(r, first->type == YAML_MAPPING_START_EVENT ? NODE_MAPPING : NODE_SEQUENCE,
		     line);
	ret = n->type == NODE_MAPPING ? read_mapping(r, n, depth) : read_sequence(r, n, depth);
	if (ret)
		node_free(n);
	else
		*out = n;
	return ret;
}

/* The events around the one document; *@out stays NULL where the stream holds none. */
static int read_stream(struct reader *r, struct node **out)
{
	bool end = false;

	*out = NULL;
	while (!end) {
		yaml_event_t e;
		int ret = 0;

		if (next_event(r, &e))
			return -1;
		end = e.type == YAML_STREAM_END_EVENT;
		if (e.type == YAML_DOCUMENT_START_EVENT && *out)
			ret = reader_error(r, e.start_mark.line + 1,
					   "a second document starts here (one is accepted)");
		else if (e.type == YAML_ALIAS_EVENT || e.type == YAML_SCALAR_EVENT ||
			 e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT)
			ret = read_node(r, &e, 0, out);
		yaml_event_delete(&e);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_text(const char *origin, const char *set, const char *text, size_t len,
		     struct node **out, struct error *err)
{
	struct reader r = {.origin = origin, .set = set, .text = text, .len = len, .err = err};
	int ret;

	if (!yaml_parser_initialize(&r.yaml))
		return error_set(err, ERROR_FAILED, "out of memory");
	/* Said, not guessed: a byte order mark must not switch to UTF-16. */
	yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.yaml, (const unsigned char *)text, len);
	ret = read_stream(&r, out);
	yaml_parser_delete(&r.yaml);
	if (ret) {
		node_free(*out);
		*out = NULL;
	}
	return ret;
}

int document_parse(struct document *doc, const char *origin, const char *text, size_t len,
		   struct error *err)
{
	struct node at = {.line = 1};

	*doc = (struct document){.origin = xstrdup(origin)};
	if (len > MAX_BYTES) {
		document_error(doc, &at, err, "larger than %d KiB (not a configuration file?)",
			       MAX_BYTES / 1024);
		goto fail;
	}
	if (read_text(origin, NULL, text, len, &doc->root, err))
		goto fail;
	if (!doc->root) {
		document_error(doc, &at, err, "the file is empty");
		goto fail;
	}
	if (doc->root->type != NODE_MAPPING) {
		document_error(doc, doc->root, err, "'key: value' lines expected at the top level");
		goto fail;
	}
	return 0;
fail:
	document_release(doc);
	return -1;
}

int document_read(struct document *doc, const char *path, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret;

	ret = file_read(path, MAX_BYTES, &text, err);
	if (ret)
		err->kind = ERROR_USAGE;
	/* What is too large has been read as far as that shows: the parser words the message. */
	if (!ret || text.len > MAX_BYTES)
		ret = document_parse(doc, path, text.buf, text.len, err);
	strbuf_release(&text);
	return ret;
}

struct node *node_get(const struct node *mapping, const char *key)
{
	if (!mapping || mapping->type != NODE_MAPPING)
		return NULL;
	for (unsigned i = 0; i < mapping->items_count; i++)
		if (!strcmp(mapping->items[i]->key, key))
			return mapping->items[i];
	return NULL;
}

bool node_is_null(const struct node *n)
{
	return n->type == NODE_SCALAR && n->plain &&
	       (!*n->value || !strcmp(n->value, "~") || !strcmp(n->value, "null"));
}

static struct node *add_scalar(struct node *mapping, const char *key, const char *value)
{
	struct node *n = node_new(NULL, NODE_SCALAR, mapping->line);

	n->set = mapping->set;
	n->key = xstrdup(key);
	n->value = xstrdup(value);
	n->plain = *value != '\0';
	node_append(mapping, n);
	return n;
}

void node_default(struct node *mapping, const char *key, const char *value)
{
	if (!node_get(mapping, key))
		add_scalar(mapping, key, value);
}

void node_wrap(struct node *mapping, const char *key, const char *name)
{
	struct node *n = node_get(mapping, key);
	struct node *inner;

	if (!n || n->type != NODE_SCALAR || node_is_null(n))
		return;
	inner = node_new(NULL, NODE_SCALAR, n->line);
	inner->set = n->set;
	inner->key = xstrdup(name);
	inner->value = n->value;
	inner->plain = n->plain;
	n->value = NULL;
	n->type = NODE_MAPPING;
	node_append(n, inner);
}

void node_set_value(struct node *scalar, const char *value)
{
	char *copy = xstrdup(value);

	free(scalar->value);
	scalar->value = copy;
}

/* Mappings whose keys are free: what follows them in a path is one key, dots included. */
static bool has_free_keys(const char *key)
{
	static const char *const names[] = {"params", "sweep", "features", "sysctl"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(key, names[i]))
			return true;
	return false;
}

/* Position of the element that @word names by number or "name"; -1: none. */
static int find_element(const struct node *sequence, const char *word)
{
	char *end;
	unsigned long index;

	for (unsigned i = 0; i < sequence->items_count; i++) {
		const struct node *name = node_get(sequence->items[i], "name");

		if (name && name->type == NODE_SCALAR && !strcmp(name->value, word))
			return i;
	}
	if (*word < '0' || *word > '9')
		return -1;
	index = strtoul(word, &end, 10);
	return *end || index >= sequence->items_count ? -1 : (int)index;
}

static void replace_node(struct node **slot, struct node *n)
{
	n->key = (*slot)->key;
	(*slot)->key = NULL;
	node_free(*slot);
	*slot = n;
}

static int set_error(const char *set, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int set_error(const char *set, struct error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_at(err, "", 0, set, fmt, ap);
	va_end(ap);
	return -1;
}

/* The place that @word names below *@at, made where a mapping lacks it. */
static struct node **step_into(struct node *at, const char *word, const char *set,
			       struct error *err)
{
	if (at->type == NODE_SEQUENCE) {
		int i = find_element(at, word);

		if (i >= 0)
			return &at->items[i];
		set_error(set, err,
			  "'%s' has no element '%s' (name one, or give its number from 0 to %d)",
			  at->key ? at->key : "list", word, (int)at->items_count - 1);
		return NULL;
	}
	if (at->type == NODE_SCALAR) {
		/* What was made on the way, or a value that the path says is a mapping. */
		if (!node_is_null(at)) {
			set_error(set, err, "'%s' is a plain value and has no '%s'", at->key, word);
			return NULL;
		}
		at->type = NODE_MAPPING;
		free(at->value);
		at->value = NULL;
	}
	if (!node_get(at, word)) {
		struct node *made = add_scalar(at, word, "");

		made->plain = true;
		made->set = set;
	}
	for (unsigned i = 0; i < at->items_count; i++)
		if (!strcmp(at->items[i]->key, word))
			return &at->items[i];
	return NULL;
}

/* Length of the word that starts @path: up to a dot, or a name that holds dots, such as 6.12. */
static size_t word_length(const struct node *at, const char *path)
{
	size_t len = strcspn(path, ".");

	if (at->key && has_free_keys(at->key))
		return strlen(path);
	for (unsigned i = 0; at->type == NODE_SEQUENCE && i < at->items_count; i++) {
		const struct node *name = node_get(at->items[i], "name");
		size_t n = name && name->type == NODE_SCALAR ? strlen(name->value) : 0;

		if (n > len && !strncmp(path, name->value, n) && (path[n] == '.' || !path[n]))
			len = n;
	}
	return len;
}

static struct node **follow_path(struct document *doc, char *path, const char *set,
				 struct error *err)
{
	struct node **at = &doc->root;

	for (char *word = path, *next; word; word = next) {
		size_t len = word_length(*at, word);

		next = word[len] ? word + len + 1 : NULL;
		word[len] = '\0';
		if (!*word || strlen(word) > MAX_KEY) {
			set_error(set, err, "KEY=VALUE expected, such as boots=5");
			return NULL;
		}
		at = step_into(*at, word, set, err);
		if (!at)
			return NULL;
	}
	return at;
}

int document_set(struct document *doc, const char *set, struct error *err)
{
	const char *equals = strchr(set, '=');
	struct node *value = NULL;
	struct node **slot;
	char *path;

	if (!equals)
		return set_error(set, err, "KEY=VALUE expected, such as boots=5");
	if (strlen(set) > MAX_VALUE)
		return set_error(set, err, "longer than %d characters", MAX_VALUE);
	if (read_text("", set, equals + 1, strlen(equals + 1), &value, err))
		return -1;
	if (!value) {
		struct reader r = {.set = set};

		value = node_new(&r, NODE_SCALAR, 1);
		value->value = xstrdup("");
		value->plain = true;
	}
	path = xstrndup(set, equals - set);
	slot = follow_path(doc, path, set, err);
	if (slot)
		replace_node(slot, value);
	else
		node_free(value);
	free(path);
	return slot ? 0 : -1;
}
