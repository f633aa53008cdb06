#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 at any moment loses at most the repetition in progress, and resuming repeats none.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
}

@test "killed at 20 random moments and resumed each time, every repetition is there exactly once" {
	experiment killed 'sleep: 15ms' 'sweep: {seed: [1, 2, 3]}
boots: 3
repetitions: 6'
	RANDOM=${SEED:-$$}
	echo "SEED=${SEED:-$$}"
	args=("$E")
	kills=0
	for _ in $(seq 20); do
		"$S" run "${args[@]}" --quiet >/dev/null 2>&1 3>&- &
		pid=$!
		sleep "0.$(printf %03d $((RANDOM % 250)))"
		if kill -9 "$pid" 2>/dev/null; then
			kills=$((kills + 1))
		fi
		wait "$pid" 2>/dev/null || true
		if [ "$(sql 'SELECT count(*) FROM run' 2>/dev/null || echo 0)" -gt 0 ]; then
			args=(--resume=last)
		fi
	done
	[ "$kills" -ge 10 ]
	run -0 --separate-stderr "$S" run --resume=last --quiet
	sql "SELECT variant, boot_number, \"case\", repetition FROM v_sample
		WHERE metric = 'value' AND status = 'ok' ORDER BY 1, 2, 3, 4" >"$BATS_TEST_TMPDIR/got"
	for v in base new; do
		for b in 1 2 3; do
			for c in 1 2 3; do
				for r in 0 1 2 3 4 5; do
					echo "$v|$b|seed=$c|$r"
				done
			done
		done
	done >"$BATS_TEST_TMPDIR/plan"
	diff "$BATS_TEST_TMPDIR/plan" "$BATS_TEST_TMPDIR/got"
	[ "$(sql 'SELECT count(*) FROM run')" = 1 ]
	[ "$(sql "SELECT count(*) FROM sample WHERE status <> 'ok'")" = 0 ]
	# Boots that were killed are not said to be running for ever.
	[ "$(sql "SELECT group_concat(state, ' ') FROM (SELECT DISTINCT state FROM boot ORDER BY 1)")" = "aborted ok" ]
	[ "$(sql "SELECT count(*) FROM boot WHERE ended_ns IS NULL")" = 0 ]
	[ -z "$(left_over 'null --json --sleep=15ms')" ]
	[ -z "$(agents)" ]
}

@test "switches of the host are put back after the end, an interruption and a kill" {
	knob=/proc/sys/kernel/printk_ratelimit_burst
	[ -w "$knob" ] || skip "needs root to change a sysctl"
	old=$(cat "$knob")
	new=$((old + 1))
	experiment switches 'sleep: 400ms' 'boots: 1
repetitions: 2'
	sed -i "s/{name: new, kernel: running}/{name: new, kernel: running, sysctl: {kernel.printk_ratelimit_burst: $new}}/; s/{name: base, kernel: running}, //" "$E"
	"$S" run "$E" --quiet >/dev/null
	[ "$(cat "$knob")" = "$old" ]
	for signal in INT KILL; do
		"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
		pid=$!
		for _ in $(seq 100); do
			[ "$(cat "$knob")" = "$new" ] && break
			sleep 0.02
		done
		[ "$(cat "$knob")" = "$new" ]
		kill -"$signal" "$pid"
		wait "$pid" 2>/dev/null || true
		for _ in $(seq 100); do
			[ "$(cat "$knob")" = "$old" ] && break
			sleep 0.02
		done
		[ "$(cat "$knob")" = "$old" ]
	done
}

@test "a killed agent ends its boot, the switches are put back, the boot is tried again" {
	knob=/proc/sys/kernel/printk_ratelimit_burst
	[ -w "$knob" ] || skip "needs root to change a sysctl"
	old=$(cat "$knob")
	experiment agent 'sleep: 500ms' 'boots: 1
repetitions: 3'
	sed -i "s/{name: new, kernel: running}/{name: new, kernel: running, sysctl: {kernel.printk_ratelimit_burst: $((old + 1))}}/; s/{name: base, kernel: running}, //" "$E"
	"$S" run "$E" >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) >= 1 FROM sample" 1
	kill -9 "$(pgrep -P "$pid" -f schedbench-agent)"
	wait "$pid"
	grep -q "new boot 1 failed (attempt 1 of 2): early-exit" "$BATS_TEST_TMPDIR/err"
	[ "$(sql "SELECT group_concat(state) FROM boot")" = early-exit,ok ]
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'value'")" = 3 ]
	[ "$(cat "$knob")" = "$old" ]
}

@test "switches that nobody was left to put back are put back by the next start, which says so" {
	knob=/proc/sys/kernel/printk_ratelimit_burst
	[ -w "$knob" ] || skip "needs root to change a sysctl"
	old=$(cat "$knob")
	experiment orphan 'sleep: 30s' 'boots: 1
repetitions: 1'
	sed -i "s/{name: new, kernel: running}/{name: new, kernel: running, sysctl: {kernel.printk_ratelimit_burst: $((old + 1))}}/; s/{name: base, kernel: running}, //" "$E"
	"$S" run "$E" --quiet >/dev/null 2>&1 3>&- &
	pid=$!
	for _ in $(seq 200); do
		[ -n "$(left_over 'null --json --sleep=30s')" ] && break
		sleep 0.02
	done
	[ "$(cat "$knob")" = $((old + 1)) ]
	# Both at once: the agent, which would put back, and the one that would notice.
	kill -9 "$(agents)" "$pid"
	wait "$pid" 2>/dev/null || true
	for _ in $(seq 100); do
		[ -z "$(left_over 'null --json --sleep=30s')" ] && break
		sleep 0.02
	done
	[ -z "$(left_over 'null --json --sleep=30s')" ]
	[ "$(cat "$knob")" = $((old + 1)) ]
	run -0 "$S" boot -- true
	[[ "$output" == "schedbench: put back what a killed agent had left: "*"printk_ratelimit_burst: $old" ]]
	[ "$(cat "$knob")" = "$old" ]
	run -0 "$S" boot -- true
	[ -z "$output" ]
}

@test "an unknown switch is refused by its name and not tried again" {
	experiment unknown 'value: 1' 'boots: 1
repetitions: 1'
	sed -i "s/{name: new, kernel: running}/{name: new, kernel: running, sysctl: {kernel.no_such_switch: 1}}/" "$E"
	run --separate-stderr -3 "$S" run "$E"
	[[ "$stderr" == *"new boot 1 failed (attempt 1 of 1)"*"no_such_switch"* ]]
	[[ "$output" == *missing* ]]
	[ "$(sql "SELECT count(*) FROM v_sample WHERE metric = 'value' AND variant = 'base'")" = 1 ]
}
