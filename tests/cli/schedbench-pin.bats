#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Locations on machines: the command pin, and pin: in experiments.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	cpus=$(nproc)
}

@test "pin prints the CPUs of a location, on a machine that need not be there" {
	[ "$("$S" pin --machine broadwell-2s80 package:1)" = 40-79 ]
	[ "$("$S" pin --machine broadwell-2s80 all '~package:0' 'xpu:even')" = "$(seq -s, 40 2 78)" ]
	[ "$("$S" pin --machine broadwell-2s80 --scale 1/4 --count all)" = 20 ]
	[ "$("$S" pin --machine demo-2s8 --mask core:1)" = 0x0000000c ]
	"$S" pin --json --machine demo-2s8 core:0 | jq -e '.cpus == "0-1" and .count == 2'
}

@test "pin on this host is what hwloc-calc says" {
	for location in all core:0 pu:0 machine:0; do
		[ "$("$S" pin --mask "$location")" = "$(hwloc-calc "$location")" ]
	done
}

@test "pin refuses what is not there, and says what is" {
	run -2 "$S" pin
	run -2 "$S" pin --machine demo-2s8 package:2
	[[ "$output" == *"'package:2': the indexes go from 0 to 1 only"* ]]
	run -2 "$S" pin --machine nonsense all
	[[ "$output" == *"no machine"* ]]
}

@test "a workload runs on the CPUs of its location, which may be an axis" {
	experiment pinned 'value: 1' "sweep: {pin: [\"pu:0\", \"all ~pu:0\"]}
boots: 1
repetitions: 1"
	[ "$cpus" -gt 1 ] || skip "one CPU"
	run -0 "$S" run "$E" --dry-run
	[[ "$output" == *"pin=pu:0 on CPUs $("$S" pin pu:0)"* ]]
	# What the generator says of where it ran.
	# shellcheck disable=SC2016 # the script's own
	fake_workload 'sample $(($(nproc) * 1000 + $(taskset -cp $$ | sed "s/.*: //; s/[-,].*//")))'
	run -0 --separate-stderr "$S" run "$E" --quiet
	first=$("$S" pin pu:0)
	[ "$(sql "SELECT DISTINCT value FROM sample WHERE kase = 'pin=pu:0'")" = "$((1000 + first)).0" ]
	[ "$(sql "SELECT DISTINCT value >= 1000 * ($cpus - 1) FROM sample WHERE kase = 'pin=all ~pu:0'")" = 1 ]
}

@test "a location that the machine does not have is told before anything boots" {
	experiment nowhere 'value: 1' 'pin: package:99
boots: 1'
	run -2 "$S" run "$E" --dry-run
	[[ "$output" == *"pin on machine 'host': 'package:99'"* ]]
}
