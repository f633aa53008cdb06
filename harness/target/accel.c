// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent/client.h"
#include "target/accel.h"
#include "target/console.h"
#include "target/qemu_command.h"
#include "target/qemu_vm.h"
#include "util/file.h"
#include "util/xalloc.h"

#define KVM_DEVICE	 "/dev/kvm"
#define PROBE_TIMEOUT_MS 10000
#define PROBE_MEMORY_MB	 512
/* A guest that a broken KVM spins in takes seconds to die: nobody has to wait for that. */
#define PROBE_KILL_MS 300
#define RECORD_MAX    8192
#define ANY_GUEST     "*"

/* What the cache remembers: three lines, the place, "works" or "fails GUEST", the reason. */
struct record {
	bool works;
	char *guest; /* the one it fails with, or ANY_GUEST */
	char *why;
};

static void record_release(struct record *r)
{
	free(r->guest);
	free(r->why);
	*r = (struct record){0};
}

static char *record_path(void)
{
	struct error ignored = ERROR_INIT;
	char *cache = cache_directory(&ignored);
	char *path = cache ? path_join(cache, "kvm-probe") : NULL;

	free(cache);
	return path;
}

static void add_identity(struct strbuf *out, const char *name, const char *path)
{
	struct stat st = {0};

	if (!path || stat(path, &st))
		st = (struct stat){0};
	strbuf_addf(out, " %s=%ju:%ju:%ju:%jd:%jd", name, (uintmax_t)st.st_dev,
		    (uintmax_t)st.st_ino, (uintmax_t)st.st_rdev, (intmax_t)st.st_size,
		    (intmax_t)(S_ISREG(st.st_mode) ? st.st_mtime : 0));
}

/* Where an outcome holds: this boot of the host, this QEMU, this device. */
static char *describe_place(void)
{
	struct error ignored = ERROR_INIT;
	struct strbuf place = STRBUF_INIT;
	char *qemu = path_search("qemu-system-x86_64");

	file_read("/proc/sys/kernel/random/boot_id", 256, &place, &ignored);
	while (place.len && place.buf[place.len - 1] == '\n')
		place.buf[--place.len] = '\0';
	add_identity(&place, "qemu", qemu);
	add_identity(&place, "kvm", KVM_DEVICE);
	free(qemu);
	return strbuf_detach(&place);
}

static int parse_record(struct record *r, char *text, const char *place)
{
	const char *where = strsep(&text, "\n");
	const char *verdict = strsep(&text, "\n");
	const char *why = strsep(&text, "\n");

	if (!why || strcmp(where, place) != 0)
		return -1;
	r->works = strcmp(verdict, "works") == 0;
	if (!r->works && strncmp(verdict, "fails ", 6) != 0)
		return -1;
	r->guest = xstrdup(r->works ? ANY_GUEST : verdict + 6);
	r->why = xstrdup(why);
	return 0;
}

/* 0: @r holds what is known here; -1: nothing is. */
static int load_record(struct record *r)
{
	struct error ignored = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	char *path = record_path();
	char *place = describe_place();
	int ret = -1;

	if (path && file_read(path, RECORD_MAX, &text, &ignored) == 0)
		ret = parse_record(r, text.buf, place);
	strbuf_release(&text);
	free(place);
	free(path);
	return ret;
}

/* What cannot be remembered is found out again. */
static void save_record(bool works, const char *guest, const char *why)
{
	struct error ignored = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	char *path = record_path();
	char *place = describe_place();

	strbuf_addf(&text, "%s\n%s%s\n%s\n", place, works ? "works" : "fails ", works ? "" : guest,
		    why);
	if (path)
		file_write(path, text.buf, text.len, &ignored);
	strbuf_release(&text);
	free(place);
	free(path);
}

static void explain_end(struct qemu_vm *vm, const char *console, struct strbuf *why)
{
	struct strbuf words = STRBUF_INIT, text = STRBUF_INIT;
	struct console_facts facts;

	qemu_vm_last_words(vm, &words);
	console_read(&text, console);
	console_scan(&facts, text.buf, text.len);
	if (facts.panicked)
		strbuf_addf(why, "a probe guest panicked (%s)", facts.panic);
	else if (words.len)
		strbuf_addf(why, "a probe guest's QEMU said: %s", words.buf);
	else
		strbuf_addstr(why, "a probe guest ended by itself");
	strbuf_release(&words);
	strbuf_release(&text);
}

/* 1: the agent answered; 0: it did not, and @why says how; -1: interrupted. */
static int ask_agent(struct qemu_vm *vm, const char *console, int interrupt_fd, struct strbuf *why,
		     struct error *err)
{
	struct agent_client *client = agent_client_new(vm->fd, vm->process.pidfd, interrupt_fd);
	struct agent_hello hello = {0};
	struct error ignored = ERROR_INIT;
	enum agent_status status = agent_hello(client, PROBE_TIMEOUT_MS, &hello, &ignored);

	if (status == AGENT_OK) {
		agent_hello_release(&hello);
	} else if (status == AGENT_INTERRUPTED) {
		*err = ignored;
	} else if (status == AGENT_TIMEOUT) {
		strbuf_addf(why, "a probe guest did not answer within %d s",
			    PROBE_TIMEOUT_MS / 1000);
	} else {
		qemu_vm_wait(vm, PROBE_KILL_MS);
		explain_end(vm, console, why);
	}
	agent_client_free(client);
	if (status == AGENT_INTERRUPTED)
		return -1;
	return status == AGENT_OK;
}

