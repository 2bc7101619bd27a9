#!/bin/bash
# caisson mcp as a server of Claude Code: calls of its tools, a denial, a long run with progress, one that the
# client gives up. TAP.
# needs: claude-code
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code
need_client claude-code claude

prepare() {
	jq -n --arg c "$CAISSON" --argjson o "$OPTIONS" \
		'{mcpServers: {caisson: {type: "stdio", command: $c, args: (["mcp"] + $o)}}}' >"$RUN/mcp.json"
}
start() {
	claude_environment
	ENVIRONMENT+=(ENABLE_TOOL_SEARCH=false "${MORE[@]}")
	clean "$PROGRAM" -p "$PROMPT" --output-format stream-json --verbose --allowedTools mcp__caisson \
		--mcp-config "$RUN/mcp.json" --strict-mcp-config
}
# call TOOL INPUT
call() { jq -nc --arg t "mcp__caisson__$1" --argjson i "$2" '{tool: [$t], input: $i}'; }
there() { pgrep -fx "sleep $1" >/dev/null; }

new_session tools
OPTIONS='["--profile", "work"]' MORE=()
session "$(jq -sc . <<<"$(
	call run '{"command": "./where.sh 7"}'
	call run '{"code": "print(6 * 7)", "lang": "python"}'
	call run '{"command": "touch denied"}'
	call check '{"command": "touch denied"}'
	call run '{"command": "sleep 2; echo slept"}'
	call run '{"command": "cat build.log"}'
	call run '{"command": "seq 1 50000"}'
	call run '{"command": "touch x", "root": "/"}'
)")"
grep -qx mcp__caisson__run "$RUN/model/tools"
result $? 'the tools are offered to the model'
[[ $(count) == 8 ]]
result $? "eight calls, eight results ($(count))"
says 0 'ns pid:' 'a command runs'
[[ $(text 0) == *'ns pid:'* && $(text 0) != *"$(readlink /proc/self/ns/pid)"* ]]
result $? 'in another process namespace'
says 0 'net no' 'without the network'
says 0 'key none' "without the client's key"
is_error 0 && text 0 | grep -q '"exit_code":7'
result $? 'and its exit code is told'
says 1 '42' 'code runs'
is_error 2 && [[ ! -e $P/denied ]]
result $? 'a command that the policy denies does not run'
says 2 '"status":"denied"' 'and the model is told'
says 3 '"verdict":"deny"' 'check says so before'
says 4 'slept' 'a run of two seconds is waited for'
says 5 'build ok' 'output is given back'
says_not 5 "$PACKED" 'without the key in it'
says 6 'truncated' 'large output is shortened'
is_error 7 && [[ ! -e $P/x ]]
result $? 'an argument that would widen the box fails'
[[ $(cat "$H"/.local/state/caisson/audit/*.jsonl |
	jq -r 'select(.client == "mcp" and .kind == "begin") | .agent_id' | sort -u) == claude-code ]]
result $? 'the record has the runs, with the client as the agent'
grep -q '"tool_use_id":"[^"]' "$H"/.local/state/caisson/audit/*.jsonl
result $? "and the client's own names for the calls"

# ---- a call that the client gives up ----
word=356.$$
new_session late
OPTIONS='["--timeout", "5m"]' MORE=(MCP_TOOL_TIMEOUT=2500)
session "$(jq -sc . <<<"$(call run "{\"command\": \"sleep $word\"}"; call run '{"command": "echo next"}')")"
is_error 0
result $? 'a call that takes too long is an error'
says 1 'next' 'the server goes on'
! there "$word"
result $? 'and the box is gone'
[[ $(cat "$H"/.local/state/caisson/audit/*.jsonl |
	jq -r --arg w "$word" 'select(.kind == "end" and (.command // "" | contains($w))) | .status') =~ \
	^(signal|unknown)$ ]]
result $? 'ended from outside, as the record has it'
finish
