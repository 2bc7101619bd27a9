#!/bin/bash
# The oracle for inline code (docs/oracles.md), as TAP: the comparison itself, generated programs of a fixed
# seed, and the corpus, run by real python3 and node in a jail and compared with what caisson says of python3
# -c and node -e.
set -u
cd "$(dirname "$0")/../.." || exit 1
fuzz=tests/oracle/code_fuzz
python=/usr/bin/python3
failed=0
number=1

result() { # result STATUS NAME
	number=$((number + 1))
	if [[ $1 == 0 ]]; then echo "ok $number - $2"; else
		echo "not ok $number - $2"
		failed=1
	fi
}

language() { # language NAME COUNT
	local out status reason
	out=$($python $fuzz --lang "$1" --n "$2" --seed "${ORACLE_SEED:-1}" --shrink 3 2>&1)
	status=$?
	if [[ $status == 77 ]]; then
		reason=${out##*$'\n'}
		for _ in 1 2 3 4; do
			number=$((number + 1))
			echo "ok $number # SKIP ${reason#SKIP }"
		done
		return
	fi
	printf '%s\n' "$out" | sed 's/^/# /'
	grep -qx 'unsound 0' <<<"$out"
	result $? "$1: no generated program does what was not announced"
	grep -q '^harmless ' <<<"$out" && ! grep -q '^harmless programs allowed' <<<"$out"
	result $? "$1: at least 85 % of the harmless programs are allowed"
	[[ $status == 0 ]]
	result $? "$1: the run ends well"
	out=$($python $fuzz --lang "$1" --n 0 --corpus tests/oracle/code_corpus --shrink 0 --show 100 2>&1)
	status=$?
	printf '%s\n' "$out" | sed 's/^/# /'
	result $status "$1: every program of the corpus"
}

echo 1..9
if $python tests/oracle/code_test.py >/dev/null 2>&1; then echo \
	"ok 1 - the comparison finds what it must find"; else
	echo "not ok 1 - the comparison finds what it must find"
	failed=1
fi
language python "${ORACLE_CODE_N:-2000}"
language javascript "${ORACLE_CODE_JS_N:-500}"
exit $failed
