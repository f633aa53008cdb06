#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

# value NAME: of the JSON lines in $json
value() {
	jq -s --arg m "$1" '.[] | select(.metric == $m) | .value' <<<"$json"
}

holds() {
	jq -ne "$1" >/dev/null || {
		echo "not true: $1" >&2
		return 1
	}
}

@test "the output has the lines that mmtests and lkp look for" {
	"$W" schbench -r 3 -i 1 -F 8 -n 1 >"$BATS_TEST_TMPDIR/text"
	[ "$(grep -cE '^Wakeup Latencies percentiles \(usec\) runtime [0-9]+ \(s\) \([0-9]+ total samples\)$' "$BATS_TEST_TMPDIR/text")" = 3 ]
	[ "$(grep -cE '^Request Latencies percentiles' "$BATS_TEST_TMPDIR/text")" = 3 ]
	[ "$(grep -cE '^RPS percentiles \(requests\)' "$BATS_TEST_TMPDIR/text")" = 3 ]
	[ "$(grep -cE '^current rps: [0-9]+\.[0-9]{2}$' "$BATS_TEST_TMPDIR/text")" = 2 ]
	[ "$(grep -cE $'^\t\\* 99.0th: [0-9]+ +\([0-9]+ samples\)$' "$BATS_TEST_TMPDIR/text")" = 6 ]
	[ "$(grep -cE $'^\t  min=[0-9]+, max=[0-9]+$' "$BATS_TEST_TMPDIR/text")" = 9 ]
	grep -qE '^average rps: [0-9]+\.[0-9]{2}$' "$BATS_TEST_TMPDIR/text"
	grep -qE '^sched delay: message [0-9]+ \(usec\) worker [0-9]+ \(usec\)$' "$BATS_TEST_TMPDIR/text"
}

@test "v1 prints the old format, of 2019 and of 2021" {
	"$W" schbench-v1-2019 -m 1 -t 2 -c 100 -s 1000 -r 1 >"$BATS_TEST_TMPDIR/old"
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/old")" = "Latency percentiles (usec)" ]
	[ "$(grep -oE '[0-9.]+th' "$BATS_TEST_TMPDIR/old" | tr '\n' ' ')" = "50.0th 75.0th 90.0th 95.0th 99.0th 99.5th 99.9th " ]
	grep -qE $'^\t\\*99.0th: [0-9]+$' "$BATS_TEST_TMPDIR/old"
	"$W" schbench-v1-2021 -m 1 -t 2 -c 100 -s 1000 -r 1 -w 0 >"$BATS_TEST_TMPDIR/new"
	grep -qE $'^\t\\* 99.0th: [0-9]+ +\([0-9]+ samples\)$' "$BATS_TEST_TMPDIR/new"
}

@test "the rounds of v1 take as long as work and sleep together" {
	# 20..25 ms of sleep and 5 ms of work: 33 to 40 rounds a second at most.
	json=$("$W" schbench-v1-2019 -m 1 -t 1 -c 5ms -s 20ms -r 2 --json)
	holds "$(value average_rps) <= 40 and $(value average_rps) > 10"
}

@test "the latency of 2021 leaves the work out" {
	# One worker on a CPU of its own class of load: far less than the 50 ms of work.
	json=$("$W" schbench-v1-2021 -m 1 -t 1 -c 50ms -s 1ms -r 2 -w 0 --json)
	holds "$(value wakeup_p50) < 40000"
}

@test "--cache_footprint is not ignored" {
	small=$("$W" schbench -C --cache_footprint 16 -r 1 -t 1 --json | jq -s '.[] | select(.metric == "request_p50") | .value')
	large=$("$W" schbench -C -F 256 -r 1 -t 1 --json | jq -s '.[] | select(.metric == "request_p50") | .value')
	# 26^3 to 104^3 multiplications.
	holds "$large > 15 * $small"
}

@test "an open loop sends what it is asked for, and measures from the intended arrival" {
	json=$("$W" schbench -R 50 -r 2 -F 8 -n 1 --json)
	holds "$(value completed) > 90 and $(value completed) <= 101"
	[ "$(value overloaded)" = 0 ]
	[ "$(value drops)" = 0 ]
	holds "$(value average_rps) > 45 and $(value average_rps) < 51"
	holds "$(value response_p50) > $(value request_p50)"
}

@test "Poisson arrivals have the asked mean rate" {
	"$W" schbench -R 1000 --poisson -r 2 -F 1 -n 1 -s 0 >"$BATS_TEST_TMPDIR/text"
	n=$(sed -n 's/^arrivals: \([0-9]*\) .*/\1/p' "$BATS_TEST_TMPDIR/text")
	# 2000 expected, standard deviation 45; late threads catch up.
	[ "$n" -gt 1750 ] && [ "$n" -lt 2250 ]
}

