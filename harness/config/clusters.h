/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_CLUSTERS_H
#define SCHEDBENCH_CONFIG_CLUSTERS_H

#include <stdbool.h>

#include "config/config.h"
#include "config/document.h"

/*
 * Machines that consist of clusters of CPUs instead of packages of cores: check what the file
 * says about arch, time, clusters and shared_cache, and derive the machine's topology from the
 * clusters. The CPUs of all clusters have to be 0 to N - 1, each once; one capacity is 1024, to
 * which the kernel would scale them anyhow.
 */
int clusters_check(const struct document *doc, struct machine *m, struct error *err);

void clusters_free(struct machine *m);

#endif
