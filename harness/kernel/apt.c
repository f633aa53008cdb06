// SPDX-License-Identifier: GPL-2.0-or-later
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernel/apt.h"
#include "kernel/mirrors.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define KEYRING		 "/usr/share/keyrings/debian-archive-keyring.gpg"
#define UPDATE_EVERY_S	 3600
#define UPDATE_TIMEOUT	 (10 * 60 * 1000)
#define DOWNLOAD_TIMEOUT (30 * 60 * 1000)
#define QUERY_TIMEOUT	 (60 * 1000)

static const struct {
	const char *prefix, *what, *example;
} kinds[] = {[APT_IMAGE] = {"linux-image-", "image", "linux-image-cloud-amd64"},
	     [APT_SOURCE] = {"linux-source-", "source", "linux-source-6.1"}};

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

static int write_sources(struct apt *apt, const char *path, struct error *err)
{
	static const char line[] = "deb [arch=amd64 signed-by=" KEYRING "]";
	struct strbuf sb = STRBUF_INIT, old = STRBUF_INIT;
	struct error ignored = ERROR_INIT;
	const char *suite = apt->suite;
	struct mirrors m;
	int ret;

	mirrors_of_host(&m);
	strbuf_addf(&sb, "%s %s %s main\n", line, m.debian, suite);
	if (is_release(suite)) {
		strbuf_addf(&sb, "%s %s %s-updates main\n", line, m.debian, suite);
		strbuf_addf(&sb, "%s %s %s-security main\n", line, m.security, suite);
	}
	/* Lists fetched from elsewhere are of no use. */
	if (!file_read(path, 1 << 16, &old, &ignored) && strcmp(old.buf, sb.buf))
		unlink(apt->stamp);
	ret = file_write(path, sb.buf, sb.len, err);
	strbuf_release(&old);
	strbuf_release(&sb);
	mirrors_release(&m);
	return ret;
}

/* What -o cannot do: without the machine's hooks and the release that it prefers. */
static int write_configuration(const char *path, struct error *err)
{
	static const char text[] = "#clear APT::Update::Pre-Invoke;\n"
				   "#clear APT::Update::Post-Invoke;\n"
				   "#clear APT::Update::Post-Invoke-Success;\n"
				   "#clear APT::Default-Release;\n";

	return file_write(path, text, strlen(text), err);
}

static void add_option(struct apt *apt, const char *name, const char *value)
{
	strlist_add(&apt->options, "-o");
	strlist_addf(&apt->options, "%s=%s", name, value);
}

static void add_options(struct apt *apt, const char *folder)
{
	const struct {
		const char *name;
		const char *file; /* below @folder */
	} places[] = {{"Dir::Etc::SourceList", "sources.list"},
		      {"Dir::State", ""},
		      {"Dir::State::Lists", "lists"},
		      {"Dir::State::status", "status"},
		      {"Dir::Cache", "cache"}};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = path_join(folder, places[i].file);

		add_option(apt, places[i].name, path);
		free(path);
	}
	add_option(apt, "Dir::Etc::SourceParts", "/dev/null");
	add_option(apt, "Dir::Etc::Preferences", "/dev/null");
	add_option(apt, "Dir::Etc::PreferencesParts", "/dev/null");
	add_option(apt, "APT::Sandbox::User", "");
	add_option(apt, "APT::Architecture", "amd64");
	add_option(apt, "Acquire::Languages", "none");
	add_option(apt, "Acquire::Retries", "2");
}

