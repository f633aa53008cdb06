#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench published: figures from mails that are kept as data.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	KEPT=$BATS_TEST_DIRNAME/../../results/published
	MAIL=$BATS_TEST_TMPDIR/mail.txt
	cat >"$MAIL" <<-'END'
		From: "A. Author" <a@example.org>
		Subject: [PATCH v2 1/2] sched: do less
		Date: Tue, 02 Jan 2024 10:30:00 +0100
		Message-ID: <m-1@example.org>

		A sentence that is not to be kept, above hackbench:

		Amean 1  2.0000 (   0.00%)  1.5000 *  25.00%*
		Amean 4  4.0000 (   0.00%)  4.2000 (  -5.00%)

		Ops SIS Recent Used Hit        10.00    20.00
		Ops SIS Recent Used Miss       90.00    30.00
		Ops SIS Recent Attempts       100.00    50.00
	END
}

own_folder() {
	export SCHEDBENCH_PUBLISHED=$BATS_TEST_TMPDIR/published
}

@test "import keeps figures and where they are from, and no sentence" {
	own_folder
	run -0 "$S" published import "$MAIL" less --set 1.columns=base,less --set 1.unit=s --set 'machine=2 "big" CPUs' \
		--set 'kernels=one;two' --set 2.name=sis
	[ "$output" = "hackbench: 2 rows
sis: 3 rows" ]
	run grep -rl sentence "$SCHEDBENCH_PUBLISHED"
	[ -z "$output" ]
	run -0 "$S" published show --json less
	[ "$(jq -c '[.id, .title, .author, .date, .message_id, .source, .machine, .kernels]' <<<"$output")" = \
		'["less","sched: do less","A. Author","2024-01-02","m-1@example.org","mail.txt","2 \"big\" CPUs",["one","two"]]' ]
	[ "$(jq -c '.tables[0] | [.name, .test, .unit, .statistic, .direction, .columns, (.rows[1] | .name, .line, .cells[1].value, .cells[1].change, .cells[1].significant)]' <<<"$output")" = \
		'["hackbench","hackbench","s","Amean","lower",["base","less"],"4",9,4.2,-5,false]' ]
	run -0 "$S" published show less/hackbench --tsv
	[ "${lines[2]}" = $'\tAmean\t1\tless\t1.5000\t\t25.00\t\tyes\t\t8' ]
	[ "$output" = "$(cat "$SCHEDBENCH_PUBLISHED/less/hackbench.tsv")" ]
	run -0 "$S" published show less
	[[ "$output" == *"https://lore.kernel.org/r/m-1@example.org"*"less/hackbench"*"1.5000 *  25.00%*"*"less/sis"* ]]
	run -0 "$S" published list
	[[ "$output" == "less "*"sched: do less"*"/hackbench: 2 rows"*"/sis: 3 rows"* ]]
	run -2 "$S" published import "$MAIL" less
	[[ "$output" == *"is there already"* ]]
	run -0 "$S" published import "$MAIL" less --replace --set 2.skip=yes
	[ "$output" = "hackbench: 2 rows" ]
	[ ! -e "$SCHEDBENCH_PUBLISHED/less/sis.tsv" ]
}

@test "verify: against each other and against the mail" {
	own_folder
	"$S" published import "$MAIL" less >/dev/null
	run -0 "$S" published verify
	[ "$output" = "less: the figures agree with each other; the mail is not at hand" ]
	run -0 "$S" published verify less --mails "$BATS_TEST_TMPDIR"
	[ "$output" = "less: the figures agree with each other and with the mail" ]
	sed 's/4.2000 (  -5.00/4.1000 (  -2.50/' "$MAIL" >"$BATS_TEST_TMPDIR/m2" && mv "$BATS_TEST_TMPDIR/m2" "$MAIL"
	run -1 "$S" published verify less --mails "$BATS_TEST_TMPDIR"
	[[ "$output" == *"less/hackbench: row 'Amean 4' is not in '$MAIL' with these figures"* ]]
	sed -i 's/4.2000/4.3000/' "$SCHEDBENCH_PUBLISHED/less/hackbench.tsv"
	run -1 "$S" published verify less
	[[ "$output" == *"less/hackbench: the figures are not those that were imported"* ]]
	sed -i 's/  100.00/  101.00/; s/4.1000 (  -2.50/4.1000 (   2.50/' "$MAIL"
	"$S" published import "$MAIL" less --replace >/dev/null
	run -1 "$S" published verify less
	[[ "$output" == *"less/ops: SIS Recent Attempts is not the sum"* || "$output" == *"SIS Recent Attempts is not the sum"* ]]
	[[ "$output" == *"less/hackbench: Amean 4: the printed change does not follow from the values (line 9)"* ]]
}

@test "damaged data is an error with file and line" {
	own_folder
	"$S" published import "$MAIL" less >/dev/null
	tsv=$SCHEDBENCH_PUBLISHED/less/hackbench.tsv
	cp "$tsv" "$BATS_TEST_TMPDIR/good"
	sed '3s/1.5000/fast/' "$BATS_TEST_TMPDIR/good" >"$tsv"
	run -2 "$S" published show less
	[[ "$output" == *"hackbench.tsv:3: no number: 'fast'"* ]]
	sed '3d' "$BATS_TEST_TMPDIR/good" >"$tsv"
	run -2 "$S" published show less
	[[ "$output" == *"hackbench.tsv:3: not the column that is next: '1'"* ]]
	sed '$d' "$BATS_TEST_TMPDIR/good" >"$tsv"
	run -2 "$S" published show less
	[[ "$output" == *"the last row has no value for '2'"* ]]
	sed 1d "$BATS_TEST_TMPDIR/good" >"$tsv"
	run -2 "$S" published show less
	[[ "$output" == *"hackbench.tsv:1: not the heading of a published table"* ]]
	rm "$tsv"
	run -3 "$S" published show less
	cp "$BATS_TEST_TMPDIR/good" "$tsv"
	sed -i 's/^title:.*/nonsense: 1/' "$SCHEDBENCH_PUBLISHED/less/meta.yaml"
	run -2 "$S" published show less
	[[ "$output" == *"meta.yaml:2: "*"nonsense"* ]]
}

@test "usage errors" {
	own_folder
	run -2 "$S" published
	run -2 "$S" published nothing
	run -2 "$S" published show
	run -2 "$S" published show ../../etc
	[[ "$output" == *"nothing published is named"* ]]
	run -2 "$S" published list --tsv
	run -2 "$S" published import "$MAIL"
	run -2 "$S" published import "$MAIL" ../x
	[ ! -e "$BATS_TEST_TMPDIR/x" ]
	run -2 "$S" published import "$MAIL" x --set 1.columns=a,b,c
	[[ "$output" == *"has 2 columns, not 3"* ]]
	run -2 "$S" published import "$MAIL" x --set 3.name=a
	run -2 "$S" published import "$MAIL" x --set 1.colour=a
	run -2 "$S" published import "$MAIL" x --set colour=a
	run -2 "$S" published import "$MAIL" x --set 1.name=a --set 2.name=a
	[[ "$output" == *"two tables are named 'a'"* ]]
	run -2 "$S" published import "$MAIL" x --set 1.name=../../a
	[ ! -e "$SCHEDBENCH_PUBLISHED/x" ]
	printf 'From: a@example.org\nSubject: x\n\nnothing\n' >"$BATS_TEST_TMPDIR/none"
	run -2 "$S" published import "$BATS_TEST_TMPDIR/none" x
	run -0 "$S" published list
	[ -z "$output" ]
	run -0 "$S" published --help
}

@test "what is kept: every figure of five mails" {
	export SCHEDBENCH_PUBLISHED=$KEPT
	run -0 "$S" published verify
	[ "${#lines[@]}" = 5 ]
	rows() {
		for id in $("$S" published list --json | jq -r '.[].id'); do
			"$S" published show --json "$id"
		done | jq -s "[.[].tables[] | select($1) | .rows[]] | length"
	}
	[ "$(rows '.style == "mmtests" or .style == "amd"')" = 99 ]
	[ "$(rows '.style == "ops"')" = 8 ]
	[ "$(rows '.style == "counts"')" = 12 ]
	[ "$(rows '.style == "percent"')" = 4 ]
	[ "$(rows '.test == "ycsb-mongodb"')" = 1 ]
	[ "$(rows '.style == "prose"')" = 4 ]
	run -0 "$S" published show 20200320-sis-overload/hackbench --tsv
	[[ "$output" == *$'\tAmean\t296\toverload\t32.8260\t\t7.98\t\tyes\t\t79'* ]]
}

@test "published mails: what is kept is what they say" {
	mails=${SCHEDBENCH_MAILS_TEST:-$BATS_TEST_DIRNAME/../../../shared/mails}
	[ -d "$mails" ] || skip "no folder of published mails (SCHEDBENCH_MAILS_TEST)"
	export SCHEDBENCH_PUBLISHED=$KEPT
	run -0 "$S" published verify --mails "$mails"
	[ "$(grep -c 'agree with each other and with the mail$' <<<"$output")" = 5 ]
}
