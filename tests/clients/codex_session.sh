#!/bin/bash
# Codex itself: a contained command in a session that stays open: what is typed into it, what it prints later,
# and the directory that a call names. TAP.
# needs: codex node
# shellcheck disable=SC2016 # commands are data
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/codex_lib.sh"

new_session open
set_up
printf '#!/bin/bash\nread -r name\necho "hello $name from $(readlink /proc/self/ns/pid)"\nexit 3\n' \
	>"$P/ask.sh"
printf '#!/bin/bash\necho start\nsleep 3\necho end\nexit 4\n' >"$P/slow.sh"
chmod +x "$P"/*.sh
session "$(jq -nc '[
	{tool: ["exec_command"], input: {cmd: "./ask.sh", tty: true, yield_time_ms: 1000}},
	{tool: ["write_stdin"], input: {session_id: "%NUMBER%", chars: "somebody\n", yield_time_ms: 8000}, take: "session ID ([0-9]+)"},
	{tool: ["exec_command"], input: {cmd: "./slow.sh", yield_time_ms: 500}},
	{tool: ["write_stdin"], input: {session_id: "%NUMBER%", chars: "", yield_time_ms: 9000}, take: "session ID ([0-9]+)"},
	{tool: ["exec_command"], input: {cmd: "pwd; ../where.sh 5", workdir: "sub", yield_time_ms: 8000}},
	{tool: ["exec_command"], input: {cmd: "pwd", yield_time_ms: 8000}}]')"
says 0 'Process running with session ID' 'a contained command waits for what is typed'
says 1 'hello somebody from pid:' 'and gets it'
says_not 1 "$(readlink /proc/self/ns/pid | sed 's/[][]/\\&/g')" 'in the box'
says 1 'exited with code 3' 'its exit code is what it was'
says 2 'Process running with session ID' 'one that takes longer than a call goes on'
says 3 '^end' 'and the rest of its output comes later'
says 3 'exited with code 4' 'with its exit code'
says 4 '/project/sub$' 'the directory that a call names counts in the box'
says 4 'exited with code 5' 'and the exit code'
says 5 '/project$' 'for that call alone'
finish