int apt_init(struct apt *apt, const char *folder, const char *suite, struct error *err)
{
	char *lists = path_join(folder, "lists/partial");
	char *archives = path_join(folder, "cache/archives/partial");
	char *sources = path_join(folder, "sources.list");
	char *status = path_join(folder, "status");
	char *configuration = path_join(folder, "apt.conf");
	int ret;

	apt->options = (struct strlist)STRLIST_INIT;
	apt->suite = xstrdup(suite);
	apt->stamp = path_join(folder, "updated");
	strlist_add(&apt->options, "-c");
	strlist_add(&apt->options, configuration);
	add_options(apt, folder);
	ret = make_directories(lists, err) || make_directories(archives, err) ||
			      file_write(status, "", 0, err) || write_sources(apt, sources, err) ||
			      write_configuration(configuration, err)
		      ? -1
		      : 0;
	free(lists);
	free(archives);
	free(sources);
	free(status);
	free(configuration);
	return ret;
}

void apt_release(struct apt *apt)
{
	strlist_release(&apt->options);
	free(apt->suite);
	free(apt->stamp);
}

/* apt's last words sum up; what went wrong is its first error. */
static void first_error(const struct strbuf *text, struct error *err)
{
	const char *p = text->buf;

	while (*p && strncmp(p, "E: ", 3)) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (!*p)
		p = text->buf;
	else
		p += strlen("E: ");
	error_set(err, ERROR_FAILED, "%.*s", (int)strcspn(p, "\n"), p);
}

/* @program of apt in @folder with our options, then @args. */
static int call(struct apt *apt, const char *folder, const char *program, const char *const *args,
		int timeout_ms, struct strbuf *out, struct error *err)
{
	struct strlist argv = STRLIST_INIT;
	struct strbuf errout = STRBUF_INIT;
	int status = 0, ret;

	strlist_add(&argv, "env");
	strlist_add(&argv, "-C");
	strlist_add(&argv, folder);
	strlist_add(&argv, "LC_ALL=C");
	strlist_add(&argv, program);
	for (size_t i = 0; i < apt->options.count; i++)
		strlist_add(&argv, apt->options.items[i]);
	for (; *args; args++)
		strlist_add(&argv, *args);
	ret = subprocess_capture(strlist_argv(&argv), timeout_ms, out, &errout, &status, err);
	if (ret)
		error_prefix(err, "%s: ", program);
	if (!ret && status) {
		first_error(&errout, err);
		if (!*err->msg) {
			subprocess_describe(status, &errout);
			error_set(err, ERROR_FAILED, "'%s' ended with %s", program, errout.buf);
		}
		ret = -1;
	}
	strbuf_release(&errout);
	strlist_release(&argv);
	return ret;
}

static bool is_fresh(const char *stamp)
{
	struct stat st;
	time_t now = time(NULL);

	return !stat(stamp, &st) && st.st_mtime <= now && now - st.st_mtime < UPDATE_EVERY_S;
}

int apt_update(struct apt *apt, struct error *err)
{
	const char *const args[] = {"-qq", "update", "--error-on=any", NULL};

	if (is_fresh(apt->stamp))
		return 0;
	unlink(apt->stamp);
	fprintf(stderr, "schedbench: fetching the package lists of Debian %s\n", apt->suite);
	if (call(apt, "/", "apt-get", args, UPDATE_TIMEOUT, NULL, err))
		return error_prefix(err,
				    "cannot fetch the package lists of Debian '%s': ", apt->suite);
	return file_write(apt->stamp, "", 0, err);
}

/* The text after "FIELD: " in what apt-cache shows; NULL for none. The caller frees it. */
static char *field(const char *shown, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = shown; p && *p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (!strncmp(p, name, len) && p[len] == ':' && p[len + 1] == ' ')
			return xstrndup(p + len + 2, strcspn(p + len + 2, "\n"));
	}
	return NULL;
}

/*
 * "linux-image-6.1.0-57-cloud-amd64 (= 6.1.192-3), ..." among the dependencies of a meta package
 * as NAME=VERSION, or NAME alone where any version will do; NULL: it is no meta package.
 */
static char *kernel_dependency(const char *shown, const char *prefix)
{
	char *depends = field(shown, "Depends"), *found = NULL;
	const char *p = depends ? strstr(depends, prefix) : NULL;

	if (p) {
		int name = strcspn(p, " ,(|"), blanks = strspn(p + name, " ");
		const char *v = p + name + blanks;

		if (!strncmp(v, "(= ", 3))
			found = xasprintf("%.*s=%.*s", name, p, (int)strcspn(v + 3, ")"), v + 3);
		else
			found = xstrndup(p, name);
	}
	free(depends);
	return found;
}

