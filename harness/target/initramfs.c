// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "target/cpio.h"
#include "target/elf_needs.h"
#include "target/initramfs.h"
#include "util/file.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

/* Part of the hash: to be changed when the same input shall give another archive. */
#define FORMAT		  "schedbench initramfs 1\n"
#define FILE_SIZE_MAX	  (512u << 20)
#define UNPACK_TIMEOUT_MS 60000
#define UNUSED_AFTER_S	  (7 * 24 * 3600)
/* A script whose interpreter is a script whose ...: the kernel stops after four. */
#define INTERPRETERS_MAX 4

struct entry {
	char *name; /* in the guest, without a leading slash */
	mode_t mode;
	unsigned major, minor;
	char *source; /* file on the host, or NULL */
	char *text; /* contents, target of a link, or NULL */
	const char *const *unpack; /* program that unpacks the source, or NULL */
	char hash[SHA256_HEX_SIZE]; /* of the source */
};

struct archive {
	struct entry *entries;
	size_t count, cap;
};

static const struct packing {
	const char *suffix;
	const char *const argv[4];
} packings[] = {
	{".xz", {"xz", "-dc", "--"}},
	{".zst", {"zstd", "-dcq", "--"}},
	{".gz", {"gzip", "-dc", "--"}},
};

static bool has_entry(const struct archive *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->entries[i].name, name) == 0)
			return true;
	return false;
}

static struct entry *add_entry(struct archive *a, const char *name, mode_t mode)
{
	struct entry *e;

	xgrow(a->entries, a->count, a->cap);
	e = &a->entries[a->count++];
	*e = (struct entry){.name = xstrdup(name), .mode = mode};
	return e;
}

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return path;
}

/* The kernel creates nothing below a directory that the archive has not named before. */
static void add_parents(struct archive *a, const char *name)
{
	char *copy = xstrdup(name);

	for (char *slash = strchr(copy, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!has_entry(a, copy))
			add_entry(a, copy, S_IFDIR | 0755);
		*slash = '/';
	}
	free(copy);
}

static int add_file(struct archive *a, const char *guest, const char *source, mode_t mode,
		    struct error *err)
{
	const char *name = relative(guest);
	struct entry *e;
	struct stat st;

	if (has_entry(a, name))
		return 0;
	if (stat(source, &st))
		return error_sys(err, errno, "cannot open '%s'", source);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_FAILED, "'%s' is not a regular file", source);
	add_parents(a, name);
	e = add_entry(a, name, S_IFREG | mode);
	e->source = xstrdup(source);
	return file_sha256(source, e->hash, err);
}

static void add_text(struct archive *a, const char *name, mode_t mode, const char *text)
{
	if (has_entry(a, name))
		return;
	add_parents(a, name);
	add_entry(a, name, mode)->text = xstrdup(text);
}

/*
 * A library stays where the host's loader found it. In the guest there is no ld.so.cache, so that
 * one outside the loader's own folders also gets a link beside libc, which is in one of them.
 */
static int add_library(struct archive *a, const char *path, const char *libc_dir, struct error *err)
{
	char *base = path_join(libc_dir, strrchr(path, '/') + 1);
	int ret = add_file(a, path, path, 0755, err);

	if (!ret)
		add_text(a, relative(base), S_IFLNK | 0777, path);
	free(base);
	return ret;
}

static char *find_libc_dir(const struct strlist *libraries)
{
	for (size_t i = 0; i < libraries->count; i++) {
		const char *slash = strrchr(libraries->items[i], '/');

		if (strncmp(slash, "/libc.so", 8) == 0 || strncmp(slash, "/libc.musl", 10) == 0)
			return path_dirname(libraries->items[i]);
	}
	return xstrdup("/lib");
}

static int add_libraries(struct archive *a, const struct strlist *libraries, struct error *err)
{
	char *libc_dir = find_libc_dir(libraries);
	char *unwinder = path_join(libc_dir, "libgcc_s.so.1");
	int ret = 0;

	for (size_t i = 0; i < libraries->count && !ret; i++)
		ret = add_library(a, libraries->items[i], libc_dir, err);
	/* Not listed: libc opens it by name when a thread is cancelled or calls pthread_exit(). */
	if (!ret && path_exists(unwinder))
		ret = add_file(a, unwinder, unwinder, 0755, err);
	free(libc_dir);
	free(unwinder);
	return ret;
}

