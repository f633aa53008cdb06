// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "config/clusters.h"
#include "config/config.h"
#include "config/find.h"
#include "config/scale.h"
#include "config/schema.h"
#include "config/values.h"
#include "util/xalloc.h"

/* Of NUMA nodes, as the firmware's table has them; QEMU's default for others is 20. */
enum { DISTANCE_LOCAL = 10, DISTANCE_OTHER = 20, DISTANCE_NONE = 255 };

/* What the file says; strings that become numbers are kept apart. */
struct machine_file {
	struct machine m;
	char *memory;
	char *boot_timeout;
};

static const cyaml_strval_t types[] = {{"host", MACHINE_HOST}, {"qemu", MACHINE_QEMU}};
static const cyaml_strval_t accels[] = {
	{"auto", ACCEL_AUTO}, {"kvm", ACCEL_KVM}, {"tcg", ACCEL_TCG}};

static const cyaml_schema_field_t topology_fields[] = {
	CYAML_FIELD_UINT("packages", CYAML_FLAG_OPTIONAL, struct topology, packages),
	CYAML_FIELD_UINT("dies", CYAML_FLAG_OPTIONAL, struct topology, dies),
	CYAML_FIELD_UINT("cores", CYAML_FLAG_DEFAULT, struct topology, cores),
	CYAML_FIELD_UINT("threads", CYAML_FLAG_OPTIONAL, struct topology, threads),
	CYAML_FIELD_UINT("nodes", CYAML_FLAG_OPTIONAL, struct topology, nodes),
	CYAML_FIELD_END};

static const cyaml_schema_field_t distance_fields[] = {
	CYAML_FIELD_UINT("near", CYAML_FLAG_OPTIONAL, struct topology, near),
	CYAML_FIELD_UINT("far", CYAML_FLAG_DEFAULT, struct topology, far), CYAML_FIELD_END};

static const cyaml_strval_t archs[] = {{"x86_64", ARCH_X86_64}, {"arm64", ARCH_ARM64}};
static const cyaml_strval_t times[] = {{"real", TIME_REAL}, {"virtual", TIME_VIRTUAL}};

static const cyaml_schema_field_t cluster_fields[] = {
	CYAML_FIELD_STRING_PTR("cpus", CYAML_FLAG_POINTER, struct cpu_cluster, cpus, 1, 1024),
	CYAML_FIELD_UINT("capacity", CYAML_FLAG_DEFAULT, struct cpu_cluster, capacity),
	CYAML_FIELD_END};

static const cyaml_schema_value_t cluster_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct cpu_cluster, cluster_fields)};

static const cyaml_schema_field_t fields[] = {
	CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct machine_file, m.name, 1, 64),
	CYAML_FIELD_STRING_PTR("title", CYAML_FLAG_POINTER, struct machine_file, m.title, 1, 200),
	CYAML_FIELD_ENUM("type", CYAML_FLAG_STRICT, struct machine_file, m.type, types, 2),
	CYAML_FIELD_ENUM("arch", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct machine_file,
			 m.arch, archs, 2),
	CYAML_FIELD_ENUM("time", CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, struct machine_file,
			 m.time, times, 2),
	CYAML_FIELD_SEQUENCE("clusters", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
			     struct machine_file, m.clusters, &cluster_schema, 1, 64),
	CYAML_FIELD_BOOL("shared_cache", CYAML_FLAG_OPTIONAL, struct machine_file, m.shared_cache),
	CYAML_FIELD_MAPPING("topology", CYAML_FLAG_OPTIONAL, struct machine_file, m.topology,
			    topology_fields),
	CYAML_FIELD_MAPPING("distances", CYAML_FLAG_OPTIONAL, struct machine_file, m.topology,
			    distance_fields),
	CYAML_FIELD_STRING_PTR("memory", CYAML_FLAG_POINTER, struct machine_file, memory, 1, 32),
	CYAML_FIELD_ENUM("accel", CYAML_FLAG_STRICT, struct machine_file, m.accel, accels, 3),
	CYAML_FIELD_STRING_PTR("cpu", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct machine_file,
			       m.cpu, 1, 200),
	CYAML_FIELD_STRING_PTR("cmdline", CYAML_FLAG_POINTER, struct machine_file, m.cmdline, 0,
			       1024),
	CYAML_FIELD_STRING_PTR("boot_timeout", CYAML_FLAG_POINTER, struct machine_file,
			       boot_timeout, 1, 32),
	CYAML_FIELD_END};

