// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent_journal.h"
#include "agent/agent_switch.h"
#include "agent/protocol.h"
#include "util/file.h"
#include "util/strbuf.h"
#include "util/xalloc.h"

#define SWITCH_TEXT_MAX	 4096
#define FEATURES_MAX	 65536
#define FEATURE_NAME_MAX 128

/* Since 5.13, and before. */
static const char *const features_paths[] = {"/sys/kernel/debug/sched/features",
					     "/sys/kernel/debug/sched_features"};

struct switches {
	char *folder; /* of the journal; NULL: none */
	int lock; /* held from the first change until everything is back; -1 */
	struct changes changes;
};

struct switches *switches_new(const char *folder)
{
	struct switches *sw = xcalloc(1, sizeof(*sw));

	sw->folder = folder ? xstrdup(folder) : NULL;
	sw->lock = -1;
	return sw;
}

static void unlock(struct switches *sw)
{
	if (sw->lock >= 0)
		close(sw->lock);
	sw->lock = -1;
}

void switches_free(struct switches *sw)
{
	if (!sw)
		return;
	unlock(sw);
	changes_truncate(&sw->changes, 0);
	free(sw->folder);
	free(sw);
}

static const char *features_path(void)
{
	for (size_t i = 0; i < sizeof(features_paths) / sizeof(features_paths[0]); i++)
		if (path_exists(features_paths[i]))
			return features_paths[i];
	return NULL;
}

static char *read_text(const char *path, size_t max, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;

	if (file_read(path, max, &sb, err)) {
		strbuf_release(&sb);
		return NULL;
	}
	while (sb.len && strchr("\n\r\t ", sb.buf[sb.len - 1]))
		sb.buf[--sb.len] = '\0';
	return strbuf_detach(&sb);
}

char *switches_features(void)
{
	const char *path = features_path();
	struct error ignored = ERROR_INIT;

	return path ? read_text(path, FEATURES_MAX, &ignored) : NULL;
}

/* The next token of @p, separated by white space; false at the end. */
static bool next_token(const char **p, const char **token, size_t *len)
{
	*p += strspn(*p, " \t\n\r");
	*token = *p;
	*len = strcspn(*p, " \t\n\r");
	*p += *len;
	return *len > 0;
}

static bool has_token(const char *text, const char *want)
{
	const char *token;
	size_t len;

	while (next_token(&text, &token, &len))
		if (len == strlen(want) && !memcmp(token, want, len))
			return true;
	return false;
}

static bool same_token(const char *a, size_t a_len, const char *b, size_t b_len)
{
	char x[32], y[32], *x_end, *y_end;
	long long m, n;

	if (a_len == b_len && !memcmp(a, b, a_len))
		return true;
	if (a_len >= sizeof(x) || b_len >= sizeof(y))
		return false;
	memcpy(x, a, a_len);
	memcpy(y, b, b_len);
	x[a_len] = y[b_len] = '\0';
	m = strtoll(x, &x_end, 0);
	n = strtoll(y, &y_end, 0);
	return !*x_end && !*y_end && m == n;
}

/* The kernel answers in its own form: tabs for blanks, decimal for hexadecimal. */
static bool same_value(const char *a, const char *b)
{
	const char *x, *y;
	size_t x_len, y_len;
	bool more_a, more_b;

	do {
		more_a = next_token(&a, &x, &x_len);
		more_b = next_token(&b, &y, &y_len);
		if (more_a != more_b || (more_a && !same_token(x, x_len, y, y_len)))
			return false;
	} while (more_a);
	return true;
}

/* Of a file that lists its choices, "always [madvise] never", the chosen one; else @text itself. */
static char *current_choice(char *text)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	char *choice;

	if (!close || strchr(close, '[') || !strpbrk(text, " \t"))
		return text;
	choice = xstrndup(open + 1, close - open - 1);
	free(text);
	return choice;
}

static int write_switch(const char *path, const char *value, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int ret = 0;
	ssize_t n;

	if (fd < 0)
		return error_sys(err, errno, "cannot open '%s'", path);
	n = write(fd, value, strlen(value));
	if (n != (ssize_t)strlen(value))
		ret = error_sys(err, n < 0 ? errno : EIO, "cannot write '%s' to '%s'", value, path);
	close(fd);
	return ret;
}

/* A change that is wanted, found in the kernel and not made yet. */
struct wanted {
	char *path, *value, *old;
	const char *kind, *name;
	bool feature;
};

static bool plain_path(const char *path)
{
	return !strstr(path, "/../") && !strstr(path, "//") && !strstr(path, "/./") &&
	       path[strlen(path) - 1] != '/';
}

