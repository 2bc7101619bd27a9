#!/bin/bash
# caissond, called over HTTP by tests/run/serve.py: routes, tokens, limits, streams, the APIs of others, the end. TAP.
tmp_template=/tmp/caisson-serve-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/serve.py" "$here" "$tmp"
