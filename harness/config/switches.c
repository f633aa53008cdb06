// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "config/switches.h"

static int check_feature(const struct document *doc, const struct node *n, struct error *err)
{
	if (strspn(n->key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(n->key))
		return document_error(doc, n, err,
				      "'%s' is not a sched feature (they look like SIS_UTIL)",
				      n->key);
	if (!strncmp(n->key, "NO_", 3))
		return document_error(doc, n, err,
				      "feature '%s' is switched by its plain name (write '%s: "
				      "false')",
				      n->key, n->key + 3);
	if (strcmp(n->value, "true") && strcmp(n->value, "false"))
		return document_error(doc, n, err,
				      "feature '%s' must be true or false, not '%.60s'", n->key,
				      n->value);
	return 0;
}

/* Dots become slashes below /proc/sys, so that no part may be empty: none can be "..". */
static bool is_sysctl_name(const char *s)
{
	for (const char *p = s; *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-' && *p != '.')
			return false;
		if (*p == '.' && (p == s || p[1] == '.' || !p[1]))
			return false;
	}
	return strchr(s, '.');
}

static int check_sysctl(const struct document *doc, const struct node *n, struct error *err)
{
	if (!is_sysctl_name(n->key))
		return document_error(
			doc, n, err,
			"'%s' is not a sysctl (they look like kernel.sched_schedstats)", n->key);
	if (!*n->value)
		return document_error(doc, n, err, "'%s' has no value", n->key);
	return 0;
}

int switches_check(const struct document *doc, const struct node *owner, struct error *err)
{
	const struct node *features = node_get(owner, "features");
	const struct node *sysctl = node_get(owner, "sysctl");

	for (unsigned i = 0; features && i < features->items_count; i++)
		if (check_feature(doc, features->items[i], err))
			return -1;
	for (unsigned i = 0; sysctl && i < sysctl->items_count; i++)
		if (check_sysctl(doc, sysctl->items[i], err))
			return -1;
	return 0;
}
