#!/bin/bash
# The shell that a client starts. Codex: the one that a call names is in the transcript and not in the hook's
# input. One that an agent may have put there is denied, and the command is judged in the language of the
# others. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"

leave_client
export HOME=$tmp/home CAISSON_STATE=$tmp/state SHELL=/bin/bash PATH=/usr/local/bin:/usr/bin:/bin
P=$HOME/project
mkdir -p "$HOME/.codex/sessions" "$P/.venv/bin"
git init -q "$P"
printf '#!/bin/sh\n' | tee "$P/.venv/bin/sh" >"$P/.venv/bin/bash"
chmod +x "$P/.venv/bin"/*
cd "$P" || exit 1

# The hook's answer in one word. The transcript has the call with these arguments; without them it has none of
# it.
answer() { # COMMAND [ARGUMENTS]
	local log=$HOME/.codex/sessions/log.jsonl
	{
		jq -nc '{type: "response_item", payload: {type: "function_call", call_id: "call_0", arguments: "{\"shell\":\"/elsewhere\"}"}}'
		[[ -z ${2:-} ]] ||
			jq -nc --argjson a "$2" --arg c "$1" \
			'{type: "response_item", payload: {type: "function_call", name: "exec_command", call_id: "call_1", arguments: ($a + {cmd: $c} | tojson)}}'
		jq -nc '{type: "event_msg", payload: {type: "token_count"}}'
	} >"$log"
	chmod 600 "$log"
	jq --arg t "$log" --arg cwd "$P" --arg c "$1" \
		'.transcript_path = $t | .cwd = $cwd | .tool_input.command = $c' \
		"$here/tests/hooks/codex-pre.json" |
		"$CAISSON" hook --client codex >"$tmp/out" 2>"$tmp/err"
	if grep -Eq '^caisson: denied: (the call (names a shell|is for another)|Codex (would look|may start))' "$tmp/err"; then
		echo "foreign"
	elif grep -q '^caisson: denied' "$tmp/err"; then
		echo "deny"
	elif grep -q 'run --ticket' "$tmp/out"; then
		echo "contain"
	elif [[ ! -s $tmp/err ]]; then
		echo "allow"
	else
		echo "refuse"
	fi
}
login=$(getent passwd "$(id -u)" | cut -d: -f7)
is() { # WANT WHAT COMMAND [ARGUMENTS]
	local got
	got=$(answer "${@:3}")
	[[ $got == "$1" ]]
	result $? "$2: $1 ($got)"
}
name() { jq -nc --arg s "$1" '{shell: $s}'; }

is allow 'no shell is named' 'echo b' '{}'
[[ $login == */bash ]] && is allow 'no shell is named, as bash reads it' '[[ -n a ]] && echo b' '{}'
is allow 'a shell of the system' 'echo b' "$(name /bin/sh)"
is contain 'a shell of the system, as it reads it' '[[ -n a ]] && echo b' "$(name sh)"
is deny 'what is denied stays denied' 'rm -rf /' "$(name sh)"
is foreign 'a file of the project' 'echo b' "$(name "$P/.venv/bin/bash")"
is foreign 'a relative path' 'echo b' "$(name .venv/bin/bash)"
is foreign 'what would be contained' './x' "$(name "$P/.venv/bin/bash")"
is foreign 'a patch in the shell' $'apply_patch <<\'EOF\'\n*** Begin Patch\n*** Add File: a\n+a\n*** End Patch\nEOF' "$(name "$P/.venv/bin/bash")"
is foreign 'another machine' 'echo b' '{"environment_id": "far"}'
is allow 'the call is not in the transcript' 'echo b'
is contain 'the call is not in the transcript, and shells read it differently' '[[ -n a ]] && echo b'
PATH=$P/.venv/bin:$PATH
[[ $login == */bash ]] && is allow 'a directory of the project first in PATH, the login shell' 'echo b' '{}'
is foreign 'a directory of the project first in PATH, a name' 'echo b' "$(name sh)"
is foreign 'a directory of the project first in PATH, a path of the system' 'echo b' "$(name /bin/sh)"
is foreign 'a directory of the project first in PATH, the call is not in the transcript' 'echo b'
rm "$P/.venv/bin/sh"
is foreign 'the same without the file, which could be put there in between' 'echo b' "$(name sh)"

# Gemini CLI and Qwen Code start bash by its name, each time.
by_name() { # WANT WHAT CLIENT
	jq --arg cwd "$P" \
		'walk(if type == "string" then gsub("@CWD@"; $cwd) | gsub("@COMMAND@"; "echo b") else . end)' "$here/tests/hooks/$3-pre.json" | "$CAISSON" hook --client "$3" >"$tmp/out" 2>"$tmp/err"
	[[ $? == 0 || $1 == foreign ]] &&
		[[ $1 == "$(grep -q "runs commands with a 'bash' that an agent could have placed there" "$tmp/out" "$tmp/err" && echo foreign || echo allow)" ]]
	result $? "$3: $2: $1"
}
for client in gemini qwen; do
	by_name foreign 'a bash in a directory of the project that is first in PATH' "$client"
done
rm "$P/.venv/bin/bash"
for client in gemini qwen; do
	by_name allow 'no bash there' "$client"
done
echo "1..$n"
