// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/diff.h"
#include "kernel/patch.h"
#include "mail/mail.h"
#include "util/file.h"
#include "util/xalloc.h"

#define MAIL	  "mail:"
#define PATCH_MAX (64 << 20)

static int add_patch(struct patch_list *list, const char *name, const char *text, size_t len,
		     char *note, struct error *err)
{
	xgrow(list->items, list->count, list->cap);
	list->items[list->count++] = (struct patch){
		.name = xstrdup(name), .text = xstrndup(text, len), .len = len, .note = note};
	return diff_check(name, text, len, err);
}

static int load_file(struct patch_list *list, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	struct strbuf text = STRBUF_INIT;
	int ret = file_read(path, PATCH_MAX, &text, err);

	if (ret)
		err->kind = ERROR_USAGE;
	else if (memchr(text.buf, '\0', text.len))
		ret = error_set(err, ERROR_USAGE, "patch '%s' is not a text", path);
	else
		ret = add_patch(list, slash ? slash + 1 : path, text.buf, text.len, xstrdup(""),
				err);
	strbuf_release(&text);
	return ret;
}

/*
 * A file of one of the folders where mails are looked up, "#2" behind it kept; NULL: none of that
 * name. The caller frees it.
 */
static char *mail_in_folders(const char *reference)
{
	const char *env = getenv("SCHEDBENCH_MAILS");
	size_t len = strcspn(reference, "#");
	char *folders, *rest, *folder, *found = NULL;

	if (!env || strchr(reference, '/'))
		return NULL;
	folders = rest = xstrdup(env);
	while (!found && (folder = strsep(&rest, ":"))) {
		char *path = xasprintf("%s/%.*s", folder, (int)len, reference);

		if (*folder && path_exists(path))
			found = xasprintf("%s%s", path, reference + len);
		free(path);
	}
	free(folders);
	return found;
}

static int load_mail(struct patch_list *list, const char *reference, bool offline,
		     struct error *err)
{
	const struct mail_search search = {.offline = offline};
	char *file = mail_in_folders(reference);
	struct mail_found found;
	int ret = mail_patch_find(&found, file ? file : reference, &search, err);

	free(file);
	if (ret)
		return -1;
	for (unsigned i = 0; i < found.count && !ret; i++) {
		const struct mail_patch *p = found.patches[i].patch;
		const char *title = found.patches[i].mail->title;

		ret = add_patch(list, *title ? title : reference, p->diff, p->len,
				i ? xstrdup("") : mail_found_missing(&found), err);
	}
	mail_found_release(&found);
	return ret;
}

int patches_load(struct patch_list *out, const struct kernel *k, bool offline, struct error *err)
{
	int ret = 0;

	*out = (struct patch_list){0};
	for (unsigned i = 0; i < k->patches_count && !ret; i++) {
		const char *p = k->patches[i];

		if (!strncmp(p, MAIL, strlen(MAIL)))
			ret = load_mail(out, p + strlen(MAIL), offline, err);
		else
			ret = load_file(out, p, err);
	}
	if (ret)
		patches_release(out);
	return ret;
}

void patches_release(struct patch_list *list)
{
	for (unsigned i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].text);
		free(list->items[i].note);
	}
	free(list->items);
	*list = (struct patch_list){0};
}

/* Patches are applied to an index of their own; the files follow when all of them fit. */
struct work {
	const struct source *s;
	char *index;
	char *file; /* the patch being applied */
	char *tree; /* with what has been applied */
	struct strbuf *log;
};

static int read_tree(const struct work *w, struct error *err)
{
	const char *const args[] = {"read-tree", w->tree, NULL};

	return git_run_index(&w->s->repo, w->index, args, NULL, NULL, err);
}

static int keep_tree(struct work *w, bool *changed, struct error *err)
{
	const char *const args[] = {"write-tree", NULL};
	struct strbuf out = STRBUF_INIT;
	int ret = git_run_index(&w->s->repo, w->index, args, &out, NULL, err);

	if (!ret) {
		*changed = strncmp(w->tree, out.buf, strlen(w->tree)) != 0;
		free(w->tree);
		w->tree = xstrndup(out.buf, strcspn(out.buf, "\n"));
	}
	strbuf_release(&out);
	return ret;
}

/* One way of applying; what failed halfway is undone. */
static int try_apply(const struct work *w, const char *how, struct strbuf *said, struct error *err)
{
	const char *const args[] = {"apply", "--cached", "--whitespace=nowarn", how, "--",
				    w->file, NULL};
	struct error ignored = ERROR_INIT;

	if (!git_run_index(&w->s->repo, w->index, args, NULL, said, err))
		return 0;
	return read_tree(w, &ignored) ? -1 : 1;
}

/* "error: patch failed: FILE:LINE" of what git said; the caller frees the file. */
static char *failed_hunk(const char *said, unsigned *line)
{
	static const char mark[] = "error: patch failed: ";
	const char *p = strstr(said, mark);
	char *file, *colon;

	if (!p)
		return NULL;
	p += strlen(mark);
	file = xstrndup(p, strcspn(p, "\n"));
	colon = strrchr(file, ':');
	if (!colon) {
		free(file);
		return NULL;
	}
	*colon = '\0';
	*line = strtoul(colon + 1, NULL, 10);
	return file;
}

