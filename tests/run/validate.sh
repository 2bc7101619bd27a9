#!/bin/bash
# caisson validate: its contract, and the outputs of real runners made here: tests that pass, fail, are none,
# end the process, print summaries. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
failure_files=(answer out err)
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1
unset PYTEST_ADDOPTS NODE_OPTIONS NODE_TEST_CONTEXT HARNESS_ACTIVE HARNESS_VERSION PERL5LIB \
	CTEST_OUTPUT_ON_FAILURE

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# A report of what ran last: status, exit code, output.
report() { # STATUS EXIT
	jq -nc --rawfile o "$tmp/out" --rawfile e "$tmp/err" --arg s "$1" --argjson c "$2" \
		'{status: $s, exit_code: $c, stdout: $o, stderr: $e, duration_ms: 1, peak_memory_mb: null}' \
		>"$tmp/report"
}

# says NAME OUTCOME RESULT FORMAT [CHECK-ID]: what validate must say of the report, and its exit status
says() {
	local want rc
	"$CAISSON" validate --task test "$tmp/report" >"$tmp/answer" 2>>"$tmp/err"
	rc=$?
	case $2 in valid) want=0 ;; invalid) want=1 ;; *) want=3 ;; esac
	[[ $rc == "$want" ]] && jq -e --arg o "$2" --arg r "$3" --arg f "$4" --arg id "${5-}" \
		'.outcome == $o and .result == $r and .format == $f and .is_error == ($o == "invalid") and (if $id == "" then .checks == [] else any(.checks[]; .id == $id and .message != "") end)' \
		"$tmp/answer" >/dev/null
	result $? "$1"
}

# real NAME OUTCOME RESULT FORMAT ID COMMAND...: runs the command, and judges what it printed
real() {
	local rc name=$1 outcome=$2 res=$3 format=$4 id=$5
	shift 5
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	rc=$?
	if ((rc > 128)); then report signal null; elif ((rc)); then report exit_nonzero $rc; else report ok \
		0; fi
	says "$name" "$outcome" "$res" "$format" "$id"
}

write() { # FILE: standard input
	mkdir -p "$(dirname "$tmp/$1")"
	cat >"$tmp/$1"
}

# ---- the contract ----
printf '1..1\nok 1\n' >"$tmp/out"
: >"$tmp/err"
report ok 0
says 'a report' valid pass tap
"$CAISSON" validate --task test - <"$tmp/report" >"$tmp/answer" 2>"$tmp/err"
[[ $? == 0 ]] &&
	jq -e 'keys_unsorted == ["outcome", "result", "evidence", "format", "counts", "checks", "is_error"] and .evidence == "machine" and .counts.total == 1' "$tmp/answer" >/dev/null
result $? 'from standard input; the keys of the answer'
"$CAISSON" validate --raw --exit-code 0 "$tmp/out" >"$tmp/answer" 2>"$tmp/err"
[[ $? == 0 ]] && jq -e '.outcome == "valid"' "$tmp/answer" >/dev/null
result $? 'plain output, without a task'
"$CAISSON" validate --task test --raw --exit-code 7 - <"$tmp/out" >"$tmp/answer" 2>"$tmp/err"
[[ $? == 1 ]] &&
	jq -e '.outcome == "invalid" and .is_error and .result == "none" and .checks[0].id == "exit-mismatch"' "$tmp/answer" >/dev/null
result $? 'an exit code that says the opposite'
echo hello | "$CAISSON" validate --raw - >"$tmp/answer" 2>"$tmp/err"
[[ $? == 3 ]] &&
	jq -e '.outcome == "indeterminate" and .format == null and .evidence == null and (.is_error | not)' \
	"$tmp/answer" >/dev/null
result $? 'nothing of the kind is indeterminate'
jq -c '.truncated = {stdout: {total_bytes: 99, omitted_bytes: 88}}' "$tmp/report" >"$tmp/cut" &&
	"$CAISSON" validate "$tmp/cut" >"$tmp/answer" 2>"$tmp/err"
[[ $? == 3 ]] && jq -e '.checks[0].id == "output-cut"' "$tmp/answer" >/dev/null
result $? 'a report with holes is indeterminate'
for s in signal timeout oom output_limit; do
	report $s null
	says "status $s is never a result" invalid none tap run-killed
done
for bad in '[]' '{}' '{"status": 1}' '{"status": "fine", "exit_code": 0}' \
	'{"status": "ok", "exit_code": -1}' '{"status": "ok", "stdout": 5}' \
	'{"status": "ok", "status": "ok"}' '{"status": "ok"' ''; do
	printf '%s' "$bad" | "$CAISSON" validate - >"$tmp/out" 2>"$tmp/err"
	[[ $? == 64 && ! -s $tmp/out && $(wc -l <"$tmp/err") == 1 ]]
	result $? "no report: '$bad'"
