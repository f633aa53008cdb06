// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config/find.h"
#include "config/kernel_source.h"
#include "util/file.h"
#include "util/xalloc.h"

#define MAIL "mail:"

/* The key that says what kind of source it is, and the keys that go with it. */
static const struct kind {
	const char *key;
	enum kernel_source source;
	const char *needs, *example; /* a second key and a value for it */
	const char *may[3];
} kinds[] = {
	{"debian-image", KERNEL_DEBIAN_IMAGE, "suite", "bookworm", {NULL}},
	{"debian-source", KERNEL_DEBIAN_SOURCE, "suite", "bookworm", {"version"}},
	{"git", KERNEL_GIT, "ref", "v6.8", {NULL}},
	{"tarball", KERNEL_TARBALL, NULL, NULL, {"sha256"}},
	{"image", KERNEL_IMAGE, NULL, NULL, {"modules"}},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

bool kernel_is_built(const struct kernel *k)
{
	return k->source >= KERNEL_GIT;
}

bool kernel_source_is_address(const char *text)
{
	size_t host = strcspn(text, ":/");

	return strstr(text, "://") || (host > 0 && text[host] == ':');
}

static bool is_package_name(const char *s)
{
	return isalnum((unsigned char)*s) &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789.+-") == strlen(s);
}

static bool is_version(const char *s)
{
	return isdigit((unsigned char)*s) &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			 ".+~:-") == strlen(s);
}

static bool belongs(const struct kind *kind, const char *key)
{
	if (!strcmp(kind->key, key) || (kind->needs && !strcmp(kind->needs, key)))
		return true;
	for (size_t i = 0; i < sizeof(kind->may) / sizeof(kind->may[0]) && kind->may[i]; i++)
		if (!strcmp(kind->may[i], key))
			return true;
	return false;
}

static const struct kind *kind_of_key(const char *key)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].key, key))
			return &kinds[i];
	return NULL;
}

/* Whose key is it? For one that stands beside a source that it does not belong to. */
static int stray_key(const struct document *doc, const struct kind *kind, const struct node *n,
		     struct error *err)
{
	struct strbuf owners = STRBUF_INIT;

	if (kind_of_key(n->key))
		return document_error(doc, n, err, "'%s' and '%s' are two sources (choose one)",
				      kind->key, n->key);
	for (size_t i = 0; i < KINDS; i++)
		if (belongs(&kinds[i], n->key))
			strbuf_addf(&owners, "%s'%s'", owners.len ? " or " : "", kinds[i].key);
	document_error(doc, n, err, "'%s' belongs to %s (leave it out)", n->key, owners.buf);
	strbuf_release(&owners);
	return -1;
}

static int choose_kind(const struct document *doc, const struct kind **out, struct error *err)
{
	const struct node *source = node_get(doc->root, "source");
	const struct kind *kind = NULL;

	for (size_t i = 0; i < KINDS && !kind; i++)
		if (node_get(source, kinds[i].key))
			kind = &kinds[i];
	if (!kind)
		return document_error(doc, source, err,
				      "'source' needs one of debian-image, debian-source, git, "
				      "tarball, image");
	for (unsigned i = 0; i < source->items_count; i++)
		if (!belongs(kind, source->items[i]->key))
			return stray_key(doc, kind, source->items[i], err);
	if (kind->needs && !node_get(source, kind->needs))
		return document_error(doc, source, err, "key '%s' is missing (such as %s)",
				      kind->needs, kind->example);
	*out = kind;
	return 0;
}

static int check_debian(const struct document *doc, const struct kind *kind, const struct kernel *k,
			struct error *err)
{
	const struct node *source = node_get(doc->root, "source");

	if (!is_package_name(k->package))
		return document_error(doc, node_get(source, kind->key), err,
				      "'%s' is not the name of a Debian package", k->package);
	if (!is_package_name(k->suite))
		return document_error(doc, node_get(source, "suite"), err,
				      "'%s' is not the name of a Debian suite (such as bookworm)",
				      k->suite);
	if (k->version && !is_version(k->version))
		return document_error(doc, node_get(source, "version"), err,
				      "'%s' is not a version of a Debian package (such as "
				      "6.1.192-3)",
				      k->version);
	if (k->source == KERNEL_DEBIAN_IMAGE && k->arch != ARCH_X86_64)
		return document_error(doc, node_get(doc->root, "arch"), err,
				      "packaged images are fetched for x86_64 only (build one with "
				      "debian-source)");
	return 0;
}

static int check_tarball(const struct document *doc, struct kernel *k, struct error *err)
{
	const struct node *source = node_get(doc->root, "source");

	for (char *p = k->sha256; p && *p; p++)
		*p = tolower((unsigned char)*p);
	if (k->sha256 &&
	    (strlen(k->sha256) != 64 || strspn(k->sha256, "0123456789abcdef") != strlen(k->sha256)))
		return document_error(doc, node_get(source, "sha256"), err,
				      "'%s' is not a SHA-256 (64 hexadecimal digits)", k->sha256);
	if (!k->sha256 && kernel_source_is_address(k->tarball))
		return document_error(doc, source, err,
				      "key 'sha256' is missing (what is downloaded is checked)");
	return 0;
}

