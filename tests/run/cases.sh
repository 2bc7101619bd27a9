#!/bin/bash
# The words of test_cases: --write adds reasons and changes no verdict, --find lists rows, and rows without
# reasons fail. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
cd "$here" || exit 1
cases=$BUILD/test/test_cases
rows=$tmp/rows.txt

try() { # STATUS WHAT ARG...
	local want=$1 what=$2
	shift 2
	"$cases" "$@" >"$tmp/out" 2>"$tmp/err"
	[[ $? == "$want" ]]
	result $? "$what"
}

cat >"$rows" <<'ROWS'
# a comment
ask: git reset --hard
deny:
	| rm -rf /
	shell: sh
allow: git status
deny: git reset --hard
ROWS
cp "$rows" "$tmp/before"
try 1 'rows without reasons fail' "$rows"
grep -q 'no reasons' "$tmp/out"
result $? 'and say so'
try 1 'a verdict that differs is a failure of --write' --write "$rows"
diff "$tmp/before" "$rows" >"$tmp/out"
[[ $(grep -c '^<' "$tmp/out") == 0 && $(grep -c '^> .ids: ' "$tmp/out") == 2 ]]
result $? '--write adds two lines and changes none'
sed -i '$d' "$rows"
cp "$rows" "$tmp/before"
try 0 'then the rows hold' "$rows"
try 0 '--write again' --write "$rows"
cmp "$tmp/before" "$rows" >"$tmp/out"
result $? 'has nothing to add'
sed -i 's/ids: git-destructive/ids: git-destructive network/' "$rows"
try 1 'a reason that is not there fails' "$rows"
sed -i 's/ids: git-destructive network/ids: git-destructive-x/' "$rows"
try 1 'a longer id is another one' "$rows"

try 0 '--find' --find tar
grep -q '^tests/cases/writes/archive-extract.txt:[0-9]*: contain: tar xf a.tar \[archive-extract\]$' \
	"$tmp/out"
result $? 'finds a row by a word of its command'
! grep -qv '\btar\b' "$tmp/out"
result $? 'and no part of a word'
try 0 '--find of an id' --find fork-bomb
[[ $(wc -l <"$tmp/out") -gt 3 ]]
result $? 'finds rows by their reasons'
echo "1..$n"
