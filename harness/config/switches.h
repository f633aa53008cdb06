/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_CONFIG_SWITCHES_H
#define SCHEDBENCH_CONFIG_SWITCHES_H

#include "config/document.h"

/*
 * Check the run-time switches of a kernel or a variant: @owner's member "features" with sched
 * features (upper case names, true or false) and "sysctl" with dotted names. Types have been
 * checked before.
 */
int switches_check(const struct document *doc, const struct node *owner, struct error *err);

#endif
