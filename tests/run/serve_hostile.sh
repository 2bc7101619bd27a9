#!/bin/bash
# caissond and callers that attack it: headers, bodies, connections, names, other callers. TAP.
tmp_template=/tmp/caisson-hostile-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/serve_hostile.py" "$here" "$tmp"
