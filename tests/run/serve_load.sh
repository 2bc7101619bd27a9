#!/bin/bash
# caissond under load and killed at random points: tests/serve/load.py. RUNS, PARALLEL and KILLS say how much
# (make check-serve: 10,000, 64, 50). TAP.
tmp_template=/tmp/caisson-serve-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/serve/load.py" "$here" "$tmp" "${RUNS:-300}" "${PARALLEL:-32}" "${KILLS:-5}"
