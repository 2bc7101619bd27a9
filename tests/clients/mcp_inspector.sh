#!/bin/bash
# caisson mcp and the MCP Inspector on its command line. TAP.
# needs: inspector node
. "$(dirname "$0")/lib.sh"
need_client inspector inspector
mkdir "$tmp/work"

inspect() { # ARGUMENTS...: one question to a fresh server
	(cd "$tmp/work" &&
		exec env -i PATH="$(dirname "$NODE"):/usr/local/bin:/usr/bin:/bin" HOME="$tmp/work" \
		CAISSON_STATE="$tmp/work/state" LANG=C.UTF-8 NO_COLOR=1 timeout -k 5 60 \
		"$PROGRAM" --cli -e CAISSON_STATE="$tmp/work/state" "$CAISSON" mcp "$@") </dev/null \
		>"$tmp/out" 2>"$tmp/err"
}
json() { jq -e "$1" "$tmp/out" >/dev/null 2>&1; result $? "$2"; }
there() { pgrep -fx "sleep $1" >/dev/null; }

inspect --method tools/list
json '[.tools[].name] == ["run", "verify_tests", "check", "result"] and all(.tools[]; .outputSchema.type == "object")' \
	'tools/list'
inspect --method tools/call --tool-name run --tool-arg command='echo hi; readlink /proc/self/ns/pid'
json '.structuredContent.stdout | startswith("hi\n")' 'a command'
[[ $(jq -r '.structuredContent.stdout' "$tmp/out" | sed -n 2p) =~ ^pid: &&
	$(jq -r '.structuredContent.stdout' "$tmp/out" | sed -n 2p) != "$(readlink /proc/self/ns/pid)" ]]
result $? 'in a process namespace of its own'
inspect --method tools/call --tool-name run --tool-arg code='print(6 * 7)' --tool-arg lang=python
json '.structuredContent.stdout == "42\n" and .isError != true' 'code'
inspect --method tools/call --tool-name run --tool-arg command='sleep 20' --tool-arg timeout_sec=0.5
json '.isError == true and .structuredContent.status == "timeout"' 'a time limit'
inspect --method tools/call --tool-name run --tool-arg command="rm -rf $tmp"
json '.isError == true and .structuredContent.status == "denied"' 'a command that is denied'
[[ -d $tmp/work ]]
result $? 'which did not run'
inspect --method tools/call --tool-name check --tool-arg command='git status'
json '.structuredContent.verdict == "allow"' 'check'
inspect --method tools/call --tool-name run --tool-arg command='seq 1 50000'
id=$(jq -r .structuredContent.id "$tmp/out")
inspect --method tools/call --tool-name result --tool-arg id="$id" --tool-arg stream=stdout --tool-arg \
	line=40000 --tool-arg lines=2
json '.structuredContent.text == "40000\n40001\n"' 'result, of another server of the same person'

word=345.$$
inspect --method tools/call --tool-name run --tool-arg command="sleep $word" &
client=$!
for _ in $(seq 200); do there "$word" && break; sleep 0.05; done
there "$word"
result $? 'a long run is there'
pkill -TERM -P "$client" # timeout, which passes it on
wait "$client" 2>/dev/null
for _ in $(seq 100); do there "$word" || break; sleep 0.05; done
! there "$word"
result $? 'and ends with the Inspector'
finish
