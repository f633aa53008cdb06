/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_FIND_H
#define SCHEDBENCH_CONFIG_FIND_H

#include <stdbool.h>

#include "config/config.h"

/* A reference that is a path: it holds a slash or ends in .yaml. */
bool config_is_path(const char *name);

/* "demo" of "configs/experiments/demo.yaml". The caller frees it. */
char *config_stem(const char *path);

/* Absolute form of @path, which need not exist, seen from @folder. */
char *config_absolute(const char *folder, const char *path);

#endif
