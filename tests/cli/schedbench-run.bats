#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench run, on the host with a workload that does what it is told.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
}

teardown() {
	if mountpoint -q "$BATS_TEST_TMPDIR/small"; then
		umount "$BATS_TEST_TMPDIR/small"
	fi
}

@test "run measures, stores and prints the table, the first column as the baseline" {
	experiment table 'value: 2' 'sweep: {seed: [1, 2]}
boots: 2
repetitions: 3'
	run --separate-stderr -0 "$S" run "$E"
	[[ "$output" == *"test of table"* ]]
	[[ "$output" == *"n = 2 boots x 3 repetitions"* ]]
	[[ "$(grep '^Amean     1' <<<"$output")" == *"2.000 (   0.00%)"*"2.000 (   0.00%)"* ]]
	[ "$(sql "SELECT count(*) FROM v_sample WHERE metric = 'value' AND value = 2")" = 24 ]
	[ "$(sql "SELECT state FROM run")" = 'done' ]
}

@test "dry-run prints the plan, an estimate once there is something to go by, and runs nothing" {
	experiment plan 'sleep: 20ms' 'boots: 2
repetitions: 2'
	run -0 "$S" run "$E" --dry-run
	[[ "$output" == *"4 boots, 8 repetitions; no estimate"* ]]
	[ ! -e "$SCHEDBENCH_DB" ]
	"$S" run "$E" --quiet >/dev/null
	run -0 "$S" run "$E" --dry-run
	[[ "$output" == *"about"*"as earlier runs took"* ]]
	run -0 "$S" run "$E" --dry-run --json
	jq -e '.boots | length == 4' <<<"$output"
	jq -e '.estimate_s > 0.1' <<<"$output"
	jq -e '[.boots[].left] == [2, 2, 2, 2]' <<<"$output"
}

@test "dry-run of a resumed run prints what is left of it" {
	experiment left 'sleep: 200ms' 'boots: 2
repetitions: 3
warmup: 1'
	"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) FROM sample WHERE metric = 'value'" 5
	kill -9 "$pid"
	wait "$pid" || true
	done=$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")
	run -0 "$S" run --resume --dry-run
	[[ "$output" == *", boot 1: done"* ]]
	[[ "$output" == *", boot 1: $((8 - done)) of 4 repetitions left"* ]]
	[[ "$output" == *"3 boots, $((16 - done)) repetitions left, about"* ]]
	run -0 "$S" run --resume --dry-run --json
	jq -e "[.boots[].left] == [0, $((8 - done)), 4, 4]" <<<"$output"
	"$S" run --resume --quiet >/dev/null
	run -0 "$S" run --resume --dry-run
	[[ "$output" == *"0 boots, 0 repetitions left"* ]]
}

@test "options change the experiment that is run and stored" {
	experiment options 'value: 1' 'boots: 5'
	run -0 --separate-stderr "$S" run "$E" --boots 1 --reps 2 --variant new --set workload.params.value=3
	[ "$(sql "SELECT DISTINCT variant || value FROM v_sample WHERE metric = 'value'")" = new3.0 ]
	[ "$(sql "SELECT count(*) FROM v_sample WHERE metric = 'value'")" = 2 ]
	run -2 "$S" run "$E" --variant newer
	[[ "$output" == *"has no variant 'newer'"* ]]
	run -2 "$S" run "$E" --boots 0
	[[ "$output" == *"--set boots=0"* ]]
	run -2 "$S" run "$E" --set nonsense=1
	[[ "$output" == *"unknown key 'nonsense'"* ]]
}

@test "a hangup interrupts a run, but not one under nohup" {
	experiment hangup 'sleep: 200ms' 'boots: 1
repetitions: 2'
	hang_up() {
		"$@" "$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
		pid=$!
		wait_for_sql "SELECT count(*) > 0 FROM sample" 1
		kill -HUP "$pid"
		wait "$pid"
	}
	status=0
	hang_up env || status=$?
	[ "$status" = 130 ]
	export SCHEDBENCH_DB=$BATS_TEST_TMPDIR/nohup.db
	hang_up nohup
	[ "$(sql 'SELECT state FROM run')" = 'done' ]
}