static int run_probe(const struct accel_request *req, const char *console, struct strbuf *why,
		     struct error *err)
{
	struct machine m = {
		.name = (char *)"probe",
		.type = MACHINE_QEMU,
		.topology = {1, 1, 1, 1, 1, 20, 20},
		.memory_mb = PROBE_MEMORY_MB,
	};
	const struct qemu_plan plan = {
		.machine = &m,
		.image = req->image,
		.initrd = req->initrd,
		.console_log = console,
		.kvm = true,
	};
	struct strlist args = STRLIST_INIT;
	struct qemu_vm vm;
	int ret = qemu_command(&args, &plan, err);

	if (!ret)
		ret = qemu_vm_start(&vm, &args, false, err);
	if (!ret) {
		ret = ask_agent(&vm, console, req->interrupt_fd, why, err);
		qemu_vm_kill(&vm, PROBE_KILL_MS);
		qemu_vm_release(&vm);
	}
	strlist_release(&args);
	return ret;
}

static int probe(const struct accel_request *req, struct strbuf *why, struct error *err)
{
	char console[] = "/tmp/schedbench-probe.XXXXXX";
	int fd = mkostemp(console, O_CLOEXEC);
	int ret;

	if (fd < 0)
		return error_sys(err, errno, "cannot create a file in /tmp");
	close(fd);
	fprintf(stderr, "schedbench: finding out whether KVM works here (at most %d s, once)\n",
		PROBE_TIMEOUT_MS / 1000);
	ret = run_probe(req, console, why, err);
	unlink(console);
	return ret;
}

/* Reasons that need no guest. */
static bool kvm_is_absent(struct strbuf *why)
{
	struct utsname u;
	int fd;

	if (uname(&u) == 0 && strcmp(u.machine, "x86_64") != 0) {
		strbuf_addf(why, "the host is not x86_64 but %s", u.machine);
		return true;
	}
	fd = open(KVM_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return false;
	}
	if (errno == ENOENT)
		strbuf_addstr(why, "there is no " KVM_DEVICE);
	else
		strbuf_addf(why, KVM_DEVICE " cannot be opened: %s%s", strerror(errno),
			    errno == EACCES ? " (is the user in the group kvm?)" : "");
	return true;
}

static void set_tcg(struct accel_decision *out, const char *why, bool unproven)
{
	*out = (struct accel_decision){.kvm = false, .unproven = unproven};
	snprintf(out->why, sizeof(out->why), "%s", why);
}

/* True if the cache has the answer. */
static bool remembered(struct accel_decision *out, const char *guest)
{
	struct record r = {0};
	bool known = load_record(&r) == 0;
	bool general = known && strcmp(r.guest, ANY_GUEST) == 0;

	if (known && !general)
		known = strcmp(r.guest, guest) == 0;
	if (known && r.works)
		*out = (struct accel_decision){.kvm = true};
	else if (known)
		set_tcg(out, r.why, !general);
	record_release(&r);
	return known;
}

static int find_out(struct accel_decision *out, const struct accel_request *req, const char *guest,
		    struct error *err)
{
	struct strbuf why = STRBUF_INIT, text = STRBUF_INIT;
	int works = probe(req, &why, err);

	strbuf_addf(&text, "KVM is there but %s", why.buf);
	if (works == 0)
		set_tcg(out, text.buf, true);
	else if (works == 1)
		*out = (struct accel_decision){.kvm = true};
	if (works >= 0)
		save_record(works, guest, works ? "" : out->why);
	strbuf_release(&why);
	strbuf_release(&text);
	return works < 0 ? -1 : 0;
}

/* Kernel and root file system, whose name is a hash: either may be why a probe fails. */
static char *describe_guest(const struct accel_request *req)
{
	const char *slash = strrchr(req->initrd, '/');

	return xasprintf("%s %s", req->identity ? req->identity : "-",
			 slash ? slash + 1 : req->initrd);
}

static int choose(struct accel_decision *out, const struct accel_request *req, struct error *err)
{
	char *guest = describe_guest(req);
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	if (req->machine->arch != ARCH_X86_64)
		set_tcg(out, "machines of arch arm64 are always emulated", false);
	else if (req->machine->time == TIME_VIRTUAL)
		set_tcg(out, "virtual time is a matter of emulation", false);
	else if (req->machine->accel == ACCEL_TCG)
		set_tcg(out, "the machine's file asks for it", false);
	else if (kvm_is_absent(&why))
		set_tcg(out, why.buf, false);
	else if (!remembered(out, guest))
		ret = find_out(out, req, guest, err);
	strbuf_release(&why);
	free(guest);
	return ret;
}

int accel_choose(struct accel_decision *out, const struct accel_request *req, struct error *err)
{
	if (choose(out, req, err))
		return -1;
	if (!out->kvm && req->machine->accel == ACCEL_KVM)
		return error_set(err, ERROR_FAILED,
				 "machine '%s' asks for KVM, which does not work: %s (use accel: "
				 "auto)",
				 req->machine->name, out->why);
	return 0;
}

void accel_confirm(const struct accel_decision *decision)
{
	if (decision->unproven)
		save_record(false, ANY_GUEST, decision->why);
}
