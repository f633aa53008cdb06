#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The options of schedbench-agent, and descriptors that it cannot use.

setup() {
	agent="${BUILD:-build}/schedbench-agent"
}

@test "agent --help prints its options on stdout" {
	run "$agent" --help
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "usage: schedbench-agent --fd N"* ]]
	[[ "$output" == *"--workload PATH"* ]]
	[ -z "$("$agent" --help 2>&1 >/dev/null)" ]
}

@test "agent --version names program and version" {
	run "$agent" --version
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^schedbench-agent\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "agent without a descriptor, with a bad one or with more words is a usage error" {
	for args in "" "--fd" "--fd x" "--fd 1" "--fd -1" "--fd 5x" "--fd 99999999999" "--colour" "--fd 9 word"; do
		# shellcheck disable=SC2086 # words
		run "$agent" $args
		[ "$status" -eq 2 ]
		[[ "$output" == *"usage: schedbench-agent"* ]]
	done
}

@test "agent with a descriptor that is not open says so" {
	run "$agent" --fd 77
	[ "$status" -eq 3 ]
	[ "$output" = "schedbench-agent: cannot use descriptor 77: Bad file descriptor" ]
}

@test "agent ends at the end of its stream, without a word" {
	run timeout 10 "$agent" --fd 9 9</dev/null
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}
