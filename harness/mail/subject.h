/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_SUBJECT_H
#define SCHEDBENCH_MAIL_SUBJECT_H

#include "mail/mail.h"

/* What @m->subject says: title, reply, patch, version, number and total. */
void subject_parse(struct mail *m);

/* Seconds since 1970 of a date as mails and archives write it; MAIL_NO_TIME: none. */
int64_t mail_date_parse(const char *s);

/* The Message-Id in @value: what is between "<" and ">", or else the first word. NULL: none. */
char *message_id_of(const char *value);
void message_ids_of(const char *value, struct strlist *ids);

#endif
