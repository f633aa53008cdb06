#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# precision: and max_boots: boots are added until the intervals are narrow enough, and each is told.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
}

@test "a noisy case goes on to max_boots, is told why each time, and ends as too wide" {
	experiment noisy 'value: 10, noise-cv: 30' 'boots: 2
repetitions: 1
precision: 0.5%
max_boots: 9'
	run --separate-stderr -0 "$S" run "$E"
	[[ "$output" == *"9 boots x 1 repetitions"* ]]
	[ "$(grep -c 'one more block after' <<<"$stderr")" = 7 ]
	[[ "$stderr" == *"max_boots reached after 9 boots: new at default is known to +/- "*", 0.5 % is asked for"* ]]
	[ "$(sql 'SELECT count(*) FROM boot')" = 18 ]
}

@test "a quiet case stops at the least number of boots, and nothing is called missing" {
	experiment quiet 'value: 10, noise-cv: 0.01' 'boots: 2
repetitions: 2
precision: 1%
max_boots: 30'
	run --separate-stderr -0 "$S" run "$E"
	[[ "$stderr" == *"precise enough after 8 boots: every interval is within +/- 1 %"* ]]
	# The boots that are not needed are no longer counted: [32/32], no time that is left.
	[[ "$stderr" == *"[32/32] precise enough"* ]]
	[[ "$stderr" != *"precise enough"*ETA* ]]
	[[ "$output" == *"8 boots x 2 repetitions"* ]]
	[[ "$output" != *missing* ]]
	[ "$(sql 'SELECT state FROM run')" = 'done' ]
	# A second look comes to the same decision.
	run --separate-stderr -0 "$S" run --resume=last
	[ "$(sql 'SELECT count(*) FROM boot')" = 16 ]
}

@test "boots: is kept exactly where no precision is asked for" {
	experiment fixed 'value: 10, noise-cv: 30' 'boots: 4
repetitions: 1'
	"$S" run "$E" --quiet >/dev/null
	[ "$(sql 'SELECT count(*) FROM boot')" = 8 ]
}

@test "an adaptive run that was killed goes on where it was" {
	experiment resumed 'value: 10, noise-cv: 30, sleep: 20ms' 'boots: 2
repetitions: 1
precision: 0.5%
max_boots: 10'
	"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) >= 5 FROM sample WHERE metric = 'value'" 1
	kill -9 "$pid"
	wait "$pid" 2>/dev/null || true
	run --separate-stderr -0 "$S" run --resume=last
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")" = 20 ]
}

@test "an adaptive run resumed in its middle stops where its intervals are narrow" {
	experiment middle 'value: 10, noise-cv: 0.01, sleep: 20ms' 'boots: 2
repetitions: 1
precision: 1%
max_boots: 30'
	"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) >= 5 FROM sample WHERE metric = 'value'" 1
	kill -INT "$pid"
	wait "$pid" || [ "$?" = 130 ]
	run --separate-stderr -0 "$S" run --resume=last --json
	[[ "$stderr" == *"precise enough after 8 boots"* ]]
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")" = 16 ]
	jq -e . <<<"$output"
}

@test "a row without an interval is said to have none, up to max_boots" {
	experiment zero 'value: 0' 'boots: 1
repetitions: 1
precision: 1%
max_boots: 3'
	run --separate-stderr -0 "$S" run "$E"
	[[ "$stderr" == *"max_boots reached after 3 boots: new at default has no interval"* ]]
	[[ "$stderr" != *nan* ]]
}

@test "the plan says how many boots it may become" {
	experiment plan 'value: 1' 'boots: 3
precision: 2%
max_boots: 12'
	run -0 "$S" run "$E" --dry-run
	[[ "$output" == *"precision: 2 %: 3 to 12 boots of each variant"* ]]
	[[ "$output" == *"at most 24 boots, "* ]]
	"$S" run "$E" --dry-run --json >"$BATS_TEST_TMPDIR/json"
	jq -e '.precision == 0.02 and .least_boots == 3 and .most_boots == 12' <"$BATS_TEST_TMPDIR/json"
}

@test "one variant of an experiment with a precision is measured with precision: none" {
	experiment alone 'value: 1' 'precision: 2%
max_boots: 12'
	run -2 "$S" run "$E" --variant base
	[[ "$output" == *"--set precision=none"* ]]
	run -0 --separate-stderr "$S" run "$E" --variant base --set precision=none --quiet
	[ "$(sql 'SELECT count(*) FROM boot')" = 3 ]
}
