#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is made of stored runs: compare, plot, list, show, help.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	experiment report 'value: 4, noise-cv: 2, seed: 3' 'sweep: {sleep: [1ms, 2ms]}
boots: 2
repetitions: 2'
	"$S" run "$E" --quiet >/dev/null
}

@test "compare prints every style" {
	for style in $("$S" list styles --json | jq -r '.[].name'); do
		run -0 --separate-stderr "$S" compare --style "$style"
		[ -n "$output" ]
	done
	"$S" compare --json | jq -e . >/dev/null
	[ "$("$S" compare --style csv | wc -l)" -gt 16 ]
}

@test "marks are adjusted for the number of rows on request, and the table says so" {
	run -0 --separate-stderr "$S" compare
	[[ "$output" == *"run: $(sql "SELECT id FROM run")"* ]]
	[[ "$output" != *adjusted* ]]
	run -0 --separate-stderr "$S" compare --adjust holm
	[[ "$output" == *"adjusted for all rows of the table (Holm)"* ]]
	run -0 --separate-stderr "$S" compare --adjust bh --style summary
	[[ "$output" == *"adjusted p = "* ]]
	run -0 --separate-stderr "$S" compare --adjust holm --json
	jq -e '[.cases[].cells[1].change | .p_adjusted >= .p] | all' <<<"$output"
	run -2 "$S" compare --adjust bonferroni
	[[ "$output" == *"none, holm, bh"* ]]
	run -2 "$S" compare --adjust holm --significance mmtests
	[[ "$output" == *"only the own rule has a p to adjust"* ]]
}

@test "compare of two runs puts them side by side, of different ones it is refused" {
	"$S" run "$E" --quiet >/dev/null
	first=$(sql "SELECT min(id) FROM run")
	last=$(sql "SELECT max(id) FROM run")
	run -0 "$S" compare "$first" "$last"
	[[ "$output" == *"base@$first"* ]]
	[[ "$output" == *"new@$last"* ]]
	experiment other 'value: 1' 'sweep: {sleep: [3ms]}
boots: 1
repetitions: 1'
	"$S" run "$E" --quiet >/dev/null
	run -2 "$S" compare "$first" last
	[[ "$output" == *"different workloads or cases"* ]]
}

@test "compare refuses what it does not know, with what it knows" {
	run -2 "$S" compare --style nonsense
	[[ "$output" == *mmtests* ]]
	run -2 "$S" compare --metric nonsense
	[[ "$output" == *"it has value, rate"* ]]
	run -2 "$S" compare --statistic mean
	[[ "$output" == *amean* ]]
	run -2 "$S" compare --significance 5
	[[ "$output" == *mmtests-legacy* ]]
}

@test "errors of compare --json are JSON too" {
	run -3 --separate-stderr "$S" compare --json --db "$BATS_TEST_TMPDIR/none.db"
	[ "$(jq -r .exit_status <<<"$output")" = 3 ]
	[[ "$stderr" == *"$(jq -r .error <<<"$output")"* ]]
	run -2 --separate-stderr "$S" compare --json --metric nonsense
	[[ "$(jq -r .error <<<"$output")" == *nonsense* ]]
}

@test "the other metric, with its own direction" {
	run -0 "$S" compare --metric rate
	[[ "$output" == *"rate (ops/s), higher is better"* ]]
	[[ "$output" == *Hmean* ]]
}

