#!/bin/bash
# The rows of make check-world, which itself is no part of make check: they can be read, and docs/run.md names
# rows that there are. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
/usr/bin/python3 "$here/tests/world/run.py" --list >"$tmp/out" 2>"$tmp/err"
result $? 'docs/run.md lists rows that exist'
rows=$(wc -l <"$tmp/out")
((rows >= 120)); result $? "there are $rows rows"
[[ -z $(cut -f1 "$tmp/out" | sort | uniq -d) ]]; result $? 'each has a name of its own'
((20 * $(grep -c $'\tdiffers\t' "$tmp/out") <= rows)); result $? 'at most one of 20 differs'
echo "1..$n"
