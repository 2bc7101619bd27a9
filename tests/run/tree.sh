#!/bin/bash
# Our syntax trees against real bash's own, as TAP (docs/oracles.md).
cd "$(dirname "$0")/../.." || exit 1
exec /usr/bin/python3 tests/oracle/tree.py
