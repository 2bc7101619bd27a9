#!/bin/bash
# The clients of caissond in clients/python and clients/node, against a real daemon. TAP.
tmp_template=/tmp/caisson-serve-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/serve_clients.py" "$here" "$tmp"
