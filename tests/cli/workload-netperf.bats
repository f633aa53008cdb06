#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

value() {
	jq -s --arg m "$1" '.[] | select(.metric == $m) | .value' <<<"$json"
}

# As mmtests: the last field of the last line of more than four numbers.
mmtests() {
	awk 'NF > 4 && !/[^0-9. ]/ {v = $NF} END {print v}'
}

@test "mmtests finds the rate of each test" {
	for t in TCP_RR UDP_RR TCP_STREAM; do
		"$W" netperf -t $t -l 200ms >"$BATS_TEST_TMPDIR/text"
		mmtests <"$BATS_TEST_TMPDIR/text" | grep -qE '^[0-9]+\.[0-9]{2}$'
		[ "$("$W" netperf -t $t -l 200ms -P 0 | wc -l)" -lt "$(wc -l <"$BATS_TEST_TMPDIR/text")" ]
	done
	run -0 "$W" netperf -l 100ms -v 0
	[[ $output =~ ^\ *[0-9]+\.[0-9]{2}$ ]]
}

@test "the unit of TCP_STREAM is 1e6 or 1e3 bits a second" {
	"$W" netperf -t TCP_STREAM -l 100ms -f k | grep -q '10^3bits/sec'
	json=$("$W" netperf -t TCP_STREAM -l -8000000 --json)
	jq -se '.[0] | .unit == "Mbit/s" and .ops == 8000000 and ((.value * .wall_s / 64 - 1) | fabs) < 1e-6' <<<"$json"
}

@test "a count is done exactly, by each of the pairs" {
	json=$("$W" netperf -n 3 -l -500 --json)
	jq -se '.[0].ops == 1500' <<<"$json"
	json=$("$W" netperf -t UDP_RR -n 2 -l -500 --json)
	jq -se '.[0].ops == 1000' <<<"$json"
}

@test "the transactions seen from outside have the sizes asked for" {
	for t in TCP_RR UDP_RR; do
		ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=sendto,recvfrom -o "$BATS_TEST_TMPDIR/trace" "$W" netperf -t $t -l -200 -- -r 77,1234 >/dev/null
		[ "$(grep -c 'sendto(.*, 77, ' "$BATS_TEST_TMPDIR/trace")" = 200 ]
		[ "$(grep -c 'sendto(.*, 1234, ' "$BATS_TEST_TMPDIR/trace")" = 200 ]
	done
}

@test "a stream moves its bytes in pieces of -m" {
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=sendto -o "$BATS_TEST_TMPDIR/trace" "$W" netperf -t TCP_STREAM -m 1000 -l -20500 >/dev/null
	[ "$(grep -c 'sendto(.*, 1000, ' "$BATS_TEST_TMPDIR/trace")" = 20 ]
	[ "$(grep -c 'sendto(.*, 500, ' "$BATS_TEST_TMPDIR/trace")" = 1 ]
}

@test "sum, extremes and fairness of several pairs agree" {
	json=$("$W" netperf -n 2 -l 300ms --json)
	# Two pairs: the sum is that of least and most, Jain's index follows from both.
	jq -ne "$(value throughput) as \$s | $(value pair_min) as \$a | $(value pair_max) as \$b |
		((\$s - \$a - \$b) | fabs) < 1e-6 * \$s and
		(($(value jain) - \$s * \$s / (2 * (\$a * \$a + \$b * \$b))) | fabs) < 1e-9"
	json=$("$W" netperf -n 1 -l 100ms --json)
	[ "$(value jain)" = 1 ]
}

@test "bursts and socket buffers work" {
	run -0 "$W" netperf -b 5 -D -l 200ms
	[[ $output == *"first burst 5"* ]]
	# The kernel doubles what is asked for.
	run -0 "$W" netperf -t TCP_STREAM -s 32768 -S 65536 -l 100ms -P 0
	[[ $output =~ ^131072\ +65536\ +65536 ]]
}

@test "-T pins, and refuses CPUs that may not be used" {
	run -0 "$W" netperf -T 0 -l 50ms
	run -2 "$W" netperf -T 0,5000 -l 1
	if [ "$(nproc)" -gt 1 ]; then
		run -0 "$W" netperf -T 0,1 -l 50ms
		run -2 "$W" netperf --cpus 0 -T ,1 -l 1
		[[ $output == *"CPU 1 may not be used"* ]]
	fi
}

@test "lost datagrams make the result invalid unless they are allowed" {
	# A server that is stopped for longer than the timeout loses what is sent to it.
	for allow in "" --allow-loss; do
		mark="-l 2.$((RANDOM + 10000)) --loss-timeout 50ms"
		# shellcheck disable=SC2086
		start netperf $allow -t UDP_RR $mark
		wait_for_processes "-t UDP_RR $mark" 4
		sleep 0.3
		server=$(workers | head -n 1)
		kill -STOP "$server"
		sleep 0.3
		kill -CONT "$server"
		wait_at_most 10
		if [ -n "$allow" ]; then
			[ "$status" = 0 ]
			grep -qE '^lost [0-9]+ datagrams$' "$out"
		else
			[ "$status" = 3 ]
			[ ! -s "$out" ]
			grep -q 'datagrams were lost' "$err"
		fi
	done
}

@test "a killed server or client ends the run" {
	for victim in 3 4; do
		mark="-l 1$((RANDOM % 9000 + 1000))"
		# shellcheck disable=SC2086
		start netperf $mark
		wait_for_processes "netperf $mark" 4
		kill -9 "$(workers | sed -n "$((victim - 2))p")"
		wait_at_most 2
		[ "$status" = 3 ]
		[ ! -s "$out" ]
		grep -q '\(server\|client\) 0 was killed by signal 9' "$err"
		none_left "netperf $mark"
	done
}

@test "what makes no sense is a usage error" {
	for args in "-t TCP_CRR" "-l 0" "-l 1x" "-r 0,1" "-r 1,2,3" "-r a" "-t UDP_RR -r 70000,1" "-t UDP_RR -D" "-b 1 -t TCP_STREAM" "-m 5" "-n 0" "-I 99,5" "-l -0.5"; do
		# shellcheck disable=SC2086
		run -2 "$W" netperf $args
	done
}
