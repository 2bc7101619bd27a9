#!/bin/bash
# Tickets against a boxed program that exchanges the directories they name: 200 of them, half as root and half
# as an ordinary user. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
TICKETS=${TICKETS:-$([[ -n ${SANITIZE:-} ]] && echo 40 || echo 200)}
cp "$here/tests/run/box_race.py" "$tmp"
chmod 644 "$tmp/box_race.py"

read -ra who_all <<<"$(people)"
for who in "${who_all[@]}"; do
	as "$who" "$PYTHON" -B "$tmp/box_race.py" "$tmp/caisson" "$tmp/$who" --who "$who" --tickets \
		"$((TICKETS / ${#who_all[@]}))" >"$tmp/$who.tap" 2>&1 </dev/null &
done
driver_results "${who_all[@]}"