static int add_program(struct archive *a, const char *guest, const char *source, unsigned depth,
		       struct error *err)
{
	struct strbuf loader = STRBUF_INIT, interpreter = STRBUF_INIT;
	struct strlist libraries = STRLIST_INIT;
	int ret = add_file(a, guest, source, 0755, err);

	if (!ret)
		ret = elf_needs(source, &loader, &interpreter, &libraries, err);
	if (!ret && loader.len)
		ret = add_file(a, loader.buf, loader.buf, 0755, err);
	if (!ret && libraries.count)
		ret = add_libraries(a, &libraries, err);
	if (!ret && interpreter.len && depth < INTERPRETERS_MAX)
		ret = add_program(a, interpreter.buf, interpreter.buf, depth + 1, err);
	strbuf_release(&loader);
	strbuf_release(&interpreter);
	strlist_release(&libraries);
	return ret;
}

/* The absolute name of @path, kept as it is written where that is one already. */
static char *absolute(const char *path)
{
	char *dir, *real, *result = NULL;

	if (*path == '/' && !strstr(path, "/../") && !strstr(path, "/./") && !strstr(path, "//"))
		return xstrdup(path);
	dir = path_dirname(path);
	real = realpath(dir, NULL);
	if (real)
		result = path_join(real, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	free(dir);
	free(real);
	return result;
}

static int add_extra(struct archive *a, const char *file, struct error *err)
{
	char *found = strchr(file, '/') ? xstrdup(file) : path_search(file);
	char *path = found ? absolute(found) : NULL;
	char *link;
	int ret = 0;

	if (!path) {
		ret = error_set(err, ERROR_FAILED, "'%s' is not there", file);
		goto out;
	}
	if (access(path, X_OK)) {
		ret = add_file(a, path, path, 0644, err);
		goto out;
	}
	ret = add_program(a, path, path, 0, err);
	link = path_join("bin", strrchr(path, '/') + 1);
	add_text(a, link, S_IFLNK | 0777, path);
	if (strcmp(link, "bin/busybox") == 0)
		add_text(a, "bin/sh", S_IFLNK | 0777, path);
	free(link);
out:
	free(found);
	free(path);
	return ret;
}

static const struct packing *find_packing(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		size_t n = strlen(packings[i].suffix);

		if (len > n && strcmp(path + len - n, packings[i].suffix) == 0)
			return &packings[i];
	}
	return NULL;
}

static int add_module(struct archive *a, const struct initramfs_spec *spec, const char *module,
		      struct strbuf *list, struct error *err)
{
	const struct packing *packing = find_packing(module);
	size_t len = strlen(module) - (packing ? strlen(packing->suffix) : 0);
	char *source = path_join(spec->modules_dir, module);
	char *guest = xasprintf("lib/modules/%s/%.*s", spec->release, (int)len, module);
	int ret = add_file(a, guest, source, 0644, err);

	if (!ret && packing && strcmp(a->entries[a->count - 1].source, source) == 0)
		a->entries[a->count - 1].unpack = packing->argv;
	strbuf_addf(list, "%.*s\n", (int)len, module);
	free(source);
	free(guest);
	return ret;
}

/* The release comes from a kernel image and becomes a folder's name. */
static int check_release(const char *release, struct error *err)
{
	const char *p = release;

	if (p && *p && *p != '.')
		while (isalnum((unsigned char)*p) || (*p && strchr(".-+_~:", *p)))
			p++;
	if (!p || *p || p == release)
		return error_set(err, ERROR_FAILED, "'%s' is not the release of a kernel",
				 release ? release : "");
	return 0;
}

static int add_modules(struct archive *a, const struct initramfs_spec *spec, struct error *err)
{
	struct strbuf list = STRBUF_INIT;
	int ret = 0;

	if (spec->modules && spec->modules->count)
		ret = check_release(spec->release, err);
	for (size_t i = 0; !ret && spec->modules && i < spec->modules->count; i++)
		ret = add_module(a, spec, spec->modules->items[i], &list, err);
	if (!ret)
		add_text(a, "etc/schedbench/modules", S_IFREG | 0644, list.buf);
	strbuf_release(&list);
	return ret;
}

