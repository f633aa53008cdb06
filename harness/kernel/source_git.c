// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/cache.h"
#include "kernel/source.h"
#include "util/file.h"
#include "util/xalloc.h"

static bool is_commit_id(const char *text)
{
	return strlen(text) == 40 && strspn(text, "0123456789abcdef") == 40;
}

/* Commits of one clone are near each other; tags and branches may be far from each other. */
static bool looks_like_commit(const char *text)
{
	return strlen(text) >= 7 && strspn(text, "0123456789abcdef") == strlen(text);
}

char *source_git_record(const struct kernel *k)
{
	if (!kernel_source_is_address(k->git) || is_commit_id(k->ref))
		return NULL;
	return xasprintf("git %s %s", k->git, k->ref);
}

/* The commit that @ref stands for in the clone of the user. */
static char *commit_in_clone(const char *clone, const char *ref, struct error *err)
{
	char *which = xasprintf("%s^{commit}", ref);
	const char *const args[] = {"rev-parse", "--verify", "--end-of-options", which, NULL};
	const char *const is_repository[] = {"rev-parse", "--git-dir", NULL};
	struct strbuf out = STRBUF_INIT;
	char *commit = NULL;

	if (!git_user(clone, args, &out, err)) {
		commit = xstrndup(out.buf, strcspn(out.buf, "\n"));
	} else if (!git_user(clone, is_repository, &out, err)) {
		*err = (struct error)ERROR_INIT;
		error_set(err, ERROR_USAGE, "no '%s' in '%s' (git fetch there brings new ones)",
			  ref, clone);
	} else {
		err->kind = ERROR_USAGE;
	}
	strbuf_release(&out);
	free(which);
	return commit;
}

/* Of a tag the line with ^{} names the commit, and comes last. */
static char *commit_at_address(const char *address, const char *ref, struct error *err)
{
	char *peeled = xasprintf("%s^{}", ref);
	const char *const args[] = {"ls-remote", "--", address, ref, peeled, NULL};
	struct strbuf out = STRBUF_INIT;
	char *commit = NULL;
	const char *line;

	if (git_user(NULL, args, &out, err)) {
		error_prefix(err, "cannot ask '%s': ", address);
	} else {
		while (out.len && out.buf[out.len - 1] == '\n')
			out.buf[--out.len] = '\0';
		line = strrchr(out.buf, '\n');
		line = line ? line + 1 : out.buf;
		commit = xstrndup(line, strcspn(line, "\t"));
		if (!is_commit_id(commit)) {
			free(commit);
			commit = NULL;
			error_set(err, ERROR_USAGE, "no '%s' at '%s'", ref, address);
		}
	}
	strbuf_release(&out);
	free(peeled);
	return commit;
}

static char *recorded_commit(const struct kernel *k, bool offline, bool *known, struct error *err)
{
	char *record = source_git_record(k), *commit;

	if (!record)
		return xstrdup(k->ref);
	commit = resolved_get(record);
	*known = commit != NULL;
	if (!commit && !offline) {
		commit = commit_at_address(k->git, k->ref, err);
		if (commit && resolved_set(record, commit, err)) {
			free(commit);
			commit = NULL;
		}
		*known = commit != NULL;
	}
	free(record);
	return commit;
}

char *source_commit(const struct kernel *k, const char *commit, struct error *err)
{
	if (!kernel_source_is_address(k->git))
		return commit_in_clone(k->git, commit, err);
	if (is_commit_id(commit))
		return xstrdup(commit);
	error_set(err, ERROR_USAGE,
		  "'%s' is not a whole commit id (the source is an address, which cannot complete "
		  "it)",
		  commit);
	return NULL;
}

int source_git_resolve(struct source *s, const struct kernel *k, bool offline, bool *known,
		       struct error *err)
{
	char *place;

