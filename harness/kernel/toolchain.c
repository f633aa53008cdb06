// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel/toolchain.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

#define VERSION_TIMEOUT 10000

static const struct {
	const char *machine; /* uname -m */
	const char *arch, *cross, *image, *gcc, *binutils;
} archs[] = {
	[ARCH_X86_64] = {"x86_64", "x86_64", "x86_64-linux-gnu-", "bzImage", "gcc-x86-64-linux-gnu",
			 "binutils-x86-64-linux-gnu"},
	[ARCH_ARM64] = {"aarch64", "arm64", "aarch64-linux-gnu-", "Image", "gcc-aarch64-linux-gnu",
			"binutils-aarch64-linux-gnu"},
};

/* First line of what "@cross@program --version" says; NULL: it cannot be run. */
static char *version_of(const char *cross, const char *program)
{
	char *name = xasprintf("%s%s", cross, program);
	const char *const argv[] = {name, "--version", NULL};
	struct error ignored = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	char *version = NULL;

	if (!subprocess_output(argv, VERSION_TIMEOUT, &out, &ignored))
		version = xstrndup(out.buf, strcspn(out.buf, "\n"));
	strbuf_release(&out);
	free(name);
	return version;
}

int toolchain_find(struct toolchain *t, enum kernel_arch arch, struct error *err)
{
	char *gcc, *ld;
	struct utsname u;
	bool native;
	int ret = 0;

	uname(&u);
	native = !strcmp(u.machine, archs[arch].machine);
	*t = (struct toolchain){.arch = archs[arch].arch,
				.cross = native ? "" : archs[arch].cross,
				.image = archs[arch].image};
	gcc = version_of(t->cross, "gcc");
	ld = gcc ? version_of(t->cross, "ld") : NULL;
	if (!gcc)
		ret = error_set(err, ERROR_FAILED,
				"no compiler: '%sgcc' cannot be run (package %s)", t->cross,
				native ? "gcc" : archs[arch].gcc);
	else if (!ld)
		ret = error_set(err, ERROR_FAILED, "no linker: '%sld' cannot be run (package %s)",
				t->cross, native ? "binutils" : archs[arch].binutils);
	else
		t->identity = xasprintf("%s, %s", gcc, ld);
	free(gcc);
	free(ld);
	return ret;
}

void toolchain_release(struct toolchain *t)
{
	free(t->identity);
	t->identity = NULL;
}

int toolchain_check_tools(struct error *err)
{
	/* The kernel's build calls these whatever the configuration is. */
	static const struct {
		const char *program, *package;
	} tools[] = {{"make", "make"}, {"gcc", "gcc"},	 {"flex", "flex"}, {"bison", "bison"},
		     {"bc", "bc"},     {"perl", "perl"}, {"awk", "mawk"},  {"xargs", "findutils"}};
	struct strbuf missing = STRBUF_INIT, packages = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *path = path_search(tools[i].program);

		if (!path) {
			strbuf_addf(&missing, "%s'%s'", missing.len ? ", " : "", tools[i].program);
			strbuf_addf(&packages, " %s", tools[i].package);
		}
		free(path);
	}
	if (missing.len)
		ret = error_set(err, ERROR_FAILED,
				"kernels cannot be built here: no %s (apt-get install%s)",
				missing.buf, packages.buf);
	strbuf_release(&missing);
	strbuf_release(&packages);
	return ret;
}

const char *package_for_error(const char *line)
{
	static const struct {
		const char *text, *package;
	} hints[] = {{"gelf.h", "libelf-dev"},	 {"libelf.h", "libelf-dev"},
		     {"openssl/", "libssl-dev"}, {"gmp.h", "libgmp-dev"},
		     {"lz4: ", "lz4"},		 {"lz4c: ", "lz4"},
		     {"lzop: ", "lzop"},	 {"zstd: ", "zstd"},
		     {"xz: ", "xz-utils"},	 {"cpio: ", "cpio"},
		     {"rsync: ", "rsync"},	 {"pahole: ", "dwarves"},
		     {"python3: ", "python3"},	 {"depmod: ", "kmod"}};

	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
		if (strstr(line, hints[i].text))
			return hints[i].package;
	return NULL;
}
