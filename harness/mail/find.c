// SPDX-License-Identifier: GPL-2.0-or-later
/* From a reference to the patches that it names. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mail/lookup.h"
#include "util/file.h"
#include "util/xalloc.h"

struct reference {
	char *name; /* without the number */
	unsigned from, to; /* 0: none given */
};

/* "NAME#2" or "NAME#1-3". Another "#" belongs to the name. */
static void parse_reference(struct reference *ref, const char *text)
{
	const char *hash = strrchr(text, '#');
	unsigned from = 0, to = 0;
	int end = 0;

	if (hash && isdigit((unsigned char)hash[1]) && strlen(hash) < 12 && !path_exists(text)) {
		if (sscanf(hash + 1, "%4u%n", &from, &end) == 1 && !hash[1 + end])
			to = from;
		else if (sscanf(hash + 1, "%4u-%4u%n", &from, &to, &end) != 2 || hash[1 + end])
			from = 0;
	}
	ref->name = from ? xstrndup(text, (size_t)(hash - text)) : xstrdup(text);
	ref->from = from;
	ref->to = to;
}

/* A diff that can be chosen. */
struct candidate {
	const struct mailbox *box;
	const struct mail *mail;
	const struct mail_patch *patch;
};

struct candidates {
	struct candidate *items;
	unsigned count, cap;
};

static void add_candidates(struct candidates *c, const struct mailbox *box, bool quoted)
{
	for (unsigned i = 0; i < box->count; i++)
		for (unsigned k = 0; k < box->mails[i].patches_count; k++) {
			const struct mail *m = &box->mails[i];

			if (!m->patches[k].quoted == quoted)
				continue;
			xgrow(c->items, c->count, c->cap);
			c->items[c->count++] = (struct candidate){box, m, &m->patches[k]};
		}
}

/* The files' own diffs in their order, then the quoted ones. */
static void list_candidates(struct candidates *c, const struct mail_found *found)
{
	for (int quoted = 0; quoted < 2; quoted++)
		for (unsigned i = 0; i < found->boxes_count; i++)
			add_candidates(c, &found->boxes[i], quoted);
}

static const char *thread_of(const struct mail *m)
{
	if (m->references.count)
		return m->references.items[0];
	return m->in_reply_to ? m->in_reply_to : m->message_id;
}

/* Are two mails of one series? Within one file everything is of one thread. */
static bool related(const struct mail *a, const struct mail *b)
{
	const char *one = thread_of(a), *two = thread_of(b);

	if (a->version != b->version)
		return false;
	if (a->in_reply_to && b->in_reply_to && !strcmp(a->in_reply_to, b->in_reply_to))
		return true;
	return one && two && !strcmp(one, two);
}

/* Patch @number of the series of @focus (NULL: of the newest series there is). */
static const struct candidate *numbered(const struct candidates *c, const struct mail *focus,
					unsigned number)
{
	const struct candidate *best = NULL;

	for (unsigned i = 0; i < c->count; i++) {
		const struct mail *m = c->items[i].mail;

		if (!m->total || m->number != number || m->reply || c->items[i].patch->quoted)
			continue;
		if (focus && (m->total != focus->total || !related(m, focus)))
			continue;
		if (!best || m->version > best->mail->version)
			best = &c->items[i];
	}
	return best;
}

static bool is_series(const struct candidates *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->items[i].mail->total && !c->items[i].mail->reply &&
		    !c->items[i].patch->quoted)
			return true;
	return false;
}

static void choose(struct mail_found *found, const struct candidate *c)
{
	found->patches = xreallocarray(found->patches, found->count + 1, sizeof(*found->patches));
	found->patches[found->count++] = (struct mail_found_patch){c->mail, c->patch};
}

/* What there is to choose from, as far as a line takes it. */
static void describe_choice(struct strbuf *out, const struct candidates *c)
{
	bool series = is_series(c);

	for (unsigned i = 0; i < c->count; i++) {
		const struct mail *m = c->items[i].mail;
		bool by_number = series && m->total && !m->reply && !c->items[i].patch->quoted;
		char *title = xstrndup(m->title, 50);

		if (out->len > 700) {
			strbuf_addstr(out, ", ...");
			free(title);
			return;
		}
		strbuf_addf(out, "%s#%u: line %u %s'%s'", i ? ", " : "",
			    by_number ? m->number : i + 1, c->items[i].patch->line,
			    c->items[i].patch->quoted ? "(quoted) " : "", title);
		free(title);
	}
}

