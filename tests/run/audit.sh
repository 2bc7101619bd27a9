#!/bin/bash
# caisson audit: verify and tail, on a record that is made here with sha256sum alone, as docs/audit.md
# describes it. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state
cd "$tmp" || exit 1
before=(audit)
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

prev=$(printf '%064d' 0)
seq=0
row() { # DAY COMMAND (as JSON writes it)
	local text hash
	seq=$((seq + 1))
	text='{"v":1,"seq":'$seq',"id":"r'$seq'","kind":"verdict","ts":"'$1'T10:00:00.000000Z","command":"'$2'","verdict":"allow","prev":"'$prev'"'
	hash=$(printf %s "$text" | sha256sum)
	prev=${hash%% *}
	printf '%s,"hash":"%s"}\n' "$text" "$prev" >>"$CAISSON_STATE/audit/$1.jsonl"
}

run 3 'no record' verify
err 'no record yet'
run 3 'no record' tail
[[ ! -e $CAISSON_STATE ]]
result $? 'looking makes nothing'
run 64 'no subcommand'
err 'no subcommand given'
run 64 'unknown subcommand' frob
err 'use verify, query'
run 64 'an operand' verify x
run 64 '-n for verify' verify -n 3
run 64 '-n 0' tail -n 0
run 64 '-n x' tail -n x
run 0 'help' --help
out '^  3    no record exists yet$'

# rows that are cut off the end, and one that is written then
mkdir "$tmp/project"
for i in 1 2 3; do (cd "$tmp/project" && "$CAISSON" check --record "ls $i" >/dev/null); done
for f in "$CAISSON_STATE"/audit/*.jsonl; do sed -i '2,$d' "$f"; done
run 1 'rows are gone from the end' verify
out 'removed: '
(cd "$tmp/project" && "$CAISSON" check --record pwd >/dev/null)
run 0 'the chain goes on' verify
out '; repaired 1 time (.*); 2 rows that had been written were gone by then$'
run 0 'in JSON' verify --json
json '.ok and .recovered == 1 and .missing == 2'
rm -rf "$CAISSON_STATE"

umask 077
mkdir -p "$CAISSON_STATE/audit"
run 0 'an empty record' verify
out '^the chain is intact: 0 rows'
for i in 1 2 3; do row 2026-01-30 "ls $i"; done
for i in 4 5 6; do row 2026-01-31 "ls $i"; done
row 2026-01-31 'printf \"\u001b[31m\"'
run 0 'a record made with sha256sum' verify
out "^the chain is intact: 7 rows in 2 days, 1 to 7, $prev\$"
run 0 'the same in JSON' verify --json
json ".ok and .rows == 7 and .days == 2 and .first_seq == 1 and .last_seq == 7 and .last_hash == \"$prev\" and (has(\"fault\") | not)"

run 0 'tail' tail -n 5
[[ $(wc -l <"$tmp/out") == 5 ]] &&
	head -n 1 "$tmp/out" | grep -q $'^3\t2026-01-30T10:00:00.000000Z\tverdict\tallow\t-\t-\tr3\tls 3$'
result $? 'the newest five, oldest first, over two days'
! grep -q $'\x1b' "$tmp/out"
result $? 'control characters do not reach the terminal'
run 0 'tail --json' tail -n 2 --json
cmp -s "$tmp/out" <(tail -n 2 "$CAISSON_STATE/audit/2026-01-31.jsonl")
result $? 'rows as they are written'
run 0 'tail of more than there is' tail -n 10000
[[ $(wc -l <"$tmp/out") == 7 ]]
result $? 'all there are'

cp -r "$CAISSON_STATE/audit" "$tmp/good"
again() { rm -rf "$CAISSON_STATE/audit" && cp -r "$tmp/good" "$CAISSON_STATE/audit"; }
sed -i 's/ls 5/ls X/' "$CAISSON_STATE/audit/2026-01-31.jsonl"
run 1 'a changed row' verify
out '/audit/2026-01-31.jsonl:2: row 5 changed: '
run 1 'the same in JSON' verify --json
json '(.ok | not) and .fault.kind == "changed" and .fault.file == "2026-01-31.jsonl" and .fault.line == 2 and .fault.seq == 5 and .rows == 4'
again
sed -i 2d "$CAISSON_STATE/audit/2026-01-30.jsonl"
run 1 'a removed row' verify
out '/audit/2026-01-30.jsonl:2: row 2 removed: '
again
sed -i '2{h;d};3{G}' "$CAISSON_STATE/audit/2026-01-30.jsonl"
run 1 'reordered rows' verify
out '/audit/2026-01-30.jsonl:2: row 3 reordered: '
again
sed -i 2p "$CAISSON_STATE/audit/2026-01-30.jsonl"
run 1 'an inserted row' verify
out '/audit/2026-01-30.jsonl:3: row 2 inserted: '
again
rm "$CAISSON_STATE/audit/2026-01-30.jsonl"
run 1 'a day is gone' verify
out 'row 1 removed: '
again
printf '{"v":1,"seq"' >>"$CAISSON_STATE/audit/2026-01-31.jsonl"
run 1 'a torn last line' verify
out '/audit/2026-01-31.jsonl:5: row 8 torn: '
again
chmod 666 "$CAISSON_STATE/audit/2026-01-31.jsonl"
run 70 'a file that others may write' verify
err 'other users can write'
"$CAISSON" help --man audit | cmp -s - "$here/man/caisson-audit.1"
result $? 'the manual page is current'
echo "1..$n"
