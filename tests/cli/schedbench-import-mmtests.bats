#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench import mmtests: result trees become runs like any other.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	T=$BATS_TEST_TMPDIR/results
	mkdir "$T"
}

# put KERNEL/iter-N TEST LOG: stdin becomes a log of a test that ended well.
put() {
	mkdir -p "$T/$1/$2/logs"
	cat >"$T/$1/$2/logs/$3"
	printf 'test begin :: %s 100\ntest end :: %s 200 0\n' "$2" "$2" >>"$T/$1/tests-timestamp"
}

# What perf bench sched messaging prints, for each time.
messaging() {
	for time; do
		printf "# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes per group\n\n     Total time: %s [sec]\n" "$time"
	done
}

hackbench_tree() {
	messaging 1.0 2.0 3.0 | put 6.10-vanilla/iter-0 hackbench-process-pipes hackbench-1
	messaging 3.0 4.0 5.0 | put 6.10-vanilla/iter-1 hackbench-process-pipes hackbench-1
	messaging 1.5 1.5 1.5 | put 6.10-patched/iter-0 hackbench-process-pipes hackbench-1
	messaging 1.0 1.5 2.0 | put 6.10-patched/iter-1 hackbench-process-pipes hackbench-1
	messaging 8 9 10 | put 6.10-vanilla/iter-0 hackbench-process-pipes hackbench-12
	{ messaging 4 5 && echo 'perf: fork: Resource temporarily unavailable' && messaging 6; } |
		put 6.10-patched/iter-0 hackbench-process-pipes hackbench-12
	# Measured first, though last by name.
	sed -i '1i start :: 1718000000' "$T/6.10-vanilla/iter-0/tests-timestamp"
	sed -i '1i start :: 1718003600' "$T/6.10-patched/iter-0/tests-timestamp"
}

@test "hackbench: the figures of mmtests, the kernel measured first is the baseline" {
	hackbench_tree
	gzip "$T/6.10-vanilla/iter-1/hackbench-process-pipes/logs/hackbench-1"
	run -0 --separate-stderr "$S" import mmtests "$T" --title Archive
	[[ "$output" == *-hackbench-process-pipes ]]
	[ -z "$stderr" ]
	run -0 --separate-stderr "$S" compare --style mmtests
	# (1+2+3+3+4+5)/6 = 3 against (4*1.5+1+2)/6 = 1.5; (8+9+10)/3 = 9 against (4+6)/2 = 5.
	[[ "$output" =~ Amean\ +time-1\ +3.0000\ \(\ +0.00%\)\ +1.5000\ .\ +50.00%. ]]
	[[ "$output" =~ Amean\ +time-12\ +9.0000\ \(\ +0.00%\)\ +5.0000\ .\ +44.44%. ]]
	[[ "$stderr" == *"time-12, 6.10-patched: 1 failed"* ]]
	run -0 "$S" compare
	[[ "$output" == *"Archive"*"boots are iterations of mmtests"* ]]
	[[ "$output" == *"1 failed (perf: fork: Resource temporarily unavailable)"* ]]
	run -0 "$S" show
	[[ "$output" == *"17 good, 1 failed"* ]]
	[ "$("$S" show --json | jq -r '.failures[].reason')" = 'perf: fork: Resource temporarily unavailable' ]
	run -0 "$S" plot -o "$BATS_TEST_TMPDIR/p.svg"
	run -0 "$S" list runs
	[[ "$output" == *hackbench-process-pipes* ]]
}

@test "kernels are chosen and ordered, or the tree is that of one kernel" {
	hackbench_tree
	"$S" import mmtests "$T" --kernels 6.10-patched,6.10-vanilla >/dev/null
	run -0 "$S" compare --style mmtests
	[[ "$output" =~ Amean\ +time-1\ +1.5000\ \(\ +0.00%\)\ +3.0000\ .-100.00%. ]]
	"$S" import mmtests "$T/6.10-vanilla" >/dev/null
	run -0 "$S" compare --style csv
	[[ "$output" == *6.10-vanilla* && "$output" != *6.10-patched* ]]
	run -2 "$S" import mmtests "$T" --kernels 6.10-patched,6.11
	[[ "$output" == *"no kernel '6.11'"* ]]
}

