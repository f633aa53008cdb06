/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_JSON_H
#define WORKLOADS_JSON_H

#include <stdio.h>

/*
 * The little JSON that is written here, without a library: every shared object that the program
 * maps is copied at each fork(), and forks are what some generators measure.
 */
void json_string(FILE *out, const char *s);

/* The shortest text that reads back as @v; @v is finite. */
void json_real(FILE *out, double v);

#endif
