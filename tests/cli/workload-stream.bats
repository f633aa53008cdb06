#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

SMALL="--array-size 4000000 --force"

value() {
	jq -s --arg m "$1" '.[] | select(.metric == $m) | .value' <<<"$json"
}

@test "the table is the one that parsers of STREAM read" {
	# shellcheck disable=SC2086
	"$W" stream $SMALL >"$BATS_TEST_TMPDIR/text"
	grep -qE '^Function    Best Rate MB/s  Avg time     Min time     Max time$' "$BATS_TEST_TMPDIR/text"
	for k in Copy Scale Add Triad; do
		awk -v k=$k: '$1 == k && NF == 5 && $2 > 0 && $4 <= $3 && $3 <= $5 {n++} END {exit n != 1}' "$BATS_TEST_TMPDIR/text"
	done
	grep -q '^Solution Validates: avg error less than 1.000000e-13 on all three arrays$' "$BATS_TEST_TMPDIR/text"
}

@test "the best rate is the bytes over the least time: 2 arrays for copy, 3 for triad" {
	# shellcheck disable=SC2086
	"$W" stream $SMALL >"$BATS_TEST_TMPDIR/text"
	awk '$1 == "Copy:" {r = $2 * $4 / 64} $1 == "Triad:" {s = $2 * $4 / 96}
		END {exit !(r > .99 && r < 1.01 && s > .99 && s < 1.01)}' "$BATS_TEST_TMPDIR/text"
}

@test "it validates around and beyond the iterations at which the values overflow" {
	for n in 2 99 100 101 102 262 300; do
		run -0 "$W" stream --array-size 2000000 --force --ntimes $n
		[[ $output == *"Solution Validates"* ]]
	done
}

@test "best is best, worst is worst, all kernels and threads are reported" {
	# shellcheck disable=SC2086
	json=$("$W" stream $SMALL --json)
	for k in copy scale add triad; do
		jq -ne "$(value ${k}_best) >= $(value ${k}_median) and $(value ${k}_median) >= $(value ${k}_worst)"
	done
	jq -ne "$(value thread_spread) >= 1 and $(value migrations) >= 0"
}

@test "arrays below four times the last-level caches are refused, and marked with --force" {
	caches=0
	for f in /sys/devices/system/cpu/cpu0/cache/index*/size; do [ -e "$f" ] && caches=1; done
	[ $caches = 1 ] || skip "the kernel does not say how large the caches are"
	run -2 "$W" stream --array-size 1000
	[[ $output == *"less than 4 times the last-level caches"*"at least "* ]]
	# shellcheck disable=SC2086
	run -0 "$W" stream $SMALL
	[[ $output == *"may fit into the caches"* ]]
}

@test "kernels too short to be measured are no result" {
	run -3 --separate-stderr "$W" stream --array-size 1000 --force -t 1
	[ -z "$output" ]
	[[ $stderr == *"too short to be measured"* ]]
}

@test "bound threads do not move" {
	# shellcheck disable=SC2086
	json=$("$W" stream $SMALL --bind spread --json)
	[ "$(value migrations)" = 0 ]
	run -0 bash -c 'taskset -c 0 "$0" stream --array-size 1000000 --force' "$W"
	[[ $output == *"1 threads, last on CPUs 0, 0 migrations"* ]]
}

@test "more memory than there is, and nonsense, are refused" {
	run -2 "$W" stream --array-size 1099511627776
	[[ $output == *"bytes of memory, MemAvailable leaves"*"elements at most"* ]]
	for args in "--ntimes 1" "--ntimes x" "-t -1" "--array-size 1.5" "--array-size 3 -t 5 --force"; do
		# shellcheck disable=SC2086
		run -2 "$W" stream $args
	done
}
