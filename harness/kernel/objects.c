// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fts.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/cache.h"
#include "kernel/make.h"
#include "kernel/objects.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define NEW_CONFIG   ".config.new"
#define COPY_TIMEOUT (20 * 60 * 1000)
#define RECENT_S     10 /* what was written last before a build was killed may be incomplete */

void objects_open(struct objects *o, const struct request *r, int lock_fd, const char *log)
{
	struct strbuf family = STRBUF_INIT;
	char *hash;

	strbuf_addf(&family, "%s %s\n", r->toolchain.arch, r->toolchain.identity);
	kconfig_text(&r->config, &family);
	hash = short_hash(family.buf, 16);
	*o = (struct objects){.r = r, .lock_fd = lock_fd, .log = xstrdup(log)};
	o->folder = xasprintf("%s/obj-%s", r->source.folder, hash);
	o->marker = xasprintf("%s.building", o->folder);
	o->dot_config = path_join(o->folder, ".config");
	free(hash);
	strbuf_release(&family);
}

void objects_release(struct objects *o)
{
	free(o->folder);
	free(o->marker);
	free(o->dot_config);
	free(o->log);
	*o = (struct objects){0};
}

static FTS *walk(const char *folder)
{
	char *copy = xstrdup(folder);
	char *const paths[] = {copy, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);

	free(copy);
	return fts;
}

/* ".fork.o.d", the compiler's list of headers, is there only while fork.o is being made. */
static void remove_target_of(const FTSENT *e)
{
	size_t len = strlen(e->fts_name);
	char *target;

	if (e->fts_name[0] != '.' || len < 4 || strcmp(e->fts_name + len - 2, ".d"))
		return;
	target = xasprintf("%.*s%.*s", (int)(e->fts_pathlen - len), e->fts_path, (int)len - 3,
			   e->fts_name + 1);
	unlink(target);
	free(target);
}

static unsigned read_count(const char *path)
{
	struct error ignored = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	unsigned count = 0;

	if (path_exists(path) && !file_read(path, 64, &text, &ignored))
		count = strtoul(text.buf, NULL, 10);
	strbuf_release(&text);
	return count;
}

static void write_count(const char *path, unsigned count)
{
	char *text = xasprintf("%u\n", count);
	struct error ignored = ERROR_INIT;

	/* Only progress is judged by it. */
	file_write(path, text, strlen(text), &ignored);
	free(text);
}

/*
 * How many steps are to be expected: those of the last build from nothing for this architecture,
 * or of the last one in this folder.
 */
static char *steps_path(const struct objects *o, bool from_nothing)
{
	struct error ignored = ERROR_INIT;
	char *sources, *path;

	if (!from_nothing)
		return xasprintf("%s.steps", o->folder);
	sources = builds_folder("sources", &ignored);
	path = xasprintf("%s/steps-%s", sources ? sources : "", o->r->toolchain.arch);
	free(sources);
	return path;
}

static char *tools_text(const struct objects *o)
{
	return xasprintf("%s %s\n", o->r->toolchain.arch, o->r->toolchain.identity);
}

/* Objects of the same programs, of a build that came to its end. */
static bool is_seed(const char *folder, const char *tools)
{
	char *record = xasprintf("%s.tools", folder), *steps = xasprintf("%s.steps", folder);
	char *marker = xasprintf("%s.building", folder);
	struct strbuf text = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	bool good = path_exists(folder) && path_exists(steps) && !path_exists(marker) &&
		    !file_read(record, 4096, &text, &ignored) && !strcmp(text.buf, tools);

	strbuf_release(&text);
	free(marker);
	free(steps);
	free(record);
	return good;
}