static const cyaml_schema_value_t top = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct machine_file, fields)};

static const char *const later[] = {"ssh",	  "address",   "kexec", "caches",
				    "capacities", "frequency", NULL};

static const struct schema schema = {&top, later};

const char *arch_name(enum kernel_arch arch)
{
	return archs[arch == ARCH_ARM64].str;
}

int machine_check_kernel(const struct machine *m, const struct kernel *k, struct error *err)
{
	if (m->type == MACHINE_HOST || k->source == KERNEL_RUNNING || k->arch == m->arch)
		return 0;
	return error_set(err, ERROR_USAGE,
			 "kernel '%s' is for %s and machine '%s' is %s (choose another machine or "
			 "a kernel with 'arch: %s')",
			 k->name, arch_name(k->arch), m->name, arch_name(m->arch),
			 arch_name(m->arch));
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	free(m->file);
	free(m->name);
	free(m->title);
	free(m->cpu);
	free(m->cmdline);
	free(m->scale);
	clusters_free(m);
	free(m);
}

static struct machine *host_machine(void)
{
	struct machine *m = xcalloc(1, sizeof(*m));

	m->name = xstrdup("host");
	m->boot_timeout_ms = 30000; /* of the agent's start */
	m->title = xstrdup("this machine");
	m->type = MACHINE_HOST;
	m->cmdline = xstrdup("");
	m->scale = xstrdup("1/1");
	return m;
}

static int set_defaults(const struct document *doc, struct error *err)
{
	struct node *root = doc->root;
	struct node *topology = node_get(root, "topology");
	const struct node *type = node_get(root, "type");
	char *stem = config_stem(doc->origin);
	const char *name = stem;

	node_default(root, "name", stem);
	if (node_get(root, "name")->type == NODE_SCALAR)
		name = node_get(root, "name")->value;
	node_default(root, "title", name);
	node_default(root, "type", "qemu");
	node_default(root, "memory", "1G");
	node_default(root, "accel", "auto");
	node_default(root, "cmdline", "");
	node_default(root, "boot_timeout", "300s");
	free(stem);
	if (type && type->type == NODE_SCALAR &&
	    (!strcmp(type->value, "kexec") || !strcmp(type->value, "ssh") ||
	     !strcmp(type->value, "remote")))
		return document_error(doc, type, err,
				      "type '%s' is not supported by this version (host and qemu "
				      "are)",
				      type->value);
	if (!topology || topology->type != NODE_MAPPING)
		return 0;
	node_default(topology, "packages", "1");
	node_default(topology, "dies", "1");
	node_default(topology, "threads", "1");
	return 0;
}

static int check_count(const struct document *doc, const char *key, unsigned value, unsigned max,
		       struct error *err)
{
	const struct node *topology = node_get(doc->root, "topology");
	const struct node *n = node_get(topology, key);

	if (value < 1 || value > max)
		return document_error(doc, n ? n : topology, err, "'%s' must be 1 to %u, not %u",
				      key, max, value);
	return 0;
}

static int check_topology(const struct document *doc, struct topology *t, struct error *err)
{
	const struct node *n = node_get(doc->root, "topology");

	if (!n)
		return document_error(doc, doc->root, err, "key 'topology' is missing");
	if (!node_get(n, "nodes"))
		t->nodes = t->packages;
	if (check_count(doc, "packages", t->packages, 64, err) ||
	    check_count(doc, "dies", t->dies, 64, err) ||
	    check_count(doc, "cores", t->cores, 1024, err) ||
	    check_count(doc, "threads", t->threads, 8, err) ||
	    check_count(doc, "nodes", t->nodes, 128, err))
		return -1;
	if (t->packages * t->dies * t->cores * t->threads > 4096)
		return document_error(doc, n, err, "%u CPUs are too many (at most 4096)",
				      t->packages * t->dies * t->cores * t->threads);
	if (!topology_nodes_fit(t))
		return document_error(doc, node_get(n, "nodes"), err,
				      "%u nodes cannot be spread evenly over %u packages with %u "
				      "dies of %u cores",
				      t->nodes, t->packages, t->dies, t->cores);
	return 0;
}

