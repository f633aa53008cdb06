#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

@test "list names every workload with its metrics, as text and as JSON" {
	run -0 "$W" list
	[[ $output == *hackbench* && $output == *null* ]]
	run -0 bash -c '"$0" list --json | jq -r "select(.name == \"hackbench\") | .metrics[0] | .name, .unit, .better"' "$W"
	[ "$output" = $'time\ns\nlower' ]
}

@test "the help of every workload documents every option of its JSON parameters" {
	for w in $("$W" list --json | jq -r .name); do
		"$W" "$w" --help >"$BATS_TEST_TMPDIR/help"
		grep -q '^Usage: ' "$BATS_TEST_TMPDIR/help"
		grep -q '^Metrics:' "$BATS_TEST_TMPDIR/help"
		grep -q -- '--cpus' "$BATS_TEST_TMPDIR/help"
	done
	"$W" hackbench --help >"$BATS_TEST_TMPDIR/help"
	for o in $("$W" hackbench -g 1 -f 1 -l 1 --json | jq -r '.params | keys[]'); do
		grep -q -- "--$o" "$BATS_TEST_TMPDIR/help"
	done
}

@test "unknown workloads and no workload are usage errors" {
	run -2 "$W" hackbanch
	[[ $output == *"unknown workload 'hackbanch'"*hackbench* ]]
	run -2 "$W"
}

@test "null reports the value it is given" {
	run -0 "$W" null --value 1.5
	[ "$output" = "Value: 1.5" ]
	run -0 bash -c '"$0" null --value 1.5 --json | jq -r "[.workload, .metric, .value, .backend, .params.value] | @csv"' "$W"
	[ "${lines[0]}" = '"null","value",1.5,"own",1.5' ]
}

@test "the noise of null is reproducible by its seed and has the asked coefficient of variation" {
	a=$("$W" null --value 10 --noise-cv 5 --seed 7)
	b=$("$W" null --value 10 --noise-cv 5 --seed 7)
	[ "$a" = "$b" ]
	for i in $(seq 400); do "$W" null --value 10 --noise-cv 5 --seed "$i"; done |
		awk '{n++; s += $2; q += $2 * $2} END {m = s / n; cv = sqrt(q / n - m * m) / m
			exit !(m > 9.9 && m < 10.1 && cv > .04 && cv < .06)}'
}

@test "failures of null have their status, a sentence and no result" {
	run -3 --separate-stderr "$W" null --fail
	[ -z "$output" ]
	[[ $stderr == *"failed as asked for"* ]]
	run -7 "$W" null --exit 7
	[ -z "$output" ]
	run -0 "$W" null --exit 0
	[ -z "$output" ]
	run -3 --separate-stderr "$W" null --signal 9
	[ -z "$output" ]
	[[ $stderr == *"killed by signal 9"* ]]
}

@test "null sleeps as long as asked" {
	run -0 bash -c '"$0" null --sleep 200ms --json | jq -s ".[0].wall_s >= .2 and .[0].wall_s < 2"' "$W"
	[ "$output" = true ]
}

@test "a hanging run ends with its parent, killed or terminated" {
	for signal in TERM KILL; do
		mark="--seed 77$RANDOM"
		# shellcheck disable=SC2086
		start null --hang $mark
		wait_for_processes "null --hang $mark" 2
		kill "-$signal" "$pid"
		wait_at_most 2
		[ "$status" -gt 128 ]
		none_left "null --hang $mark"
	done
}

@test "a result that did not arrive is an error" {
	run -3 bash -c '"$0" null >/dev/full' "$W"
	[[ $output == *"cannot write the output: No space left on device"* ]]
	run -0 bash -c '{ "$0" null --sleep 100ms; echo $? >&3; } 3>&2 2>/dev/null | true' "$W"
	[ "$output" = 3 ]
}

@test "--cpus binds, is read back, and refuses what is not there" {
	run -0 bash -c 'taskset -c 0 "$0" null --json | jq -rs ".[0].cpus"' "$W"
	[ "$output" = 0 ]
	run -0 bash -c '"$0" null --cpus 1 --json | jq -rs ".[0].cpus"' "$W"
	[ "$output" = 1 ]
	run -2 "$W" null --cpus 0-8000
	[[ $output == *"CPUs '0-8000' asked for, only '"* ]]
	run -2 "$W" null --cpus 8000
	run -2 "$W" null --cpus 0-
	[[ $output == *"'0-' is not a list"* ]]
	run -2 "$W" null --membind 900
	run -2 "$W" null --bind sideways
	[[ $output == *"none of none, spread, pack"* ]]
}

@test "flags take =true and =false, values may be attached" {
	run -0 bash -c '"$0" hackbench -g1 -f2 --loops=3 --pipe=true --threads=false --json | jq -c "[.params.groups, .params.fds, .params.loops, .params.pipe, .params.threads, .ops]"' "$W"
	[ "$output" = "[1,2,3,true,false,12]" ]
	run -2 "$W" hackbench --pipe=1
}
