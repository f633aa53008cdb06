// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"

static int loopback_socket(int type, struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), saved;

	*addr = (struct sockaddr_in){.sin_family = AF_INET};
	addr->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0)
		return -1;
	if (!bind(fd, (struct sockaddr *)addr, sizeof(*addr)) &&
	    !getsockname(fd, (struct sockaddr *)addr, &len))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* Accept until the peer is @client: anybody on the machine may connect to a port. */
static int accept_from(int listener, const struct sockaddr_in *client)
{
	for (;;) {
		struct sockaddr_in peer;
		socklen_t len = sizeof(peer);
		int fd = accept4(listener, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC);

		if (fd < 0 || (peer.sin_port == client->sin_port &&
			       peer.sin_addr.s_addr == client->sin_addr.s_addr))
			return fd;
		close(fd);
	}
}

int channel_inet_pair(int type, int fds[2], struct error *err)
{
	struct sockaddr_in server, client;
	int listener = loopback_socket(type, &server);

	fds[0] = -1;
	fds[1] = listener < 0 ? -1 : loopback_socket(type, &client);
	if (fds[1] < 0 || (type == SOCK_STREAM && listen(listener, 4)) ||
	    connect(fds[1], (struct sockaddr *)&server, sizeof(server)))
		goto fail;
	if (type == SOCK_DGRAM) {
		fds[0] = listener;
		return 0;
	}
	fds[0] = accept_from(listener, &client);
	if (fds[0] < 0)
		goto fail;
	close(listener);
	return 0;
fail:
	error_sys(err, errno, "cannot connect two sockets over 127.0.0.1");
	if (fds[1] >= 0)
		close(fds[1]);
	if (listener >= 0)
		close(listener);
	return -1;
}

int channel_open(enum channel_kind kind, int fds[2], struct error *err)
{
	switch (kind) {
	case CHANNEL_SOCKET:
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
			return error_sys(err, errno, "cannot open a socket pair");
		return 0;
	case CHANNEL_PIPE:
		if (pipe2(fds, O_CLOEXEC))
			return error_sys(err, errno, "cannot open a pipe");
		return 0;
	case CHANNEL_INET:
		return channel_inet_pair(SOCK_STREAM, fds, err);
	}
	return error_set(err, ERROR_FAILED, "channel of an unknown kind");
}

int channel_write(int fd, const void *data, size_t size, struct error *err)
{
	const char *p = data;

	while (size) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot write");
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int channel_read(int fd, void *data, size_t size, struct error *err)
{
	char *p = data;

	while (size) {
		ssize_t n = read(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot read");
		if (!n)
			return error_set(err, ERROR_FAILED, "the other end is gone");
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int channel_send(int fd, const void *data, size_t size, struct error *err)
{
	const char *p = data;

	while (size) {
		ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(err, errno, "cannot send");
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int channel_receive(int fd, char *data, size_t size, int flags, struct error *err)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = recv(fd, data + have, size - have, MSG_WAITALL | flags);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return error_set(err, ERROR_FAILED, "no answer within the timeout");
		if (n < 0)
			return error_sys(err, errno, "cannot receive");
		if (!n && !have)
			return 0;
		if (!n)
			return error_set(err, ERROR_FAILED, "the other end is gone");
		have += (size_t)n;
	}
	return 1;
}