@test "the command that a message names can be typed as it is, whatever the database is called" {
	local db="$BATS_TEST_TMPDIR/it's my.db" plain=$BATS_TEST_TMPDIR/plain.db
	experiment typed 'exit: 5' 'boots: 1
repetitions: 1'
	run -3 "$S" run "$E" --quiet --db "$db"
	hint=${lines[-1]}
	[[ "$hint" == *"2 repetitions failed (schedbench show "*" --db='"*"')" ]]
	hint=${hint##*\(schedbench }
	eval "run -0 \"\$S\" ${hint%)}"
	[[ "$output" == *"test of typed"* ]]
	run -3 "$S" run "$E" --quiet --db "$plain"
	[[ "${lines[-1]}" == *"typed --db=$plain)" ]]
	run -3 "$S" run "$E" --quiet
	[[ "${lines[-1]}" == *"-typed)" ]]
}

@test "a workload, parameter, value or metric that does not exist is told before anything runs" {
	experiment unknown 'value: 1' 'sweep: {seed: [1, 2], exit: [-1, 5]}'
	local set said
	while IFS='|' read -r set said; do
		run -2 "$S" run "$E" --set "$set"
		[[ "$output" == *"$said"* ]]
		[ "${#lines[@]}" = 1 ]
		run -2 "$S" run "$E" --dry-run --set "$set"
	done <<'END'
workload.name=nul|unknown workload 'nul'
workload.params.bogus=1|case seed=1,exit=-1: unknown option '--bogus'
workload.params.value=abc|--value: 'abc' is not a number
sweep.exit=[-1,abc]|case seed=1,exit=abc: --exit: 'abc'
sweep.seed=[1,2,x]|case seed=x,exit=-1: --seed: 'x'
metric=speed|workload 'null' has no metric 'speed' (it has value, rate)
END
	[ ! -e "$SCHEDBENCH_DB" ]
	run -0 "$S" run "$E" --dry-run --set metric=rate
}

@test "json on stdout is json while progress goes to stderr" {
	experiment json 'value: 1' 'boots: 1
repetitions: 1'
	"$S" run "$E" --json 2>"$BATS_TEST_TMPDIR/err" >"$BATS_TEST_TMPDIR/out"
	jq -e . <"$BATS_TEST_TMPDIR/out" >/dev/null
	grep -q "boot 1/1 done" "$BATS_TEST_TMPDIR/err"
}

@test "a failed repetition is named and counted, and its number appears nowhere" {
	experiment failing 'value: 7' 'sweep: {exit: [-1, 5]}
boots: 2
repetitions: 2'
	run --separate-stderr -3 "$S" run "$E"
	[[ "$(grep '^Amean     5' <<<"$output")" == *failed*failed* ]]
	[[ "$stderr" == *"exit status 5"* ]]
	[[ "$stderr" == *"8 repetitions failed"* ]]
	[ "$(sql "SELECT count(*) FROM v_sample WHERE status = 'failed' AND value IS NULL")" = 8 ]
	# Where the message sends the reader, the reasons are.
	run -0 "$S" show
	[[ "$output" == *"base boot 1, exit=5, repetition 1: failed: exit status 5"* ]]
	[ "$(grep -c 'exit status 5' <<<"$output")" = 8 ]
	"$S" show --json | jq -e '.failures | length == 8 and all(.reason == "exit status 5" and .case == "exit=5")'
	# Looking at it again does not make it good, and measures nothing.
	run --separate-stderr -3 "$S" run --resume=last
	[[ "$stderr" == *"8 repetitions failed"* ]]
	[ "$(sql 'SELECT count(*) FROM boot')" = 4 ]
}

@test "what a failed attempt printed is in no output, and the others are counted without it" {
	# Every second repetition prints a number and then fails.
	# shellcheck disable=SC2016 # the script's own
	fake_workload 'if [ $((n % 2)) = 1 ]; then sample 7654321; exit 5; fi; sample 4'
	experiment half 'value: 1' 'boots: 2
repetitions: 4'
	run --separate-stderr -3 "$S" run "$E"
	[[ "$(grep '^Amean' <<<"$output")" == *"4.000 (   0.00%)"*"4.000 (   0.00%)"* ]]
	[[ "$output" == *"base, case default: 4 of 8 samples, 4 failed (exit status 5)"* ]]
	[[ "$(grep '^n ' <<<"$output")" == *"2 x 2"*"2 x 2"* ]]
	[ "$(sql "SELECT count(*) || ' ' || sum(value IS NULL) FROM sample")" = "16 8" ]
	for style in $("$BUILD/schedbench" list styles --json | jq -r '.[].name'); do
		run -0 "$S" compare --style "$style"
		[[ "$output" != *7654321* ]]
	done
	run -0 --separate-stderr "$S" compare --json
	jq -e '[.cases[].cells[] | .n == 4 and .failed == 4 and .mean == 4] | all' <<<"$output"
}

@test "a repetition that takes too long is cut off and called timeout" {
	experiment slow 'hang: true' 'timeout: 300ms
boots: 1
repetitions: 1'
	run --separate-stderr -3 "$S" run "$E"
	[[ "$output" == *timeout* ]]
	[[ "$stderr" == *"not done after 0.3 s"* ]]
	[ "$(sql "SELECT DISTINCT status FROM sample")" = timeout ]
	[ -z "$(left_over 'null --json --hang')" ]
}

@test "warm-up is stored and marked, not counted" {
	experiment warm 'value: 1' 'warmup: 2
boots: 1
repetitions: 1'
	run --separate-stderr -0 "$S" run "$E"
	[[ "$output" == *"1 boots x 1 repetitions"* ]]
	[ "$(sql "SELECT count(*) FROM v_sample WHERE warmup AND metric = 'value'")" = 4 ]
}

@test "what warm-up measured is not in the table" {
	# shellcheck disable=SC2016 # the script's own
	fake_workload 'if [ $((n % 3)) = 0 ]; then sample 999; else sample 2; fi'
	experiment cold 'value: 1' 'warmup: 1
boots: 2
repetitions: 2'
	run --separate-stderr -0 "$S" run "$E"
	[ "$(sql "SELECT count(*) FROM sample WHERE warmup AND value = 999")" = 4 ]
	[[ "$(grep '^Max' <<<"$output")" == *"2.000 (   0.00%)"*"2.000 (   0.00%)"* ]]
	[[ "$output" == *"n = 2 boots x 2 repetitions"* ]]
	[[ "$output" != *999* ]]
}

@test "Ctrl-C stops within two seconds, says how to go on, leaves nothing; resume completes" {
	experiment interrupted 'sleep: 300ms' 'boots: 2
repetitions: 3'
	"$S" run "$E" 2>"$BATS_TEST_TMPDIR/err" >/dev/null 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) >= 2 FROM sample" 1
	start=$(date +%s%N)
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	[ $((($(date +%s%N) - start) / 1000000)) -lt 2000 ]
	grep -q -- "--resume=" "$BATS_TEST_TMPDIR/err"
	[ "$(sql 'SELECT state FROM run')" = interrupted ]
	[ -z "$(left_over 'null --json --sleep=300ms')" ]
	[ -z "$(agents)" ]
	run -0 --separate-stderr "$S" run --resume "$E"
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")" = 12 ]
	[ "$(sql 'SELECT count(*) FROM run')" = 1 ]
	# Nothing is left to do for a run that is done.
	before=$(sql 'SELECT count(*) FROM boot')
	id=$(sql 'SELECT id FROM run')
	for words in "--resume=last" "--resume $id" "--resume" "--resume=${id:0:12}"; do
		# shellcheck disable=SC2086 # an option and its argument
		run -0 --separate-stderr "$S" run $words
		[[ "$output" == *"test of interrupted"* ]]
	done
	[ "$(sql 'SELECT count(*) FROM boot')" = "$before" ]
	run -2 "$S" run --resume "$E"
	run -2 "$S" run --resume="$E"
	[[ "$output" == *"no unfinished run"* ]]
}

