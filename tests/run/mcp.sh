#!/bin/bash
# caisson mcp, spoken to over pipes by tests/run/mcp.py: both eras of the protocol, the tools, progress,
# cancellation, many calls at once, hostile lines. TAP.
tmp_template=/tmp/caisson-mcp-XXXXXX
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"
export CAISSON
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/mcp.py" "$here" "$tmp"