	*known = true;
	if (kernel_source_is_address(k->git))
		s->commit = recorded_commit(k, offline, known, err);
	else
		s->commit = commit_in_clone(k->git, k->ref, err);
	if (!s->commit)
		return offline && !*known ? 0 : -1;
	s->identity = xasprintf("git %s", s->commit);
	place = xasprintf("git %s %s", k->git, looks_like_commit(k->ref) ? "commits" : k->ref);
	s->key = short_hash(place, 16);
	free(place);
	return 0;
}

/* The objects of the user's clone are read where they are; nothing is written there. */
static int borrow_objects(struct source *s, const char *clone, struct error *err)
{
	const char *const args[] = {"rev-parse", "--path-format=absolute", "--git-path", "objects",
				    NULL};
	char *path = path_join(s->repo.dir, "objects/info/alternates");
	char *info = path_dirname(path);
	struct strbuf out = STRBUF_INIT;
	int ret = git_user(clone, args, &out, err);

	if (!ret)
		ret = make_directories(info, err);
	if (!ret)
		ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	free(info);
	free(path);
	return ret;
}

static bool has_commit(const struct source *s, const char *commit)
{
	char *which = xasprintf("%s^{tree}", commit);
	const char *const args[] = {"cat-file", "-e", which, NULL};
	struct error ignored = ERROR_INIT;
	bool has = !git_run(&s->repo, args, NULL, NULL, &ignored);

	free(which);
	return has;
}

static int fetch(const struct source *s, const char *address, const char *what, const char *depth,
		 struct error *err)
{
	/* Nothing refers to what is fetched, so that it must not be tidied up. */
	const char *const args[] = {"-c",    "gc.auto=0", "-c",	       "maintenance.auto=false",
				    "fetch", "-q",	  "--no-tags", depth,
				    "--",    address,	  what,	       NULL};

	return git_user(s->repo.dir, args, NULL, err);
}

/* Servers need not give a commit by its id; then it has to be what the name stands for still. */
static int fetch_source(const struct source *s, const struct kernel *k, struct error *err)
{
	struct error first = ERROR_INIT;

	if (has_commit(s, s->commit))
		return 0;
	fprintf(stderr, "schedbench: fetching %s of %s\n", k->ref, k->git);
	if (fetch(s, k->git, s->commit, "--depth=1", &first) &&
	    fetch(s, k->git, k->ref, "--depth=1", err))
		return error_prefix(err, "cannot fetch '%s' of '%s': ", k->ref, k->git);
	*err = (struct error)ERROR_INIT;
	if (!has_commit(s, s->commit))
		return error_set(err, ERROR_FAILED,
				 "'%s' at '%s' is not %.12s any more (schedbench kernel refresh "
				 "takes what it is now)",
				 k->ref, k->git, s->commit);
	return 0;
}

/* A commit is undone by the difference to its parent, so that both are needed. */
static int fetch_reverts(const struct source *s, const struct kernel *k, struct error *err)
{
	for (unsigned i = 0; i < k->revert_count; i++) {
		char *parent = xasprintf("%s^", k->revert[i]);
		int ret = has_commit(s, parent) ? 0
						: fetch(s, k->git, k->revert[i], "--depth=2", err);

		free(parent);
		if (ret)
			return error_prefix(err, "cannot fetch '%s' of '%s': ", k->revert[i],
					    k->git);
	}
	return 0;
}

int source_git_make(struct source *s, const struct kernel *k, struct error *err)
{
	char *which = xasprintf("%s^{tree}", s->commit);
	const char *const args[] = {"rev-parse", "--verify", which, NULL};
	int ret = git_init(&s->repo, err);

	if (!ret && kernel_source_is_address(k->git))
		ret = fetch_source(s, k, err) || fetch_reverts(s, k, err) ? -1 : 0;
	else if (!ret)
		ret = borrow_objects(s, k->git, err);
	if (!ret)
		s->tree = git_line(&s->repo, args, err);
	free(which);
	return s->tree ? 0 : -1;
}
