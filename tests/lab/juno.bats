#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The virtual Juno: six hogs on two big and four little CPUs in a guest whose clock counts
# instructions. Expected times follow from the speed r of a little CPU (1 of a big one) for 10 s of
# work: without the change 35 - 40 r + 15 r^2, with it 30 - 30 r + 10 r^2 where the CPU left out
# takes a task at once. Kernels that are not built are built only within LAB_BUDGET seconds.

setup_file() {
	bats_require_minimum_version 1.5.0
	export BUILD=${BUILD:-build}
	export S=$BUILD/schedbench
	export LAB_START=${LAB_START:-$(date +%s)} SKIP=
	if ! command -v qemu-system-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
		SKIP="arm64 guests need packages (make deps-arm64)"
	elif ! make -s -j2 arm64 BUILD="$BUILD" >"$BATS_FILE_TMPDIR/make" 2>&1; then
		SKIP="make arm64: $(tail -n 1 "$BATS_FILE_TMPDIR/make")"
	elif ! timeout "${LAB_KERNEL_SECONDS:-600}" "$S" kernel build juno-6.1-before juno-6.1-after \
		>"$BATS_FILE_TMPDIR/kernels" 2>&1; then
		SKIP="the kernels: $(tail -n 1 "$BATS_FILE_TMPDIR/kernels")"
	fi
}

setup() {
	[ -z "${SKIP:-}" ] || skip "$SKIP"
	[ $(($(date +%s) - LAB_START)) -lt "${LAB_BUDGET:-1500}" ] ||
		skip "the budget of ${LAB_BUDGET:-1500} s is used up"
	export SCHEDBENCH_DB=$BATS_TEST_TMPDIR/juno.db
}

# seconds VARIANT METRIC: mean over the boots.
seconds() {
	sqlite3 "$SCHEDBENCH_DB" "SELECT avg(value) FROM v_sample
		WHERE variant = '$1' AND metric = '$2' AND status = 'ok'"
}

# near VALUE EXPECTED PERCENT
near() {
	echo "$1 where $2 is expected"
	awk -v v="$1" -v e="$2" -v p="$3" 'BEGIN { exit !(v != "" && (v - e) ^ 2 <= (e * p / 100) ^ 2) }'
}

# expected SPEED: both times in seconds.
expected() {
	awk -v r="$1" 'BEGIN { r /= 1024; print 35 - 40 * r + 15 * r * r, 30 - 30 * r + 10 * r * r }'
}

little() {
	local before after
	run -0 "$S" run "$1" --boots 2 -q "${@:3}"
	echo "$output"
	[[ "$output" == *"warning: virtual time"* ]]
	read -r before after <<<"$(expected "$2")"
	near "$(seconds before makespan)" "$before" 1
	near "$(seconds after makespan)" "$after" 1
}

@test "at the speed that the published times follow from: 19.39 s before, 18.05 s after" {
	little juno-little-cpus 485
	# From the trial that the recipe comes from.
	near "$(seconds before makespan)" 19.389 0.5
	near "$(seconds after makespan)" 18.046 0.5
	# The CPU left out: within 100 ms after the change.
	awk -v v="$(seconds after first_pull)" 'BEGIN { exit !(v > 0 && v < 0.1) }'
	[ "$(seconds after pulled)" = 1.0 ]
}

@test "at the speed that the capacity says: 22.09 s before, 20.19 s after" {
	little juno-little-cpus-383 383
}

@test "with one cache for all CPUs the change changes nothing" {
	run -0 "$S" run juno-little-cpus --boots 1 -q --set machine=juno-r2-shared
	echo "$output"
	near "$(seconds before makespan)" 18.047 0.5
	near "$(seconds after makespan)" 18.045 0.5
}

@test "a kernel that traps wfi is refused: no time would pass" {
	local image
	image=$("$S" kernel path juno-6.1-after)
	# The constant for SCTLR_EL1 is made by movk x0, #0x34f5, lsl #16: without its lowest bit, nTWI,
	# it is the distribution's.
	perl -0777 -pe 's/\xa0\x9e\xa6\xf2/\x80\x9e\xa6\xf2/' "$image" >"$BATS_TEST_TMPDIR/Image"
	if cmp -s "$image" "$BATS_TEST_TMPDIR/Image"; then skip "the image sets SCTLR_EL1 in another way"; fi
	printf 'source: {image: Image}\narch: arm64\n' >"$BATS_TEST_TMPDIR/traps.yaml"
	run -3 "$S" boot --kernel "$BATS_TEST_TMPDIR/traps.yaml" --machine juno-r2 -- \
		schedbench-workload juno --work-model cputime --pass wfi --work 1s
	[[ "$output" == *"does not let programs wait for interrupts"* ]]
}