static void add_skeleton(struct archive *a)
{
	static const struct {
		const char *name;
		mode_t mode;
		unsigned major, minor;
	} skeleton[] = {
		{.name = "dev", .mode = S_IFDIR | 0755},
		{.name = "dev/console", .mode = S_IFCHR | 0600, .major = 5, .minor = 1},
		{.name = "dev/null", .mode = S_IFCHR | 0666, .major = 1, .minor = 3},
		{.name = "proc", .mode = S_IFDIR | 0555},
		{.name = "sys", .mode = S_IFDIR | 0555},
		{.name = "tmp", .mode = S_IFDIR | 01777},
		{.name = "run", .mode = S_IFDIR | 0755},
		{.name = "root", .mode = S_IFDIR | 0700},
	};

	for (size_t i = 0; i < sizeof(skeleton) / sizeof(skeleton[0]); i++) {
		struct entry *e = add_entry(a, skeleton[i].name, skeleton[i].mode);

		e->major = skeleton[i].major;
		e->minor = skeleton[i].minor;
	}
}

static bool is_foreign(enum kernel_arch arch)
{
#if defined(__aarch64__)
	return arch != ARCH_ARM64;
#else
	return arch != ARCH_X86_64;
#endif
}

static int check_machine(const char *path, enum kernel_arch arch, struct error *err)
{
	int machine = elf_machine(path, err);

	if (machine < 0)
		return -1;
	if (machine != (arch == ARCH_ARM64 ? EM_AARCH64 : EM_X86_64))
		return error_set(err, ERROR_USAGE,
				 "'%s' is not a program for %s, which the machine is", path,
				 arch_name(arch));
	return 0;
}

static int add_foreign_program(struct archive *a, const char *guest, const char *source,
			       enum kernel_arch arch, struct error *err)
{
	return check_machine(source, arch, err) || add_file(a, guest, source, 0755, err) ? -1 : 0;
}

/* Sorted, so that the same files give the same archive. */
static int add_library_folder(struct archive *a, const char *agent, struct error *err)
{
	char *folder = path_dirname(agent), *dir = path_join(folder, "lib");
	struct dirent **found = NULL;
	int n = scandir(dir, &found, NULL, alphasort), ret = 0;

	if (n < 0)
		ret = error_sys(err, errno, "cannot read '%s', the libraries of '%s'", dir, agent);
	for (int i = 0; i < n; i++) {
		char *source = path_join(dir, found[i]->d_name);
		char *guest = path_join("lib", found[i]->d_name);

		if (!ret && found[i]->d_name[0] != '.')
			ret = add_file(a, guest, source, 0755, err);
		free(source);
		free(guest);
		free(found[i]);
	}
	free(found);
	free(folder);
	free(dir);
	return ret;
}

/* A program keeps its path and is in /bin too, as add_extra() does it. */
static int add_foreign_extra(struct archive *a, const char *file, enum kernel_arch arch,
			     struct error *err)
{
	char *path = strchr(file, '/') ? absolute(file) : NULL;
	char *link;
	int ret;

	if (!path)
		return error_set(
			err, ERROR_USAGE,
			"'%s' is to run on a machine of arch %s: give the path of a program "
			"for that, or schedbench-workload",
			file, arch_name(arch));
	ret = add_foreign_program(a, path, path, arch, err);
	link = path_join("bin", strrchr(path, '/') + 1);
	add_text(a, link, S_IFLNK | 0777, path);
	free(link);
	free(path);
	return ret;
}

static int collect_foreign(struct archive *a, const struct initramfs_spec *spec, struct error *err)
{
	add_skeleton(a);
	if (add_foreign_program(a, "init", spec->agent, spec->arch, err) ||
	    (spec->workload &&
	     add_foreign_program(a, "bin/schedbench-workload", spec->workload, spec->arch, err)) ||
	    add_library_folder(a, spec->agent, err))
		return -1;
	for (const char *const *f = spec->extra_files; f && *f; f++)
		if (add_foreign_extra(a, *f, spec->arch, err))
			return -1;
	return add_modules(a, spec, err);
}

