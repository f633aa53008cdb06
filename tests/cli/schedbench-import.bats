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
	[[ "$(grep '^Amean' <<<"$output")" == *"5.000"*timeout* ]]
	[ "$(sql "SELECT group_concat(status) FROM sample WHERE value IS NULL")" = failed,timeout ]
}

@test "boots are numbered anew for each variant, whatever their labels" {
	printf '%s\n' variant,case,boot,repetition,value a,1,700,0,1 a,1,700,1,2 a,1,900,0,3 a,1,900,1,4 \
		b,1,20000,0,5 b,1,20000,1,6 b,1,3,1,8 b,1,3,0,7 >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	[ "$(sql "SELECT group_concat(variant || boot_number || repetition || ':' || value, ' ') FROM (SELECT * FROM v_sample ORDER BY value)")" = \
		'a10:1.0 a11:2.0 a20:3.0 a21:4.0 b20:5.0 b21:6.0 b10:7.0 b11:8.0' ]
	run -0 "$S" compare
	[[ "$output" != *missing* && "$output" != *" of "*samples* ]]
}

@test "names of archived kernels are as long as they are" {
	name=6.10.0-rc6-sched-eevdf-complete-long-name-v
	printf 'kernel,operation,iteration,value\n%s3,t,1,1\n%s4,t,1,2\n' $name $name >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	run -0 "$S" compare --style csv
	[[ "$output" == *",${name}3,"*",${name}4,"* ]]
}

@test "several metrics of a repetition stay together, --metric takes one" {
	printf '%s\n' variant,case,metric,unit,better,value a,1,rate,op/s,higher,10 a,1,delay,us,lower,3 \
		a,1,rate,op/s,higher,30 a,1,delay,us,lower,5 >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	[ "$(sql "SELECT group_concat(repetition || metric || value || better, ' ') FROM (SELECT * FROM v_sample ORDER BY repetition, value)")" = \
		'0delay3.0lower 0rate10.0higher 1delay5.0lower 1rate30.0higher' ]
	run -0 "$S" compare
	[[ "$(grep '^Hmean' <<<"$output")" == *15.00* ]]
	run -0 "$S" compare --metric delay
	[[ "$(grep '^Amean' <<<"$output")" == *4.000* ]]
	"$S" import samples "$CSV" --metric delay --db "$BATS_TEST_TMPDIR/one.db" >/dev/null
	[ "$(sqlite3 "$BATS_TEST_TMPDIR/one.db" 'SELECT count(*), count(DISTINCT metric) FROM sample')" = '2|1' ]
	run -2 "$S" import samples "$CSV" --metric nope
	[[ "$output" == *"holds no sample of metric 'nope'"* ]]
}

@test "two runs side by side are exported and imported again; two imports are compared" {
	printf 'variant,case,value\na,1,5\n' >"$CSV"
	"$S" import samples "$CSV" --machine 'old server' --name one >/dev/null
	printf 'variant,case,value\na,1,10\n' >"$CSV"
	"$S" import samples "$CSV" --machine 'old server' --name two >/dev/null
	mapfile -t runs < <(sql 'SELECT id FROM run ORDER BY id')
	run -0 "$S" compare "${runs[@]}"
	[[ "$output" == *"old server"* ]]
	[[ "$(grep '^Amean' <<<"$output")" == *"5.0"*"10.0"*"-100.00%"* ]]
	"$S" compare "${runs[@]}" --style csv >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	[ "$(sql "SELECT group_concat(variant || '=' || value) FROM v_sample WHERE variant LIKE '%@%'")" = \
		"a@${runs[0]}=5.0,a@${runs[1]}=10.0" ]
}

