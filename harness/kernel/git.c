// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "kernel/git.h"
#include "util/file.h"
#include "util/strlist.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define PROTOCOLS "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"

/* What would lead git elsewhere when schedbench is called by a hook or from another tool. */
static const char *const stray_variables[] = {"GIT_DIR",
					      "GIT_WORK_TREE",
					      "GIT_INDEX_FILE",
					      "GIT_OBJECT_DIRECTORY",
					      "GIT_ALTERNATE_OBJECT_DIRECTORIES",
					      "GIT_COMMON_DIR",
					      "GIT_NAMESPACE",
					      "GIT_PREFIX",
					      "GIT_EXTERNAL_DIFF",
					      "GIT_CONFIG",
					      "GIT_CONFIG_COUNT",
					      "GIT_CONFIG_PARAMETERS",
					      NULL};

/* The cause is the first complaint; what follows sums up. */
static void quote_cause(const struct strbuf *said, int status, struct error *err)
{
	static const char *const marks[] = {"fatal: ", "error: ", NULL};
	struct strbuf how = STRBUF_INIT;
	const char *line = said->buf;

	while (*line) {
		size_t len = strcspn(line, "\n");

		for (const char *const *m = marks; *m; m++)
			if (!strncmp(line, *m, strlen(*m))) {
				error_set(err, ERROR_FAILED, "%.*s", (int)(len - strlen(*m)),
					  line + strlen(*m));
				return;
			}
		line += len + (line[len] == '\n');
	}
	subprocess_describe(status, &how);
	error_set(err, ERROR_FAILED, "'git' ended with %s: %.*s", how.buf,
		  (int)strcspn(said->buf, "\n"), said->buf);
	strbuf_release(&how);
}

static int run(struct strlist *argv, const char *const *args, struct strbuf *out,
	       struct strbuf *errout, struct error *err)
{
	struct strbuf own = STRBUF_INIT, *said = errout ? errout : &own;
	int status = 0, ret;

	for (; *args; args++)
		strlist_add(argv, *args);
	ret = subprocess_capture(strlist_argv(argv), GIT_TIMEOUT, out, said, &status, err);
	if (!ret && status == 127 << 8)
		ret = error_set(err, ERROR_FAILED, "no 'git' on this machine (package git)");
	else if (!ret && status) {
		quote_cause(said, status, err);
		ret = -1;
	}
	strbuf_release(&own);
	strlist_release(argv);
	return ret;
}

static void add_environment(struct strlist *argv)
{
	strlist_add(argv, "env");
	for (const char *const *v = stray_variables; *v; v++) {
		strlist_add(argv, "-u");
		strlist_add(argv, *v);
	}
}

int git_run_index(const struct git_repo *repo, const char *index, const char *const *args,
		  struct strbuf *out, struct strbuf *errout, struct error *err)
{
	struct strlist argv = STRLIST_INIT;

	add_environment(&argv);
	if (path_exists(repo->work)) {
		strlist_add(&argv, "-C");
		strlist_add(&argv, repo->work);
	}
	strlist_addf(&argv, "GIT_DIR=%s", repo->dir);
	strlist_addf(&argv, "GIT_WORK_TREE=%s", repo->work);
	strlist_addf(&argv, "GIT_INDEX_FILE=%s", index);
	strlist_add(&argv, "GIT_CONFIG_GLOBAL=/dev/null");
	strlist_add(&argv, "GIT_CONFIG_SYSTEM=/dev/null");
	strlist_add(&argv, "GIT_CONFIG_NOSYSTEM=1");
	strlist_add(&argv, "GIT_ATTR_NOSYSTEM=1");
	strlist_add(&argv, "GIT_TERMINAL_PROMPT=0");
	strlist_add(&argv, PROTOCOLS);
	strlist_add(&argv, "LC_ALL=C");
	strlist_add(&argv, "git");
	return run(&argv, args, out, errout, err);
}

int git_run(const struct git_repo *repo, const char *const *args, struct strbuf *out,
	    struct strbuf *errout, struct error *err)
{
	return git_run_index(repo, repo->index, args, out, errout, err);
}

int git_user(const char *folder, const char *const *args, struct strbuf *out, struct error *err)
{
	struct strlist argv = STRLIST_INIT;

	add_environment(&argv);
	strlist_add(&argv, "GIT_TERMINAL_PROMPT=0");
	strlist_add(&argv, PROTOCOLS);
	strlist_add(&argv, "LC_ALL=C");
	strlist_add(&argv, "git");
	if (folder) {
		strlist_add(&argv, "-C");
		strlist_add(&argv, folder);
	}
	return run(&argv, args, out, NULL, err);
}

char *git_line(const struct git_repo *repo, const char *const *args, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	char *line = NULL;

	if (!git_run(repo, args, &out, NULL, err))
		line = xstrndup(out.buf, strcspn(out.buf, "\n"));
	strbuf_release(&out);
	return line;
}

int git_init(const struct git_repo *repo, struct error *err)
{
	const char *const args[] = {"init", "-q", "--bare", "--template=", repo->dir, NULL};
	char *head = path_join(repo->dir, "HEAD");
	int ret = path_exists(head) ? 0 : git_user(NULL, args, NULL, err);

	free(head);
	return ret;
}

void git_repo_release(struct git_repo *repo)
{
	free(repo->dir);
	free(repo->work);
	free(repo->index);
	*repo = (struct git_repo){NULL, NULL, NULL};
}
