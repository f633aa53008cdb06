/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SCHEDBENCH_KERNEL_MIRRORS_H
#define SCHEDBENCH_KERNEL_MIRRORS_H

/* Where Debian and its security archive are fetched from; NULL: not known. */
struct mirrors {
	char *debian;
	char *security;
};

/*
 * What the text of a sources file (sources.list(5)) says about Debian's own archives; a mirror that
 * is known already stays. Archives of others are passed over: those signed with another key than
 * Debian's, and where no key is named those whose address does not end in /debian or
 * /debian-security.
 */
void mirrors_from_list(struct mirrors *m, const char *text); /* one line a source */
void mirrors_from_deb822(struct mirrors *m, const char *text);

/* Those of this machine's apt, deb.debian.org where it names none. */
void mirrors_of_host(struct mirrors *m);

void mirrors_release(struct mirrors *m);

#endif