/* The one that was written last; the caller frees it, NULL: none. */
static char *find_seed(const struct objects *o, const char *tools)
{
	char *pattern = xasprintf("%s/obj-*.tools", o->r->source.folder), *best = NULL;
	time_t newest = 0;
	glob_t found;

	if (glob(pattern, 0, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		char *folder = xstrndup(path, strlen(path) - strlen(".tools"));
		struct stat st;

		if (is_seed(folder, tools) && !stat(folder, &st) && st.st_mtime >= newest) {
			free(best);
			best = folder;
			newest = st.st_mtime;
		} else {
			free(folder);
		}
	}
	globfree(&found);
	free(pattern);
	return best;
}

/* Times are kept, so that make sees objects as old as they are. */
static int copy_objects(const struct objects *o, const char *seed, struct error *err)
{
	char *work = xasprintf("%s.seed", o->folder);
	const char *const argv[] = {"cp", "-a", "--reflink=auto", "--", seed, work, NULL};
	int ret = remove_tree(work, err) ||
				  check_free_space(o->r->source.folder, folder_size(seed), err) ||
				  subprocess_output(argv, COPY_TIMEOUT, NULL, err)
			  ? -1
			  : 0;

	if (!ret && rename(work, o->folder))
		ret = error_sys(err, errno, "cannot rename '%s' to '%s'", work, o->folder);
	free(work);
	return ret;
}

int objects_seed(struct objects *o, struct error *err)
{
	char *tools, *record, *seed, *steps;
	int ret = 0;

	if (path_exists(o->folder))
		return 0;
	tools = tools_text(o);
	record = xasprintf("%s.tools", o->folder);
	steps = steps_path(o, false);
	seed = find_seed(o, tools);
	if (seed)
		ret = copy_objects(o, seed, err);
	else
		ret = make_directories(o->folder, err);
	if (!ret)
		ret = file_write(record, tools, strlen(tools), err);
	/* How much of a copy is made anew is not known beforehand. */
	if (!ret && seed)
		write_count(steps, 0);
	free(seed);
	free(steps);
	free(record);
	free(tools);
	return ret;
}

int objects_repair(struct objects *o, struct error *err)
{
	time_t newest = 0;
	FTSENT *e;
	FTS *fts;

	if (!path_exists(o->marker))
		return 0;
	fprintf(stderr, "schedbench: continuing a build that was killed\n");
	fts = walk(o->folder);
	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_F) {
			if (e->fts_statp->st_mtime > newest)
				newest = e->fts_statp->st_mtime;
			remove_target_of(e);
		}
	if (fts)
		fts_close(fts);
	fts = walk(o->folder);
	while (fts && (e = fts_read(fts)))
		if (e->fts_info == FTS_F && e->fts_statp->st_mtime >= newest - RECENT_S)
			unlink(e->fts_path);
	if (fts)
		fts_close(fts);
	if (unlink(o->marker))
		return error_sys(err, errno, "cannot remove '%s'", o->marker);
	return 0;
}

static int run(struct objects *o, const char *const *targets, unsigned expected, bool quiet,
	       struct make_result *result, struct error *err)
{
	const struct make_job job = {.name = o->r->kernel->name,
				     .source = o->r->source.repo.work,
				     .objects = o->folder,
				     .toolchain = &o->r->toolchain,
				     .targets = targets,
				     .log = o->log,
				     .lock_fd = o->lock_fd,
				     .expected = expected,
				     .quiet = quiet};
	bool clean = false;
	int ret;

	if (file_write(o->marker, "", 0, err))
		return -1;
	ret = make_run(&job, result, &clean, err);
	if (clean && unlink(o->marker) && !ret)
		ret = error_sys(err, errno, "cannot remove '%s'", o->marker);
	return ret;
}

/* May kconfig say something else for @path being different? */
static bool matters_to_kconfig(const char *path, size_t len)
{
	static const char *const parts[] = {"Kconfig", "scripts/", "Makefile", "configs/"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(path, len, parts[i], strlen(parts[i])))
			return true;
	return false;
}

/* The .config that is there was made for a tree whose difference does not matter. */
static bool config_is_current(const struct objects *o, const char *record, const char *tree)
{
	struct strbuf was = STRBUF_INIT, changed = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	bool current = path_exists(o->dot_config) && path_exists(record) &&
		       !file_read(record, 128, &was, &ignored) && was.len == strlen(tree);

	if (current && strcmp(was.buf, tree)) {
		const char *const args[] = {"diff-tree", "-r", "--name-only", "--no-renames",
					    was.buf,	 tree, NULL};

		current = !git_run(&o->r->source.repo, args, &changed, NULL, &ignored);
		for (const char *p = changed.buf; current && *p;) {
			size_t len = strcspn(p, "\n");

			current = !matters_to_kconfig(p, len);
			p += len + (p[len] == '\n');
		}
	}
	strbuf_release(&changed);
	strbuf_release(&was);
	return current;
}

