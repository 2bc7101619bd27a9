#!/bin/bash
# Mixed runs with known outcomes, as root and as an ordinary user: 100 of a fixed seed; `make check-mixed` has
# 1,000 for each. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
SEED=${SEED:-caisson}
[[ $SEED == fresh ]] && SEED=$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')
EACH=${EACH:-$([[ -n ${SANITIZE:-} ]] && echo 25 || echo 50)}
cp "$here/tests/run/box_mixed.py" "$tmp"
chmod 644 "$tmp/box_mixed.py"
echo "# seed $SEED"

read -ra who_all <<<"$(people)"
for who in "${who_all[@]}"; do
	as "$who" "$PYTHON" -B "$tmp/box_mixed.py" "$tmp/caisson" "$tmp/$who" --who "$who" --seed "$SEED" \
		--count "$EACH" ${ONLY:+--only "$ONLY"} >"$tmp/$who.tap" 2>&1 </dev/null &
done
driver_results "${who_all[@]}"
