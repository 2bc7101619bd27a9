#!/bin/bash
# Boxes in the background and their keeper, as root and as an ordinary user: what stays, what ends it, who may talk to the keeper, and that nothing is
# left when any of the processes is killed at any point. TAP.
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
POINTS=${POINTS:-$([[ -n ${SANITIZE:-} ]] && echo 8 || echo 40)}
DAEMONS=${DAEMONS:-6}
cp "$here/tests/run/background.py" "$tmp"
chmod 644 "$tmp/background.py"

read -ra who_all <<<"$(people)"
for who in "${who_all[@]}"; do
	cp "$tmp/caisson" "$tmp/$who/caisson-$who" # its processes are known by their program
	as "$who" "$PYTHON" -B "$tmp/background.py" "$tmp/$who/caisson-$who" "$tmp/$who" --who "$who" --points "$((POINTS / ${#who_all[@]}))" --daemons "$((DAEMONS / ${#who_all[@]}))" >"$tmp/$who.tap" 2>&1 </dev/null &
done
driver_results "${who_all[@]}"
