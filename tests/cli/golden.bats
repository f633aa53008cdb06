#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0
# Tables that mmtests printed itself are matched byte for byte.

setup() {
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export BUILD=${BUILD:-$ROOT/build}
	SHARED=${SCHEDBENCH_SHARED:-$ROOT/../shared}
}

@test "every recorded table of mmtests comes out byte for byte" {
	[ -d "$SHARED/golden" ] || skip "no recorded tables (set SCHEDBENCH_SHARED)"
	count=0
	for dir in "$SHARED"/golden/*/; do
		"$ROOT/tests/golden-case" "$dir" >"$BATS_TEST_TMPDIR/out" 2>/dev/null
		diff -u "$dir/expected.txt" "$BATS_TEST_TMPDIR/out"
		count=$((count + 1))
	done
	[ "$count" -gt 0 ]
}

write_case() {
	mkdir -p "$BATS_TEST_TMPDIR/case"
	cat >"$BATS_TEST_TMPDIR/case/samples.csv"
	{
		printf '%s\n' kernels=k-a,k-b stat=Multiops precision=2 fieldlength=18
		printf '%s\n' "$@"
	} >"$BATS_TEST_TMPDIR/case/meta.txt"
}

@test "a baseline of one sample marks nothing and says so" {
	write_case preferred=lower mode=compare <<-'END'
		kernel,operation,iteration,value
		k-a,t,1,1.0
		k-b,t,1,2.0
		k-b,t,2,2.1
	END
	run "$ROOT/tests/golden-case" "$BATS_TEST_TMPDIR/case"
	[ "$status" -eq 0 ]
	[[ "$output" == *"need >= 2 samples on both sides"* ]]
	[[ "$output" != *"%*"* ]]
}

@test "a baseline without samples is an error and no table" {
	write_case preferred=lower mode=compare <<-'END'
		kernel,operation,iteration,value
		k-b,t,1,2.0
	END
	run --separate-stderr "$ROOT/tests/golden-case" "$BATS_TEST_TMPDIR/case"
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ "$stderr" == *"'k-a' has no samples"* ]]
}

@test "schedstat without SIS fields is an error, not a perfect 100 %" {
	write_case preferred=none mode=monitor-mmtests-schedstat benchmark=hb <<-'END'
		kernel,operation,iteration,value
		k-a,hb:ttwu_count,start,10
		k-a,hb:ttwu_count,end,20
		k-b,hb:ttwu_count,start,10
		k-b,hb:ttwu_count,end,20
	END
	run --separate-stderr "$ROOT/tests/golden-case" "$BATS_TEST_TMPDIR/case"
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ "$stderr" == *"no SIS fields"* ]]
}

@test "distances in rows of significance keep all their digits" {
	write_case preferred=lower mode=compare options=--print-significance <<-'END'
		kernel,operation,iteration,value
		k-a,t,1,0.1
		k-a,t,2,0.1
		k-a,t,3,0.1
		k-b,t,1,3.3
		k-b,t,2,3.3
		k-b,t,3,3.3
	END
	run "$ROOT/tests/golden-case" "$BATS_TEST_TMPDIR/case"
	[ "$status" -eq 0 ]
	[[ "$output" == *"1.00 (-3602879701896396.00%)"* ]]
}
