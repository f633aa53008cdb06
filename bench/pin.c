// SPDX-License-Identifier: GPL-2.0-or-later
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "topology/location.h"
#include "topology/machine_topology.h"
#include "util/strbuf.h"

struct options {
	const char *machine, *scale;
	struct strbuf location;
	bool json, mask, count;
};

static const struct argp_option option_table[] = {
	{"machine", 'm', "NAME", 0, "Machine profile; default: host", 0},
	{"scale", 's', "FRACTION", 0, "Of an emulated machine, such as 1/4", 0},
	{"mask", 'x', NULL, 0, "Print a mask, as hwloc-calc does", 0},
	{"count", 'n', NULL, 0, "Print how many CPUs there are", 0},
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'm':
		o->machine = arg;
		return 0;
	case 's':
		o->scale = arg;
		return 0;
	case 'x':
		o->mask = true;
		return 0;
	case 'n':
		o->count = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		strbuf_addf(&o->location, "%s%s", o->location.len ? " " : "", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "LOCATION...",
	.doc = "Print the CPUs that LOCATION names, the language of 'pin:' in experiments, which "
	       "is "
	       "that of hwloc-calc.\v"
	       "  package:0             all CPUs of the first package\n"
	       "  l3:0-3.core:0.pu:0    the first thread of a core in each of four caches\n"
	       "  numanode:1 ~core:0    terms are added; ~ takes out, x keeps what both have,\n"
	       "                        ^ what one of them has\n"
	       "  core:odd  core:2-  pu:14:4 (4 from 14 on)  all  0xff  0-3,8\n"
	       "  ccd:0                 a last-level cache"};

static void print_cpus(const struct options *o, hwloc_const_bitmap_t cpus)
{
	char *list, *mask;

	hwloc_bitmap_list_asprintf(&list, cpus);
	hwloc_bitmap_asprintf(&mask, cpus);
	if (o->json) {
		json_t *root = json_pack("{s:s, s:s, s:s, s:i}", "location", o->location.buf,
					 "cpus", list, "mask", mask, "count",
					 hwloc_bitmap_weight(cpus));

		json_dumpf(root, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(root);
	} else if (o->count) {
		printf("%d\n", hwloc_bitmap_weight(cpus));
	} else {
		puts(o->mask ? mask : list);
	}
	free(list);
	free(mask);
}

static int pin(const struct options *o, struct error *err)
{
	hwloc_topology_t topology;
	hwloc_bitmap_t cpus;
	struct machine *m;
	int ret;

	if (machine_load(&m, o->machine ? o->machine : "host", err))
		return -1;
	ret = (o->scale && machine_scale(m, o->scale, err)) || machine_topology(&topology, m, err)
		      ? -1
		      : 0;
	machine_free(m);
	if (ret)
		return ret;
	cpus = hwloc_bitmap_alloc();
	ret = location_cpus(topology, o->location.buf, cpus, err);
	if (!ret)
		print_cpus(o, cpus);
	hwloc_bitmap_free(cpus);
	hwloc_topology_destroy(topology);
	return ret;
}

int cmd_pin(int argc, char **argv, struct error *err)
{
	struct options o = {.location = STRBUF_INIT};
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.location.len)
		ret = error_set(err, ERROR_USAGE, "which location? (%s; e.g. package:0)",
				argp.args_doc);
	else
		ret = pin(&o, err);
	strbuf_release(&o.location);
	return ret;
}
