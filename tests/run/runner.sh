#!/bin/bash
# The test runner itself: what it counts, and that nothing that went wrong looks like success.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"

# expect STATUS LAST-LINE WHAT: standard input is a test script; the runner must end with STATUS and print
# LAST-LINE last
expect() {
	local out status ok='not ok'
	cat >"$tmp/one.sh"
	out=$(BUILD=$tmp TEST_TIMEOUT=${limit:-20} "$here/scripts/run-tests" "$tmp/one.sh" 2>&1)
	status=$?
	[[ $status == "$1" && ${out##*$'\n'} == "$2" ]] && ok=ok
	n=$((n + 1))
	echo "$ok $n - $3"
	[[ $ok == ok ]] || sed 's/^/#   /' <<<"status $status: $out"
}

expect 0 '2 passed, 0 failed, 0 skipped' 'two that pass' <<<'echo 1..2; echo ok 1; echo ok 2 - two'
expect 0 '1 passed, 0 failed, 1 skipped' 'a skip is counted' \
	<<<'echo 1..2; echo ok 1; echo "ok 2 - x # SKIP no zsh here"'
expect 0 '0 passed, 0 failed, 1 skipped' 'a script that skips itself' <<<'echo "1..0 # SKIP no namespaces"'
expect 1 '1 passed, 1 failed, 0 skipped' 'one that fails' <<<'echo ok 1; echo not ok 2; echo 1..2; exit 1'
expect 1 '1 passed, 1 failed, 0 skipped' 'a failure although the status is 0' \
	<<<'echo ok 1; echo not ok 2; echo 1..2'
expect 1 '1 passed, 1 failed, 0 skipped' 'a TODO is a failure' \
	<<<'echo ok 1; echo "not ok 2 # TODO later"; echo 1..2'
expect 1 '1 passed, 1 failed, 0 skipped' 'a bad status although all lines are ok' \
	<<<'echo 1..1; echo ok 1; exit 3'
expect 1 '1 passed, 1 failed, 0 skipped' 'fewer results than planned' <<<'echo 1..2; echo ok 1'
expect 1 '2 passed, 1 failed, 0 skipped' 'more results than planned' <<<'echo 1..1; echo ok 1; echo ok 2'
expect 1 '1 passed, 1 failed, 0 skipped' 'no plan' <<<'echo ok 1'
expect 1 '0 passed, 1 failed, 0 skipped' 'nothing at all' <<<':'
expect 1 '0 passed, 1 failed, 0 skipped' 'a script that does not parse' <<<'if ('
expect 1 '1 passed, 1 failed, 0 skipped' 'killed by a signal' <<<'echo 1..1; echo ok 1; kill -9 $$'
limit=1 expect 1 '1 passed, 1 failed, 0 skipped' 'a timeout' <<<'echo 1..1; echo ok 1; exec sleep 30'
expect 1 '1 passed, 1 failed, 0 skipped' 'giving up' <<<'echo 1..1; echo ok 1; echo "Bail out! no disk"'
expect 1 '0 passed, 1 failed, 0 skipped' 'a skip without a reason' <<<'echo 1..0'
expect 0 '1 passed, 0 failed, 0 skipped' 'a test can be interrupted by its own SIGINT' \
	<<<'echo 1..1; bash -c "trap \"exit 9\" INT; kill -INT \$\$"; [[ $? == 9 ]] && echo ok 1'

# ---- progress ----

say() {
	n=$((n + 1))
	if [[ $1 == 0 ]]; then echo "ok $n - $2"; else
		echo "not ok $n - $2"
		sed 's/^/#   /' "$tmp/out"
	fi
}
mkdir "$tmp/tests"
echo 'echo 1..1; echo ok 1' >"$tmp/tests/a.sh"
echo 'echo 1..2; echo "not ok 1 - broken"; echo "# because"; echo ok 2; echo words >&2' >"$tmp/tests/b.sh"
echo 'sleep 0.5; echo 1..1; echo ok 1' >"$tmp/tests/c.sh"
tests=("$tmp"/tests/{a,b,c}.sh)
BUILD=$tmp "$here/scripts/run-tests" "${tests[@]}" >"$tmp/out" 2>&1
[[ $(grep -c '^  [123] of 3 .*:.* [abc]\.sh .* passed, .* failed, .* skipped (' "$tmp/out") == 3 ]]
say $? 'in a pipe: one line for each test, with its number'
tail -n 5 "$tmp/out" >"$tmp/end"
[[ $(grep -c 'b.sh: not ok 1 - broken' "$tmp/out") == 2 &&
	$(head -n 1 "$tmp/end") == "b.sh: not ok 1 - broken" &&
	$(tail -n 1 "$tmp/end") == '3 passed, 1 failed, 0 skipped' ]] &&
	grep -q '# because' "$tmp/end" && grep -q '^    words' "$tmp/end" && ! grep -q $'\r' "$tmp/out"
say $? 'failures come again at the end, before the last line'
if command -v script >/dev/null; then
	TERM=xterm BUILD=$tmp script -qec "'$here/scripts/run-tests' ${tests[*]@Q}" /dev/null </dev/null \
		2>&1 | tr '\r' '\n' >"$tmp/out"
	grep -q 'of 3  0:0[0-9]  .* passed, .* failed, .* skipped  running: .*c\.sh' "$tmp/out" &&
		! grep -q '^  [123] of 3 .* a\.sh' "$tmp/out" &&
		[[ $(grep -v '^$' "$tmp/out" | tail -n 1) == *'3 passed, 1 failed, 0 skipped' ]]
	say $? 'on a terminal: one line that changes'
fi
echo "echo \$\$ >'$tmp/pid'; echo 1..1; sleep 30; echo ok 1" >"$tmp/tests/d.sh"
BUILD=$tmp bash -c 'exec "$@"' _ "$here/scripts/run-tests" "$tmp/tests/d.sh" >"$tmp/out" 2>&1 &
for _ in $(seq 100); do [[ -s $tmp/pid ]] && break || sleep 0.05; done
kill -TERM $!
wait $!
[[ $? == 130 && -s $tmp/pid && ! -e /proc/$(<"$tmp/pid") ]] &&
	grep -q '^interrupted after .*: 0 of 1 tests have ended; these were running: d.sh$' "$tmp/out"
say $? 'a runner that is interrupted ends its tests and says which'
echo "1..$n"
