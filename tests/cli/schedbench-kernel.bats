#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels built from a tree of a few files that has the real one's targets, options and image.

setup() {
	bats_require_minimum_version 1.5.0
	BUILD=${BUILD:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/build}
	S=$BUILD/schedbench
	T=$BATS_TEST_TMPDIR
	export SCHEDBENCH_CACHE=$T/cache HOME=$T/home
	mkdir "$HOME"
	cp -r "$BATS_TEST_DIRNAME/../data/fake-kernel" "$T/linux"
	in_clone init -q
	commit first
	in_clone tag v9.9
	recipe base
}

in_clone() {
	git -C "$T/linux" -c user.name=x -c user.email=x@example.org "$@"
}

commit() {
	in_clone add -A
	in_clone commit -q -m "$1"
}

# recipe NAME [LINE...]: a kernel file of the clone's tag, with more lines.
recipe() {
	local name=$1
	shift
	printf '%s\n' 'source: {git: linux, ref: v9.9}' \
		'config: [CONFIG_SMP=y, CONFIG_NUMA=y, CONFIG_NR_CPUS=8]' "$@" >"$T/$name.yaml"
}

# diff_of SED-SCRIPT FILE: what the script changes in the tree, as a patch.
diff_of() {
	sed -i "$1" "$T/linux/$2"
	in_clone diff
	in_clone checkout -q .
}

kernel() {
	"$S" kernel "$@"
}

compiled() {
	kernel build --json "$T/$1.yaml" 2>/dev/null | jq '.[0].build.compiled'
}

@test "kernel: built once, then looked up in less than 100 ms" {
	run -0 --separate-stderr kernel build "$T/base.yaml"
	[[ "$stderr" == *"built 'base': 3 files compiled"* ]]
	read -r name release image <<<"$output"
	[ "$name $release" = "base 9.9.0-base" ]
	[ "$(kernel path "$T/base.yaml")" = "$image" ]
	grep -q 'CONFIG_NR_CPUS=8' "$(dirname "$image")/config"
	[ -s "$(dirname "$image")/System.map" ]
	# Processor time, which a busy machine does not stretch, of ten look-ups.
	TIMEFORMAT='%U %S'
	used=$({ time for _ in 1 2 3 4 5 6 7 8 9 10; do
		kernel build "$T/base.yaml" >/dev/null 2>>"$T/err"
	done; } 2>&1)
	[ ! -s "$T/err" ]
	awk '{ exit !($1 + $2 < 1.0) }' <<<"$used"
	run -0 kernel why "$T/base.yaml"
	[ "$output" = 'base: up to date' ]
	run -0 kernel log "$T/base.yaml"
	[[ "$output" == *"  CC      kernel/fair.o"* ]]
}

