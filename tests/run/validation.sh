#!/bin/bash
# What a run's output means: `validation` in the report of caisson run, with real runners in real boxes. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
chmod 755 "$tmp"
mkdir -p "$tmp/home/.config/caisson" "$tmp/ws"
chmod 700 "$tmp/home"
export HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home/.config CAISSON_STATE=$tmp/home/state
unset CLAUDECODE NO_COLOR FORCE_COLOR
cd "$tmp/ws" || exit 1
: >"$tmp/all"

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
	jq -e --arg task "$([[ " $* " == *" --task "* || " $* " == *" --skill "* || " $* " == *" --validator "* ]] && echo 1)" --arg o "$outcome" --arg r "$res" --arg f "$format" --arg e "$evidence" --arg id "$id" '.validation as $v |
		$v.outcome == $o and $v.result == $r and ($v.format // "") == $f and ($v.evidence // "") == $e and
		(if $id == "" then $v.checks == [] else any($v.checks[]; .id == $id and .message != "") end) and
		(if $o == "valid" then $v.message == null else $v.counts == {} and ($v.message | length > 20) end) and
		.is_error == (.status != "ok" or $o == "invalid" or
			($o == "indeterminate" and $v.task != null and ($f == "" or $v.task == "test") and $task == "1"))' "$tmp/out" >/dev/null 2>&1
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
printf '1..3\nok 1\n' >"$tmp/ws/old.log"
says 'an old log that is shown' indeterminate none tap machine only-printed -- --workspace . -c 'cat old.log | tail -n 5'
says 'an old log, and a task' invalid none tap machine plan-mismatch -- --workspace . --task test -c 'cat old.log'
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

says 'TAP of which tail shows the end' indeterminate none tap machine output-cut -- --task test -c 'printf "ok 1\nok 2\nok 3\n1..3\n" | tail -n 3'

# ---- go and cargo: a script starts their test programs ----
if command -v go >/dev/null; then
	write go/go.mod <<<$'module x\ngo 1.19'
	write go/a_test.go <<<$'package x\nimport "testing"\nfunc TestA(t *testing.T) { t.Log("quiet"); t.Run("s", func(t *testing.T) {}) }\nfunc TestB(t *testing.T) { t.Skip("no") }'
	says 'go: events beside the output' valid pass go-test-json witnessed '' -- --workspace . --task test -c 'cd go && go test ./... | cat'
	json '.validation.counts.passed == 2 and .validation.counts.skipped == 1 and .validation.canary == "failed" and (.stdout | test("^ok  \tx\t[0-9.]+s\n$"))' 'go: tests are counted, the canary fails, and the output is what it was'
	write go/m_test.go <<<$'package x\nimport ("os"; "testing")\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(0) }'
	says 'go: TestMain swallows failures' valid pass go-test-json witnessed '' -- --workspace . --task test -c 'cd go && go test ./...'
	json '[.validation.suspicions[].id] == ["canary-passed"]' 'go: and so is seen'
	write go/f_test.go <<<$'package x\nimport "testing"\nfunc TestF(t *testing.T) { t.Error("bad") }'
	says 'go: a failure that TestMain swallows' invalid none go-test-json machine count-mismatch -- --workspace . --task test -c 'cd go && go test ./...'
	rm "$tmp/ws/go/m_test.go"
	says 'go: failing tests' valid fail go-test-json witnessed '' -- --workspace . --task test -c 'cd go && go test ./...'
	json '.stdout | contains("--- FAIL: TestF") and contains("f_test.go:3: bad") and (contains("quiet") or contains("=== RUN") | not)' 'go: and their logs, not those of others'
else
	skip 'go: events beside the output' 'go is not installed'
fi
if command -v cargo >/dev/null && [[ -x /usr/bin/cargo ]]; then
	write cargo/Cargo.toml <<<$'[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"'
	write cargo/src/lib.rs <<<$'#[test] fn a() { assert_eq!(1, 1) }\n#[test] #[ignore] fn b() {}'
	says 'cargo: a log beside the output' valid pass libtest-json witnessed '' -- --workspace . --task test -c 'cd cargo && cargo test --offline --lib'
	json '.validation.counts.passed == 1 and .validation.counts.ignored == 1 and (.stderr | contains("logfile") | not)' 'cargo: tests are counted'
else
	skip 'cargo: a log beside the output' 'cargo is not installed for all users'
fi

# ---- killed, cut ----
says 'out of time' invalid none tap machine run-killed -- --timeout 500ms -c 'printf "1..1\nok 1\n"; sleep 9'
says 'by a signal' invalid none tap machine run-killed -- -c 'printf "1..1\nok 1\n"; kill -9 $$'
says 'too much output' invalid none tap machine run-killed -- --output 4K -c 'printf "1..1\nok 1\n"; yes "#" | head -c 100000'
says 'out of memory' invalid none pytest-json machine run-killed -- \
	--task test --accept watched --memory 64M --lang python -c $'import sys\nprint(\'{"exitcode": 0, "summary": {"passed": 1, "total": 1, "collected": 1}, "tests": [{"nodeid": "a", "outcome": "passed"}]}\'); sys.stdout.flush()\nx = bytearray(10 ** 10)\nfor i in range(0, len(x), 4096): x[i] = 1'
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
says 'a checker' valid fail mypy printed '' -- --task typecheck -c 'printf "a.py:1: error: no\nFound 1 error in 1 file (checked 1 source file)\n"; exit 1'
wrong 'expected test, typecheck' --task nonsense -c true
says 'prose is no table' indeterminate none csv machine one-column -- --task data -c 'printf "psql: error: connection refused\nretry\n"'
says "shellcheck's findings are not mypy's" valid fail shellcheck printed '' -- --task typecheck -c 'echo "a.sh:3:5: warning: x is unused [SC2034]"; exit 1'
says "nor are clang-tidy's" valid fail gcc printed '' -- --task typecheck -c 'echo "/src/a.c:4:5: error: no such thing [clang-diagnostic-error]"; exit 1'
wrong 'needs --task data' --columns a -c true
wrong 'needs --task data' --columns a --task json -c true
wrong "there is no type 'zork'" --task data --columns id,when:zork -c true
wrong "there is no type ''" --task data --columns id: -c true
wrong 'more than 256 columns' --task data --columns "$(seq -s, 257)" -c true
says 'a column with a colon in its name' valid pass csv machine '' -- --task data --columns a:b:any,c -c 'printf "a:b,c\n1,2\n"'
wrong 'needs --task json' --schema schema.json --task test -c true
wrong 'cannot open' --task json --schema none.json -c true

# ---- validators of one's own ----
write yes.py <<'CODE'
import json, sys
r = json.load(sys.stdin)
print(json.dumps({"outcome": "valid", "result": "fail" if "bad" in r["stdout"] else "pass", "counts": {"bytes": len(r["stdout"])}, "checks": [{"id": "seen", "message": "it was\u202e read"}]}))
CODE
says "a validator of one's own" valid pass validator printed validator:seen -- --task custom --validator yes.py -c 'echo good'
json '.validation.counts == {"bytes": 5} and .validation.task == "custom" and (.validation.checks[0].message | contains("\\u{202e}"))' 'its counts, and its message made visible'
says 'it says that the result is a failure' valid fail validator printed validator:seen -- --validator yes.py -c 'echo bad'
says 'it reads all of the output' valid pass validator printed validator:seen -- --validator yes.py -c 'yes 0123456789 | head -c 5000000'
json '.validation.counts.bytes == 5000000' 'to the last byte'
write no.sh <<<'echo "{\"outcome\": \"invalid\", \"checks\": [{\"id\": \"too-few\", \"message\": \"fewer tests than yesterday: find out why\"}]}"; exit 1'
says 'both: the tests pass, it says no' invalid none tap machine validator:too-few -- --task test --validator no.sh -c 'printf "1..1\nok 1\n"'
json '.validation.message == "do not use this result: fewer tests than yesterday: find out why"' 'and its reason is what is said'
says 'both: the tests do not add up, it is not asked' invalid none tap machine plan-mismatch -- --task test --validator yes.py -c 'printf "1..2\nok 1\n"'
says 'both: the tests fail, it is content' valid fail tap machine validator:seen -- --task test --validator yes.py -c 'printf "1..1\nnot ok 1\n"'
says 'a format that only it knows' valid pass validator printed validator:seen -- --task test --validator yes.py -c 'echo "all well"'
says 'a run that was killed' invalid none '' '' run-killed -- --timeout 300ms --validator yes.py -c 'sleep 9'
wrongs=0
while IFS= read -r answer; do
	printf "cat <<'END'\n%s\nEND\n" "$answer" | write wrong.sh
	run --validator wrong.sh -c 'echo x'
	jq -e '.validation.outcome == "indeterminate" and .validation.result == "none" and any(.validation.checks[]; .id == "custom-failed") and .is_error' "$tmp/out" >/dev/null || { wrongs=1; break; }
done <<'ANSWERS'
nothing of the kind
{"outcome": "good"}
{"result": "pass"}
{"outcome": "invalid", "result": "pass"}
{"outcome": "valid", "result": "perhaps"}
{"outcome": "valid", "counts": {"a": -1}}
{"outcome": "valid", "counts": {"a": 1.5}}
{"outcome": "valid", "counts": [1]}
{"outcome": "valid", "counts": {"a b\u0000": 1}}
{"outcome": "valid", "checks": [{"id": "a"}]}
{"outcome": "valid", "checks": [{"id": "../x", "message": "m"}]}
{"outcome": "valid"} {"outcome": "valid"}
["valid"]
{"outcome": "valid",
ANSWERS
result $wrongs 'wrong answers are indeterminate'
# shellcheck disable=SC2016 # the box's own $$
for body in 'exit 1' 'kill -9 $$' 'echo "{\"outcome\": \"valid\"}"; exit 1' 'yes' 'touch made'; do
	printf '%s\n' "$body" | write wrong.sh
	says "a validator that runs '$body'" indeterminate none '' '' custom-failed -- --workspace . --validator wrong.sh -c 'echo x'
done
write change.py <<<'print("{}")'
says 'a validator that the run changes' indeterminate none '' '' custom-failed -- --workspace . --validator change.py -c 'cp yes.py change.py'
[[ ! -e $tmp/ws/made ]]
result $? 'nothing was made in the workspace'
printf 'validators: [{name: slow, command: [sleep, "9"], timeout_ms: 300}]\n' >"$tmp/home/.config/caisson/config.yaml"
says 'a validator that takes too long' indeterminate none '' '' custom-failed -- --task custom -c 'echo x'
rm "$tmp/home/.config/caisson/config.yaml"
write spy.py <<'CODE'
import json, os, socket, sys
r = json.load(sys.stdin)
free = []
try:
    open("mine", "w"); free.append("write")
except OSError:
    pass
try:
    socket.socket(); free.append("network")
except OSError:
    pass
if "GITHUB_TOKEN" in os.environ or "ghp_" in json.dumps(r):
    free.append("secret")
print(json.dumps({"outcome": "invalid" if free else "valid", "checks": [{"id": x, "message": x} for x in free]}))
CODE
export GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345
says 'it can neither write the workspace nor reach the network nor see secrets' valid pass validator printed '' -- --workspace . --validator spy.py -c 'echo ghp_0123456789abcdefghijABCDEFGHIJ012345'
unset GITHUB_TOKEN
cp "$tmp/ws/yes.py" "$tmp/home/mine.py"
write fail.sh <<<'cat >/dev/null; echo "{\"outcome\": \"valid\", \"result\": \"fail\"}"'
printf 'validators: [{name: mine, command: [python3, %s]}, {name: more, task: test, command: [bash, %s]}]\n' "$tmp/home/mine.py" "$tmp/ws/fail.sh" >"$tmp/home/.config/caisson/config.yaml"
says "the policy's validators" valid pass mine printed mine:seen -- --task custom -c 'echo good'
says "the policy's validators, by the task that was recognised" valid fail tap machine '' -- -c 'printf "1..1\nok 1\n"'
mv "$tmp/home/.config/caisson/config.yaml" .caisson.yaml
says "a project's do not count" valid pass tap machine '' -- --workspace . -c 'printf "1..1\nok 1\n"'
rm "$tmp/ws/.caisson.yaml"
wrong 'needs --validator' --task custom -c true
wrong 'cannot open' --validator none.py -c true

# ---- a skill's task ----
printf -- '---\nname: x\ntask: test\n---\ntext\n' >"$tmp/skill.md"
says "the skill's task" indeterminate none '' '' not-recognised -- --skill "$tmp/skill.md" -c 'echo hello'
json '.validation.task == "test"' 'is the task'
says "the command line's goes before it" valid pass csv machine '' -- --skill "$tmp/skill.md" --task data -c 'printf "a,b\n1,2\n"'
write good.schema.json <<<'{"type": "object", "required": ["id"]}'
write last.py <<<'import json,sys; d = json.load(sys.stdin); print(json.dumps({"outcome": "valid", "result": "pass"}))'
printf -- '---\nname: x\ntask: json\nschema: good.schema.json\n---\n' >"$tmp/ws/schema.md"
says "the skill's schema" valid pass json machine '' -- --skill schema.md -c 'echo "{\"id\": 1}"'
says "a result that does not fit the skill's schema" invalid none json machine schema-violation -- --skill schema.md -c 'echo "{}"'
printf -- '---\nname: x\ntask: custom\nvalidator: last.py\n---\n' >"$tmp/ws/validator.md"
says "the skill's validator" valid pass validator printed '' -- --skill validator.md -c 'echo good'
printf -- '---\ntask: nonsense\n---\n' >"$tmp/bad.md"
wrong "the skill's task 'nonsense'" --skill "$tmp/bad.md" -c true

# ---- runners that write a report beside what they print ----
if command -v pytest >/dev/null && /usr/bin/python3 -m pytest --version >/dev/null 2>&1; then
	write t_pass.py <<<$'def test_a(): pass\ndef test_b(): pass\n'
	write t_fail.py <<<$'def test_a(): pass\ndef test_b(): assert 0\n'
	write t_mixed.py <<'CODE'
import pytest
def test_a(): pass
@pytest.mark.skip
def test_b(): pass
@pytest.mark.xfail
def test_c(): assert 0
@pytest.mark.xfail
def test_d(): pass
@pytest.fixture
def bad():
    yield
    raise RuntimeError
def test_e(bad): pass
CODE
	write t_exit.py <<<$'import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n'
	# prints what pytest would have printed, to the letter, and ends it before it can say otherwise
	write t_forge.py <<'CODE'
import os
def test_a(): assert 0
def test_b():
    os.write(1, b".                                                              [100%]\n\n============================== 2 passed in 0.03s ===============================\n")
    os._exit(0)
CODE
	write t_print.py <<<$'def test_a():\n    print("\\n===== 500 passed in 0.01s =====")\n'
	write t_leave.py <<<$'import pytest\ndef test_a(): pass\ndef test_b(): pytest.exit("x", returncode=0)\ndef test_c(): assert 0\n'
	write t_kill.py <<<$'import os\ndef test_a(): os.kill(os.getpid(), 9)\n'
	write t_big.py <<<$'import pytest\n@pytest.mark.parametrize("i", range(3000))\ndef test_a(i): pass\n'
	write t_open.py <<<$'import os\ndef test_a():\n    with open(os.environ["PYTEST_ADDOPTS"].split("=", 1)[1], "w") as f: f.write("<testsuites><testsuite><testcase name=\\"x\\"/></testsuite></testsuites>")\n    os._exit(0)\n'
	py() { # NAME OUTCOME RESULT FORMAT EVIDENCE ID COMMAND
		says "pytest: $1" "$2" "$3" "$4" "$5" "$6" -- --workspace . --task test -c "$7"
	}
	pytest='python3 -B -m pytest -p no:cacheprovider'
	py 'a report besides' valid pass junit-xml witnessed '' "$pytest t_pass.py"
	json '.validation.counts == {"total": 2, "passed": 2, "failed": 0, "errors": 0, "skipped": 0}' 'and its numbers'
	py 'tests that fail' valid fail junit-xml witnessed '' "$pytest t_fail.py"
	py 'all kinds of outcomes, and an error in teardown' valid fail junit-xml witnessed attributes-disagree "$pytest t_mixed.py"
	py 'many tests' valid pass junit-xml witnessed '' "$pytest -q t_big.py"
	json '.validation.counts.total == 3000' 'all of them are counted'
	py 'a pipe that hides the exit code' valid fail junit-xml machine '' "$pytest t_fail.py | cat"
	py 'only the last line is printed' valid pass junit-xml witnessed '' "$pytest -q t_pass.py | tail -n 1"
	py 'other text behind a bare summary' valid pass junit-xml witnessed '' "$pytest -q t_pass.py; echo done"
	py 'and another number in it' valid pass junit-xml machine '' "$pytest -q t_pass.py | sed 's/2 passed/3 passed/'; echo done"
	mkdir -p tox nox
	cp t_pass.py tox/test_pass.py
	cp t_pass.py nox/test_pass.py
	cat >tox/tox.ini <<'CODE'
[tox]
skipsdist = true
envlist = py
[testenv]
sitepackages = true
commands = /usr/bin/python3 -B -m pytest -q
allowlist_externals = /usr/bin/python3
CODE
	cat >nox/noxfile.py <<'CODE'
import nox

@nox.session(venv_backend="none")
def tests(session):
    session.run("/usr/bin/python3", "-B", "-m", "pytest", "-q")
CODE
	for tool in tox nox; do
		if [ -x "/usr/bin/$tool" ]; then
			py "behind $tool" valid pass junit-xml witnessed '' "cd $tool && /usr/bin/$tool"
			json '.validation.canary == "failed"' 'with its canary'
		else
			skip "pytest behind $tool" "$tool is not installed"
		fi
	done
	py 'two runs' valid fail junit-xml machine '' "$pytest t_fail.py; $pytest t_pass.py"
	json '.validation.counts.total == 4 and .validation.counts.failed == 1' 'are counted together'
	py 'something else fails' invalid none junit-xml machine exit-mismatch "$pytest -q t_pass.py >/dev/null; exit 3"
	py 'a report of its own is asked for' valid pass pytest printed '' "$pytest --junitxml=/tmp/own.xml t_pass.py"
	py 'no report comes' indeterminate none pytest printed report-missing "env -u PYTEST_ADDOPTS $pytest t_pass.py"
	py 'nothing was selected' invalid none pytest printed no-tests "$pytest -k nothing t_pass.py"
	py 'a test ends the process' invalid none pytest printed no-summary "$pytest t_exit.py"
	py 'a test prints a summary' invalid none pytest printed two-summaries "$pytest -s t_print.py"
	py 'a captured summary is none' valid pass junit-xml witnessed '' "$pytest t_print.py"
	py 'a test forges the rest of the output and ends the process' indeterminate none pytest printed report-missing "$pytest -s t_forge.py | sed 's/F\\././'"
	py 'a test is killed' invalid none pytest printed run-killed "exec $pytest t_kill.py"
	py 'a test writes to the report itself' invalid none pytest printed no-summary "$pytest t_open.py"
	says 'without a task nobody is asked' valid pass pytest printed '' -- --workspace . -c "$pytest t_pass.py"
	! grep -q junit "$tmp/out"
	result $? 'and nothing is added'
	mkdir -p "$tmp/config/caisson"
	echo 'results: {require: witnessed}' >"$tmp/config/caisson/config.yaml"
	export XDG_CONFIG_HOME=$tmp/config
	py 'a policy that requires a witness, and there is one' valid pass junit-xml witnessed '' "$pytest t_pass.py"
	py 'a policy that requires a witness, and there is none' indeterminate none pytest printed not-witnessed "$pytest --junitxml=/tmp/own.xml t_pass.py"
	says 'a validator of its own is no witness' indeterminate none validator printed not-witnessed -- --task test --validator last.py -c 'echo hello'
	echo 'results: {require: nothing}' >"$tmp/config/caisson/config.yaml"
	run --task test -c 'echo hello'
	json '.validation.outcome == "indeterminate" and (.is_error | not)' 'a policy that requires nothing'
	unset XDG_CONFIG_HOME
	write t_less.py <<<$'def test_a(): pass\ndef test_b(): pass\n'
	py 'a run to compare with' valid pass junit-xml witnessed '' "$pytest t_less.py"
	write t_less.py <<<$'def test_a(): pass\n'
	py 'a test less' valid pass junit-xml witnessed '' "$pytest t_less.py"
	json '[.validation.suspicions[].id] == ["fewer-tests", "tests-vanished"] and (.is_error | not)' 'is a suspicion'
	write canary/t_pass.py <<<$'def test_a(): pass\n'
	py 'tests that must fail do so' valid pass junit-xml witnessed '' "$pytest -k test_a canary/t_pass.py"
	json '.validation.canary == "failed" and .validation.suspicions == [] and (.stdout | contains("caisson_witness") | not)' 'and nothing of that is seen'
	write canary/conftest.py <<<$'import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    o = yield\n    o.get_result().outcome = "passed"\n'
	py 'a conftest makes every test pass' valid pass junit-xml witnessed '' "$pytest canary/t_pass.py"
	json '.validation.canary == "passed" and [.validation.suspicions[].id] == ["canary-passed"] and (.is_error | not)' 'and so is seen'
	mkdir -p "$tmp/config/caisson"
	echo 'results: {canary: false}' >"$tmp/config/caisson/config.yaml"
	XDG_CONFIG_HOME=$tmp/config py 'a policy without canaries' valid pass junit-xml witnessed '' "$pytest canary/t_pass.py"
	json '.validation.canary == null and .validation.suspicions == []' 'has none'
	[[ $(cd "$tmp/ws/canary" && echo *) == 'conftest.py t_pass.py' ]]
	result $? 'nothing is left in the project'
	# in a repository, edits of tests are information; what they take away makes them a suspicion
	mkdir -p "$tmp/repo"
	cd "$tmp/repo" || exit 1
	printf 'def test_a():\n    assert 1\n    assert 2\ndef test_b():\n    assert 3\n' >test_r.py
	git init -q . && git add . && git -c user.name=t -c user.email=t@example.org commit -qm tests
	py 'tests as in HEAD' valid pass junit-xml witnessed '' "$pytest"
	json '.validation.suspicions == [] and .validation.checks == []' 'need no word'
	printf 'def test_c():\n    assert 4\n' >test_new.py
	py 'a new test file' valid pass junit-xml witnessed tests-changed "$pytest"
	json '.validation.suspicions == [] and (.validation.checks[0] | .warning and (.message | contains("test_new.py")))' 'is information'
	rm test_new.py
	sed -i 's/assert 3/pass/' test_r.py
	run --workspace . --task test -c "$pytest test_r.py"
	json '.validation.suspicions | length == 1 and .[0].id == "tests-changed" and (.[0].message | contains("test_r.py") and contains("assertions"))' 'an assertion less is a suspicion'
	"$CAISSON" verify-tests -c "/usr/bin/$pytest" >"$tmp/out" 2>"$tmp/err" </dev/null
	[[ $? == 0 ]] && grep -q 'the tests of HEAD pass' "$tmp/out"
	result $? 'verify-tests: the tests of HEAD pass'
	printf 'def f(x):\n    return 2 * x\n' >code_r.py
	printf 'from code_r import f\ndef test_f():\n    assert f(2) == 4\n' >test_f.py
	git add . && git -c user.name=t -c user.email=t@example.org commit -qm more
	sed -i 's/2 \* x/3 * x/' code_r.py
	sed -i 's/== 4/== 6/' test_f.py
	py 'an expectation was changed' valid pass junit-xml witnessed tests-changed "$pytest test_f.py"
	"$CAISSON" verify-tests --json -c "/usr/bin/$pytest test_f.py" >"$tmp/out" 2>"$tmp/err" </dev/null
	[[ $? == 1 ]]
	result $? 'verify-tests: and the tests of HEAD fail'
	json '.validation.outcome == "valid" and .validation.result == "fail" and .validation.evidence == "witnessed"' 'which is witnessed'
	[[ $(git status --porcelain) == $' M code_r.py\n M test_f.py' && -z $(ls -d /tmp/verify-tests.* 2>/dev/null) ]]
	result $? 'the repository is as it was'
	cd "$tmp/ws" || exit 1
	py 'pytest -O' indeterminate none junit-xml machine dry-run "${pytest/-B/-B -O} t_pass.py"
	py 'pytest.exit() with 0' invalid none pytest printed interrupted "$pytest -q t_leave.py"
	says "with variables of the caller's" valid pass junit-xml witnessed '' -- --workspace . --env PYTEST_ADDOPTS=-q --task test -c "$pytest t_pass.py"
	mkdir -p "$tmp/ws/none"
	run --workspace . --task test -c 'ls /caisson/reports; echo no > /caisson/reports/pytest.xml; rm -f /caisson/reports/pytest.xml; head -c 3000000 /dev/zero > /caisson/reports/pytest.xml; echo "$?"'
	json '.validation.outcome == "invalid" and (.stdout | contains("pytest.xml"))' 'rubbish in the report is invalid'
	run --workspace . --task test --timeout 20 -c 'head -c 30000000 /dev/zero > /caisson/reports/pytest.xml; echo "$?"'
	json '.validation.outcome == "indeterminate" and any(.validation.checks[]; .id == "too-large") and .stdout == "0\n"' 'too much of it makes nobody wait, and is indeterminate'
	[[ -z $(ls -A "$CAISSON_STATE/reports") ]]
	result $? 'nothing is left behind'
else
	skip 'pytest' 'python3-pytest is not installed'
fi

write test_u.py <<<$'import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): self.fail()\n'
write test_uexit.py <<<$'import os, unittest\nclass T(unittest.TestCase):\n    def test_a(self): os._exit(0)\n'
write test_uspoof.py <<<$'import sys, unittest\nclass T(unittest.TestCase):\n    def test_a(self): print("\\n" + "-" * 70 + "\\nRan 500 tests in 0.1s\\n\\nOK", file=sys.stderr)\n    def test_b(self): self.fail()\n'
says 'unittest fails' valid fail unittest printed '' -- --workspace . --task test -c 'python3 -B -m unittest test_u'
says 'unittest: a test ends the process' indeterminate none '' '' not-recognised -- --workspace . --task test -c 'python3 -B -m unittest test_uexit'
says 'unittest: a test prints a summary, and another fails' valid fail unittest printed two-summaries -- --workspace . --task test -c 'python3 -B -m unittest test_uspoof'
json '.validation.counts == {}' 'and no number is believed'
says 'unittest: a test prints a summary' invalid none unittest printed two-summaries -- --workspace . --task test -c 'python3 -B -m unittest test_uspoof.T.test_a'

if command -v node >/dev/null && node --test --test-reporter=junit --help >/dev/null 2>&1; then
	write pass.test.mjs <<<$'import test from "node:test";\ntest("a", async t => { await t.test("b", () => {}); });\ntest.skip("c", () => {});\n'
	write fail.test.mjs <<<$'import test from "node:test";\ntest("a", () => {});\ntest("b", () => { throw new Error("no"); });\n'
	write exit.test.mjs <<<$'import test from "node:test";\ntest("a", () => {});\ntest("b", () => { process.exit(0); });\n'
	says 'node --test' valid pass junit-xml witnessed '' -- --workspace . --task test -c 'node --test pass.test.mjs'
	says 'node --test fails' valid fail junit-xml witnessed '' -- --workspace . --task test -c 'node --test fail.test.mjs'
	says 'node --test behind a pipe' valid fail junit-xml machine '' -- --workspace . --task test -c 'node --test fail.test.mjs | cat'
	run --workspace . --task test -c 'node --test exit.test.mjs'
	json '.validation.result != "pass" or .validation.counts.total < 2' 'node --test: a test that ends its process does not count as two'
	says 'node --test behind quotes and a variable' valid pass junit-xml witnessed '' -- --workspace . --task test -c "A=1 node --test 'pass.test.mjs'"
	json '.validation.canary == "failed"' 'and its canary'
	write runner.mk <<<$'test:\n\t@node --require ./assert.cjs --test pass.test.mjs\n'
	write assert.cjs <<<$'require("assert").strictEqual = () => {};\n'
	says 'node --test behind make, with a patched assert' valid pass junit-xml witnessed '' -- --workspace . --task test -c 'make -f runner.mk test'
	json '[.validation.suspicions[].id] == ["canary-passed"]' 'is seen'
	write patch.test.mjs <<<$'import test from "node:test";\nimport assert from "node:assert";\nassert.strictEqual = () => {};\ntest("a", () => { assert.strictEqual(1, 2); });\n'
	says 'node --test: a file patches assert' valid pass junit-xml witnessed '' -- --workspace . --task test -c 'node --test patch.test.mjs'
	json '[.validation.suspicions[].id] == ["canary-passed"]' 'is seen in that file'
	says 'node --test with a reporter of its own' valid pass tap machine '' -- --workspace . --task test -c 'node --test --test-reporter=tap pass.test.mjs'
else
	skip 'node --test' 'there is no node with a junit reporter'
fi

if command -v ctest >/dev/null; then
	write ctest/CMakeLists.txt <<<$'cmake_minimum_required(VERSION 3.13)\nproject(x NONE)\nenable_testing()\nadd_test(NAME a COMMAND true)\nadd_test(NAME b COMMAND test -e b)'
	cmake -S "$tmp/ws/ctest" -B "$tmp/ws/ctest" >/dev/null && touch "$tmp/ws/ctest/b"
	says 'ctest' valid pass junit-xml witnessed '' -- --workspace . --task test -c 'cd ctest && ctest'
	json '.validation.counts.total == 2' 'ctest: tests are counted'
	rm "$tmp/ws/ctest/b"
	says 'ctest behind a pipe' valid fail junit-xml machine '' -- --workspace . --task test -c 'cd ctest && ctest | tail -n 1'
	says 'ctest by its path' valid fail ctest printed '' -- --workspace . --task test -c "cd ctest && $(command -v ctest)"
else
	skip 'ctest' 'cmake is not installed'
fi

if command -v bats >/dev/null && command -v git >/dev/null; then
	write first/t/a.bats <<<$'@test "a" { true; }\n@test "b" { [ 1 = 2 ]; }\n@test "c" { [ 1 = 1 ]; }'
	(cd "$tmp/ws/first" && git init -q && git add . && git -c user.name=t -c user.email=t@example.org commit -qm x)
	write first/t/a.bats <<<$'@test "a" { true; }\n@test "c" { [ 1 = 1 ]; [ 2 = 2 ]\n[ 3 = 3 ]; }'
	(cd "$tmp/ws/first" && "$CAISSON" run --workspace . --task test -c 'bats t') >"$tmp/out" 2>/dev/null
	json '[.validation.suspicions[].id] == ["fewer-tests", "tests-changed"] and (.validation.suspicions[0].message | contains("HEAD has 3"))' 'the first run is compared with a list of the tests of HEAD'
else
	skip 'the tests of HEAD are listed' 'bats or git is not installed'
fi

if command -v prove >/dev/null; then
	write pass.t <<<'print "1..2\nok 1\nok 2\n";'
	write early.t <<<'print "1..2\nok 1\n"; exit 0; print "ok 2\n";'
	write spoof.t <<<'print "1..2\nok 1\nResult: PASS\nFiles=1, Tests=500, \nnot ok 2\n";'
	says 'prove' valid pass prove printed '' -- --workspace . --task test -- prove pass.t
	says 'prove: a test ends early' valid fail prove printed '' -- --workspace . --task test -- prove early.t
	says 'prove: a test prints a verdict' valid fail prove printed two-summaries -- --workspace . --task test -- prove -v spoof.t
else
	skip 'prove' 'there is no prove'
fi

if command -v rspec >/dev/null; then
	write a_spec.rb <<<"describe('x') { it('a') { expect(1).to eq 1 }; it('b') { puts %q(500 examples, 0 failures); expect(1).to eq 2 } }"
	write b_spec.rb <<<"describe('x') { it('a') { expect(1).to eq 1 } }"
	says 'RSpec' valid pass rspec-json witnessed '' -- --workspace . --task test -c 'rspec ./b_spec.rb'
	says 'RSpec: a test prints a summary' valid fail rspec-json witnessed '' -- --workspace . --task test -c 'rspec ./a_spec.rb'
	json '.validation.counts.total == 2 and .validation.counts.failed == 1' 'and is not believed'
else
	skip 'RSpec' 'ruby-rspec is not installed'
fi

if command -v phpunit >/dev/null; then
	# shellcheck disable=SC2016 # PHP's variables
	write PassTest.php <<<'<?php final class PassTest extends PHPUnit\Framework\TestCase { public function testA(): void { $this->assertTrue(true); } }'
	says 'PHPUnit, by added arguments' valid pass junit-xml witnessed '' -- --workspace . --task test -- phpunit PassTest.php
	says 'PHPUnit, as shell text' valid pass junit-xml witnessed '' -- --workspace . --task test -c 'phpunit PassTest.php'
	says 'PHPUnit: text that is more than its call' valid pass phpunit printed '' -- --workspace . --task test -c 'true; phpunit PassTest.php'
else
	skip 'PHPUnit' 'phpunit is not installed'
fi

# ---- messages quote the output, and secrets in it are none there either ----
GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 "$CAISSON" run --task json --schema schema.json -c 'echo "{\"ghp_0123456789abcdefghijABCDEFGHIJ012345\": 1, \"ghp_0123456789abcdefghijABCDEFGHIJ012345\": 2}"' >"$tmp/out" 2>"$tmp/err"
jq -e '.validation.outcome == "invalid"' "$tmp/out" >/dev/null && ! grep -q ghp_0123 "$tmp/out"
result $? 'no secret in a message'

/usr/bin/python3 -B "$here/tests/run/schema.py" "$here/docs/schema/report.schema.json" "$tmp/all" >"$tmp/out" 2>"$tmp/err"
result $? "$(wc -l <"$tmp/all") reports fit the schema"

echo "1..$n"