static int choose_numbers(struct mail_found *found, const struct candidates *c,
			  const struct mail *focus, const struct reference *ref, struct error *err)
{
	bool series = focus ? focus->total > 0 : is_series(c);

	if (ref->to < ref->from)
		return error_set(err, ERROR_USAGE, "'#%u-%u' counts backwards", ref->from, ref->to);
	for (unsigned n = ref->from; n <= ref->to; n++) {
		const struct candidate *one = series ? numbered(c, focus, n) : NULL;

		if (!one && !series && n <= c->count)
			one = &c->items[n - 1];
		if (!one)
			return error_set(err, ERROR_USAGE,
					 series ? "'%s' has no patch numbered %u"
						: "'%s' has no patch number %u",
					 ref->name, n);
		choose(found, one);
	}
	return 0;
}

/* How sure it is that a diff is what the file is about: a patch, an own diff, a quoted one. */
static int rank(const struct candidate *c)
{
	if (c->patch->quoted)
		return 1;
	return c->mail->patch && !c->mail->reply ? 3 : 2;
}

static int choose_only(struct mail_found *found, const struct candidates *c,
		       const struct mail *focus, const struct reference *ref, struct error *err)
{
	const struct candidate *best = NULL;
	struct strbuf choice = STRBUF_INIT;
	unsigned same = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct candidate *one = &c->items[i];

		if (focus && one->mail != focus)
			continue;
		if (!best || rank(one) > rank(best))
			best = one, same = 1;
		else if (rank(one) == rank(best))
			same++;
	}
	if (same == 1) {
		choose(found, best);
		return 0;
	}
	if (!best)
		return error_set(
			err, ERROR_USAGE, "'%s' holds no diff%s", ref->name,
			focus && focus->total && !focus->number
				? ": it introduces a series (choose a patch of it with #1, or #1-2)"
				: "");
	describe_choice(&choice, c);
	error_set(err, ERROR_USAGE, "'%s' holds several diffs (choose one: %s)", ref->name,
		  choice.buf);
	strbuf_release(&choice);
	return -1;
}

static bool is_chosen(const struct mail_found *found, const struct mail *m)
{
	for (unsigned i = 0; i < found->count; i++)
		if (found->patches[i].mail == m)
			return true;
	return false;
}

static void find_missing(struct mail_found *found, const struct candidates *c)
{
	const struct mail *first = found->patches[0].mail;

	if (!first->total || first->reply || found->patches[0].patch->quoted)
		return;
	for (unsigned n = 1; n < first->number; n++) {
		const struct candidate *one = NULL;

		/* In a file of one series what has no header is of that series as well. */
		one = numbered(c, first, n);
		if (!one && !first->message_id)
			one = numbered(c, NULL, n);
		if (one && !is_chosen(found, one->mail)) {
			found->left_out++;
		} else if (!one) {
			found->missing = xreallocarray(found->missing, found->missing_count + 1,
						       sizeof(*found->missing));
			found->missing[found->missing_count++] = n;
		}
	}
}

static const char *path_of(const struct mail_found *found, const struct mail *m)
{
	for (unsigned i = 0; i < found->boxes_count; i++)
		if (m >= found->boxes[i].mails && m < found->boxes[i].mails + found->boxes[i].count)
			return found->boxes[i].path;
	return "";
}

static int check_whole(const struct mail_found *found, const struct reference *ref,
		       struct error *err)
{
	for (unsigned i = 0; i < found->count; i++) {
		const struct mail_patch *p = found->patches[i].patch;
		const char *path = path_of(found, found->patches[i].mail);

		if (p->problem)
			return error_set(
				err, ERROR_FAILED, "'%s' holds no whole diff: %s%s", path,
				p->problem,
				p->quoted ? " (a reply quotes it; take the mail that it answers)"
					  : "");
		if (p->quoted && !ref->from)
			return error_set(
				err, ERROR_FAILED,
				"the only diff of '%s' is one that a reply quotes from line %u on, "
				"and may "
				"have cut (take the mail that it answers, or #1 if it is whole)",
				path, p->line);
	}
	return 0;
}

static int select_patches(struct mail_found *found, const struct mail *focus,
			  const struct reference *ref, bool partial, struct error *err)
{
	struct candidates c = {0};
	int ret;

	list_candidates(&c, found);
	if (ref->from)
		ret = choose_numbers(found, &c, focus, ref, err);
	else
		ret = choose_only(found, &c, focus, ref, err);
	if (!ret)
		find_missing(found, &c);
	if (!ret && !partial)
		ret = check_whole(found, ref, err);
	free(c.items);
	return ret;
}

