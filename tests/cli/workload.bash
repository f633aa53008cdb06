# SPDX-License-Identifier: GPL-2.0-or-later
# Helpers of the workload-*.bats files.
# shellcheck shell=bash

BUILD=${BUILD:-$(cd "${BATS_TEST_DIRNAME:-tests/cli}/../.." && pwd)/build}
# shellcheck disable=SC2034 # used by the tests
W=$BUILD/schedbench-workload

# Start "$W ARGS" in the background: $pid, $out (its output), $err. A loop count found nowhere
# else marks its processes for the functions below.
start() {
	out=$BATS_TEST_TMPDIR/out err=$BATS_TEST_TMPDIR/err
	"$W" "$@" >"$out" 2>"$err" 3>&- &
	pid=$!
}

# Processes whose command line contains $1.
processes() {
	pgrep -f -- "$1" || true
}

# The workers of what start started, in the order they were forked: the processes below the runner,
# which is below $pid. Process numbers wrap around.
workers() {
	local runner max
	runner=$(pgrep -P "$pid")
	max=$(cat /proc/sys/kernel/pid_max)
	pgrep -P "$runner" | awk -v r="$runner" -v m="$max" '{print ($1 - r + m) % m, $1}' |
		sort -n | cut -d ' ' -f 2
}

# Wait until at least $2 processes have $1 in their command line.
wait_for_processes() {
	for _ in $(seq 200); do
		[ "$(processes "$1" | wc -l)" -ge "$2" ] && return 0
		sleep 0.05
	done
	echo "never saw $2 processes of '$1'" >&2
	return 1
}

# The status of $pid within $1 seconds in $status; fails if it takes longer.
wait_at_most() {
	local i
	for ((i = 0; i < $1 * 20; i++)); do
		if ! kill -0 "$pid" 2>/dev/null; then
			status=0
			# shellcheck disable=SC2034 # for the caller
			wait "$pid" || status=$?
			return 0
		fi
		sleep 0.05
	done
	echo "still running after $1 s" >&2
	return 1
}

# Orphans die of a signal that the kernel sends when their parent is gone: give it a moment.
none_left() {
	for _ in $(seq 20); do
		[ -z "$(processes "$1")" ] && return 0
		sleep 0.05
	done
	echo "left behind: $(processes "$1")" >&2
	return 1
}
