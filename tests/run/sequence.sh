#!/bin/bash
# The sequence oracle (docs/oracles.md), as TAP: 300 generated sequences of a fixed seed (SEQUENCE_N,
# SEQUENCE_SEED), whose first parts real tools run in a jail, and the attacks of tests/cases/attacks in the
# same worlds.
set -u
cd "$(dirname "$0")/../.." || exit 1
known=tests/oracle/sequence_known.list
failed=0

result() { # result STATUS NUMBER NAME
	if [[ $1 == 0 ]]; then echo "ok $2 - $3"; else
		echo "not ok $2 - $3"
		failed=1
	fi
}

echo 1..4
words=(--n "${SEQUENCE_N:-300}" --seed "${SEQUENCE_SEED:-1}" --cases tests/cases/attacks)
[[ ${SEQUENCE_SEED:-1} != 1 || ! -s $known ]] || words+=(--known "$known")
out=$(/usr/bin/python3 -B tests/oracle/sequence.py "${words[@]}" 2>&1)
status=$?
if [[ $status == 77 ]]; then
	reason=${out##*$'\n'}
	for i in 1 2 3 4; do echo "ok $i # SKIP ${reason#SKIP }"; done
	exit 0
fi
printf '%s\n' "$out" | sed 's/^/# /'
grep -Eq '^violations 0(,|$)' <<<"$out"
result $? 1 "no request is judged milder than its last part in the world that its first parts make"
grep -q '^ordinary pairs' <<<"$out" && ! grep -q '^ordinary pairs.* interrupted too often$' <<<"$out"
result $? 2 "at least 95 % of the ordinary pairs with quiet parts are quiet"
grep -q '^attacks .*, harmful 0$' <<<"$out"
result $? 3 "no attack is allowed and does harm"
[[ $status == 0 ]]
result $? 4 "the run ends well"
exit $failed
