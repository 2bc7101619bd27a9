#!/bin/bash
# What a run's output means: `validation` in the report of caisson run, with real runners in real boxes. TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
CAISSON=${CAISSON:-$here/build/caisson}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
mkdir -p "$tmp/home/.config/caisson" "$tmp/ws"
chmod 700 "$tmp/home"
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/home/state
unset CLAUDECODE NO_COLOR FORCE_COLOR
cd "$tmp/ws" || exit 1
n=0
: >"$tmp/all"

result() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		head -c 3000 "$tmp/out" "$tmp/err" 2>/dev/null | sed 's/^/#   /'
		echo
	fi
}
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# Every report that is made here is checked against the schema at the end.
run() {
	"$CAISSON" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
	cat "$tmp/out" >>"$tmp/all"
}
json() { jq -e "$1" "$tmp/out" >/dev/null 2>&1; result $? "$2"; }
# says NAME OUTCOME RESULT FORMAT EVIDENCE ID -- ARGUMENTS: the report's validation, with this check among its checks ('' for none)
says() {
	local name=$1 outcome=$2 res=$3 format=$4 evidence=$5 id=$6
	shift 7
	run "$@"
	jq -e --arg o "$outcome" --arg r "$res" --arg f "$format" --arg e "$evidence" --arg id "$id" '.validation as $v |
		$v.outcome == $o and $v.result == $r and ($v.format // "") == $f and ($v.evidence // "") == $e and
		(if $id == "" then $v.checks == [] else any($v.checks[]; .id == $id and .message != "") end) and
		(if $o == "valid" then $v.message == null else $v.counts == {} and ($v.message | length > 20) end) and
		.is_error == (.status != "ok" or $o == "invalid")' "$tmp/out" >/dev/null 2>&1
	result $? "$name"
}
wrong() { # wrong PATTERN ARG...: 64, one line, nothing on standard output
	local want=$1
	shift
	"$CAISSON" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	[[ $? == 64 && $(wc -l <"$tmp/err") == 1 && ! -s $tmp/out ]] && grep -q -- "$want" "$tmp/err"
	result $? "wrong use: $*"
}
write() { # FILE: standard input
	mkdir -p "$(dirname "$tmp/ws/$1")"
	cat >"$tmp/ws/$1"
}

if ! "$CAISSON" run -- /bin/true >"$tmp/out" 2>"$tmp/err"; then
	echo "1..0 # SKIP no box on this host: $(head -c 300 "$tmp/err" | tr '\n' ' ')"
	exit 0
fi

# ---- when there is one ----
run -c 'echo hello'
json '.validation == null and (.is_error | not)' 'an ordinary output has none'
run -- /bin/true
json '.validation == null' 'nor has no output'
says 'with a task there is always one' indeterminate none '' '' not-recognised -- --task test -c 'echo hello'
says 'a task and no output' indeterminate none '' '' not-recognised -- --task test -- /bin/true
says 'recognised without a task' valid pass tap machine '' -- -c 'printf "1..2\nok 1\nok 2\n"'
json '.validation.counts.total == 2 and .validation.counts.passed == 2 and .validation.task == "test"' 'and counted'
says 'failing tests are valid, and the run is an error by its status alone' valid fail tap machine '' -- -c 'printf "1..1\nnot ok 1\n"; exit 1'
says 'what cannot be is invalid, though the command ended with 0' invalid none tap machine plan-mismatch -- -c 'printf "1..3\nok 1\n"'
[[ $code == 0 ]]
result $? "and caisson's own exit status stays the command's"
json '.status == "ok" and .is_error and (.validation.message | startswith("do not use this result"))' 'the report is an error, and says what to do'
says 'another task does not read it as tests' indeterminate none '' '' not-recognised -- --task typecheck -c 'printf "1..2\nok 1\nok 2\n"'

# ---- raw bytes, before anything is left out ----
says 'more than is shown is counted' valid pass tap machine '' -- -c 'echo 1..3000; for ((i = 1; i <= 3000; i++)); do echo "ok $i"; done'
json '.validation.counts.total == 3000 and .truncated.stdout.omitted_lines > 100' 'though most of it is not shown'
says 'a table with colours in it is not the table that is shown' invalid none csv machine column-missing -- --task data --columns id,name -c 'printf "id,na\033[0mme\n1,a\n"'

# ---- killed, cut ----
says 'out of time' invalid none tap machine run-killed -- --timeout 500ms -c 'printf "1..1\nok 1\n"; sleep 9'
says 'by a signal' invalid none tap machine run-killed -- -c 'printf "1..1\nok 1\n"; kill -9 $$'
says 'too much output' invalid none tap machine run-killed -- --output 4K -c 'printf "1..1\nok 1\n"; yes "#" | head -c 100000'
says 'out of memory, or refused it' invalid none pytest-json machine "$([[ $(jq -r .limits.memory_mb.enforced_by "$tmp/all" | head -n 1) == cgroup* ]] && echo run-killed || echo exit-mismatch)" -- \
	--task test --memory 64M --lang python -c $'import sys\nprint(\'{"exitcode": 0, "summary": {"passed": 1, "total": 1, "collected": 1}, "tests": [{"nodeid": "a", "outcome": "passed"}]}\'); sys.stdout.flush()\nx = bytearray(10 ** 10)\nfor i in range(0, len(x), 4096): x[i] = 1'
says 'more than can be checked' indeterminate none tap machine output-large -- --head 1 -c 'yes "# a comment of some length, again and again" | head -c 17000000; printf "\n1..1\nok 1\n"'
says 'a command that could not start' indeterminate none '' '' not-run -- --task test -- no-such-program
printf 'tools: {bash: {deny: [frobnicate]}}\n' >"$tmp/home/.config/caisson/config.yaml"
says 'a command that was denied' indeterminate none '' '' not-run -- --gate --task test -c 'frobnicate --all'
rm "$tmp/home/.config/caisson/config.yaml"

# ---- the other tasks ----
says 'a table' valid pass csv machine '' -- --task data --columns id,amount:integer -c 'printf "id,amount\n1,2\n"'
says 'a table with the wrong type' invalid none csv machine type-wrong -- --task data --columns amount:integer -c 'printf "id,amount\n1,x\n"'
write schema.json <<<'{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}'
says 'JSON that meets its schema' valid pass json machine '' -- --task json --schema schema.json -c "echo '{\"a\": 1}'"
says 'JSON that does not' invalid none json machine schema-violation -- --task json --schema schema.json -c "echo '{\"a\": \"x\"}'"
says 'a checker' valid fail mypy text '' -- --task typecheck -c 'printf "a.py:1: error: no\nFound 1 error in 1 file (checked 1 source file)\n"; exit 1'
wrong 'expected test, typecheck' --task nonsense -c true
wrong 'goes with --task data' --columns a -c true
wrong 'goes with --task data' --columns a --task json -c true
wrong 'goes with --task json' --schema schema.json --task test -c true
wrong 'cannot open' --task json --schema none.json -c true

# ---- a skill's task ----
printf -- '---\nname: x\ntask: test\n---\ntext\n' >"$tmp/skill.md"
says "the skill's task" indeterminate none '' '' not-recognised -- --skill "$tmp/skill.md" -c 'echo hello'
json '.validation.task == "test"' 'is the task'
says "the command line's goes before it" valid pass csv machine '' -- --skill "$tmp/skill.md" --task data -c 'printf "a,b\n1,2\n"'
printf -- '---\ntask: nonsense\n---\n' >"$tmp/bad.md"
wrong "the skill's task 'nonsense'" --skill "$tmp/bad.md" -c true

# ---- messages quote the output, and secrets in it are none there either ----
GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 "$CAISSON" run --task json --schema schema.json -c 'echo "{\"ghp_0123456789abcdefghijABCDEFGHIJ012345\": 1, \"ghp_0123456789abcdefghijABCDEFGHIJ012345\": 2}"' >"$tmp/out" 2>"$tmp/err"
jq -e '.validation.outcome == "invalid"' "$tmp/out" >/dev/null && ! grep -q ghp_0123 "$tmp/out"
result $? 'no secret in a message'

/usr/bin/python3 -B "$here/tests/run/schema.py" "$here/docs/schema/report.schema.json" "$tmp/all" >"$tmp/out" 2>"$tmp/err"
result $? "$(wc -l <"$tmp/all") reports fit the schema"

echo "1..$n"
