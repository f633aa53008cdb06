// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "topology/domains.h"
#include "topology/draw.h"
#include "topology/machine_topology.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/subprocess.h"
#include "util/xalloc.h"

struct options {
	const char *name, *scale, *svg, *output;
	bool json, xml;
};

static const struct argp_option show_options[] = {
	{"scale", 's', "FRACTION", 0, "Of an emulated machine, such as 1/4", 0},
	{"svg", 'o', "FILE", 0, "Draw it as SVG (with lstopo of hwloc-nox)", 0},
	{"xml", 'x', NULL, 0, "Print hwloc's XML, which hwloc-calc and lstopo read", 0},
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{0}};

static const struct argp_option detect_options[] = {
	{"output", 'o', "FILE", 0, "Write there; default: standard output", 0}, {0}};

static error_t parse_show(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 's':
		o->scale = arg;
		return 0;
	case 'o':
		o->svg = arg;
		return 0;
	case 'x':
		o->xml = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->name)
			argp_error(state, "one machine only");
		o->name = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_detect(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (key != 'o')
		return ARGP_ERR_UNKNOWN;
	o->output = arg;
	return 0;
}

static const struct argp show_argp = {
	.options = show_options,
	.parser = parse_show,
	.args_doc = "NAME",
	.doc = "Draw the topology of a machine (NAME of configs/machines, or host) and the sched "
	       "domains that Linux builds on it.\v'schedbench list machines' names them all."};

static const struct argp detect_argp = {
	.options = detect_options,
	.parser = parse_detect,
	.doc = "Print the profile of an emulated machine with the topology of this host."};

static void print_domains(hwloc_topology_t t)
{
	struct sched_domain domains[DOMAINS_MAX];
	int cpu = hwloc_bitmap_first(hwloc_get_root_obj(t)->cpuset);
	unsigned count = sched_domains(t, (unsigned)cpu, domains);

	printf("\nsched domains of CPU %d\n", cpu);
	for (unsigned i = 0; i < count; i++) {
		char *list;

		hwloc_bitmap_list_asprintf(&list, domains[i].span);
		printf("  %-5s %4d CPUs  %s\n", domains[i].name,
		       hwloc_bitmap_weight(domains[i].span), list);
		free(list);
	}
	if (!count)
		printf("  none\n");
	sched_domains_release(domains, count);
}

static void print_text(const struct machine *m, hwloc_topology_t t)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s: %s (", m->name, m->title);
	topology_shape(t, &text);
	strbuf_addstr(&text, ")\n\n");
	topology_draw(t, &text);
	fputs(text.buf, stdout);
	strbuf_release(&text);
	print_domains(t);
}

static json_t *domains_json(hwloc_topology_t t)
{
	struct sched_domain domains[DOMAINS_MAX];
	int cpu = hwloc_bitmap_first(hwloc_get_root_obj(t)->cpuset);
	unsigned count = sched_domains(t, (unsigned)cpu, domains);
	json_t *all = json_array();

	for (unsigned i = 0; i < count; i++) {
		char *list;

		hwloc_bitmap_list_asprintf(&list, domains[i].span);
		json_array_append_new(all, json_pack("{s:s, s:s}", "name", domains[i].name, "cpus",
						     list));
		free(list);
	}
	sched_domains_release(domains, count);
	return all;
}

static void print_json(const struct machine *m, hwloc_topology_t t)
{
	static const struct {
		const char *key;
		hwloc_obj_type_t type;
	} counts[] = {{"packages", HWLOC_OBJ_PACKAGE},
		      {"numanodes", HWLOC_OBJ_NUMANODE},
		      {"l3", HWLOC_OBJ_L3CACHE},
		      {"cores", HWLOC_OBJ_CORE},
		      {"cpus", HWLOC_OBJ_PU}};
	struct strbuf shape = STRBUF_INIT;
	json_t *root;

	topology_shape(t, &shape);
	root = json_pack("{s:s, s:s, s:s, s:o}", "name", m->name, "title", m->title, "shape",
			 shape.buf, "domains", domains_json(t));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_object_set_new(root, counts[i].key,
				    json_integer(hwloc_get_nbobjs_by_type(t, counts[i].type)));
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
	strbuf_release(&shape);
}

