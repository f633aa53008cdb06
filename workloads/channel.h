/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WORKLOADS_CHANNEL_H
#define WORKLOADS_CHANNEL_H

#include <stddef.h>

#include "error.h"

enum channel_kind {
	CHANNEL_SOCKET, /* AF_UNIX stream socket pair */
	CHANNEL_PIPE,
	CHANNEL_INET, /* TCP over 127.0.0.1, a port of the kernel's choice */
};

/* Open a channel: fds[0] is read from, fds[1] is written to. */
int channel_open(enum channel_kind kind, int fds[2], struct error *err);

/*
 * A connected pair of TCP or UDP sockets on 127.0.0.1, on ports of the kernel's choice. @type is
 * SOCK_STREAM or SOCK_DGRAM; fds[0] is the server's end (of a datagram pair: not connected).
 */
int channel_inet_pair(int type, int fds[2], struct error *err);

/*
 * Move exactly @size bytes, one call if the kernel takes them whole. -1 with @err set; the other
 * end gone is an error too.
 */
int channel_write(int fd, const void *data, size_t size, struct error *err);
int channel_read(int fd, void *data, size_t size, struct error *err);

/* The same with send() and recv(), for sockets. */
int channel_send(int fd, const void *data, size_t size, struct error *err);

/* 1: @size bytes have come, 0: the other end closed before the first one. @flags are recv()'s. */
int channel_receive(int fd, char *data, size_t size, int flags, struct error *err);

#endif
