#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The two generators that stand for perf bench sched.
bats_require_minimum_version 1.5.0
load workload.bash

# Numbers become N: what is left is what parsers rely on.
shape() {
	sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g; /^# On one CPU/d'
}

@test "pipe and messaging print what perf bench prints" {
	perf=$(perf bench sched pipe -l 50 2>/dev/null) || skip "perf is not there"
	diff <(shape <<<"$perf") <("$W" pipe -l 50 | shape)
	diff <(perf bench sched pipe -T -l 50 2>/dev/null | shape) <("$W" pipe -T -l 50 | shape)
	for args in "-g 1 -l 2" "-g 2 -l 2 -t -p"; do
		# shellcheck disable=SC2086
		diff <(perf bench sched messaging $args 2>/dev/null | shape) <("$W" messaging $args | shape)
	done
}

@test "the patterns of lkp and mmtests find the values of pipe" {
	"$W" pipe -l 500 >"$BATS_TEST_TMPDIR/text"
	grep -qE '^ +[0-9]+ ops/sec$' "$BATS_TEST_TMPDIR/text"
	grep -qE '^ +[0-9.]+ usecs/op$' "$BATS_TEST_TMPDIR/text"
	[ "$(awk '/Total time:/ {print $3}' "$BATS_TEST_TMPDIR/text" | grep -cE '^[0-9]+\.[0-9]{3}$')" = 1 ]
}

@test "usecs/op and ops/sec of pipe are the same time over the same operations" {
	"$W" pipe -l 2000 --json | jq -se '
		.[0].ops == 2000 and .[0].metric == "usecs_per_op" and .[1].metric == "ops_per_sec" and
		((.[0].value * .[1].value / 1e6 - 1) | fabs) < 1e-9 and
		((.[0].value * 2000 / 1e6 / .[0].wall_s - 1) | fabs) < 1e-9'
}

@test "pipe moves each token once each way" {
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=write -o "$BATS_TEST_TMPDIR/trace" "$W" pipe -l 300 >/dev/null
	[ "$(grep -c 'write(.*, 4) *= 4$\|write resumed.*= 4$' "$BATS_TEST_TMPDIR/trace")" = 600 ]
}

@test "a pinned pair stays where it was pinned" {
	run -0 bash -c '"$0" pipe --pair cpu -l 2000 --json | jq -rs ".[2].value"' "$W"
	[ "$output" = 100 ]
	# On one CPU every round trip takes two switches.
	run -0 bash -c '"$0" pipe --pair cpu -l 2000 --json | jq -s ".[0].voluntary_switches + .[0].involuntary_switches >= 3990"' "$W"
	[ "$output" = true ]
	if [ "$(nproc)" -gt 1 ]; then
		run -0 bash -c '"$0" pipe --cpus 0 --pair cpu -T -l 100' "$W"
		run -2 "$W" pipe --cpus 0 --pair llc -l 100
		[[ $output == *"there are not two cores of a last-level cache"* ]]
	fi
	run -2 "$W" pipe --pair cpu --bind pack
}

@test "messaging delivers group x 20 x 20 x loops messages" {
	[ "$("$W" messaging -g 2 -l 3 --json | jq .ops)" = 2400 ]
	run -2 "$W" messaging -g 0
	run -2 "$W" messaging -l 0
}

@test "a killed task of pipe ends the run" {
	mark="-l 9999$RANDOM"
	# shellcheck disable=SC2086
	start pipe $mark
	wait_for_processes "pipe $mark" 4
	kill -9 "$(workers | tail -n 1)"
	wait_at_most 2
	[ "$status" = 3 ]
	[ ! -s "$out" ]
	grep -q 'task [01] was killed by signal 9' "$err"
	none_left "pipe $mark"
}