static int print_xml(hwloc_topology_t t, struct error *err)
{
	char *xml;
	int len;

	if (hwloc_topology_export_xmlbuffer(t, &xml, &len, 0))
		return error_set(err, ERROR_FAILED, "hwloc cannot write the topology as XML");
	fwrite(xml, 1, (size_t)len - 1, stdout);
	hwloc_free_xmlbuffer(t, xml);
	return 0;
}

/* hwloc draws best; it reads its own XML from a file. */
static int draw_svg(hwloc_topology_t t, const char *output, struct error *err)
{
	char xml[] = "/tmp/schedbench-topology-XXXXXX";
	const char *argv[] = {"lstopo-no-graphics",
			      "--if",
			      "xml",
			      "-i",
			      xml,
			      "--of",
			      "svg",
			      "--force",
			      output,
			      NULL};
	struct strbuf out = STRBUF_INIT;
	int fd = mkstemp(xml), ret;

	if (fd < 0)
		return error_sys(err, errno, "cannot create '%s'", xml);
	close(fd);
	ret = hwloc_topology_export_xml(t, xml, 0)
		      ? error_set(err, ERROR_FAILED, "hwloc cannot write '%s'", xml)
		      : 0;
	if (!ret && subprocess_output(argv, 60000, &out, err))
		ret = error_prefix(err, "cannot draw '%s' (package hwloc-nox): ", output);
	strbuf_release(&out);
	unlink(xml);
	return ret;
}

static int show(const struct options *o, struct error *err)
{
	hwloc_topology_t t;
	struct machine *m;
	int ret = 0;

	if (machine_load(&m, o->name, err))
		return -1;
	if ((o->scale && machine_scale(m, o->scale, err)) || machine_topology(&t, m, err)) {
		machine_free(m);
		return -1;
	}
	if (o->svg)
		ret = draw_svg(t, o->svg, err);
	else if (o->xml)
		ret = print_xml(t, err);
	else if (o->json)
		print_json(m, t);
	else
		print_text(m, t);
	hwloc_topology_destroy(t);
	machine_free(m);
	return ret;
}

static int machine_show(int argc, char **argv, struct error *err)
{
	struct options o = {0};

	argp_parse(&show_argp, argc, argv, 0, NULL, &o);
	if (!o.name)
		return error_set(err, ERROR_USAGE, "which machine? (schedbench list machines)");
	return show(&o, err);
}

static int machine_detect(int argc, char **argv, struct error *err)
{
	struct options o = {0};
	struct strbuf text = STRBUF_INIT;
	struct machine *m;
	hwloc_topology_t t;
	int ret;

	argp_parse(&detect_argp, argc, argv, 0, NULL, &o);
	if (machine_load(&m, "host", err))
		return -1;
	ret = machine_topology(&t, m, err);
	machine_free(m);
	if (ret)
		return -1;
	ret = machine_profile_text(t, &text, err);
	hwloc_topology_destroy(t);
	if (!ret && o.output)
		ret = file_write(o.output, text.buf, text.len, err);
	else if (!ret)
		fwrite(text.buf, 1, text.len, stdout);
	strbuf_release(&text);
	return ret;
}

static const struct {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct error *err);
} commands[] = {
	{"show", "draw a machine and its sched domains", machine_show},
	{"detect", "print a profile with the topology of this host", machine_detect},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	printf("usage: schedbench machine COMMAND [ARGUMENTS]\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
	printf("\n'schedbench machine COMMAND --help' explains the options.\n");
}

int cmd_machine(int argc, char **argv, struct error *err)
{
	if (argc < 2)
		return error_set(err, ERROR_USAGE, "machine what? (show, detect)");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?")) {
		print_help();
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name)) {
			char *name = xasprintf("%s %s", argv[0], argv[1]);
			int ret;

			argv[1] = name;
			ret = commands[i].run(argc - 1, argv + 1, err);
			free(name);
			return ret;
		}
	return error_set(err, ERROR_USAGE, "no 'machine %s' (show, detect)", argv[1]);
}