static const struct mail *find_mail(const struct mail_found *found, const char *id)
{
	for (unsigned i = 0; i < found->boxes_count; i++) {
		const struct mail *m = mailbox_find(&found->boxes[i], id);

		if (m)
			return m;
	}
	return NULL;
}

/* The mail with that id, and the files in which others of its series may be. */
static int find_by_id(struct mail_found *found, const char *id, const struct mail_search *search,
		      const struct mail **focus, struct error *err)
{
	const char *folders = search->folders ? search->folders : getenv("SCHEDBENCH_MAILS");
	struct error why = ERROR_INIT;

	if (folders && *folders && lookup_folders(found, folders, id, err))
		return -1;
	*focus = find_mail(found, id);
	if (*focus && folders && thread_of(*focus) && strcmp(thread_of(*focus), id))
		return lookup_folders(found, folders, thread_of(*focus), err);
	if (*focus)
		return 0;
	if (lookup_fetch(found, id, search->offline, &why))
		return error_set(
			err, ERROR_FAILED,
			"no mail '%s' %s%s%s, and %s (give a folder that has it with "
			"--mails or SCHEDBENCH_MAILS)",
			id, folders && *folders ? "in '" : "at hand: no folder of mails is given",
			folders ? folders : "", folders && *folders ? "'" : "", why.msg);
	*focus = find_mail(found, id);
	if (!*focus)
		return error_set(err, ERROR_FAILED, "lore has a thread of '%s', but not that mail",
				 id);
	return 0;
}

static int find_in_file(struct mail_found *found, const char *path, struct error *err)
{
	struct mailbox box;

	if (mailbox_read(&box, path, err))
		return -1;
	found->boxes = xcalloc(1, sizeof(*found->boxes));
	found->boxes[0] = box;
	found->boxes_count = 1;
	return 0;
}

static bool is_file_name(const char *name)
{
	struct stat st;

	return !strcmp(name, "-") || (!stat(name, &st) && !S_ISDIR(st.st_mode));
}

int mail_patch_find(struct mail_found *out, const char *reference, const struct mail_search *search,
		    struct error *err)
{
	const struct mail *focus = NULL;
	struct reference ref;
	char *id = NULL;
	int ret;

	*out = (struct mail_found){0};
	parse_reference(&ref, reference);
	if (is_file_name(ref.name))
		ret = find_in_file(out, ref.name, err);
	else if ((id = message_id_from(ref.name)))
		ret = find_by_id(out, id, search, &focus, err);
	else if (path_exists(ref.name))
		ret = error_set(err, ERROR_USAGE,
				"'%s' is a folder (name a mail in it, or give it with --mails)",
				ref.name);
	else
		ret = error_set(err, ERROR_USAGE, "'%s' is neither a file nor a Message-Id",
				ref.name);
	if (!ret)
		ret = select_patches(out, focus, &ref, search->partial, err);
	free(ref.name);
	free(id);
	if (ret)
		mail_found_release(out);
	return ret;
}

void mail_found_release(struct mail_found *found)
{
	for (unsigned i = 0; i < found->boxes_count; i++)
		mailbox_release(&found->boxes[i]);
	free(found->boxes);
	free(found->patches);
	free(found->missing);
	*found = (struct mail_found){0};
}

char *mail_found_missing(const struct mail_found *found)
{
	const struct mail *first = found->count ? found->patches[0].mail : NULL;
	struct strbuf out = STRBUF_INIT;

	if (!first || (!found->missing_count && !found->left_out))
		return xstrdup("");
	strbuf_addf(&out, "patch %u/%u of a series: ", first->number, first->total);
	for (unsigned i = 0; i < found->missing_count; i++)
		strbuf_addf(&out, "%s%u/%u",
			    !i				    ? ""
			    : i + 1 == found->missing_count ? " and "
							    : ", ",
			    found->missing[i], first->total);
	if (found->missing_count)
		strbuf_addf(&out, " %s before it and %s not here",
			    found->missing_count > 1 ? "come" : "comes",
			    found->missing_count > 1 ? "are" : "is");
	if (found->left_out)
		strbuf_addf(&out, "%s%u that %s before it %s here (#1-%u takes them along)",
			    found->missing_count ? ", " : "", found->left_out,
			    found->left_out > 1 ? "come" : "comes",
			    found->left_out > 1 ? "are" : "is", first->number);
	return strbuf_detach(&out);
}
