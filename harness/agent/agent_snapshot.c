// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"

#define SNAPSHOT_MAX (64 * 1024 * 1024)
#define READ_SIZE    65536
#define CHUNK_SIZE   (128 * 1024) /* fits into a line even if every byte must be escaped */

/* 1: read, 0: not there or not readable, -1: not to be read. Never blocks. */
static int read_file(const char *path, struct strbuf *out, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(err, ERROR_FAILED, "'%s' is not a regular file", path);
	}
	do {
		strbuf_reserve(out, READ_SIZE);
		n = read(fd, out->buf + out->len, READ_SIZE);
		if (n > 0)
			out->len += n;
		out->buf[out->len] = '\0';
	} while (out->len <= SNAPSHOT_MAX && (n > 0 || (n < 0 && errno == EINTR)));
	close(fd);
	if (out->len > SNAPSHOT_MAX)
		return error_set(err, ERROR_FAILED, "'%s' is larger than 64 MiB", path);
	return n < 0 ? 0 : 1;
}

json_t *agent_snapshot_take(const json_t *files, struct error *err)
{
	json_t *snapshot = json_object();
	json_t *file;
	size_t i;

	json_array_foreach (files, i, file) {
		const char *path = json_string_value(file);
		struct strbuf text = STRBUF_INIT;
		int ret = path && path[0] == '/'
				  ? read_file(path, &text, err)
				  : error_set(err, ERROR_FAILED,
					      "files of a snapshot must be absolute paths");

		if (ret >= 0)
			json_object_set_new(snapshot, path,
					    ret ? protocol_string(text.buf, text.len)
						: json_null());
		strbuf_release(&text);
		if (ret < 0) {
			json_decref(snapshot);
			return NULL;
		}
	}
	return snapshot;
}

static void send_chunk(struct agent *a, json_int_t id, const char *when, const char *path,
		       json_t *text)
{
	json_t *event = json_pack("{sI ss ss so}", "id", id, "event", "snapshot", "path", path,
				  "text", text);

	if (when)
		json_object_set_new(event, "when", json_string(when));
	agent_send(a, event);
}

void agent_snapshot_send(struct agent *a, json_int_t id, const char *when, const json_t *snapshot)
{
	json_t *object = (json_t *)snapshot, *value;
	const char *path;

	json_object_foreach (object, path, value) {
		const char *text = json_string_value(value);
		size_t left = json_string_length(value);

		if (!text)
			send_chunk(a, id, when, path, json_null());
		for (bool first = true; text && (first || left); first = false) {
			size_t n = protocol_cut(text, left, CHUNK_SIZE);

			send_chunk(a, id, when, path, protocol_string(text, n));
			text += n;
			left -= n;
		}
	}
}
