#!/bin/bash
# Codex itself, with the hooks that `caisson init` writes. TAP.
# needs: codex node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/codex_lib.sh"
. "$(dirname "$0")/day.sh"
BACKGROUND='{cmd: ., command: ., yield_time_ms: 250}' STATUS='exited with code %s([^0-9]|$)'
SUBAGENT='[{"tool": ["multi_agent_v1__spawn_agent"], "input": {"message": "SECOND-SCRIPT: do what was agreed"}},
	{"tool": ["multi_agent_v1__wait_agent"], "take": "\"agent_id\": ?\"([^\"]+)", "input": {"targets": ["%ID%"], "timeout_ms": 30000}}]'
start() { codex_exec "${MODE[@]}"; }
MODE=(-s danger-full-access)

day

# ---- modes ----
new_session bypass
set_up
MODE=(--dangerously-bypass-approvals-and-sandbox)
session "$(script_of './where.sh' 'touch denied' 'touch asked')"
cell bypass "$(place "$(text 0)")"
[[ ! -e $P/denied && ! -e $P/asked && $(count) == 3 ]]
result $? 'bypass: denied and asked commands do not run'

new_session sandbox
set_up
MODE=(-s workspace-write)
session "$(script_of './where.sh' 'touch denied' 'grep -c NoNewPrivs:.1 /proc/self/status')"
if says_sandboxed 2; then cell sandbox "$(place "$(text 0)")"; else cell_skipped sandbox \
	"Codex's sandbox does not start here"; fi
[[ ! -e $P/denied && $(count) == 3 ]]
result $? 'sandbox: a denied command does not run'
all_rows day faults modes
MODE=(-s danger-full-access)

new_session untrusted
set_up
TRUSTED='' session "$(script_of 'touch denied')"
[[ -e $P/denied ]]
result $? 'hooks that nobody has trusted are skipped by the client, as docs/clients.md says'
not_a_person
finish