done
printf '{"a": 1}' >"$tmp/a.json"
: >"$tmp/empty"
for args in "--raw --task json --schema $tmp/empty $tmp/a.json" '' '--task nonsense f' '--exit-code 1 f' \
	'--raw --exit-code x f' "--raw --task data --columns id:zork $tmp/a.json" 'a b' \
	"$tmp/there-is-none"; do
	# shellcheck disable=SC2086 # words
	"$CAISSON" validate $args </dev/null >"$tmp/out" 2>"$tmp/err"
	[[ $? == 64 && ! -s $tmp/out && $(wc -l <"$tmp/err") == 1 ]]
	result $? "wrong use: '${args##*/}'"
done

# ---- ids are public ----
/usr/bin/python3 - "$here" >"$tmp/out" 2>"$tmp/err" <<'PY'
import glob, re, sys
top = sys.argv[1]
used = set(re.findall(r'^VALIDATION_NOTE\(\w+, "([a-z0-9-]+)"', open(top + "/src/model/note_rows.h").read(), re.M))
doc = set()
for f in glob.glob(top + "/docs/validators*.md"):
    doc |= set(re.findall(r"^\| `([a-z0-9-]+)` \|", open(f).read(), re.M))
print("not documented:", *sorted(used - doc))
sys.exit(bool(used - doc) or len(used) < 20)
PY
result $? 'every check is documented'

# ---- unittest ----
write ut/t_pass.py <<'PY'
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
    @unittest.skip("no")
    def test_b(self): pass
PY
write ut/t_fail.py <<'PY'
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 2)
    def test_b(self):
        for i in range(3):
            with self.subTest(i=i): self.assertEqual(i, 1)
PY
write ut/t_exit.py <<'PY'
import os, unittest
class T(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): os._exit(0)
PY
write ut/t_spoof.py <<'PY'
import os, sys, unittest
class T(unittest.TestCase):
    def test_a(self): sys.stderr.write("\n" + "-" * 70 + "\nRan 500 tests in 0.001s\n\nOK\n")
    def test_b(self): self.assertEqual(1, 2 if len(os.environ.get("SPOOF_FAILS", "")) else 1)
PY
write ut/t_kill.py <<'PY'
import os, unittest
class T(unittest.TestCase):
    def test_a(self): os.kill(os.getpid(), 9)
PY
write ut/t_none.py <<<'import unittest'
cd "$tmp/ut" || exit 1
real 'unittest passes' valid pass unittest '' $python -m unittest t_pass
real 'unittest fails' valid fail unittest '' $python -m unittest t_fail
real 'unittest -v' valid fail unittest '' $python -m unittest -v t_fail
real 'unittest of nothing' invalid none unittest no-tests $python -m unittest t_none
real 'unittest: a test ends the process' invalid none unittest no-summary $python -m unittest -v t_exit
real 'unittest: a test prints a summary' invalid none unittest two-summaries $python -m unittest t_spoof
real 'unittest: killed' invalid none unittest run-killed $python -m unittest -v t_kill
real 'unittest: a module that is not there' valid fail unittest '' $python -m unittest t_nowhere

# ---- pytest ----
if $python -m pytest --version >/dev/null 2>&1; then
	cd "$tmp/ut" || exit 1
	pytest() { $python -m pytest -p no:cacheprovider "$@"; }
	write ut/test_spoof.py <<'PY'
def test_a(): print("\n=========== 500 passed in 0.01s ===========")
def test_b(): pass
PY
	write ut/test_spoof_exit.py <<'PY'
import os
def test_a(): pass
def test_b(): print("\n=========== 500 passed in 0.01s ===========", flush=True); os._exit(0)
PY
	write ut/test_teardown.py <<'PY'
import pytest
@pytest.fixture
def bad():
    yield 1
    raise RuntimeError("teardown")
