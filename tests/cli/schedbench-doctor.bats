#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench doctor --aa: the same variant twice.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
}

@test "doctor runs the first variant against itself and tells spread and smallest effect" {
	experiment aa 'value: 10, noise-cv: 2' 'sweep: {sleep: [1ms, 2ms]}
boots: 4
repetitions: 2'
	run --separate-stderr -0 "$S" doctor --aa "$E" --set seed=5
	[[ "$output" == *" of 2 rows, "*"%; 5 % are nominal"* ]]
	[ "$(sql 'SELECT group_concat(name) FROM variant')" = A,B ]
	[ "$(sql 'SELECT count(*) FROM boot')" = 8 ]
	"$S" doctor --aa "$E" --json --quiet >"$BATS_TEST_TMPDIR/json"
	jq -e '.rows | length == 2' <"$BATS_TEST_TMPDIR/json"
	# The CV of boot means of two samples is about 2 % / sqrt(2).
	jq -e '[.rows[] | .boot_cv > 0.2 and .boot_cv < 5] | all' <"$BATS_TEST_TMPDIR/json"
}

# A machine that gets slower with every repetition, measured all of A first and then all of A again.
drifting_machine() {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cp "$BUILD/schedbench" "$BUILD/schedbench-agent" "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/schedbench-workload" <<-END
		#!/bin/sh
		echo x >>$BATS_TEST_TMPDIR/count
		n=\$(wc -l <$BATS_TEST_TMPDIR/count)
		echo "{\"workload\":\"null\",\"metric\":\"value\",\"unit\":\"s\",\"better\":\"lower\",\"value\":\$((100 + n))}"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/schedbench-workload"
	S=$BATS_TEST_TMPDIR/bin/schedbench
}

@test "doctor exits 1 where equal boots differ: drift in sequential order" {
	drifting_machine
	experiment drift 'value: 1' 'sweep: {sleep: [1ms, 2ms]}
order: sequential
boots: 3
repetitions: 1'
	run --separate-stderr -1 "$S" doctor --aa "$E" --quiet
	[[ "$output" == *"false alarms: 2 of 2 rows, 100.0 %; 5 % are nominal"* ]]
	[[ "$stderr" == *"2 of 2 rows are false alarms"*"run-order"* ]]
	run --separate-stderr -1 "$S" doctor --aa "$E" --quiet --json
	jq -e '.tested == 2 and .false_alarms == 2 and .rate == 100 and .rate_low > 5' <<<"$output"
}

@test "doctor exits 3 where repetitions failed, and its JSON is valid" {
	experiment broken 'fail: true' 'boots: 2
repetitions: 1'
	run --separate-stderr -3 "$S" doctor --aa "$E" --quiet --json
	jq -e '.tested == 0 and .rate == null and .rows[0].boot_cv == null' <<<"$output"
	[[ "$stderr" == *"4 repetitions failed"* ]]
}

@test "with one boot doctor says that it knows nothing" {
	experiment one 'value: 10, noise-cv: 2' 'boots: 1
repetitions: 3'
	run --separate-stderr -0 "$S" doctor --aa "$E" --quiet
	[[ "$output" == *"false alarms: unknown"* ]]
}

@test "doctor needs to be told what to do" {
	run -2 "$S" doctor
	[[ "$output" == *"--aa"* ]]
	run -2 "$S" doctor --aa nowhere
	[ "${#lines[@]}" = 1 ]
}