@test "an overloaded open loop shows it: response times grow, drops are counted" {
	# A request takes 10 ms: one worker does 100 a second at best.
	json=$("$W" schbench-v1-2019 -R 400 -m 1 -t 1 -c 10ms -r 1 --json)
	first=$(value response_p50)
	json=$("$W" schbench-v1-2019 -R 400 -m 1 -t 1 -c 10ms -r 3 --json)
	[ "$(value overloaded)" = 1 ]
	[ "$(value drops)" = 0 ]
	holds "$(value response_p50) > 1.8 * $first and $first > 100000"
	json=$("$W" schbench-v1-2019 -R 400 -m 1 -t 1 -c 10ms -r 1 --backlog 10 --json)
	holds "$(value drops) > 100 and $(value completed) < 50"
	run -0 "$W" schbench-v1-2019 -R 400 -m 1 -t 1 -c 10ms -r 1
	[[ $output == *overloaded* ]]
}

@test "--auto-rps steers towards more load than it starts with" {
	"$W" schbench -A 60 -r 4 -F 64 -t 4 -s 0 --json >"$BATS_TEST_TMPDIR/json"
	"$W" schbench -A 60 -r 3 -F 64 -t 4 -s 0 | grep -E '^arrivals: .*last rate' |
		awk '{sub(/.*last rate /, ""); exit !($1 + 0 != 10)}'
	[ "$(jq -s length "$BATS_TEST_TMPDIR/json")" -gt 10 ]
}

@test "pipe mode reports transfers" {
	run -0 "$W" schbench -p 4096 -r 1
	[[ $output =~ avg\ worker\ transfer:\ [0-9]+\.[0-9]{2}\ ops/sec\ [0-9]+\.[0-9]{2}[KMG]?B/s ]]
	json=$("$W" schbench-v1-2019 -p 100 -m 1 -t 2 -r 1 --json)
	holds "$(value transfer) > 1000"
}

@test "the default number of workers is that of the allowed CPUs" {
	taskset -c 0 "$W" schbench -r 3 -F 8 >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	sleep 1
	# The runner itself, one message thread, one worker.
	[ "$(ls "/proc/$(pgrep -P "$pid")/task" | wc -l)" = 3 ]
	wait "$pid"
}

@test "-M auto and -W auto use different CPUs" {
	[ "$(nproc)" -gt 1 ] || skip "needs two CPUs"
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=sched_setaffinity -o "$BATS_TEST_TMPDIR/trace" "$W" schbench -M auto -W auto --cpus 0-1 -t 2 -r 200ms -F 8 >/dev/null
	# One call of --cpus itself, then the message thread on 0 and the workers on 1.
	[ "$(grep -cE 'sched_setaffinity\(0, 1024, \[0[] ]( |\.|\])' "$BATS_TEST_TMPDIR/trace")" -ge 1 ]
	[ "$(grep -cE 'sched_setaffinity\(0, 1024, \[1( |\])' "$BATS_TEST_TMPDIR/trace")" = 2 ]
	run -2 "$W" schbench -W auto --cpus 0 -r 1
	run -2 "$W" schbench -M 9000 -r 1
}

@test "what makes no sense is a usage error" {
	for args in "-m 0" "-t -1" "-r abc" "-r 0" "-p 2M" "-R 5 -p 10" "-C -p 10" "-i 1.5" "-m 1 -M 0 --bind pack" "--split 5"; do
		# shellcheck disable=SC2086
		run -2 "$W" schbench $args
	done
	run -2 "$W" schbench-v1-2019 -F 256
	run -2 "$W" schbench-v1-2021 -t 0
}

@test "a run too short for one request is no result" {
	run -3 --separate-stderr "$W" schbench-v1-2019 -c 1s -r 100ms -m 1 -t 1
	[ -z "$output" ]
	[[ $stderr == *"no request was done"* ]]
}

@test "workers that wait for a CPU's lock do not keep the end waiting" {
	run timeout 20 "$W" schbench --cpus 0 -t 64 -n 60 -r 1
	[ "$status" = 0 ] || [ "$status" = 3 ]
}

@test "a killed run is no result" {
	mark="-r $((10000 + RANDOM))"
	# shellcheck disable=SC2086
	start schbench $mark
	wait_for_processes "schbench $mark" 2
	kill -9 "$(pgrep -P "$pid")"
	wait_at_most 2
	[ "$status" = 3 ]
	[ ! -s "$out" ]
	none_left "schbench $mark"
}