@test "two processes cannot work on one run" {
	experiment twice 'sleep: 200ms' 'boots: 2
repetitions: 4'
	"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) >= 1 FROM sample" 1
	run -3 "$S" run --resume=last
	[[ "$output" == *"another schedbench is working on run"* ]]
	kill -INT "$pid"
	wait "$pid" || true
}

@test "a run goes on only with the generators it began with, and with its own plan" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cp "$BUILD"/schedbench* "$BATS_TEST_TMPDIR/bin/"
	experiment changed 'exit: 3' 'boots: 1
repetitions: 1'
	SCHEDBENCH_CONFIGS=configs run -3 "$BATS_TEST_TMPDIR/bin/schedbench" run "$E"
	echo >>"$BATS_TEST_TMPDIR/bin/schedbench-workload"
	run -2 "$BATS_TEST_TMPDIR/bin/schedbench" run --resume=last
	[[ "$output" == *"not the program that run"* ]]
	run -2 "$S" run --resume=last --boots 3
	[[ "$output" == *"keeps its plan"* ]]
	run -2 "$S" run --resume=last --set boots=3
	[[ "$output" == *"keeps its plan"* ]]
	rm "$BATS_TEST_TMPDIR/bin/schedbench-workload"
	run -3 "$BATS_TEST_TMPDIR/bin/schedbench" run "$E"
	[[ "$output" == "schedbench: no program 'schedbench-workload'"* ]]
	[ "${#lines[@]}" = 1 ]
	rm "$BATS_TEST_TMPDIR/bin/schedbench-agent"
	run -3 "$BATS_TEST_TMPDIR/bin/schedbench" run "$E"
	[[ "$output" == "schedbench: no program 'schedbench-agent'"* ]]
	[ "${#lines[@]}" = 1 ]
}

