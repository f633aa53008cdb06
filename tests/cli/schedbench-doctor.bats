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
	[[ "$output" == *"of 2 rows, 5 % are nominal"* ]]
	[ "$(sql 'SELECT group_concat(name) FROM variant')" = A,A-again ]
	[ "$(sql 'SELECT count(*) FROM boot')" = 8 ]
	"$S" doctor --aa "$E" --json --quiet >"$BATS_TEST_TMPDIR/json"
	jq -e '.rows | length == 2' <"$BATS_TEST_TMPDIR/json"
	# The CV of boot means of two samples is about 2 % / sqrt(2).
	jq -e '[.rows[] | .boot_cv > 0.2 and .boot_cv < 5] | all' <"$BATS_TEST_TMPDIR/json"
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
