#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The SIS statistics of the lab's kernels, checked against what they have to satisfy, and the
# features that switch them. LAB_BUDGET seconds are not passed: what did not fit is skipped.

setup_file() {
	bats_require_minimum_version 1.5.0
	export BUILD=${BUILD:-build}
	export S=$BUILD/schedbench
	export LAB_START=${LAB_START:-$(date +%s)}
	export TREE=$BATS_TEST_DIRNAME/../..
}

budget_left() {
	echo $((${LAB_BUDGET:-1500} - ($(date +%s) - LAB_START)))
}

# A build takes some fifteen minutes of two cores, or nothing if it is cached.
build() {
	local left
	left=$(budget_left)
	[ "$left" -gt 0 ] || skip "the budget of ${LAB_BUDGET:-1500} s is used up"
	"$S" kernel --help >/dev/null 2>&1 || skip "this schedbench builds no kernels"
	run timeout --foreground "$left" "$S" kernel build "$1"
	[ "$status" -ne 124 ] || skip "the build of $1 did not fit into the budget (it goes on next time)"
	[[ "$output" != *"cannot fetch"* ]] || skip "$output"
	echo "$output"
	[ "$status" -eq 0 ]
}

# What /proc/schedstat counted while hackbench ran, summed over the CPUs: ten SIS numbers.
# shellcheck disable=SC2016 # for the guest's shell
sis_of_hackbench() {
	local text
	text=$("$S" boot --machine demo-2s8 --kernel "$1" --timeout 300s -- /bin/sh -c '
		echo 1 > /proc/sys/kernel/sched_schedstats
		[ -z "$1" ] || { mount -t debugfs d /sys/kernel/debug 2>/dev/null
			f=/sys/kernel/debug/sched/features
			[ -e $f ] || f=/sys/kernel/debug/sched_features
			echo "$1" > $f || exit 1; }
		schedbench-workload hackbench -g 4 -f 10 -l 20 >&2 || exit 1
		cat /proc/schedstat' sh "${2:-}") || return
	awk '/^cpu/ { if (NF != 20) exit 1; for (i = 11; i <= 20; i++) n[i] += $i }
		END { for (i = 11; i <= 20; i++) printf "%d ", n[i] }' <<<"$text"
}

# search domain scanned failed recent_hit recent_miss core_search core_miss aborted fast
holds() {
	echo "$@"
	[ $# = 10 ]
	local domain_scanned=$(($3 - ($1 - $2)))
	[ "$1" -gt 100 ]
	[ "$2" -gt 0 ] && [ "$2" -le "$1" ]
	[ "$3" -ge "$domain_scanned" ] && [ "$domain_scanned" -ge "$2" ]
	[ $(($2 + ${10})) -le "$1" ]
	[ $(($4 + ${10})) -le "$1" ]
	[ "$8" -le "$7" ]
	[ $(($5 + $6)) -gt 0 ]
}

check_kernel() {
	build "$1"
	run --separate-stderr sis_of_hackbench "$1" "${2:-}"
	# shellcheck disable=SC2154 # set by run
	echo "$stderr"
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2086 # ten words
	holds $output
}

@test "every patch of ours names what it is for and applies to nothing outside the tree" {
	for patch in "$TREE"/configs/kernels/patches/*.patch; do
		grep -q '^# SPDX-License-Identifier: GPL-2.0-only' "$patch"
		grep -q '^Subject: \[PATCH\] ' "$patch"
		grep -q '^For Linux [0-9.]*[0-9][.,]' "$patch"
		run -0 git apply --numstat "$patch"
		[ "${#lines[@]}" -ge 1 ]
		[[ "$output" != *".."* ]]
		# Nobody's recipe: then it is dead.
		grep -q "patches/$(basename "$patch")" "$TREE"/configs/kernels/*.yaml
	done
}

@test "lab-6.1 is built, boots, and its SIS statistics hold" {
	check_kernel lab-6.1
}

@test "lab-5.10-overload: a refused scan is counted, and not as a search of many CPUs" {
	local on off
	check_kernel lab-5.10-overload SIS_OVERLOAD
	read -ra on <<<"$output"
	check_kernel lab-5.10-overload NO_SIS_OVERLOAD
	read -ra off <<<"$output"
	[ "${on[8]}" -gt 0 ]
	[ "${off[8]}" = 0 ]
}

@test "lab-6.12-siscache is built, boots, and SIS_CACHE can be switched" {
	check_kernel lab-6.12-siscache SIS_CACHE
	check_kernel lab-6.12-siscache NO_SIS_CACHE
}

@test "lab-5.10-idlecandidate takes the patch from the mail" {
	[ -n "${SCHEDBENCH_MAILS:-}" ] || skip "SCHEDBENCH_MAILS is not set"
	check_kernel lab-5.10-idlecandidate
}