@test "a database that is none, one that is not there, a run that is not there: one clear line each" {
	echo "something that has never been a database of any kind" >"$BATS_TEST_TMPDIR/text"
	experiment db 'value: 1' ''
	run -3 "$S" run "$E" --db "$BATS_TEST_TMPDIR/text"
	[[ "$output" == "schedbench: '$BATS_TEST_TMPDIR/text' is not a usable database"* ]]
	[ "${#lines[@]}" = 1 ]
	run -3 "$S" run "$E" --db "$BATS_TEST_TMPDIR/text" --dry-run
	[[ "$output" == "schedbench: '$BATS_TEST_TMPDIR/text' is not a usable database"* ]]
	for words in compare show "list runs" "plot --text" "run --resume" "run --resume --dry-run"; do
		# shellcheck disable=SC2086 # a command and its arguments
		run -3 "$S" $words --db "$BATS_TEST_TMPDIR/nothing"
		[[ "$output" == "schedbench: no database '$BATS_TEST_TMPDIR/nothing'"* ]]
		[ "${#lines[@]}" = 1 ]
		[ ! -e "$BATS_TEST_TMPDIR/nothing" ]
	done
	"$S" run "$E" --boots 1 --reps 1 --quiet >/dev/null
	run -2 "$S" compare nothing
	[[ "$output" == *"no run 'nothing'"* ]]
}

@test "a full disk stops the run with one line and keeps what was stored" {
	[ "$(id -u)" = 0 ] || skip "needs root to mount a small file system"
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=1m none "$BATS_TEST_TMPDIR/small" || skip "cannot mount a tmpfs here"
	experiment full 'value: 1' 'boots: 1
repetitions: 200'
	run -3 "$S" run "$E" --quiet --db "$BATS_TEST_TMPDIR/small/s.db"
	echo "$output"
	[ "${#lines[@]}" = 1 ]
	[[ "$output" == *"space"* ]]
	[[ "$output" == *"--resume="* ]]
	# What is there can be read while the disk is full, and completed once there is room.
	export SCHEDBENCH_DB=$BATS_TEST_TMPDIR/small/s.db
	good=$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")
	[ "$good" -gt 10 ]
	[ "$("$S" compare --style csv | wc -l)" = $((good + 1)) ]
	mount -o remount,size=100m "$BATS_TEST_TMPDIR/small"
	sql "SELECT time_ns FROM sample WHERE metric = 'value' ORDER BY id LIMIT $good" >"$BATS_TEST_TMPDIR/before"
	"$S" run --resume --quiet >/dev/null
	sql "SELECT time_ns FROM sample WHERE metric = 'value' ORDER BY id LIMIT $good" | diff "$BATS_TEST_TMPDIR/before" -
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")" = 400 ]
	[ "$(sql 'PRAGMA integrity_check')" = ok ]
}

@test "a disk that is full before the run begins is told in one line" {
	[ "$(id -u)" = 0 ] || skip "needs root to mount a small file system"
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=8k none "$BATS_TEST_TMPDIR/small" || skip "cannot mount a tmpfs here"
	experiment full 'value: 1' 'boots: 1'
	run -3 "$S" run "$E" --db "$BATS_TEST_TMPDIR/small/s.db"
	[ "${#lines[@]}" = 1 ]
	[[ "$output" == "schedbench: cannot write to '$BATS_TEST_TMPDIR/small/s.db': no space left"* ]]
}

