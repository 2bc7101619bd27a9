#!/bin/bash
# caisson audit query, show, export, tail -f, reindex: against jq over the same files, on a terminal and in a
# pipe. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state
unset NO_COLOR PAGER LINES COLUMNS
cd "$tmp" || exit 1
before=(audit)
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

same() { # JQ-CONDITION ARG...: query gives the rows that jq selects
	local want=$1
	shift
	cat "$CAISSON_STATE"/audit/*.jsonl | jq -c "select($want) | .seq" >"$tmp/want"
	"$CAISSON" audit query --json "$@" 2>"$tmp/err" | jq -c .seq >"$tmp/out"
	cmp -s "$tmp/out" "$tmp/want" && [[ ! -s $tmp/err ]]
	result $? "as jq: $* ($(wc -l <"$tmp/want") rows)"
}

run 3 'no record' query
err 'no record yet'
run 3 'no record' show x
run 3 'no record' export
run 3 'no record' reindex
[[ ! -e $CAISSON_STATE ]]
result $? 'looking makes nothing'
run 64 'a time that is none' query --since 'soon'
err "invalid time 'soon'"
run 64 'an expression that is none' query --grep '('
err 'not a regular expression'
run 64 'a verdict that is none' query --verdict maybe
err "unknown verdict 'maybe'"
run 64 'a status that is none' query --status fine
err "unknown status 'fine'"
run 64 'a kind that is none' query --kind begin,middle
err "unknown kind 'middle'"
run 64 'since behind until' query --since 2026-01-02 --until 2026-01-01
err 'must be earlier'
run 64 'a limit that is none' query --limit 0
run 64 'a format that is none' export --format xml
run 64 'an operand' query x
run 64 'show without an id' show
err 'no id or row'
run 64 'two ids' show a b
run 64 'an empty agent' query --agent ''
for c in query show export tail reindex; do
	run 0 "help of $c" "$c" --help
	"$CAISSON" help --man "audit $c" | cmp -s - "$here/man/caisson-audit-$c.1"
	result $? "the manual page of audit $c is current"
done

# ---- a record of some thousand rows ----
if [[ ! -x $BUILD/bench/rows ]]; then make -s -C "$here" BUILD="$BUILD" SANITIZE="${SANITIZE:-}" \
	"$BUILD/bench/rows" >/dev/null 2>&1; fi
"$BUILD/bench/rows" "$CAISSON_STATE" 3000 5
result $? 'a record is made'
run 0 'its chain holds' verify
files=("$CAISSON_STATE"/audit/*.jsonl)
day=$(basename "${files[2]}" .jsonl)
next=$(basename "${files[3]}" .jsonl)
same true
same '.agent_id == "agent-01"' --agent agent-01
same '.verdict == "deny"' --verdict deny
same '.status == "timeout"' --status timeout
same '.status == "oom"' --status oom
same '.kind == "end" or .kind == "begin"' --kind begin,end
same '.kind == "begin" and .verdict == "contain" and .agent_id == "agent-02"' --kind begin --verdict contain \
	--agent agent-02
same '.status == "signal" and (.command | test("^git"))' --status signal --grep '^git'
same '.command | test("async_[0-9]+\"")' --grep 'async_[0-9]+"'
same '.command | test("\nimport json")' --grep '\nimport json'
same '.agent_id == "agent-00" and (.command | test("npm (run|test)"))' --agent agent-00 --grep \
	'npm (run|test)'
same '.agent_id == "nobody"' --agent nobody
same ".ts | startswith(\"$day\")" --since "$day" --until "$day"
same ".agent_id == \"agent-01\" and (.ts | startswith(\"$day\"))" --agent agent-01 --since "$day" --until \
	"$day"
same ".verdict == \"ask\" and .ts >= \"${day}T06:30\" and .ts < \"${next}T01:00\"" --verdict ask --since \
	"${day}T06:30" --until "${next}T01:00"
session=$(jq -r 'select(.agent_id == "agent-01") | .session' "${files[1]}" | head -n 1)
same ".session == \"$session\"" --session "$session"
run 0 'a limit' query --agent agent-01 --limit 7 --json
cmp -s "$tmp/out" <(grep -h '"agent_id":"agent-01"' "${files[@]}" | tail -n 7)
result $? 'the newest seven, oldest first, byte for byte'
run 0 'a limit without other conditions' query --limit 3
[[ $(wc -l <"$tmp/out") == 3 && $(tail -n 1 "$tmp/out" | cut -f 1) == 3000 ]]
result $? 'the newest three'

# ---- the index is a cache ----
[[ $(stat -c %a "$CAISSON_STATE/index.sqlite") == 600 ]]
result $? 'the index is for its owner alone'
echo garbage >"$CAISSON_STATE/index.sqlite"
same '.agent_id == "agent-03"' --agent agent-03
rm "$CAISSON_STATE/index.sqlite"
same '.verdict == "deny" and .agent_id == "agent-03"' --agent agent-03 --verdict deny
run 0 'reindex' reindex
out '^3000 rows of 5 days, '
run 0 'reindex --json' reindex --json
jq -e '.rows == 3000 and .days == 5 and .bytes > 100000' "$tmp/out" >/dev/null
result $? 'the same as JSON'
mkdir "$tmp/aside"
mv "${files[0]}" "$tmp/aside"
same '.agent_id == "agent-01"' --agent agent-01
cp "$tmp/aside/"* "${files[0]}"
same '.agent_id == "agent-01"' --agent agent-01
head -c 20000 "$tmp/aside/"* >"${files[0]}" # cut in the middle of a row: jq would stop there
"$CAISSON" audit query --agent agent-01 --json 2>/dev/null | jq -c .seq >"$tmp/out"
(head -c 20000 "$tmp/aside/"* | sed '$d'; cat "${files[@]:1}") |
	jq -c 'select(.agent_id == "agent-01") | .seq' | cmp -s - "$tmp/out"
result $? 'a file that was cut'
cp "$tmp/aside/"* "${files[0]}"
for i in 1 2 3 4 5 6; do "$CAISSON" audit query --agent agent-01 --json >"$tmp/many.$i" 2>"$tmp/err.$i" & done
rm -f "$CAISSON_STATE/index.sqlite"
wait
"$CAISSON" audit query --agent agent-01 --json >"$tmp/out"
for i in 1 2 3 4 5 6; do cmp -s "$tmp/out" "$tmp/many.$i" ||
	echo "$i"; done >"$tmp/differ"; cat "$tmp"/err.* >"$tmp/err"
[[ ! -s $tmp/differ && -s $tmp/out ]]
result $? 'six at once, and the index taken away under them'
rm -f "$CAISSON_STATE"/index.*
mkdir "$CAISSON_STATE/index.sqlite" "$CAISSON_STATE/index.sqlite/x"
run 0 'without an index that can be used' query --agent agent-01 --json
[[ $(wc -l <"$tmp/err") == 1 ]] && grep -q 'without the index' "$tmp/err" &&
	jq -c .seq "$tmp/out" | cmp -s - <(cat "${files[@]}" | jq -c 'select(.agent_id == "agent-01") | .seq')
result $? 'the same answer, and one line that says so'
rm -r "$CAISSON_STATE/index.sqlite"
chmod 666 "${files[0]}"
run 70 'a record that others may write' query --agent agent-01
err 'other users can write'
chmod 600 "${files[0]}"

# ---- show ----
id=$(jq -r 'select(.kind == "end") | .id' "${files[4]}" | tail -n 1)
seq=$(jq -r "select(.id == \"$id\" and .kind == \"end\") | .seq" "${files[4]}")
run 0 'show by id' show "$id"
out "^$id\$"
out '^row [0-9]*, begin, '
out "^row $seq, end, "
out '^  verdict      contain$'
out '^  took         '
cp "$tmp/out" "$tmp/by-id"
run 0 'show by number' show "$seq"
cmp -s "$tmp/out" "$tmp/by-id"
result $? 'the same'
run 0 'show --json' show "$id" --json
jq -e ".id == \"$id\" and (.rows | length == 2) and .rows[0].kind == \"begin\" and .rows[1].seq == $seq" \
	"$tmp/out" >/dev/null
result $? 'both rows'
run 3 'an id that is not there' show nosuch
err "no row 'nosuch'"
run 3 'a number that is not there' show 999999
run 0 'outputs that are not kept' show "$id" --output
out 'is not kept'

# ---- export ----
run 0 'export' export
cmp -s "$tmp/out" <(cat "${files[@]}")
result $? 'all rows, byte for byte'
run 0 'export --format csv' export --format csv
cat >"$tmp/readback.py" <<'PY'
import csv, json, sys
rows = list(csv.reader(open(sys.argv[1], newline='')))
head, rows = rows[0], rows[1:]
want = [json.loads(l) for f in sys.argv[2:] for l in open(f)]
assert len(rows) == len(want), (len(rows), len(want))
def cell(w, key):
    for k in key.split('.'):
        w = w.get(k) if isinstance(w, dict) else None
    return w
for r, w in zip(rows, want):
    assert len(r) == len(head)
    for key, got in zip(head, r):
        v = cell(w, key)
        if isinstance(v, str):
            assert not got[:1] in ('=', '+', '-', '@', '\t', '\r'), got
            assert (got[1:] if got[:1] == "'" else got) == v, (key, got, v)
        elif isinstance(v, list):
            assert got == ' '.join(v)
        elif isinstance(v, dict):
            assert json.loads(got) == v, (key, got, v)
        else:
            assert got == ('' if v is None else str(v)), (key, got, v)
assert open(sys.argv[1], 'rb').read().endswith(b'\r\n')
PY
/usr/bin/python3 "$tmp/readback.py" "$tmp/out" "${files[@]}" 2>"$tmp/err"
result $? 'CSV is read back to the same rows'
run 0 'CSV without rows' export --format csv --agent nobody
[[ $(wc -l <"$tmp/out") == 1 ]] && grep -q '^seq,ts,id,kind,' "$tmp/out"
result $? 'a header alone'

# ---- a run, as it is recorded ----
rm -rf "$CAISSON_STATE"
mkdir "$tmp/work"
if (cd "$tmp/work" &&
	"$CAISSON" run --timeout 20 -- sh -c 'printf "one\ttwo\033[31m\nthree\n"; echo four >&2; exit 3') \
	>"$tmp/out" 2>"$tmp/err" || [[ $(jq -r .status "$tmp/out") == exit_nonzero ]]; then
	run 0 'a run is found by its status' query --status exit_nonzero --grep 'printf "one'
	id=$(cut -f 7 "$tmp/out")
	run 0 'it is shown' show "$id" --output
	out '^  limits       .*memory '
	out '^  exit_code    3$'
	out $'^ *one\ttwo\\\\x1b\\[31m$'
	out '^ *three$'
	out '^ *four$'
	run 0 'without outputs' show "$id"
	! grep -q '^ *three$' "$tmp/out"
	result $? 'nothing of them'
	run 0 'for programs' show "$id" --output --json
	jq -e '.stdout == "one\ttwo\u001b[31m\nthree\n" and .stderr == "four\n" and (.rows | length == 2)' \
		"$tmp/out" >/dev/null
	result $? 'the outputs as they were'
else
	echo "ok $((++n)) - # SKIP no box here: a run's rows are not looked at"
fi

# ---- rows with anything in them ----
rm -rf "$CAISSON_STATE"
umask 077
mkdir -p "$CAISSON_STATE/audit"
prev=$(printf '%064d' 0)
seq=0
row() { # DAY COMMAND (as JSON writes it)
	local text hash
	seq=$((seq + 1))
	text='{"v":1,"seq":'$seq',"id":"r'$seq'","kind":"verdict","ts":"'$1'T10:00:00.000000Z","agent_id":"'${3:-me}'","command":"'$2'","verdict":"allow","prev":"'$prev'"'
	hash=$(printf %s "$text" | sha256sum)
	prev=${hash%% *}
	printf '%s,"hash":"%s"}\n' "$text" "$prev" >>"$CAISSON_STATE/audit/$1.jsonl"
}
row 2026-01-30 '=cmd|\"/c calc\"!A1'
row 2026-01-30 "'quoted"
row 2026-01-30 '-rm\r\nx,y\t\"'
row 2026-01-30 '+1'
row 2026-01-31 '\u001b]0;title\u0007 \u202e \u009b31m'
row 2026-01-31 $'\xc2\x9b31m \xe2\x80\xae raw' $'a\xc2\x9bb'
run 0 'a record with odd texts' verify
run 0 'CSV of it' export --format csv
/usr/bin/python3 "$tmp/readback.py" "$tmp/out" "$CAISSON_STATE"/audit/*.jsonl 2>"$tmp/err"
result $? 'formulas are guarded, and read back'
run 0 'lines' query
[[ $(wc -l <"$tmp/out") == 6 ]] &&
	! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae' "$tmp/out"
result $? 'one line a row, and nothing that a terminal would obey'
out '-rm\\x0d\\nx,y\\t"'
run 0 'show' show r5
! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae' "$tmp/out"
result $? 'show neither'
printf 'not a row\n' >>"$CAISSON_STATE/audit/2026-01-30.jsonl"
run 0 'a line that is no row' query
[[ $(wc -l <"$tmp/out") == 6 ]] && grep -q '1 lines of the record are not rows' "$tmp/err"
result $? 'is passed over, and said'
sed -i '$d' "$CAISSON_STATE/audit/2026-01-30.jsonl"
run 0 'a match that takes too long' query --grep '(x+x+)+y|ab*$'

# ---- a terminal ----
if ! script -qec true /dev/null >/dev/null 2>&1; then
	echo "ok $((++n)) - # SKIP no script(1): the terminal is not tested"
else
	tty() { # SETTINGS ARG...: on a terminal of 90 columns
		local set=$1
		shift
		script -qec "stty cols 90 rows 12; TERM=xterm $set $CAISSON audit $*" /dev/null </dev/null \
			>"$tmp/out" 2>"$tmp/err"
	}
	tty '' query
	grep -q $'\x1b\\[1m *ROW  TIME' "$tmp/out" && grep -q $'\x1b\\[32mallow' "$tmp/out"
	result $? 'a table with colours'
	sed 's/\x1b\[[0-9]*m//g' "$tmp/out" |
		LC_ALL=C grep -q $'[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]\|\xc2\x9b\|\xe2\x80\xae'
	[[ $? == 1 ]]
	result $? 'no control character but ours'
	tty NO_COLOR=1 query
	grep -q '^ *ROW  TIME' "$tmp/out" && ! grep -q $'\x1b' "$tmp/out"
	result $? 'NO_COLOR'
	tty '' query --json
	LC_ALL=C grep -q $'\xc2\x9b\|\xe2\x80\xae' "$tmp/out"
	[[ $? == 1 ]] &&
		tr -d '\r' <"$tmp/out" | jq -e 'select(.seq == 6) | .agent_id == "a\u009bb"' >/dev/null
	result $? 'JSON on a terminal is JSON, and safe'
	tty '' export --format csv
	! LC_ALL=C grep -q $'\x1b\|\xc2\x9b' "$tmp/out"
	result $? 'CSV on a terminal is safe'
	tty "PAGER='sed s/^/paged:/'" query
	! grep -q 'paged:' "$tmp/out"
	result $? 'no pager for what fits'
	for i in {1..20}; do row 2026-02-01 "true $i"; done
	tty "PAGER='sed s/^/paged:/'" query
	[[ $(grep -c 'paged:' "$tmp/out") == 27 ]]
	result $? 'a pager for what does not'
	tty "PAGER='head -n 1'" query
	[[ $(wc -l <"$tmp/out") == 1 ]]
	result $? 'a pager that goes away'
	tty PAGER= query
	[[ $(wc -l <"$tmp/out") == 27 ]]
	result $? 'no pager at all'
	tty "PAGER='sed s/^/paged:/'" query --limit 2 --grep "'true 1'"
	sed 's/\x1b\[[0-9]*m//g' "$tmp/out" | tr -d '\r' | awk 'length > 90 { bad = 1 } END { exit bad }'
	result $? 'lines are no wider than the terminal'
	# another process has the index: the query waits for it, then reads the files
	/usr/bin/python3 -c 'import fcntl, sys, time
f = open(sys.argv[1], "r+"); fcntl.lockf(f, fcntl.LOCK_EX); print("locked", flush=True); time.sleep(6)' "$CAISSON_STATE/index.lock" >"$tmp/locked" &
	pid=$!
	for _ in {1..100}; do [[ -s $tmp/locked ]] && break; sleep 0.05; done
	tty '' query --limit 1 --verdict allow
	grep -q $'\r\x1b\\[Kcaisson: reading the record, 2 s.*\r\x1b\\[K\x1b\\[1m *ROW' "$tmp/out"
	result $? 'after two seconds a person sees that the record is read, and then only the rows'
	kill "$pid"
	wait "$pid" 2>/dev/null
fi
# times for people are local, those of options too; the terminal shows one line for each request
TZ=Asia/Tokyo "$CAISSON" audit show 1 >"$tmp/out" 2>"$tmp/err" && grep -q '^row 1, .* JST' "$tmp/out"
result $? 'show: local time'
TZ=Asia/Tokyo "$CAISSON" audit show --utc 1 >"$tmp/out" 2>"$tmp/err" && grep -qE '^row 1, .* (UTC|GMT)' "$tmp/out"
result $? 'show --utc'
first=$(head -n 1 "$(find "$CAISSON_STATE"/audit -name '*.jsonl' | sort | head -n 1)" | jq -r .ts)
here_then=$(TZ=Asia/Tokyo date -d "$first" +%Y-%m-%dT%H:%M)
[[ $(TZ=Asia/Tokyo "$CAISSON" audit query --since "$here_then" | head -n 1 | cut -f 1) == 1 &&
	$(TZ=Asia/Tokyo "$CAISSON" audit query --since "$here_then" --utc | head -n 1 | cut -f 1) != 1 ]]
result $? 'a time without Z is local, and UTC with --utc'
"$CAISSON" audit query | head -n 1 >/dev/null
[[ ${PIPESTATUS[0]} == 0 ]]
result $? 'a reader that goes away is no error'

# ---- tail -f ----
"$CAISSON" audit tail -n 2 -f >"$tmp/follow" 2>"$tmp/err" &
pid=$!
wait_lines() { for _ in {1..100}; do [[ $(wc -l <"$tmp/follow") -ge $1 ]] && return; sleep 0.05; done; }
wait_lines 2
row 2026-02-01 'first'
wait_lines 3
row 2026-02-02 'next day'
row 2026-02-02 'and again'
wait_lines 5
kill -INT "$pid"
wait "$pid"
[[ $? == 0 && $(wc -l <"$tmp/follow") == 5 &&
	$(cut -f 8 "$tmp/follow" | tail -n 3 | tr '\n' ,) == 'first,next day,and again,' && ! -s $tmp/err ]]
result $? 'tail -f: what is there, what comes, over midnight, and a clean end'
mkfifo "$tmp/fifo"
"$CAISSON" audit tail -n 1 -f --json >"$tmp/fifo" 2>"$tmp/err" &
pid=$!
head -n 1 <"$tmp/fifo" | jq -e '.command == "and again"' >/dev/null
result $? 'tail -f --json'
for _ in {1..100}; do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
wait "$pid"
[[ $? == 0 && ! -s $tmp/err ]]
result $? 'it ends when nobody reads any more'
echo "1..$n"
