/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_AGENT_AGENT_LIST_H
#define SCHEDBENCH_AGENT_AGENT_LIST_H

#include <stddef.h>

/*
 * Lists of CPUs or nodes as the kernel writes them: "0-3,8". Sets the bits in @mask of @bits bits.
 * -1: not such a list, or a number too large.
 */
int list_parse(const char *text, unsigned long *mask, size_t bits);

#endif
