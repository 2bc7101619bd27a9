#!/bin/bash
# The execution oracle (docs/oracles.md), as TAP: the comparison itself, 2,000 generated programs of a fixed
# seed, and every counterexample that was ever kept, run by real bash and dash in a jail and compared with
# what caisson says of them.
set -u
cd "$(dirname "$0")/../.." || exit 1
fuzz=tests/oracle/fuzz
python=/usr/bin/python3
failed=0

result() { # result STATUS NUMBER NAME
	if [[ $1 == 0 ]]; then echo "ok $2 - $3"; else
		echo "not ok $2 - $3"
		failed=1
	fi
}

echo 1..5
$python tests/oracle/test_compare.py >/dev/null
result $? 1 "the comparison finds what it must find"

out=$($python $fuzz --n "${ORACLE_N:-2000}" --seed "${ORACLE_SEED:-1}" 2>&1)
status=$?
if [[ $status == 77 ]]; then
	reason=${out##*$'\n'}
	for i in 2 3 4 5; do echo "ok $i # SKIP ${reason#SKIP }"; done
	exit $failed
fi
printf '%s\n' "$out" | sed 's/^/# /'
grep -qx 'unsound 0' <<<"$out"
result $? 2 "no generated program does what was not announced"
grep -q '^harmless ' <<<"$out" && ! grep -q '^harmless programs allowed' <<<"$out"
result $? 3 "at least 98 % of the harmless programs are allowed"
[[ $status == 0 ]]
result $? 4 "the run ends well"

out=$($python $fuzz --n 0 --corpus tests/oracle/corpus --shrink 0 --show 100 2>&1)
status=$?
printf '%s\n' "$out" | sed 's/^/# /'
result $status 5 "every kept counterexample"
exit $failed
