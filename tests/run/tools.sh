#!/bin/bash
# Outputs of real tools, each with what its project was made to show (tools.py). TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
exec /usr/bin/python3 -B "$here/tests/run/tools.py" "${CAISSON:-$here/build/caisson}" "${TOOLS_SAMPLES:-$here/tests/samples/tools}"