@test "output that did not arrive is an error" {
	experiment lost 'value: 1' 'boots: 1
repetitions: 1'
	"$S" run "$E" --quiet >/dev/null
	for words in compare "compare --style csv" "compare --json" show "show --json" "list runs" \
		"list styles --json" help version "compare --help" "help run" "run $E --dry-run" "run $E --quiet"; do
		# shellcheck disable=SC2016 # the inner shell's
		run -3 bash -c '"$0" $1 >/dev/full' "$S" "$words"
		[[ "$output" == "schedbench: cannot write to standard output: No space left on device" ]]
	done
}

@test "nothing wakes up while a workload runs" {
	experiment idle 'sleep: 5s' 'variants: [{name: a, kernel: running}]
boots: 1
repetitions: 1'
	sed -i 2,3d "$E"
	sed -i '1a machine: host' "$E"
	"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
	pid=$!
	for _ in $(seq 100); do
		pgrep -f 'null --json --sleep=5s' >/dev/null && break
		sleep 0.05
	done
	sleep 0.5
	agent=$(pgrep -P "$pid" -f schedbench-agent)
	switches() { awk '/^voluntary/ {print $2}' "/proc/$1/status"; }
	before=$(($(switches "$pid") + $(switches "$agent")))
	sleep 4
	after=$(($(switches "$pid") + $(switches "$agent")))
	wait "$pid"
	[ $((after - before)) -lt 10 ]
}

@test "dry-run names the kernels that have to be fetched first" {
	SCHEDBENCH_CACHE=$BATS_TEST_TMPDIR/cache run -0 "$S" run demo --dry-run
	[[ "$output" == *"kernel debian-6.1 has to be fetched first"* ]]
}

@test "an interruption while a kernel is fetched ends the program at once, the fetch with it" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\nexec sleep 4242\n' >"$BATS_TEST_TMPDIR/bin/apt-get"
	chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
	cp "$BATS_TEST_TMPDIR/bin/apt-get" "$BATS_TEST_TMPDIR/bin/apt-cache"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH SCHEDBENCH_CACHE=$BATS_TEST_TMPDIR/cache \
		"$S" run demo >/dev/null 2>&1 3>&- &
	pid=$!
	for _ in $(seq 100); do
		pgrep -f 'sleep 4242' >/dev/null && break
		sleep 0.05
	done
	pgrep -f 'sleep 4242'
	# Bash starts background jobs with SIGINT ignored.
	kill -TERM "$pid"
	wait "$pid" || true
	for _ in $(seq 20); do
		pgrep -f 'sleep 4242' >/dev/null || break
		sleep 0.05
	done
	run ! pgrep -f 'sleep 4242'
}

@test "juno's rate is measured once, kept with the run, and the same for all variants" {
	E=$BATS_TEST_TMPDIR/juno.yaml
	cat >"$E" <<END
machine: host
variants: [{name: base, kernel: running}, {name: new, kernel: running}]
workload: {name: juno, params: {tasks: 1, pin: "0", free-after: 1ms, work: 10ms@1024}}
boots: 1
repetitions: 2
END
	run -0 --separate-stderr "$S" run "$E"
	[[ "$stderr" == *"workload.params.rate="*"measured on this host"* ]]
	rate=$(sed -n 's/.*workload.params.rate=\([0-9]*\),.*/\1/p' <<<"$stderr")
	[ "$rate" -gt 1000000 ]
	# Each repetition used it, and none measured its own.
	[ "$(sql "SELECT count(*) FROM sample WHERE status = 'ok' AND metric = 'makespan'")" = 4 ]
	[ "$(sql "SELECT text LIKE '%rate: $rate%' OR text LIKE '%rate: \"$rate\"%' FROM experiment")" = 1 ]
	run -0 --separate-stderr "$S" run "$E" --set workload.params.rate="$rate"
	[[ "$stderr" != *measured* ]]
	run -2 --separate-stderr "$S" run "$E" --set machine=small-4 --set 'variants=[{name: a, kernel: debian-6.1}]'
	[[ "$stderr" == *"work-model: cputime"* ]]
}
