#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# schedbench mail patch: the right diff is what git makes of the same patch.

load schedbench.bash

setup() {
	bats_require_minimum_version 1.5.0
	DATA=$BATS_TEST_DIRNAME/../data/mail
	TREE=$BATS_TEST_TMPDIR/tree
	export SCHEDBENCH_CACHE=$BATS_TEST_TMPDIR/cache SCHEDBENCH_MAILS=
	export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
}

# The tree that the mails of tests/data/mail patch.
wake_tree() {
	rm -rf "$TREE"
	mkdir -p "$TREE"
	cp "$DATA/wake.before" "$TREE/wake.c"
}

# A history of three commits; $TREE is left at the first one.
series() {
	git init -q "$TREE"
	for i in 0 1 2 3; do
		seq 20 | sed "5s/\$/ step $i/" >"$TREE/f"
		git -C "$TREE" add f
		git -C "$TREE" commit -q -m "step $i" -m "From the start of a line."
	done
	git -C "$TREE" tag end
	git -C "$TREE" reset -q --hard HEAD~3
}

mails() {
	MAILS=${SCHEDBENCH_MAILS_TEST:-$BATS_TEST_DIRNAME/../../../shared/mails}
	[ -d "$MAILS" ] || skip "no folder of published mails (SCHEDBENCH_MAILS_TEST)"
}

# A tree to which the diff on stdin applies, made of what it takes away and leaves.
tree_for() {
	rm -rf "$TREE"
	mkdir -p "$TREE"
	awk -v tree="$TREE" '
	/^--- a\// { out = tree "/" substr($2, 3); dir = out; sub("/[^/]*$", "", dir); system("mkdir -p " dir); n = 0 }
	/^@@ / { split(substr($2, 2), old, ","); while (n < old[1] - 1) { print "" >out; n++ } left = old[2]; next }
	left > 0 && /^[ -]/ { print substr($0, 2) >out; n++; left-- }'
}

@test "every form in which a patch may arrive gives the tree that it is to give" {
	for f in plain.eml crlf.eml bare.diff qp.eml base64.eml latin1.eml attached.eml flowed.eml wrapped.eml \
		margin.eml nbsp.eml indented.eml lore.html lore.txt thread.txt archive.txt; do
		wake_tree
		"$S" mail patch "$DATA/$f" -o "$BATS_TEST_TMPDIR/d" 2>"$BATS_TEST_TMPDIR/err" ||
			{ cat "$BATS_TEST_TMPDIR/err"; false; }
		git -C "$TREE" apply --check "$BATS_TEST_TMPDIR/d" || { echo "$f"; false; }
		git -C "$TREE" apply "$BATS_TEST_TMPDIR/d"
		cmp "$TREE/wake.c" "$DATA/wake.after" || { echo "$f"; false; }
	done
}

@test "what was mended is told, what is as it was sent is not" {
	run -0 --separate-stderr "$S" mail patch "$DATA/plain.eml"
	[ -z "$stderr" ]
	run -0 --separate-stderr "$S" mail patch "$DATA/wrapped.eml"
	[[ "$stderr" == *"lines were mended that a mail program had changed"* ]]
}

