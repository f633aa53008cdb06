#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

@test "the output has the lines that mmtests and lkp look for" {
	"$W" tbench 2 -t 2 --warmup 1 >"$BATS_TEST_TMPDIR/text"
	# Fields 3 and 6 are the rate and the time.
	[ "$(awk '$5 == "execute" && $3 ~ /^[0-9]+\.[0-9][0-9]$/ && $4 == "MB/sec" && $6 ~ /^[23]$/' "$BATS_TEST_TMPDIR/text" | wc -l)" = 2 ]
	[ "$(awk '$5 == "warmup"' "$BATS_TEST_TMPDIR/text" | wc -l)" = 1 ]
	grep -qE '^Throughput [0-9.]+ MB/sec  2 clients  2 procs  max_latency=[0-9.]+ ms$' "$BATS_TEST_TMPDIR/text"
	grep -qE '^ NTCreateX +[0-9]+ +[0-9.]+ +[0-9.]+$' "$BATS_TEST_TMPDIR/text"
	grep -qE '^ Qpathinfo +[0-9]+' "$BATS_TEST_TMPDIR/text"
}

@test "one second is enough for a number" {
	run -0 bash -c '"$0" tbench -t 1 --json | jq -s ".[0].metric == \"throughput\" and .[0].value > 0"' "$W"
	[ "$output" = true ]
	run -0 bash -c '"$0" tbench -t 100ms | grep -c ^Throughput' "$W"
}

@test "the mix has the shares of the table" {
	"$W" tbench -t 2 --warmup 0 | awk '
		/^ (ReadX|NTCreateX|Qpathinfo|Close|WriteX|Find|Unlink)/ {n[$1] = $2}
		/^ [A-Z][A-Za-z]+ +[0-9]/ {all += $2}
		function near(op, share) {d = 100 * n[op] / all - share; if (d > 1 || d < -1) bad = 1}
		END {near("ReadX", 27.1); near("NTCreateX", 17.29); near("Qpathinfo", 15.67)
			near("Close", 12.7); near("WriteX", 8.62); near("Find", 6.06); near("Unlink", 3.49)
			exit bad || all < 100}'
}

@test "a loadfile is replayed in order, over and over, with its sizes" {
	cat >"$BATS_TEST_TMPDIR/load" <<-'END'
		NTCreateX "\clients\client1\a" 0x1 0x2 1 NT_STATUS_OK
		WriteX 1 0 1000 1000 NT_STATUS_OK
		ReadX 1 0 4096 500 NT_STATUS_OK
		ReadX 1 0 4096 500 NT_STATUS_OK
		Close 1 NT_STATUS_OK
	END
	"$W" tbench -c "$BATS_TEST_TMPDIR/load" -t 300ms --warmup 0 --json >"$BATS_TEST_TMPDIR/json"
	# 2000 bytes in 5 exchanges.
	jq -se '(.[0].value * 1e6 / .[1].value / 400 - 1) | fabs < 0.02' "$BATS_TEST_TMPDIR/json"
	"$W" tbench -c "$BATS_TEST_TMPDIR/load" -t 300ms --warmup 0 |
		awk '$1 == "ReadX" {r = $2} $1 == "Close" {c = $2} END {exit !(c > 0 && r - 2 * c >= 0 && r - 2 * c <= 2)}'
}

@test "exchanges seen from outside are those that are counted" {
	cat >"$BATS_TEST_TMPDIR/load" <<<'Flush 1 NT_STATUS_OK
WriteX 1 0 9 9 NT_STATUS_OK'
	ops=$(ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=sendto -o "$BATS_TEST_TMPDIR/trace" "$W" tbench -c "$BATS_TEST_TMPDIR/load" -t 300ms --warmup 0 --json | jq -s '.[0].ops')
	# Request and response of each, of the greeting, and of the last one, which is too late.
	[ "$(grep -c 'sendto(.*, 41, ' "$BATS_TEST_TMPDIR/trace")" -ge $((ops / 2)) ]
	sends=$(grep -c 'sendto(' "$BATS_TEST_TMPDIR/trace")
	[ "$sends" = $((2 * (ops + 2))) ]
}

@test "a paced loadfile keeps its times" {
	cat >"$BATS_TEST_TMPDIR/load" <<<'0.0 WriteX 1 0 1 1 NT_STATUS_OK
0.1 WriteX 1 0 1 1 NT_STATUS_OK
Sleep 100000
Flush 1 NT_STATUS_OK'
	ops=$("$W" tbench -c "$BATS_TEST_TMPDIR/load" -t 1 --warmup 0 --json | jq -s '.[0].ops')
	# Three exchanges each 200 ms.
	[ "$ops" -ge 10 ] && [ "$ops" -le 15 ]
}

@test "nobody but this run is talked to: loopback, a port of the kernel's choice" {
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=bind,listen,connect -o "$BATS_TEST_TMPDIR/trace" "$W" tbench -t 50ms >/dev/null
	run -0 grep 'bind(\|connect(' "$BATS_TEST_TMPDIR/trace"
	run ! grep -v '127\.0\.0\.1' <<<"$output"
	[ "$(grep -c 'bind(.*htons(0)' "$BATS_TEST_TMPDIR/trace")" = 2 ]
	# A server on the usual port is no matter.
	if command -v tbench_srv >/dev/null; then
		tbench_srv >/dev/null 2>&1 3>&- &
		srv=$!
		run -0 "$W" tbench -t 100ms
		kill "$srv" || true # it ends at once when the port is taken
	fi
}

@test "a killed server or client ends the run" {
	for victim in 3 4; do
		mark="-t 1$((RANDOM % 9000 + 1000))"
		# shellcheck disable=SC2086
		start tbench $mark
		wait_for_processes "tbench $mark" 4
		kill -9 "$(workers | sed -n "$((victim - 2))p")"
		wait_at_most 2
		[ "$status" = 3 ]
		[ ! -s "$out" ]
		grep -q '\(server\|client\) 0 was killed by signal 9' "$err"
		none_left "tbench $mark"
	done
}

@test "what makes no sense is a usage error" {
	for args in "0" "-1" "abc" "1 127.0.0.1" "-t 0" "-t 1x" "-c /nonexistent.load -t 1" "-T TCP_FAST -t 1" "--target-rate 5"; do
		# shellcheck disable=SC2086
		run ! "$W" tbench $args
		[ "$status" -ge 2 ]
	done
	run -2 "$W" tbench -T TCP_FAST -t 1
	[[ $output == *"'TCP_FAST' is none of"* ]]
	echo "LOOP 5" >"$BATS_TEST_TMPDIR/load"
	run -2 "$W" tbench -c "$BATS_TEST_TMPDIR/load" -t 1
	[[ $output == *"load:1: unknown operation 'LOOP'"* ]]
}