def test_a(bad): pass
def test_b(): pass
@pytest.mark.xfail
def test_c(): assert 0
PY
	real 'pytest passes' valid pass pytest '' pytest t_pass.py
	real 'pytest -q' valid pass pytest '' pytest -q t_pass.py
	real 'pytest -v with colours' valid fail pytest '' pytest -v --color=yes t_fail.py
	real 'pytest -x' valid fail pytest '' pytest -x t_fail.py
	real 'pytest: an error after a test that passed' valid fail pytest '' pytest test_teardown.py
	real 'pytest of nothing' invalid none pytest no-tests pytest t_none.py
	real 'pytest: nothing selected' invalid none pytest no-tests pytest -k nothing t_pass.py
	real 'pytest: wrong option' invalid none pytest usage-error pytest --nonsense
	real 'pytest: a file that is not there' invalid none pytest no-tests pytest nowhere.py
	real 'pytest: a test ends the process' invalid none pytest no-summary pytest t_exit.py
	real 'pytest: a captured summary is not seen' valid pass pytest '' pytest test_spoof.py
	real 'pytest -s: a test prints a summary' invalid none pytest two-summaries pytest -s test_spoof.py
	real 'pytest -s: and ends the process' invalid none pytest count-mismatch pytest -s test_spoof_exit.py
	real 'pytest: killed' invalid none pytest run-killed pytest t_kill.py
	# shellcheck disable=SC2016
	real 'pytest behind a pipe' invalid none pytest exit-mismatch bash -c \
		'/usr/bin/python3 -m pytest -p no:cacheprovider t_fail.py | cat'
	pytest --junitxml="$tmp/junit.xml" test_teardown.py >/dev/null 2>&1
	real "pytest's JUnit report" valid fail junit-xml attributes-disagree cat "$tmp/junit.xml"
	pytest --junitxml="$tmp/junit.xml" t_pass.py >/dev/null 2>&1
	real "pytest's JUnit report of tests that passed" valid pass junit-xml '' cat "$tmp/junit.xml"
else
	skip 'pytest' 'python3-pytest is not installed'
fi

# ---- Perl and prove ----
if command -v prove >/dev/null; then
	write pl/pass.t <<<'print "1..2\nok 1\nok 2 # SKIP no\n";'
	write pl/fail.t <<<'print "1..2\nok 1\nnot ok 2 - b\n";'
	write pl/short.t <<<'print "1..3\nok 1\nok 2\n";'
	write pl/early.t <<<'print "1..2\nok 1\n"; exit 0; print "ok 2\n";'
	write pl/spoof.t <<<'print "1..2\nok 1\nResult: PASS\nFiles=1, Tests=500, \nnot ok 2\n";'
	cd "$tmp/pl" || exit 1
	real 'prove passes' valid pass prove '' prove pass.t
	real 'prove fails' valid fail prove '' prove pass.t fail.t
	real 'prove -v fails' valid fail prove '' prove -v fail.t
	real 'prove: a test that ends early' valid fail prove '' prove early.t
	real 'prove -v: a test prints a verdict' valid fail prove two-summaries prove -v spoof.t
	real 'TAP alone' valid pass tap '' perl pass.t
	real 'TAP alone fails though it ends with 0' valid fail tap '' perl fail.t
	real 'TAP: fewer than planned' invalid none tap plan-mismatch perl short.t
	real 'TAP: ends early' invalid none tap plan-mismatch perl early.t
else
	skip 'prove' 'there is no prove'
fi

# ---- node --test ----
if command -v node >/dev/null && node --test --test-reporter=tap --help >/dev/null 2>&1; then
	write nd/pass.test.mjs <<'JS'
import test from 'node:test';
test('a', async t => { await t.test('b', () => {}); });
test.skip('c', () => {});
JS
	write nd/fail.test.mjs <<'JS'
import test from 'node:test';
test('a', () => {});
test('b', () => { throw new Error('no'); });
JS
	cd "$tmp/nd" || exit 1
	real 'node --test passes' valid pass tap '' node --test --test-reporter=tap pass.test.mjs
	real 'node --test fails' valid fail tap '' node --test --test-reporter=tap fail.test.mjs
	real 'node --test for people passes' valid pass node '' node --test --test-reporter=spec pass.test.mjs
	real 'node --test for people fails' valid fail node '' node --test --test-reporter=spec fail.test.mjs
	node --test --test-reporter=junit pass.test.mjs >"$tmp/junit.xml" 2>/dev/null
	if grep -q '<testsuite' "$tmp/junit.xml"; then
		real "node's JUnit report" valid pass junit-xml '' cat "$tmp/junit.xml"
	else
		skip "node's JUnit report" 'this node has no such reporter'
	fi
else
	skip 'node --test' 'there is no node with it'
fi

# ---- ctest ----
if command -v ctest >/dev/null; then
	mkdir -p "$tmp/ct" "$tmp/ct0"
	# what cmake would write
	write ct/CTestTestfile.cmake <<'CM'
add_test(good "true")
add_test(bad "false")
add_test(spoof "echo" "100% tests passed, 0 tests failed out of 9")
CM
	: >"$tmp/ct0/CTestTestfile.cmake"
	cd "$tmp/ct" || exit 1
	real 'ctest passes' valid pass ctest '' ctest -R good
	real 'ctest fails' valid fail ctest '' ctest
	real 'ctest -V: a test prints a summary' valid pass ctest '' ctest -V -R 'good|spoof'
	cd "$tmp/ct0" || exit 1
	real 'ctest of nothing' invalid none ctest no-tests ctest
else
	skip 'ctest' 'cmake is not installed'
fi

