// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "target/elf_needs.h"
#include "util/subprocess.h"

/* Programs have about a dozen segments. */
#define SEGMENTS_MAX	  256
#define LOADER_TIMEOUT_MS 30000

/* The path in PT_INTERP, "" where there is none or the headers make no sense. */
static void read_loader(int fd, const Elf64_Ehdr *eh, struct strbuf *loader)
{
	char buf[PATH_MAX];

	if (eh->e_phentsize != sizeof(Elf64_Phdr) || eh->e_phnum > SEGMENTS_MAX)
		return;
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		Elf64_Phdr ph;

		if (pread(fd, &ph, sizeof(ph), eh->e_phoff + i * sizeof(ph)) != sizeof(ph))
			return;
		if (ph.p_type != PT_INTERP)
			continue;
		if (ph.p_filesz < 2 || ph.p_filesz > sizeof(buf) ||
		    pread(fd, buf, ph.p_filesz, ph.p_offset) != (ssize_t)ph.p_filesz)
			return;
		buf[ph.p_filesz - 1] = '\0';
		if (buf[0] == '/')
			strbuf_addstr(loader, buf);
		return;
	}
}

/* "#! /bin/sh -e" gives "/bin/sh". */
static void read_interpreter(const char *head, size_t len, struct strbuf *interpreter)
{
	const char *start = head + 2, *end = head + len;
	const char *p;

	while (start < end && (*start == ' ' || *start == '\t'))
		start++;
	for (p = start; p < end && !strchr(" \t\r\n", *p); p++)
		;
	if (p < end && *start == '/')
		strbuf_add(interpreter, start, p - start);
}

/*
 * Lines are "NAME => PATH (0xADDRESS)", "PATH (0xADDRESS)" for the loader and libraries named with
 * a slash, "NAME => not found", and the kernel's vdso, which has no path.
 */
static int parse_line(const char *program, char *line, const char *loader,
		      struct strlist *libraries, struct error *err)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow ? arrow + 4 : line + strspn(line, " \t");
	char *address = strstr(path, " (0x");

	if (arrow && strncmp(path, "not found", 9) == 0) {
		*arrow = '\0';
		return error_set(err, ERROR_FAILED,
				 "'%s' needs the shared library '%s', which is not installed",
				 program, line + strspn(line, " \t"));
	}
	if (address)
		*address = '\0';
	if (address && *path == '/' && strcmp(path, loader) != 0 && !strlist_has(libraries, path))
		strlist_add(libraries, path);
	return 0;
}

static int list_libraries(const char *path, const char *loader, struct strlist *libraries,
			  struct error *err)
{
	const char *const argv[] = {loader, "--list", path, NULL};
	struct strbuf out = STRBUF_INIT;
	char *rest, *line;
	int ret = subprocess_output(argv, LOADER_TIMEOUT_MS, &out, err);

	if (ret)
		error_prefix(err, "cannot list the libraries of '%s': ", path);
	rest = out.buf;
	while (!ret && (line = strsep(&rest, "\n")))
		ret = parse_line(path, line, loader, libraries, err);
	strbuf_release(&out);
	return ret;
}

int elf_needs(const char *path, struct strbuf *loader, struct strbuf *interpreter,
	      struct strlist *libraries, struct error *err)
{
	union {
		Elf64_Ehdr eh;
		char text[512];
	} head = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s'", path);
	n = pread(fd, &head, sizeof(head), 0);
	if (n >= (ssize_t)sizeof(head.eh) && memcmp(head.eh.e_ident, ELFMAG, SELFMAG) == 0 &&
	    head.eh.e_ident[EI_CLASS] == ELFCLASS64)
		read_loader(fd, &head.eh, loader);
	else if (n > 2 && memcmp(head.text, "#!", 2) == 0)
		read_interpreter(head.text, n, interpreter);
	close(fd);
	if (n < 0)
		return error_sys(err, errno, "cannot read '%s'", path);
	return loader->len ? list_libraries(path, loader->buf, libraries, err) : 0;
}

int elf_machine(const char *path, struct error *err)
{
	Elf64_Ehdr eh = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s'", path);
	n = pread(fd, &eh, sizeof(eh), 0);
	close(fd);
	if (n < 0)
		return error_sys(err, errno, "cannot read '%s'", path);
	if (n < (ssize_t)sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG))
		return 0;
	return eh.e_machine;
}
