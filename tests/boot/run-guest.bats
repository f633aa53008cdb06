#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program with real guests: a packaged kernel, eight CPUs, hackbench.

setup_file() {
	bats_require_minimum_version 1.5.0
	export BUILD=${BUILD:-build}
	export S=$BUILD/schedbench
	export SCHEDBENCH_DB=$BATS_FILE_TMPDIR/s.db
	# Fetches the kernel once; where no registry can be reached there is nothing to boot.
	run "$S" boot --kernel debian-6.1 --machine small-1s8 -- true
	if [[ "$output" == *"cannot fetch"* ]]; then
		export SKIP=$output
	fi
}

setup() {
	[ -z "${SKIP:-}" ] || skip "$SKIP"
	export SCHEDBENCH_DB=$BATS_TEST_TMPDIR/s.db
	E=$BATS_TEST_TMPDIR/guest.yaml
	cat >"$E" <<END
machine: small-1s8
variants: [{name: a, kernel: debian-6.1}, {name: b, kernel: debian-6.1}]
workload: {name: hackbench, params: {pipe: true, loops: 20}}
sweep: {groups: [1]}
boots: 1
repetitions: 2
monitors: [schedstat]
END
}

sql() {
	sqlite3 "$SCHEDBENCH_DB" "$1"
}

wait_for_sql() {
	for _ in $(seq 600); do
		[ "$(sql "$1" 2>/dev/null)" = "$2" ] && return 0
		sleep 0.1
	done
	return 1
}

qemus() {
	pgrep -f "qemu-system.*$BATS_TEST_TMPDIR" || true
}

@test "boot runs a command in a guest with the topology asked for" {
	run -0 --separate-stderr "$S" boot -v --kernel debian-6.1 --machine small-1s8 -- nproc
	[ "$output" = 8 ]
	[[ "$stderr" == *"6.1."*"on small-1s8 ("* ]]
	run -9 "$S" boot --kernel debian-6.1 --machine small-4 -- sh -c 'exit 9'
}

@test "the guest is what the profile says, with its NUMA distances, or the boot fails" {
	run -0 --separate-stderr "$S" boot --kernel debian-6.1 --machine small-epyc-16 -- \
		cat /sys/devices/system/node/node0/distance
	[ "$output" = "10 16 32 32" ]
	# QEMU's emulator cannot give this model its caches and threads.
	cat >"$BATS_TEST_TMPDIR/other.yaml" <<END
topology: {packages: 1, dies: 2, cores: 1, threads: 2, nodes: 1}
cpu: EPYC
END
	run -3 --separate-stderr "$S" boot --kernel debian-6.1 --machine "$BATS_TEST_TMPDIR/other.yaml" -- true
	[[ "$stderr" == *"not the profile's"*"instead of"* ]]
}

@test "a shell script in a guest finds the usual tools" {
	run -0 --separate-stderr "$S" boot --kernel debian-6.1 --machine small-1s8 -- \
		sh -c 'seq 5 | sort -r | head -n 1; grep -c ^processor /proc/cpuinfo; awk "{print NF}" /proc/loadavg'
	[ "$output" = $'5\n8\n5' ]
}

@test "run compares two variants in guests, says that they are emulated, and reads schedstat" {
	run -0 --separate-stderr "$S" run "$E"
	[[ "$output" == *machine* ]]
	[[ "$(grep '^Amean' <<<"$output")" == *"(   0.00%)"* ]]
	[[ "$output" == *"TTWU Count"* ]]
	[ "$(sql "SELECT count(*) FROM v_sample WHERE status = 'ok' AND release LIKE '6.1.%'")" = 4 ]
	[ "$(sql "SELECT min(value) > 1000 FROM counter WHERE name = 'TTWU Count'")" = 1 ]
	[ "$(sql "SELECT count(*) FROM artifact WHERE kind = 'console'")" = 2 ]
	if [ "$(sql 'SELECT accel FROM machine WHERE accel <> ""')" = tcg ]; then
		[[ "$output" == *"warning: emulated machine"* ]]
	fi
	[ -z "$(qemus)" ]
}