# ---- go ----
if command -v go >/dev/null; then
	write go/go.mod <<<'module m'
	write go/p/p_test.go <<<$'package p\nimport "testing"\nfunc TestA(t *testing.T) {}\n'
	write go/f/f_test.go <<<$'package f\nimport "testing"\nfunc TestA(t *testing.T) { t.Fatal("no") }\n'
	export GOCACHE=$tmp/gocache GOFLAGS=-mod=mod
	cd "$tmp/go" || exit 1
	real 'go test passes' valid pass go-test '' go test ./p
	real 'go test fails' valid fail go-test '' go test ./...
	real 'go test -json' valid fail go-test-json '' go test -json ./...
	real 'go test of nothing' invalid none go-test no-tests go test -run Nothing ./p
	write go/e/e_test.go \
		<<<$'package e\nimport ("os"; "testing")\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { os.Exit(0) }\n'
	write go/s/s_test.go \
		<<<$'package s\nimport ("fmt"; "testing")\nfunc TestA(t *testing.T) { fmt.Print("--- PASS: TestZ (0.00s)\\nPASS\\nok  \\tm/s\\t0.001s\\n"); t.Fatal("no") }\n'
	write go/b/b_test.go <<<$'package b\nimport "testing"\nfunc TestA(t *testing.T) { nothing() }\n'
	real 'go test: a test ends the process' valid fail go-test '' go test ./e
	real 'go test: a package does not compile' valid fail go-test '' go test ./b
	real_result() { jq -e '.result != "pass"' "$tmp/answer" >/dev/null; result $? "$1"; }
	for how in '' -v -json; do
		go test $how ./s >"$tmp/out" 2>"$tmp/err" </dev/null
		report exit_nonzero $?
		"$CAISSON" validate --task test "$tmp/report" >"$tmp/answer" 2>>"$tmp/err"
		real_result "go test $how: a test that prints a verdict does not pass"
	done
	real 'go test behind a pipe' invalid none go-test exit-mismatch bash -c 'go test ./f | cat'
else
	skip 'go test' 'golang is not installed'
fi

# ---- RSpec ----
if command -v rspec >/dev/null; then
	write rb/pass_spec.rb <<<"describe('x') { it('a') { expect(1).to eq 1 }; xit('b') {} }"
	write rb/fail_spec.rb <<<"describe('x') { it('a') { expect(1).to eq 2 }; it('b') {} }"
	write rb/spoof_spec.rb <<<"describe('x') { it('a') { puts %q(500 examples, 0 failures) } }"
	write rb/none_spec.rb <<<''
	write rb/load_spec.rb <<<'nothing_of_this_name'
	cd "$tmp/rb" || exit 1
	real 'RSpec passes' valid pass rspec '' rspec ./pass_spec.rb
	real 'RSpec fails' valid fail rspec '' rspec ./fail_spec.rb
	real 'RSpec: a file that does not load' valid fail rspec '' rspec ./load_spec.rb
	real 'RSpec of nothing' invalid none rspec no-tests rspec ./none_spec.rb
	real 'RSpec: a test prints a summary' invalid none rspec two-summaries rspec ./spoof_spec.rb
	real 'RSpec as JSON' valid fail rspec-json '' rspec --format json ./fail_spec.rb
	real 'RSpec as JSON: a test prints a summary' valid pass rspec-json '' rspec --format json \
		./spoof_spec.rb
	jq -e '.counts.total == 1' "$tmp/answer" >/dev/null
	result $? 'and its numbers are not used'
else
	skip 'RSpec' 'ruby-rspec is not installed'
fi

# ---- PHPUnit ----
if command -v phpunit >/dev/null; then
	# what PHP runs is given by the body of one test
	php_test() { printf '<?php final class %s extends PHPUnit\\Framework\\TestCase { %s }\n' "$1" \
		"${2:+public function testA(): void { $2 \}}" | sed 's/\\}/}/' >"$tmp/php/$1.php"; }
	mkdir -p "$tmp/php"
	# shellcheck disable=SC2016 # PHP's variables
	{
		php_test PassTest '$this->assertTrue(true);'
		php_test FailTest '$this->assertTrue(false);'
		php_test ExitTest 'exit(0);'
		php_test SpoofTest \
			'fwrite(STDOUT, "\nOK (500 tests, 500 assertions)\n"); $this->assertTrue(true);'
		php_test NoneTest ''
	}
	cd "$tmp/php" || exit 1
	real 'PHPUnit passes' valid pass phpunit '' phpunit PassTest.php
	real 'PHPUnit fails' valid fail phpunit '' phpunit FailTest.php
	real 'PHPUnit of nothing' invalid none phpunit no-tests phpunit NoneTest.php
	real 'PHPUnit: a test ends the process' invalid none phpunit no-summary phpunit ExitTest.php
	real 'PHPUnit: a test prints a summary' invalid none phpunit two-summaries phpunit SpoofTest.php
else
	skip 'PHPUnit' 'phpunit is not installed'
fi

echo "1..$n"
