/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_MAIL_LOOKUP_H
#define SCHEDBENCH_MAIL_LOOKUP_H

#include "mail/mail.h"

/* Mails by their Message-Id: in folders, in what was fetched before, from lore. */

/*
 * The Message-Id that @word is: "<id>", "id", or an address of lore.kernel.org and of those that
 * lead there. NULL: it is none. The caller frees it.
 */
char *message_id_from(const char *word);

/* A mail of @box with that id. NULL: none. */
const struct mail *mailbox_find(const struct mailbox *box, const char *id);

/*
 * Add to @found->boxes every file of @folders (colon separated, looked into at any depth) in which
 * @id stands, as a Message-Id or as that of a mail that is answered.
 */
int lookup_folders(struct mail_found *found, const char *folders, const char *id,
		   struct error *err);

/* The thread of @id from lore, by b4, kept for the next time; added to @found->boxes. */
int lookup_fetch(struct mail_found *found, const char *id, bool offline, struct error *err);

#endif
