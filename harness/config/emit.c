// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "config/document.h"

void emit_quoted(struct strbuf *out, const char *value)
{
	strbuf_addch(out, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *value);
	}
	strbuf_addch(out, '"');
}

/* Plain only where no YAML reader can take the text for anything else. */
static bool plain_is_safe(const char *s)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+-";

	return *s && strspn(s, word) == strlen(s) && *s != '-' && *s != '%' && *s != '.';
}

static void emit_scalar(struct strbuf *out, const char *value, bool plain)
{
	if (plain && plain_is_safe(value))
		strbuf_addstr(out, value);
	else
		emit_quoted(out, value);
}

static bool all_scalars(const struct node *n)
{
	for (unsigned i = 0; i < n->items_count; i++)
		if (n->items[i]->type != NODE_SCALAR)
			return false;
	return true;
}

static void emit_block(struct strbuf *out, const struct node *n, unsigned indent, bool started);

/* What follows "key:" or "-": a scalar, a list on one line, or a block on the lines below. */
static void emit_value(struct strbuf *out, const struct node *n, unsigned indent, bool after_dash)
{
	if (n->type == NODE_SCALAR) {
		strbuf_addch(out, ' ');
		if (!node_is_null(n))
			emit_scalar(out, n->value, n->plain);
		else
			strbuf_addstr(out, "null");
		strbuf_addch(out, '\n');
	} else if (n->type == NODE_SEQUENCE && all_scalars(n)) {
		strbuf_addstr(out, " [");
		for (unsigned i = 0; i < n->items_count; i++) {
			strbuf_addstr(out, i ? ", " : "");
			emit_scalar(out, n->items[i]->value, n->items[i]->plain);
		}
		strbuf_addstr(out, "]\n");
	} else if (!n->items_count) {
		strbuf_addstr(out, " {}\n");
	} else {
		strbuf_addch(out, after_dash ? ' ' : '\n');
		emit_block(out, n, indent, after_dash);
	}
}

/* @started: the first line is indented already, by a dash. */
static void emit_block(struct strbuf *out, const struct node *n, unsigned indent, bool started)
{
	for (unsigned i = 0; i < n->items_count; i++) {
		const struct node *item = n->items[i];

		if (i || !started)
			strbuf_addchars(out, ' ', indent);
		if (n->type == NODE_MAPPING) {
			emit_scalar(out, item->key, true);
			strbuf_addch(out, ':');
		} else {
			strbuf_addch(out, '-');
		}
		emit_value(out, item, indent + 2, n->type == NODE_SEQUENCE);
	}
}

void document_emit(const struct document *doc, struct strbuf *out)
{
	emit_block(out, doc->root, 0, false);
}
