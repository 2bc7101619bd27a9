#!/bin/bash
# Redaction by its numbers: samples made of every form in knowledge/secrets.yaml, and harmless text (redact.py). TAP.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
exec /usr/bin/python3 -B "$here/tests/run/redact.py" "${CAISSON:-$here/build/caisson}" "$here"