static char *content_of(const struct work *w, const char *path)
{
	char *which = xasprintf("%s:%s", w->tree, path);
	const char *const args[] = {"cat-file", "blob", which, NULL};
	struct error ignored = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	int ret = git_run(&w->s->repo, args, &out, NULL, &ignored);

	free(which);
	if (ret) {
		strbuf_release(&out);
		return NULL;
	}
	return strbuf_detach(&out);
}

/* A merge of what is there already succeeds, and the kernel would be that without the patch. */
static int has_it_already(const struct patch *p, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "patch '%s' changes nothing: the source has it already (leave it out)",
			 p->name);
}

static int is_applied_already(const struct work *w)
{
	const char *const args[] = {"apply", "--cached", "--check", "-R", "--", w->file, NULL};
	struct error ignored = ERROR_INIT;

	return !git_run_index(&w->s->repo, w->index, args, NULL, NULL, &ignored);
}

static int explain_failure(const struct work *w, const struct patch *p, const char *said,
			   struct error *err)
{
	struct strbuf why = STRBUF_INIT;
	struct error git = *err;
	unsigned line = 0;
	char *file = failed_hunk(said, &line), *content = file ? content_of(w, file) : NULL;

	if (content && !diff_explain(p->text, p->len, file, line, content, &why))
		error_set(err, ERROR_USAGE,
			  "patch '%s' does not apply: %s: its hunk at line %u %s%s%s", p->name,
			  file, line, why.buf, *p->note ? "; " : "", p->note);
	else
		error_set(err, ERROR_USAGE, "patch '%s' does not apply: %s%s%s", p->name, git.msg,
			  *p->note ? "; " : "", p->note);
	if (is_applied_already(w))
		has_it_already(p, err);
	strbuf_release(&why);
	free(content);
	free(file);
	return -1;
}

/*
 * A merge where git knows the file that the patch was made for, else by the hunks' lines; at last
 * with two of three lines around a change, as patch(1) would with a fuzz of one.
 */
static int apply_one(struct work *w, const struct patch *p, struct error *err)
{
	struct strbuf merge = STRBUF_INIT, plain = STRBUF_INIT, fuzzy = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	bool changed = false;
	int ret;

	*err = (struct error)ERROR_INIT;
	if (file_write(w->file, p->text, p->len, err))
		return -1;
	ret = try_apply(w, "--3way", &merge, &ignored);
	if (ret > 0)
		ret = try_apply(w, "-v", &plain, err);
	if (ret > 0) {
		ret = try_apply(w, "-C2", &fuzzy, &ignored);
		if (!ret)
			fprintf(stderr,
				"schedbench: patch '%s' applies with two lines of context only\n",
				p->name);
	}
	strbuf_addf(w->log, "patch %s: %s\n", p->name, ret ? "does not apply" : "applied");
	if (ret) {
		strbuf_addf(w->log, "%s%s", merge.buf, plain.buf);
		ret = explain_failure(w, p, plain.buf, err);
	} else {
		*err = (struct error)ERROR_INIT;
		ret = keep_tree(w, &changed, err);
		if (!ret && !changed)
			ret = has_it_already(p, err);
	}
	strbuf_release(&merge);
	strbuf_release(&plain);
	strbuf_release(&fuzzy);
	return ret;
}

static int revert_one(struct work *w, const char *commit, struct error *err)
{
	char *parent = xasprintf("%s^", commit), *second = xasprintf("%s^2", commit);
	const char *const is_merge[] = {"rev-parse", "--verify", "-q", second, NULL};
	const char *const diff[] = {"diff",	     "--binary",     "--full-index",
				    "--no-ext-diff", "--no-renames", commit,
				    parent,	     "--",	     NULL};
	struct strbuf out = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	struct patch p = {.note = (char *)""};
	int ret;

	p.name = xasprintf("revert of %.12s", commit);
	if (!git_run(&w->s->repo, is_merge, NULL, NULL, &ignored))
		ret = error_set(err, ERROR_USAGE, "'%.12s' is a merge, which cannot be undone",
				commit);
	else
		ret = git_run(&w->s->repo, diff, &out, NULL, err);
	if (!ret) {
		p.text = out.buf;
		p.len = out.len;
		ret = apply_one(w, &p, err);
	}
	strbuf_release(&out);
	free(p.name);
	free(parent);
	free(second);
	return ret;
}

int patches_apply(const struct source *s, const struct strlist *reverts,
		  const struct patch_list *patches, char **tree, struct strbuf *log,
		  struct error *err)
{
	struct work w = {.s = s, .log = log};
	struct error ignored = ERROR_INIT;
	int ret;

	w.index = path_join(s->folder, "index.patched");
	w.file = path_join(s->folder, "patch");
	w.tree = xstrdup(s->tree);
	remove_tree(w.index, &ignored);
	ret = reverts->count || patches->count ? read_tree(&w, err) : 0;
	for (size_t i = 0; i < reverts->count && !ret; i++)
		ret = revert_one(&w, reverts->items[i], err);
	for (unsigned i = 0; i < patches->count && !ret; i++)
		ret = apply_one(&w, &patches->items[i], err);
	remove_tree(w.index, &ignored);
	remove_tree(w.file, &ignored);
	free(w.index);
	free(w.file);
	if (ret)
		free(w.tree);
	else
		*tree = w.tree;
	return ret;
}