@test "kernel: the user's clone stays as it is" {
	echo mine >>"$T/linux/kernel/core.c"
	before=$(cd "$T/linux" && find . -type f -exec sha256sum {} + | sort)
	kernel build "$T/base.yaml"
	[ "$(cd "$T/linux" && find . -type f -exec sha256sum {} + | sort)" = "$before" ]
	run ! grep -rq mine "$SCHEDBENCH_CACHE"/builds/sources/*/src
}

@test "kernel: what differs by a patch compiles the files of the patch" {
	diff_of 's/cpu--/cpu -= 2/' kernel/fair.c >"$T/one.patch"
	diff_of 's/return 1/return 2/' kernel/core.c >"$T/two.patch"
	recipe one 'patches: [one.patch]'
	recipe both 'patches: [one.patch, two.patch]'
	[ "$(compiled base)" = 3 ]
	[ "$(compiled one)" = 1 ]
	[ "$(compiled both)" = 1 ]
	image=$(kernel path "$T/both.yaml")
	[ "$(jq -c .patches "$(dirname "$image")/info.json")" = '["one.patch","two.patch"]' ]
	# Back again: another name, and both files as they were.
	recipe again
	[ "$(compiled again)" = 2 ]
	sum() { tail -n 1 "$(kernel path "$T/$1.yaml")"; }
	[ "$(sum again)" = "$(sum base)" ]
	[ "$(sum both)" != "$(sum base)" ]
}

@test "kernel: another configuration begins with the objects of the first" {
	[ "$(compiled base)" = 3 ]
	recipe small
	sed -i 's/NR_CPUS=8/NR_CPUS=2/' "$T/small.yaml"
	[ "$(compiled small)" = 1 ]
	grep -qx CONFIG_NR_CPUS=2 "$(dirname "$(kernel path "$T/small.yaml")")/config"
	# And the first is what it was.
	recipe again
	[ "$(compiled again)" = 0 ]
	grep -qx CONFIG_NR_CPUS=8 "$(dirname "$(kernel path "$T/again.yaml")")/config"
}

@test "kernel: the same inputs give the same bytes" {
	kernel build "$T/base.yaml"
	sum=$(sha256sum <"$(kernel path "$T/base.yaml")")
	SCHEDBENCH_CACHE=$T/other kernel build "$T/base.yaml"
	[ "$(SCHEDBENCH_CACHE=$T/other kernel path "$T/base.yaml" | xargs sha256sum | cut -d' ' -f1)" = "${sum%% *}" ]
}

@test "kernel why: names the input that changed" {
	diff_of 's/cpu--/cpu -= 2/' kernel/fair.c >"$T/one.patch"
	run -0 kernel why "$T/base.yaml"
	[ "$output" = 'base: it has not been built yet' ]
	kernel build "$T/base.yaml"
	recipe base 'patches: [one.patch]'
	sed -i 's/NR_CPUS=8/NR_CPUS=16/; s/, CONFIG_NUMA=y//' "$T/base.yaml"
	run -0 kernel why "$T/base.yaml"
	[ "$output" = "base: patch 'one.patch' is new
base: option CONFIG_NR_CPUS was 8 and is 16
base: option CONFIG_NUMA=y is gone" ]
	kernel build "$T/base.yaml"
	echo 'a comment changes nothing' | cat - "$T/one.patch" >"$T/x"
	mv "$T/x" "$T/one.patch"
	run -0 kernel why "$T/base.yaml"
	[ "$output" = "base: patch 'one.patch' changed" ]
	in_clone tag -f v9.9 "$(echo x | in_clone commit-tree 'HEAD^{tree}')" >/dev/null
	[ "$(kernel why --json "$T/base.yaml" | jq '[.current, (.why | length)] | @csv' -r)" = 'false,2' ]
	kernel build "$T/base.yaml"
	kernel rm "$T/base.yaml"
	[ "$(kernel why "$T/base.yaml")" = 'base: it has not been built yet' ]
}

@test "kernel: fragments in their order, the last line wins" {
	printf '# a comment\n\nCONFIG_SMP=y\nCONFIG_NR_CPUS=4\nCONFIG_NUMA=y\n' >"$T/a.config"
	printf '# CONFIG_NUMA is not set\n' >"$T/b.config"
	sed -i 's/^config:.*/config: [a.config, b.config, CONFIG_NR_CPUS=64]/' "$T/base.yaml"
	kernel build "$T/base.yaml"
	config=$(dirname "$(kernel path "$T/base.yaml")")/config
	grep -qx CONFIG_NR_CPUS=64 "$config"
	grep -qx '# CONFIG_NUMA is not set' "$config"
	echo 'CONFIG_SMP = y' >>"$T/b.config"
	run -2 kernel build "$T/base.yaml"
	[[ "$output" == *"b.config:2: 'CONFIG_SMP = y' is neither CONFIG_NAME=VALUE nor a comment"* ]]
}

@test "kernel: an option that kconfig dropped is named" {
	sed -i 's/CONFIG_NUMA=y/CONFIG_TRICKY=y, CONFIG_NO_SUCH=m/' "$T/base.yaml"
	run -2 kernel build "$T/base.yaml"
	[[ "$output" == *"kernel 'base': kconfig refused 2 options: CONFIG_NO_SUCH=m ($T/base.yaml) became n, CONFIG_TRICKY=y"* ]]
	[ ! -e "$SCHEDBENCH_CACHE/builds/requests" ] || [ -z "$(ls "$SCHEDBENCH_CACHE/builds/requests")" ]
}