static int find_feature(struct wanted *w, bool on, struct error *err)
{
	const char *path = features_path();
	char *text, *no;

	if (!path)
		return error_set(err, ERROR_FAILED,
				 "this kernel shows no sched features, so '%s' cannot be set "
				 "(needs debugfs at /sys/kernel/debug and CONFIG_SCHED_DEBUG)",
				 w->name);
	text = read_text(path, FEATURES_MAX, err);
	if (!text)
		return -1;
	no = xasprintf("NO_%s", w->name);
	if (strlen(w->name) < FEATURE_NAME_MAX && strncmp(w->name, "NO_", 3)) {
		if (has_token(text, w->name))
			w->old = xstrdup(w->name);
		else if (has_token(text, no))
			w->old = xstrdup(no);
	}
	w->path = xstrdup(path);
	w->value = xstrdup(on ? w->name : no);
	w->feature = true;
	free(text);
	free(no);
	if (!w->old)
		return error_set(err, ERROR_FAILED, "this kernel has no sched feature '%s'",
				 w->name);
	return 0;
}

static int find_file(struct wanted *w, const char *value, struct error *err)
{
	struct error why = ERROR_INIT;
	struct stat st;

	w->value = xstrdup(value);
	if (lstat(w->path, &st))
		return error_set(err, ERROR_FAILED, "this kernel has no %s '%s'", w->kind, w->name);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_FAILED, "%s '%s' is not a file that holds a value",
				 w->kind, w->name);
	w->old = read_text(w->path, SWITCH_TEXT_MAX, &why);
	if (!w->old)
		return error_set(err, ERROR_FAILED, "%s '%s' cannot be remembered: %s", w->kind,
				 w->name, why.msg);
	w->old = current_choice(w->old);
	if (protocol_valid(w->old, strlen(w->old)))
		return 0;
	return error_set(err, ERROR_FAILED, "%s '%s' does not hold text", w->kind, w->name);
}

/* As sysctl(8): the first separator, dot or slash, says which one parts the name. */
static int find_sysctl(struct wanted *w, const char *value, struct error *err)
{
	size_t first = strcspn(w->name, "./");

	w->path = xasprintf("/proc/sys/%s", w->name);
	if (w->name[first] == '.')
		for (char *p = w->path + strlen("/proc/sys/"); *p; p++)
			*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	if (!w->name[0] || !plain_path(w->path))
		return error_set(err, ERROR_FAILED, "'%s' is not the name of a sysctl", w->name);
	return find_file(w, value, err);
}

static int find_path(struct wanted *w, const char *value, struct error *err)
{
	if ((strncmp(w->name, "/sys/", 5) && strncmp(w->name, "/proc/sys/", 10)) ||
	    !plain_path(w->name))
		return error_set(err, ERROR_FAILED, "'%s' is not a path below /sys or /proc/sys",
				 w->name);
	w->path = xstrdup(w->name);
	return find_file(w, value, err);
}

struct wanted_list {
	struct wanted *items;
	size_t count, cap;
};

static void wanted_release(struct wanted_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->items[i].path);
		free(l->items[i].value);
		free(l->items[i].old);
	}
	free(l->items);
}

/* Look one kind of switches up; @kind as in the request. */
static int find_all(struct wanted_list *l, const char *kind, const json_t *switches,
		    struct error *err)
{
	json_t *object = (json_t *)switches, *value;
	const char *name;
	int ret = 0;

	if (object && !json_is_object(object))
		return error_set(err, ERROR_FAILED, "'%s' must be an object", kind);
	json_object_foreach (object, name, value) {
		bool feature = !strcmp(kind, "features");
		struct wanted *w;

		if (feature ? !json_is_boolean(value) : !json_is_string(value))
			return error_set(err, ERROR_FAILED, "value of '%s' must be a %s", name,
					 feature ? "boolean" : "string");
		xgrow(l->items, l->count, l->cap);
		w = &l->items[l->count++];
		*w = (struct wanted){.kind = strcmp(kind, "files") ? kind : "file", .name = name};
		if (feature)
			ret = find_feature(w, json_is_true(value), err);
		else if (!strcmp(kind, "sysctl"))
			ret = find_sysctl(w, json_string_value(value), err);
		else
			ret = find_path(w, json_string_value(value), err);
		if (ret)
			return ret;
	}
	return 0;
}

static int verify(const struct wanted *w, struct error *err)
{
	char *text = read_text(w->path, w->feature ? FEATURES_MAX : SWITCH_TEXT_MAX, err);
	int ret = 0;

	if (!text)
		return -1;
	if (!w->feature)
		text = current_choice(text);
	if (w->feature ? !has_token(text, w->value) : !same_value(text, w->value))
		ret = error_set(err, ERROR_FAILED,
				"'%s' was set to '%s' and reads back as '%.256s'", w->name,
				w->value, w->feature ? w->old : text);
	free(text);
	return ret;
}

static bool unchanged(const struct wanted *w)
{
	return w->feature ? !strcmp(w->old, w->value) : same_value(w->old, w->value);
}

