#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

value() {
	jq -s --arg m "$1" '.[] | select(.metric == $m) | .value' <<<"$json"
}

# A CPU is idle for a real-time task, whatever else the machine does.
alone() {
	chrt -f 10 true 2>/dev/null || skip "needs real-time priority to have a CPU for itself"
	chrt -f 10 "$@"
}

@test "a hog that has a CPU for itself takes the share that was asked for" {
	for mode in cpu wall; do
		for load in 20 51 80; do
			json=$(alone "$W" cpuload -c 1 -l $load --cpus 0 -t 1.5 --mode $mode --json)
			jq -ne "$(value duty) > $load - 2 and $(value duty) < $load + 2"
		done
	done
}

@test "periods are as long as slice and share say" {
	# 10 ms at 50 %: 20 ms.
	json=$(alone "$W" cpuload -c 1 -l 50 --cpus 0 -t 2 --phase aligned --json)
	jq -ne "$(value periods) >= 90 and $(value periods) <= 100"
	[ "$(value missed)" = 0 ]
	json=$(alone "$W" cpuload -c 1 -l 50 --slice-ms 2 --cpus 0 -t 1 --phase aligned --json)
	jq -ne "$(value periods) >= 230 and $(value periods) <= 250"
}

@test "waiting for a CPU lowers the share by CPU time, and shortens the pause by the wall clock" {
	chrt -f 20 true 2>/dev/null || skip "needs real-time priority"
	# Half of the CPU goes to a hog of higher priority, in short slices: ours of 10 ms take 20.
	chrt -f 20 "$W" cpuload -c 1 -l 50 --slice-ms 1 --cpus 0 -t 60 >/dev/null 3>&- &
	pid=$!
	cpu=$(chrt -f 10 "$W" cpuload -c 1 -l 40 --cpus 0 -t 2 --mode cpu --json)
	wall=$(chrt -f 10 "$W" cpuload -c 1 -l 40 --cpus 0 -t 2 --mode wall --json)
	kill "$pid"
	# 10 / (20 + 15), and 10 / 25.
	json=$cpu
	jq -ne "$(value duty) > 24 and $(value duty) < 34 and $(value wait) > 20"
	json=$wall
	jq -ne "$(value duty) > 37 and $(value duty) < 42"
}

@test "0 % sleeps, 100 % does not" {
	json=$("$W" cpuload -c 1 -l 0 -t 300ms --json)
	jq -ne "$(value duty) < 5"
	json=$(alone "$W" cpuload -c 1 -l 100 --cpus 0 -t 500ms --json)
	jq -ne "$(value duty) > 90"
}

@test "the duty is the CPU time seen from outside" {
	json=$("$W" cpuload -c 2 -l 60 -t 2 --phase aligned --json)
	jq -se '.[0] as $r | (map(select(.metric == "duty"))[0].value / 100 * 2 * 2) as $cpu |
		($r.user_s + $r.system_s) > .85 * $cpu and ($r.user_s + $r.system_s) < 1.15 * $cpu + .1' <<<"$json"
}

@test "the tolerance makes a load that is off a failure" {
	# Two hogs of 80 % cannot both have it on one CPU.
	run -3 --separate-stderr "$W" cpuload -c 2 -l 80 --cpus 0 -t 1 --tolerance 2
	[ -z "$output" ]
	[[ $stderr == *"instead of 80 %: off by"* ]]
	run -0 "$W" cpuload -c 2 -l 80 --cpus 0 -t 1
}

@test "a run too short for a period, and nonsense, are refused" {
	run -3 "$W" cpuload -c 1 -l 1 -t 20ms --phase aligned
	[[ $output == *"no whole period"* ]]
	for args in "-l 101" "-l -1" "-l abc" "-c -1" "-t 0" "--mode both" "--slice-ms 0" "5"; do
		# shellcheck disable=SC2086
		run -2 "$W" cpuload $args
	done
}

@test "a killed hog ends the run" {
	mark="-t 1$((RANDOM % 9000 + 1000))"
	# shellcheck disable=SC2086
	start cpuload -c 2 -l 10 $mark
	wait_for_processes "cpuload -c 2 -l 10 $mark" 4
	kill -9 "$(workers | tail -n 1)"
	wait_at_most 2
	[ "$status" = 3 ]
	[ ! -s "$out" ]
	grep -q 'hog [01] was killed by signal 9' "$err"
	none_left "cpuload -c 2 -l 10 $mark"
}
