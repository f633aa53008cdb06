#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Originals that need a server beside them, several copies, or another place to be found in.
bats_require_minimum_version 1.5.0
load workload.bash

need() {
	command -v "$1" >/dev/null || skip "$1 is not there"
}

# Only one tbench_srv can have its port: wait for those of other tests.
need_tbench() {
	need tbench
	need tbench_srv
	exec 9>/tmp/schedbench-test-tbench.lock
	flock -w 100 9
}

# fake NAME INTERPRETER SCRIPT: a program of that name, found before the real one.
fake() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!%s\n%s\n' "$2" "$3" >"$BATS_TEST_TMPDIR/bin/$1"
	chmod +x "$BATS_TEST_TMPDIR/bin/$1"
	export PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

# A load of tbench that is small enough for a short run.
loadfile() {
	L=$BATS_TEST_TMPDIR/load
	head -n 600 /usr/share/dbench/client.txt >"$L"
}

@test "tbench runs with a server of its own, is read, and ends it" {
	need_tbench
	loadfile
	run -0 "$W" tbench 2 --backend peer -t 2 -c "$L" --json 9>&-
	jq -s -e '.[0].metric == "throughput" and .[0].value > 0 and .[0].unit == "MB/s" and
		.[1].metric == "max_latency" and .[1].value > 0' <<<"$output"
	[ "$(jq -s -r 'map(.metric) | index("latency_NTCreateX") != null' <<<"$output")" = true ]
	none_left 'tbench_srv -t'
}

@test "tbench refuses a port that another server has" {
	need_tbench
	perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalPort => 7003,
		ReuseAddr => 1) or die; $| = 1; print "up\n"; sleep 20' >"$BATS_TEST_TMPDIR/up" 3>&- 9>&- &
	other=$!
	until [ -s "$BATS_TEST_TMPDIR/up" ]; do sleep 0.05; done
	run -2 "$W" tbench --backend peer -t 2 9>&-
	kill "$other"
	[[ "$output" == *"port 7003 of tbench_srv is in use (end the other server)" ]]
}

@test "a server that dies ends the run without a number" {
	need_tbench
	start tbench --backend peer -t 60 9>&-
	wait_for_processes '^tbench_srv -t' 1
	sleep 0.5
	kill -KILL "$(pgrep -o -f '^tbench_srv -t')"
	wait_at_most 3
	[ "$status" -eq 3 ]
	[ ! -s "$out" ]
	grep -q 'tbench_srv was killed by signal 9' "$err"
	none_left '^tbench'
}

@test "neither server nor client outlives an adapter that is killed" {
	need_tbench
	start tbench 2 --backend peer -t 60 9>&-
	wait_for_processes '^tbench 2 127' 2
	kill -KILL "$pid"
	wait_at_most 3
	none_left '^tbench'
}

@test "a loadfile that is not there is a usage error" {
	need tbench
	run -2 "$W" tbench --backend peer -t 2 -c /nonexistent
	[[ "$output" == *"cannot read '/nonexistent'"* ]]
}

@test "netperf runs once for each pair, with a netserver that is waited for and ended" {
	# shellcheck disable=SC2016
	fake netserver /usr/bin/perl 'use IO::Socket::INET; sleep 1;
my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => $ARGV[3], LocalPort => $ARGV[5],
	ReuseAddr => 1) or die; while ($c = $s->accept) { close $c }'
	# shellcheck disable=SC2016
	fake netperf /usr/bin/perl 'use IO::Socket::INET;
IO::Socket::INET->new(PeerAddr => $ARGV[2], PeerPort => $ARGV[4]) or die "no netserver\n";
print "16384  131072 1        1       1.00    250.50\n16384  131072\n"'
	run -0 "$W" netperf -n 3 -l 1 --backend peer --json
	[ "$(jq -s -r 'map([.metric, .value, .unit] | join(" ")) | join(", ")' <<<"$output")" = \
		"throughput 751.5 trans/s, pair_min 250.5 trans/s, pair_max 250.5 trans/s, jain 1 index" ]
	none_left "$BATS_TEST_TMPDIR/bin/net"
	fake netserver /bin/sh 'echo "unable to bind" >&2; exit 1'
	run -3 "$W" netperf -l 1 --backend peer
	[[ "$output" == *"netserver ended with status 1: unable to bind" ]]
}

@test "programs of UnixBench run as copies and know their folder" {
	# shellcheck disable=SC2016
	fake execl /bin/sh '[ "$UB_BINDIR" = "$(dirname "$0")" ] || exit 1
[ "$1" = 1 ] && sleep 1; echo "COUNT|43|1|lps" >&2'
	run -0 "$W" unixbench execl -c 2 --duration 1 --backend peer --json
	# Two copies of 43 loops in a little more than a second; 43 loops a second have the index 10.
	jq -s -e '.[0].value > 40 and .[0].value <= 86 and
		(.[1].value * 4.3 - .[0].value | fabs) < 1e-6' <<<"$output"
	fake execl /bin/sh 'echo "Exec failed at iteration 1" >&2'
	run -3 "$W" unixbench execl --duration 1 --backend peer
}

@test "stress-ng holds the share of a CPU that its own figures say" {
	need stress-ng
	run -0 "$W" cpuload --backend peer -c 1 -l 30 -t 1 --json
	jq -e '.metric == "duty" and .value > 1 and .value < 45' <<<"$output"
	run -2 "$W" cpuload --backend peer -t 1
	[[ "$output" == *"say how many: --cpu N"* ]]
}
