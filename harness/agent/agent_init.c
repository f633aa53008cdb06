// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/agent_list.h"
#include "util/file.h"
#include "util/xalloc.h"

#define MODULES_LIST "/etc/schedbench/modules"
#define PORTS	     "/sys/class/virtio-ports"
#define CPUS	     "/sys/devices/system/cpu"
#define CPUS_MAX     8192
#define PORT_NAME    "schedbench.0"
#define PORT_WAIT_MS 30000
#define OPEN_FILES   65536
#define TEXT_MAX     65536

struct mount_point {
	const char *type, *dir, *options;
	bool required; /* the others depend on the configuration of the kernel */
};

static const struct mount_point mount_points[] = {
	{"proc", "/proc", NULL, true},
	{"sysfs", "/sys", NULL, true},
	{"devtmpfs", "/dev", "mode=0755", true},
	{"tmpfs", "/dev/shm", "mode=1777", false},
	{"tmpfs", "/tmp", "mode=1777", false},
	{"tmpfs", "/run", "mode=0755", false},
	{"debugfs", "/sys/kernel/debug", NULL, false},
	{"tracefs", "/sys/kernel/tracing", NULL, false},
	{"cgroup2", "/sys/fs/cgroup", NULL, false},
};

static int mount_all(struct error *err)
{
	for (size_t i = 0; i < sizeof(mount_points) / sizeof(mount_points[0]); i++) {
		const struct mount_point *m = &mount_points[i];

		mkdir(m->dir, 0755);
		if (mount(m->type, m->dir, m->type, MS_NOSUID, m->options) && errno != EBUSY &&
		    m->required)
			return error_sys(err, errno, "cannot mount %s at '%s'", m->type, m->dir);
	}
	return 0;
}

