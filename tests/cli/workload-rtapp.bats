#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
load workload.bash

setup() {
	file=$BATS_TEST_TMPDIR/a.json
}

value() {
	jq -s --arg m "$1" '.[] | select(.metric == $m) | .value' <<<"$json"
}

@test "a task without phases and with a loop ends after so many" {
	echo '{"tasks": {"a": {"loop": 2, "run": 100}}, "global": {"calibration": 50}}' >"$file"
	json=$("$W" rtapp "$file" --json)
	[ "$(value activations)" = 2 ]
	# floor(100 us / 50 ns) loops each time, whatever the CPU.
	jq -se '.[0].ops == 4000' <<<"$json"
}

@test "run, sleep and timers last as long as they say" {
	cat >"$file" <<-'END'
		{ /* comments and trailing commas are fine */
			"tasks": {
				"sleeper": {"loop": 10, "sleep": 20000},
				"timer": {"loop": 10, "run": 100, "timer": {"ref": "unique1", "period": 20000}, },
				"runtime": {"loop": 10, "runtime": 20000},
			},
			"global": {"calibration": 50},
		}
	END
	json=$("$W" rtapp "$file" --json)
	[ "$(value activations)" = 30 ]
	jq -ne "$(value time) >= .2 and $(value time) < 1 and $(value wu_lat_p50) >= 0"
}

@test "the log has the columns that lkp and LISA read" {
	cat >"$file" <<-END
		{"tasks": {"a": {"loop": 5, "instance": 2, "run": 200, "timer": {"ref": "unique1", "period": 5000}}},
		"global": {"calibration": 50, "logdir": "$BATS_TEST_TMPDIR", "log_basename": "base"}}
	END
	"$W" rtapp "$file" >/dev/null
	log=$BATS_TEST_TMPDIR/base-a-1.log
	[ "$(sed -n 1p "$log")" = "# Policy : SCHED_OTHER priority : 0" ]
	[ "$(sed -n 2p "$log")" = "#idx perf run period start end rel_st slack c_duration c_period wu_lat" ]
	[ "$(sed 1,2d "$log" | wc -l)" = 5 ]
	# 200 us are 4000 loops of 50 ns; end - start is the period; configured values as configured.
	awk 'NR > 2 && (NF != 11 || $1 != 1 || $2 != 4000 || $6 - $5 - $4 > 1 || $6 - $5 - $4 < 0 ||
		$9 != 200 || $10 != 5000) {bad = 1} END {exit bad}' "$log"
}

@test "the duration ends tasks that never would, asleep, spinning or waiting for each other" {
	cat >"$file" <<-'END'
		{"tasks": {"a": {"sleep": 60000000}, "b": {"run": 60000000}, "c": {"barrier": "x", "run": 1},
			"d": {"barrier": "x", "sleep": 60000000}},
		"global": {"duration": 1, "calibration": 50}}
	END
	json=$("$W" rtapp "$file" --json)
	jq -ne "$(value time) >= 1 and $(value time) < 2.5"
}

@test "threads meet at a barrier, and those that have ended are not waited for" {
	cat >"$file" <<-'END'
		{"tasks": {"fast": {"loop": 5, "barrier": "x", "run": 1}, "slow": {"loop": 5, "sleep": 20000, "barrier": "x"},
			"short": {"loop": 1, "barrier": "x", "run": 1}},
		"global": {"calibration": 50}}
	END
	json=$("$W" rtapp "$file" --json)
	[ "$(value activations)" = 11 ]
	jq -ne "$(value time) >= .1"
}

@test "mistakes in the file are errors with the line, and warnings are given" {
	echo '{"tasks": {"a": {"loop": 1, "frobnicate": 1}}}' >"$file"
	run -2 "$W" rtapp "$file"
	[[ $output == *"a.json:1: 'frobnicate' is not known here"* ]]
	echo '{"tasks": {"a": {"loop": 1, "runn": 1}}, "global": {"calibration": 50}}' >"$file"
	run -0 --separate-stderr "$W" rtapp "$file"
	[[ $stderr == *"'runn' is taken for a run event"* ]]
	echo '{"tasks": {"a": {"loop": 1, "run": 1, "cpus": [99]}}, "global": {"calibration": 50}}' >"$file"
	run -2 "$W" rtapp "$file"
	[[ $output == *"CPUs that may not be used"* ]]
	run -2 "$W" rtapp
	run ! "$W" rtapp /nonexistent.json
}

@test "a calibration that is measured says so" {
	echo '{"tasks": {"a": {"loop": 1, "run": 1000}}, "global": {"calibration": "CPU0"}}' >"$file"
	run -0 "$W" rtapp "$file"
	[[ $output =~ calibration:\ [0-9]+\ ns\ per\ loop\ on\ CPU\ 0 ]]
}

@test "real-time policies are set, or it says why not" {
	echo '{"tasks": {"a": {"loop": 1, "run": 10, "policy": "SCHED_FIFO", "priority": 5}}, "global": {"calibration": 50}}' >"$file"
	if chrt -f 5 true 2>/dev/null; then run -0 "$W" rtapp "$file"; fi
	run -3 --separate-stderr setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$W" rtapp "$file"
	[ -z "$output" ]
	[[ $stderr == *"task a: cannot have policy SCHED_FIFO and priority 5"* ]]
}

@test "a killed run is no result" {
	echo '{"tasks": {"a": {"run": 1000}}, "global": {"duration": 1000, "calibration": 50}}' >"$file"
	start rtapp "$file"
	wait_for_processes "rtapp $file" 2
	kill -9 "$(pgrep -P "$pid")"
	wait_at_most 2
	[ "$status" = 3 ]
	[ ! -s "$out" ]
	none_left "rtapp $file"
}
