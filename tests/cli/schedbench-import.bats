#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench import samples: results measured elsewhere become runs like any other.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	CSV=$BATS_TEST_TMPDIR/s.csv
}

@test "samples become a run that compare, plot, show and list know" {
	printf '%s\r\n' variant,case,boot,value,metric,unit,better,workload \
		'base,1,1,10,throughput,MB/s,higher,tbench' 'base,1,2,40,throughput,MB/s,higher,tbench' \
		'"newer",1,1,20,throughput,MB/s,higher,tbench' >"$CSV"
	run -0 "$S" import samples "$CSV" --name archive
	[[ "$output" == *-archive ]]
	run -0 "$S" compare last
	# The harmonic mean of 10 and 40 is 16, and 20 is a quarter more.
	[[ "$(grep '^Hmean' <<<"$output")" == *"16.00"*"20.00 (  25.00%)"* ]]
	[[ "$output" == *"throughput (MB/s), higher is better"* ]]
	[[ "$output" == *"imported"* ]]
	run -0 "$S" show
	[[ "$output" == *"3 good, 0 failed"* ]]
	run -0 "$S" plot -o "$BATS_TEST_TMPDIR/p.svg"
	run -0 "$S" list runs
	[[ "$output" == *archive* ]]
}

@test "what compare exports comes back as it was" {
	experiment trip 'value: 4, noise-cv: 5, seed: 2' 'sweep: {sleep: [1ms, 2ms]}
boots: 2
repetitions: 3'
	"$S" run "$E" --quiet >/dev/null
	"$S" compare --style csv >"$CSV"
	"$S" import samples "$CSV" --db "$BATS_TEST_TMPDIR/i.db" >/dev/null
	[ "$(sql "SELECT group_concat(value) FROM (SELECT value FROM v_sample WHERE metric = 'value' ORDER BY variant, \"case\", boot_number, repetition)")" = \
		"$(sqlite3 "$BATS_TEST_TMPDIR/i.db" "SELECT group_concat(value) FROM (SELECT value FROM v_sample ORDER BY variant, \"case\", boot_number, repetition)")" ]
}

@test "the columns of kernel, operation, iteration and value are known as well" {
	printf 'kernel,operation,iteration,value\n6.9-vanilla,time-1,1,0.5\n6.9-vanilla,time-1,2,0.7\n6.9-new,time-1,1,0.3\n' >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	run -0 "$S" compare
	[[ "$(grep '^Amean' <<<"$output")" == *"0.6000 (   0.00%)"*"0.3000 (  50.00%)"* ]]
}

@test "failed samples are named, and have no value" {
	printf 'variant,case,value,status\na,1,5,ok\na,1,7,failed\nb,1,,timeout\n' >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	run -0 "$S" compare
	[[ "$(grep '^Amean' <<<"$output")" == *"5.000"*failed* ]]
	[ "$(sql "SELECT count(*) FROM sample WHERE status = 'failed' AND value IS NULL")" = 2 ]
}

@test "bad files are refused by line, and leave nothing behind" {
	bad() {
		printf '%b' "$1" >"$CSV"
		run -2 "$S" import samples "$CSV"
		echo "$output"
		[ "${#lines[@]}" = 1 ]
		[[ "$output" == *"$2"* ]]
	}
	bad '' 'must name the columns'
	bad 'a,b,c\n1,2,3\n' 'must name the columns'
	bad 'variant,case,value\n' 'holds no sample'
	bad 'variant,case,value\na,1,x\n' "s.csv:2: 'x' is not a number"
	bad 'variant,case,value\na,1,nan\n' "s.csv:2: 'nan' is not a number"
	bad 'variant,case,value\na,1,1\na,1,1e999\n' "s.csv:3:"
	bad 'variant,case,value\na,1\n' 'is not a number'
	bad 'variant,case,value\n"a,1,1\n' 'a quote is not closed'
	bad 'variant,case,value\n,1,1\n' 'the variant is missing'
	bad 'variant,case,value\na\033[31m,1,1\n' 'control character'
	bad 'variant,case,value,boot\na,1,1,0\n' 'is not a boot'
	bad 'variant,case,value,boot\na,1,1,99999\n' 'is not a boot'
	bad 'variant,case,value,metric\na,1,1,x\na,1,1,y\n' 'choose one with --metric'
	bad 'variant,case,value\na b,1,1\n' "s.csv:2: variant 'a b' is not a name"
	bad "variant,case,value\na,1,1\n$(printf 'v%.0s' {1..41}),1,1\n" "s.csv:3: variant 'vvv"
	[ "$(sql 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" = 0 ]
	run -3 "$S" import samples /nonexistent.csv
	head -c 4096 /dev/zero >"$CSV"
	run -2 "$S" import samples "$CSV"
	run -2 "$S" import mmtests .
	[[ "$output" == *"cannot import 'mmtests'"* ]]
}
