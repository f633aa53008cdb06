/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_STORE_SCHEMA_H
#define SCHEDBENCH_STORE_SCHEMA_H

/* PRAGMA application_id of the store: "SchB". */
#define STORE_APPLICATION_ID 0x53636842

/* Migrations in order: number N leads from user_version N to N + 1. Never change one that was
 * released, add one. */
extern const char *const store_migrations[];
extern const int store_version; /* the user_version after all of them */

#endif
