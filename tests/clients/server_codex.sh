#!/bin/bash
# A day with a development server in Codex. TAP.
# needs: codex node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/codex_lib.sh"
BACKGROUND='{cmd: ., yield_time_ms: 1500}' # goes on in a session of its own
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/server_day.sh"
server_day
