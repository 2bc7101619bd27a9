#!/bin/bash
# The Nth allocation fails along run, hook and mcp: nothing may remain, and no verdict is milder (unwind.py).
# As root and as an ordinary user. SECONDS_EACH bounds the time by taking fewer N; 0: every N. ONLY names one
# scenario. TAP.
set -u
# shellcheck source=tests/box/lib.sh
. "$(dirname "$0")/../box/lib.sh"
torture=${BUILD:-$here/build}/torture/caisson
if [[ ! -x $torture ]]; then
	echo "1..0 # SKIP $torture is missing: make build/torture/caisson"
	exit 0
fi
if ! as "$(people | cut -d' ' -f1)" "$tmp/caisson" run -c true >"$tmp/out" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/out" | tr '\n' ' ')"
	exit 0
fi
cp "$torture" "$tmp/torture"
cp "$here/tests/run/unwind.py" "$tmp"
chmod 755 "$tmp/torture" "$tmp/unwind.py"
read -ra who_all <<<"$(people)"
for who in "${who_all[@]}"; do
	as "$who" mkdir "$tmp/$who/unwind"
	as "$who" env ONLY="${ONLY:-}" SANITIZE="${SANITIZE:-}" "$PYTHON" -B "$tmp/unwind.py" "$tmp/torture" \
		"$tmp/$who/unwind" \
		"${SECONDS_EACH:-13}" "$who" >"$tmp/$who.tap" 2>&1 </dev/null &
done
driver_results "${who_all[@]}"
