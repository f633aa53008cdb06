#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Published tables against runs: runs made of the published figures, as they are and turned round.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	TABLE=20200320-sis-overload/hackbench
	TSV=$BATS_TEST_DIRNAME/../../results/published/$TABLE.tsv
}

# import_published FIRST SECOND [NOISE]: a run of the published means, columns as named, five boots
# that differ by NOISE (default 0.001) from one to the next.
import_published() {
	local csv=$BATS_TEST_TMPDIR/samples.csv
	echo "value,variant,case,boot,better,workload,metric,unit" >"$csv"
	for side in "base $1" "patched $2"; do
		awk -F '\t' -v side="$side" -v noise="${3:-0.001}" 'BEGIN {split(side, s, " ")}
			$4 == s[2] {for (i = 1; i <= 5; i++)
				printf "%.6f,%s,%s,%d,lower,hackbench,time,s\n", $5 * (1 + noise * (i - 3)), s[1], $3, i}' \
			"$TSV" >>"$csv"
	done
	"$S" import samples "$csv" >/dev/null
}

@test "a run that has the published figures reproduces them" {
	import_published baseline overload
	run -0 --separate-stderr "$S" reproduce "$TABLE" --run last
	[[ "$output" == *"published on: 2-socket Broadwell, 80 CPUs"* ]]
	# 32.9783 -> 29.5240: 10.47 % as printed in the mail.
	[[ "$(grep '^265 ' <<<"$output")" == *"+10.47%"*reproduced ]]
	[[ "$(grep '^21 ' <<<"$output")" == *"no effect (no claim)" ]]
	[[ "$output" == *"reproduced: the claims that could be decided hold"* ]]
	run -0 --separate-stderr "$S" reproduce "$TABLE" --run last --json
	jq -e '.holds and (.rows | length == 15) and .claimed == .verdicts.reproduced' <<<"$output"
}

@test "the opposite is not reproduced, and the exit status says so" {
	import_published overload baseline
	run -1 --separate-stderr "$S" reproduce "$TABLE" --run last
	[[ "$(grep '^265 ' <<<"$output")" == *opposite ]]
	[[ "$output" == *"not reproduced"* ]]
	[ "$stderr" = "schedbench: not reproduced" ]
}

@test "two equal kernels show no effect, noisy ones say that they cannot tell" {
	import_published baseline baseline
	run -1 --separate-stderr "$S" reproduce "$TABLE" --run last
	[[ "$(grep '^265 ' <<<"$output")" == *"no effect" ]]
	import_published baseline overload 0.2
	run -1 --separate-stderr "$S" reproduce "$TABLE" --run last
	[[ "$(grep '^265 ' <<<"$output")" == *inconclusive ]]
}

@test "the smallest effect of interest decides what is a claim" {
	import_published baseline overload
	claims() {
		"$S" reproduce "$TABLE" --run last --json --smallest "$1" | jq .claimed
	}
	# Of the 15 rows, those of at least 5 %: 234, 265 and 296 groups.
	[ "$(claims 5)" = "$(awk -F '\t' '$4 == "overload" && ($7 >= 5 || $7 <= -5)' "$TSV" | wc -l)" ]
	[ "$(claims 100%)" = 0 ]
	run ! "$S" reproduce "$TABLE" --run last --smallest nonsense
}

@test "an experiment that names its table is found, run and judged" {
	mkdir -p "$BATS_TEST_TMPDIR/configs/experiments" "$BATS_TEST_TMPDIR/published/demo-id"
	cat >"$BATS_TEST_TMPDIR/configs/experiments/demo-repro.yaml" <<END
title: two values
published: demo-id/t
machine: host
variants: [{name: base, kernel: running}, {name: new, kernel: running}]
workload: {name: "null", params: {value: 5}}
boots: 2
repetitions: 2
END
	cat >"$BATS_TEST_TMPDIR/mail.txt" <<END
Subject: [PATCH] a value
From: Some Body <some@body.example>
Date: Tue, 1 Dec 2026 00:00:00 +0000
Message-Id: <x@body.example>

Before patch: ~10.0s
After patch: ~8.0s (-20.0%)
END
	export SCHEDBENCH_PUBLISHED=$BATS_TEST_TMPDIR/published SCHEDBENCH_CONFIGS=$BATS_TEST_TMPDIR/configs
	rmdir "$SCHEDBENCH_PUBLISHED/demo-id"
	run -0 "$S" published import "$BATS_TEST_TMPDIR/mail.txt" demo-id --set 1.name=t --set 1.direction=lower
	run -0 "$S" reproduce demo-id --dry-run
	[[ "$output" == "demo-repro reproduces demo-id/t on host" ]]
	# Two equal variants do not show 20 %.
	run -1 --separate-stderr "$S" reproduce demo-id --quiet
	[[ "$output" == *"+20.00%"*"no effect"* ]]
	[ "$(sql 'SELECT count(*) FROM boot')" = 4 ]
	run -1 --separate-stderr "$S" reproduce demo-repro --quiet --quick
	[ "$(sql 'SELECT count(*) FROM boot')" = 8 ]
	run -1 --separate-stderr "$S" reproduce --run last
	[[ "$output" == *"demo-id/t"* ]]
}

@test "reproduce refuses what it does not know" {
	run -2 "$S" reproduce
	run -2 "$S" reproduce nonsense
	run -2 "$S" reproduce nonsense/t
	[[ "$output" == *"no experiment reproduces 'nonsense/t'"* ]]
	import_published baseline overload
	run -2 "$S" reproduce 20200320-sis-overload/nonsense --run last
	[[ "$output" == *"has no table 'nonsense'"* ]]
	run -2 "$S" reproduce --run last
	[[ "$output" == *"names no published table"* ]]
	run -2 "$S" reproduce "$TABLE" --run last --quick
}

@test "every experiment that names tables names some that are there, with cases of theirs" {
	export SCHEDBENCH_CONFIGS=$BATS_TEST_DIRNAME/../../configs
	for e in "$SCHEDBENCH_CONFIGS"/experiments/*.yaml; do
		for table in $(sed -n 's/^published: //p' "$e"); do
			run -0 "$S" published show "$table"
			run -0 "$S" reproduce "$table" --dry-run
			[[ "$output" == *"$(basename "$e" .yaml) reproduces"*"$table"* ]]
		done
	done
	[ "$(grep -l ^published: "$SCHEDBENCH_CONFIGS"/experiments/*.yaml | wc -l)" -ge 9 ]
}
