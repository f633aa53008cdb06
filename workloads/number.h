/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_NUMBER_H
#define WORKLOADS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

/*
 * Numbers given as text, strictly: the whole text is the number or it is an error (ERROR_USAGE).
 * No blanks, no sign but a leading '-', no hexadecimal, nothing after the unit. @name is the
 * option that the message speaks of.
 */
int number_int(const char *name, const char *text, int64_t min, int64_t max, int64_t *value,
	       struct error *err);
int number_real(const char *name, const char *text, double min, double max, double *value,
		struct error *err);

/* Bytes; K, M and G (powers of 1024) may follow. */
int number_size(const char *name, const char *text, int64_t min, int64_t max, int64_t *value,
		struct error *err);

/* Nanoseconds; ns, us, ms, s, m or h may follow, else the number is in @unit. */
int number_time(const char *name, const char *text, const char *unit, int64_t min, int64_t max,
		int64_t *value, struct error *err);

/* Nanoseconds of one @unit, 0 if there is no such unit. */
int64_t number_unit_ns(const char *unit);

#endif
