#!/bin/bash
# caissond --preload: a Python that waits in its box runs code as python3 -c does, once. TAP.
tmp_template=/tmp/caisson-preload-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON BUILD
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/serve_preload.py" "$here" "$tmp"
