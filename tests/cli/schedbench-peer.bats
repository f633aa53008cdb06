#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Experiments with `backend: peer`: the original in place of our generator.
bats_require_minimum_version 1.5.0
load schedbench.bash

setup() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	# An original that takes no time; each of its lines is one that hackbench prints.
	cat >"$BATS_TEST_TMPDIR/bin/hackbench" <<'END'
#!/bin/sh
echo "Running in process mode with $2 groups using 40 file descriptors each (== $(($2 * 40)) tasks)"
echo "Each sender will pass $6 messages of 100 bytes"
echo "Time: $2.250"
END
	chmod +x "$BATS_TEST_TMPDIR/bin/hackbench"
	export PATH=$BATS_TEST_TMPDIR/bin:$PATH
	both peer ''
	PEER=$E
	both own 'loops: 1'
	OWN=$E
}

# both BACKEND PARAMS: an experiment of hackbench, its path in $E.
both() {
	E=$BATS_TEST_TMPDIR/$1.yaml
	cat >"$E" <<END
title: hackbench, $1
machine: host
variants: [{name: base, kernel: running}]
workload: {name: hackbench, backend: $1, params: {loops: 1}}
sweep: {groups: [1, 2]}
boots: 1
repetitions: 2
END
}

@test "the values of the original are stored and every table names the backend" {
	run -0 "$S" run "$PEER"
	[ "$(sql "SELECT DISTINCT kase, metric, unit, better, value FROM sample ORDER BY kase")" = \
		"groups=1|time|s|lower|1.25
groups=2|time|s|lower|2.25" ]
	run -0 "$S" show
	[[ "$output" == *"workload    hackbench, backend peer: the original tool"* ]]
	[ "$("$S" show --json | jq -r .backend)" = peer ]
	for style in table markdown mmtests amd; do
		run -0 "$S" compare --style "$style"
		[[ "$output" == *"backend peer"* ]] || { echo "style $style"; false; }
	done
	[ "$("$S" compare --json | jq -r .backend)" = peer ]
	run -0 "$S" run "$PEER" --dry-run
	[[ "$output" == *"hackbench (backend peer: the original)"* ]]
}

@test "the original and ours are never columns of one table" {
	run -0 "$S" run "$PEER"
	run -0 "$S" run "$OWN"
	runs=$(sql "SELECT id FROM run ORDER BY id DESC" | tr '\n' ' ')
	# shellcheck disable=SC2086
	run -2 "$S" compare $runs
	[[ "$output" == *"of different backends ("*"(print a table of each)"* ]]
	# shellcheck disable=SC2086
	run -2 "$S" compare --force $runs
	# shellcheck disable=SC2086
	run -2 "$S" plot --text $runs
	[[ "$output" == *"different backends"* ]]
	run -0 "$S" show "$(sql "SELECT id FROM run WHERE id LIKE '%-own'")"
	[[ "$output" == *"workload    hackbench, backend own"* ]]
}

@test "an original that is not installed is refused before anything runs" {
	rm "$BATS_TEST_TMPDIR/bin/hackbench"
	PATH=/nonexistent run -2 "$S" run "$PEER"
	[[ "$output" == *"no program 'hackbench' in PATH (apt-get install rt-tests)" ]]
	[ ! -e "$SCHEDBENCH_DB" ]
}

@test "parameters and metrics that the original lacks are refused by name" {
	run -2 "$S" run "$PEER" --set workload.name=pipe --set workload.params.loops=1
	[[ "$output" == *"unknown option '--loops'"* ]]
	run -2 "$S" run "$PEER" --set metric=latency
	[[ "$output" == *"with backend peer has no metric 'latency' (it has time)"* ]]
	run -2 "$S" run "$OWN" --set workload.params.backend=peer
	[[ "$output" == *"'backend' is no parameter of a workload"*"workload.backend"* ]]
	experiment none 'value: 1'
	run -2 "$S" run "$E" --set workload.backend=peer
	[[ "$output" == *"'null' has no original"* ]]
}

@test "an original that fails is a failed repetition, not a number" {
	cat >"$BATS_TEST_TMPDIR/bin/hackbench" <<'END'
#!/bin/sh
echo "SENDER: write" >&2
exit 0
END
	run "$S" run "$PEER"
	[ "$(sql "SELECT count(*) FROM sample WHERE status = 'ok'")" = 0 ]
	[[ "$(sql "SELECT DISTINCT reason FROM sample")" == *"hackbench printed no line"* ]]
}

@test "an original that hangs is cut off and nothing is left of it" {
	printf '#!/bin/sh\nsleep 87654 & sleep 87654\n' >"$BATS_TEST_TMPDIR/bin/hackbench"
	run "$S" run "$PEER" --reps 1 --set timeout=300ms
	[ "$(sql "SELECT DISTINCT status FROM sample")" = timeout ]
	[ -z "$(left_over 'sleep 87654')" ]
}

@test "a run goes on only with the original that it began with" {
	run -0 "$S" run "$PEER"
	sql "DELETE FROM sample WHERE repetition = 1; UPDATE run SET state = 'interrupted'"
	run -0 "$S" run --resume=last
	sql "DELETE FROM sample WHERE repetition = 1; UPDATE run SET state = 'interrupted'"
	echo '# another build' >>"$BATS_TEST_TMPDIR/bin/hackbench"
	run -2 "$S" run --resume=last
	[[ "$output" == *"or the original that it runs"*"(start a new run)"* ]]
}
