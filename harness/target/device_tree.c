// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <libfdt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/device_tree.h"
#include "target/qemu_command.h"
#include "util/file.h"
#include "util/strlist.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

/* What a CPU and a cluster add: names and values of a dozen properties. */
enum { ROOM_PER_CPU = 1024, DUMP_TIMEOUT_MS = 30000, DUMP_MAX = 4 << 20 };

/* Sizes of the caches are those of a Cortex-A57; nothing of the scheduler depends on them. */
struct property {
	const char *name;
	uint32_t value;
};

static const struct property cpu_caches[] = {
	{"d-cache-size", 0x8000}, {"d-cache-line-size", 64}, {"d-cache-sets", 256},
	{"i-cache-size", 0xc000}, {"i-cache-line-size", 64}, {"i-cache-sets", 256},
};

static const struct property second_level[] = {
	{"cache-level", 2},
	{"cache-size", 0x200000},
	{"cache-line-size", 64},
	{"cache-sets", 2048},
};

/* All calls after one that failed are left out; the first reason stays. */
struct tree {
	void *fdt;
	int failed; /* as of libfdt */
};

static void set_u32(struct tree *t, int node, const char *name, uint32_t value)
{
	if (!t->failed)
		t->failed = node < 0 ? node : fdt_setprop_u32(t->fdt, node, name, value);
}

static void set_all(struct tree *t, int node, const struct property *p, size_t count)
{
	for (size_t i = 0; i < count; i++)
		set_u32(t, node, p[i].name, p[i].value);
}

static int add_node(struct tree *t, int parent, const char *name)
{
	int node = t->failed ? t->failed : parent;

	if (node >= 0)
		node = fdt_add_subnode(t->fdt, parent, name);
	if (node < 0 && !t->failed)
		t->failed = node;
	return node;
}

static int cpu_node(const struct tree *t, unsigned cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/cpus/cpu@%u", cpu);
	return fdt_path_offset(t->fdt, path);
}

/* The number by which other nodes refer to the CPU. */
static uint32_t cpu_phandle(struct tree *t, unsigned cpu)
{
	int node = cpu_node(t, cpu);
	uint32_t phandle = node < 0 ? 0 : fdt_get_phandle(t->fdt, node);

	if (node >= 0 && !phandle && !t->failed) {
		t->failed = fdt_generate_phandle(t->fdt, &phandle);
		set_u32(t, node, "phandle", phandle);
	}
	return phandle;
}

static uint32_t add_cache(struct tree *t, unsigned number)
{
	uint32_t phandle = 0;
	char name[32];
	int node;

	snprintf(name, sizeof(name), "l2-cache%u", number);
	if (!t->failed)
		t->failed = fdt_generate_phandle(t->fdt, &phandle);
	node = add_node(t, fdt_path_offset(t->fdt, "/cpus"), name);
	set_u32(t, node, "phandle", phandle);
	set_all(t, node, second_level, sizeof(second_level) / sizeof(second_level[0]));
	if (!t->failed)
		t->failed = fdt_setprop_string(t->fdt, node, "compatible", "cache");
	if (!t->failed)
		t->failed = fdt_setprop_empty(t->fdt, node, "cache-unified");
	return phandle;
}

static void describe_cpus(struct tree *t, const struct machine *m)
{
	uint32_t shared = m->shared_cache ? add_cache(t, 0) : 0;

	for (unsigned i = 0; i < m->clusters_count; i++) {
		uint32_t cache = m->shared_cache ? shared : add_cache(t, i);

		for (unsigned cpu = 0; cpu < machine_cpus(m); cpu++) {
			if (!cluster_has(&m->clusters[i], cpu))
				continue;
			set_u32(t, cpu_node(t, cpu), "next-level-cache", cache);
			set_u32(t, cpu_node(t, cpu), "capacity-dmips-mhz", m->clusters[i].capacity);
			set_all(t, cpu_node(t, cpu), cpu_caches,
				sizeof(cpu_caches) / sizeof(cpu_caches[0]));
		}
	}
}

