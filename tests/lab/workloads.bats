#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every workload's experiment at a small size in a real guest: it measures something there.
# LAB_BUDGET seconds are not passed: what did not fit is skipped by its name.

setup_file() {
	bats_require_minimum_version 1.5.0
	export BUILD=${BUILD:-build}
	export S=$BUILD/schedbench
	export LAB_START=${LAB_START:-$(date +%s)}
	run "$S" boot --kernel debian-6.12 --machine demo-2s8 -- true
	if [[ "$output" == *"cannot fetch"* ]]; then
		export SKIP=$output
	fi
}

setup() {
	[ -z "${SKIP:-}" ] || skip "$SKIP"
	[ $(($(date +%s) - LAB_START)) -lt "${LAB_BUDGET:-1500}" ] ||
		skip "the budget of ${LAB_BUDGET:-1500} s is used up"
}

# small EXPERIMENT METRIC ARGS...: one boot of the newer kernel; METRIC has a value in every case.
small() {
	local experiment=$1 metric=$2
	shift 2
	export SCHEDBENCH_DB=$BATS_TEST_TMPDIR/$experiment.db
	run -0 --separate-stderr "$S" run "$experiment" --variant 6.12 --boots 1 --reps 1 "$@"
	echo "$stderr" "$output"
	[ "$(sqlite3 "$SCHEDBENCH_DB" "SELECT count(DISTINCT kase) FROM sample
		WHERE metric = '$metric' AND status = 'ok' AND value > 0")" = \
		"$("$S" run "$experiment" --dry-run --json "$@" | jq '.cases | length')" ]
	[ "$(sqlite3 "$SCHEDBENCH_DB" "SELECT count(*) FROM sample WHERE status <> 'ok'")" = 0 ]
}

@test "hackbench in a guest" {
	small hackbench time --set 'sweep.groups=[1]' --set workload.params.loops=10
}

@test "messaging in a guest" {
	small messaging time --set 'sweep.group=[1]' --set workload.params.nr_loops=5
}

@test "pipe in a guest: far apart takes longer than on one CPU" {
	small pipe usecs_per_op --set 'sweep.pair=[cpu, far]' --set workload.params.loop=2000
	[ "$(sqlite3 "$SCHEDBENCH_DB" "SELECT group_concat(value, ' ') FROM sample
		WHERE metric = 'same_cpu' AND kase = 'pair=cpu'")" = 100.0 ]
}

@test "tbench in a guest" {
	small tbench throughput --set 'sweep.clients=[1, 8]' --set workload.params.timelimit=2
}

@test "netperf in a guest" {
	small netperf-tcp-rr throughput --set 'sweep.pairs=[1, 4]' --set workload.params.testlen=1
	small netperf-udp-rr throughput --set 'sweep.pairs=[1]' --set workload.params.testlen=1
	small netperf-tcp-stream throughput --set 'sweep.pairs=[1]' --set workload.params.testlen=1
}

@test "schbench in a guest, new and old" {
	small schbench wakeup_p99 --set 'sweep.threads=[2]' --set workload.params.runtime=2
	small schbench-old wakeup_p99 --set 'sweep.threads=[2]' --set workload.params.runtime=2
}

@test "stream in a guest" {
	small stream triad_best --set 'sweep.ntimes=[10]' --set workload.params.array-size=200000
}

@test "unixbench in a guest" {
	small unixbench rate --set workload.params.duration=1 --set 'sweep.copies=[1]'
}

@test "cpuload in a guest, with the scheduler's statistics" {
	small cpuload duty --set 'sweep.load=[51]' --set workload.params.timeout=2
	[ "$(sqlite3 "$SCHEDBENCH_DB" "SELECT value > 0 FROM counter WHERE name = 'Schedule Count'")" = 1 ]
}

@test "juno in a guest: six hogs, the left-out CPU is used once they are free" {
	small juno makespan --set 'workload.params.work=300ms@1024'
	[ "$(sqlite3 "$SCHEDBENCH_DB" "SELECT value FROM sample WHERE metric = 'pulled'")" = 1.0 ]
}