/* A switch that was changed before keeps its first value. */
static bool remembered(const struct switches *sw, const struct wanted *w)
{
	const char *name = w->feature ? w->name : NULL;

	for (size_t i = 0; i < sw->changes.count; i++) {
		const struct change *c = &sw->changes.items[i];
		const char *old = strncmp(c->old, "NO_", 3) ? c->old : c->old + 3;

		if (!strcmp(c->path, w->path) && (!name || !strcmp(old, name)))
			return true;
	}
	return false;
}

static int put_back(const struct changes *c, struct error *err)
{
	struct error first = ERROR_INIT, next = ERROR_INIT;

	/* What is gone, a control group for one, needs nothing. */
	for (size_t i = c->count; i-- > 0;)
		if (path_exists(c->items[i].path) &&
		    write_switch(c->items[i].path, c->items[i].old, &next) && !first.kind)
			first = next;
	if (!first.kind)
		return 0;
	*err = first;
	return error_prefix(err, "a switch could not be put back: ");
}

static int record(struct switches *sw, const struct wanted *w, struct error *err)
{
	if (remembered(sw, w))
		return 0;
	changes_add(&sw->changes, xstrdup(w->path), xstrdup(w->old), xstrdup(w->value));
	return sw->folder ? journal_write(sw->folder, &sw->changes, err) : 0;
}

static int apply(struct switches *sw, const struct wanted *w, struct error *err)
{
	if (unchanged(w))
		return 0;
	return record(sw, w, err) || write_switch(w->path, w->value, err) || verify(w, err) ? -1
											    : 0;
}

/* Undo the first @n of @l after a failure; @err keeps its cause. */
static void roll_back(struct switches *sw, const struct wanted_list *l, size_t n, size_t changes)
{
	struct error ignored = ERROR_INIT;

	for (size_t i = n; i-- > 0;)
		if (!unchanged(&l->items[i]))
			write_switch(l->items[i].path, l->items[i].old, &ignored);
	changes_truncate(&sw->changes, changes);
	/* Without the lock the journal is somebody else's. */
	if (sw->lock >= 0)
		journal_write(sw->folder, &sw->changes, &ignored);
}

static int recover_locked(const char *folder, json_t *restored, struct error *err)
{
	struct changes c;
	int ret = journal_read(folder, &c, err);

	if (ret <= 0)
		return ret;
	for (size_t i = c.count; restored && i-- > 0;)
		json_array_append_new(restored,
				      json_sprintf("%s: %s", c.items[i].path, c.items[i].old));
	ret = put_back(&c, err);
	changes_truncate(&c, 0);
	return ret ? ret : journal_write(folder, &c, err);
}

int switches_recover(const char *folder, json_t *restored, struct error *err)
{
	int lock, ret;

	if (!journal_exists(folder))
		return 0;
	lock = journal_lock(folder, err);
	if (lock < 0)
		return err->kind == ERROR_USAGE ? 0 : -1;
	ret = recover_locked(folder, restored, err);
	close(lock);
	return ret;
}

static int take_lock(struct switches *sw, struct error *err)
{
	if (!sw->folder || sw->lock >= 0)
		return 0;
	sw->lock = journal_lock(sw->folder, err);
	if (sw->lock < 0)
		return -1;
	/* Its owner may have died since this process started. */
	if (!recover_locked(sw->folder, NULL, err))
		return 0;
	unlock(sw);
	return -1;
}

static json_t *old_values(const struct wanted_list *l)
{
	json_t *old = json_pack("{s{} s{} s{}}", "features", "sysctl", "files");

	for (size_t i = 0; i < l->count; i++) {
		const struct wanted *w = &l->items[i];
		json_t *kind = json_object_get(old, strcmp(w->kind, "file") ? w->kind : "files");

		json_object_set_new(kind, w->name,
				    w->feature ? json_boolean(!strcmp(w->old, w->name))
					       : json_string(w->old));
	}
	return old;
}

int switches_set(struct switches *sw, const json_t *features, const json_t *sysctl,
		 const json_t *files, json_t **old, struct error *err)
{
	struct wanted_list l = {0};
	size_t before = sw->changes.count, i = 0;
	int ret = take_lock(sw, err);

	if (!ret)
		ret = find_all(&l, "features", features, err) ||
		      find_all(&l, "sysctl", sysctl, err) || find_all(&l, "files", files, err);
	for (i = 0; !ret && i < l.count; i++)
		ret = apply(sw, &l.items[i], err);
	if (ret)
		roll_back(sw, &l, i, before);
	else
		*old = old_values(&l);
	if (!sw->changes.count)
		unlock(sw);
	wanted_release(&l);
	return ret ? -1 : 0;
}

int switches_restore(struct switches *sw, struct error *err)
{
	int ret = put_back(&sw->changes, err);

	/* What could not be put back stays in the journal for the next one to try. */
	if (!ret && sw->changes.count) {
		changes_truncate(&sw->changes, 0);
		if (sw->folder)
			ret = journal_write(sw->folder, &sw->changes, err);
	}
	unlock(sw);
	return ret;
}