/* Make .config.new; it takes the place of .config only where it differs, or all is built again. */
static int ask_kconfig(struct objects *o, struct error *err)
{
	char *wanted = path_join(o->folder, ".config.wanted");
	char *new = path_join(o->folder, NEW_CONFIG);
	char *all = xasprintf("KCONFIG_ALLCONFIG=%s", wanted);
	const char *const targets[] = {all, "KCONFIG_CONFIG=" NEW_CONFIG, "allnoconfig", NULL};
	const char *const settle[] = {"KCONFIG_CONFIG=" NEW_CONFIG, "olddefconfig", NULL};
	struct strbuf text = STRBUF_INIT, old = STRBUF_INIT;
	struct make_result result = {0};
	struct error ignored = ERROR_INIT;
	int ret;

	kconfig_text(&o->r->config, &text);
	ret = file_write(wanted, text.buf, text.len, err);
	if (!ret)
		ret = run(o, targets, 0, true, &result, err) ||
				      run(o, settle, 0, true, &result, err)
			      ? -1
			      : 0;
	o->seconds += result.seconds;
	strbuf_reset(&text);
	if (!ret)
		ret = file_read(new, 0, &text, err);
	if (!ret && (file_read(o->dot_config, 0, &old, &ignored) || old.len != text.len ||
		     memcmp(old.buf, text.buf, old.len)))
		ret = file_write(o->dot_config, text.buf, text.len, err);
	strbuf_release(&old);
	strbuf_release(&text);
	free(all);
	free(new);
	free(wanted);
	return ret;
}

int objects_configure(struct objects *o, const char *tree, struct strbuf *text, struct error *err)
{
	char *record = xasprintf("%s.tree", o->folder);
	int ret = 0;

	if (!config_is_current(o, record, tree)) {
		unlink(record);
		ret = ask_kconfig(o, err);
	}
	if (!ret)
		ret = file_read(o->dot_config, 0, text, err);
	if (!ret)
		ret = kconfig_check(&o->r->config, text->buf, err);
	if (ret && err->kind == ERROR_USAGE)
		error_prefix(err, "kernel '%s': ", o->r->kernel->name);
	if (!ret)
		ret = file_write(record, tree, strlen(tree), err);
	free(record);
	return ret;
}

static int install_modules(struct objects *o, const char *stage, struct error *err)
{
	char *where = xasprintf("INSTALL_MOD_PATH=%s", stage);
	const char *const targets[] = {where, "INSTALL_MOD_STRIP=1", "modules_install", NULL};
	struct make_result result = {0};
	int ret = run(o, targets, 0, true, &result, err);

	o->seconds += result.seconds;
	free(where);
	return ret;
}

int objects_compile(struct objects *o, const char *dot_config, const char *stage, struct error *err)
{
	const char *image = o->r->toolchain.image;
	bool modules = strstr(dot_config, "=m\n") != NULL;
	const char *const targets[] = {image, modules ? "modules" : NULL, NULL};
	char *own = steps_path(o, false);
	bool from_nothing = !path_exists(own);
	char *steps = steps_path(o, from_nothing);
	struct make_result result = {0};
	int ret = run(o, targets, read_count(steps), false, &result, err);

	o->compiled = result.compiled;
	o->seconds += result.seconds;
	if (!ret) {
		write_count(own, from_nothing ? 0 : result.steps);
		if (from_nothing)
			write_count(steps, result.steps);
	}
	if (!ret && modules)
		ret = install_modules(o, stage, err);
	free(steps);
	free(own);
	return ret;
}

char *objects_release_name(const struct objects *o, struct error *err)
{
	char *path = path_join(o->folder, "include/config/kernel.release");
	struct strbuf text = STRBUF_INIT;
	char *name = NULL;

	if (!file_read(path, 256, &text, err)) {
		text.buf[strcspn(text.buf, "\n")] = '\0';
		if (*text.buf && !strchr(text.buf, '/') && text.buf[0] != '.')
			name = xstrdup(text.buf);
		else
			error_set(err, ERROR_FAILED, "'%s' holds no release", path);
	}
	strbuf_release(&text);
	free(path);
	return name;
}
