#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# KVM or not: whatever this host has, the choice is said, and found out once.

bats_require_minimum_version 1.5.0
load guest.bash

setup_file() {
	fetch_kernel
}

setup() {
	export SCHEDBENCH_CACHE=$BATS_TEST_TMPDIR ACCEL=auto
}

@test "the choice is said with its reason and remembered" {
	run -0 --separate-stderr guest
	[[ $output == *"accel kvm: virtual machine (KVM)"* ||
		$output == *"accel tcg: emulated machine (TCG: "*"KVM"* ||
		$output == *"accel tcg: emulated machine (TCG: "*"/dev/kvm"* ]]
	first=$(grep ^accel <<<"$output")
	[ ! -r /dev/kvm ] || [[ $stderr == *"finding out whether KVM works here"* ]]

	run -0 --separate-stderr guest
	[ "$(grep ^accel <<<"$output")" = "$first" ]
	[ -z "$stderr" ]

	# Asked for by name it works where it was chosen, and is an error elsewhere.
	if [[ $first == "accel kvm"* ]]; then
		ACCEL=kvm run -0 guest
	else
		ACCEL=kvm run -2 guest
		[[ $output == *"machine 'test' asks for KVM, which does not work: "* ]]
	fi
}

@test "a guest that does not boot does not condemn KVM for others" {
	[ -w /dev/kvm ] || skip "this host has no /dev/kvm to probe"
	AGENT=/bin/false run -1 guest
	sed -n 2p "$SCHEDBENCH_CACHE/kvm-probe" | grep '^fails .*\.cpio$'
	run -0 --separate-stderr guest
	[[ $stderr == *"finding out whether KVM works here"* ]]
}
