#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernels that come with schedbench, built from Debian's sources and booted. Two thirds of
# LAB_BUDGET seconds are not passed: what did not fit is interrupted, skipped by its name, and
# continued by the next run.

setup_file() {
	bats_require_minimum_version 1.5.0
	export BUILD=${BUILD:-build}
	export S=$BUILD/schedbench
	export LAB_START=${LAB_START:-$(date +%s)}
}

left() {
	echo $((${LAB_BUDGET:-2700} * 2 / 3 - ($(date +%s) - LAB_START)))
}

# build NAME: or skip, with the reason, what there is neither a network nor time for.
build() {
	local seconds status=0
	seconds=$(left)
	[ "$seconds" -gt 0 ] || skip "$1: the budget of ${LAB_BUDGET:-2700} s is used up"
	timeout --signal=INT --kill-after=60 "$seconds" "$S" kernel build "$1" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	cat "$BATS_TEST_TMPDIR/err"
	case $status:$(cat "$BATS_TEST_TMPDIR/err") in
	0:*) ;;
	124:* | 130:*) skip "$1: did not fit into the budget of ${LAB_BUDGET:-2700} s; the next run continues it" ;;
	*"neither a file nor a Message-Id"* | *"cannot fetch"* | *"cannot look up"* | *"cannot download"*) skip "$1: $(tail -n 1 "$BATS_TEST_TMPDIR/err")" ;;
	*) return 1 ;;
	esac
}

# Its release is that of the file, and it comes up.
boots() {
	build "$1"
	release=$("$S" kernel path --json "$1" | jq -r .release)
	[[ "$release" == *"-$1" ]]
	run -0 --separate-stderr "$S" boot --kernel "$1" --machine demo-2s8 -- uname -r
	echo "$stderr"
	[ "$output" = "$release" ]
}

@test "lab-6.1 is built and boots" {
	boots lab-6.1
}

@test "a second build of lab-6.1 is a look-up" {
	build lab-6.1
	run -0 --separate-stderr "$S" kernel build lab-6.1
	[ -z "$stderr" ]
}

@test "a variant that differs by a patch costs what make costs in a tree of one's own" {
	build lab-6.1
	[ "$(left)" -gt 300 ] || skip "the budget of ${LAB_BUDGET:-2700} s is used up"
	local kernels=$BATS_TEST_DIRNAME/../../configs/kernels t=$BATS_TEST_TMPDIR source objects
	local name=ratio-$$
	source=$(cd "$kernels" && pwd)
	cat >"$t/bottom.awk" <<-'AWK'
		{ line[NR] = $0 }
		END {
			print "--- a/kernel/sched/fair.c"
			print "+++ b/kernel/sched/fair.c"
			printf "@@ -%d,3 +%d,4 @@\n", NR - 2, NR - 2
			for (i = NR - 2; i <= NR; i++)
				print " " line[i]
			print "+int schedbench_was_here = 1;"
		}
	AWK
	sed "s|patches/|$source/patches/|; s|fragments/|$source/fragments/|g" "$source/lab-6.1.yaml" >"$t/$name-a.yaml"
	build "$t/$name-a.yaml"
	source=$(dirname "$(ls -td "${SCHEDBENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/schedbench}"/builds/sources/*/index | head -n 1)")
	objects=$(ls -td "$source"/obj-*/ | head -n 1)
	awk -f "$t/bottom.awk" "$source/src/kernel/sched/fair.c" >"$t/bottom.patch"
	sed 's|^patches: \[|&bottom.patch, |' "$t/$name-a.yaml" >"$t/$name-b.yaml"
	sed -i "s|\[bottom.patch, \(.*\)\]|[\1, bottom.patch]|" "$t/$name-b.yaml"
	# Processor time: what else the machine does must not count.
	TIMEFORMAT='%U %S'
	ours=$({ time "$S" kernel build "$t/$name-b.yaml" >"$t/out" 2>"$t/err"; } 2>&1)
	cat "$t/err"
	echo '/* once more */' >>"$source/src/kernel/sched/fair.c"
	plain=$({ time make -s -j2 -C "$source/src" O="${objects%/}" ARCH=x86_64 LOCALVERSION=-own bzImage >"$t/log" 2>&1; } 2>&1)
	"$S" kernel rm "$t/$name-a.yaml"
	"$S" kernel rm "$t/$name-b.yaml"
	echo "ours: $ours; make: $plain"
	awk '{ exit !($1 + $2 <= 1.2 * ($3 + $4)) }' <<<"$ours $plain"
}

@test "lab-6.1-balance-flag is built and boots" {
	boots lab-6.1-balance-flag
}

@test "lab-5.10 is built and boots" {
	boots lab-5.10
}

@test "lab-5.10-sis is built and boots" {
	boots lab-5.10-sis
}

@test "lab-5.10-overload is built and boots" {
	boots lab-5.10-overload
}

@test "lab-5.10-idlecandidate, with the patch of a mail, is built and boots" {
	boots lab-5.10-idlecandidate
}

@test "lab-6.12 is built and boots" {
	boots lab-6.12
}

@test "lab-6.12-siscache is built and boots" {
	boots lab-6.12-siscache
}

@test "juno-6.1, before and after, is cross-compiled" {
	build juno-6.1-before
	build juno-6.1-after
	[ -s "$("$S" kernel path juno-6.1-after)" ]
}
