// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/qemu_command.h"
#include "util/file.h"

static struct machine small = {
	.name = (char *)"small",
	.type = MACHINE_QEMU,
	.topology = {1, 1, 2, 1, 1, 20, 20},
	.memory_mb = 256,
	.cmdline = (char *)"",
};

static void build(const struct qemu_plan *plan, struct strbuf *joined)
{
	struct error err = ERROR_INIT;
	struct strlist args = STRLIST_INIT;

	assert_int_equal(qemu_command(&args, plan, &err), 0);
	for (size_t i = 0; i < args.count; i++)
		strbuf_addf(joined, "%s ", args.items[i]);
	strlist_release(&args);
}

static void guests_have_no_network_and_no_devices_of_their_own(void **state)
{
	const struct qemu_plan plan = {
		.machine = &small, .image = "/k", .initrd = "/i", .console_log = "a,b"};
	struct strbuf args = STRBUF_INIT;

	(void)state;
	build(&plan, &args);
	assert_non_null(strstr(args.buf, "-nodefaults -no-user-config -no-reboot -display none "));
	assert_non_null(strstr(args.buf, "-accel tcg,thread=multi "));
	assert_non_null(strstr(args.buf, "-cpu max,vendor=GenuineIntel "));
	assert_non_null(strstr(args.buf, "-kernel /k -initrd /i -append "));
	/* A comma in a file's name is doubled. */
	assert_non_null(strstr(args.buf, "file,id=console,path=a,,b "));
	assert_null(strstr(args.buf, "-net"));
	strbuf_release(&args);
}

static void the_machine_s_cpu_wins(void **state)
{
	struct machine m = small;
	const struct qemu_plan plan = {
		.machine = &m, .image = "/k", .initrd = "/i", .console_log = "log", .kvm = true};
	struct strbuf args = STRBUF_INIT;

	(void)state;
	m.cpu = (char *)"Haswell";
	build(&plan, &args);
	assert_non_null(strstr(args.buf, "-accel kvm "));
	assert_non_null(strstr(args.buf, "-cpu Haswell "));
	strbuf_release(&args);
}

static struct cpu_cluster clusters[] = {{(char *)"1-2", 1024}, {(char *)"0,3-5", 383}};

static struct machine juno = {
	.name = (char *)"juno",
	.type = MACHINE_QEMU,
	.arch = ARCH_ARM64,
	.time = TIME_VIRTUAL,
	.topology = {1, 1, 6, 1, 1, 20, 20},
	.clusters = clusters,
	.clusters_count = 2,
	.memory_mb = 256,
	.cmdline = (char *)"",
};

/* The options that made the published figures come out in a trial (-icount: QEMU's manual). */
static void virtual_time_counts_instructions_in_one_thread(void **state)
{
	const struct qemu_plan plan = {.machine = &juno,
				       .image = "/k",
				       .initrd = "/i",
				       .console_log = "log",
				       .device_tree = "/d"};
	struct strbuf args = STRBUF_INIT;

	(void)state;
	build(&plan, &args);
	assert_int_equal(strncmp(args.buf, "qemu-system-aarch64 ", 20), 0);
	assert_non_null(strstr(args.buf, "-accel tcg,thread=single -icount shift=0,sleep=off "));
	assert_non_null(strstr(args.buf, "-rtc base=2020-01-01T00:00:00,clock=vm "));
	assert_non_null(strstr(args.buf, "-M virt,gic-version=2 -cpu cortex-a57 -smp 6 -m 256M "));
	assert_non_null(strstr(args.buf, "-dtb /d "));
	assert_non_null(strstr(args.buf, "console=ttyAMA0 "));
	/* One guest second is one of instructions, however busy the host is. */
	assert_non_null(strstr(args.buf, "rcupdate.rcu_cpu_stall_timeout=21 "));
	assert_null(strstr(args.buf, "maxcpus="));
	strbuf_release(&args);
}

static void an_x86_machine_may_have_virtual_time_too(void **state)
{
	struct machine m = small;
	const struct qemu_plan plan = {
		.machine = &m, .image = "/k", .initrd = "/i", .console_log = "log"};
	struct strbuf args = STRBUF_INIT;

	(void)state;
	m.time = TIME_VIRTUAL;
	build(&plan, &args);
	assert_non_null(strstr(args.buf, "qemu-system-x86_64 "));
	assert_non_null(strstr(args.buf, "-accel tcg,thread=single -icount shift=0,sleep=off "));
	assert_null(strstr(args.buf, "thread=multi"));
	strbuf_release(&args);
}

static int cmdline(struct strbuf *out, const char *kernel, const char *machine, unsigned cpus,
		   unsigned host_cpus, struct error *err)
{
	struct machine m = small;
	const struct qemu_plan plan = {.machine = &m, .cmdline = kernel};

	m.cmdline = (char *)machine;
	return qemu_kernel_cmdline(out, &plan, cpus, host_cpus, err);
}

