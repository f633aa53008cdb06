/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_EXPERIMENT_H
#define SCHEDBENCH_CONFIG_EXPERIMENT_H

#include "config/config.h"
#include "config/document.h"

/* What no schema says: ranges, names used twice, values that go together. */
int experiment_check(const struct document *doc, const struct experiment *e, struct error *err);

/* The files that an experiment names: there, valid, and fit for each other. */
int experiment_check_references(const struct document *doc, const struct experiment *e,
				struct error *err);

#endif