static int check_git(const struct document *doc, const struct kernel *k, struct error *err)
{
	const struct node *source = node_get(doc->root, "source");

	if (k->ref[0] == '-' || strpbrk(k->ref, " ~^:?*[\\"))
		return document_error(doc, node_get(source, "ref"), err,
				      "'%s' is not a tag, branch or commit", k->ref);
	if (k->git[0] == '-')
		return document_error(doc, node_get(source, "git"), err,
				      "'%s' is neither a folder nor an address", k->git);
	return 0;
}

static int check_reverts(const struct document *doc, const struct kernel *k, struct error *err)
{
	const struct node *list = node_get(doc->root, "revert");

	if (k->revert_count && k->source != KERNEL_GIT)
		return document_error(doc, list, err,
				      "'revert' needs a git source (write the reverse as a patch)");
	for (unsigned i = 0; i < k->revert_count; i++)
		if (k->revert[i][0] == '-' || strpbrk(k->revert[i], " ~^:?*[\\"))
			return document_error(doc, list->items[i], err, "'%s' is not a commit",
					      k->revert[i]);
	return 0;
}

static int must_exist(const struct document *doc, const struct node *n, const char *what,
		      const char *path, struct error *err)
{
	if (path_exists(path))
		return 0;
	return document_error(doc, n, err, "no %s '%s'", what, path);
}

static void make_absolute(char **path, const char *folder)
{
	char *absolute = *path ? config_absolute(folder, *path) : NULL;

	free(*path);
	*path = absolute;
}

/* "mail:FILE#2" with FILE made absolute; a Message-Id, or what is there nowhere, stays. */
static void mail_absolute(char **patch, const char *folder)
{
	const char *reference = *patch + strlen(MAIL);
	const char *number = strrchr(reference, '#');
	size_t len = number ? (size_t)(number - reference) : strlen(reference);
	char *name = xstrndup(reference, len);
	char *path = config_absolute(folder, name);

	if (path_exists(path)) {
		char *whole = xasprintf(MAIL "%s%s", path, reference + len);

		free(*patch);
		*patch = whole;
	}
	free(path);
	free(name);
}

static int check_patches(const struct document *doc, struct kernel *k, const char *folder,
			 struct error *err)
{
	const struct node *list = node_get(doc->root, "patches");

	for (unsigned i = 0; i < k->patches_count; i++) {
		if (!strncmp(k->patches[i], MAIL, strlen(MAIL))) {
			mail_absolute(&k->patches[i], folder);
			continue;
		}
		make_absolute(&k->patches[i], folder);
		if (must_exist(doc, list->items[i], "patch", k->patches[i], err))
			return -1;
	}
	return 0;
}

static bool is_option(const char *text)
{
	static const char off[] = " is not set";
	size_t len = strlen(text), tail = strlen(off);

	if (!strncmp(text, "CONFIG_", 7))
		return strchr(text, '=') != NULL;
	return !strncmp(text, "# CONFIG_", 9) && len > tail && !strcmp(text + len - tail, off);
}

static int check_config(const struct document *doc, struct kernel *k, const char *folder,
			struct error *err)
{
	const struct node *list = node_get(doc->root, "config");

	if (!k->config_count)
		return document_error(doc, list ? list : doc->root, err,
				      "a kernel that is built needs 'config' (fragments and lines "
				      "such as CONFIG_SMP=y)");
	for (unsigned i = 0; i < k->config_count; i++) {
		if (is_option(k->config[i]))
			continue;
		make_absolute(&k->config[i], folder);
		if (must_exist(doc, list->items[i], "fragment", k->config[i], err))
			return -1;
	}
	return 0;
}

/* What is not built takes neither patches nor options. */
static int check_ready_made(const struct document *doc, const char *source, struct error *err)
{
	static const char *const keys[] = {"patches", "revert", "config"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct node *n = node_get(doc->root, keys[i]);

		if (n)
			return document_error(doc, n, err,
					      "'%s' needs a source that is built (git, tarball or "
					      "debian-source), '%s' is not",
					      keys[i], source);
	}
	return 0;
}

static int check_kind(const struct document *doc, const struct kind *kind, struct kernel *k,
		      struct error *err)
{
	switch (kind->source) {
	case KERNEL_DEBIAN_IMAGE:
	case KERNEL_DEBIAN_SOURCE:
		return check_debian(doc, kind, k, err);
	case KERNEL_GIT:
		return check_git(doc, k, err);
	case KERNEL_TARBALL:
		return check_tarball(doc, k, err);
	case KERNEL_IMAGE:
	case KERNEL_RUNNING:
		break;
	}
	return 0;
}

int kernel_check_source(const struct document *doc, bool running, struct kernel *k,
			struct error *err)
{
	const struct kind *kind = NULL;
	char *folder;
	int ret;

	k->source = KERNEL_RUNNING;
	if (running)
		return check_ready_made(doc, "running", err);
	if (choose_kind(doc, &kind, err))
		return -1;
	k->source = kind->source;
	if (check_kind(doc, kind, k, err))
		return -1;
	folder = path_dirname(doc->origin);
	make_absolute(&k->image, folder);
	make_absolute(&k->modules, folder);
	if (k->git && !kernel_source_is_address(k->git))
		make_absolute(&k->git, folder);
	if (k->tarball && !kernel_source_is_address(k->tarball))
		make_absolute(&k->tarball, folder);
	if (!kernel_is_built(k))
		ret = check_ready_made(doc, kind->key, err);
	else
		ret = check_reverts(doc, k, err) || check_patches(doc, k, folder, err) ||
				      check_config(doc, k, folder, err)
			      ? -1
			      : 0;
	free(folder);
	return ret;
}
