#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

value() {
	jq -s --arg m "$1" '.[] | select(.metric == $m) | .value' <<<"$json"
}

@test "the work is the same number of steps each time, whatever the time" {
	a=$("$W" juno --pin 0,0 --work 100ms --rate 100000000 --json | jq -s '.[0].ops')
	b=$("$W" juno --pin 0,0 --work 100ms --rate 100000000 --free-after 0 --json | jq -s '.[0].ops')
	[ "$a" = 20000000 ]
	[ "$b" = 20000000 ]
	"$W" juno --pin 0,0,0 --work 100ms@512 --rate 1000000 --json | jq -se '.[0].ops == 150000'
}

@test "without a rate there is no work: it is not measured behind the user's back" {
	run -2 "$W" juno --pin 0,0
	[[ $output == *"--rate is needed"*"--calibrate"* ]]
}

@test "the rate makes the work last about as long as it says" {
	rate=$("$W" juno --calibrate --json | jq -s '.[0].value')
	[ "$rate" -gt 10000000 ]
	"$W" juno --calibrate | grep -qE '^--rate [0-9]+ \(measured on CPU [0-9]+, capacity [0-9]+\)$'
	# The CPU time of a task, not its wall time: the machine may be busy.
	"$W" juno --pin 0 --cpus 0 --free-after 0 --work 1s --rate "$rate" --json |
		jq -se '.[0] | (.user_s + .system_s) > .9 and (.user_s + .system_s) < 2'
}

@test "makespan is the last finish, and each task has its own" {
	json=$("$W" juno --pin 0,0,0 --work 50ms --rate 100000000 --json)
	jq -ne "([$(value finish_0), $(value finish_1), $(value finish_2)]) as \$f |
		(\$f | max) == $(value makespan) and (\$f | min) == $(value finish_first)"
	[ -z "$(value finish_3)" ]
}

@test "tasks stay on their CPU when there is no other, and are pulled when there is" {
	json=$("$W" juno --cpus 0 --pin 0,0 --work 50ms --rate 100000000 --json)
	[ "$(value migrations)" = 0 ]
	[ "$(value pulled)" = 0 ]
	[ -z "$(value first_pull)" ]
	run -0 "$W" juno --cpus 0 --pin 0,0 --work 50ms --rate 100000000
	[[ $output == *"nothing was pulled"* ]]
	[ "$(nproc)" -gt 1 ] || return 0
	# Real-time tasks are pushed to the CPU that runs none.
	chrt -f 10 true 2>/dev/null || return 0
	json=$(chrt -r 10 "$W" juno --cpus 0-1 --pin 0,0 --work 300ms --rate 1000000000 --json)
	[ "$(value pulled)" = 1 ]
	jq -ne "$(value first_pull) < $(value makespan) and $(value migrations) >= 1"
}

@test "with the cputime model a slow CPU takes longer for the same work" {
	fast=$("$W" juno --cpus 0 --pin 0 --free-after 0 --work 200ms --work-model cputime --speed 1024 --json | jq -s '.[0].user_s + .[0].system_s')
	slow=$("$W" juno --cpus 0 --pin 0 --free-after 0 --work 200ms --work-model cputime --speed 256 --json | jq -s '.[0].user_s + .[0].system_s')
	# 200 ms and 800 ms of CPU time.
	jq -ne "$fast > .19 and $fast < .3 and $slow > .79 and $slow < .95"
}

@test "layouts outside the CPUs, and options that contradict, are refused" {
	run -2 "$W" juno --pin 0,5000 --rate 1
	[[ $output == *"CPU 5000 may not be used"* ]]
	run -2 "$W" juno --cpus 0 --rate 1
	[[ $output == *"needs two CPUs or more"* ]]
	run -2 "$W" juno --tasks 3 --pin 0,0 --rate 1
	run -2 "$W" juno --tasks 5000 --rate 1
	run -2 "$W" juno --pin 0 --rate 1 --speed 5
	run -2 "$W" juno --pin 0 --rate 1 --pass wfi
	run -2 "$W" juno --pin 0 --rate 1 --bind pack
	run -2 "$W" juno --pin 0 --rate x
}

@test "a killed task ends the run" {
	mark="--work 1$((RANDOM % 9000 + 1000))s"
	# shellcheck disable=SC2086
	start juno --pin 0,0 --rate 1000000000 $mark
	wait_for_processes "$mark" 4
	kill -9 "$(workers | tail -n 1)"
	wait_at_most 2
	[ "$status" = 3 ]
	[ ! -s "$out" ]
	grep -q 'task [01] was killed by signal 9' "$err"
	none_left "$mark"
}