@test "bad files are refused by line, and leave nothing behind" {
	bad() {
		printf '%b' "$1" >"$CSV"
		run -2 "$S" import samples "$CSV"
		echo "$1: $output"
		[ "${#lines[@]}" = 1 ]
		[[ "$output" == *"$2"* ]]
	}
	bad '' 'must name the columns'
	bad 'a,b,c\n1,2,3\n' 'must name the columns'
	bad 'variant,case,value\n' 'holds no sample'
	bad 'variant,case,value\na,1,x\n' "s.csv:2: 'x' is not a number"
	bad 'variant,case,value\na,1,nan\n' "s.csv:2: 'nan' is not a number"
	bad 'variant,case,value\na,1,1\na,1,1e999\n' "s.csv:3:"
	bad 'variant,case,value\na,1\n' 's.csv:2: 2 columns, the first line has 3'
	bad 'variant,case,value,value\na,1,1,1\n' "column 'value' is there twice"
	bad 'variant,case,value\na,1,\033]0;x\n' "s.csv:2: '?]0;x' is not a number"
	bad 'variant,case,value\na,1,1\n\0' 's.csv:3: a zero byte'
	bad 'variant,case,value\n"a,1,1\n' 'a quote is not closed'
	bad 'variant,case,value\n,1,1\n' 'the variant is missing'
	bad 'variant,case,value\na\033[31m,1,1\n' 'control character'
	bad 'variant,case,value,boot\na,1,1,0\n' 'is not a boot'
	bad 'variant,case,value,boot\na,1,1,99999999999999999999\n' 'is not a boot'
	bad 'variant,case,value,repetition\na,1,1,start\n' "'start' is not a repetition"
	bad 'variant,case,value,repetition\na,1,1,4\na,1,2,4\n' "s.csv:3: repetition 4 of 'a', case '1', is there twice"
	bad 'variant,case,value,repetition\na,1,1,1\na,1,2,900000\n' "'repetitions' must be"
	bad 'variant,case,value,unit\na,1,1,s\na,1,1,ms\n' "s.csv:3: metric 'value' is in 'ms' here and in 's' before"
	bad 'variant,case,value,better\na,1,1,lower\na,1,1,higher\n' 's.csv:3: higher is better'
	bad 'variant,case,value,better\na,1,1,more\n' "not 'more'"
	bad 'variant,case,value,status\na,1,1,good\n' "status 'good' is not"
	bad 'variant,case,value\n\377,1,1\n' 'is not a name'
	bad 'variant,case,value\na,\377,1\n' 'is not UTF-8'
	bad 'variant,case,value,metric\na,1,1,\377\n' 'not UTF-8'
	bad 'variant,case,value\na b,1,1\n' "s.csv:2: 'a b' is not a name"
	bad "variant,case,value\na,1,1\n$(printf 'v%.0s' {1..121}),1,1\n" "s.csv:3: 'vvv"
	[ ! -e "$SCHEDBENCH_DB" ]
	run -3 "$S" import samples /nonexistent.csv
	head -c 4096 /dev/zero >"$CSV"
	run -2 "$S" import samples "$CSV"
	run -2 "$S" import lkp .
	[[ "$output" == *"cannot import 'lkp'"* ]]
}

@test "imported samples have no time: the figure of their order numbers them" {
	printf 'variant,case,value\na,1,1\na,1,3\nb,1,2\n' >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	"$S" plot --kind run-order -o "$BATS_TEST_TMPDIR/o.svg" --data "$BATS_TEST_TMPDIR/o.tsv"
	grep -q 'number of the sample, as imported' "$BATS_TEST_TMPDIR/o.svg"
	run ! grep -q minutes "$BATS_TEST_TMPDIR/o.svg"
	[ "$(grep -P '^\d' "$BATS_TEST_TMPDIR/o.tsv")" = $'1\t50\n2\t150\n3\t100' ]
}

@test "a baseline of zero has no percentage, but a direction" {
	printf 'variant,case,better,value\na,1,higher,0\na,1,higher,0\nb,1,higher,5\nb,1,higher,5\n' >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	run -0 --separate-stderr "$S" compare --style summary
	[[ "${lines[1]}" =~ ^\ *improvement\ +b,\ case\ 1$ ]]
	run -0 --separate-stderr "$S" compare --style lkp
	[[ "$stderr" == *"a, case 1: not shown, no Hmean"* ]]
}

@test "a variant that has nothing but failures does not end a figure or the page" {
	printf 'variant,case,value,status\na,1,1,ok\na,1,2,ok\nb,1,,failed\n' >"$CSV"
	"$S" import samples "$CSV" >/dev/null
	for kind in bars cv; do
		run -0 "$S" plot --kind "$kind" -o "$BATS_TEST_TMPDIR/p.svg"
		[ -s "$BATS_TEST_TMPDIR/p.svg" ]
	done
	run -0 --separate-stderr "$S" compare --style html
	[[ "$output" == *"</html>"* ]]
}
