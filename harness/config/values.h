/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_VALUES_H
#define SCHEDBENCH_CONFIG_VALUES_H

#include <stdbool.h>

#include "util/error.h"

/* Values that YAML has no type for. */

/* "1024M" or "2G" in MiB; at most 16 TiB. */
int parse_memory_mb(const char *text, unsigned *mb, struct error *err);

/* "1/4" with 1 <= numerator <= denominator <= 65536. */
int parse_scale(const char *text, unsigned *num, unsigned *den, struct error *err);

/* Whether it is written in hwloc's language of locations, which only a topology can answer. */
bool is_location(const char *text);

/* CPU list such as "0-3,8", numbers ascending; *@highest is the last one. */
int parse_cpu_list(const char *text, unsigned *highest, struct error *err);

/* Letters, digits and . _ + - with a letter or digit first: safe in file names and on a command
 * line. */
bool is_name(const char *s);

#endif
