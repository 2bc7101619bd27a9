#!/bin/bash
# caisson replay and audit replay-all on a record that caisson run has made. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON_STATE=$tmp/state HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config
mkdir -p "$tmp/work" "$XDG_CONFIG_HOME/caisson" && cd "$tmp/work" || exit 1
before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"

newest() { cat "$CAISSON_STATE"/audit/*.jsonl | jq -r "select(.kind == \"$1\").id" | tail -n 1; }

run 3 'no record' replay abc
err 'no record yet'
run 3 'no record' audit replay-all
run 64 'no id' replay
run 64 'two ids' replay a b
run 64 '--config alone' replay --config x a

"$CAISSON" run --gate -c 'echo one; printf "\033[31mred\n"; echo two >&2; exit 3' >/dev/null 2>&1
ran=$(newest end)
run 0 'a run' replay "$ran"
out "^request    $ran\$"
out '^verdict    allow$'
out '^derived    allow (the same)$'
out '^limits     cpus 2, memory 1024 MiB, time 30 s'
out '^end        exit_nonzero, exit code 3, at '
out '^  | one$'
out '^  | two$'
! grep -q $'\x1b' "$tmp/out"
result $? 'no control character reaches the terminal'
run 0 'by the number of a row' replay "$(jq -r "select(.id == \"$ran\").seq" "$CAISSON_STATE"/audit/*.jsonl | tail -n 1)"
out "^request    $ran\$"
run 3 'an id that is not there' replay 0000
err "no row '0000'"
run 0 'for programs' replay --json "$ran"
json '.derived.ok and .derived.same and .derived.verdict == "allow" and .end_row.exit_code == 3 and .stderr == "two\n" and (.stdout | startswith("one\n"))'
json '.derived.answer.commands | length >= 3'
run 0 'the whole derivation' replay --explain "$ran"
out '^verdict: allow$'
run 0 'run again: the same' replay --run "$ran"
out '^again      [0-9a-f]*: exit_nonzero, exit code 3, .*(the same)$'
run 0 'the second run is a run of its own' audit verify
[[ $(cat "$CAISSON_STATE"/audit/*.jsonl | jq -r 'select(.kind == "begin").agent_id' | tail -n 1) == replay ]]
result $? 'by an agent called replay'
"$CAISSON" run --timeout 20 --env A=b -- /bin/sh -c 'date +%s%N; echo "$A $1"' x y >/dev/null 2>&1
date=$(newest end)
run 1 'run again: different' replay --run "$date"
out 'differs from the record$'
out '^stdout     differs from line 1 on: 1 line then, 1 now$'
out '^  | b y$'
run 0 'it was not judged' replay "$date"
# a duration is never the same: any other number counts
"$CAISSON" run --timeout 20 -- /bin/sh -c 'echo "== 1 passed in 0.$(date +%N)s =="; echo "took $(date +%N) ms"' >/dev/null 2>&1
run 0 'run again: other durations' replay --run "$(newest end)"
out '(the same)$'
no 'differs from line'
"$CAISSON" run --timeout 20 -- /bin/sh -c 'echo "== $(date +%N) passed in 0.1s =="' >/dev/null 2>&1
run 1 'run again: another count' replay --run "$(newest end)"
out '^stdout     differs from line 1 on: 1 line then, 1 now$'
out '^verdict    none: the run was not judged$'
run 1 'as JSON' replay --run --json "$date"
json '.again.same == false and (.stdout != .again.stdout) and (.derived | not)'

"$CAISSON" run --gate -c 'rm -rf /' >/dev/null 2>&1
denied=$(newest verdict)
run 0 'a denial' replay "$denied"
out '^verdict    deny: '
out '^run        not run by caisson$'
out '^  - .*: rm deletes'
run 64 'is not run again' replay --run "$denied"
err 'the request did not run, so it cannot be run again'

printf 'tools:\n  bash:\n    ask: [touch]\n' >"$XDG_CONFIG_HOME/caisson/config.yaml"
"$CAISSON" run --gate -c 'touch x' >/dev/null 2>&1
asked=$(newest verdict)
rm "$XDG_CONFIG_HOME/caisson/config.yaml"
run 0 'asked, by a policy that is not there any more' replay "$asked"
out '^verdict    ask: configured-ask$'
out '^derived    ask: configured-ask (the same)$'
out "^           $XDG_CONFIG_HOME/caisson/config.yaml\$"
run 1 'judged by today'"'"'s' replay --judge "$asked"
out '^today      allow  <-- differs from the record$'
out '^today,then allow  <-- differs from the record$'
printf 'tools:\n  bash:\n    deny: [touch]\n    allow: [git status]\n' >"$tmp/new.yaml"
run 1 'by another file' replay --judge --config "$tmp/new.yaml" --json "$asked"
json '.derived.same and .today.verdict == "deny" and .today_policy_then_world.verdict == "deny" and (.today.same | not)'
# the world changes, the policy does not: what was a directory of the project's own leads elsewhere now
mkdir sub && "$CAISSON" run --gate -c 'rm sub/../gone.txt' >/dev/null 2>&1
"$CAISSON" run --gate --workspace .:rw -c 'rm -f sub/file' >/dev/null 2>&1
inside=$(newest begin)
rmdir sub && ln -s /usr sub
run 1 'a link in the way now' replay --judge --json "$inside"
json '.derived.same and .today_policy_then_world.same and (.today.same | not) and .today.verdict != .today_policy_then_world.verdict'
rm sub

# a blob that is gone, a row whose verdict was changed
digest=$(cat "$CAISSON_STATE"/audit/*.jsonl | jq -r "select(.id == \"$asked\").view")
hex=${digest#sha256:}
mv "$CAISSON_STATE/blobs/${hex:0:2}/$hex.zst" "$tmp/kept"
run 0 'without its view' replay "$asked"
out '^derived    not possible: '
mv "$tmp/kept" "$CAISSON_STATE/blobs/${hex:0:2}/$hex.zst"
sed -i "/$asked/s/\"verdict\":\"ask\"/\"verdict\":\"allow\"/" "$CAISSON_STATE"/audit/*.jsonl
run 1 'a verdict that was changed' replay "$asked"
out '^derived    ask: configured-ask  <-- differs from the record$'
sed -i "/$asked/s/\"verdict\":\"allow\"/\"verdict\":\"ask\"/" "$CAISSON_STATE"/audit/*.jsonl

# ---- all ----
printf 'tools:\n  bash:\n    ask: [touch]\n' >"$tmp/same.yaml"
for _ in 1 2 3; do "$CAISSON" run --gate -c 'git status' >/dev/null 2>&1; done
run 0 'nothing changes by the policy there is' audit replay-all --json --policy "$tmp/same.yaml"
json '.changes == [] and .judged == .requests and .requests >= 8 and .table.ask.ask == 1'
run 1 'another policy' audit replay-all --config "$tmp/new.yaml" --json
json '.table.ask.deny == 1 and .table.deny.deny >= 1 and (.changes | length) == 1'
json '.changes[0] | .command == "touch x" and .from == "ask" and .to == "deny" and .count == 1 and .reasons == "configured-deny"'
printf 'tools:\n  bash:\n    ask: [git status, touch]\n' >"$tmp/asks.yaml"
run 1 'a stricter one, for people' audit replay-all --policy "$tmp/asks.yaml"
out '^allow -> ask: 3$'
out '^       3  git status  \[configured-ask\]$'
run 0 'of another agent: nothing' audit replay-all --policy "$tmp/asks.yaml" --agent nobody
out '^0 requests, 0 judged again$'
run 0 'of the future: nothing' audit replay-all --policy "$tmp/asks.yaml" --since 2999-01-01
run 64 'not a time' audit replay-all --since soon
printf 'tools: [\n' >"$tmp/bad.yaml"
run 2 'a policy that does not load' audit replay-all --policy "$tmp/bad.yaml"
err 'bad.yaml:'
printf 'tools:\n  bash:\n    arguments:\n      - {command: echo, anyArgOutside: [.], decision: deny}\n' >"$tmp/files.yaml"
"$CAISSON" run --gate -c 'echo ../x' >/dev/null 2>&1
run 1 'a policy that wants to know more of files than was looked at' audit replay-all --policy "$tmp/files.yaml" --json
json '.unseen == 2 and [.changes[].command] == ["touch x"]'
run 1 'the same for one' replay --judge --config "$tmp/files.yaml" --json "$(newest end)"
json '.today.verdict == "deny" and (.today_policy_then_world.ok | not) and .derived.same'
"$CAISSON" run --gate -c 'echo ghp_abcabcabcabcabcabcabcabcabcabcabcabc' >/dev/null 2>&1
secret=$(newest end)
run 64 'a secret is not run again' replay --run "$secret"
err 'a secret in the command was redacted'
run 1 'and counted' audit replay-all --policy "$tmp/new.yaml" --json
json '.redacted == 1'
"$CAISSON" check 'caisson replay --run abc' >/dev/null
[[ $? == 2 ]]
result $? 'an agent may not run again'
"$CAISSON" check 'caisson replay abc' >/dev/null
[[ $? == 0 ]]
result $? 'and may look'
for c in replay 'audit replay-all'; do
	"$CAISSON" help --man "$c" | cmp -s - "$here/man/caisson-${c// /-}.1"
	result $? "man/caisson-${c// /-}.1 is what the tables say"
done
# a command that a row does not hold: its beginning is not judged, and not run, in its place
{ printf 'true #'; head -c 3000000 /dev/zero | tr '\0' x; } >"$tmp/long"
"$CAISSON" check --record - <"$tmp/long" >/dev/null 2>&1
run 0 'replay of a long one' replay "$(newest verdict)"
out 'only its beginning is in the record'
no 'differs from the record'
run 1 'replay-all without it' audit replay-all --json
json '.missing > 0'
printf 'true \302\233 \342\200\256' >"$tmp/c1"
"$CAISSON" check --record - <"$tmp/c1" >/dev/null 2>&1
script -qec "'$CAISSON' replay --json $(newest verdict)" /dev/null </dev/null >"$tmp/out" 2>/dev/null
[[ -s $tmp/out && $(LC_ALL=C grep -c -e $'\302\233' -e $'\342\200\256' "$tmp/out") == 0 ]] && jq -e '.command | contains("\u009b \u202e")' "$tmp/out" >/dev/null
result $? 'nothing on a terminal that it would obey, or that turns its text'

# ---- reasons that come from a client's call and not from the command: a replay derives them, too ----
git init -q "$tmp/repo" && git init -q "$tmp/other" && mkdir -p "$tmp/outside"
policy() { cat >"$XDG_CONFIG_HOME/caisson/config.yaml"; chmod 600 "$XDG_CONFIG_HOME/caisson/config.yaml"; }
# hooked REASON WHAT TEMPLATE COMMAND FILTER: the call is recorded with this reason, and derived again
hooked() {
	local last id said
	last=$(newest verdict)
	jq -c --arg cwd "$tmp/repo" --arg home "$HOME" --arg text "$4" \
		'walk(if type == "string" then gsub("@CWD@"; $cwd) | gsub("@HOME@"; $home) | gsub("@COMMAND@"; $text) else . end)'" | $5" \
		"$here/tests/hooks/$3.json" | "$CAISSON" hook >/dev/null 2>&1
	id=$(newest verdict)
	said=$(cat "$CAISSON_STATE"/audit/*.jsonl | jq -r "select(.id == \"$id\").reasons | join(\" \")" | tail -n 1)
	[[ $id != "$last" && " $said " == *" $1 "* ]]
	result $? "$2: $1 is recorded ($said)"
	run 0 "$2: replayed" replay --json "$id"
	json '.derived.ok and .derived.same'
	json "[.derived.answer.reasons[].id] | index(\"$1\") != null"
}
other=".cwd = \"$tmp/repo\" | .tool_input.cwd = \"$tmp/other\"" # a session would be pinned to its project
hooked not-contained 'the agent wants to be outside of the sandbox' claude-pre 'git status' '.tool_input.dangerouslyDisableSandbox = true'
hooked not-contained 'another project' generic-pre '$X a' "$other"
hooked outside-delete 'a delete in another project' generic-pre 'rm -rf src' "$other"
policy <<<'tools: {bash: {allow: [apply_patch, cd]}}'
hooked unknown-program 'a name that the client takes for a patch' codex-pre "apply_patch x <<'EOF'
*** Begin Patch
*** End Patch
EOF" '.'
policy <<<'sandbox: {always: true}'
hooked not-contained 'a directory that is no project' claude-pre 'cat x' '.cwd = "/"'
policy <<<'secrets: {enabled: true, scanInputs: true, maxScanBytes: 4096}'
hooked configured-ask 'an input too long to be searched' claude-pre "echo $(printf '%05000d' 0)" '.'
hooked configured-deny 'an input with a secret' claude-pre 'true' '.tool_input.description = "ghp_abcabcabcabcabcabcabcabcabcabcabcabc"'
rm "$XDG_CONFIG_HOME/caisson/config.yaml"
row=$("$CAISSON" audit query --json 2>/dev/null | head -1 | jq -r .seq)
if [[ -n $row ]]; then
	TZ=Etc/GMT-3 "$CAISSON" replay "$row" >"$tmp/out" 2>&1
	grep -q '^when .* +03$' "$tmp/out"
	result $? 'times for people are local'
	TZ=Etc/GMT-3 "$CAISSON" replay --utc "$row" >"$tmp/out" 2>&1
	grep -q '^when .* UTC$' "$tmp/out"
	result $? '... or UTC'
fi
echo "1..$n"