@test "plot writes pictures and draws in the terminal" {
	for ext in png svg pdf; do
		run -0 "$S" plot -o "$BATS_TEST_TMPDIR/p.$ext"
		[ -s "$BATS_TEST_TMPDIR/p.$ext" ]
	done
	[ "$(head -c 8 "$BATS_TEST_TMPDIR/p.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
	run -0 "$S" plot --text
	[[ "$output" == *"lower is better"* ]]
	run -2 "$S" plot
	run -2 "$S" plot -o "$BATS_TEST_TMPDIR/p.gif"
	run -3 "$S" plot -o /nonexistent/p.png
	[ "${#lines[@]}" = 1 ]
}

@test "list knows every kind" {
	for what in experiments kernels machines workloads styles runs; do
		run -0 "$S" list "$what"
		[ -n "$output" ]
		"$S" list "$what" --json | jq -e 'length > 0' >/dev/null
	done
	run -0 "$S" list workloads
	[[ "$output" == *hackbench* ]]
	run -2 "$S" list nonsense
	[[ "$output" == *experiments* ]]
	# Nothing was run yet: nothing to list. A database that is named has to be there.
	cd "$BATS_TEST_TMPDIR"
	unset SCHEDBENCH_DB
	run -0 "$S" list runs
	[ "$output" = "no runs yet" ]
	[ "$("$S" list runs --json 2>/dev/null | jq length)" = 0 ]
	run -3 "$S" list runs --db none.db
}

@test "show tells what a run consists of" {
	run -0 "$S" show
	[[ "$output" == *"16 good, 0 failed"* ]]
	[[ "$output" == *"new boot 2: ok"* ]]
	"$S" show --json | jq -e '.boots | length == 4' >/dev/null
}

@test "every command has help that names all its options" {
	commands=$("$S" help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
	[ "$("$S" --help)" = "$("$S" help)" ]
	[ "$(wc -w <<<"$commands")" -ge 10 ]
	for c in $commands; do
		if [ "$c" = help ] || [ "$c" = version ]; then
			run -0 "$S" help "$c"
			[ -n "$output" ]
			continue
		fi
		help=$("$S" "$c" --help)
		[ "$("$S" help "$c")" = "$help" ]
		for sub in $(sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' <<<"$help"); do
			help+=$("$S" "$c" "$sub" --help)
		done
		# From the tables in the source, which are what the program knows.
		options=$(sed -n '/struct argp_option .*\[\]/,/{0}/s/.*{"\([a-z-]*\)".*/\1/p' "$BATS_TEST_DIRNAME/../../bench/$c.c")
		[ "$(wc -l <<<"$options")" -ge 2 ]
		for option in $options; do
			[[ "$help" == *"--$option"* ]]
		done
	done
	[ "$("$S" version)" = "$("$S" --version)" ]
	for words in nonsense "help nonsense" run list "list nonsense" "show nonsense" "compare nonsense" \
		"compare --style nonsense" "compare --metric nonsense" "compare --statistic nonsense" \
		"compare --significance nonsense" "plot -o p.nonsense" "run nonsense" "run $E --set nonsense=1" \
		"run $E --variant nonsense" "run --resume=nonsense" "run --resume nonsense" "import nonsense"; do
		# shellcheck disable=SC2086 # a command and its arguments
		run "$S" $words
		echo "$words: $status: $output"
		[ "$status" = 2 ]
		[ "${#lines[@]}" = 1 ]
		[[ "$output" == "schedbench: "* ]]
		[[ "$output" == *"("*")"* ]]
	done
	run -2 "$S"
	run -2 "$S" run --nonsense
}

@test "help config names every key of every file, and its default" {
	run -0 "$S" help config
	for kind in experiment machine kernel_file; do
		# The last table of the file is that of the document.
		keys=$(sed -n '/_field_t fields\[\]/,/CYAML_FIELD_END/p' "$BATS_TEST_DIRNAME/../../harness/config/$kind.c" |
			sed -n 's/.*CYAML_FIELD_[A-Z_]*("\([a-z_]*\)".*/\1/p')
		[ "$(wc -w <<<"$keys")" -ge 9 ]
		for key in $keys; do
			grep -q "^  $key " <<<"$output"
		done
	done
	grep -q "^  boots  *3 " <<<"$output"
}

@test "the store can be read by hand" {
	[ "$(sql "SELECT count(*) FROM v_sample WHERE status = 'ok' AND metric = 'value' AND experiment = 'report'")" = 16 ]
	[ "$(sql "SELECT count(*) FROM v_boot")" = 4 ]
	[ "$(sql 'PRAGMA journal_mode')" = wal ]
	[ "$(sql 'PRAGMA foreign_key_check')" = "" ]
	# Every artifact is the file that it says it is.
	cd "$BATS_TEST_TMPDIR"
	sqlite3 -separator '  ' s.db 'SELECT sha256, path FROM artifact' >sums
	[ "$(wc -l <sums)" -ge 16 ]
	sha256sum --quiet -c sums
}

@test "an installed tree works from wherever it is, away from the sources" {
	make -s install DESTDIR="$BATS_TEST_TMPDIR/root" PREFIX=/opt/x BUILD="$BUILD" >/dev/null
	installed=$BATS_TEST_TMPDIR/root/opt/x/bin/schedbench
	cd /
	run -0 "$installed" list experiments
	[[ "$output" == *demo* ]]
	run -0 --separate-stderr "$installed" run "$E" --boots 1 --reps 1 --db "$BATS_TEST_TMPDIR/i.db"
	[[ "$output" == *"test of report"* ]]
	run -0 "$installed" plot --db "$BATS_TEST_TMPDIR/i.db" -o "$BATS_TEST_TMPDIR/i.svg"
}
