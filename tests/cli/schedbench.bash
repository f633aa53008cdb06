# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers of the schedbench-*.bats files: experiments of the null workload on this host.
# shellcheck shell=bash

BUILD=${BUILD:-$(cd "${BATS_TEST_DIRNAME:-tests/cli}/../.." && pwd)/build}
# shellcheck disable=SC2034 # used by the tests
S=$BUILD/schedbench
export SCHEDBENCH_DB=$BATS_TEST_TMPDIR/s.db
export SCHEDBENCH_RUN_DIR=$BATS_TEST_TMPDIR/run

# experiment NAME 'null parameters' 'more keys': a file in the test's folder, its path in $E.
experiment() {
	E=$BATS_TEST_TMPDIR/$1.yaml
	cat >"$E" <<END
title: test of $1
machine: host
variants: [{name: base, kernel: running}, {name: new, kernel: running}]
workload: {name: "null", params: {$2}}
$3
END
}

# fake_workload SCRIPT: $S becomes a copy of the program beside a "schedbench-workload" that is this
# script; $n is how many times it was started before to measure, sample VALUE prints a sample of
# null. Questions about its options go to the real one.
fake_workload() {
	local bin=$BATS_TEST_TMPDIR/fake
	mkdir -p "$bin"
	cp "$BUILD/schedbench" "$BUILD/schedbench-agent" "$bin/"
	cat >"$bin/schedbench-workload" <<END
#!/bin/sh
for word; do [ "\$word" = --help ] && exec "$BUILD/schedbench-workload" "\$@"; done
n=\$(cat "$bin/count" 2>/dev/null || echo 0)
echo \$((n + 1)) >"$bin/count"
sample() {
	echo "{\\"workload\\":\\"null\\",\\"metric\\":\\"value\\",\\"unit\\":\\"s\\",\\"better\\":\\"lower\\",\\"value\\":\$1}"
}
$1
END
	chmod +x "$bin/schedbench-workload"
	# shellcheck disable=SC2034 # used by the tests
	S=$bin/schedbench
	export SCHEDBENCH_PLOTS=$BATS_TEST_DIRNAME/../../plots
}

sql() {
	sqlite3 "$SCHEDBENCH_DB" "$1"
}

# Wait until a query answers $2, at most ten seconds.
wait_for_sql() {
	for _ in $(seq 200); do
		[ "$(sql "$1" 2>/dev/null)" = "$2" ] && return 0
		sleep 0.05
	done
	return 1
}

# Processes that carry $1 in their command line.
left_over() {
	pgrep -f -- "$1" || true
}

# Agents that this test has left behind: its environment tells them from those of other tests.
agents() {
	local pid
	for pid in $(pgrep -f schedbench-agent); do
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
			grep -qx "SCHEDBENCH_DB=$SCHEDBENCH_DB" && echo "$pid"
	done
	return 0
}