@test "several tests make several runs, all stored or none; others are named" {
	hackbench_tree
	printf '   1  15777  10.0 MB/sec  execute   1 sec  latency 5.418 ms\n   1  15777  40.0 MB/sec  execute   2 sec  latency 5.418 ms\n' |
		zstd -q | put 6.10-vanilla/iter-0 tbench4 benchlog-tput-1.zst
	echo x | put 6.10-vanilla/iter-0 sysbench-cpu sysbench.log
	run -0 --separate-stderr "$S" import mmtests "$T" --name archive
	[ "${#lines[@]}" = 2 ]
	[[ "${lines[0]}" == *-archive-hackbench-process-pipes && "${lines[1]}" == *-archive-tbench4 ]]
	[[ "$stderr" == *"sysbench-cpu: not a test that schedbench reads, left out"* ]]
	run -0 "$S" compare --style mmtests
	[[ "$output" =~ Hmean\ +throughput-1\ +16.0000 ]]
	run -0 "$S" compare
	[[ "$output" == *"not independent"* ]]
	# The column of the kernel that never ran it is there, and says so.
	[[ "$output" == *missing* ]]
	"$S" import mmtests "$T" --benchmark tbench4 --last >/dev/null
	run -0 "$S" compare --style mmtests
	[[ "$output" =~ Hmean\ +throughput-1\ +40.0000 ]]
	# A cut-off log in the second test: the first is not stored either.
	head -c 20 "$T/6.10-vanilla/iter-0/tbench4/logs/benchlog-tput-1.zst" >"$BATS_TEST_TMPDIR/cut"
	mv "$BATS_TEST_TMPDIR/cut" "$T/6.10-vanilla/iter-0/tbench4/logs/benchlog-tput-1.zst"
	run -2 "$S" import mmtests "$T" --db "$BATS_TEST_TMPDIR/new.db"
	[[ "$output" == *"benchlog-tput-1.zst: 'zstd' cannot unpack it"* ]]
	[ ! -e "$BATS_TEST_TMPDIR/new.db" ]
}

@test "perfpipe: mmtests' rows and decimals" {
	i=0
	for value in 4.929661 4.782404 4.922456 5.035968 4.665580; do
		i=$((i + 1))
		printf '     Total time: 2.5 [sec]\n\n       %s usecs/op\n        200000 ops/sec\n' "$value" |
			put 6.1-base/iter-0 perfpipe "benchlog-_-_-$i"
	done
	"$S" import mmtests "$T" >/dev/null
	run -0 "$S" compare --style mmtests
	# Of five samples best-95 are the best four: (4.66558 + 4.782404 + 4.922456 + 4.929661) / 4.
	[[ "$output" =~ Amean\ +usecs_per_op-pipe\ +4.8672 ]]
	[[ "$output" =~ BAmean.95\ +usecs_per_op-pipe\ +4.8250 ]]
	[[ "$output" =~ Pctile.95\ +usecs_per_op-pipe\ +4.9297 ]]
}

@test "nothing to import is an error, and no database is made" {
	run -2 "$S" import mmtests "$T"
	[[ "$output" == *"is no result tree of mmtests"* ]]
	echo x | put 6.10/iter-0 sysbench-cpu sysbench.log
	run -2 "$S" import mmtests "$T"
	[[ "$output" == *"holds no log of hackbench"* ]]
	messaging nan | put 6.10/iter-0 hackbench hackbench-1
	run -2 "$S" import mmtests "$T"
	[[ "$output" == *"every attempt failed (hackbench: line 4 of the log: 'nan' is no result)"* ]]
	run -2 "$S" import mmtests "$T" --benchmark tbench
	[[ "$output" == *"no test 'tbench' in"* ]]
	run -3 "$S" import mmtests "$T/nowhere"
	run -2 "$S" import mmtests "$T" --metric time
	run -2 "$S" import samples "$T" --last
	run -2 "$S" import mmtests
	[ ! -e "$SCHEDBENCH_DB" ]
}

@test "links out of the tree, in circles and to other kernels are named, not followed" {
	hackbench_tree
	mkdir "$BATS_TEST_TMPDIR/elsewhere"
	cp -r "$T/6.10-vanilla" "$BATS_TEST_TMPDIR/elsewhere/secret"
	ln -s "$BATS_TEST_TMPDIR/elsewhere/secret" "$T/6.9"
	ln -s loop "$T/loop"
	ln -s 6.10-vanilla "$T/latest"
	run -0 --separate-stderr "$S" import mmtests "$T"
	[[ "$stderr" == *"/6.9' is a symbolic link that leaves the tree"* ]]
	[[ "$stderr" == *"/loop'"*"left out"* && "$stderr" == *"latest: a symbolic link to another folder"* ]]
	[ "$(sql 'SELECT group_concat(name) FROM (SELECT name FROM variant ORDER BY name)')" = 6.10-patched,6.10-vanilla ]
	ln -s "$BATS_TEST_TMPDIR/elsewhere/secret/iter-0/hackbench-process-pipes/logs/hackbench-1" \
		"$T/6.10-vanilla/iter-0/hackbench-process-pipes/logs/hackbench-4"
	run -2 "$S" import mmtests "$T"
	[[ "$output" == *"hackbench-4' is a symbolic link that leaves the tree"* ]]
}
