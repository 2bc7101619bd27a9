#!/bin/bash
# Tickets against a boxed program that exchanges the directories they name: 200 of them, half as root and half as an ordinary user. TAP.
set -u
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
TICKETS=${TICKETS:-$([[ -n ${SANITIZE:-} ]] && echo 40 || echo 200)}
cp "$here/tests/run/box_race.py" "$tmp"
chmod 644 "$tmp/box_race.py"

read -ra who_all <<<"$(people)"
for who in "${who_all[@]}"; do
	as "$who" "$PYTHON" -B "$tmp/box_race.py" "$tmp/caisson" "$tmp/$who" --who "$who" --tickets "$((TICKETS / ${#who_all[@]}))" >"$tmp/$who.tap" 2>&1 </dev/null &
done
wait
for who in "${who_all[@]}"; do
	# A driver that died prints a trace instead of results.
	grep -q '^\(not \)\?ok - ' "$tmp/$who.tap" && ! grep -q '^Traceback' "$tmp/$who.tap" || echo "not ok - $who: the driver ended early"
	cat "$tmp/$who.tap"
done | awk '/^(not )?ok / { n++; sub(/ok -/, "ok " n " -") } { print } END { print "1.." n }'
