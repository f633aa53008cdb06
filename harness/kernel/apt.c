// SPDX-License-Identifier: GPL-2.0-or-later
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/apt.h"
#include "kernel/mirrors.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define KEYRING		 "/usr/share/keyrings/debian-archive-keyring.gpg"
#define UPDATE_TIMEOUT	 (10 * 60 * 1000)
#define DOWNLOAD_TIMEOUT (30 * 60 * 1000)
#define QUERY_TIMEOUT	 (60 * 1000)

/* Only releases have an archive of updates and of security; "bookworm-backports" has none. */
static bool is_release(const char *suite)
{
	static const char *const others[] = {"sid",	     "unstable", "testing",
					     "experimental", "rc-buggy", NULL};

	for (size_t i = 0; others[i]; i++)
		if (!strcmp(suite, others[i]))
			return false;
	return !strchr(suite, '-');
}

static int write_sources(const char *path, const char *suite, struct error *err)
{
	static const char line[] = "deb [arch=amd64 signed-by=" KEYRING "]";
	struct strbuf sb = STRBUF_INIT;
	struct mirrors m;
	int ret;

	mirrors_of_host(&m);
	strbuf_addf(&sb, "%s %s %s main\n", line, m.debian, suite);
	if (is_release(suite)) {
		strbuf_addf(&sb, "%s %s %s-updates main\n", line, m.debian, suite);
		strbuf_addf(&sb, "%s %s %s-security main\n", line, m.security, suite);
	}
	ret = file_write(path, sb.buf, sb.len, err);
	strbuf_release(&sb);
	mirrors_release(&m);
	return ret;
}

static void add_option(struct apt *apt, const char *name, const char *value)
{
	strlist_add(&apt->options, "-o");
	strlist_addf(&apt->options, "%s=%s", name, value);
}

int apt_init(struct apt *apt, const char *folder, const char *suite, struct error *err)
{
	char *lists = path_join(folder, "lists/partial");
	char *archives = path_join(folder, "cache/archives/partial");
	char *sources = path_join(folder, "sources.list");
	char *status = path_join(folder, "status");
	int ret = make_directories(lists, err);

	apt->options = (struct strlist)STRLIST_INIT;
	if (!ret)
		ret = make_directories(archives, err);
	if (!ret)
		ret = file_write(status, "", 0, err);
	if (!ret)
		ret = write_sources(sources, suite, err);
	*strrchr(lists, '/') = '\0';
	*strrchr(archives, '/') = '\0';
	add_option(apt, "Dir::Etc::SourceList", sources);
	add_option(apt, "Dir::Etc::SourceParts", "/dev/null");
	add_option(apt, "Dir::State", folder);
	add_option(apt, "Dir::State::Lists", lists);
	add_option(apt, "Dir::State::status", status);
	*strrchr(archives, '/') = '\0';
	add_option(apt, "Dir::Cache", archives);
	add_option(apt, "APT::Sandbox::User", "");
	add_option(apt, "APT::Architecture", "amd64");
	add_option(apt, "Acquire::Languages", "none");
	add_option(apt, "Acquire::Retries", "2");
	free(lists);
	free(archives);
	free(sources);
	free(status);
	return ret;
}

void apt_release(struct apt *apt)
{
	strlist_release(&apt->options);
}

/* @program of apt in @folder (NULL: wherever) with our options, then @args. */
static int call(struct apt *apt, const char *folder, const char *program, const char *const *args,
		int timeout_ms, struct strbuf *out, struct error *err)
{
	struct strlist argv = STRLIST_INIT;
	int ret;

	if (folder) {
		strlist_add(&argv, "env");
		strlist_add(&argv, "-C");
		strlist_add(&argv, folder);
	}
	strlist_add(&argv, program);
	for (size_t i = 0; i < apt->options.count; i++)
		strlist_add(&argv, apt->options.items[i]);
	for (; *args; args++)
		strlist_add(&argv, *args);
	ret = subprocess_output(strlist_argv(&argv), timeout_ms, out, err);
	strlist_release(&argv);
	return ret;
}

int apt_update(struct apt *apt, const char *suite, struct error *err)
{
	const char *const args[] = {"-qq", "update", "--error-on=any", NULL};

	if (call(apt, NULL, "apt-get", args, UPDATE_TIMEOUT, NULL, err))
		return error_prefix(err, "cannot fetch the package lists of Debian '%s': ", suite);
	return 0;
}

/* The text after "FIELD: " in what apt-cache shows; NULL for none. The caller frees it. */
static char *field(const char *shown, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = shown; p && *p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, len) && p[len] == ':')
			return xstrndup(p + len + 2, strcspn(p + len + 2, "\n"));
	}
	return NULL;
}

/* "linux-image-6.1.0-57-cloud-amd64 (= 6.1.192-3), ..." among the dependencies of a meta package. */
static int find_image_dependency(const char *depends, char **name, char **version)
{
	const char *p = depends ? strstr(depends, "linux-image-") : NULL;
	size_t len, v;

	if (!p)
		return 0;
	len = strcspn(p, " ,(");
	*name = xstrndup(p, len);
	p += len;
	p += strspn(p, " ");
	if (strncmp(p, "(= ", 3))
		return 1;
	v = strcspn(p + 3, ")");
	free(*version);
	*version = xstrndup(p + 3, v);
	return 1;
}

int apt_resolve(struct apt *apt, const char *package, const char *suite, char **name,
		char **version, struct error *err)
{
	const char *const args[] = {"show", "--no-all-versions", package, NULL};
	struct strbuf shown = STRBUF_INIT;
	char *depends;

	if (call(apt, NULL, "apt-cache", args, QUERY_TIMEOUT, &shown, err)) {
		strbuf_release(&shown);
		return error_set(err, ERROR_USAGE, "Debian '%s' has no package '%s'", suite,
				 package);
	}
	*name = NULL;
	*version = field(shown.buf, "Version");
	depends = field(shown.buf, "Depends");
	if (!find_image_dependency(depends, name, version))
		*name = xstrdup(package);
	free(depends);
	strbuf_release(&shown);
	if (*version)
		return 0;
	free(*name);
	return error_set(err, ERROR_FAILED, "Debian '%s' shows no version of package '%s'", suite,
			 package);
}

int apt_download(struct apt *apt, const char *name, const char *version, const char *folder,
		 char **file, struct error *err)
{
	char *which = xasprintf("%s=%s", name, version);
	const char *const args[] = {"-qq", "download", which, NULL};
	char *pattern = path_join(folder, "*.deb");
	glob_t found;
	int ret = call(apt, folder, "apt-get", args, DOWNLOAD_TIMEOUT, NULL, err);

	if (ret)
		error_prefix(err, "cannot download '%s' %s: ", name, version);
	else if (glob(pattern, 0, NULL, &found))
		ret = error_set(err, ERROR_FAILED, "apt-get downloaded nothing for '%s'", which);
	if (!ret) {
		*file = xstrdup(found.gl_pathv[0]);
		globfree(&found);
	}
	free(pattern);
	free(which);
	return ret;
}
