#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

@test "the output is the one that parsers of hackbench read" {
	run -0 "$W" hackbench -g 2 -f 3 -l 5 -s 7
	[ "${lines[0]}" = "Running in process mode with 2 groups using 6 file descriptors each (== 12 tasks)" ]
	[ "${lines[1]}" = "Each sender will pass 5 messages of 7 bytes" ]
	[[ ${lines[2]} =~ ^Time:\ [0-9]+\.[0-9]{3}$ ]]
	run -0 "$W" hackbench -T -g 1 -f 2 -l 5
	[[ ${lines[0]} == "Running in threaded mode with 1 groups"* ]]
}

@test "all channels and both modes deliver every message" {
	for channel in "" -p -i; do
		for mode in -P -T; do
			# shellcheck disable=SC2086
			ops=$("$W" hackbench $channel $mode -g 2 -f 3 -l 10 --json | jq .ops)
			[ "$ops" = $((2 * 3 * 3 * 10)) ]
		done
	done
}

@test "the calls seen from outside are those of the messages" {
	# 1 * 4 * 4 * 50 messages of 100 bytes, counted by strace.
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=write -o "$BATS_TEST_TMPDIR/trace" "$W" hackbench -p -g 1 -f 4 -l 50 >/dev/null
	[ "$(grep -c 'write(.*, 100) *= 100$\|write resumed.*= 100$' "$BATS_TEST_TMPDIR/trace")" = 800 ]
}

@test "a message larger than any stack works" {
	run -0 "$W" hackbench -T -g 1 -f 2 -l 3 -s 12000
	run -0 "$W" hackbench -g 1 -f 2 -l 2 -s 3M
}

@test "sizes, counts and words that make no sense are usage errors" {
	for args in "-s -5" "-s 0" "-l 0" "-g abc" "-g 1.5" "-f 1x" "5 process 10" "-p -i" "-T -P" "-g" "--bogus" "-g 1 -g 2"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr "$W" hackbench $args
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
}

@test "more descriptors than there can be are refused with the numbers, and nothing is left" {
	SECONDS=0
	run -0 bash -c 'ulimit -n 1024; { "$0" hackbench -f 1100 -l 424201; echo "status $?"; } 2>&1 | cat' "$W"
	[[ $output == *"needs 1108 file descriptors"* ]]
	[[ $output == *"status 2"* ]]
	[ "$SECONDS" -lt 2 ]
	none_left "-l 424201"
	run -2 bash -c 'ulimit -n 1024; "$0" hackbench -T -g 26' "$W"
	[[ $output == *"25 groups at most (-g 25)"* ]]
}

@test "the soft limit of descriptors is raised" {
	run -0 bash -c 'ulimit -Sn 128; "$0" hackbench -T -g 5 -l 1' "$W"
}

@test "more processes than the user may have are refused" {
	[ "$(id -u)" = 0 ] || skip "needs root to become another user"
	cp "$W" "$BATS_TEST_TMPDIR/w"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/w"
	exec 5<"$BATS_TEST_TMPDIR/w"
	run -2 setpriv --reuid 65431 --regid 65431 --clear-groups bash -c 'ulimit -u 50; /proc/self/fd/5 hackbench -g 3' 5<"$BATS_TEST_TMPDIR/w"
	[[ $output == *"needs 122 tasks, the limit of processes"*"1 groups at most"* ]]
}

@test "a worker that is killed ends the run: named, no result, nobody left" {
	for victim in 3 6; do # of 2 receivers and 2 senders behind the program and its runner
		mark="-l 4242$RANDOM"
		# shellcheck disable=SC2086
		start hackbench -g 1 -f 2 $mark
		wait_for_processes "hackbench -g 1 -f 2 $mark" 6
		kill -9 "$(workers | sed -n "$((victim - 2))p")"
		wait_at_most 2
		[ "$status" = 3 ]
		[ ! -s "$out" ]
		grep -q '\(receiver 0\|sender 1\) of group 0 was killed by signal 9' "$err"
		none_left "hackbench -g 1 -f 2 $mark"
	done
}

@test "the run that is killed, as processes and as threads, gives no result and leaves nobody" {
	for mode in -P -T; do
		mark="-l 4242$RANDOM"
		# shellcheck disable=SC2086
		start hackbench $mode -g 1 -f 2 $mark
		wait_for_processes "hackbench $mode -g 1 -f 2 $mark" 2
		kill -9 "$(pgrep -P "$pid")"
		wait_at_most 2
		[ "$status" = 3 ]
		[ ! -s "$out" ]
		grep -q 'killed by signal 9' "$err"
		none_left "hackbench $mode -g 1 -f 2 $mark"
	done
}

@test "schedbench-workload that is killed or interrupted leaves nobody" {
	for signal in KILL TERM INT; do
		for mode in -P -T; do
			mark="-l 4242$RANDOM"
			# shellcheck disable=SC2086
			start hackbench $mode -g 1 -f 2 $mark
			wait_for_processes "hackbench $mode -g 1 -f 2 $mark" 2
			# A shell without job control starts its children with SIGINT ignored.
			[ $signal = INT ] && grep -q 'SigIgn:.*[2367abef]$' "/proc/$pid/status" && signal=TERM
			kill "-$signal" "$pid"
			wait_at_most 2
			[ "$status" -gt 128 ]
			[ ! -s "$out" ]
			none_left "hackbench $mode -g 1 -f 2 $mark"
		done
	done
}

@test "--fifo makes the main task real-time, or says why not" {
	if chrt -f 1 true 2>/dev/null; then
		run -0 "$W" hackbench -F -g 1 -f 2 -l 5
	fi
	run -3 --separate-stderr setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$W" hackbench -F -g 1 -f 2 -l 5
	[ -z "$output" ]
	[[ $stderr == *"--fifo"* ]]
}

@test "workers are bound one by one with --bind" {
	run -0 env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=sched_setaffinity -o "$BATS_TEST_TMPDIR/trace" "$W" hackbench --bind pack -g 1 -f 2 -l 1
	[ "$(grep -c 'sched_setaffinity(0, 1024, \[[0-9]*[] ]' "$BATS_TEST_TMPDIR/trace")" = 4 ]
	[ "$(grep -c 'sched_setaffinity(0, 1024, \[0[] ]' "$BATS_TEST_TMPDIR/trace")" = $(((4 + $(nproc) - 1) / $(nproc))) ]
}

@test "more tasks than the cgroup may have are refused" {
	for root in /sys/fs/cgroup/pids /sys/fs/cgroup; do
		group=$root/schedbench-test-$$
		mkdir "$group" 2>/dev/null || continue
		[ -e "$group/pids.max" ] && break
		rmdir "$group"
		group=
	done
	[ -n "$group" ] && [ -e "$group/pids.max" ] || skip "no pids controller to write to"
	echo 30 >"$group/pids.max"
	run bash -c 'echo $$ >"$1/cgroup.procs" && exec "$0" hackbench -g 2 -f 10' "$W" "$group"
	rmdir "$group"
	[ "$status" = 2 ]
	[[ $output == *"needs 42 tasks, pids.max of the cgroup leaves 2"*": 1 groups at most (-g 1)"* ]]
}