@test "a QEMU that is killed ends that boot under its name; the boot is tried again" {
	"$S" run "$E" --variant a >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) FROM sample" 1
	kill -9 "$(qemus | head -n 1)"
	wait "$pid"
	grep -q "a boot 1 failed (attempt 1 of 2): qemu-died" "$BATS_TEST_TMPDIR/err"
	[ "$(sql 'SELECT group_concat(state) FROM boot')" = qemu-died,ok ]
	[ "$(sql 'SELECT count(*) FROM sample')" = 2 ]
}

@test "Ctrl-C leaves no guest behind within two seconds; kill -9 neither; resume completes" {
	# Three repetitions, so that both boots of the first variant end within their work.
	"$S" run "$E" --set repetitions=3 >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) FROM sample" 1
	start=$(date +%s%N)
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	[ $((($(date +%s%N) - start) / 1000000)) -lt 2000 ]
	[ -z "$(qemus)" ]
	"$S" run --resume=last >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for_sql "SELECT count(*) FROM sample" 2
	kill -9 "$pid"
	wait "$pid" 2>/dev/null || true
	sleep 1
	[ -z "$(qemus)" ]
	run -0 --separate-stderr "$S" run --resume=last
	[ "$(sql "SELECT count(*) FROM (SELECT DISTINCT variant_id, kase, repetition FROM sample)")" = 6 ]
	[ "$(sql 'SELECT count(*) FROM sample')" = 6 ]
	[ "$(sql 'SELECT state FROM run')" = 'done' ]
	# The boots that were cut short say how.
	[ "$(sql "SELECT group_concat(state) FROM (SELECT DISTINCT state FROM boot ORDER BY 1)")" = aborted,interrupted,ok ]
}

@test "Ctrl-C while a kernel boots ends the guest within two seconds as well" {
	"$S" run "$E" >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	for _ in $(seq 200); do
		[ -n "$(qemus)" ] && break
		sleep 0.05
	done
	[ -n "$(qemus)" ]
	sleep 0.3
	start=$(date +%s%N)
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 130 ]
	[ $((($(date +%s%N) - start) / 1000000)) -lt 2000 ]
	[ -z "$(qemus)" ]
	grep -q -- "--resume=" "$BATS_TEST_TMPDIR/err"
	[ "$(sql 'SELECT count(*) FROM sample')" = 0 ]
	[ "$(sql 'SELECT state FROM boot')" = interrupted ]
}

@test "a kernel that does not boot, and a sched feature that is none: named, the rest is measured" {
	sed -i 's/{name: b, kernel: debian-6.1}/{name: b, kernel: debian-6.1, features: {WARP_DRIVE: true}}/' "$E"
	run --separate-stderr -3 "$S" run "$E" --reps 1
	[[ "$stderr" == *"b boot 1 failed (attempt 1 of 1)"*WARP_DRIVE* ]]
	[[ "$(grep '^Amean' <<<"$output")" == *missing* ]]
	head -c 100000 /dev/urandom >"$BATS_TEST_TMPDIR/bzImage"
	printf 'source: {image: bzImage}\n' >"$BATS_TEST_TMPDIR/broken.yaml"
	run -2 "$S" boot --kernel "$BATS_TEST_TMPDIR/broken.yaml" --machine small-4 -- true
	[[ "$output" == *"not a kernel image"* ]]
}

@test "the original tools run in the guest, with their libraries and their server" {
	for name in hackbench tbench tbench_srv; do
		command -v "$name" >/dev/null || skip "$name is not there"
	done
	run -0 "$S" run "$E" --set workload.backend=peer --set 'variants=[{name: a, kernel: debian-6.1}]'
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'time' AND value > 0")" = 2 ]
	cat >"$E" <<END
machine: small-4
variants: [{name: a, kernel: debian-6.1}]
workload: {name: tbench, backend: peer, params: {timelimit: 2, clients: 2}}
boots: 1
repetitions: 1
END
	run -0 "$S" run "$E"
	[ "$(sql "SELECT count(*) FROM sample WHERE metric = 'throughput' AND value > 0")" = 1 ]
}
