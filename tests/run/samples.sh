#!/bin/bash
# The samples, judged a second time by means that share nothing with ours (samples.py). TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
exec /usr/bin/python3 -B "$here/tests/run/samples.py" "${CAISSON:-$here/build/caisson}" "$here/tests/samples"
