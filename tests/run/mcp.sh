#!/bin/bash
# caisson mcp, spoken to over pipes by tests/run/mcp.py: both eras of the protocol, the tools, progress, cancellation, many calls at once, hostile
# lines. TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
export CAISSON=${CAISSON:-$here/build/caisson}
tmp=$(mktemp -d /tmp/caisson-mcp-XXXXXX)
trap 'rm -rf "$tmp"' EXIT
if ! "$CAISSON" run -c true >"$tmp/probe" 2>&1; then
	echo "1..0 # SKIP no box can be made here: $(head -c 200 "$tmp/probe" | tr '\n' ' ')"
	exit 0
fi
/usr/bin/python3 -B "$here/tests/run/mcp.py" "$here" "$tmp"
