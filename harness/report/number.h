/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_REPORT_NUMBER_H
#define SCHEDBENCH_REPORT_NUMBER_H

#include <stdint.h>

#include "util/strbuf.h"

/* Numbers for machines, fast enough for a million of them. */

/* So that it reads back as the same number: 15 digits where they do, else 17. Finite ones only. */
void number_add(struct strbuf *out, double value);
void number_add_integer(struct strbuf *out, int64_t value);

#endif
