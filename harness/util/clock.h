/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_UTIL_CLOCK_H
#define SCHEDBENCH_UTIL_CLOCK_H

#include <stdint.h>

double monotonic_s(void); /* CLOCK_MONOTONIC in seconds */
int64_t realtime_ns(void); /* CLOCK_REALTIME in nanoseconds */

#endif