static void add_cores(struct tree *t, const struct machine *m, unsigned cluster, const char *path)
{
	unsigned cores = 0;

	for (unsigned cpu = 0; cpu < machine_cpus(m); cpu++) {
		uint32_t phandle;
		char name[32];
		int node;

		if (!cluster_has(&m->clusters[cluster], cpu))
			continue;
		phandle = cpu_phandle(t, cpu);
		snprintf(name, sizeof(name), "core%u", cores++);
		node = add_node(t, fdt_path_offset(t->fdt, path), name);
		set_u32(t, node, "cpu", phandle);
	}
}

/* One socket with the clusters in it. */
static void replace_map(struct tree *t, const struct machine *m)
{
	int old = fdt_path_offset(t->fdt, "/cpus/cpu-map");

	if (old >= 0 && !t->failed)
		t->failed = fdt_del_node(t->fdt, old);
	add_node(t, fdt_path_offset(t->fdt, "/cpus"), "cpu-map");
	add_node(t, fdt_path_offset(t->fdt, "/cpus/cpu-map"), "socket0");
	for (unsigned i = 0; i < m->clusters_count; i++) {
		static const char socket[] = "/cpus/cpu-map/socket0";
		char path[64];

		snprintf(path, sizeof(path), "%s/cluster%u", socket, i);
		add_node(t, fdt_path_offset(t->fdt, socket), strrchr(path, '/') + 1);
		add_cores(t, m, i, path);
	}
}

int device_tree_edit(struct strbuf *dtb, const struct machine *m, struct error *err)
{
	size_t size = dtb->len + (size_t)ROOM_PER_CPU * (machine_cpus(m) + 1);
	struct tree t = {.fdt = xmalloc(size)};

	t.failed = dtb->len < sizeof(struct fdt_header) ? -FDT_ERR_TRUNCATED
							: fdt_check_full(dtb->buf, dtb->len);
	if (!t.failed)
		t.failed = fdt_open_into(dtb->buf, t.fdt, (int)size);
	if (!t.failed) {
		describe_cpus(&t, m);
		replace_map(&t, m);
	}
	if (!t.failed)
		t.failed = fdt_pack(t.fdt);
	if (t.failed) {
		free(t.fdt);
		return error_set(err, ERROR_FAILED,
				 "cannot describe the CPUs of machine '%s' to its kernel: device "
				 "tree: %s",
				 m->name, fdt_strerror(t.failed));
	}
	strbuf_reset(dtb);
	strbuf_add(dtb, t.fdt, fdt_totalsize(t.fdt));
	free(t.fdt);
	return 0;
}

/* What QEMU itself would say about the machine. */
static int dump(const struct machine *m, const char *path, struct strbuf *dtb, struct error *err)
{
	struct strlist args = STRLIST_INIT;
	struct strbuf out = STRBUF_INIT;
	int ret = qemu_dump_command(&args, m, path, err);

	if (!ret && subprocess_output(strlist_argv(&args), DUMP_TIMEOUT_MS, &out, err))
		ret = error_prefix(err, "cannot get the device tree of machine '%s': ", m->name);
	if (!ret)
		ret = file_read(path, DUMP_MAX, dtb, err);
	strbuf_release(&out);
	strlist_release(&args);
	return ret;
}

int device_tree_make(char **path, const struct machine *m, struct error *err)
{
	char template[] = "/tmp/schedbench-devices.XXXXXX";
	int fd = mkostemp(template, O_CLOEXEC);
	struct strbuf dtb = STRBUF_INIT;
	int ret;

	if (fd < 0)
		return error_sys(err, errno, "cannot create a file in /tmp");
	close(fd);
	ret = dump(m, template, &dtb, err) || device_tree_edit(&dtb, m, err) ||
	      file_write(template, dtb.buf, dtb.len, err);
	strbuf_release(&dtb);
	if (ret) {
		unlink(template);
		return -1;
	}
	*path = xstrdup(template);
	return 0;
}
