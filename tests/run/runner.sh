#!/bin/bash
# The test runner itself: what it counts, and that nothing that went wrong looks like success.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

# expect STATUS LAST-LINE WHAT: standard input is a test script; the runner must end with STATUS and print LAST-LINE last
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
expect 0 '1 passed, 0 failed, 1 skipped' 'a skip is counted' <<<'echo 1..2; echo ok 1; echo "ok 2 - x # SKIP no zsh here"'
expect 0 '0 passed, 0 failed, 1 skipped' 'a script that skips itself' <<<'echo "1..0 # SKIP no namespaces"'
expect 1 '1 passed, 1 failed, 0 skipped' 'one that fails' <<<'echo ok 1; echo not ok 2; echo 1..2; exit 1'
expect 1 '1 passed, 1 failed, 0 skipped' 'a failure although the status is 0' <<<'echo ok 1; echo not ok 2; echo 1..2'
expect 1 '1 passed, 1 failed, 0 skipped' 'a TODO is a failure' <<<'echo ok 1; echo "not ok 2 # TODO later"; echo 1..2'
expect 1 '1 passed, 1 failed, 0 skipped' 'a bad status although all lines are ok' <<<'echo 1..1; echo ok 1; exit 3'
expect 1 '1 passed, 1 failed, 0 skipped' 'fewer results than planned' <<<'echo 1..2; echo ok 1'
expect 1 '2 passed, 1 failed, 0 skipped' 'more results than planned' <<<'echo 1..1; echo ok 1; echo ok 2'
expect 1 '1 passed, 1 failed, 0 skipped' 'no plan' <<<'echo ok 1'
expect 1 '0 passed, 1 failed, 0 skipped' 'nothing at all' <<<':'
expect 1 '0 passed, 1 failed, 0 skipped' 'a script that does not parse' <<<'if ('
expect 1 '1 passed, 1 failed, 0 skipped' 'killed by a signal' <<<'echo 1..1; echo ok 1; kill -9 $$'
limit=1 expect 1 '1 passed, 1 failed, 0 skipped' 'a timeout' <<<'echo 1..1; echo ok 1; exec sleep 30'
expect 1 '1 passed, 1 failed, 0 skipped' 'giving up' <<<'echo 1..1; echo ok 1; echo "Bail out! no disk"'
expect 1 '0 passed, 1 failed, 0 skipped' 'a skip without a reason' <<<'echo 1..0'
echo "1..$n"
