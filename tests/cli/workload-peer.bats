#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The originals behind --backend peer: real ones where they are installed, and scripts in their place
# that do what originals do when they fail.
bats_require_minimum_version 1.5.0
load workload.bash

need() {
	command -v "$1" >/dev/null || skip "$1 is not there"
}

# fake NAME SCRIPT: a program of that name, found before the real one.
fake() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/bin/$1"
	chmod +x "$BATS_TEST_TMPDIR/bin/$1"
	export PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

HEAD='echo "Running in process mode with 1 groups using 40 file descriptors each (== 40 tasks)"
echo "Each sender will pass 9 messages of 100 bytes"'

@test "hackbench runs, is read, and says that it is the original" {
	need hackbench
	run -0 "$W" hackbench --backend peer -g 1 -l 100 --json
	[ "$(jq -r '[.workload, .metric, .unit, .better, .backend, .params.loops] | @csv' <<<"$output")" = \
		'"hackbench","time","s","lower","peer",100' ]
	[ "$(jq -r .program <<<"$output")" = "$(command -v hackbench)" ]
	jq -e '.value > 0 and .value <= .wall_s + 0.001 and .user_s + .system_s > 0' <<<"$output"
	[ "$(jq 'has("ops")' <<<"$output")" = false ]
}

@test "without --json the original's own words are printed" {
	need hackbench
	run -0 "$W" hackbench --backend peer -g 1 -f 10 -l 1000 -T -p
	[ "${lines[0]}" = "Running in threaded mode with 1 groups using 20 file descriptors each (== 20 tasks)" ]
	[ "${lines[1]}" = "Each sender will pass 1000 messages of 100 bytes" ]
	[[ "${lines[2]}" == "Time: "* ]]
}

@test "perf bench sched pipe and messaging run and are read" {
	need perf
	run -0 "$W" pipe --backend peer -l 2000 --json
	[ "$(jq -s -r 'map(.metric) | join(" ")' <<<"$output")" = "usecs_per_op ops_per_sec" ]
	jq -s -e '.[0].value * .[1].value / 1e6 | . > 0.99 and . < 1.01' <<<"$output"
	run -0 "$W" messaging --backend peer -g 1 -l 20 -t --json
	jq -e '.value > 0 and .metric == "time" and .backend == "peer"' <<<"$output"
}

@test "--dry-run prints the command and runs nothing" {
	fake hackbench "touch $BATS_TEST_TMPDIR/ran"
	run -0 "$W" hackbench --backend peer --dry-run -g 3 --fifo
	[ "$output" = "client: $BATS_TEST_TMPDIR/bin/hackbench -g 3 -f 20 -l 100 -s 100 -P -F" ]
	run -0 "$W" hackbench --backend peer --dry-run --json -T
	[ "$(jq -c .argv <<<"$output")" = '["hackbench","-g","10","-f","20","-l","100","-s","100","-T"]' ]
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
	run -2 "$W" hackbench --dry-run
	[[ "$output" == *"needs --backend peer"* ]]
}

@test "an original that is not there, or does not exist, is a usage error with the remedy" {
	PATH=/nonexistent run -2 "$W" hackbench --backend peer
	[[ "$output" == *"no program 'hackbench' in PATH (apt-get install rt-tests)" ]]
	run -2 "$W" "null" --backend peer
	[[ "$output" == *"'null' has no original to run"* ]]
}

@test "parameters that the original does not have are named" {
	need perf
	run -2 "$W" pipe --backend peer --pair cpu
	[[ "$output" == *"has no '--pair'"* ]]
	run -2 "$W" pipe --backend peer --bind spread
	[[ "$output" == *"--bind places the workers of our generators"* ]]
}

@test "--cpus binds the original" {
	fake hackbench "$HEAD"'
taskset -cp $$ >&2; echo Time: 1.500'
	run -0 --separate-stderr "$W" hackbench --backend peer -g 1 -l 9 --cpus 0
	[[ "$output" == *"current affinity list: 0" ]]
}

@test "an original that fails, dies or prints no result gives no number" {
	fake hackbench "$HEAD"'
echo Time: 0.500; echo "SERVER: socket: too many" >&2; exit 1'
	run -3 "$W" hackbench --backend peer -g 1 -l 9 --json
	[ "$output" = "schedbench-workload: hackbench ended with status 1: SERVER: socket: too many" ]
	fake hackbench "$HEAD"'
echo Time: 0.500; kill -SEGV $$'
	run -3 "$W" hackbench --backend peer -g 1 -l 9
	[[ "$output" == *"hackbench was killed by signal 11 (Segmentation fault)"* ]]
	fake hackbench "$HEAD"
	run -3 "$W" hackbench --backend peer -g 1 -l 9
	[[ "$output" == *"printed no line 'Time: %n'"* ]]
	fake hackbench "$HEAD"'
echo Time: 0,500'
	run -3 "$W" hackbench --backend peer -g 1 -l 9
	[[ "$output" == *"printed no line 'Time: %n'"* ]]
}

@test "the original speaks C, whatever the locale" {
	fake hackbench "$HEAD"'
[ "$LC_ALL" = C ] && echo Time: 0.500'
	LC_ALL=de_DE.UTF-8 LANGUAGE=de run -0 "$W" hackbench --backend peer -g 1 -l 9
	[ "${lines[2]}" = "Time: 0.500" ]
}

@test "an original that prints without end is ended" {
	fake hackbench 'exec yes'
	run -3 timeout 30 "$W" hackbench --backend peer -g 1 -l 9
	[[ "$output" == *"killed by signal 25"* ]]
}

@test "what an original leaves behind is killed and holds nothing up" {
	fake hackbench "$HEAD"'
sleep 98761 & sleep 98762 >/dev/null 2>&1 & echo Time: 0.500'
	run -0 timeout 10 bash -c '"$0" hackbench --backend peer -g 1 -l 9 | cat' "$W"
	[ "${lines[2]}" = "Time: 0.500" ]
	none_left 'sleep 9876[12]'
}

@test "a hackbench that runs out of descriptors is an error and leaves nobody" {
	need hackbench
	run -3 timeout 20 bash -c 'ulimit -n 1024; "$0" hackbench --backend peer -g 1 -f 1100 -l 7654321 | cat
		exit "${PIPESTATUS[0]}"' "$W"
	[[ "$output" == *"hackbench ended with status 1: "*"Too many open files"* ]]
	none_left 7654321
}

@test "no original outlives its adapter, however that ends" {
	need hackbench
	for signal in KILL TERM; do
		start hackbench --backend peer -g 2 -l 7654321
		wait_for_processes 'hackbench -g 2 -f 20 -l 7654321' 81
		kill -"$signal" "$pid"
		wait_at_most 3
		none_left 7654321
	done
}

@test "no original outlives the process that runs it" {
	need hackbench
	start hackbench --backend peer -g 1 -l 7654321
	wait_for_processes 'hackbench -g 1 -f 20 -l 7654321' 41
	kill -KILL "$(pgrep -P "$pid" | head -n 1)"
	wait_at_most 3
	[ "$status" -eq 3 ]
	[ ! -s "$out" ]
	none_left 7654321
}

@test "an original that is killed is a failure and nothing is left of it" {
	need hackbench
	start hackbench --backend peer -g 1 -l 7654321
	wait_for_processes 'hackbench -g 1 -f 20 -l 7654321' 41
	kill -KILL "$(pgrep -o -f '^hackbench -g 1 -f 20 -l 7654321')"
	wait_at_most 3
	[ "$status" -eq 3 ]
	grep -q 'hackbench was killed by signal 9' "$err"
	none_left 7654321
}