static int collect(struct archive *a, const struct initramfs_spec *spec, struct error *err)
{
	add_skeleton(a);
	if (add_program(a, "init", spec->agent, 0, err))
		return -1;
	if (spec->workload && add_program(a, "bin/schedbench-workload", spec->workload, 0, err))
		return -1;
	for (const char *const *f = spec->extra_files; f && *f; f++)
		if (add_extra(a, *f, err))
			return -1;
	return add_modules(a, spec, err);
}

static void hash_archive(const struct archive *a, char hex[SHA256_HEX_SIZE])
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addstr(&sb, FORMAT);
	for (size_t i = 0; i < a->count; i++) {
		const struct entry *e = &a->entries[i];

		strbuf_addf(&sb, "%o %u:%u %s %s", (unsigned)e->mode, e->major, e->minor, e->hash,
			    e->unpack ? e->unpack[0] : "-");
		/* NUL bytes keep a name and a text from running into each other. */
		strbuf_add(&sb, e->name, strlen(e->name) + 1);
		if (e->text)
			strbuf_add(&sb, e->text, strlen(e->text) + 1);
	}
	data_sha256(sb.buf, sb.len, hex);
	strbuf_release(&sb);
}

static int read_source(const struct entry *e, struct strbuf *data, struct error *err)
{
	char hash[SHA256_HEX_SIZE];

	if (e->unpack) {
		const char *argv[] = {e->unpack[0], e->unpack[1], e->unpack[2], e->source, NULL};

		return subprocess_output(argv, UNPACK_TIMEOUT_MS, data, err);
	}
	if (file_read(e->source, FILE_SIZE_MAX, data, err))
		return -1;
	data_sha256(data->buf, data->len, hash);
	if (strcmp(hash, e->hash) != 0)
		return error_set(err, ERROR_FAILED, "'%s' changed while it was read (try again)",
				 e->source);
	return 0;
}

static int write_archive(const struct archive *a, const char *path, struct error *err)
{
	struct strbuf out = STRBUF_INIT, data = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; i < a->count && !ret; i++) {
		const struct entry *e = &a->entries[i];
		struct cpio_member m = {
			.name = e->name, .mode = e->mode, .major = e->major, .minor = e->minor};

		strbuf_reset(&data);
		if (e->source)
			ret = read_source(e, &data, err);
		else if (e->text)
			strbuf_addstr(&data, e->text);
		m.data = data.buf;
		m.len = data.len;
		cpio_add(&out, &m, i + 1);
	}
	cpio_end(&out);
	if (!ret)
		ret = file_write(path, out.buf, out.len, err);
	strbuf_release(&out);
	strbuf_release(&data);
	return ret;
}

/* Every change of a program makes a new archive: what nobody uses any more goes. */
static void remove_unused(const char *dir)
{
	DIR *d = opendir(dir);
	time_t now = time(NULL);
	struct dirent *de;

	while (d && (de = readdir(d))) {
		struct stat st;

		if (fstatat(dirfd(d), de->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && now - st.st_mtime > UNUSED_AFTER_S)
			unlinkat(dirfd(d), de->d_name, 0);
	}
	if (d)
		closedir(d);
}

static char *store_archive(const struct archive *a, struct error *err)
{
	char *cache = cache_directory(err);
	char *dir, *path, hex[SHA256_HEX_SIZE];
	int ret = 0;

	if (!cache)
		return NULL;
	hash_archive(a, hex);
	dir = path_join(cache, "initramfs");
	path = xasprintf("%s/%s.cpio", dir, hex);
	if (utimensat(AT_FDCWD, path, NULL, 0)) {
		ret = make_directories(dir, err);
		remove_unused(dir);
		if (!ret)
			ret = write_archive(a, path, err);
	}
	free(cache);
	free(dir);
	if (!ret)
		return path;
	free(path);
	return NULL;
}

char *initramfs_make(const struct initramfs_spec *spec, struct error *err)
{
	struct archive a = {0};
	char *path = NULL;

	if ((is_foreign(spec->arch) ? collect_foreign(&a, spec, err) : collect(&a, spec, err)) == 0)
		path = store_archive(&a, err);
	for (size_t i = 0; i < a.count; i++) {
		free(a.entries[i].name);
		free(a.entries[i].source);
		free(a.entries[i].text);
	}
	free(a.entries);
	return path;
}
