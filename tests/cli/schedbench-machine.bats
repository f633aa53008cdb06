#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Machines: drawn, described, detected.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
}

@test "machine show draws the tree and the sched domains" {
	run -0 "$S" machine show epyc3-2s256
	[[ "$output" == *"Dual socket 3rd Generation EPYC System (2 x 64C/128T)"* ]]
	[ "$(grep -c ' L3 [0-9]*  CPUs .*: 8 cores x 2 threads' <<<"$output")" = 16 ]
	[[ "$output" == *"  MC      16 CPUs  0-15"* ]]
	run -0 "$S" machine show epyc3-2s256 --scale 1/4
	[[ "$output" == *"(2 x 16C/32T)"* ]]
	"$S" machine show epyc1-2s --json | jq -e '.cpus == 128 and .l3 == 16 and .numanodes == 8 and
		([.domains[].name] == ["SMT", "MC", "PKG", "NUMA", "NUMA"])'
}

@test "machines of clusters: capacities, caches, and the domains that follow from them" {
	run -0 "$S" machine show juno-r2
	[[ "$output" == *"CPUs 0,3-5: 4 cores x 1 thread, capacity 383"* ]]
	[[ "$output" == *"CPUs 1-2: 2 cores x 1 thread, capacity 1024"* ]]
	[[ "$output" == *"  MC       4 CPUs  0,3-5"*"  PKG      6 CPUs  0-5"* ]]
	"$S" machine show juno-r2-shared --json | jq -e '[.domains[].cpus] == ["0-5"]'
	"$S" machine show juno-r2 --xml >"$BATS_TEST_TMPDIR/m.xml"
	[ "$(hwloc-calc -i "$BATS_TEST_TMPDIR/m.xml" --po -I pu l2:1)" = 1,2 ]
	run -0 "$S" pin --machine juno-r2 l2:0
	[ "$output" = 0,3-5 ]
	run -2 "$S" machine show juno-r2 --scale 1/2
	[[ "$output" == *"clusters"* ]]
}

@test "kernels of another architecture are refused by name" {
	run -2 "$S" boot --kernel debian-6.1 --machine juno-r2 -- true
	[[ "$output" == *"kernel 'debian-6.1' is for x86_64 and machine 'juno-r2' is arm64"* ]]
	run -2 "$S" boot --kernel juno-6.1-after --machine small-4 -- true
	[[ "$output" == *"kernel 'juno-6.1-after' is for arm64 and machine 'small-4' is x86_64"* ]]
}

@test "hwloc reads what machine show writes" {
	"$S" machine show broadwell-2s80 --xml >"$BATS_TEST_TMPDIR/m.xml"
	[ "$(hwloc-calc -i "$BATS_TEST_TMPDIR/m.xml" -N core all)" = 40 ]
	run -0 "$S" machine show broadwell-2s80 --svg "$BATS_TEST_TMPDIR/m.svg"
	grep -q '<svg' "$BATS_TEST_TMPDIR/m.svg"
	run -3 "$S" machine show broadwell-2s80 --svg "$BATS_TEST_TMPDIR/none/m.svg"
	[[ "$output" == *"cannot draw"* ]]
}

@test "every profile can be shown" {
	for m in $("$S" list machines --json | jq -r '.[].name'); do
		run -0 "$S" machine show "$m"
		[[ "$output" == *CPU* ]]
	done
}

@test "machine detect writes a profile that can be loaded" {
	run "$S" machine detect -o "$BATS_TEST_TMPDIR/here.yaml"
	[ "$status" = 0 ] || skip "$output"
	run -0 "$S" machine show --json "$BATS_TEST_TMPDIR/here.yaml"
	[ "$(jq .cpus <<<"$output")" = "$(hwloc-calc -N pu all)" ]
}

@test "machine refuses what it does not know" {
	run -2 "$S" machine
	run -2 "$S" machine nonsense
	run -2 "$S" machine show
	run -2 "$S" machine show nonsense
	run -2 "$S" machine show demo-2s8 --scale 1/3
	[[ "$output" == *"no whole topology"* ]]
}
