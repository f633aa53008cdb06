// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rtapp_json.h"

enum { DEEPEST = 32, LONGEST_NUMBER = 64 };

struct parser {
	const char *name, *at, *end;
	unsigned line;
	int depth;
	struct error *err;
};

static struct json_node *parse_value(struct parser *p);

static int fail(struct parser *p, const char *what)
{
	return error_set(p->err, ERROR_USAGE, "%s:%u: %s", p->name, p->line, what);
}

/* Blanks and comments; -1 for a comment without an end. */
static int skip(struct parser *p)
{
	while (p->at < p->end) {
		if (*p->at == '\n') {
			p->line++;
			p->at++;
		} else if (isspace((unsigned char)*p->at)) {
			p->at++;
		} else if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '/') {
			while (p->at < p->end && *p->at != '\n')
				p->at++;
		} else if (p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '*') {
			for (p->at += 2; p->end - p->at > 1 && (p->at[0] != '*' || p->at[1] != '/');
			     p->at++)
				p->line += *p->at == '\n';
			if (p->end - p->at < 2)
				return fail(p, "a comment does not end");
			p->at += 2;
		} else {
			break;
		}
	}
	return 0;
}

/* The next character that means something; 0 at the end or after an error. */
static char peek(struct parser *p)
{
	return skip(p) || p->at == p->end ? 0 : *p->at;
}

static struct json_node *new_node(struct parser *p, enum json_kind kind)
{
	struct json_node *n = calloc(1, sizeof(*n));

	if (!n) {
		error_sys(p->err, ENOMEM, "%s", p->name);
		return NULL;
	}
	n->kind = kind;
	n->line = p->line;
	return n;
}

static int escape(struct parser *p, char *c)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;

	if (p->at == p->end)
		return fail(p, "a string does not end");
	which = strchr(from, *p->at++);
	if (!which || !*which)
		return fail(p, "an escape that is not supported in a string");
	*c = to[which - from];
	return 0;
}

static char *parse_string(struct parser *p)
{
	/* Escapes only make it shorter. */
	char *s = malloc((size_t)(p->end - p->at) + 1);
	size_t n = 0;

	if (!s) {
		error_sys(p->err, ENOMEM, "%s", p->name);
		return NULL;
	}
	for (p->at++; p->at < p->end && *p->at != '"' && *p->at != '\n';) {
		s[n] = *p->at++;
		if (s[n] == '\\' && escape(p, &s[n]))
			break;
		n++;
	}
	s[n] = 0;
	if (!p->err->kind && (p->at == p->end || *p->at != '"'))
		fail(p, "a string does not end");
	if (p->err->kind) {
		free(s);
		return NULL;
	}
	p->at++;
	return realloc(s, n + 1);
}

static struct json_node *parse_number(struct parser *p)
{
	struct json_node *n = new_node(p, JSON_NUMBER);
	char text[LONGEST_NUMBER + 1], *stop;
	size_t len = 0;

	if (!n)
		return NULL;
	while (len < LONGEST_NUMBER && p->at + len < p->end &&
	       (isalnum((unsigned char)p->at[len]) || strchr("+-.", p->at[len])))
		len++;
	memcpy(text, p->at, len);
	text[len] = 0;
	n->number = strtod(text, &stop);
	if (*stop || !len || !isfinite(n->number) || strpbrk(text, "xXpP")) {
		fail(p, "not understood");
		json_free(n);
		return NULL;
	}
	p->at += len;
	return n;
}

static struct json_node *parse_word(struct parser *p)
{
	static const struct {
		const char *word;
		enum json_kind kind;
		bool truth;
	} words[] = {
		{"true", JSON_BOOL, true}, {"false", JSON_BOOL, false}, {"null", JSON_NULL, false}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i].word);
		struct json_node *n;

		if ((size_t)(p->end - p->at) < len || strncmp(p->at, words[i].word, len))
			continue;
		n = new_node(p, words[i].kind);
		if (n)
			n->truth = words[i].truth;
		p->at += len;
		return n;
	}
	return parse_number(p);
}

/* A member's key and colon. */
static char *parse_key(struct parser *p, const struct json_node *object)
{
	char *key;

	if (peek(p) != '"') {
		if (!p->err->kind)
			fail(p, "a name in quotes is missing");
		return NULL;
	}
	key = parse_string(p);
	if (!key)
		return NULL;
	if (json_member(object, key))
		error_set(p->err, ERROR_USAGE, "%s:%u: '%.80s' comes twice, first in line %u",
			  p->name, p->line, key, json_member(object, key)->line);
	else if (peek(p) != ':')
		fail(p, "a colon is missing");
	if (p->err->kind) {
		free(key);
		return NULL;
	}
	p->at++;
	return key;
}

/* Elements up to @close; a comma before it is allowed. */
static int parse_children(struct parser *p, struct json_node *parent, char close)
{
	struct json_node **tail = &parent->children;

	p->at++;
	while (peek(p) != close) {
		char *key = NULL;

		if (p->err->kind || (parent->kind == JSON_OBJECT && !(key = parse_key(p, parent))))
			return -1;
		*tail = parse_value(p);
		if (!*tail) {
			free(key);
			return -1;
		}
		(*tail)->key = key;
		tail = &(*tail)->next;
		if (peek(p) == ',')
			p->at++;
		else if (peek(p) != close)
			return p->err->kind ? -1
					    : fail(p, "a comma or a closing bracket is missing");
	}
	p->at++;
	return 0;
}

static struct json_node *parse_container(struct parser *p, enum json_kind kind, char close)
{
	struct json_node *n;

	if (++p->depth > DEEPEST) {
		fail(p, "nested too deeply");
		return NULL;
	}
	n = new_node(p, kind);
	if (n && parse_children(p, n, close)) {
		json_free(n);
		n = NULL;
	}
	p->depth--;
	return n;
}

static struct json_node *parse_value(struct parser *p)
{
	struct json_node *n;

	switch (peek(p)) {
	case 0:
		if (!p->err->kind)
			fail(p, "the file ends too early");
		return NULL;
	case '{':
		return parse_container(p, JSON_OBJECT, '}');
	case '[':
		return parse_container(p, JSON_ARRAY, ']');
	case '"':
		n = new_node(p, JSON_STRING);
		if (n && !(n->string = parse_string(p))) {
			json_free(n);
			n = NULL;
		}
		return n;
	default:
		return parse_word(p);
	}
}

struct json_node *json_parse(const char *name, const char *text, size_t size, struct error *err)
{
	struct parser p = {.name = name, .at = text, .end = text + size, .line = 1, .err = err};
	struct json_node *n;

	err->kind = ERROR_NONE;
	n = parse_value(&p);
	if (n && peek(&p) && !err->kind)
		fail(&p, "something follows the end");
	if (err->kind) {
		json_free(n);
		return NULL;
	}
	return n;
}

void json_free(struct json_node *node)
{
	while (node) {
		struct json_node *next = node->next;

		json_free(node->children);
		free(node->key);
		free(node->string);
		free(node);
		node = next;
	}
}

const struct json_node *json_member(const struct json_node *object, const char *key)
{
	for (const struct json_node *n = object->children; n; n = n->next)
		if (!strcmp(n->key, key))
			return n;
	return NULL;
}
