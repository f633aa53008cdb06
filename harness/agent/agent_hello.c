// SPDX-License-Identifier: GPL-2.0-or-later
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/agent.h"
#include "util/file.h"

#define TEXT_MAX  65536
#define HWLOC_MAX (640 * 1024) /* leaves room for the escapes and the rest of the line */

static json_t *file_text(const char *path)
{
	struct error ignored = ERROR_INIT;
	struct strbuf sb = STRBUF_INIT;
	json_t *text;

	if (file_read(path, TEXT_MAX, &sb, &ignored)) {
		strbuf_release(&sb);
		return json_null();
	}
	while (sb.len && strchr("\n ", sb.buf[sb.len - 1]))
		sb.buf[--sb.len] = '\0';
	text = protocol_string(sb.buf, sb.len);
	strbuf_release(&sb);
	return text;
}

static json_t *features_text(void)
{
	char *text = switches_features();
	json_t *js = text ? protocol_string(text, strlen(text)) : json_null();

	free(text);
	return js;
}

/* The topology as hwloc sees it from here; null if hwloc fails or it is too large for a line. */
static json_t *topology_text(void)
{
	hwloc_topology_t topology;
	json_t *js = NULL;
	char *xml;
	int len;

	if (hwloc_topology_init(&topology))
		return json_null();
	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
	if (!hwloc_topology_load(topology) &&
	    !hwloc_topology_export_xmlbuffer(topology, &xml, &len, 0)) {
		if (len > 1 && len <= HWLOC_MAX)
			js = protocol_string(xml, len - 1);
		hwloc_free_xmlbuffer(topology, xml);
	}
	hwloc_topology_destroy(topology);
	return js ? js : json_null();
}

json_t *agent_describe(const struct agent *a)
{
	struct utsname u;

	uname(&u);
	return json_pack("{si ss so so ss sI so so sO}", "protocol", PROTOCOL_VERSION, "release",
			 u.release, "version", file_text("/proc/version"), "cmdline",
			 file_text("/proc/cmdline"), "arch", u.machine, "cpus",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "features", features_text(),
			 "hwloc", topology_text(), "restored", a->recovered);
}