/* Both become names of files. */
static bool is_plain(const char *text)
{
	return text && *text && *text != '.' && *text != '-' &&
	       text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 ".+~:-")] == '\0';
}

static int show(struct apt *apt, const char *which, struct strbuf *shown, struct error *err)
{
	const char *const args[] = {"show", "--no-all-versions", which, NULL};

	strbuf_reset(shown);
	if (call(apt, "/", "apt-cache", args, QUERY_TIMEOUT, shown, err)) {
		if (!strstr(err->msg, "No packages found") &&
		    !strstr(err->msg, "Unable to locate") && !strstr(err->msg, "was not found"))
			return error_prefix(err, "cannot look up package '%s': ", which);
	} else if (shown->len) {
		return 0;
	}
	return error_set(err, ERROR_USAGE, "Debian '%s' has no package '%s'", apt->suite, which);
}

static unsigned long long number_field(const char *shown, const char *name)
{
	char *text = field(shown, name);
	unsigned long long value = text ? strtoull(text, NULL, 10) : 0;

	free(text);
	return value;
}

static int take_package(enum apt_kind kind, const char *shown, const char *which,
			struct apt_package *out, struct error *err)
{
	const char *prefix = kinds[kind].prefix;
	size_t len;

	out->name = field(shown, "Package");
	out->version = field(shown, "Version");
	out->size = number_field(shown, "Size");
	out->unpacked = number_field(shown, "Installed-Size") * 1024;
	if (is_plain(out->name) && is_plain(out->version)) {
		len = strlen(out->name);
		if (!strncmp(out->name, prefix, strlen(prefix)) &&
		    (len < 4 || strcmp(out->name + len - 4, "-dbg")))
			return 0;
	}
	apt_package_release(out);
	return error_set(err, ERROR_USAGE, "package '%s' holds no kernel %s (such as %s)", which,
			 kinds[kind].what, kinds[kind].example);
}

int apt_resolve(struct apt *apt, enum apt_kind kind, const char *name, struct apt_package *out,
		struct error *err)
{
	struct strbuf shown = STRBUF_INIT;
	char *which = xstrdup(name), *next;
	int ret = show(apt, which, &shown, err);

	for (int depth = 0; !ret && depth < 4; depth++) {
		next = kernel_dependency(shown.buf, kinds[kind].prefix);
		if (!next)
			break;
		free(which);
		which = next;
		ret = show(apt, which, &shown, err);
	}
	if (!ret)
		ret = take_package(kind, shown.buf, name, out, err);
	strbuf_release(&shown);
	free(which);
	return ret;
}

void apt_package_release(struct apt_package *package)
{
	free(package->name);
	free(package->version);
	*package = (struct apt_package){NULL, NULL, 0, 0};
}

int apt_download(struct apt *apt, const struct apt_package *package, const char *folder,
		 char **file, struct error *err)
{
	char *which = xasprintf("%s=%s", package->name, package->version);
	const char *const args[] = {"-qq", "download", which, NULL};
	char *pattern = path_join(folder, "*.deb");
	glob_t found;
	int ret = call(apt, folder, "apt-get", args, DOWNLOAD_TIMEOUT, NULL, err);

	if (ret)
		error_prefix(err, "cannot download '%s': ", which);
	else if (glob(pattern, 0, NULL, &found))
		ret = error_set(err, ERROR_FAILED, "apt-get downloaded nothing for '%s'", which);
	if (!ret) {
		*file = xstrdup(found.gl_pathv[0]);
		globfree(&found);
	} else {
		/* The lists may name what the archive has dropped since. */
		unlink(apt->stamp);
	}
	free(pattern);
	free(which);
	return ret;
}
