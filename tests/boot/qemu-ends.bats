#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How guests end, each with a real one.

bats_require_minimum_version 1.5.0
load guest.bash

# Set by guest_in_background.
tool=
qemu=

setup_file() {
	fetch_kernel
}

@test "a guest answers and powers off when asked to" {
	run -0 guest --topology 2,1,1,2,2
	[[ $output == *"hello $RELEASE 4 cpus"* ]]
	[[ $output == *"end: off"* ]]
}

@test "a panic is named, with what led to it" {
	run -1 guest --cmdline rdinit=/nonexistent
	[[ $output == *"end: panic"* ]]
	[[ $output == *"the kernel panicked: not syncing: VFS: Unable to mount root fs"* ]]
	[[ $output == *"] Kernel panic - not syncing: VFS"* ]]
}

@test "a kernel that stays where it panicked is a panic too" {
	run -1 guest --cmdline "rdinit=/nonexistent panic=0" --timeout 20
	[[ $output == *"end: panic"* ]]
}

@test "an agent that never answers is a hang" {
	# cat reads the console for ever.
	AGENT=/bin/cat run -1 guest --timeout 8
	[[ $output == *"end: hang"* ]]
	[[ $output == *"the guest did not answer in time"* ]]
}

@test "an agent that ends is an early exit, with its status" {
	AGENT=/bin/false run -1 guest
	[[ $output == *"end: early-exit"* ]]
	[[ $output == *"the agent in the guest ended with exit status 1"* ]]
}

@test "an agent that gives up tells why" {
	run -1 guest --cmdline module_blacklist=virtio_console
	[[ $output == *"end: early-exit"* ]]
	[[ $output == *"powered off or restarted by itself: cannot load module"*virtio_console* ]]
}

@test "QEMU that is killed is named" {
	guest_in_background hello --wait 60
	kill -9 "$qemu"
	status=0
	wait "$tool" || status=$?
	[ "$status" -eq 1 ]
	output=$(cat "$BATS_TEST_TMPDIR/out")
	[[ $output == *"end: qemu-died"* ]]
	[[ $output == *"QEMU ended with signal 9 (Killed)"* ]]
}

@test "what QEMU refuses is told in its own words" {
	run -1 guest --console /nonexistent/log
	[[ $output == *"end: qemu-died"* ]]
	[[ $output == *"Could not open '/nonexistent/log': No such file or directory"* ]]
}

@test "QEMU ends with the program that started it" {
	guest_in_background accel --wait 60
	kill -9 "$tool"
	for _ in $(seq 20); do
		kill -0 "$qemu" 2>/dev/null || break
		sleep 0.1
	done
	run ! kill -0 "$qemu"
}

@test "the terminal's Ctrl-C does not reach QEMU by itself" {
	guest_in_background accel --wait 60
	[ "$(ps -o pgid= "$qemu")" -ne "$(ps -o pgid= "$tool")" ]
	kill -9 "$tool"
}

@test "keys of the kernel are switched while the guest is held, and it lives" {
	run -0 guest --topology 2,1,2,2,2 --switches 20
	[[ $output == *"switches 20 "* ]]
	[[ $output == *"end: off"* ]]
}

@test "what cannot be booted is one clear line" {
	run -2 guest --topology 256,1,1,1,1
	[ "$output" = "boot_guest: machine 'test' has 256 CPUs, and QEMU guests have at most 255 (use fewer cores or threads)" ]
	run -2 guest --image /etc/passwd
	[ "$output" = "boot_guest: '/etc/passwd' is not an x86 kernel image (a bzImage or vmlinuz is needed)" ]
	run -2 guest --image /nonexistent
	[ "$output" = "boot_guest: cannot open the kernel image '/nonexistent': No such file or directory" ]
	mkdir "$BATS_TEST_TMPDIR/empty"
	PATH=$BATS_TEST_TMPDIR/empty run -2 guest
	[ "$output" = "boot_guest: qemu-system-x86_64 is not installed (make deps, or the package qemu-system-x86)" ]
}
