#!/bin/bash
# caisson pause: who may, what it lets through and what not, how it ends, and that its verdicts can be derived
# again. TAP.
apart=1
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
case $(realpath "$BUILD") in /tmp/* | /var/tmp/* | /dev/shm/*) place=$(getent passwd "$(id -u)" |
	cut -d: -f6) ;; *) place=$BUILD ;; esac
state=$(mktemp -d "$place/pause-test.XXXXXX") # a pause that is noted below /tmp does not count
trap 'rm -rf "$tmp" "$state"' EXIT
leave_client
export HOME=$tmp/home CAISSON_STATE=$state
mkdir -p "$HOME/.config/caisson" "$tmp/work/.git" "$tmp/other/.git" && cd "$tmp/work" || exit 1
touch .git/HEAD ../other/.git/HEAD
before=()
# shellcheck source=tests/lib.sh
. "$here/tests/lib.sh"
file=$state/pause.json
session=s1

hook() { # COMMAND [CLIENT [MODE]]
	jq -cn --arg c "$1" --arg d "$PWD" --arg m "${3:-default}" --arg s "$session" \
		'{session_id: $s, transcript_path: "/tmp/t", cwd: $d, hook_event_name: "PreToolUse", permission_mode: $m, tool_name: "Bash", tool_input: {command: $c}, tool_use_id: "t1"}' |
		"$CAISSON" hook --client "${2:-claude-code}" >"$tmp/out" 2>"$tmp/err"
}
decided() { # WHAT COMMAND: ask, deny, contain or pass
	local got=pass
	hook "$2" || got=deny
	grep -q 'run --ticket' "$tmp/out" && got=contain # a question may come with a ticket, too
	grep -q '"permissionDecision":"ask"' "$tmp/out" && got=ask
	grep -q '"permissionDecision":"deny"' "$tmp/out" && got=deny
	[[ $got == "$1" ]]
	result $? "$1: $2 ($got)"
}

# ---- who may ----
run 1 'not paused' pause
out 'caisson is not paused'
run 1 'not paused, as JSON' pause --json
json '. == {v: 1, paused: false}'
run 64 'a question is not JSON' pause --for 10m --json
err 'takes no --json'
run 2 'an agent may not ask for JSON either' check 'caisson pause --json'
for o in '--for 2h' '--for 61m' '--for 0m' '--for x' '--for -5m' '--end --for 1m' '--project' 'x'; do
	# shellcheck disable=SC2086 # words
	run 64 "wrong: $o" pause $o
done
run 1 'without a terminal' pause --for 10m
err 'must be run in a terminal, by a person'
export CLAUDECODE=1
at_terminal 1 "an agent's terminal" yes pause --for 10m
unset CLAUDECODE
cp /bin/bash "$tmp/claude"
real=$CAISSON
CAISSON=$tmp/claude at_terminal 1 'below a client' yes -c '"$0" pause --for 1h; exit $?' "$real"
at_terminal 1 'the answer is no' no pause --for 10m
[[ ! -e $file ]]
result $? 'nothing is written by any of these'
run 2 'an agent may not run it' check 'caisson pause --for 10m'
"$CAISSON" help --man pause | cmp -s - "$here/man/caisson-pause.1"
result $? 'man/caisson-pause.1 is what the tables say'

# ---- what it does ----
decided ask 'npm login'
decided contain 'make test'
decided deny 'rm -rf /etc'
at_terminal 0 'the answer is yes' yes pause --for 10m
out 'run OUTSIDE the box'
out 'caisson is paused until [0-2][0-9]:[0-5][0-9]; caisson pause --end ends it'
[[ $(stat -c %a "$file") == 600 ]]
result $? 'for the user alone'
run 0 'paused' pause
out 'caisson is paused until'
run 0 'paused, as JSON' pause --json
json '.paused and ((.until | fromdate) - now - .left_s | fabs) < 3 and .left_s > 500 and .left_s <= 600 and .project == ""'
decided pass 'npm login'
out 'caisson is paused by the user until [0-2][0-9]:[0-5][0-9]: it neither asks nor contains'
decided pass 'make test'
decided pass 'git status'
! grep -q paused "$tmp/out"
result $? 'what is allowed anyway says nothing of it'
decided deny 'rm -rf /etc'
decided deny 'caisson pause --for 1h'
decided deny "echo x > $file"
decided deny 'npm publish > ~/.config/caisson/config.yaml'
cd ../other && session=s2 && decided pass 'npm login'
cd ../work && session=s1
hook 'npm login' claude-code plan
grep -q '"permissionDecision":"\(ask\|deny\)"' "$tmp/out"
result $? 'a mode in which nothing is to run stays'
hook 'npm login' codex
! grep -q 'deny' "$tmp/out"
result $? 'a client that cannot ask'
jq -cn --arg d "$PWD" \
	'{session_id: "s2", transcript_path: "/tmp/t", cwd: $d, hook_event_name: "SessionStart", source: "startup"}' | "$CAISSON" hook --client claude-code >"$tmp/out" 2>"$tmp/err"
out 'The user has paused caisson until'
"$CAISSON" doctor >"$tmp/out" 2>&1
out 'caisson is paused until'
"$CAISSON" doctor --client claude-code >"$tmp/out" 2>&1
out 'caisson is paused until'
printf 'tools: {bash: {deny: [npm publish], ask: [git stash], discourageChaining: true}}\nsandbox: {always: true}\n' >"$HOME/.config/caisson/config.yaml"
decided deny 'npm publish'
decided pass 'git stash'
decided pass 'git stash && git stash'
decided pass 'git status'
rm "$HOME/.config/caisson/config.yaml"
printf 'tools: {bash: {deny: [npm publish]}}\n' >.caisson.yaml
decided deny 'npm publish'
rm .caisson.yaml

# ---- the record ----
run 0 'the record has it' audit query --kind person --json
jq -se 'length == 1 and .[0].kind == "person" and (.[0].command | test("^caisson pause --for 10m")) and (.[0].note | test("a person paused caisson for 600 seconds"))' "$tmp/out" >/dev/null
result $? 'as a row of its own'
run 0 'the chain holds' audit verify
id=$("$CAISSON" audit query --json |
	jq -rs '[.[] | select(.kind == "verdict" and .command == "make test" and .verdict == "allow")][0].id')
run 0 'a verdict of the pause is derived again' replay "$id"
out 'allow'
run 0 'also by the policy of today: the mode belongs to the request' replay --judge "$id"
"$CAISSON" suggest >"$tmp/out" 2>"$tmp/err"
result $? 'suggest reads such a record'

# ---- its end ----
run 0 'ended' pause --end
out 'caisson guards again'
decided ask 'npm login'
run 0 'there is none to end' pause --end
out 'caisson was not paused'
run 0 'none to end, as JSON' pause --end --json
json '. == {v: 1, paused: false, ended: false}'
at_terminal 0 'for a moment' yes pause --for 2s
decided pass 'npm login'
sleep 2.1
decided ask 'npm login'
at_terminal 0 'for ten minutes' yes pause --for 10m
run 0 'ended, as JSON' pause --end --json
json '. == {v: 1, paused: false, ended: true}'
at_terminal 0 'in one project' yes pause --for 10m --project
decided pass 'npm login'
run 0 'in one project, as JSON' pause --json
json ".paused and .project == \"$PWD\""
cd ../other && session=s2 && decided ask 'npm login'
cd ../work && session=s1

# ---- a file that is not as it should be is no pause ----
cp "$file" "$tmp/good"
bad() { # WHAT JQ
	jq -c "$2" "$tmp/good" >"$tmp/new" && cat "$tmp/new" >"$file"
	decided ask 'npm login'
	run 1 "$1" pause
}
bad 'another boot' '.boot = "x"'
bad 'no boot' 'del(.boot)'
bad 'longer than an hour' '.until += 4000'
bad 'over' '.until -= 700'
bad 'another version' '.v = 2'
bad 'a text for a number' '.until = "\(.until)"'
printf '{' >"$file"
decided ask 'npm login'
cp "$tmp/good" "$file" && chmod 666 "$file"
decided ask 'npm login'
chmod 600 "$file"
decided pass 'npm login'
chmod 777 "$state"
decided deny 'git status' # a state that others may write
chmod 700 "$state"
mv "$file" "$tmp/pause.json" && ln -s "$tmp/pause.json" "$file"
chmod 777 "$tmp"
decided ask 'npm login' # where the link leads to others may write
chmod 700 "$tmp"
rm "$file"
mkdir -m 700 "$tmp/state" && cp "$tmp/good" "$tmp/state/pause.json"
export CAISSON_STATE=$tmp/state
decided ask 'npm login' # agents may write below /tmp
at_terminal 1 'none is noted there' yes pause --for 10m
out 'agents can write to the state directory'
export CAISSON_STATE=$state
cp "$tmp/good" "$file"
printf 'writable_roots: [%s]\n' "$state" >"$HOME/.config/caisson/config.yaml"
decided ask 'npm login' # a writable root
rm "$HOME/.config/caisson/config.yaml"
decided pass 'npm login'
echo "1..$n"