static int check_distances(const struct document *doc, struct topology *t, struct error *err)
{
	const struct node *n = node_get(doc->root, "distances");

	if (!n)
		t->far = DISTANCE_OTHER;
	if (!t->near)
		t->near = t->far;
	if (t->near <= DISTANCE_LOCAL || t->far < t->near || t->far >= DISTANCE_NONE)
		return document_error(doc, n, err,
				      "distances %u and %u: %d is local, then comes near (the same "
				      "package), then far, below %d",
				      t->near, t->far, DISTANCE_LOCAL, DISTANCE_NONE);
	return 0;
}

static int check_name(const struct document *doc, const struct machine *m, struct error *err)
{
	char *stem = config_stem(doc->origin);
	int ret = 0;

	if (!is_name(m->name))
		ret = document_error(doc, node_get(doc->root, "name"), err,
				     "'%s' is not a name (use letters, digits and . _ + -)",
				     m->name);
	else if (strcmp(stem, m->name))
		ret = document_error(doc, node_get(doc->root, "name"), err,
				     "name '%s' is not that of the file (call it %s.yaml)", m->name,
				     m->name);
	free(stem);
	return ret;
}

static int check_host(const struct document *doc, struct error *err)
{
	static const char *const guest_only[] = {"topology", "distances", "cpu",	 "arch",
						 "time",     "clusters",  "shared_cache"};

	for (unsigned i = 0; i < sizeof(guest_only) / sizeof(guest_only[0]); i++) {
		const struct node *n = node_get(doc->root, guest_only[i]);

		if (n)
			return document_error(doc, n, err,
					      "'%s' cannot be chosen on a machine of type host "
					      "(leave it out)",
					      n->key);
	}
	return 0;
}

static int convert_values(const struct document *doc, struct machine_file *f, struct error *err)
{
	const struct node *memory = node_get(doc->root, "memory");
	const struct node *timeout = node_get(doc->root, "boot_timeout");
	struct error reason = ERROR_INIT;

	if (parse_memory_mb(f->memory, &f->m.memory_mb, &reason))
		return document_error(doc, memory, err, "%s", reason.msg);
	if (parse_duration_ms(f->boot_timeout, &f->m.boot_timeout_ms, &reason))
		return document_error(doc, timeout, err, "%s", reason.msg);
	if (f->m.boot_timeout_ms < 1000)
		return document_error(doc, timeout, err, "no machine boots within '%s'",
				      f->boot_timeout);
	return 0;
}

static int check_machine(const struct document *doc, struct machine_file *f, struct error *err)
{
	struct machine *m = &f->m;

	if (check_name(doc, m, err) || convert_values(doc, f, err))
		return -1;
	if (m->type == MACHINE_HOST)
		return check_host(doc, err);
	if (clusters_check(doc, m, err) ||
	    (!m->clusters && check_topology(doc, &m->topology, err)) ||
	    check_distances(doc, &m->topology, err))
		return -1;
	if (m->memory_mb < 128 || m->memory_mb % m->topology.nodes)
		return document_error(doc, node_get(doc->root, "memory"), err,
				      "'%s' must be at least 128M and divide into %u nodes",
				      f->memory, m->topology.nodes);
	return 0;
}

static int machine_from_document(struct machine **out, const struct document *doc,
				 struct error *err)
{
	struct machine_file *f;
	void *data;
	int ret;

	if (set_defaults(doc, err) || schema_load(&schema, doc, &data, err))
		return -1;
	f = data;
	ret = check_machine(doc, f, err);
	*out = xcalloc(1, sizeof(**out));
	**out = f->m;
	(*out)->file = xstrdup(doc->origin);
	(*out)->scale = xstrdup("1/1");
	(*out)->full = f->m.topology;
	free(f->memory);
	free(f->boot_timeout);
	free(f);
	if (ret) {
		machine_free(*out);
		*out = NULL;
	}
	return ret;
}

int machine_load(struct machine **out, const char *name_or_path, struct error *err)
{
	struct document doc;
	char *path;
	int ret;

	*out = NULL;
	if (!strcmp(name_or_path, "host")) {
		*out = host_machine();
		return 0;
	}
	path = config_find(CONFIG_MACHINE, name_or_path, err);
	if (!path)
		return -1;
	ret = document_read(&doc, path, err);
	if (!ret) {
		ret = machine_from_document(out, &doc, err);
		document_release(&doc);
	}
	free(path);
	return ret;
}
