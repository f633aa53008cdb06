#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench boot on the host: one command, its output and its status.

setup() {
	bats_require_minimum_version 1.5.0
	S=${BUILD:-build}/schedbench
}

@test "boot passes output and status of the command on" {
	run --separate-stderr -7 "$S" boot -- sh -c 'echo out; echo err >&2; exit 7'
	[ "$output" = out ]
	[ "$stderr" = err ]
}

@test "boot names the signal that ended the command as the shell does" {
	run -137 "$S" boot -- sh -c 'kill -9 $$'
}

@test "boot kills a command that takes too long, with all that it started" {
	run -124 "$S" boot --timeout 300ms -- sh -c 'sleep 98765 & sleep 98765'
	run ! pgrep -f 'sleep 98765'
}

@test "boot runs the command on the CPUs asked for, or not at all" {
	run -0 "$S" boot --cpus 0 -- nproc
	[ "$output" = 1 ]
	run --separate-stderr -3 "$S" boot --cpus 4095 -- nproc
	[ -z "$output" ]
	[[ "$stderr" == *"CPUs '4095'"* ]]
}

@test "boot finds the workloads" {
	run -0 "$S" boot -- schedbench-workload null --value 1.5 --json
	[[ "$output" == *'"value"'* ]]
}

@test "boot says what is missing" {
	run -2 "$S" boot
	[[ "$output" == *"give a command"* ]]
	run -2 "$S" boot --machine small-4 -- true
	[[ "$output" == *"which kernel"* ]]
	run -2 "$S" boot --kernel debian-6.1 -- true
	[[ "$output" == *"cannot be booted on machine 'host'"* ]]
	run -2 "$S" boot --machine nowhere --kernel running -- true
	[[ "$output" == *"no machine 'nowhere'"* ]]
	run -3 "$S" boot -- /no/such/program
	[[ "$output" == *"/no/such/program"* ]]
	[ "${#lines[@]}" = 1 ]
}