@test "--json says what is known of the mail" {
	run -0 "$S" mail patch --json "$DATA/base64.eml"
	[ "$(jq -r '.patches[0] | .title, .message_id, .author, .time, .version, .base_commit, .files, .added, .removed, .whole' <<<"$output")" = \
		"wake: bound the search for an idle CPU
base64-1@example.org
Zoë Example <zoe@example.org>
2024-01-02T09:30:00Z
2
0123456789abcdef0123456789abcdef01234567
1
5
3
true" ]
	[ "$(jq -r '.patches[0].diff' <<<"$output")" = "$("$S" mail patch "$DATA/base64.eml")" ]
}

@test "a damaged or partial diff is an error that names the line" {
	run -3 "$S" mail patch "$DATA/short.eml"
	[[ "$output" == *"line 50: the hunk '@@ -26,5 +28,5 @@' ends here"* ]]
	run -3 "$S" mail patch "$DATA/surplus.eml"
	[[ "$output" == *"line 36: the hunk '@@ -4,11 +4,13 @@' goes on behind the lines that it counts"* ]]
	run -3 "$S" mail patch "$DATA/partial.eml"
	[[ "$output" == *"a hunk without the name of its file"* ]]
	run -0 --separate-stderr "$S" mail patch --partial "$DATA/partial.eml"
	[ "$(grep -c '^@@' <<<"$output")" = 2 ]
	[ "$(jq -r '.patches[0] | .quoted, .whole' <<<"$("$S" mail patch --partial --json "$DATA/partial.eml" 2>/dev/null)")" = "1
false" ]
}

@test "a diff that a reply quotes is only taken when it is asked for" {
	wake_tree
	run -3 "$S" mail patch "$DATA/reply.eml"
	[[ "$output" == *"a reply quotes from line 22 on"* ]]
	"$S" mail patch "$DATA/reply.eml#1" | git -C "$TREE" apply
	cmp "$TREE/wake.c" "$DATA/wake.after"
}

@test "what is no mail, no file and no option is a usage error" {
	run -2 "$S" mail
	run -2 "$S" mail nothing
	run -2 "$S" mail patch
	run -2 "$S" mail patch "$BATS_TEST_TMPDIR/missing"
	[[ "$output" == *"neither a file nor a Message-Id"* ]]
	run -2 "$S" mail patch "$DATA"
	[[ "$output" == *"is a folder"* ]]
	gzip -c "$DATA/plain.eml" >"$BATS_TEST_TMPDIR/t.mbox.gz"
	run -2 "$S" mail patch "$BATS_TEST_TMPDIR/t.mbox.gz"
	[[ "$output" == *"is compressed (unpack it)"* ]]
	run -2 "$S" mail patch "$DATA/wake.before"
	[[ "$output" == *"holds no diff"* ]]
	run -2 "$S" mail patch "$DATA/plain.eml#2"
	[[ "$output" == *"no patch number 2"* ]]
	run -0 "$S" mail --help
	run -0 "$S" mail patch --help
	# 65 MiB
	truncate -s 65M "$BATS_TEST_TMPDIR/large"
	run -3 "$S" mail patch "$BATS_TEST_TMPDIR/large"
	head -c 100000 "$BUILD/schedbench" >"$BATS_TEST_TMPDIR/binary"
	run -2 "$S" mail patch "$BATS_TEST_TMPDIR/binary"
}

@test "a series in an mbox: each patch by its number, and all of them in their order" {
	series
	git -C "$TREE" format-patch -q --stdout --cover-letter HEAD..end >"$BATS_TEST_TMPDIR/s.mbox"
	for n in 1 2 3; do
		[ "$("$S" mail patch "$BATS_TEST_TMPDIR/s.mbox#$n" 2>/dev/null)" = "$(git -C "$TREE" diff "end~$((4 - n))" "end~$((3 - n))")" ]
	done
	"$S" mail patch "$BATS_TEST_TMPDIR/s.mbox#1-3" | git -C "$TREE" apply
	[ "$(git -C "$TREE" diff end)" = "" ]
	run -2 "$S" mail patch "$BATS_TEST_TMPDIR/s.mbox"
	[[ "$output" == *"#1: line "*"'step 1', #2: "*"'step 2', #3: "*"'step 3'"* ]]
	run -2 "$S" mail patch "$BATS_TEST_TMPDIR/s.mbox#4"
	[[ "$output" == *"no patch numbered 4"* ]]
	run -0 --separate-stderr "$S" mail patch "$BATS_TEST_TMPDIR/s.mbox#3"
	[[ "$stderr" == *"patch 3/3 of a series: 2 that come before it are here (#1-3 takes them along)"* ]]
}

@test "attached and inline patches as git sends them" {
	series
	for how in --attach --inline; do
		git -C "$TREE" format-patch -q --stdout $how HEAD..end >"$BATS_TEST_TMPDIR/s.mbox"
		"$S" mail patch "$BATS_TEST_TMPDIR/s.mbox#1-3" >"$BATS_TEST_TMPDIR/d"
		git -C "$TREE" apply --check "$BATS_TEST_TMPDIR/d" || { echo "$how"; false; }
		[ "$(grep -c '^diff --git' "$BATS_TEST_TMPDIR/d")" = 3 ]
	done
}

@test "Message-Ids are looked up in folders, siblings as well" {
	series
	mkdir -p "$BATS_TEST_TMPDIR/m/deeper"
	git -C "$TREE" format-patch -q --thread --cover-letter -o "$BATS_TEST_TMPDIR/m/deeper" HEAD..end
	id=$(sed -n 's/^Message-I[dD]: <\(.*\)>/\1/p' "$BATS_TEST_TMPDIR"/m/deeper/0003-*)
	cover=$(sed -n 's/^Message-I[dD]: <\(.*\)>/\1/p' "$BATS_TEST_TMPDIR"/m/deeper/0000-*)
	third=$(git -C "$TREE" diff end~1 end)
	for word in "$id" "<$id>" "https://lore.kernel.org/lkml/$id/" "https://lore.kernel.org/r/$id" \
		"https://patch.msgid.link/$id" "$id#3" "$cover#3"; do
		[ "$("$S" mail patch "$word" --mails "$BATS_TEST_TMPDIR/m" 2>/dev/null)" = "$third" ]
		[ "$(SCHEDBENCH_MAILS=$BATS_TEST_TMPDIR/m "$S" mail patch "$word" 2>/dev/null)" = "$third" ]
	done
	"$S" mail patch "$cover#1-3" --mails "$BATS_TEST_TMPDIR/m" | git -C "$TREE" apply
	[ "$(git -C "$TREE" diff end)" = "" ]
	run -2 "$S" mail patch "$cover" --mails "$BATS_TEST_TMPDIR/m"
	[[ "$output" == *"it introduces a series"* ]]
	rm "$BATS_TEST_TMPDIR"/m/deeper/0001-*
	run -0 --separate-stderr "$S" mail patch "$id" --mails "$BATS_TEST_TMPDIR/m"
	[[ "$stderr" == *"patch 3/3 of a series: 1/3 comes before it and is not here, 1 that comes before it is here"* ]]
	run -2 "$S" mail patch "$id" --mails "$BATS_TEST_TMPDIR/nowhere"
}

@test "what no folder has is fetched with b4, once" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/b4" <<END
#!/bin/sh
echo "\$@" >>"$BATS_TEST_TMPDIR/calls"
[ "\$1" = mbox ] && [ "\$2" = -o ] && [ "\$4" = plain-1@example.org ] || { echo 'no such thread' >&2; exit 1; }
cp "$DATA/plain.eml" "\$3/t.mbx"
END
	chmod +x "$BATS_TEST_TMPDIR/bin/b4"
	wake_tree
	for _ in 1 2; do
		PATH=$BATS_TEST_TMPDIR/bin:$PATH "$S" mail patch plain-1@example.org >"$BATS_TEST_TMPDIR/d"
	done
	git -C "$TREE" apply "$BATS_TEST_TMPDIR/d"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/calls")" = 1 ]
	PATH=$BATS_TEST_TMPDIR/bin:$PATH run -3 "$S" mail patch other@example.org --mails "$DATA"
	[[ "$output" == *"no mail 'other@example.org' in '$DATA', and "*"no such thread"* ]]
	run -3 "$S" mail patch other@example.org --offline
	[[ "$output" == *"no folder of mails is given"*"it is not to be fetched"* ]]
	mkdir "$BATS_TEST_TMPDIR/none"
	PATH=$BATS_TEST_TMPDIR/none run -3 "$S" mail patch other@example.org
	[[ "$output" == *"b4, which fetches mails, is not installed"* ]]
	[ -z "$(find "$SCHEDBENCH_CACHE/mails" -name 'b4-*')" ]
}

@test "published mails: whole patches, a patch of a series, a quoted part" {
	mails
	for f in 20200320-sis-overload 20201203-idle-candidate 20231206-juno-little-cpus; do
		"$S" mail patch "$MAILS/$f.txt" 2>"$BATS_TEST_TMPDIR/err" >"$BATS_TEST_TMPDIR/d"
		tree_for <"$BATS_TEST_TMPDIR/d"
		git -C "$TREE" apply --check "$BATS_TEST_TMPDIR/d"
		# The author's own count of the lines.
		want=$(sed -n 's/^ [0-9]* files\{0,1\} changed, //p' "$MAILS/$f.txt" | head -n 1)
		[ "$(git -C "$TREE" apply --stat "$BATS_TEST_TMPDIR/d" | sed -n 's/.*changed, //p')" = "$want" ]
	done
	run -0 --separate-stderr "$S" mail patch "$MAILS/20200320-sis-overload.txt"
	[[ "$stderr" == *"patch 4/4 of a series: 1/4, 2/4 and 3/4 come before it and are not here"* ]]
	run -0 --separate-stderr "$S" mail patch --json "$MAILS/20200320-sis-overload.txt"
	[ "$(jq -r '.patches[0] | .message_id, .number, .total' <<<"$output")" = "20200320151245.21152-5-mgorman@techsingularity.net
4
4" ]
	[ "$(jq -c .missing <<<"$output")" = "[1,2,3]" ]
	# The same patch as it was merged stands in the file too.
	run -0 "$S" mail patch "$MAILS/20231206-juno-little-cpus.txt#2"
	[[ "$output" == *"@@ -9071,7 +9071,7 @@"* ]]
	run -3 "$S" mail patch "$MAILS/202403-sched-balance-running.txt"
	[[ "$output" == *"line 65: a hunk without the name of its file"* ]]
	# Of two hunks the reply has cut the second one.
	run -0 --separate-stderr "$S" mail patch --partial "$MAILS/202403-sched-balance-running.txt"
	[ "$(grep '^@@' <<<"$output" | cut -c 1-24)" = "@@ -11286,6 +11287,7 @@ " ]
	run -2 "$S" mail patch "$MAILS/20230914-sis-cache.txt"
	[[ "$output" == *"holds no diff"* ]]
}

# values TABLE JQ-FILTER: from the JSON in $output
values() {
	jq -c ".tables[$1] | $2" <<<"$output"
}

@test "tables of a mail: text, TSV and JSON say the same" {
	cat >"$BATS_TEST_TMPDIR/m" <<-'END'
		From: a@example.org
		Subject: [PATCH] x
		Message-ID: <m-1@example.org>

		With hackbench

		                 6.1                  6.1
		                base              patched
		Amean 1 2.00 ( 0.00%)  1.50 *  25.00%*
		Amean 2 4.00 ( 0.00%)  4.00 (  10.00%)
	END
	run -0 "$S" mail tables "$BATS_TEST_TMPDIR/m"
	[[ "$output" == *"1. hackbench"*"lower is better"*"6.1-patched"* ]]
	[[ "$output" == *"9  Amean 1"*"2.00"*"1.50 *  25.00%*"* ]]
	[[ "$output" == *"10  Amean 2"*"does not follow: 0.00%"* ]]
	run -0 "$S" mail tables --tsv "$BATS_TEST_TMPDIR/m"
	[ "${#lines[@]}" = 5 ]
	[ "$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } NR == 5 { print $c["case"], $c["column"], $c["value"], $c["change"], $c["recomputed"], $c["flagged"], $c["line"] }' <<<"$output")" = \
		"2 6.1-patched 4.00 10 0.00 yes 10" ]
	run -0 "$S" mail tables --json "$BATS_TEST_TMPDIR/m"
	[ "$(values 0 '[.test, .direction, .columns[1], .rows[0].cells[1].value, .rows[0].cells[1].significant, .rows[1].flagged, .places[0].message_id]')" = \
		'["hackbench","lower","6.1-patched",1.5,true,true,"m-1@example.org"]' ]
	run -2 "$S" mail tables
	run -2 "$S" mail tables --json --tsv "$BATS_TEST_TMPDIR/m"
	run -3 "$S" mail tables "$BATS_TEST_TMPDIR/missing"
	run -0 --separate-stderr "$S" mail tables "$DATA/plain.eml"
	[[ -z "$output" && "$stderr" == *"no table of results"* ]]
}

@test "every style in one mail" {
	run -0 "$S" mail tables --json "$DATA/tables.eml"
	[ "$(jq -c '[.tables[] | [.style, (.rows | length), (.columns | length), (.places | length)]]' <<<"$output")" = \
		'[["mmtests",3,2,2],["ops",3,2,1],["amd",2,2,1],["variance",1,2,1],["percent",2,2,1],["colon",2,2,1],["intel",2,2,1],["lkp",2,2,1],["lkp-list",2,1,1],["counts",3,1,1],["prose",1,2,1],["prose",1,2,1]]' ]
	[ "$(jq '[.tables[].rows[] | select(.flagged)] | length' <<<"$output")" = 0 ]
}

@test "the same result in two mails is one table with two places" {
	printf 'From: a@example.org\nSubject: x\n\nHmean 1 1.00 (0.00%%) 2.00 (100.00%%)\n' >"$BATS_TEST_TMPDIR/a"
	printf 'From: b@example.org\nSubject: Re: x\n\n> Hmean 1 1.00 (0.00%%) 2.00 (100.00%%)\n' >"$BATS_TEST_TMPDIR/b"
	run -0 "$S" mail tables --json "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
	[ "$(jq -c '[(.tables | length), .tables[0].places[].quoted]' <<<"$output")" = '[1,0,1]' ]
}

@test "published mails: tbench and hackbench tables, counters and efficiency of 2020-03" {
	mails
	run -0 "$S" mail tables --json "$MAILS/20200320-sis-overload.txt"
	[ "$(jq -c '[.tables[] | [.style, .test, (.rows | length)]]' <<<"$output")" = \
		'[["mmtests","tbench",10],["prose","tbench",1],["mmtests","tbench",10],["prose","tbench",1],["mmtests","hackbench",15],["ops","hackbench",8],["prose","hackbench",1]]' ]
	[ "$(values 0 '[.rows[6] | .name, .line, .cells[].text, .cells[1].change, .cells[1].significant]')" = '["64",37,"13978.54","15215.65",8.85,true]' ]
	[ "$(values 2 '[.rows[4] | .name, .cells[].text, .cells[1].change]')" = '["16","4068.81","3514.06",-13.63]' ]
	[ "$(values 4 '[.direction, (.rows[14] | .name, .cells[].value, .cells[1].significant), (.rows[0] | .cells[1].significant)]')" = '["lower","296",35.6727,32.826,true,false]' ]
	[ "$(values 5 '[.rows[] | .cells[1].text]')" = \
		'["9822163508.00","48330226094.00","47964114165.00","9639912418.00","22517194.00","5500415074.00","5522932268.00","21.08"]' ]
	[ "$(jq -c '[.tables[] | select(.style == "prose") | [.rows[0].cells[].value]]' <<<"$output")" = '[[6.03,19.61],[21.04,32.66],[4.66,20.48]]' ]
	# Every printed change follows from the values beside it.
	[ "$(jq '[.tables[].rows[] | select(.flagged)] | length' <<<"$output")" = 0 ]
}

@test "published mails: the idle candidate, the balancing flag and Juno" {
	mails
	run -0 "$S" mail tables --json "$MAILS/20201203-idle-candidate.txt"
	[ "$(jq -c '[.tables[] | [.style, .test, .columns, (.rows | length)]]' <<<"$output")" = \
		'[["mmtests","tbench",["5.10.0-rc6-schedstat","5.10.0-rc6-idlecandidate"],10]]' ]
	[ "$(values 0 '[.rows[6] | .cells[].text, .cells[1].change, .flagged]')" = '["12325.51","13792.01",11.9,false]' ]
	run -0 "$S" mail tables --json "$MAILS/202403-sched-balance-running.txt"
	[ "$(jq -c '[.tables[] | [.style, .columns[0], [.rows[] | [.group, .cells[0].value]]]]' <<<"$output")" = \
		'[["counts","6.8-rc6",[["idle system",449],["idle system",377],["51% load",88000],["51% load",77000],["100% load",41000],["100% load",10000]]],["counts","+below patch",[["idle system",462],["idle system",394],["51% load",5000],["51% load",4000],["100% load",8000],["100% load",3000]]]]' ]
	run -0 "$S" mail tables --json "$MAILS/20231206-juno-little-cpus.txt"
	# Two values, written down five times in the thread.
	[ "$(jq -c '[.tables[] | [.style, [.rows[0].cells[].value], .rows[0].cells[1].change, [.places[].line]]]' <<<"$output")" = \
		'[["prose",[19.3,18],-6.7,[64,169,284,392,517]]]' ]
}

@test "published mails: the blocks of 2023-09" {
	mails
	run -0 "$S" mail tables --json "$MAILS/20230914-sis-cache.txt"
	[ "$(jq -c '[.tables[] | [.style, .test, .direction, (.rows | length)]]' <<<"$output")" = \
		'[["amd","hackbench","lower",5],["amd","tbench","higher",11],["amd","stream-10","higher",4],["amd","stream-100","higher",4],["amd","netperf","higher",10],["amd","schbench (old)","lower",10],["mmtests","Unixbench","higher",10],["variance","ycsb-mongodb","higher",1],["percent","DeathStarBench","higher",4]]' ]
	[ "$(values 0 '[.rows[0] | .name, .cells[1].text, .cells[1].change, .cells[1].cv]')" = '["1-groups","1.10",-10.28,2.03]' ]
	[ "$(values 4 '[.rows[9] | .name, .cells[0].cv, .cells[1].cv]')" = '["512-clients",52.42,52.72]' ]
	[ "$(values 5 '[.statistic, (.rows[0] | .cells[1].text, .cells[1].change, .cells[1].cv)]')" = '["Median","0.96",4,15.68]' ]
	[ "$(values 6 '[(.rows[2] | .direction, .cells[1].text, .cells[1].significant), (.rows[0] | .direction)]')" = '["lower","2841236.43",true,"higher"]' ]
	[ "$(values 7 '[.columns, [.rows[0].cells[] | .text, .cv], .rows[0].cells[1].change]')" = '[["base","SIS_CACHE"],["309589.33",1.41,"304931.33",1.29],-1.5]' ]
	[ "$(values 8 '[.rows[] | .cells[1].text]')" = '["99.18","97.46","97.22","99.01"]' ]
	[ "$(jq '[.tables[].rows[] | select(.flagged)] | length' <<<"$output")" = 0 ]
}