@test "kernel: a failed hunk is shown with file, line, expected and found; the cache stays clean" {
	diff_of 's/cpu--/cpu -= 2/' kernel/fair.c >"$T/one.patch"
	sed 's|/\* the search begins here \*/|/* the hunt begins here */|' "$T/one.patch" >"$T/bad.patch"
	diff_of 's/return 1/return 2/' kernel/core.c >"$T/two.patch"
	# Without the name of the file that it was made for, there is nothing to merge with.
	sed -i '/^index/d' "$T/bad.patch"
	recipe bad 'patches: [two.patch, bad.patch]'
	kernel build "$T/base.yaml"
	tree() { (cd "$SCHEDBENCH_CACHE"/builds/sources/*/src && find . -type f -exec stat -c '%n %y' {} + | sort); }
	before=$(tree)
	run -2 kernel build "$T/bad.yaml"
	[[ "$output" == *"patch 'bad.patch' does not apply: kernel/fair.c: its hunk at line 7 expects '/* the hunt begins here */' where line 8 is '/* the search begins here */' ("*" of "*" lines are there)"* ]]
	[ "$(tree)" = "$before" ]
	[ -z "$(find "$SCHEDBENCH_CACHE"/builds/sources/*/ -maxdepth 1 -name 'patch' -o -maxdepth 1 -name 'index.*')" ]
	run -0 kernel log "$T/bad.yaml"
	[[ "$output" == *"while searching for:"*"the hunt begins here"* ]]
	run -0 --separate-stderr kernel build "$T/base.yaml"
	[ -z "$stderr" ]
}

@test "kernel: a patch made for an older file is merged, one that is there already is told" {
	diff_of 's/cpu--/cpu -= 2/' kernel/fair.c >"$T/one.patch"
	# The line before the change is another one by now.
	sed -i 's/while (cpu > 0)/while (cpu > 1)/' "$T/linux/kernel/fair.c"
	sed -i '1,4d' "$T/linux/kernel/fair.c"
	commit later
	in_clone tag v9.10
	recipe merged 'patches: [one.patch]'
	sed -i 's/v9.9/v9.10/' "$T/merged.yaml"
	run kernel build "$T/merged.yaml"
	[[ "$status" == 0 || "$output" == *"expects"* ]]
	in_clone checkout -q v9.9
	sed -i 's/cpu--/cpu -= 2/' "$T/linux/kernel/fair.c"
	commit taken
	in_clone tag v9.11
	sed -i 's/v9.10/v9.11/' "$T/merged.yaml"
	run -2 kernel build "$T/merged.yaml"
	[[ "$output" == *"the source has it already"* ]]
}

@test "kernel: paths that leave the tree are refused" {
	for path in a/../../outside /etc/outside a/x/../../../outside a/.git/config; do
		printf -- '--- /dev/null\n+++ %s\n@@ -0,0 +1 @@\n+x\n' "$path" >"$T/evil.patch"
		recipe evil 'patches: [evil.patch]'
		run -2 kernel build "$T/evil.yaml"
		[[ "$output" == *"leaves the source tree"* ]]
	done
	printf 'diff --git a/x b/../y\nrename from x\nrename to ../y\n' >"$T/evil.patch"
	run -2 kernel build "$T/evil.yaml"
	[[ "$output" == *"leaves the source tree"* ]]
	# Through a link that the patch itself makes.
	printf 'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+%s\n\\ No newline at end of file\n' "$T" >"$T/evil.patch"
	printf -- '--- /dev/null\n+++ b/l/outside\n@@ -0,0 +1 @@\n+x\n' >>"$T/evil.patch"
	run -2 kernel build "$T/evil.yaml"
	[ ! -e "$T/outside" ]
	run find "$T" -name outside
	[ -z "$output" ]
	echo nothing >"$T/evil.patch"
	run -2 kernel build "$T/evil.yaml"
	[[ "$output" == *"patch 'evil.patch' holds no diff"* ]]
}

@test "kernel: a patch from a mail" {
	diff_of 's/cpu--/cpu -= 2/' kernel/fair.c >"$T/one.patch"
	{
		printf 'From: X <x@example.org>\nSubject: [PATCH] sched/fair: search faster\n'
		printf 'Message-Id: <1@example.org>\nDate: Mon, 2 Mar 2020 10:00:00 +0000\n\nBecause.\n---\n'
		cat "$T/one.patch"
		printf -- '-- \n2.20\n'
	} >"$T/1.eml"
	recipe file 'patches: ["mail:1.eml"]'
	recipe id 'patches: ["mail:1@example.org"]'
	kernel build "$T/base.yaml"
	[ "$(compiled file)" = 1 ]
	SCHEDBENCH_MAILS=$T run -0 --separate-stderr kernel build --json "$T/id.yaml"
	[ "$(jq -c '.[0].build.patches' <<<"$output")" = '["sched/fair: search faster"]' ]
	# A file of the folders where mails are.
	mkdir "$T/mails"
	mv "$T/1.eml" "$T/mails/"
	run -2 kernel build "$T/file.yaml"
	[[ "$output" == *"kernel 'file': "*"1.eml"* ]]
	SCHEDBENCH_MAILS=/nonexistent:$T/mails run -0 kernel build "$T/file.yaml"
}

@test "kernel: a commit is undone" {
	sed -i 's/return 1/return 2/' "$T/linux/kernel/core.c"
	commit second
	second=$(in_clone rev-parse HEAD)
	echo '/* more */' >>"$T/linux/kernel/fair.c"
	commit third
	in_clone tag v9.10
	recipe undone "revert: [${second:0:12}]"
	sed -i 's/v9.9/v9.10/' "$T/undone.yaml"
	kernel build "$T/undone.yaml"
	grep -q 'return 1' "$SCHEDBENCH_CACHE"/builds/sources/*/src/kernel/core.c
	grep -q more "$SCHEDBENCH_CACHE"/builds/sources/*/src/kernel/fair.c
	sed -i 's/revert:.*/revert: [abcdef1234567]/' "$T/undone.yaml"
	run -2 kernel build "$T/undone.yaml"
	[[ "$output" == *"no 'abcdef1234567' in '$T/linux'"* ]]
}

@test "kernel: sources that are not there" {
	sed -i 's/v9.9/v1/' "$T/base.yaml"
	run -2 kernel build "$T/base.yaml"
	[[ "$output" == *"no 'v1' in '$T/linux' (git fetch there brings new ones)"* ]]
	sed -i 's/git: linux/git: nowhere/' "$T/base.yaml"
	run -2 kernel build "$T/base.yaml"
	[[ "$output" == *"nowhere"* ]]
}

@test "kernel: a clone at an address, and its branch later" {
	printf 'source: {git: "file://%s/linux", ref: %s}\nconfig: [CONFIG_SMP=y]\n' "$T" \
		"$(in_clone branch --show-current)" >"$T/far.yaml"
	[ "$(compiled far)" = 3 ]
	sed -i 's/return 1/return 2/' "$T/linux/kernel/core.c"
	commit second
	run -0 --separate-stderr kernel build "$T/far.yaml"
	[ -z "$stderr" ]
	run -0 --separate-stderr kernel refresh "$T/far.yaml"
	[[ "$stderr" == *"1 file compiled"* ]]
	run -2 kernel refresh "$T/base.yaml"
	[[ "$output" == *"has no version that could be renewed"* ]]
}

@test "kernel: a tarball, its checksum, and what is none" {
	(cd "$T" && mv linux linux-9.9 && tar -cJf linux.tar.xz --exclude=.git linux-9.9 && mv linux-9.9 linux)
	sum=$(sha256sum <"$T/linux.tar.xz")
	sum=${sum%% *}
	wrong=${sum//[0-9]/a}
	tarball() {
		printf 'source: {tarball: "%s"%s}\nconfig: [CONFIG_SMP=y]\n' "$1" "${2:+, sha256: $2}" >"$T/tar.yaml"
	}
	tarball "file://$T/linux.tar.xz" "$wrong"
	run -3 kernel build "$T/tar.yaml"
	[[ "$output" == *"has SHA-256 $sum, not $wrong"* ]]
	[ -z "$(find "$SCHEDBENCH_CACHE" -name download)" ]
	tarball "file://$T/linux.tar.xz" "${sum^^}"
	[ "$(compiled tar)" = 3 ]
	tarball linux.tar.xz
	run -0 --separate-stderr kernel build "$T/tar.yaml"
	[ -z "$stderr" ]
	head -c 300 "$T/linux.tar.xz" >"$T/cut.tar.xz"
	tarball cut.tar.xz
	run -3 kernel build "$T/tar.yaml"
	[[ "$output" == *"cannot unpack"* ]]
	tarball "file://$T/nothing.tar" "$wrong"
	run -3 kernel build "$T/tar.yaml"
	[[ "$output" == *"cannot download"* ]]
	(cd "$T" && tar -cf none.tar 1.eml base.yaml 2>/dev/null || tar -C "$T" -cf "$T/none.tar" base.yaml)
	tarball none.tar
	run -2 kernel build "$T/tar.yaml"
	[[ "$output" == *"holds no kernel source"* ]]
}

@test "kernel: a compile error is one line and the log's path" {
	diff_of 's/int cpu = target;/int cpu = targte;/' kernel/fair.c >"$T/typo.patch"
	recipe typo 'patches: [typo.patch]'
	run -3 kernel build "$T/typo.yaml"
	[ "${#lines[@]}" = 1 ]
	[[ "$output" == *"kernel 'typo' was not built: kernel/fair.c:6:19: error: "*"targte"*"(log: $SCHEDBENCH_CACHE/builds/logs/typo-"* ]]
	# Another variant of the tree is not harmed.
	[ "$(compiled base)" -ge 1 ]
	[[ "$(kernel log "$T/typo.yaml")" == *"targte"* ]]
}

@test "kernel: what is missing to build is named with its package" {
	mkdir "$T/bin"
	for tool in env git make sh gcc ld as bison bc perl awk xargs sed cat; do
		ln -s "$(command -v "$tool")" "$T/bin/$tool"
	done
	PATH=$T/bin run -3 kernel build "$T/base.yaml"
	[[ "$output" == *"no 'flex' (apt-get install flex)"* ]]
	rm "$T/bin/gcc"
	PATH=$T/bin run -3 kernel build "$T/base.yaml"
	[[ "$output" == *"no compiler: 'gcc' cannot be run (package gcc)"* ]]
	# What was built before is good without a compiler.
	kernel build "$T/base.yaml"
	PATH=$T/bin run -0 kernel build "$T/base.yaml"
	echo 'arch: arm64' >>"$T/base.yaml"
	PATH=$T/bin run -3 kernel build "$T/base.yaml"
	[[ "$output" == *"'aarch64-linux-gnu-gcc' cannot be run (package gcc-aarch64-linux-gnu)"* ]]
}

@test "kernel: a full disk is told before anything is built" {
	head -c 3000000 /dev/urandom >"$T/linux/large"
	commit large
	in_clone tag -f v9.9 >/dev/null
	mkdir "$SCHEDBENCH_CACHE"
	unshare -rm true 2>/dev/null || skip 'no namespaces here'
	run -3 unshare -rm sh -c 'mount -t tmpfs -o size=2m tmpfs "$SCHEDBENCH_CACHE" && exec "$@"' sh \
		"$S" kernel build "$T/base.yaml"
	[[ "$output" == *"no space: "*" MB are needed and "*" MB are free"*"SCHEDBENCH_CACHE"* ]]
}

# A build that takes a while: each file waits for half a second.
start_slowly() {
	touch "$HOME/fake-pause"
	taskset -c 0 "$S" kernel build "$T/base.yaml" >"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	for _ in $(seq 100); do
		[ -n "$(find "$SCHEDBENCH_CACHE" -name '*.o' 2>/dev/null)" ] && return 0
		sleep 0.05
	done
	return 1
}

@test "kernel: an interrupted build continues" {
	start_slowly
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	cat "$T/err"
	[ "$status" = 130 ]
	[[ "$(cat "$T/err")" == *"the build of kernel 'base' was interrupted (the next one continues it)"* ]]
	rm "$HOME/fake-pause"
	[ "$(find "$SCHEDBENCH_CACHE"/builds/sources/*/obj-*.building 2>/dev/null | wc -l)" = 0 ]
	compiled=$(compiled base)
	[ "$compiled" -ge 1 ] && [ "$compiled" -lt 3 ]
}

@test "kernel: a build that was killed leaves no half-written file" {
	start_slowly
	kill -KILL "$pid"
	wait "$pid" || true
	rm "$HOME/fake-pause"
	# An object as a compiler leaves it that died: newer than its source, and of no use.
	object=$(find "$SCHEDBENCH_CACHE" -name '*.o' | head -n 1)
	echo rubbish >"$object"
	touch "$(echo "$SCHEDBENCH_CACHE"/builds/sources/*/obj-*/)"
	run -0 kernel build "$T/base.yaml"
	[[ "$output" == *"continuing a build that was killed"* ]]
	run ! grep -q rubbish "$object"
	kernel build "$T/base.yaml"
}

@test "kernel: of two builds of one thing the second waits, and says for whom" {
	start_slowly
	run -0 --separate-stderr kernel build "$T/base.yaml"
	[[ "$stderr" == *"waiting for process $pid, which has worked on kernel 'base' since "* ]]
	[[ "$stderr" != *"built 'base'"* ]]
	wait "$pid"
	[ "$(cat "$T/out")" = "$output" ]
}

@test "kernel: list, path and rm" {
	mkdir -p "$T/configs/kernels"
	sed "s|git: linux|git: $T/linux|" "$T/base.yaml" >"$T/configs/kernels/base.yaml"
	export SCHEDBENCH_CONFIGS=$T/configs
	run -0 kernel list
	[[ "$output" == *"base "*"not built"*"it has not been built yet"* ]]
	run -3 kernel path base
	[[ "$output" == *"(schedbench kernel build base)"* ]]
	run -3 kernel log base
	kernel build base
	[ "$(kernel list --json | jq -r '.[] | select(.name == "base") | [.state, .release] | @csv')" = '"built","9.9.0-base"' ]
	image=$(kernel path base)
	run -0 kernel rm base
	[[ "$output" == *"MB removed"* ]]
	[ ! -e "$image" ]
	kernel build base
	run -0 kernel rm --source base
	[ -z "$(find "$SCHEDBENCH_CACHE/builds/sources" -mindepth 1 ! -name 'steps-*')" ]
	run -2 kernel rm running
	run -2 kernel why
	run -2 kernel nonsense
}

@test "kernel: a plan says that a kernel has to be built first" {
	printf 'machine: demo-2s8\nvariants: [{name: a, kernel: %s}]\nworkload: {name: "null"}\n' "$T/base.yaml" >"$T/e.yaml"
	run -0 "$S" run "$T/e.yaml" --dry-run
	[[ "$output" == *"kernel base has to be built first"* ]]
	[ ! -e "$SCHEDBENCH_CACHE/builds/sources" ]
	kernel build "$T/base.yaml"
	run -0 "$S" run "$T/e.yaml" --dry-run
	[[ "$output" != *"has to be"* ]]
}

@test "kernel: arm64 is cross-compiled" {
	command -v aarch64-linux-gnu-gcc >/dev/null || skip 'no aarch64-linux-gnu-gcc'
	recipe arm 'arch: arm64'
	run -0 --separate-stderr kernel build "$T/arm.yaml"
	[[ "$output" == *"/Image" ]]
	file=$(find "$SCHEDBENCH_CACHE" -name fair.o)
	[[ "$(readelf -h "$file")" == *AArch64* ]]
}
