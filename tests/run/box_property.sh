#!/bin/bash
# The promise about planted repositories, as a property: random sequences of boxed programs, then git in every
# directory of the workspace on the host. As root and as an ordinary user in turn. SEED and COUNT choose other
# sequences (SEED=fresh: new ones). TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
SEED=${SEED:-caisson}
[[ $SEED == fresh ]] && SEED=$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')
# Under the sanitizers every start takes ten times as long.
COUNT=${COUNT:-$([[ -n ${SANITIZE:-} ]] && echo 12 || echo 60)}
cp "$here/tests/run/box_property.py" "$here/tests/box/planting.py" "$tmp"
chmod 644 "$tmp"/*.py
echo "# seed $SEED"

read -ra who_all <<<"$(people)"
first=0
for who in "${who_all[@]}"; do
	as "$who" env SHRINK_TRIES="${SHRINK_TRIES:-60}" "$PYTHON" -B "$tmp/box_property.py" "$tmp/caisson" \
		"$tmp/$who" --who "$who" --seed "$SEED" --first "$first" --step "${#who_all[@]}" \
		--count "$((COUNT / ${#who_all[@]}))" ${ONLY:+--only "$ONLY"} ${FULL:+--full} \
		>"$tmp/$who.tap" 2>&1 </dev/null &
	first=$((first + 1))
done
driver_results "${who_all[@]}"
