// SPDX-License-Identifier: GPL-2.0-or-later
#include "mail/lookup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define MAX_FOLDER_DEPTH 8
#define FETCH_TIMEOUT_MS 120000

static bool is_message_id(const char *s)
{
	const char *at = strchr(s, '@');

	if (!at || at == s || !at[1] || *s == '-' || strlen(s) > 500)
		return false;
	for (; *s; s++)
		if (!isgraph((unsigned char)*s) || *s == '<' || *s == '>')
			return false;
	return true;
}

/* The part of an address up to the next slash, "%2F" and the like undone. */
static char *segment(const char *s)
{
	struct strbuf out = STRBUF_INIT;

	for (; *s && *s != '/' && *s != '?' && *s != '#'; s++) {
		char hex[3] = {0};
		char *end;

		if (*s == '%' && s[1] && s[2]) {
			memcpy(hex, s + 1, 2);
			strbuf_addch(&out, (char)strtoul(hex, &end, 16));
			s += 2;
		} else {
			strbuf_addch(&out, *s);
		}
	}
	return strbuf_detach(&out);
}

static char *id_from_address(const char *s)
{
	static const struct {
		const char *host;
		bool list; /* the name of a list comes before the id */
	} hosts[] = {{"lore.kernel.org/", true},
		     {"lkml.kernel.org/", true},
		     {"patch.msgid.link/", false}};

	s = strstr(s, "://") + 3;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		size_t n = strlen(hosts[i].host);

		if (strncasecmp(s, hosts[i].host, n))
			continue;
		s += n;
		if (hosts[i].list)
			s = strchr(s, '/');
		return s ? segment(s + hosts[i].list) : NULL;
	}
	return NULL;
}

char *message_id_from(const char *word)
{
	size_t n = strlen(word);
	char *id;

	if (!strncasecmp(word, "https://", 8) || !strncasecmp(word, "http://", 7))
		id = id_from_address(word);
	else if (n > 2 && word[0] == '<' && word[n - 1] == '>')
		id = xstrndup(word + 1, n - 2);
	else
		id = xstrdup(word);
	if (id && !is_message_id(id)) {
		free(id);
		id = NULL;
	}
	return id;
}

const struct mail *mailbox_find(const struct mailbox *box, const char *id)
{
	for (unsigned i = 0; i < box->count; i++)
		if (box->mails[i].message_id && !strcmp(box->mails[i].message_id, id))
			return &box->mails[i];
	return NULL;
}

static bool have_box(const struct mail_found *found, const char *path)
{
	for (unsigned i = 0; i < found->boxes_count; i++)
		if (!strcmp(found->boxes[i].path, path))
			return true;
	return false;
}

static void add_box(struct mail_found *found, const struct mailbox *box)
{
	found->boxes = xreallocarray(found->boxes, found->boxes_count + 1, sizeof(*box));
	found->boxes[found->boxes_count++] = *box;
}

/* Is the id of a mail of @box, or does one of them answer it? */
static bool box_knows(const struct mailbox *box, const char *id)
{
	if (mailbox_find(box, id))
		return true;
	for (unsigned i = 0; i < box->count; i++) {
		const struct mail *m = &box->mails[i];

		if ((m->in_reply_to && !strcmp(m->in_reply_to, id)) ||
		    strlist_has(&m->references, id))
			return true;
	}
	return false;
}

/* What is no mail file is passed over: a folder may hold anything. */
static void look_into(struct mail_found *found, const char *path, const char *id)
{
	struct strbuf data = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	struct mailbox box;

	if (have_box(found, path))
		return;
	if (!file_read(path, MAIL_MAX_BYTES, &data, &ignored) &&
	    memmem(data.buf, data.len, id, strlen(id)) &&
	    !mailbox_parse(&box, path, data.buf, data.len, &ignored)) {
		if (box_knows(&box, id))
			add_box(found, &box);
		else
			mailbox_release(&box);
	}
	strbuf_release(&data);
}

static int walk(struct mail_found *found, const char *folder, const char *id, unsigned depth)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);

	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		char *path = path_join(folder, entries[i]->d_name);
		struct stat st;

		/* Links to folders may lead round in circles, those to files may not. */
		if (*entries[i]->d_name != '.' && !lstat(path, &st)) {
			if (S_ISDIR(st.st_mode) && depth < MAX_FOLDER_DEPTH)
				walk(found, path, id, depth + 1);
			else if (!S_ISDIR(st.st_mode) && !stat(path, &st) && S_ISREG(st.st_mode))
				look_into(found, path, id);
		}
		free(path);
		free(entries[i]);
	}
	free(entries);
	return 0;
}

int lookup_folders(struct mail_found *found, const char *folders, const char *id, struct error *err)
{
	char *copy = xstrdup(folders), *save = NULL;
	int ret = 0;

	for (char *f = strtok_r(copy, ":", &save); f && !ret; f = strtok_r(NULL, ":", &save))
		if (walk(found, f, id, 0))
			ret = error_sys(err, errno, "cannot look for mails in '%s'", f);
	if (ret)
		err->kind = ERROR_USAGE;
	free(copy);
	return ret;
}

/* The one file that b4 has written into @folder becomes @path. */
static int keep_fetched(const char *folder, const char *path, struct error *err)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	int ret = -1;

	for (int i = 0; i < n; i++) {
		char *from = path_join(folder, entries[i]->d_name);
		struct stat st;

		if (ret && !lstat(from, &st) && S_ISREG(st.st_mode) && !rename(from, path))
			ret = 0;
		free(from);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ret ? error_set(err, ERROR_FAILED, "b4 has fetched nothing") : 0;
}

static int run_b4(const char *folder, const char *path, const char *id, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	char *work = xasprintf("%s/b4-XXXXXX", folder);
	struct error ignored = ERROR_INIT;
	int ret;

	if (!mkdtemp(work)) {
		ret = error_sys(err, errno, "cannot make a folder in '%s'", folder);
	} else {
		const char *argv[] = {"b4", "mbox", "-o", work, id, NULL};

		ret = subprocess_output(argv, FETCH_TIMEOUT_MS, &out, err);
		if (!ret)
			ret = keep_fetched(work, path, err);
		remove_tree(work, &ignored);
	}
	strbuf_release(&out);
	free(work);
	return ret;
}

static int fetch(const char *folder, const char *path, const char *id, bool offline,
		 struct error *err)
{
	char *b4;
	int ret;

	if (offline)
		return error_set(err, ERROR_FAILED, "it is not to be fetched");
	b4 = path_search("b4");
	if (!b4)
		return error_set(err, ERROR_FAILED, "b4, which fetches mails, is not installed");
	ret = run_b4(folder, path, id, err);
	free(b4);
	return ret;
}

int lookup_fetch(struct mail_found *found, const char *id, bool offline, struct error *err)
{
	char hex[SHA256_HEX_SIZE];
	char *cache = cache_directory(err), *folder, *path;
	struct mailbox box;
	int ret;

	if (!cache)
		return -1;
	data_sha256(id, strlen(id), hex);
	folder = path_join(cache, "mails");
	path = xasprintf("%s/%s.mbx", folder, hex);
	ret = make_directories(folder, err);
	if (!ret && !path_exists(path))
		ret = fetch(folder, path, id, offline, err);
	if (!ret)
		ret = mailbox_read(&box, path, err);
	if (!ret)
		add_box(found, &box);
	free(path);
	free(folder);
	free(cache);
	return ret;
}