static void check_word(const char *text, const char *word)
{
	const char *p = strstr(text, word);

	if (!p || (p > text && p[-1] != ' ') || (p[strlen(word)] && p[strlen(word)] != ' '))
		fail_msg("no '%s' in '%s'", word, text);
}

/* 21, 10 and 30 s are the kernel's own defaults; 300 and 60 s the most it takes. */
static void thresholds_grow_with_cpus_per_host_cpu(void **state)
{
	struct error err = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(cmdline(&out, NULL, "", 2, 4, &err), 0);
	check_word(out.buf, "rcupdate.rcu_cpu_stall_timeout=21");
	check_word(out.buf, "watchdog_thresh=10");
	strbuf_reset(&out);
	assert_int_equal(cmdline(&out, NULL, "", 8, 2, &err), 0);
	check_word(out.buf, "rcupdate.rcu_cpu_stall_timeout=84");
	check_word(out.buf, "watchdog_thresh=40");
	check_word(out.buf, "workqueue.watchdog_thresh=120");
	strbuf_reset(&out);
	assert_int_equal(cmdline(&out, NULL, "", 80, 2, &err), 0);
	check_word(out.buf, "rcupdate.rcu_cpu_stall_timeout=300");
	check_word(out.buf, "watchdog_thresh=60");
	strbuf_release(&out);
}

static void words_of_kernel_and_machine_come_last(void **state)
{
	struct error err = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	const char *end = " nohz=off panic=0";

	(void)state;
	assert_int_equal(cmdline(&out, "nohz=off", "panic=0", 2, 2, &err), 0);
	check_word(out.buf, "console=ttyS0");
	check_word(out.buf, "panic=-1");
	check_word(out.buf, "no_timer_check");
	assert_string_equal(out.buf + out.len - strlen(end), end);
	strbuf_release(&out);
}

static void what_the_kernel_would_cut_is_refused(void **state)
{
	struct error err = ERROR_INIT;
	struct strbuf out = STRBUF_INIT;
	char longest[2049];

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(cmdline(&out, longest, "", 2, 2, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "2047 is the limit"));
	strbuf_reset(&out);
	assert_int_equal(cmdline(&out, "a\nb", "", 2, 2, &err), -1);
	assert_non_null(strstr(err.msg, "control character"));
	strbuf_release(&out);
}

static void check_image(const void *head, size_t len, int expected)
{
	char path[] = "/tmp/test_qemu_command.XXXXXX";
	int fd = mkstemp(path);
	struct error err = ERROR_INIT;

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, head, len), 0);
	close(fd);
	assert_int_equal(qemu_check_image(path, ARCH_X86_64, &err), expected);
	if (expected)
		assert_non_null(strstr(err.msg, "is not an x86 kernel image"));
	unlink(path);
}

/* Offsets of the x86 boot protocol: flag 0xaa55 at 0x1fe, "HdrS" at 0x202, version at 0x206. */
static void only_x86_kernel_images_are_booted(void **state)
{
	char head[1024] = {0};

	(void)state;
	check_image("", 0, -1);
	check_image("\177ELF", 4, -1);
	memcpy(head + 0x1fe, "\x55\xaaxxHdrS\x0f\x02", 10);
	check_image(head, sizeof(head), 0);
	head[0x206] = 5;
	check_image(head, sizeof(head), -1);
	head[0x206] = 15;
	head[0x205] = 'x';
	check_image(head, sizeof(head), -1);
}

/* Documentation/arm64/booting: magic "ARM\x64" at 56. */
static void an_arm64_image_is_for_arm64(void **state)
{
	char path[] = "/tmp/test_qemu_command.XXXXXX", head[1024] = {0};
	int fd = mkstemp(path);
	struct error err = ERROR_INIT;

	(void)state;
	assert_true(fd >= 0);
	memcpy(head + 56, "ARM\x64", 4);
	assert_int_equal(write_all(fd, head, sizeof(head)), 0);
	close(fd);
	assert_int_equal(qemu_check_image(path, ARCH_ARM64, &err), 0);
	assert_int_equal(qemu_check_image(path, ARCH_X86_64, &err), -1);
	assert_int_equal(err.kind, ERROR_USAGE);
	assert_non_null(strstr(err.msg, "is for arm64 and the machine is x86_64"));
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guests_have_no_network_and_no_devices_of_their_own),
		cmocka_unit_test(the_machine_s_cpu_wins),
		cmocka_unit_test(thresholds_grow_with_cpus_per_host_cpu),
		cmocka_unit_test(words_of_kernel_and_machine_come_last),
		cmocka_unit_test(what_the_kernel_would_cut_is_refused),
		cmocka_unit_test(only_x86_kernel_images_are_booted),
		cmocka_unit_test(an_arm64_image_is_for_arm64),
		cmocka_unit_test(virtual_time_counts_instructions_in_one_thread),
		cmocka_unit_test(an_x86_machine_may_have_virtual_time_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