/* An initramfs without /dev/console starts its init with nothing open. */
static void open_console(void)
{
	int fd;

	if (fcntl(2, F_GETFD) >= 0)
		return;
	fd = open("/dev/console", O_RDWR);
	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		if (i != fd)
			dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static int load_module(const char *release, const char *name, struct error *err)
{
	char *path = xasprintf("/lib/modules/%s/%s", release, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		ret = error_sys(err, errno, "cannot open module '%s'", path);
	else if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		ret = error_sys(err, errno, "cannot load module '%s'", path);
	if (fd >= 0)
		close(fd);
	free(path);
	return ret;
}

static int load_modules(struct error *err)
{
	struct strbuf list = STRBUF_INIT;
	char *line, *rest;
	struct utsname u;
	int ret = 0;

	if (!path_exists(MODULES_LIST))
		return 0;
	if (file_read(MODULES_LIST, TEXT_MAX, &list, err)) {
		strbuf_release(&list);
		return -1;
	}
	uname(&u);
	rest = list.buf;
	while (!ret && (line = strsep(&rest, "\n")))
		if (*line)
			ret = load_module(u.release, line, err);
	strbuf_release(&list);
	return ret;
}

static int start_cpu(unsigned cpu, struct error *err)
{
	char *path = xasprintf(CPUS "/cpu%u/online", cpu);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		ret = error_set(err, ERROR_FAILED,
				"CPU %u is not online and this kernel cannot start it (use one "
				"with CONFIG_HOTPLUG_CPU, or maxcpus=255 on its command line)",
				cpu);
	else if (write(fd, "1", 1) != 1)
		ret = error_sys(err, errno, "cannot start CPU %u", cpu);
	if (fd >= 0)
		close(fd);
	free(path);
	return ret;
}

static void read_cpus(const char *path, unsigned long *mask)
{
	struct strbuf text = STRBUF_INIT;
	struct error ignored = ERROR_INIT;

	if (!file_read(path, TEXT_MAX, &text, &ignored))
		list_parse(text.buf, mask, CPUS_MAX);
	strbuf_release(&text);
}

/*
 * The harness may boot with maxcpus=1, since an emulator may trip over a kernel that patches its
 * own text while other CPUs run; by now most of that is done.
 */
static int start_cpus(struct error *err)
{
	unsigned long present[CPUS_MAX / LONG_BIT] = {0}, online[CPUS_MAX / LONG_BIT] = {0};
	int ret = 0;

	read_cpus(CPUS "/present", present);
	read_cpus(CPUS "/online", online);
	for (unsigned cpu = 0; !ret && cpu < CPUS_MAX; cpu++)
		if ((present[cpu / LONG_BIT] & ~online[cpu / LONG_BIT]) >> cpu % LONG_BIT & 1)
			ret = start_cpu(cpu, err);
	return ret;
}

/* A kernel without networking has none to set up. */
static void start_loopback(void)
{
	struct ifreq ifr = {.ifr_flags = IFF_UP | IFF_RUNNING};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	memcpy(ifr.ifr_name, "lo", 3);
	ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
}

static bool port_is_ours(const char *port)
{
	char *path = xasprintf(PORTS "/%s/name", port);
	struct error ignored = ERROR_INIT;
	struct strbuf name = STRBUF_INIT;
	bool ours;

	file_read(path, TEXT_MAX, &name, &ignored);
	ours = !strcmp(name.buf, PORT_NAME "\n") || !strcmp(name.buf, PORT_NAME);
	strbuf_release(&name);
	free(path);
	return ours;
}

/* The name of the port's device, NULL: not there (yet). The caller frees it. */
static char *find_port(void)
{
	DIR *dir = opendir(PORTS);
	struct dirent *e;
	char *found = NULL;

	while (dir && !found && (e = readdir(dir)))
		if (e->d_name[0] != '.' && port_is_ours(e->d_name))
			found = xstrdup(e->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static void make_node(const char *port, const char *device)
{
	char *path = xasprintf(PORTS "/%s/dev", port);
	struct error ignored = ERROR_INIT;
	struct strbuf text = STRBUF_INIT;
	unsigned major, minor;

	if (!file_read(path, TEXT_MAX, &text, &ignored) &&
	    sscanf(text.buf, "%u:%u", &major, &minor) == 2)
		mknod(device, S_IFCHR | 0600, makedev(major, minor));
	strbuf_release(&text);
	free(path);
}

static void pause_ms(int ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* The kernel learns from a message after the name that the host listens; until then: hang-up. */
static bool host_listens(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) >= 0 && !(p.revents & POLLHUP);
}

static int open_port(const char *port, struct error *err)
{
	char *device = xasprintf("/dev/%s", port);
	int fd;

	if (!path_exists(device))
		make_node(port, device);
	fd = open(device, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		error_sys(err, errno, "cannot open '%s'", device);
	free(device);
	for (int waited = 0; fd >= 0 && !host_listens(fd); waited += 10) {
		pause_ms(10);
		if (waited < PORT_WAIT_MS)
			continue;
		close(fd);
		fd = error_set(err, ERROR_FAILED, "nobody listens at port '" PORT_NAME "'");
	}
	return fd;
}

static int wait_for_port(struct error *err)
{
	char *port;
	int fd;

	for (int waited = 0; !(port = find_port()); waited += 10) {
		if (waited >= PORT_WAIT_MS)
			return error_set(err, ERROR_FAILED,
					 "no virtio-serial port '" PORT_NAME
					 "' (is virtio_console in the kernel or loaded?)");
		pause_ms(10);
	}
	fd = open_port(port, err);
	free(port);
	return fd;
}

int init_machine(struct error *err)
{
	struct rlimit files = {OPEN_FILES, OPEN_FILES};

	if (mount_all(err))
		return -1;
	open_console();
	setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setrlimit(RLIMIT_NOFILE, &files);
	if (load_modules(err) || start_cpus(err))
		return -1;
	start_loopback();
	return wait_for_port(err);
}

void init_power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	/* Without a way to power off, a restart ends an emulator that was told not to restart. */
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}
